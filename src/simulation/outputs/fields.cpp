// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/outputs/fields.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace meander::simulation {

namespace {

std::optional<VolumeNumber> find_number(const solvers::Solver& solver, const std::string& name) {
  for (const solvers::Derived& derived : solver.derived()) {
    if (derived.name == name) return VolumeNumber{.derived = &derived};
  }
  for (const solvers::PatchQuantity& of_patch : solver.patch_quantities()) {
    if (of_patch.name == name) return VolumeNumber{.of_patch = &of_patch};
  }
  const std::vector<std::string>& carried = solver.traits().carried_names;
  if (const auto found = std::ranges::find(carried, name); found != carried.end())
    return VolumeNumber{.carried = static_cast<int>(found - carried.begin())};
  const std::vector<std::string>& beside = solver.traits().beside_names;
  if (const auto found = std::ranges::find(beside, name); found != beside.end())
    return VolumeNumber{.beside = static_cast<int>(found - beside.begin())};
  if (name == "level") return VolumeNumber{.of_leaf = VolumeNumber::OfLeaf::level};
  if (name == "curve_index") return VolumeNumber{.of_leaf = VolumeNumber::OfLeaf::curve_index};
  return {};
}

// Calls visit(offset in the slot without the row's, index in the patch with x fastest) for the volumes of a box.
template <class Visit>
void visit_volumes(const solvers::PatchLayout& layout, const VolumeBox& box, const Visit& visit) {
  for (int k = box.lower[2]; k < box.lower[2] + box.extent[2]; ++k) {
    for (int j = box.lower[1]; j < box.lower[1] + box.extent[1]; ++j) {
      const std::ptrdiff_t row = layout.at(0, box.lower[0], j, k);
      const std::ptrdiff_t index = (std::ptrdiff_t{k} * layout.p + j) * layout.p + box.lower[0];
      for (int i = 0; i < box.extent[0]; ++i) visit(row + i, index + i);
    }
  }
}

solvers::PointQuery all_unknowns(const solvers::PatchLayout& layout) {
  std::vector<int> all(static_cast<std::size_t>(layout.unknowns));
  std::iota(all.begin(), all.end(), 0);
  return solvers::PointQuery(all);
}

// The sum of a sample on a device turns -0 into 0, and so do all readers.
constexpr double without_sign_of_zero(double value) {
  return value + 0.0;
}

}  // namespace

std::vector<OutputField> output_fields(const solvers::Solver& solver, std::span<const std::string> names) {
  std::vector<OutputField> fields;
  for (const std::string& name : names) {
    OutputField& field = fields.emplace_back(OutputField{name, {}});
    if (const auto number = find_number(solver, name)) {
      field.components.push_back(*number);
      continue;
    }
    constexpr const char* suffixes[] = {"_x", "_y", "_z"};
    for (int a = 0; a < solver.traits().dim; ++a)
      field.components.push_back(find_number(solver, name + suffixes[a]).value());
  }
  return fields;
}

std::vector<std::string> names_of(std::span<const OutputField> fields) {
  constexpr const char* suffixes[] = {"_x", "_y", "_z"};
  std::vector<std::string> names;
  for (const OutputField& field : fields) {
    for (std::size_t c = 0; c < field.components.size(); ++c)
      names.push_back(field.components.size() == 1 ? field.name : field.name + suffixes[c]);
  }
  return names;
}

VolumeReader::VolumeReader(const StateView& view, const solvers::Solver& solver,
                           std::vector<VolumeNumber> numbers)
    : view_(view),
      solver_(solver),
      numbers_(std::move(numbers)),
      all_local_(std::ranges::all_of(numbers_, &VolumeNumber::is_local)) {}

double VolumeReader::value(const VolumeNumber& number, std::size_t leaf, const double* state) const {
  switch (number.of_leaf) {
    case VolumeNumber::OfLeaf::level:
      return view_.levels[leaf];
    case VolumeNumber::OfLeaf::curve_index:
      return static_cast<double>(view_.numbers[leaf]);
    case VolumeNumber::OfLeaf::none:
      break;
  }
  return number.derived->value(solver_.parameters(), state);
}

void VolumeReader::mirror(Mirrors::Axes axes, double* state) const {
  if (axes == 0) return;
  const auto unknowns = static_cast<std::size_t>(view_.layout.unknowns);
  view_.mirrors->unfold({.mirrored = axes}, all_unknowns(view_.layout), {state, unknowns});
  for (std::size_t u = 0; u < unknowns; ++u) state[u] = without_sign_of_zero(state[u]);
}

