// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/printable.hpp"
#include "base/process.hpp"
#include "simulation/config/input_tables.hpp"

namespace meander::simulation {
namespace {

using io::Document;
using io::KeyTable;

// Reads the tables one by one; defaults and checks of a table use the earlier ones.
class Loader {
 public:
  Loader(Document document, const std::vector<ScenarioEntry>& known, double memory, int ranks)
      : document_(std::move(document)), draft_{.known_scenarios = known, .memory = memory, .ranks = ranks} {}

  Config load() {
    std::vector<std::string> names, arrays;
    for (const InputTable& table : input_tables())
      (table.is_array() ? arrays : names).emplace_back(table.name);
    document_.check_tables(names, arrays);
    draft_.config.source = document_.file();
    std::vector<const InputTable*> in_turn;
    for (const InputTable& table : input_tables()) in_turn.push_back(&table);
    std::ranges::stable_sort(in_turn, {}, [](const InputTable* table) { return table->turn; });
    for (const InputTable* table : in_turn) {
      if (table->of_equation != nullptr)
        read_equation_table(*table);
      else if (!table->is_array())
        read(*table);
      else if (table->diagnostic != nullptr)
        read_diagnostics(*table);
      else
        read_criteria(*table);
    }
    for (const DraftedTable& drafted : draft_.equation_tables)
      drafted.table->check_run(*drafted.keys, draft_.config);
    resolve();
    return std::move(draft_.config);
  }

 private:
  void read(const InputTable& table) {
    if (table.prepare != nullptr) table.prepare(document_, draft_);
    KeyTable& keys = draft_.tables.emplace(table.name, KeyTable(table.name)).first->second;
    table.describe(keys, draft_);
    document_.bind(keys, table.hints == nullptr ? Document::Hints{} : table.hints(draft_));
    if (table.check != nullptr) table.check(keys, draft_);
  }

  void read_equation_table(const InputTable& table) {
    if (table.module != draft_.module) {
      if (!document_.has_table(table.name)) return;
      KeyTable place(table.name);
      document_.peek(place);
      refuse_of_other_equation(place, fmt::format("[{}]", table.name), table);
    }
    KeyTable& keys = draft_.tables.emplace(table.name, KeyTable(table.name)).first->second;
    const std::shared_ptr<EquationTable> own = table.of_equation->make();
    own->describe(keys, draft_.config.scenario_name);
    document_.bind(keys);
    ProblemSetup setup = setup_of(draft_.config);
    setup.formula_definitions = draft_.config.scenario->formula_definitions();
    own->set_up(keys, setup, *draft_.equation);
    // Its traits may be others now.
    draft_.config.solver = draft_.equation->make_solver(draft_.config.domain.dimensions);
    draft_.equation_tables.push_back({own, &keys});
  }

  [[noreturn]] void refuse_of_other_equation(const KeyTable& keys, const std::string& header,
                                             const InputTable& table) const {
    throw InputError(fmt::format("{}: {} has no meaning for equation = '{}'; it belongs to '{}'{}",
                                 keys.origin().where, header, draft_.module->name, table.module->name,
                                 keys.origin().excerpt));
  }

  static std::string kind_of(const Document& document, KeyTable& keys) {
    std::string kind;
    describe_kind(keys, kind);
    document.peek(keys);
    return kind;
  }

  void read_criteria(const InputTable& table) {
    const Config& config = draft_.config;
    for (std::size_t i = 0; i < document_.count(table.name); ++i) {
      const std::string name = fmt::format("{}[{}]", table.name, i);
      KeyTable first(name);
      std::string& kind = kinds_.emplace_back(kind_of(document_, first));
      const std::vector<CriterionEntry> entries = refinement_criteria();
      const auto entry =
          std::find_if(entries.begin(), entries.end(), [&](const auto& one) { return one.name == kind; });
      const std::shared_ptr<RefinementCriterion> criterion = entry->make();
      KeyTable& keys = arrays_[table.name].emplace_back(name);
      describe_kind(keys, kind);
      criterion->describe(keys, config);
      document_.bind(keys, keys_of_other_kinds(kind, entries));
      criterion->set_up(keys, config);
      draft_.config.refinement.push_back(criterion);
    }
  }

