// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The input table [gravity].
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mesh/boundary_condition.hpp"
#include "physics/euler/module.hpp"
#include "physics/euler/tables/external_acceleration.hpp"
#include "simulation/config/config.hpp"
#include "simulation/scenario_tools/checks.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"

namespace meander::euler {
namespace {

constexpr const char* radial_scenario = "accretion";  // fills the radial field
constexpr std::array acceleration_keys = {"acceleration-x", "acceleration-y", "acceleration-z"};

// Where a diode is a wall no gas may enter; the gas that leaves hardly feels what the halo does.
FixedGravity::Beyond beyond(const mesh::BoundaryCondition& condition) {
  using Beyond = FixedGravity::Beyond;
  if (condition.is_periodic()) return Beyond::periodic;
  return condition.reflects || &condition == &mesh::boundary::diode ? Beyond::mirrored : Beyond::same;
}

// Of the potential of the gas.
solvers::EllipticBoundary of_potential(const mesh::BoundaryCondition& condition) {
  using Boundary = solvers::EllipticBoundary;
  if (condition.is_periodic()) return Boundary::periodic;
  return condition.reflects ? Boundary::mirror : Boundary::value;
}

class GravityTable final : public simulation::EquationTable {
 public:
  void describe(io::KeyTable& keys, const std::string& scenario) override {
    scenario_ = scenario;
    if (scenario == radial_scenario) method_ = "radial";
    supercomoving_ = scenario == radial_scenario;
    keys.choice("method", method_, {"none", "radial", "poisson"},
                fmt::format(
                    "The gas's own gravity. none; radial: of its mass excess in spheres (2D: circles) about "
                    "`scenario.centre`, for scenario = \"{0}\" only; poisson: of any distribution.",
                    radial_scenario))
        .default_text = fmt::format("radial with scenario = \"{}\", else none", radial_scenario);
    keys.choice(
        "external", external_, {"none", "uniform", "point", "formula"},
        "Gravity of other masses, which does not change and is added. none; uniform: the same everywhere; "
        "point: of a point mass; formula: by formulas of position.");
    keys.numbers("acceleration", acceleration_, "length / time^2",
                 "uniform: the acceleration, one number for each axis; required.")
        .example = "[0.0, -1.0]";
    keys.number(
        "mass", mass_, "length^3 / time^2",
        "point: the mass times the constant of gravity; in 2D the mass per unit length times twice that "
        "constant, in length^2 / time^2; required.",
        io::at_least(0));
    keys.numbers("centre", given_centre_, "length",
                 "point: the position of the mass, one number for each axis; empty: the domain's centre.");
    keys.number("softening", softening_, "length",
                "point: the length s in the acceleration -mass r / (r^2 + s^2)^(3/2), in 2D -mass r / (r^2 + "
                "s^2), at "
                "the vector r from the mass. 0: the mass must not be at the centre of a volume.",
                io::at_least(0));
    for (std::size_t a = 0; a < 3; ++a) {
      keys.formula(
          acceleration_keys[a], formulas_[a], "length / time^2",
          fmt::format("formula: the acceleration along {}, a formula of x, y, z, r (distance from the "
                      "origin), the equation's constants and those of the scenario \"formulas\".",
                      "xyz"[a]));
    }
    keys.number("constant", self_gravity_.constant, "length^3 / (mass time^2)",
                "poisson: the constant G in Laplacian(potential) = 4 pi G (density - its mean; on domains "
                "with open faces, all of it). In 2D, the gas is that of infinitely long columns: density is "
                "mass per volume all the same. "
                "The scenario \"accretion\" has its own constant.",
                io::greater_than(0));
    keys.number(
        "tolerance", self_gravity_.tolerance, "",
        "poisson: cycles go on until no residual is larger than this times the largest right-hand side.",
        {.min = 1e-12, .max = 1});
    keys.choice(
            "energy", energy_, {"conserved", "kicks"},
            "poisson: conserved: the work of gravity in a step is corrected by a share of it, the same for "
            "all volumes, so that the energy of gas and potential together is conserved to rounding "
            "between regrids; kicks: the thermal energy of each volume is left alone, and the sum is "
            "conserved to second order. conserved requires variables that are not supercomoving, and "
            "solver.dual-energy = false.")
        .default_text = "kicks with solver.dual-energy or supercomoving variables, else conserved";
    keys.flag(
            "supercomoving", supercomoving_,
            "The variables are supercomoving ones in an Einstein-de Sitter universe (Martel & Shapiro 1998) "
            "of mean "
            "density 1: time is tau = -a^(-1/2) < 0 with the scale factor a, poisson solves "
            "Laplacian(potential) = 6 "
            "(density - its mean), and the acceleration is minus a times its gradient. Requires gamma = 5/3.")
        .default_text = fmt::format("true with scenario = \"{}\", else false", radial_scenario);
    keys.integer("multipole-order", self_gravity_.multipole_order, "",
                 "poisson: the highest multipole of the gas in the potential on open faces, which are those "
                 "with a boundary neither periodic nor a mirror (reflecting, symmetric).",
                 io::between(0, solvers::max_multipole_order));
    keys.flag("well-balanced", well_balanced_,
              "Reconstructs the pressure about its local hydrostatic equilibrium, so that gas at rest in it "
              "stays at "
              "rest. For muscl, external gravity and method = \"none\".");
    for (io::Field& field : keys.all()) field.fixed = true;
  }

