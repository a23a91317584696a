// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/check_restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/join.hpp"
#include "base/printable.hpp"
#include "base/vec.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

namespace {

[[noreturn]] void refuse(const Key& key, const std::string& why) {
  throw InputError(printable(fmt::format("{}{}{}: {}", key.origin.where, key.origin.where.empty() ? "" : ": ",
                                         key.name, why),
                             Lines::join) +
                   key.origin.excerpt);
}

const Key* find(const Config& config, const std::string& name) {
  const auto& keys = config.keys;
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

bool is_periodic(const Config& config, int axis) {
  return config.domain.boundary[2 * axis]->is_periodic();
}

}  // namespace

Config load_stored_input(const std::string& text, const std::string& path) {
  return load_config_text(text, path,
                          {"offload.device=none", "gpu-memory.patches=host", "gpu-memory.messages=auto"},
                          scenarios(), std::numeric_limits<double>::infinity());
}

CheckpointFacts facts_of(const io::CheckpointReader& checkpoint, const std::string& path) {
  const io::CheckpointState& state = checkpoint.state();
  if (state.step < 0 || state.step > std::numeric_limits<int>::max())
    throw InputError(fmt::format("{}: step = {} is invalid", path, state.step));
  CheckpointFacts facts{.path = path,
                        .config = load_stored_input(state.input, path),
                        .time = state.time,
                        .finest_level = checkpoint.finest_level()};
  check_mesh_of_checkpoint(facts, checkpoint.mesh(), state.equation);
  return facts;
}

void check_restart(const Config& config, const CheckpointFacts& checkpoint) {
  const Config& before = checkpoint.config;
  for (const Key& key : config.keys) {
    if (!key.fixed) continue;
    const Key* old = find(before, key.name);
    if (old != nullptr && old->value == key.value) continue;
    refuse(key, fmt::format("a restart cannot change it: it is {} in {}, but {} here",
                            old == nullptr ? "not there" : old->value, checkpoint.path, key.value));
  }
  const auto refuse_key = [&](const std::string& name, const std::string& why) {
    const Key* key = find(config, name);
    refuse(key != nullptr ? *key : Key{.name = name, .value = {}, .origin = {}}, why);
  };
  for (int a = 0; a < config.domain.dimensions; ++a) {
    if (is_periodic(config, a) == is_periodic(before, a)) continue;
    const std::string key = fmt::format("boundary.{}-lower", axis_names[a]);
    refuse_key(key, fmt::format("a restart cannot change whether an axis is periodic: along {} it is{} in {}",
                                axis_names[a], is_periodic(before, a) ? "" : " not", checkpoint.path));
  }
  // Carried rows, such as a potential, are those for mirrors where the boundaries reflect.
  for (int face = 0; face < 2 * config.domain.dimensions; ++face) {
    const auto reflects = [face](const Config& one) { return one.domain.boundary[face]->reflects; };
    if (reflects(config) == reflects(before) || config.solver->traits().carried_names.empty()) continue;
    const std::string key =
        fmt::format("boundary.{}-{}", axis_names[face / 2], face % 2 == 0 ? "lower" : "upper");
    refuse_key(
        key, fmt::format("a restart with self-gravity cannot change whether a face reflects: it does{} in {}",
                         reflects(before) ? "" : " not", checkpoint.path));
  }
  if (config.mesh.max_level < checkpoint.finest_level) {
    refuse_key("mesh.max-level",
               fmt::format("must be at least {}, the level of the finest leaves in {}, but is {}",
                           checkpoint.finest_level, checkpoint.path, config.mesh.max_level));
  }
  if (config.mesh.min_level > before.mesh.min_level) {
    refuse_key("mesh.min-level", fmt::format("must be at most {}, as in {}, but is {}", before.mesh.min_level,
                                             checkpoint.path, config.mesh.min_level));
  }
  if (config.time.end < checkpoint.time) {
    refuse_key("time.end", fmt::format("must not lie before the time of {}, which is {}, but is {}",
                                       checkpoint.path, checkpoint.time, config.time.end));
  }
}

void check_mesh_of_checkpoint(const CheckpointFacts& checkpoint, const io::CheckpointMesh& mesh,
                              const std::string& equation) {
  const Config& config = checkpoint.config;
  const auto refuse_file = [&](const char* what) {
    throw InputError(fmt::format("{}: its {} differ from those of its own input", checkpoint.path, what));
  };
  const solvers::PatchLayout& layout = mesh.mesh.layout;
  if (find_module(equation) == nullptr) {
    std::vector<std::string> known;
    for (const Module* module : modules()) known.push_back('"' + module->name + '"');
    throw InputError(fmt::format("{}: solver.equation is \"{}\", which this program lacks; it has {}",
                                 checkpoint.path, equation, join(known, ", ")));
  }
  if (equation != config.equation_name) refuse_file("equations");
  if (layout.dim != config.domain.dimensions) refuse_file("dimensions");
  if (layout.p != config.mesh.patch_size) refuse_file("patches");
  if (mesh.unknowns != config.solver->traits().saved_names()) refuse_file("unknowns");
  if (mesh.mesh.base_level != config.base_level()) refuse_file("base cells");
  for (int a = 0; a < layout.dim; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    if (mesh.base_cells[a] != config.domain.cells[axis]) refuse_file("base cells");
    if (mesh.mesh.lower[a] != config.domain.lower[axis]) refuse_file("corners");
    if (mesh.periodic[a] != is_periodic(config, a)) refuse_file("periodic axes");
  }
}

}  // namespace meander::simulation
