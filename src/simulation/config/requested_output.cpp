// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/requested_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/vec.hpp"
#include "simulation/config/check_config.hpp"
#include "simulation/config/config.hpp"
#include "simulation/config/field_names.hpp"
#include "simulation/outputs/sampled.hpp"

namespace meander::simulation {

namespace {

constexpr OutputKindEntry kinds[] = {
    {OutputKind::slice, "slice",
     "A plane through the domain (2D: a line along an axis) in files slice_NAME_STEP.vtkhdf: each pixel has "
     "the "
     "value of the volume that contains its centre."},
    {OutputKind::projection, "projection",
     "Integrals along an axis over the region, or means weighted by a field, in files "
     "projection_NAME_STEP.vtkhdf: each pixel has the mean over its area."},
    {OutputKind::box, "box",
     "A box of the domain on uniform voxels, in files box_NAME_STEP.vtkhdf: each voxel has the mean over its "
     "volume."},
    {OutputKind::sphere, "sphere",
     "A sphere (2D: a circle), as cells between circles of latitude and longitude, in files "
     "sphere_NAME_STEP.vtkhdf: each cell has the value of the volume that contains its centre. Cells outside "
     "the domain with its mirror images (boundary `symmetric`) are left out."},
    {OutputKind::line, "line",
     "Points on a straight line: for each field a file line_NAME_FIELD.txt with rows of the time and the "
     "values "
     "at all points."},
    {OutputKind::probe, "probe", "A point: rows of the fields in probe_NAME.csv."},
};

constexpr int most_pixels_across = 16384;
constexpr double most_pixels = 1 << 27;

bool is_image(OutputKind kind) {
  return kind == OutputKind::slice || kind == OutputKind::projection || kind == OutputKind::box;
}

std::vector<std::string> axes_of(const Config& config) {
  std::vector<std::string> axes;
  for (int a = 0; a < config.domain.dimensions; ++a) axes.emplace_back(axis_names[a]);
  return axes;
}

void describe_schedule(io::KeyTable& keys, RequestedOutput& output) {
  const bool rows = output.has_rows();
  keys.integer("every-steps", output.every_steps, "steps",
               rows ? "A row every n steps; 0: none." : "A file every n steps; 0: none.", io::at_least(0));
  keys.number(
      "every", output.every, "time",
      rows ? "Additional rows at multiples of this simulated time after time.start, which time steps are "
             "shortened to meet; 0: none."
           : "Additional files at multiples of this simulated time after time.start, which time steps are "
             "shortened to meet; 0: none. The first and the last state are always written.",
      io::at_least(0));
  keys.numbers("times", output.times, "time",
               "Additional output at these times; time steps are shortened to meet them.");
}

void describe_region(io::KeyTable& keys, RequestedOutput& output) {
  keys.numbers("lower", output.lower, "length", "Lower corner of the region.").default_text =
      "that of the domain";
  keys.numbers("upper", output.upper, "length", "Upper corner of the region.").default_text =
      "that of the domain";
}

void describe_place(io::KeyTable& keys, RequestedOutput& output, const Config& config) {
  const io::Range pixels = io::between(1, most_pixels_across);
  switch (output.kind) {
    case OutputKind::slice:
      keys.choice("normal", output.normal, axes_of(config), "The axis that the slice is normal to.");
      keys.number("offset", output.offset, "length", "Position of the slice along that axis.").default_text =
          "the middle of the domain";
      describe_region(keys, output);
      keys.integer("resolution", output.resolution, "pixels",
                   "Number of pixels along the longest edge of the slice; 0: the volumes that it cuts, as "
                   "polygons.",
                   io::between(0, most_pixels_across));
      break;
    case OutputKind::projection:
      keys.choice("normal", output.normal, axes_of(config), "The axis along which fields are integrated.");
      keys.choice(
          "weight", output.weight, number_names(*config.solver),
          "A field of one number: fields are divided by its integral after they have been multiplied by "
          "it. Not given: integrals.");
      describe_region(keys, output);
      keys.integer("resolution", output.resolution, "pixels",
                   "Number of pixels along the longest edge of the projection.", pixels);
      break;
    case OutputKind::box:
      describe_region(keys, output);
      keys.integer("resolution", output.resolution, "voxels",
                   "Number of voxels along the longest edge of the box.", pixels);
      break;
    case OutputKind::sphere:
      keys.numbers("centre", output.centre, "length", "Its centre.").default_text =
          "the middle of the domain";
      keys.number("radius", output.radius, "length", "Its radius.", io::greater_than(0)).required = true;
      keys.integer(
          "resolution", output.resolution, "cells",
          "Number of cells along the equator; half as many lie between the poles, which are on the z "
          "axis.",
          io::between(4, most_pixels_across));
      break;
    case OutputKind::line:
      keys.numbers("from", output.from, "length", "The first point.").required = true;
      keys.numbers("to", output.to, "length", "The last point.").required = true;
      keys.integer("points", output.points, "", "Number of points, at equal distances.",
                   io::between(2, most_pixels_across));
      break;
    case OutputKind::probe:
      keys.numbers("at", output.at, "length", "The point.").required = true;
      break;
  }
}

// Where the values of an output lie, and what follows from the input for keys that were not given.
class Check {
 public:
  Check(const io::KeyTable& keys, RequestedOutput& output, const Config& config)
      : keys_(keys), output_(output), config_(config), dims_(config.domain.lower.size()) {}

