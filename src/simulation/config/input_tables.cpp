// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/input_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/join.hpp"
#include "base/printable.hpp"
#include "base/process.hpp"
#include "base/vec.hpp"
#include "simulation/config/check_config.hpp"
#include "simulation/config/field_names.hpp"
#include "simulation/config/regrid_interval.hpp"
#include "simulation/module.hpp"
#include "simulation/scenario_tools/field_formulas.hpp"

namespace meander::simulation {

namespace {

using io::Document;
using io::KeyTable;

constexpr const char* side_names[] = {"lower", "upper"};
constexpr int patch_size_min = 3, patch_size_max = 32;

// The declarations of the tables. All targets must outlive the KeyTable.

// `config` holds corners and cells for its number of dimensions.
void describe_domain(io::KeyTable& keys, DomainConfig& config) {
  keys.integer("dimensions", config.dimensions, "", "Number of space dimensions.", io::between(2, 3));
  keys.numbers("lower", config.lower, "length", "Lower corner of the domain, one number for each axis.")
      .default_text = "0.0 along each axis";
  keys.numbers("upper", config.upper, "length", "Upper corner of the domain, one number for each axis.")
      .default_text = "1.0 along each axis";
  keys.integers("cells", config.cells, "",
                "Number of base cells along each axis. Base cells must be cubes. The tree starts from them: "
                "their level, the base level, is the smallest m with 3^m >= the largest of these numbers.",
                io::at_least(1))
      .default_text = "1 along each axis";
  for (io::Field& field : keys.all()) field.fixed = true;
}

void describe_boundary(io::KeyTable& keys, BoundaryNames& names, int dimensions) {
  std::vector<std::string> kinds;
  for (const mesh::BoundaryCondition* condition : boundary_conditions()) kinds.emplace_back(condition->name);
  keys.word_with_formulas("all", names.all, kinds, "Boundary condition on every side.");
  for (int a = 0; a < dimensions; ++a) {
    const std::string axis = axis_names[a];
    keys.word_with_formulas(axis, names.axis[a], kinds,
                            "Boundary condition on both sides of the " + axis + " axis.")
        .default_text = "that of `all`";
  }
  for (int a = 0; a < dimensions; ++a) {
    for (int s = 0; s < 2; ++s) {
      const std::string axis = axis_names[a], side = side_names[s];
      keys.word_with_formulas(axis + "-" + side, names.side[2 * a + s], kinds,
                              "Boundary condition on the " + side + " side of the " + axis + " axis.")
          .default_text = "that of `" + axis + "`";
    }
  }
}

void describe_mesh(io::KeyTable& keys, MeshConfig& config, io::IntegerOrWord& regrid_every) {
  keys.integer("patch-size", config.patch_size, "volumes",
               "p: each leaf has a patch of p^d volumes. At least h, and at least 3 h on an adaptive mesh; h "
               "is the halo width of the scheme (rusanov 1, muscl 2, fourth-order 3).",
               io::between(patch_size_min, patch_size_max))
      .fixed = true;
  keys.integer("min-level", config.min_level, "", "Coarsest level of leaves; at least the base level.",
               io::at_least(0))
      .default_text = "the base level";
  keys.integer("max-level", config.max_level, "",
               "Finest level of leaves, at most 12 in 3D and 15 in 2D. At most 10 levels from min-level to "
               "max-level.",
               io::at_least(0))
      .default_text = "min-level";
  describe_regrid_interval(keys, regrid_every);
  keys.integer("buffer", config.buffer, "leaves",
               "Layers of leaves refined around those that a criterion refines.", io::between(0, 8));
  keys.integer(
      "subcycled-levels", config.subcycled_levels, "levels",
      "With time.stepping = \"local\": the number of levels, the finest, that may take several steps "
      "in one of the next coarser level. All coarser levels share one step. Regrids take place between "
      "steps of the coarsest level; with many subcycled levels they need a wide buffer.",
      io::between(0, 9));
}

void describe_partition(io::KeyTable& keys, MeshConfig& config, std::string& weights) {
  keys.number(
      "imbalance", config.partition_imbalance, "",
      "The leaves are repartitioned after a regrid if the maximum load of a rank exceeds this "
      "multiple of the mean load; with local time steps, if a step takes more than this multiple of the "
      "time that the best cut found permits.",
      io::at_least(1));
  keys.choice(
      "weights", weights, {"volumes", "measured"},
      "The load of a leaf: its number of volumes, which is equal for all leaves, or the time that its "
      "updates take, of processors or of a device.");
  keys.choice(
      "cuts", config.cuts, {"auto", "one", "levels"},
      "With local time steps and weights = \"volumes\". one: a rank holds one piece of the curve; levels: "
      "one "
      "piece of the leaves of each level, which divides the updates of every substep evenly, but puts more "
      "neighbours on other ranks; auto: what is faster by the numbers of updates and of faces between "
      "ranks.");
  keys.choice(
      "windows", config.windows, {"auto", "off"},
      "auto: ranks of a node read each other's messages in place, in memory that they share, if the system "
      "permits it; off: by MPI.");
}

// Only which equation; the equation describes the rest.
void describe_equation(io::KeyTable& keys, std::string& name) {
  std::vector<std::string> names;
  std::string meanings;
  for (const Module* module : modules()) {
    names.push_back(module->name);
    meanings += fmt::format("{}{}: {}", meanings.empty() ? "" : "; ", module->name, module->meaning);
  }
  keys.choice("equation", name, std::move(names), fmt::format("The equations. {}.", meanings)).fixed = true;
}

// Only its name; the scenario describes the rest.
void describe_scenario_name(io::KeyTable& keys, std::string& name,
                            const std::vector<ScenarioEntry>& scenarios) {
  std::vector<std::string> names;
  for (const ScenarioEntry& entry : scenarios) names.push_back(entry.name);
  io::Field& key = keys.choice("name", name, std::move(names), "The scenario: initial and boundary data.");
  key.required = true;
  for (const Module* module : modules()) {
    key.former_choices.insert(key.former_choices.end(), module->former_scenarios.begin(),
                              module->former_scenarios.end());
  }
}

void describe_time(io::KeyTable& keys, TimeConfig& config) {
  io::Field& start = keys.number("start", config.start, "time", "Time of the initial state.");
  start.default_text = "the scenario's";
  start.fixed = true;
  keys.number("end", config.end, "time", "Time at which the run ends.").default_text = "the scenario's";
  keys.integer("max-steps", config.max_steps, "steps", "Maximum number of steps; 0: no limit.",
               io::at_least(0));
  keys.number("max-dt", config.max_dt, "time", "Largest time step; 0: limited by stability only.",
              io::at_least(0));
  keys.choice(
      "stepping", config.stepping, {"global", "local"},
      "Time steps: global, the same for all leaves; local, by level, where a level takes up to 3 steps "
      "in one of the next coarser level. Then a step, in every key that counts steps, is one of the "
      "coarsest level. Local steps exist for conservative schemes of one stage (rusanov, godunov, "
      "muscl) and for fourth-order; with a device, for patches that live there.");
}

void describe_output(io::KeyTable& keys, OutputConfig& config, const std::vector<std::string>& plot_names) {
  keys.text("directory", config.directory, "Output directory. It must be new or empty.").default_text =
      "output/<name of the input file>";
  keys.number("plot-every", config.plot_every, "time",
              "Simulated time between plot files, at most 1000000 of them; 0: only the first and the last.",
              io::at_least(0));
  keys.integer("plot-steps", config.plot_steps, "steps", "Additional plot files every n steps; 0: none.",
               io::at_least(0));
  keys.numbers("plot-times", config.plot_times, "time",
               "Additional plot files at these times; time steps are shortened to meet them.");
  keys.texts("fields", config.fields,
             "The fields of plot files: unknowns, derived quantities, vectors (velocity, momentum), level, "
             "curve_index.",
             plot_names);
  keys.choice("precision", config.precision, {"float32", "float64"},
              "Precision of the numbers in plot files.");
  keys.integer("history-steps", config.history_steps, "steps", "Number of steps between rows of history.csv.",
               io::at_least(1));
}

void describe_checkpoint(io::KeyTable& keys, CheckpointConfig& config) {
  keys.integer("every-steps", config.every_steps, "steps", "A checkpoint every n steps; 0: none.",
               io::at_least(0));
  keys.number("every-minutes", config.every_minutes, "minutes",
              "Additional checkpoints after this wall time since the last one; 0: none.", io::at_least(0));
  keys.integer("keep", config.keep, "files",
               "Number of the newest checkpoints that are kept; older ones are removed.", io::at_least(1));
}

std::string none() {
  return "";
}

// [domain]

void prepare_domain(const Document& document, InputDraft& draft) {
  DomainConfig& domain = draft.config.domain;
  KeyTable first("domain");
  describe_domain(first, domain);
  document.peek(first);
  const auto dims = static_cast<std::size_t>(domain.dimensions);
  if (!first.was_given("lower")) domain.lower.assign(dims, 0.0);
  if (!first.was_given("upper")) domain.upper.assign(dims, 1.0);
  if (!first.was_given("cells")) domain.cells.assign(dims, 1);
}

// [boundary]

std::string boundary_intro() {
  std::string text =
      "\nThe more specific key takes precedence: `x-lower` over `x` over `all`; any key of `--set` over "
      "those of the "
      "file. In 2D there are no keys for z.\n";
  for (const mesh::BoundaryCondition* condition : boundary_conditions()) {
    const std::string needs = condition->needs;
    text += fmt::format("`{}` {}{}.\n", condition->name, condition->meaning,
                        needs.empty() ? "" : fmt::format(" ({})", needs));
  }
  return text;
}

Document::Hints boundary_hints(const InputDraft& draft) {
  Document::Hints hints;
  if (draft.config.domain.dimensions == 2) {
    for (const char* key : {"z", "z-lower", "z-upper"})
      hints.emplace_back(key, "the domain has 2 dimensions");
  }
  return hints;
}

// The condition of a face by the most specific key that --set gives, else by the most specific one: an input that names
// every side, as that of a checkpoint does, does not hide a setting.
std::pair<std::string, const io::WordWithFormulas&> boundary_of(int face, const KeyTable& keys,
                                                                const BoundaryNames& names) {
  const std::string axis(1, "xyz"[face / 2]), side = axis + (face % 2 == 0 ? "-lower" : "-upper");
  const std::pair<std::string, const io::WordWithFormulas&> by_key[] = {
      {side, names.side[face]}, {axis, names.axis[face / 2]}, {"all", names.all}};
  for (const auto& of : by_key) {
    if (keys.was_set(of.first)) return of;
  }
  return *std::ranges::find_if(by_key, [](const auto& of) { return !of.second.word.empty(); });
}

void check_and_keep_boundary(const KeyTable& keys, InputDraft& draft) {
  BoundaryNames& names = draft.boundary_names;
  const auto conditions = boundary_conditions();
  for (int face = 0; face < 2 * draft.config.domain.dimensions; ++face) {
    const auto [key, given] = boundary_of(face, keys, names);
    const io::WordWithFormulas condition_of_face = given;
    const mesh::BoundaryCondition& condition = **std::ranges::find_if(
        conditions, [&word = condition_of_face.word](const auto* one) { return one->name == word; });
    if (!condition.takes_state && !given.formulas.empty())
      keys.reject(key, fmt::format("'{}' takes no state: write {} = \"{}\"", given.word, key, given.word));
    draft.config.domain.boundary[face] = &condition;
    draft.boundary_keys[face] = key;
    names.side[face] = condition_of_face;
  }
  check_boundary(keys, draft.config);
  // The resolved input names every side.
  names.all = {};
  for (io::WordWithFormulas& axis : names.axis) axis = {};
}

// The states beyond boundaries with one of their own; they follow the equation and the names of the scenario.
void set_up_states_beyond(InputDraft& draft) {
  Config& config = draft.config;
  DomainConfig& domain = config.domain;
  const KeyTable& keys = draft.tables.at("boundary");
  for (int face = 0; face < 2 * domain.dimensions; ++face) {
    if (!domain.boundary[face]->takes_state) continue;
    const std::string& key = draft.boundary_keys[face];
    const auto state = std::make_shared<FieldFormulas>(*config.equation, domain.dimensions,
                                                       config.scenario->formula_samples(),
                                                       config.scenario->formula_definitions());
    state->give("boundary." + key, draft.boundary_names.side[face].formulas);
    if (const FormulaField* missing = state->missing_field()) {
      keys.reject(key, fmt::format("'{}' needs a formula for {}: {} = {{kind = \"{}\", {} = ...}}",
                                   domain.boundary[face]->name, missing->name, key,
                                   domain.boundary[face]->name, missing->name));
    }
    domain.state_beyond[face] = state;
  }
}

// The states at the start in the volumes next to the faces.
void check_states_beyond(const Config& config, double width) {
  const DomainConfig& domain = config.domain;
  for (int face = 0; face < 2 * domain.dimensions; ++face) {
    if (!domain.state_beyond[face]) continue;
    std::vector<double> lower = domain.lower, upper = domain.upper;
    const auto axis = static_cast<std::size_t>(face / 2);
    (face % 2 == 0 ? upper : lower)[axis] = (face % 2 == 0 ? lower : upper)[axis];
    (face % 2 == 0 ? lower[axis] -= width : upper[axis] += width);
    domain.state_beyond[face]->check_lattice(lower, upper, width, config.time.start);
  }
}

// [solver]

void prepare_solver(const Document& document, InputDraft& draft) {
  Config& config = draft.config;
  KeyTable keys("solver");
  config.equation_name = modules().front()->name;
  describe_equation(keys, config.equation_name);
  document.peek(keys);
  const Module& module = *find_module(config.equation_name);
  const int dims = config.domain.dimensions;
  if (std::find(module.dims.begin(), module.dims.end(), dims) == module.dims.end()) {
    keys.reject("equation", fmt::format("'{}' exists in {} dimensions only, but domain.dimensions is {}",
                                        module.name, join(module.dims, " and "), dims));
  }
  draft.module = &module;
  draft.equation = module.make();
  config.equation_name = modules().front()->name;  // the default again, for bind()
}

void describe_solver(KeyTable& keys, InputDraft& draft) {
  Config& config = draft.config;
  if (config.equation_name.empty()) config.equation_name = modules().front()->name;
  describe_equation(keys, config.equation_name);
  if (draft.equation) draft.equation->describe(keys, config.domain.dimensions, config.time.cfl);
}

Document::Hints keys_of_other_equations(const InputDraft& draft) {
  Document::Hints hints;
  const io::KeyTable& own = draft.tables.at("solver");
  for (const Module* other : modules()) {
    const auto equation = other->make();
    double cfl = 0;
    KeyTable keys("");
    equation->describe(keys, 3, cfl);
    for (const io::Field& field : keys.all()) {
      if (own.find(field.key) == nullptr)
        hints.emplace_back(field.key, fmt::format("has no meaning for equation = '{}'", draft.module->name));
    }
  }
  return hints;
}

void check_and_keep_solver(const KeyTable& keys, InputDraft& draft) {
  Config& config = draft.config;
  const Mirrors whole = config.mirrors();
  draft.equation->set_up(keys, whole.lower(), whole.upper());
  config.equation = draft.equation;
  config.solver = config.equation->make_solver(config.domain.dimensions);
  check_boundary_of_scheme(draft.tables.at("boundary"), config, config.solver->traits());
  check_cfl(keys, config, *config.solver);
}

// [scenario]

void prepare_scenario(const Document& document, InputDraft& draft) {
  Config& config = draft.config;
  const auto& known = draft.known_scenarios;
  KeyTable keys("scenario");
  describe_scenario_name(keys, config.scenario_name, known);
  document.peek(keys);
  const auto entry = std::find_if(known.begin(), known.end(),
                                  [&](const ScenarioEntry& e) { return e.name == config.scenario_name; });
  if (!entry->equation.empty() && entry->equation != config.equation_name) {
    std::vector<std::string> names;
    for (const ScenarioEntry& other : known) {
      if (other.equation.empty() || other.equation == config.equation_name) names.push_back(other.name);
    }
    keys.reject("name",
                fmt::format("'{}' is a scenario of equation '{}', but solver.equation is '{}'; allowed: {}",
                            entry->name, entry->equation, config.equation_name, join(names, ", ")));
  }
  const int dims = config.domain.dimensions;
  if (std::find(entry->dims.begin(), entry->dims.end(), dims) == entry->dims.end()) {
    keys.reject("name", fmt::format("'{}' exists in {} dimensions only, but domain.dimensions is {}",
                                    entry->name, join(entry->dims, " and "), dims));
  }
  config.scenario = entry->make();
}

void describe_scenario(KeyTable& keys, InputDraft& draft) {
  describe_scenario_name(keys, draft.config.scenario_name, draft.known_scenarios);
  if (draft.config.scenario) draft.config.scenario->describe(keys);
}

Document::Hints former_keys(const InputDraft& draft) {
  const auto& known = draft.known_scenarios;
  return std::ranges::find(known, draft.config.scenario_name, &ScenarioEntry::name)->former_keys;
}

void set_up_scenario(const KeyTable& keys, InputDraft& draft) {
  draft.config.scenario->set_up(keys, setup_of(draft.config));
  set_up_states_beyond(draft);
}

// The tables of equations, after [scenario].
void add_equation_tables(std::vector<InputTable>& tables) {
  auto after = std::ranges::find(tables, std::string("scenario"), &InputTable::name) + 1;
  const int turn = after[-1].turn;
  for (const Module* module : modules()) {
    for (const EquationTableEntry& entry : module->tables) {
      after = tables.insert(after, {.name = entry.name.c_str(),
                                    .meaning = entry.meaning.c_str(),
                                    .intro = [&entry] { return entry.intro; },
                                    .turn = turn,
                                    .of_equation = &entry,
                                    .module = module}) +
              1;
    }
  }
}

// [time]

void describe_time_of(KeyTable& keys, InputDraft& draft) {
  Config& config = draft.config;
  if (config.scenario) {
    config.time.start = config.scenario->default_start();
    config.time.end = config.scenario->default_end();
  }
  describe_time(keys, config.time);
}

// A key of the scenario that --set gives determines the end also if the input has one, as that of a checkpoint does.
void check_time_of(const KeyTable& keys, InputDraft& draft) {
  Config& config = draft.config;
  const char* const end_key = config.scenario->end_key();
  if (end_key != nullptr && draft.tables.at("scenario").was_set(end_key) && !keys.was_set("end"))
    config.time.end = config.scenario->default_end();
  check_time(keys, config);
  const double latest = config.scenario->latest_end();
  if (!(config.time.end < latest))
    keys.reject("end", fmt::format("must be below {} with scenario.name = \"{}\", but is {}", latest,
                                   config.scenario_name, config.time.end));
  config.scenario->start_at(config.time.start);
}

// [mesh]

void describe_mesh_of(KeyTable& keys, InputDraft& draft) {
  MeshConfig& mesh = draft.config.mesh;
  if (!draft.config.domain.cells.empty()) mesh.min_level = draft.config.base_level();
  describe_mesh(keys, mesh, draft.regrid_every);
}

void check_and_keep_mesh(const KeyTable& keys, InputDraft& draft) {
  Config& config = draft.config;
  MeshConfig& mesh = config.mesh;
  const solvers::Traits& traits = config.solver->traits();
  if (!keys.was_given("max-level")) mesh.max_level = mesh.min_level;
  check_mesh(keys, config, traits);
  const std::vector<double> widths = widths_of_volumes(config);
  config.scenario->check_widths(draft.tables.at("scenario"), widths);
  for (const DraftedTable& drafted : draft.equation_tables)
    drafted.table->check_widths(*drafted.keys, widths);
  check_states_beyond(config, widths[0]);
  check_symmetry(draft.tables.at("boundary"), config, widths[0]);
  check_memory(keys, config, traits, draft.memory);
  const double all = std::min(draft.memory, draft.ranks * available_address_space());
  config.spare_memory = (all - estimate_memory(config, traits).bytes) / draft.ranks;
  config.warnings = config.equation->warnings(draft.tables.at("solver"), mesh.max_level > mesh.min_level);
  for (std::string& warning : config.scenario->warnings(draft.tables.at("scenario")))
    config.warnings.push_back(std::move(warning));
}

// [partition]

std::string partition_intro() {
  return R"(
The ranks of `mpirun` get consecutive sections of the Peano curve. The results do not depend on the partition.
)";
}

// [[refinement]]

std::string refinement_intro() {
  return R"(
Any number of criteria, each in a table `[[refinement]]`. A leaf is refined if any criterion requires it, and coarsened
if all criteria allow it. Without criteria the mesh stays at `mesh.min-level`.

A criterion sees its own variable only: initial data that jump in another one stay on the coarse mesh, even if the jump
is to become a shock in all of them. A run warns if its criteria refine nothing of the initial data although an unknown
differs between two volumes by more than a tenth of its largest value and 0.4 of its range.
)";
}

