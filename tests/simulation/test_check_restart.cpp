// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Which inputs may change on restart, and the messages for the others.
#include "simulation/config/check_restart.hpp"

#include <gtest/gtest.h>

#include "physics/euler/solver.hpp"
#include "simulation/scenario.hpp"

namespace meander::simulation {
namespace {

const std::string stored = R"([domain]
dimensions = 2
lower = [0, 0]
upper = [2, 1]
cells = [2, 1]
[boundary]
x = "outflow"
[mesh]
patch-size = 6
min-level = 2
max-level = 4
[scenario]
name = "sod"
left-density = 2
[time]
end = 0.5
)";

Config load_stored(const std::vector<std::string>& settings = {}) {
  return load_config_text(stored, "in.toml", settings, scenarios(), 1e12);
}

CheckpointFacts facts() {
  return {.path = "out/chk_000007.hdf5", .config = load_stored(), .time = 0.25, .finest_level = 3};
}

std::string answer(const std::vector<std::string>& settings) {
  try {
    check_restart(load_stored(settings), facts());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CheckRestart, AcceptsKeysThatMayChange) {
  for (const auto& settings : std::vector<std::vector<std::string>>{
           {},
           {"time.end=0.25"},
           {"time.end=7", "time.max-steps=9", "time.max-dt=0.1"},
           {"mesh.max-level=3"},
           {"mesh.max-level=6", "mesh.min-level=1", "mesh.buffer=2", "mesh.regrid-every=1"},
           {"solver.cfl=0.2", "solver.scheme=muscl", "solver.limiter=minmod", "solver.density-floor=1e-3"},
           {"partition.weights=measured", "checkpoint.keep=7", "output.plot-every=0.1"},
           {"boundary.x-lower=reflecting"}}) {
    EXPECT_EQ(answer(settings), "accepted") << testing::PrintToString(settings);
  }
}

TEST(CheckRestart, RefusesWithBothValues) {
  const auto fixed = [](const std::string& setting, const std::string& key, const std::string& before,
                        const std::string& now) {
    EXPECT_EQ(answer({setting}), "--set " + setting + ": " + key + ": a restart cannot change it: it is " +
                                     before + " in out/chk_000007.hdf5, but " + now + " here");
  };
  fixed("mesh.patch-size=7", "mesh.patch-size", "6", "7");
  fixed("solver.gamma=1.3", "solver.gamma", "1.4", "1.3");
  fixed("solver.dual-energy=true", "solver.dual-energy", "false", "true");
  fixed("scenario.left-density=3", "scenario.left-density", "2.0", "3.0");
  fixed("time.start=-1", "time.start", "0.0", "-1.0");
  fixed("domain.upper=[4, 2]", "domain.upper", "[2.0, 1.0]", "[4.0, 2.0]");
}

TEST(CheckRestart, RefusesLevelsTheFileDoesNotFitInto) {
  EXPECT_EQ(answer({"mesh.max-level=2"}),
            "--set mesh.max-level=2: mesh.max-level: must be at least 3, the level of the finest leaves in "
            "out/chk_000007.hdf5, but is 2");
  EXPECT_EQ(answer({"mesh.min-level=3"}),
            "--set mesh.min-level=3: mesh.min-level: must be at most 2, as in out/chk_000007.hdf5, but is 3");
}

TEST(CheckRestart, RefusesAnEndThatHasPassed) {
  EXPECT_EQ(answer({"time.end=0.2"}),
            "--set time.end=0.2: time.end: must not lie before the time of out/chk_000007.hdf5, which is "
            "0.25, but is "
            "0.2");
}

TEST(CheckRestart, RefusesAnotherTopology) {
  EXPECT_EQ(answer({"boundary.x=periodic"}),
            "in.toml:6:1: boundary.x-lower: a restart cannot change whether an axis is periodic: along x it "
            "is not in "
            "out/chk_000007.hdf5\n  6 | [boundary]\n    | ^");
}

// The potential of a checkpoint is that between its mirrors.
TEST(CheckRestart, RefusesOtherMirrorsWithSelfGravity) {
  std::string gravity = stored + "[gravity]\nmethod = \"poisson\"\n";
  gravity.replace(gravity.find("x = "), 1, "all");
  const auto with = [&](const std::vector<std::string>& settings) {
    return load_config_text(gravity, "in.toml", settings, scenarios(), 1e12);
  };
  const CheckpointFacts before{.path = "chk", .config = with({}), .time = 0.25, .finest_level = 3};
  check_restart(with({"boundary.x-lower=diode"}), before);
  try {
    check_restart(with({"boundary.x-lower=reflecting"}), before);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "--set boundary.x-lower=reflecting: boundary.x-lower: a restart with self-gravity cannot "
              "change whether a "
              "face reflects: it does not in chk");
  }
}

TEST(CheckRestart, RefusesAnotherScenarioAndDimension) {
  const auto other = [](const std::string& text) -> std::string {
    try {
      check_restart(load_config_text(text, "in.toml", {}, scenarios(), 1e12), facts());
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(
      other("[domain]\ndimensions = 3\n[scenario]\nname = \"sod\"\n"),
      "in.toml:2:14: domain.dimensions: a restart cannot change it: it is 2 in out/chk_000007.hdf5, but 3 "
      "here\n  2 | dimensions = 3\n    |              ^");
  std::string uniform = stored;
  uniform.replace(uniform.find("sod"), 3, "uniform");
  uniform.erase(uniform.find("left-density"), uniform.find("[time]") - uniform.find("left-density"));
  EXPECT_EQ(
      other(uniform),
      "in.toml:13:8: scenario.name: a restart cannot change it: it is \"sod\" in out/chk_000007.hdf5, but "
      "\"uniform\" here\n  13 | name = \"uniform\"\n     |        ^");
}

io::CheckpointMesh mesh_of(const Config& config) {
  const auto& solver = config.solver;
  io::CheckpointMesh mesh;
  mesh.mesh.layout = solvers::PatchLayout(2, 6, solver->traits().halo, solver->traits().unknowns);
  mesh.mesh.base_level = config.base_level();
  mesh.unknowns = solver->traits().unknown_names;
  mesh.base_cells[0] = 2;
  mesh.periodic[1] = true;
  return mesh;
}

TEST(CheckRestart, TheMeshIsThatOfItsInput) {
  const CheckpointFacts checkpoint = facts();
  const io::CheckpointMesh good = mesh_of(checkpoint.config);
  EXPECT_NO_THROW(check_mesh_of_checkpoint(checkpoint, good, "euler"));
  EXPECT_THROW(check_mesh_of_checkpoint(checkpoint, good, "ccz4"), InputError);
  const auto refused = [&](const std::function<void(io::CheckpointMesh&)>& damage) {
    io::CheckpointMesh mesh = good;
    damage(mesh);
    EXPECT_THROW(check_mesh_of_checkpoint(checkpoint, mesh, "euler"), InputError);
  };
  refused([](auto& mesh) { mesh.mesh.layout.dim = 3; });
  refused([](auto& mesh) { mesh.mesh.layout.p = 7; });
  refused([](auto& mesh) { mesh.unknowns.pop_back(); });
  refused([](auto& mesh) { mesh.mesh.base_level = 2; });
  refused([](auto& mesh) { mesh.base_cells[0] = 1; });
  refused([](auto& mesh) { mesh.mesh.lower[1] = 1; });
  refused([](auto& mesh) { mesh.periodic[0] = true; });
}

}  // namespace
}  // namespace meander::simulation
