// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/module.hpp"

#include <fmt/format.h>

#include "physics/ccz4/diagnostics/adm_charges.hpp"
#include "physics/ccz4/diagnostics/horizons.hpp"
#include "physics/ccz4/diagnostics/psi4.hpp"
#include "physics/ccz4/diagnostics/puncture_tracker.hpp"
#include "physics/ccz4/solver.hpp"
#include "physics/ccz4/terms.hpp"

namespace meander::ccz4 {

// The parameters of the equations themselves, which a restart must not change.
void Ccz4Equation::describe_system(io::KeyTable& fields) {
  Parameters& p = parameters;
  const std::size_t first = fields.all().size();
  fields.choice("slicing", slicing_, {"1+log", "harmonic"},
                "Slicing condition: 1+log for black holes, harmonic for waves.");
  fields.integer("s", evolves_shift_, "",
                 "1: the shift obeys the Gamma driver; 0: the shift is constant in time.", io::between(0, 1));
  fields.integer(
      "c", damped_theta_, "",
      "1: Theta and its products enter the equations of the lapse and the curvature; 0: they do not.",
      io::between(0, 1));
  fields.number("e", p.e, "c", "Propagation speed of violations of the Hamiltonian constraint.",
                io::between(0.5, 2));
  fields.number("f", p.f, "", "Gamma driver: the square of its speed is 4 f / 3.",
                {.min = 0, .max = 2, .min_open = true});
  fields.number("mu", p.mu, "", "Ordering of second derivatives in the equation of B_k^i.",
                {.min = 0, .max = 10, .min_open = true});
  for (std::size_t i = first; i < fields.all().size(); ++i) fields.all()[i].fixed = true;
}

void Ccz4Equation::describe(io::KeyTable& fields, int, double& cfl) {
  Parameters& p = parameters;
  fields.choice(
      "scheme", scheme_, {"godunov", "rusanov", "fourth-order"},
      "First-order finite volumes with Rusanov's fluctuations (godunov or rusanov), or fourth-order finite "
      "differences with Runge-Kutta steps and Kreiss-Oliger dissipation (fourth-order).");
  fields.number(
      "cfl", cfl, "",
      "Time step in units of dx over the sum of the wave speeds along the axes: at most 1 (godunov), "
      "1.8 (fourth-order).",
      {.min = 0, .max = 2, .min_open = true});
  fields.number(
      "dissipation", p.dissipation, "",
      "fourth-order: strength of the Kreiss-Oliger dissipation; adaptive meshes require 0.2 for stability.",
      io::between(0, 1));
  describe_system(fields);
  fields.number("k1", p.k1, "1 / time", "Damping of constraint violations.", io::at_least(0));
  fields.choice(
      "damping", damping_, {"lapse", "plain"},
      "Rate of that damping: k1 times the lapse (lapse), or k1 (plain), which also acts where the lapse has "
      "collapsed, inside black holes.");
  fields.number("plain-until", plain_until_, "time",
                "damping = \"lapse\": steps that begin earlier are damped as with \"plain\", which removes "
                "what the collapse of the "
                "lapse and a merger leave inside a black hole; \"lapse\" then keeps its mass. 0: none are.",
                io::at_least(0));
  fields.number("k2", p.k2, "", "Damping of Theta relative to that of Z_i.", {.min = -1, .min_open = true});
  fields.number("k3", p.k3, "", "Share of Z_i in the equation of Gamma-hat; 1: covariant Z4.",
                io::between(0, 1));
  fields.number("tau", p.tau, "time", "Relaxation time of det g~ to 1 and of tr A~ to 0.",
                io::greater_than(0));
  fields.number("eta", p.eta, "1 / time", "Damping of the Gamma driver.", io::at_least(0));
  fields.number(
      "ordering", p.ordering, "1 / time",
      "Relaxation rate of A_k, B_k^i, D_kij and P_k to the derivatives that they represent; 0: none.",
      io::at_least(0));
  fields.number("eta-radius", p.eta_radius, "length",
                "fourth-order: beyond this distance from the middle of the domain, eta falls as eta-radius / "
                "distance; 0: eta is constant.",
                io::at_least(0));
  fields.number(
      "ordering-radius", p.ordering_radius, "length",
      "fourth-order: the same for ordering. Steps of a level are at most 0.5 over the largest of "
      "these rates on it, so that coarse levels profit from local time steps only if the rates fall.",
      io::at_least(0));
  fields.number("k1-radius", p.k1_radius, "length",
                "fourth-order: the same for k1, which counts three times in the bound of the steps.",
                io::at_least(0));
  constexpr io::Range below_flat = {.min = 0, .max = 1, .min_open = true, .max_open = true};
  fields.number(
      "lapse-floor", p.lapse_floor, "",
      "Floor of the lapse, which is 1 in flat space. The history counts the volumes that are raised to it.",
      below_flat);
  fields.number(
      "phi-floor", p.phi_floor, "",
      "Floor of the conformal factor phi, which is 1 in flat space. The history counts the volumes that are "
      "raised to it.",
      below_flat);
}

void Ccz4Equation::set_up(const io::KeyTable& keys, const std::vector<double>& lower,
                          const std::vector<double>& upper) {
  Parameters& p = parameters;
  p.scheme = scheme_ == "fourth-order" ? Scheme::fourth_order : Scheme::rusanov;
  for (const auto& [name, radius] : {std::pair{"eta-radius", p.eta_radius},
                                     {"ordering-radius", p.ordering_radius},
                                     {"k1-radius", p.k1_radius}}) {
    if (radius > 0 && p.scheme != Scheme::fourth_order)
      keys.reject(name, "exists for scheme = \"fourth-order\" only");
  }
  p.slicing = slicing_ == "harmonic" ? Slicing::harmonic : Slicing::one_plus_log;
  p.evolves_shift = evolves_shift_ != 0;
  p.c = damped_theta_;
  p.damps_with_lapse = damping_ == "lapse";
  if (plain_until_ != 0 && !p.damps_with_lapse)
    keys.reject("plain-until", "exists for damping = \"lapse\" only");
  for (std::size_t a = 0; a < lower.size(); ++a) p.middle[a] = 0.5 * (lower[a] + upper[a]);
}

std::vector<std::string> Ccz4Equation::warnings(const io::KeyTable& fields, bool adaptive) const {
  const Parameters& p = parameters;
  std::vector<std::string> warnings;
  if (!adaptive || p.scheme != Scheme::fourth_order) return warnings;
  if (p.dissipation < least_dissipation_at_jumps) {
    warnings.push_back(fields.message(
        "dissipation",
        fmt::format("is {}: below {} the fourth-order scheme is unstable at resolution jumps, which "
                    "mesh.max-level > mesh.min-level allows",
                    p.dissipation, least_dissipation_at_jumps)));
  }
  if (p.ordering == 0 && p.evolves_shift) {
    warnings.push_back(
        fields.message("ordering",
                       "is 0: where the shift evolves, violations of the ordering constraints grow slowly at "
                       "resolution jumps, which mesh.max-level > mesh.min-level allows"));
  }
  return warnings;
}

std::unique_ptr<solvers::Solver> Ccz4Equation::make_solver(int) const {
  return ccz4::make_solver(parameters);
}

void Ccz4Equation::begin_step(double t, solvers::Solver& solver) const {
  set_damping(solver, parameters.damps_with_lapse && (plain_until_ == 0 || t >= plain_until_));
}

solvers::PointTerms Ccz4Equation::terms(int) const {
  return solvers::point_terms(Terms{parameters}, unknown_names());
}

const Parameters& parameters_of(const simulation::ProblemSetup& setup) {
  return dynamic_cast<const Ccz4Equation&>(*setup.equation).parameters;
}

namespace {

constexpr const char* fields_meaning = R"(
The unknowns are those of Dumbser et al. (2018), [in storage order](terms.md#unknowns); `B_xy` is d_x beta^y, `D_xyz` is d_x g~_yz / 2.
`det_g` is the determinant of the conformal metric, `Z` the length of Z_i, `shift` the length of the shift, `A2` is A~_ij A~^ij, `chi` is phi^2
and `psi` is phi^(-1/2). The constraints are computed from central differences: `hamiltonian` and `momentum` (of metric and extrinsic curvature
alone, without Theta and Z_i), `connection` (Gamma-hat^i minus the contracted Christoffel symbols), `ordering_lapse` (A_k minus d_k a),
`ordering_shift` (B_k^i), `ordering_metric` (D_kij) and `ordering_phi` (P_k). Each of the last five is the largest of its components.
)";

// Sommerfeld's condition: the halo is extrapolated, and the scheme replaces the rates at the face
// (radiation.hpp). Flat space lies at infinity.
const mesh::BoundaryCondition sommerfeld{
    .name = "sommerfeld",
    .meaning = "lets outgoing waves leave, by Sommerfeld's condition for flat space at infinity",
    .fill = mesh::extrapolate,
    .on_device = mesh::BoundaryCondition::OnDevice::extrapolated,
    .radiative = true,
    .needs = "solver.equation = 'ccz4' with scheme = 'fourth-order'"};

}  // namespace

const simulation::Module& module() {
  static const simulation::Module ccz4 = {
      .name = "ccz4",
      .meaning = "the Einstein equations in vacuum, as first-order CCZ4",
      .dims = {3},
      .make = [] { return std::make_unique<Ccz4Equation>(); },
      .scenarios = scenario_list(),
      .diagnostics = {puncture_tracker_entry(), constraint_norms_entry(), psi4_output_entry(),
                      adm_charges_entry(), horizons_entry()},
      .criteria = {puncture_criterion()},
      .boundary_conditions = {&sommerfeld},
      .plot_fields = {"lapse", "shift", "phi", "K", "theta", "level"},
      .fields_meaning = fields_meaning};
  return ccz4;
}

}  // namespace meander::ccz4