  void set_up(const io::KeyTable& keys, const simulation::ProblemSetup& setup,
              simulation::Equation& equation) override {
    if (method_ == "radial" && scenario_ != radial_scenario)
      keys.reject("method",
                  fmt::format("\"radial\" exists for scenario.name = \"{}\" only, but that is \"{}\"",
                              radial_scenario, scenario_));
    refuse_keys_of_others(keys);
    self_gravity_.is_supercomoving = supercomoving_;
    self_gravity_.images = simulation::Mirrors(setup).images();
    if (method_ == "poisson") check_boundaries(keys, setup);
    centre_ = given_centre_.empty() ? simulation::checked_centre(keys, "centre", given_centre_, setup)
                                    : simulation::checked_vector(keys, "centre", given_centre_, setup);
    lower_ = setup.lower;
    auto& euler = dynamic_cast<EulerEquation&>(equation);
    check_supercomoving(keys, euler);
    check_energy(keys, euler);
    euler.radial_gravity = method_ == "radial";
    euler.self_gravity = self_gravity_;
    euler.self_gravity.is_on = euler.parameters.potential = method_ == "poisson";
    FixedGravity& gravity = euler.fixed_gravity;
    gravity.external = external(keys, setup);
    std::ranges::copy(setup.lower, gravity.lower);
    std::ranges::copy(setup.upper, gravity.upper);
    for (std::size_t face = 0; face < setup.boundary.size(); ++face) {
      gravity.beyond[face] = beyond(*setup.boundary[face]);
      euler.self_gravity.boundaries[face] = of_potential(*setup.boundary[face]);
    }
    gravity.balances = well_balanced_;
    if (well_balanced_) check_balance(keys, euler);
    if (external_ == "formula")
      as_fields_ = by_formula(keys, setup, gravity);
    else if (well_balanced_)
      as_fields_ = std::make_shared<ExternalAcceleration>(setup.dim, gravity);
    if (!as_fields_) return;
    euler.acceleration = as_fields_;
    euler.parameters.gravity_fields = true;
    gravity.external.kind = ExternalGravity::Kind::fields;
  }

  void check_run(const io::KeyTable& keys, const simulation::Config& config) const override {
    if (method_ != "poisson") return;
    if (config.offload.device != "none" && !config.offload.patches_on_device())
      keys.reject("method",
                  fmt::format("\"poisson\" does not exist for batches on a device: with offload.device = "
                              "\"{}\" it requires gpu-memory.patches = \"device\"",
                              config.offload.device));
    if (supercomoving_ && !(config.time.end < 0))
      keys.reject("supercomoving",
                  fmt::format("requires time.start < time.end < 0, but time.end is {}", config.time.end));
    check_coarsest_grid(keys, config);
  }

  void check_widths(const io::KeyTable& keys, const std::vector<double>& widths) const override {
    if (as_fields_) as_fields_->check_lattice(widths.front());
    // A length that makes no difference one thousandth of a volume away from the mass is none.
    constexpr double smallest_softening = 1e-6;  // of the finest volume
    if (external_ != "point" || softening_ > smallest_softening * widths.back()) return;
    simulation::check_off_volume_centres(keys, keys.was_given("centre") ? "centre" : "external", centre_,
                                         lower_, widths);
  }

 private:
  void refuse_keys_of_others(const io::KeyTable& keys) const {
    for (const io::Field& field : keys.all()) {
      const bool of_both = field.key == "method" || field.key == "external" || field.key == "well-balanced" ||
                           field.key == "supercomoving" || field.key == "energy";
      if (of_both || io::toml_text(field.target) == field.default_text) continue;
      if (field.key == "constant" || field.key == "tolerance" || field.key == "multipole-order") {
        if (method_ != "poisson")
          keys.reject(field.key, fmt::format("has no meaning for method = \"{}\"", method_));
        if (field.key == "constant" && supercomoving_)
          keys.reject(field.key, "has no meaning in supercomoving variables");
        continue;
      }
      const bool is_formula = std::ranges::find(acceleration_keys, field.key) != acceleration_keys.end();
      if (external_ == (is_formula ? "formula" : field.key == "acceleration" ? "uniform" : "point")) continue;
      keys.reject(field.key, fmt::format("has no meaning for external = \"{}\"", external_));
    }
  }

