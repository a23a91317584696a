// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fields of output by name, and their values in volumes.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulation/state_view.hpp"
#include "solvers/solver.hpp"

namespace meander::simulation {

// A number of every volume. One of its members is set.
struct VolumeNumber {
  const solvers::Derived* derived = nullptr;
  const solvers::PatchQuantity* of_patch = nullptr;
  int carried = -1;  // index in Traits::carried_names
  int beside = -1;   // in Traits::beside_names
  enum class OfLeaf : std::uint8_t { none, level, curve_index } of_leaf = OfLeaf::none;

  // A function of the unknowns of the volume alone, or of its leaf.
  bool is_local() const { return of_patch == nullptr && carried < 0 && beside < 0; }
};

struct OutputField {
  std::string name;
  std::vector<VolumeNumber> components;  // one, or one for each axis
  bool is_integer() const { return components.front().of_leaf != VolumeNumber::OfLeaf::none; }
};

// The fields of these names, which are of plot_names(solver). The solver must outlive the result.
std::vector<OutputField> output_fields(const solvers::Solver& solver, std::span<const std::string> names);
// The names of their numbers: "velocity_x", "level".
std::vector<std::string> names_of(std::span<const OutputField> fields);

// Interior volumes of a leaf of this rank: `extent` along each axis from `lower` on.
struct VolumeBox {
  std::size_t leaf = 0;
  std::array<int, 3> lower{}, extent{1, 1, 1};
  Mirrors::Axes mirrored =
      0;  // the numbers, which are local, are those of the images across the planes of these axes
  std::size_t size() const {
    return static_cast<std::size_t>(extent[0]) * static_cast<std::size_t>(extent[1]) *
           static_cast<std::size_t>(extent[2]);
  }
};

// Reads numbers of volumes where the patches live.
class VolumeReader {
 public:
  // All arguments must outlive this object. Collective.
  VolumeReader(const StateView& view, const solvers::Solver& solver, std::vector<VolumeNumber> numbers);

  std::size_t numbers() const { return numbers_.size(); }

  // The values of number n in a box, x fastest, are those from n * volumes on. They are bitwise identical on the host and
  // on devices. use() is called once for each box, by any thread.
  using Use = std::function<void(std::size_t box, std::span<const double> values)>;

  // Of few volumes of each leaf: if patches live on a device, these alone are brought home where numbers are local.
  // Throws DeviceError (several ranks: parallel::AgreedFailure). Collective.
  void read_few(std::span<const VolumeBox> boxes, const Use& use) const;
  // Of most volumes of leaves. Not collective.
  void read(std::span<const VolumeBox> boxes, const Use& use) const;
  // Number n in all volumes of a leaf. Not collective; for one thread at a time.
  void read_leaf(std::size_t n, std::size_t leaf, std::span<double> values) const;

 private:
  bool read_on_device(std::span<const VolumeBox> boxes, const Use& use) const;
  double value(const VolumeNumber& number, std::size_t leaf, const double* state) const;
  // Makes the unknowns of a volume those of its image.
  void mirror(Mirrors::Axes axes, double* state) const;
  void evaluate(std::span<const VolumeNumber> numbers, const VolumeBox& box, std::span<double> values,
                std::vector<double>& of_patch) const;

  const StateView& view_;
  const solvers::Solver& solver_;
  std::vector<VolumeNumber> numbers_;
  bool all_local_ = true;
};

}  // namespace meander::simulation