void VolumeReader::evaluate(std::span<const VolumeNumber> numbers, const VolumeBox& box,
                            std::span<double> values, std::vector<double>& of_patch) const {
  const solvers::PatchLayout& layout = view_.layout;
  const solvers::PatchTask& patch = view_.patches[box.leaf];
  const std::size_t size = box.size();
  bool any_local = false;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const VolumeNumber& number = numbers[n];
    double* to = values.data() + n * size;
    if (number.is_local()) {
      any_local = true;
    } else if (number.of_patch != nullptr) {
      of_patch.resize(static_cast<std::size_t>(layout.volumes()));
      number.of_patch->values(solver_.parameters(), patch, layout, of_patch);
      visit_volumes(layout, box, [&](std::ptrdiff_t, std::ptrdiff_t index) {
        *to++ = of_patch[static_cast<std::size_t>(index)];
      });
    } else if (number.beside >= 0) {
      visit_volumes(layout, box, [&](std::ptrdiff_t, std::ptrdiff_t index) {
        *to++ = view_.beside->number_beside(number.beside, box.leaf, index);
      });
    } else {
      const double* const row =
          patch.q + layout.saved_row(layout.unknowns + number.carried) * layout.unknown_stride();
      visit_volumes(layout, box, [&](std::ptrdiff_t at, std::ptrdiff_t) { *to++ = row[at]; });
    }
  }
  if (!any_local) return;
  double state[solvers::most_unknowns];
  std::size_t v = 0;
  visit_volumes(layout, box, [&](std::ptrdiff_t at, std::ptrdiff_t) {
    for (int u = 0; u < layout.unknowns; ++u)
      state[u] = without_sign_of_zero(patch.q[at + u * layout.unknown_stride()]);
    mirror(box.mirrored, state);
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      if (numbers[n].is_local()) values[n * size + v] = value(numbers[n], box.leaf, state);
    }
    ++v;
  });
}

void VolumeReader::read(std::span<const VolumeBox> boxes, const Use& use) const {
  view_.team.for_chunks(boxes.size(), [&](int, std::size_t begin, std::size_t end) {
    std::vector<double> values, of_patch;
    for (std::size_t b = begin; b < end; ++b) {
      values.resize(numbers_.size() * boxes[b].size());
      evaluate(numbers_, boxes[b], values, of_patch);
      use(b, values);
    }
  });
}

void VolumeReader::read_leaf(std::size_t n, std::size_t leaf, std::span<double> values) const {
  const int p = view_.layout.p;
  std::vector<double> of_patch;
  evaluate(std::span(numbers_).subspan(n, 1), {leaf, {}, {p, p, view_.layout.dim == 3 ? p : 1}}, values,
           of_patch);
}

bool VolumeReader::read_on_device(std::span<const VolumeBox> boxes, const Use& use) const {
  const solvers::PatchLayout& layout = view_.layout;
  const solvers::PointQuery query = all_unknowns(layout);
  std::vector<solvers::PointInPatch> points;
  for (const VolumeBox& box : boxes) {
    for (int k = 0; k < box.extent[2]; ++k) {
      for (int j = 0; j < box.extent[1]; ++j) {
        for (int i = 0; i < box.extent[0]; ++i) {
          // One node of weight 1: the value of the volume itself.
          solvers::PointInPatch point{static_cast<std::int32_t>(box.leaf), {}};
          point.stencil.nodes = {1, 1, 1};
          point.stencil.first = {box.lower[0] + i, box.lower[1] + j, box.lower[2] + k};
          for (auto& weights : point.stencil.weight) weights[0] = 1;
          points.push_back(point);
        }
      }
    }
  }
  std::vector<double> samples(points.size() * query.sample_size());
  if (!view_.source->gather_points(points, query, samples)) return false;
  std::vector<double> values;
  double* state = samples.data();
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const std::size_t size = boxes[b].size();
    values.resize(numbers_.size() * size);
    for (std::size_t v = 0; v < size; ++v, state += query.sample_size()) {
      mirror(boxes[b].mirrored, state);
      for (std::size_t n = 0; n < numbers_.size(); ++n)
        values[n * size + v] = value(numbers_[n], boxes[b].leaf, state);
    }
    use(b, values);
  }
  return true;
}

void VolumeReader::read_few(std::span<const VolumeBox> boxes, const Use& use) const {
  bool done = false;
  if (all_local_ && view_.source->uses_devices())
    view_.communicator.agree([&] { done = read_on_device(boxes, use); });
  if (!done) read(boxes, use);
}

}  // namespace meander::simulation