  void read_diagnostics(const InputTable& table) {
    for (std::size_t i = 0; i < document_.count(table.name); ++i) {
      KeyTable& keys = arrays_[table.name].emplace_back(fmt::format("{}[{}]", table.name, i));
      const std::shared_ptr<Diagnostic> diagnostic = table.diagnostic->make();
      diagnostic->describe(keys);
      document_.bind(keys);
      if (table.module != draft_.module)
        refuse_of_other_equation(keys, fmt::format("[[{}]]", table.name), table);
      diagnostic->set_up(keys, draft_.config);
      draft_.config.diagnostics.push_back(diagnostic);
    }
  }

  Document::Hints keys_of_other_kinds(const std::string& kind,
                                      const std::vector<CriterionEntry>& entries) const {
    Document::Hints hints;
    for (const CriterionEntry& other : entries) {
      KeyTable keys("");
      const auto criterion = other.make();
      criterion->describe(keys, draft_.config);
      for (const io::Field& field : keys.all())
        hints.emplace_back(field.key, fmt::format("has no meaning for kind = '{}'", kind));
    }
    return hints;
  }

  void resolve() {
    Config& config = draft_.config;
    // The name of a file may contain any bytes, TOML may not.
    config.resolved =
        fmt::format("# {}, with every default filled in.\n", printable(config.source, Lines::join));
    for (const InputTable& table : input_tables()) {
      if (table.is_array()) {
        for (const KeyTable& keys : arrays_[table.name])
          config.resolved += '\n' + toml_table(keys, fmt::format("[[{}]]", table.name));
        continue;
      }
      const auto table_of_run = draft_.tables.find(table.name);
      if (table_of_run == draft_.tables.end()) continue;  // of another equation
      const KeyTable& keys = table_of_run->second;
      config.resolved += '\n' + toml_table(keys, fmt::format("[{}]", table.name));
      for (const io::Field& field : keys.all()) {
        if (!field.origin.where.empty() && io::toml_text(field.target) != field.declared)
          config.changed_keys.push_back(keys.table() + '.' + field.key);
        config.keys.push_back({keys.table() + '.' + field.key, io::toml_text(field.target),
                               is_fixed(keys, field),
                               field.origin.where.empty() ? keys.origin() : field.origin});
      }
    }
  }

  Document document_;
  InputDraft draft_;
  std::map<std::string, std::deque<KeyTable>> arrays_;  // of tables, by name
  std::deque<std::string> kinds_;
};

// The memory of all nodes that the ranks run on, in bytes. Collective.
double memory_of_nodes(const parallel::Communicator& communicator) {
  constexpr double most = 0x1p60;  // bytes, for a node without a limit
  const bool first_of_node = communicator.of_node().is_root();
  const auto kibibytes = static_cast<std::int64_t>(std::min(available_memory(), most) / 1024);
  return 1024.0 * static_cast<double>(communicator.sum(first_of_node ? kibibytes : 0));
}

}  // namespace

int Config::base_level() const {
  const int most = *std::max_element(domain.cells.begin(), domain.cells.end());
  int level = 0;
  for (std::int64_t width = 1; width < most; width *= 3) ++level;
  return level;
}

Mirrors Config::mirrors() const {
  return {domain.lower, domain.upper, std::span(domain.boundary).first(2 * domain.lower.size())};
}

Point<3> Config::middle() const {
  const Mirrors whole = mirrors();
  Point<3> middle{};
  for (std::size_t a = 0; a < domain.lower.size(); ++a)
    middle[a] = whole.has(a) ? whole.plane(a) : 0.5 * (domain.lower[a] + domain.upper[a]);
  return middle;
}

Config load_config(const std::string& file, const std::vector<std::string>& settings) {
  return Loader(Document::load(file, settings), scenarios(), available_memory(), 1).load();
}

Config load_config(const parallel::Communicator& communicator, const std::string& file,
                   const std::vector<std::string>& settings) {
  std::string text;
  communicator.agree([&] {
    if (communicator.is_root()) text = Document::read_text(file);
  });
  communicator.broadcast(text);
  return load_config_text(communicator, text, Document::name_of(file), settings);
}

Config load_config_text(const parallel::Communicator& communicator, const std::string& text,
                        const std::string& name, const std::vector<std::string>& settings) {
  const double memory = memory_of_nodes(communicator);
  Config config;
  communicator.agree(
      [&] { config = load_config_text(text, name, settings, scenarios(), memory, communicator.size()); });
  return config;
}

Config load_config_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& settings,
                        const std::vector<ScenarioEntry>& known_scenarios, double memory, int ranks) {
  return Loader(Document::from_text(text, name, settings), known_scenarios, memory, ranks).load();
}

}  // namespace meander::simulation
