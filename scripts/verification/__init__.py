# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
