// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace meander::bench {
namespace {

// Base cells along an axis such that the mesh has about `volumes` volumes. An adaptive mesh has about 50 (2D:
// 10) leaves per base cell.
int base_cells(const Case& c, int dim, double volumes) {
  const double leaves = volumes / std::pow(c.patch_size, dim);
  const double along = std::pow(c.adaptive ? leaves / (dim == 3 ? 50 : 10) : leaves, 1.0 / dim);
  // A power of three, so that the multigrid method has coarser levels.
  if (c.scheme.starts_with(self_gravity))
    return std::max(3, static_cast<int>(std::pow(3, std::round(std::log(along) / std::log(3)))));
  return std::max(2, static_cast<int>(std::lround(along)));
}

}  // namespace

std::string terms_of(const std::string& scheme, int dim) {
  if (scheme.starts_with("ccz4-"))
    return fmt::format("[solver]\nequation = \"ccz4\"\nscheme = \"{}\"\n[scenario]\nname = \"minkowski\"\n",
                       scheme.substr(5));
  // Gas so cold and an overdensity so large that after the first step the pressure follows from the entropy nearly
  // everywhere, as in the late state of inputs/accretion-3d.toml.
  if (scheme == "accretion")
    return "[solver]\nscheme = \"muscl\"\nlimiter = \"mc\"\ngamma = 1.6666666666666667\ndual-energy = true\n"
           "density-floor = 1e-6\npressure-floor = 1e-10\n"
           "[scenario]\nname = \"accretion\"\npressure = 1e-10\ndelta = 5.0\nradius = "
           "0.2\nstart-scale-factor = 1.0\n"
           "end-scale-factor = 1e6\n";
  // A low wave, whose potential each step solves anew by one cycle. Without gravity: the same gas.
  if (scheme == self_gravity || scheme == without_gravity)
    return fmt::format(
        "[solver]\nscheme = \"muscl\"\n[scenario]\nname = \"formulas\"\n[scenario.fields]\n"
        "density = \"1 + 0.01 * sin(2 * pi * x)\"\npressure = 1\nvelocity-x = 0.3\n{}",
        scheme == self_gravity ? "[gravity]\nmethod = \"poisson\"\n" : "");
  const std::size_t dash = scheme.find('-');
  const std::string limiter =
      dash == scheme.npos ? "" : fmt::format("limiter = \"{}\"\n", scheme.substr(dash + 1));
  return fmt::format("[solver]\nscheme = \"{}\"\n{}[scenario]\nname = \"uniform\"\nvelocity = [{}]\n",
                     scheme.substr(0, dash), limiter, dim == 3 ? "0.3, 0.3, 0.3" : "0.3, 0.3");
}

std::string input_for(const Case& c, int dim, double volumes, int copies) {
  const auto along = [dim](auto value, auto last) {
    return dim == 3 ? fmt::format("[{0}, {0}, {1}]", value, last) : fmt::format("[{}, {}]", value, last);
  };
  const int cells = base_cells(c, dim, volumes);
  int level = 0;
  while (std::pow(3, level) < copies * cells) ++level;
  std::string text = fmt::format(
      "[domain]\ndimensions = {}\nupper = {}\ncells = {}\n"
      "[boundary]\nall = \"periodic\"\n"
      "[mesh]\npatch-size = {}\nmin-level = {}\nmax-level = {}\nbuffer = 0\nregrid-every = 1000000\n"
      "{}[time]\nend = 1e9\n",
      dim, along(1, copies), along(cells, copies * cells), c.patch_size, level,
      c.adaptive ? level + 2 : level, terms_of(c.scheme, dim));
  if (c.adaptive) {
    // Nested boxes away from the centre. Most volumes are on the two finer levels, as in runs that follow a
    // feature.
    for (int copy = 0; copy < copies; ++copy) {
      text += fmt::format("[[refinement]]\nkind = \"box\"\nlower = {}\nupper = {}\nlevel = {}\n",
                          along(0.3, copy + 0.3), along(0.9, copy + 0.9), level + 1);
      text += fmt::format("[[refinement]]\nkind = \"box\"\nlower = {}\nupper = {}\n",
                          along(0.45, copy + 0.45), along(0.8, copy + 0.8));
    }
  }
  return text;
}

}  // namespace meander::bench