  void all() {
    name();
    check_schedule(keys_, {"every", output_.every, "times", output_.times, "outputs"}, config_.time);
    if (output_.fields.empty()) output_.fields = config_.output.fields;
    check_names_once(keys_, "fields", output_.fields);
    if (is_image(output_.kind)) region();
    if (output_.kind == OutputKind::slice) offset();
    if (output_.kind == OutputKind::sphere) sphere();
    if (output_.kind == OutputKind::line) {
      point("from", output_.from);
      point("to", output_.to);
      if (output_.from == output_.to) keys_.reject("to", "must not be the first point");
    }
    if (output_.kind == OutputKind::probe) point("at", output_.at);
    if (output_.has_rows()) numbers();
    images();
  }

 private:
  const DomainConfig& domain() const { return config_.domain; }

  void name() const {
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    constexpr std::size_t longest = 64;
    if (output_.name.empty() || output_.name.size() > longest ||
        output_.name.find_first_not_of(allowed) != std::string::npos)
      keys_.reject("name",
                   fmt::format("is part of a file's name and must consist of 1 to {} letters, digits and "
                               "hyphens, but is '{}'",
                               longest, output_.name));
  }

  void within(const char* key, const std::vector<double>& x, const std::vector<double>& lower,
              const std::vector<double>& upper) const {
    check_length(keys_, key, x, domain().dimensions);
    for (std::size_t a = 0; a < dims_; ++a) {
      if (x[a] < lower[a] || x[a] > upper[a])
        keys_.reject(key,
                     fmt::format("must lie within the domain, which along {} is from {} to {}, but there "
                                 "is {}",
                                 axis_names[a], lower[a], upper[a], x[a]));
    }
  }
  // With the mirror images.
  void point(const char* key, const std::vector<double>& x) const {
    const Mirrors whole = config_.mirrors();
    within(key, x, whole.lower(), whole.upper());
  }

  void region() {
    if (!keys_.was_given("lower")) output_.lower = domain().lower;
    if (!keys_.was_given("upper")) output_.upper = domain().upper;
    within("lower", output_.lower, domain().lower, domain().upper);
    within("upper", output_.upper, domain().lower, domain().upper);
    check_corners(keys_, output_.lower, output_.upper);
    double longest = 0, area = 1;
    for (std::size_t a = 0; a < dims_; ++a) {
      if (output_.kind != OutputKind::box && static_cast<int>(a) == output_.axis()) continue;
      longest = std::max(longest, output_.upper[a] - output_.lower[a]);
      area *= output_.upper[a] - output_.lower[a];
    }
    const double axes = static_cast<double>(output_.kind == OutputKind::box ? dims_ : dims_ - 1);
    const double pixels = area * std::pow(output_.resolution / longest, axes);
    if (pixels > most_pixels)
      keys_.reject("resolution", fmt::format("makes about {:.0f} voxels; at most {:.0f} are possible", pixels,
                                             most_pixels));
  }

  // Each is a file or a column.
  void numbers() const {
    std::vector<std::string> names = names_of(output_fields(*config_.solver, output_.fields));
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
      keys_.reject("fields", fmt::format("'{}' occurs twice: it is a component of another field", *twice));
  }

  void offset() {
    const auto a = static_cast<std::size_t>(output_.axis());
    if (!keys_.was_given("offset")) output_.offset = config_.middle()[a];
    if (output_.offset < output_.lower[a] || output_.offset > output_.upper[a])
      keys_.reject("offset", fmt::format("must lie within {}, which along {} is from {} to {}, but is {}",
                                         keys_.was_given("lower") || keys_.was_given("upper") ? "the region"
                                                                                              : "the domain",
                                         axis_names[a], output_.lower[a], output_.upper[a], output_.offset));
  }

