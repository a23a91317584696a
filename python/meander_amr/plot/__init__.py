# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures with matplotlib. Each function draws into `axes`, or into a new figure, and returns the axes.

    from meander_amr import open, plot
    plot.slice(open("plot_000004.vtkhdf"), "density").figure.savefig("density.png")
"""
from meander_amr.plot.histories import history, psi4
from meander_amr.plot.images import image
from meander_amr.plot.overview import overview
from meander_amr.plot.profiles import line_profile, radial_profile
from meander_amr.plot.slices import partition, slice  # pylint: disable=redefined-builtin
from meander_amr.plot.tracks import tracks
from meander_amr.plot.waves import waveforms

__all__ = ["history", "image", "line_profile", "overview", "partition", "psi4", "radial_profile", "slice", "tracks", "waveforms"]
