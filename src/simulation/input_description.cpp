// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/input_description.hpp"

#include <fmt/format.h>

#include <deque>

#include "simulation/describe_config.hpp"
#include "simulation/equation.hpp"
#include "simulation/field_names.hpp"

namespace meander::simulation {

namespace {

// Of the tables, in the order of input_tables().
constexpr const char* table_meanings[][2] = {
    {"domain", "The box that is computed, and its base cells."},
    {"boundary", "What lies beyond each side of the box."},
    {"mesh", "Patches, and the levels that leaves may have."},
    {"partition", "How the leaves are dealt out to the ranks."},
    {"refinement", "Where the mesh is to be fine: any number of criteria, each a table [[refinement]]."},
    {"solver", "Which equations, and how they are solved."},
    {"scenario", "Initial and boundary data."},
    {"time", "From when to when."},
    {"output", "Plot files and history."},
    {"diagnostics", "What the history tells of constraints."},
    {"checkpoint", "When checkpoints are written; the last state is one in any case."},
    {"offload", "Patches that are updated on devices."},
    {"gpu-memory", "How memory on a device is had."},
};

}  // namespace

// Everything a field points to.
struct InputDescription::Targets {
  Config config;
  BoundaryNames sides;
  std::string weights = weight_names().front();
  std::deque<RefinementConfig> criteria;
  std::deque<SolverNames> names;
  std::deque<EquationParameters> parameters;
  std::vector<std::unique_ptr<Scenario>> scenarios;
};

InputDescription::InputDescription(const std::vector<ScenarioEntry>& known_scenarios)
    : targets_(std::make_unique<Targets>()) {
  Targets& to = *targets_;
  Config& config = to.config;
  const EquationEntry& standard = equations().front();
  config.output.fields = standard.plot_fields;
  const auto plots = plot_names(*standard.make(3, {}));
  const auto describe_table = [&](const std::string& table, io::Fields& fields) {
    if (table == "domain") describe_domain(fields, config.domain);
    if (table == "boundary") describe_boundary(fields, to.sides, 3);
    if (table == "mesh") describe_mesh(fields, config.mesh);
    if (table == "partition") describe_partition(fields, config.mesh, to.weights);
    if (table == "solver") describe_equation(fields, config.equation);
    if (table == "scenario") describe_scenario_name(fields, config.scenario_name, known_scenarios);
    if (table == "time") describe_time(fields, config.time);
    if (table == "output") {
      describe_output(fields, config.output, plots);
      for (io::Field& field : fields.all()) {
        if (field.key != "fields") continue;
        field.choices.clear();  // they are the equation's
        field.default_text = "the equation's";
      }
    }
    if (table == "diagnostics") describe_diagnostics(fields, config.diagnostics);
    if (table == "checkpoint") describe_checkpoint(fields, config.checkpoint);
    if (table == "offload") describe_offload(fields, config.offload);
    if (table == "gpu-memory") describe_gpu_memory(fields, config.offload);
  };
  for (const auto& [table, meaning] : table_meanings) {
    InputSection own{
        .table = table, .selector = {}, .choice = {}, .meaning = meaning, .fields = io::Fields(table)};
    describe_table(table, own.fields);
    sections_.push_back(std::move(own));
    if (sections_.back().table == "refinement") {
      for (const RefinementKind& kind : refinement_kinds()) {
        InputSection section{.table = table,
                             .selector = "kind",
                             .choice = kind.name,
                             .meaning = kind.meaning,
                             .fields = io::Fields(table)};
        describe_refinement(section.fields, to.criteria.emplace_back(), kind.name);
        sections_.push_back(std::move(section));
      }
    }
    if (sections_.back().table == "solver") {
      for (const EquationEntry& equation : equations()) {
        InputSection section{.table = table,
                             .selector = "equation",
                             .choice = equation.name,
                             .meaning = equation.meaning,
                             .dims = equation.dims,
                             .fields = io::Fields(table)};
        equation.describe(section.fields, to.names.emplace_back(), to.parameters.emplace_back(),
                          config.time.cfl);
        sections_.push_back(std::move(section));
      }
    }
    if (sections_.back().table == "scenario") {
      for (const ScenarioEntry& entry : known_scenarios) {
        InputSection section{.table = table,
                             .selector = "name",
                             .choice = entry.name,
                             .meaning = entry.meaning,
                             .dims = entry.dims,
                             .equation = entry.equation,
                             .fields = io::Fields(table)};
        to.scenarios.push_back(entry.make());
        to.scenarios.back()->describe(section.fields);
        sections_.push_back(std::move(section));
      }
    }
  }
}

InputDescription::~InputDescription() = default;

bool is_fixed(const InputSection& section, const io::Field& field) {
  return field.fixed.value_or(section.table == "scenario");
}

bool has_toml_default(const io::Field& field) {
  return field.default_text == io::toml_text(field.target);
}

std::string dimension_text(const std::vector<int>& dims) {
  std::string text;
  for (const int dim : dims) text += fmt::format("{}{}D", text.empty() ? "" : ", ", dim);
  return text;
}

}  // namespace meander::simulation