  void sphere() {
    if (!keys_.was_given("centre")) {
      const Point<3> middle = config_.middle();
      output_.centre.assign(middle.begin(), middle.begin() + static_cast<std::ptrdiff_t>(dims_));
    }
    check_length(keys_, "centre", output_.centre, domain().dimensions);
    if (cells_of_sphere(output_, config_).centres.empty())
      keys_.reject("radius", "and centre describe a sphere without a cell inside the domain");
  }

  // Fields that solvers compute patch by patch, and what leaves carry, have no known signs beyond planes of symmetry.
  void images() const {
    const Mirrors planes = config_.mirrors();
    if (!planes.any() || is_image(output_.kind)) return;
    const auto is_beyond = [&](const std::vector<double>& x, double reach) {
      for (std::size_t a = 0; a < dims_; ++a) {
        if ((planes.at_side(a, 0) && x[a] - reach < domain().lower[a]) ||
            (planes.at_side(a, 1) && x[a] + reach > domain().upper[a]))
          return true;
      }
      return false;
    };
    const bool any = output_.kind == OutputKind::sphere ? is_beyond(output_.centre, output_.radius)
                     : output_.kind == OutputKind::line
                         ? is_beyond(output_.from, 0) || is_beyond(output_.to, 0)
                         : is_beyond(output_.at, 0);
    if (!any) return;
    for (const OutputField& field : output_fields(*config_.solver, output_.fields)) {
      if (!std::ranges::all_of(field.components, &VolumeNumber::is_local))
        keys_.reject("fields",
                     fmt::format("'{}' is known on this side of planes of symmetry only, which this {} "
                                 "crosses",
                                 field.name, kinds[static_cast<std::size_t>(output_.kind)].name));
    }
  }

  const io::KeyTable& keys_;
  RequestedOutput& output_;
  const Config& config_;
  std::size_t dims_;
};

}  // namespace

int RequestedOutput::axis() const {
  int axis = 0;
  while (axis_names[axis] != normal) ++axis;
  return axis;
}

std::string RequestedOutput::stem() const {
  return fmt::format("{}_{}", kinds[static_cast<std::size_t>(kind)].name, name);
}

std::span<const OutputKindEntry> output_kinds() {
  return kinds;
}

void describe_requested_output(io::KeyTable& keys, RequestedOutput& output, const Config& config) {
  if (output.has_rows()) output.every_steps = 1;
  output.normal = axis_names[config.domain.dimensions - 1];
  output.resolution = output.kind == OutputKind::box ? 128 : output.kind == OutputKind::sphere ? 256 : 1024;
  keys.text("name", output.name,
            "Its name, part of the names of its files: letters, digits and hyphens, at most 64, another one "
            "for each table of a kind.")
      .required = true;
  keys.texts("fields", output.fields, "Fields as those of plot files.", plot_names(*config.solver))
      .default_text = "those of plot files";
  describe_place(keys, output, config);
  describe_schedule(keys, output);
}

void OutputDrafts::describe(io::KeyTable& output, const Config& config) {
  for (const OutputKindEntry& entry : kinds) {
    io::TableList& list = lists_.emplace_back();
    list.describe_next = [this, &config, kind = entry.kind](io::KeyTable& keys) {
      RequestedOutput& next = outputs_.emplace_back();
      next.kind = kind;
      order_.emplace_back(kind, lists_[static_cast<std::size_t>(kind)].tables.size() - 1);
      describe_requested_output(keys, next, config);
    };
    output.tables(entry.name, list, fmt::format("{} Each a table [[output.{}]].", entry.meaning, entry.name));
  }
}

std::vector<RequestedOutput> OutputDrafts::checked(const Config& config) {
  std::vector<RequestedOutput> all;
  for (std::size_t n = 0; n < outputs_.size(); ++n) {
    const auto& [kind, table] = order_[n];
    const io::KeyTable& keys = lists_[static_cast<std::size_t>(kind)].tables[table];
    Check(keys, outputs_[n], config).all();
    for (const RequestedOutput& other : all) {
      if (other.stem() == outputs_[n].stem())
        keys.reject("name", fmt::format("'{}' is that of another {}", other.name,
                                        kinds[static_cast<std::size_t>(kind)].name));
    }
    all.push_back(outputs_[n]);
  }
  return all;
}

}  // namespace meander::simulation
