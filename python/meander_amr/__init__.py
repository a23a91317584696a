# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads, samples and draws output files of Meander.

    import meander_amr as meander
    plot = meander.open("output/sod-001/plot_000004.vtkhdf")   # or chk_*.hdf5, *.series, history.csv
    x, density = plot.sample_line("density", plot.lower, plot.upper)

Pictures: meander_amr.plot, which requires matplotlib; on the command line, meander-plot.
"""
from meander_amr.errors import FileError, OptionError
from meander_amr.files import Checkpoint, PlotFile, Series, open  # pylint: disable=redefined-builtin
from meander_amr.history import History
from meander_amr.image import Image

__all__ = ["Checkpoint", "FileError", "History", "Image", "OptionError", "PlotFile", "Series", "open"]
__version__ = "0.2.0"
