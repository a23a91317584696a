// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/input_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "simulation/describe_config.hpp"
#include "simulation/equation.hpp"
#include "simulation/field_names.hpp"

namespace meander::simulation {

namespace {

using io::Field;
using io::Fields;

// A default that is TOML, or words where it depends on other keys.
bool is_toml(const Field& field) {
  return field.default_text == io::toml_text(field.target);
}

std::string default_of(const Field& field) {
  if (field.required) return "required";
  if (field.default_text == "\"\"") return "";
  return field.default_text;
}

std::string code(const std::string& text) {
  return fmt::format("`{}`", text);
}

// Text into a cell of a table.
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

// "of the ball" as a sentence of its own: "Of the ball."
std::string sentence(std::string text) {
  if (text.empty()) return text;
  // A first word such as "top-hat:" is a value, and keeps its letters.
  if (text.find(':') > text.find(' '))
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (text.back() != '.') text += '.';
  return text;
}

std::string key_table(const Fields& fields) {
  std::string text =
      "| key | type | unit | default | allowed | at restart | meaning |\n|---|---|---|---|---|---|---|\n";
  for (const Field& field : fields.all()) {
    std::string allowed = io::range_text(field.range);
    for (const std::string& choice : field.choices) allowed += (allowed.empty() ? "" : ", ") + code(choice);
    std::string standard = default_of(field);
    if (!field.required && is_toml(field) && !standard.empty()) standard = code(standard);
    const bool fixed = field.fixed.value_or(fields.table() == "scenario");
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", code(field.key), io::type_name(field),
                        cell(field.unit), cell(standard), cell(allowed), fixed ? "fixed" : "",
                        cell(sentence(field.meaning)));
  }
  return text;
}

std::string section(const std::string& title, const std::string& intro, const Fields& fields) {
  return fmt::format("\n## {}\n{}\n{}", title, intro, key_table(fields));
}

constexpr const char* preface = R"(# The input file

<!-- Made by `meander input-reference`; do not edit. A test compares the two. -->

A run is described by one TOML file. `meander check INPUT` reads it, checks it and prints it with every default
filled in; `meander run INPUT` does the same before anything else. A key that is misspelt, of the wrong type or out
of range stops the program with exit code 2 and a message that names file, line and column.

`--set table.key=value` replaces or adds a key, as often as given; the last one wins. The value is TOML, and a bare
word is a string: `--set mesh.patch-size=17 --set solver.scheme=muscl --set "domain.cells=[27, 27, 27]"`. Tables of
an array are counted from 0: `--set refinement[0].level=5`.

Lengths, times, densities are in units of your choice: the equations have no constant of nature in them.
Where the accretion scenario says comoving, the units are those of supercomoving variables.

`meander restart CHECKPOINT [INPUT]` goes on from a checkpoint with the input that wrote it, or with another one. Keys
that are fixed at restart must be the same in both; all others may change. Besides, an axis stays periodic or not,
`mesh.max-level` must not be below the finest leaf of the checkpoint, `mesh.min-level` must not be raised, and `time.end`
must not lie before the checkpoint.
)";

constexpr const char* refinement_intro = R"(
Any number of criteria, each a table `[[refinement]]`. A leaf is refined if any of them asks for it, and coarsened if
all agree. Without a criterion the mesh stays at `mesh.min-level`.
)";

constexpr const char* boundary_intro = R"(
The more special key wins: `x-lower` over `x` over `all`. In 2D there are no keys for z. `periodic` must hold on both
sides of an axis; `outflow` continues the last volume; `reflecting` is a wall; `scenario` takes the data that the
scenario gives.
)";

constexpr const char* partition_intro = R"(
How the leaves are dealt out to the ranks of `mpirun`: in pieces of the Peano curve. The results do not depend on it.
)";

constexpr const char* diagnostics_intro = R"(
What else `history.csv` tells. Psi4 is (E_ij - i B_ij) m*^i m*^j from the Weyl tensor, m = (e_theta + i e_phi) / sqrt(2): far out
-d^2/dt^2 (h_plus - i h_cross). `psi4_r40_2_-1_im` is the imaginary part of its mode l = 2, m = -1 (spin weight -2) at radius 40.
)";

constexpr const char* checkpoint_intro = R"(
A run that ends, or is stopped by a signal or a wall time, writes a last checkpoint in any case.
See [running on clusters](running-on-clusters.md).
)";

std::string dimension_text(const std::vector<int>& dims) {
  std::string text;
  for (const int dim : dims) text += fmt::format("{}{}D", text.empty() ? "" : ", ", dim);
  return text;
}