  void check_supercomoving(const io::KeyTable& keys, const EulerEquation& euler) const {
    const bool is_radial = scenario_ == radial_scenario;
    if (!keys.was_given("supercomoving")) return;
    if (is_radial && !supercomoving_)
      keys.reject("supercomoving", fmt::format("must be true with scenario.name = \"{}\"", radial_scenario));
    if (!supercomoving_ || is_radial) return;
    if (method_ != "poisson")
      keys.reject("supercomoving", fmt::format("has no meaning for method = \"{}\"", method_));
    if (std::abs(euler.parameters.gamma - 5.0 / 3.0) > 1e-6)
      keys.reject(
          "supercomoving",
          fmt::format("requires solver.gamma = 1.6666666666666667 (5/3, for which gas in supercomoving "
                      "variables obeys the Euler equations), but it is {}",
                      euler.parameters.gamma));
  }

  // The thermal energy of cold gas cannot take what the scheme's error leaves of the work.
  void check_energy(const io::KeyTable& keys, const EulerEquation& euler) {
    const bool is_cold = euler.parameters.dual_energy;
    const char* const by_default = is_cold || supercomoving_ ? "kicks" : "conserved";
    if (!keys.was_given("energy")) energy_ = by_default;
    if (method_ != "poisson" && energy_ != by_default)
      keys.reject("energy", fmt::format("has no meaning for method = \"{}\"", method_));
    if (energy_ == "conserved" && is_cold)
      keys.reject("energy", "\"conserved\" requires solver.dual-energy = false");
    if (energy_ == "conserved" && supercomoving_)
      keys.reject("energy", "\"conserved\" does not exist in supercomoving variables");
    self_gravity_.conserves_energy = energy_ == "conserved";
  }

  // Gas with open faces has no neighbours: no period, and one mirror image along an axis.
  void check_boundaries(const io::KeyTable& keys, const simulation::ProblemSetup& setup) const {
    using Boundary = solvers::EllipticBoundary;
    const auto axes = static_cast<std::size_t>(setup.dim);
    std::string open, closed;  // faces
    for (std::size_t a = 0; a < axes; ++a) {
      int mirrors = 0;
      for (std::size_t face = 2 * a; face < 2 * a + 2; ++face) {
        const mesh::BoundaryCondition& condition = *setup.boundary[face];
        const Boundary kind = of_potential(condition);
        const std::string name = fmt::format("{}-{}", "xyz"[a], face % 2 == 0 ? "lower" : "upper");
        if (kind == Boundary::value && open.empty()) open = fmt::format("{} is \"{}\"", name, condition.name);
        mirrors += kind == Boundary::mirror ? 1 : 0;
        if (kind == Boundary::periodic) closed = fmt::format("{} is periodic", "xyz"[a]);
      }
      if (mirrors == 2) closed = fmt::format("both faces of {} are mirrors", "xyz"[a]);
    }
    if (open.empty()) {
      if (self_gravity_.multipole_order != solvers::max_multipole_order)
        keys.reject("multipole-order", "has no meaning without open faces: all are periodic or mirrors");
      return;
    }
    if (self_gravity_.is_supercomoving)
      keys.reject(
          "method",
          fmt::format("\"poisson\" in supercomoving variables requires boundaries that are periodic or "
                      "mirrors (reflecting, symmetric), but {}",
                      open));
    if (!closed.empty())
      keys.reject("method", fmt::format("\"poisson\" does not exist on domains that are open along one axis "
                                        "and closed along another: {}, but {}",
                                        open, closed));
  }

  // Every rank solves the coarsest grid of the multigrid method as a whole.
  static void check_coarsest_grid(const io::KeyTable& keys, const simulation::Config& config) {
    constexpr double most_volumes = 0x1p21, most_along_axis = 512;
    std::vector<int> cells = config.domain.cells;
    while (std::ranges::all_of(cells, [](int n) { return n % 3 == 0; })) {
      for (int& n : cells) n /= 3;
    }
    double volumes = 1, longest = 0;
    for (const int n : cells) {
      const double along = double{1} * n * config.mesh.patch_size;
      volumes *= along;
      longest = std::max(longest, along);
    }
    if (volumes <= most_volumes && longest <= most_along_axis) return;
    keys.reject(
        "method",
        fmt::format("\"poisson\" solves a grid of {} volumes, {} along an axis, on each rank, and at most {} "
                    "and {} are possible: choose fewer domain.cells and a larger mesh.min-level",
                    volumes, longest, most_volumes, most_along_axis));
  }

