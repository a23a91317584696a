// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/plot_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "io/hdf5_reader.hpp"

namespace meander::io {

namespace {

constexpr std::size_t axes_of_vtk = 3;

FileOrigin origin_of(const hdf5::Reader& file) {
  FileOrigin origin;
  origin.version = file.text("/meta", "version");
  origin.git_hash = file.text("/meta", "git_hash");
  origin.compiler = file.text("/meta", "compiler");
  origin.build_type = file.text("/meta", "build_type");
  origin.modified = file.integer("/meta", "git_modified") != 0;
  return origin;
}

// Extends the field's bounds by values in groups of `components`.
void bound(FieldFacts& field, const std::vector<double>& values) {
  const auto components = static_cast<std::size_t>(field.components);
  for (std::size_t v = 0; v + components <= values.size(); v += components) {
    double value = values[v];
    if (components > 1) {
      double sum = 0;
      for (std::size_t c = 0; c < components; ++c) sum += values[v + c] * values[v + c];
      value = std::sqrt(sum);
    }
    if (!std::isfinite(value)) {
      ++field.not_finite;
      continue;
    }
    field.min = std::min(field.min, value);
    field.max = std::max(field.max, value);
  }
}

}  // namespace

std::string FileOrigin::line() const {
  return fmt::format("meander {} ({}{}), {}, {}", version, git_hash.substr(0, 10),
                     modified ? ", modified" : "", compiler, build_type);
}

FileOrigin read_file_origin(const std::string& path) {
  return origin_of(hdf5::Reader(path, path));
}

namespace {

PlotFacts facts_of(const std::string& path) {
  const hdf5::Reader file(path, path);
  if (!file.has("/VTKHDF") || !file.has("/meta"))
    throw InputError(fmt::format("{}: is HDF5 of another program, no plot file", path));
  PlotFacts facts;
  facts.origin = origin_of(file);
  facts.input = file.text("/meta/input");
  facts.step = file.integer("/meta", "step");
  facts.time = file.number("/meta", "time");
  facts.dimensions = file.integer("/meta", "dimensions", 2, 3);
  facts.patch_size = file.integer("/meta", "patch_size", 1, hdf5::Reader::most);
  const int coarsest = file.integer("/meta", "level_offset", 0, hdf5::Reader::most);
  for (int n = 0; file.has(fmt::format("/VTKHDF/Level{}", n)); ++n) {
    const std::string level = fmt::format("/VTKHDF/Level{}", n), data = level + "/CellData";
    const std::int64_t leaves = file.rows(level + "/AMRBox");
    facts.levels.push_back({coarsest + n, leaves, file.numbers(level, "Spacing").at(0)});
    double volumes = static_cast<double>(leaves);
    for (int a = 0; a < facts.dimensions; ++a) volumes *= facts.patch_size;
    for (const std::string& name : file.names(data)) {
      const std::vector<double> values = file.values(data + "/" + name);
      auto field = std::find_if(facts.fields.begin(), facts.fields.end(),
                                [&](const FieldFacts& f) { return f.name == name; });
      if (field == facts.fields.end()) {
        const double infinity = std::numeric_limits<double>::infinity();
        const bool vector = static_cast<double>(values.size()) > volumes;
        field = facts.fields.insert(field, {name, vector ? int{axes_of_vtk} : 1, infinity, -infinity});
      }
      bound(*field, values);
    }
  }
  return facts;
}

}  // namespace

PlotFacts read_plot_facts(const std::string& path) {
  try {
    return facts_of(path);
  } catch (const InputError&) {
    throw;
  } catch (const Failure& failure) {
    throw InputError(fmt::format("{}; is it damaged?", failure.what()));
  } catch (const std::exception&) {
    throw InputError(fmt::format("{}: is damaged (its tables)", path));
  }
}

}  // namespace meander::io
