// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Initial data from a plot file, a checkpoint or a uniform array.

#include <fmt/format.h>

#include <optional>

#include "base/vec.hpp"
#include "mesh/boundary_condition.hpp"
#include "simulation/scenario.hpp"
#include "simulation/scenario_tools/file_state.hpp"

namespace meander::simulation {

namespace {

class FileScenario final : public Scenario {
 public:
  void describe(io::KeyTable& keys) override {
    io::Field& file = keys.text(
        "file", path_,
        "The file of the initial state, relative to the working directory: a plot file or a checkpoint, of "
        "any "
        "patch size, levels and domain, or a uniform array (an HDF5 file with the centres of volumes x, y "
        "and in 3D z, and fields of shape (nz, ny, nx), in 2D (ny, nx)). It must hold all unknowns, which "
        "are "
        "preferred, or all fields of scenario formulas (`velocity_x` for `velocity-x`). Plot files: vectors "
        "count "
        "as their components, and output.precision = \"float64\" keeps all digits. Conserved unknowns are "
        "averaged over overlaps of volumes with limited linear reconstruction, point values of finite "
        "differences are "
        "interpolated by cubics. Not opened by a restart. The time of the file is not taken: see "
        "time.start.");
    file.required = true;
    file.example = "\"output/sod/plot_000012.vtkhdf\"";
    keys.choice("outside", outside_, {"refuse", "nearest"},
                "Where the domain reaches beyond that of the file: `refuse` ends the run before it starts, "
                "`nearest` takes the nearest volume of the file.");
  }

  void set_up(const io::KeyTable& keys, const ProblemSetup& setup) override {
    if (path_.empty()) keys.reject("file", "must not be empty");
    for (std::size_t face = 0; face < setup.boundary.size(); ++face) {
      const mesh::BoundaryCondition* const condition = setup.boundary[face];
      if (condition == nullptr || condition->source != mesh::BoundaryCondition::Source::given ||
          condition->takes_state)
        continue;
      keys.reject("name",
                  fmt::format("a file has no boundary data: boundary.{}-{} must not be \"{}\"",
                              axis_names[face / 2], face % 2 == 0 ? "lower" : "upper", condition->name));
    }
    keys_ = keys;
    setup_ = setup;
  }

  void prepare_initial(const parallel::Communicator& communicator) override {
    if (state_) return;
    try {
      state_ = std::make_unique<FileState>(
          path_, setup_, outside_ == "nearest" ? FileState::Outside::nearest : FileState::Outside::refused,
          communicator);
    } catch (const parallel::AgreedInputError& error) {
      // With the position of the key, by all ranks.
      std::string message;
      try {
        keys_->reject("file", error.what());
      } catch (const InputError& positioned) {
        message = positioned.what();
      }
      throw parallel::AgreedInputError(message);
    } catch (const InputError& error) {
      keys_->reject("file", error.what());
    }
  }
  void release_initial() override { state_.reset(); }
  bool is_known_everywhere() const override { return false; }
  bool gives_all_unknowns() const override { return true; }

  void initial(const double* centre, double dx, double* q) const override { state_->unknowns(centre, dx, q); }

 private:
  std::string path_, outside_ = "refuse";
  std::optional<io::KeyTable> keys_;
  ProblemSetup setup_;
  std::unique_ptr<FileState> state_;  // while initial data are set
};

}  // namespace

std::unique_ptr<Scenario> make_from_file() {
  return std::make_unique<FileScenario>();
}

}  // namespace meander::simulation
