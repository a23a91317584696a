// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The unknowns of an equation from a file, on any mesh. Volumes of the file need not nest with those of the mesh.
//
// Means: a volume of the mesh gets the integral over its overlaps with the file's volumes, divided by its own size. In an
// overlap that is a whole volume of the file the state is its mean; elsewhere a volume of the file has a linear
// reconstruction with the limiter `mc` about its mean, so that the integrals over both meshes agree to round-off. Its slopes
// are zero if a corner of the volume would be inadmissible. Equations with point values: cubic Lagrange interpolation
// at the volume's centre.
//
// A rank keeps the blocks of the file that its own volumes have touched.

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/state_file.hpp"
#include "simulation/scenario.hpp"
#include "simulation/scenario_tools/box_tree.hpp"

namespace meander::simulation {

class FileState {
 public:
  enum class Outside { refused, nearest };

  // Opens the file, and reads it once to verify it; each rank reads a share. Throws InputError (several ranks:
  // parallel::AgreedInputError) that names the file: unreadable, damaged, of another dimension, without a required field,
  // with an inadmissible state, or smaller than the domain. Collective.
  FileState(const std::string& path, const ProblemSetup& setup, Outside outside,
            const parallel::Communicator& communicator);
  ~FileState();
  FileState(const FileState&) = delete;
  FileState& operator=(const FileState&) = delete;

  // All unknowns of the volume of width dx about `centre`. Any thread may call it. Throws Failure if the file changed.
  void unknowns(const double* centre, double dx, double* q) const;

 private:
  using Geometry = io::StateFile::Geometry;
  // A volume of the file.
  struct Place {
    std::size_t block = 0;
    int at[3] = {0, 0, 0};
  };
  // A neighbour's mean, and whether it is that of a coarser volume, which bounds slopes but gives none.
  enum class Neighbour { none, beside, coarser };

  void choose_fields();
  void check_boxes(const parallel::Communicator& communicator) const;
  void check_domain(const ProblemSetup& setup, Outside outside) const;
  void check_values(const parallel::Communicator& communicator) const;
  std::string defect_of(std::size_t block) const;  // empty: none
  std::string place_text(const Geometry& box, const int* at) const;

  // The unknowns in a block, [volume][unknown].
  const double* values(std::size_t block) const;
  const double* value(const Place& place) const;
  // From the chosen fields of one volume.
  void convert(const double* fields, double* q) const;
  std::vector<double> read_fields(std::size_t block) const;

  double tolerance(const Geometry& box, int axis) const;
  std::optional<Place> find(const double* x) const;
  void mean(const double* lower, const double* upper, bool reconstructs, double* q) const;
  // Half of the limited differences across the volume along each axis, [axis][unknown]; false: all are zero.
  bool slopes(const Place& place, const Geometry& box, double* half) const;
  Neighbour neighbour(const Place& place, const Geometry& box, int axis, int side, double* q) const;
  void interpolate(const double* x, double* q) const;
  bool interpolate_at(const Place& place, const Geometry& box, const double* x, bool within, double* q) const;

  io::StateFile file_;
  int dim_ = 3;
  std::unique_ptr<solvers::Solver> solver_;
  FormulaFields of_formulas_;
  std::size_t unknowns_ = 0;
  bool point_values_ = false;

  std::vector<std::size_t> fields_;  // of the file, in the order of the unknowns or of the equation's fields
  bool conserved_ = true;            // they are unknowns
  std::vector<std::size_t> unknown_of_field_;  // with conserved_

  std::optional<BoxTree> tree_;
  double extent_[3] = {0, 0, 0};  // largest magnitude of a coordinate
  mutable std::vector<std::atomic<const double*>> read_;
  mutable std::mutex mutex_;
};

}  // namespace meander::simulation