// [output]

void describe_output_of(KeyTable& keys, InputDraft& draft) {
  Config& config = draft.config;
  config.output.directory =
      "output/" + printable(std::filesystem::path(config.source).stem().string(), Lines::join);
  config.output.fields = draft.module != nullptr ? draft.module->plot_fields : modules().front()->plot_fields;
  describe_output(keys, config.output, plot_names(*config.solver));
  draft.outputs.describe(keys, config);
}

void check_and_keep_output(const KeyTable& keys, InputDraft& draft) {
  check_output(keys, draft.config);
  draft.config.output.requested = draft.outputs.checked(draft.config);
}

// [diagnostics]

std::string diagnostics_intro() {
  std::string text;
  for (const Module* module : modules()) {
    for (const DiagnosticEntry& entry : module->diagnostics) text += entry.array.empty() ? entry.intro : "";
  }
  return text;
}

void describe_diagnostics(KeyTable& keys, InputDraft& draft) {
  for (const Module* module : modules()) {
    for (const DiagnosticEntry& entry : module->diagnostics) {
      if (!entry.array.empty()) continue;
      DraftedDiagnostic drafted{module, entry.make(), keys.all().size(), 0};
      drafted.diagnostic->describe(keys);
      drafted.end_key = keys.all().size();
      draft.diagnostics.push_back(std::move(drafted));
    }
  }
}