  std::shared_ptr<const ExternalAcceleration> by_formula(const io::KeyTable& keys,
                                                         const simulation::ProblemSetup& setup,
                                                         const FixedGravity& gravity) const {
    const auto axes = static_cast<std::size_t>(setup.dim);
    std::vector<std::string> names;
    std::vector<io::FormulaText> formulas;
    bool is_given = false;
    for (std::size_t a = 0; a < acceleration_keys.size(); ++a) {
      const std::string key = acceleration_keys[a];
      const bool is_empty = formulas_[a].text.empty();
      is_given = is_given || !is_empty;
      if (a >= axes && !is_empty) keys.reject(key, "the domain has 2 dimensions");
      if (a >= axes) continue;
      names.push_back("gravity." + key);
      formulas.push_back(is_empty ? io::FormulaText{"0", {}} : formulas_[a]);
    }
    if (!is_given) {
      keys.reject("external",
                  "\"formula\" requires gravity.acceleration-x, gravity.acceleration-y or both, in 3D "
                  "also gravity.acceleration-z");
    }
    const io::FormulaNames known =
        simulation::formula_names(*setup.equation, setup.dim, setup.formula_definitions);
    auto field = std::make_shared<ExternalAcceleration>(gravity, known, names, formulas);
    const simulation::Mirrors mirrors(setup);
    for (std::size_t a = 0; a < axes; ++a) {
      if (mirrors.has(a) && !field->is_symmetric(static_cast<int>(a), mirrors.plane(a)))
        keys.reject(std::string(acceleration_keys[a]),
                    simulation::breaks_symmetry(mirrors, a, "the field must be its own mirror image"));
    }
    return field;
  }

  void check_balance(const io::KeyTable& keys, const EulerEquation& euler) const {
    if (external_ == "none")
      keys.reject("well-balanced", "requires external gravity, but external is \"none\"");
    if (method_ != "none")
      keys.reject("well-balanced", fmt::format("does not exist for method = \"{}\"", method_));
    if (euler.scheme.scheme != "muscl") {
      keys.reject("well-balanced",
                  fmt::format("requires solver.scheme = \"muscl\", but that is \"{}\"", euler.scheme.scheme));
    }
  }

  ExternalGravity external(const io::KeyTable& keys, const simulation::ProblemSetup& setup) const {
    using Kind = ExternalGravity::Kind;
    ExternalGravity external;
    if (external_ == "uniform") {
      external.kind = Kind::uniform;
      if (acceleration_.empty()) keys.reject("external", "\"uniform\" requires gravity.acceleration");
      const auto acceleration = simulation::checked_vector(keys, "acceleration", acceleration_, setup);
      const simulation::Mirrors mirrors(setup);
      for (std::size_t a = 0; a < acceleration.size(); ++a) {
        if (mirrors.has(a) && acceleration[a] != 0)
          keys.reject("acceleration",
                      simulation::breaks_symmetry(mirrors, a, "its component along {} must be 0"));
      }
      std::ranges::copy(acceleration, external.vector);
    } else if (external_ == "point") {
      external.kind = Kind::point;
      if (!(mass_ > 0))
        keys.reject(keys.was_given("mass") ? "mass" : "external",
                    "\"point\" requires a positive gravity.mass");
      simulation::check_on_planes(keys, "centre", centre_, setup);
      std::ranges::copy(centre_, external.vector);
      external.mass = mass_;
      external.softening_squared = softening_ * softening_;
    }
    return external;
  }

  std::string scenario_, method_ = "none", external_ = "none", energy_ = "conserved";
  std::vector<double> acceleration_, given_centre_, lower_;
  std::array<io::FormulaText, 3> formulas_;
  SelfGravityParameters self_gravity_;
  bool well_balanced_ = false, supercomoving_ = false;
  std::shared_ptr<const ExternalAcceleration> as_fields_;  // or null
  double mass_ = 0, softening_ = 0;
  std::array<double, 3> centre_{};
};

}  // namespace

simulation::EquationTableEntry gravity_table() {
  return {.name = "gravity",
          .meaning = "Gravity of the gas and of other masses.",
          .intro = R"(
`method` and `external` add up. The acceleration acts in two halves about the fluxes of a step, so that it is of second
order in time. The total energy that the history reports is that of the gas, without the potential.
)",
          .make = [] { return std::make_unique<GravityTable>(); }};
}

}  // namespace meander::euler
