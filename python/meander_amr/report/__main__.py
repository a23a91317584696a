# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m meander_amr.report"""
import sys

from meander_amr.report import main

sys.exit(main())