// The arrays of tables of diagnostics, after [diagnostics].
void add_arrays(std::vector<InputTable>& tables) {
  auto after = std::ranges::find(tables, std::string("diagnostics"), &InputTable::name) + 1;
  const int turn = after[-1].turn;
  for (const Module* module : modules()) {
    for (const DiagnosticEntry& entry : module->diagnostics) {
      if (entry.array.empty()) continue;
      after = tables.insert(after, {.name = entry.array.c_str(),
                                    .meaning = entry.meaning.c_str(),
                                    .intro = [&entry] { return entry.intro; },
                                    .turn = turn,
                                    .diagnostic = &entry,
                                    .module = module}) +
              1;
    }
  }
}

void set_up_diagnostics(const KeyTable& keys, InputDraft& draft) {
  const std::string& equation = draft.config.equation_name;
  for (const DraftedDiagnostic& drafted : draft.diagnostics) {
    if (drafted.module->name == equation) {
      drafted.diagnostic->set_up(keys, draft.config);
      draft.config.diagnostics.push_back(drafted.diagnostic);
      continue;
    }
    for (std::size_t k = drafted.first_key; k < drafted.end_key; ++k) {
      const io::Field& key = keys.all()[k];
      if (io::toml_text(key.target) != key.default_text)
        keys.reject(key.key, fmt::format("has no meaning for equation = '{}'; it belongs to '{}'", equation,
                                         drafted.module->name));
    }
  }
}

