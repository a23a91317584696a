# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Entry point of python3 -m meander_amr: the command meander-plot."""
import sys

from meander_amr.command import main

sys.exit(main())