// The parameters of a scenario, as declared.
struct Parameters {
  std::unique_ptr<Scenario> scenario;  // holds the targets
  Fields fields{"scenario"};
};

void describe(const ScenarioEntry& entry, Parameters& parameters) {
  parameters.scenario = entry.make();
  parameters.scenario->describe(parameters.fields);
}

}  // namespace

std::string input_reference(const std::vector<ScenarioEntry>& known_scenarios) {
  Config config;
  BoundaryNames sides;
  std::string weights = weight_names().front();
  Fields domain("domain"), boundary("boundary"), mesh("mesh"), partition("partition"), solver("solver"),
      scenario("scenario"), time("time"), output("output"), diagnostics("diagnostics"),
      checkpoint("checkpoint"), offload("offload"), gpu_memory("gpu-memory");
  const EquationEntry& standard = equations().front();
  const auto three_d = standard.make(3, {});
  config.output.fields = standard.plot_fields;
  describe_domain(domain, config.domain);
  describe_boundary(boundary, sides, 3);
  describe_mesh(mesh, config.mesh);
  describe_partition(partition, config.mesh, weights);
  describe_equation(solver, config.equation);
  describe_scenario_name(scenario, config.scenario_name, known_scenarios);
  describe_time(time, config.time);
  describe_output(output, config.output, plot_names(*three_d));
  describe_diagnostics(diagnostics, config.diagnostics);
  describe_checkpoint(checkpoint, config.checkpoint);
  describe_offload(offload, config.offload);
  describe_gpu_memory(gpu_memory, config.offload);

  std::string text = preface;
  text += section("[domain]", "", domain);
  text += section("[boundary]", boundary_intro, boundary);
  text += section("[mesh]", "", mesh);
  text += section("[partition]", partition_intro, partition);
  text += "\n## [[refinement]]\n";
  text += refinement_intro;
  for (const RefinementKind& kind : refinement_kinds()) {
    RefinementConfig criterion;
    Fields fields("refinement");
    describe_refinement(fields, criterion, kind.name);
    text += fmt::format("\n### kind = \"{}\"\n{}\n\n{}", kind.name, kind.meaning, key_table(fields));
  }
  text += section("[solver]", "\nOther keys of this table are those of the equation.\n", solver);
  for (const EquationEntry& equation : equations()) {
    SolverNames names;
    EquationParameters parameters;
    Fields fields("solver");
    equation.describe(fields, names, parameters, config.time.cfl);
    text += fmt::format("\n### equation = \"{}\"\n{} {}.\n\n{}", equation.name, sentence(equation.meaning),
                        dimension_text(equation.dims), key_table(fields));
  }
  text += section("[scenario]", "\nOther keys of this table are the parameters of the scenario.\n", scenario);
  for (const ScenarioEntry& entry : known_scenarios) {
    Parameters parameters;
    describe(entry, parameters);
    text += fmt::format(
        "\n### name = \"{}\"\n{} {}{}.\n", entry.name, sentence(entry.meaning), dimension_text(entry.dims),
        entry.equation == equations().front().name ? "" : ", equation = \"" + entry.equation + '"');
    if (!parameters.fields.all().empty()) text += fmt::format("\n{}", key_table(parameters.fields));
  }
  text += section("[time]", "", time);
  text += section("[output]", "", output);
  text += section("[diagnostics]", diagnostics_intro, diagnostics);
  text += section("[checkpoint]", checkpoint_intro, checkpoint);
  text += section("[offload]", "", offload);
  text += section("[gpu-memory]", "", gpu_memory);
  return text;
}

std::string scenario_list(const std::vector<ScenarioEntry>& known_scenarios) {
  std::string text;
  for (const ScenarioEntry& entry : known_scenarios) {
    Parameters parameters;
    describe(entry, parameters);
    text += fmt::format("{}{} ({}): {}\n", text.empty() ? "" : "\n", entry.name, dimension_text(entry.dims),
                        entry.meaning);
    std::size_t width = 0;
    for (const Field& field : parameters.fields.all()) {
      width = std::max(width, field.key.size() + default_of(field).size());
    }
    for (const Field& field : parameters.fields.all()) {
      const std::string assignment = fmt::format("{} = {}", field.key, field.default_text);
      const std::string allowed = io::allowed_values(field);
      text += fmt::format("  {:<{}}  {}{}{}\n", assignment, width + 3,
                          field.unit.empty() ? "" : fmt::format("[{}] ", field.unit), field.meaning,
                          allowed.empty() ? "" : fmt::format(" ({})", allowed));
    }
  }
  return text;
}

}  // namespace meander::simulation