// [checkpoint]

std::string checkpoint_intro() {
  return R"(
A run always writes a checkpoint at its end, also if a signal or the wall time stops it.
See [running on clusters](running-on-clusters.md).
)";
}

// [offload] and [gpu-memory]

void check_devices(const KeyTable& keys, InputDraft& draft) {
  Config& config = draft.config;
  check_offload(
      draft.tables.at("offload"), keys, config.offload, *config.solver, config.mesh.patch_size,
      std::span(config.domain.boundary).first(2 * static_cast<std::size_t>(config.domain.dimensions)));
  check_local_steps(draft.tables.at("time"), config);
  config.mesh.regrid_every = regrid_interval(draft.tables.at("mesh"), config, draft.regrid_every);
}

template <auto describe, auto member>
void describe_part(KeyTable& keys, InputDraft& draft) {
  describe(keys, draft.config.*member);
}

template <auto check_keys>
void check_part(const KeyTable& keys, InputDraft& draft) {
  check_keys(keys, draft.config);
}

std::vector<InputTable> general_tables() {
  return {
      {"domain", "The domain and its base cells.", none, 0, prepare_domain,
       describe_part<describe_domain, &Config::domain>, nullptr, check_part<check_domain>},
      {"boundary", "Boundary conditions.", boundary_intro, 1, nullptr,
       [](KeyTable& keys, InputDraft& draft) {
         describe_boundary(keys, draft.boundary_names, draft.config.domain.dimensions);
       },
       boundary_hints, check_and_keep_boundary},
      {"mesh", "Patch size, levels of the leaves and adaptation.", none, 5, nullptr, describe_mesh_of,
       nullptr, check_and_keep_mesh},
      {"partition", "Distribution of the leaves over the ranks.", partition_intro, 6, nullptr,
       [](KeyTable& keys, InputDraft& draft) { describe_partition(keys, draft.config.mesh, draft.weights); },
       nullptr,
       [](const KeyTable&, InputDraft& draft) {
         draft.config.mesh.measured_weights = draft.weights == "measured";
       }},
      {"refinement", "Refinement criteria, each in a table [[refinement]].", refinement_intro, 7, nullptr,
       nullptr, nullptr, nullptr},
      {"solver", "The equation and its scheme.",
       [] { return std::string("\nOther keys of this table are those of the equation.\n"); }, 2,
       prepare_solver, describe_solver, keys_of_other_equations, check_and_keep_solver},
      {"scenario", "Initial and boundary data.",
       [] {
         return std::string(
             "\nOther keys of this table are the parameters of the scenario. [Formulas](formulas.md) of "
             "`formulas` know x, y, z, r, t and constants.\n");
       },
       3, prepare_scenario, describe_scenario, former_keys, set_up_scenario},
      {"time", "Simulated time and limits of the steps.", none, 4, nullptr, describe_time_of, nullptr,
       check_time_of},
      {"output", "Plot files and history.", none, 8, nullptr, describe_output_of, nullptr,
       check_and_keep_output},
      {"diagnostics", "Additional columns of the history.", diagnostics_intro, 9, nullptr,
       describe_diagnostics, nullptr, set_up_diagnostics},
      {"checkpoint", "Schedule of checkpoints.", checkpoint_intro, 10, nullptr,
       describe_part<describe_checkpoint, &Config::checkpoint>, nullptr, nullptr},
      {"offload", "Updates of patches on devices.", none, 11, nullptr,
       describe_part<describe_offload, &Config::offload>, nullptr, nullptr},
      {"gpu-memory", "Device memory allocation.", none, 12, nullptr,
       describe_part<describe_gpu_memory, &Config::offload>, nullptr, check_devices},
  };
}

}  // namespace

void describe_kind(io::KeyTable& keys, std::string& kind) {
  std::vector<std::string> names;
  for (const CriterionEntry& entry : refinement_criteria()) names.push_back(entry.name);
  keys.choice("kind", kind, std::move(names), "The criterion.").required = true;
}

ProblemSetup setup_of(const Config& config) {
  const DomainConfig& domain = config.domain;
  return {config.equation,
          domain.dimensions,
          domain.lower,
          domain.upper,
          {domain.boundary, domain.boundary + 2 * domain.dimensions}};
}

bool is_fixed(const KeyTable& table, const io::Field& field) {
  return field.fixed.value_or(table.table() == "scenario");
}

const std::vector<InputTable>& input_tables() {
  static const std::vector<InputTable> all = [] {
    std::vector<InputTable> tables = general_tables();
    add_equation_tables(tables);
    add_arrays(tables);
    return tables;
  }();
  return all;
}

}  // namespace meander::simulation
