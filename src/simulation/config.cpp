// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <filesystem>

#include "base/memory.hpp"
#include "io/document.hpp"
#include "simulation/check_config.hpp"
#include "simulation/describe_config.hpp"
#include "simulation/equation.hpp"
#include "simulation/field_names.hpp"

namespace meander::simulation {

namespace {

using io::Document;
using io::Fields;

// Reads table after table; a table's defaults and checks use the ones before.
class Loader {
 public:
  Loader(Document document, const std::vector<ScenarioEntry>& known, double memory)
      : document_(std::move(document)), known_(known), memory_(memory) {}

  Config load() {
    std::vector<std::string> tables = input_tables();
    tables.erase(std::find(tables.begin(), tables.end(), "refinement"));
    document_.check_tables(tables, {"refinement"});
    config_.source = document_.file();
    read_domain();
    read_boundary();
    read_solver();
    read_scenario();
    read_time();
    read_mesh();
    read_partition();
    read_refinement();
    read_output();
    read_diagnostics();
    read_checkpoint();
    read_offload();
    resolve();
    return std::move(config_);
  }

 private:
  void read_domain() {
    DomainConfig& domain = config_.domain;
    Fields first("domain");
    describe_domain(first, domain);
    document_.peek(first);
    const auto dims = static_cast<std::size_t>(domain.dimensions);
    if (!first.was_given("lower")) domain.lower.assign(dims, 0.0);
    if (!first.was_given("upper")) domain.upper.assign(dims, 1.0);
    if (!first.was_given("cells")) domain.cells.assign(dims, 1);
    describe_domain(domain_, domain);
    document_.bind(domain_);
    check_domain(domain_, config_);
  }

  void read_boundary() {
    const int dims = config_.domain.dimensions;
    describe_boundary(boundary_, sides_, dims);
    Document::Hints hints;
    if (dims == 2) {
      for (const char* key : {"z", "z-lower", "z-upper"})
        hints.emplace_back(key, "the domain has 2 dimensions");
    }
    document_.bind(boundary_, hints);
    const auto kinds = boundary_kinds();
    for (int face = 0; face < 2 * dims; ++face) {
      std::string& name = sides_.side[face];
      if (name.empty()) name = sides_.axis[face / 2].empty() ? sides_.all : sides_.axis[face / 2];
      const auto kind = std::find(kinds.begin(), kinds.end(), name) - kinds.begin();
      config_.domain.boundary[face] = static_cast<Boundary>(kind);
    }
    check_boundary(boundary_, config_);
    // The resolved input names every side.
    sides_.all.clear();
    for (std::string& axis : sides_.axis) axis.clear();
  }

  void read_solver() {
    Fields equation("solver");
    describe_equation(equation, config_.equation);
    document_.peek(equation);
    const EquationEntry& entry = equation_of(config_);
    const int dims = config_.domain.dimensions;
    if (std::find(entry.dims.begin(), entry.dims.end(), dims) == entry.dims.end()) {
      equation.reject("equation",
                      fmt::format("'{}' exists in {} dimensions only, but domain.dimensions is {}",
                                  entry.name, fmt::join(entry.dims, " and "), dims));
    }
    config_.equation = equations().front().name;
    describe_equation(solver_, config_.equation);
    config_.equation = entry.name;
    solver_names_.dim = dims;
    entry.describe(solver_, solver_names_, config_, config_.time.cfl);
    document_.bind(solver_, keys_of_other_equations(entry));
    entry.set_up(solver_names_, config_);
    for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a)
      config_.ccz4.middle[a] = 0.5 * (config_.domain.lower[a] + config_.domain.upper[a]);
    solver_of_run_ = entry.make(dims, config_);
    check_radiation(boundary_, config_, solver_of_run_->traits());
    check_cfl(solver_, config_, *solver_of_run_);
  }

  static Document::Hints keys_of_other_equations(const EquationEntry& entry) {
    Document::Hints hints;
    for (const EquationEntry& other : equations()) {
      SolverNames names;
      EquationParameters parameters;
      double cfl = 0;
      Fields fields("");
      if (other.name != entry.name) other.describe(fields, names, parameters, cfl);
      for (const io::Field& field : fields.all()) {
        hints.emplace_back(field.key, fmt::format("has no meaning for equation = '{}'", entry.name));
      }
    }
    return hints;
  }

  void read_scenario() {
    Fields name("scenario");
    describe_scenario_name(name, config_.scenario_name, known_);
    document_.peek(name);
    const auto entry = std::find_if(known_.begin(), known_.end(),
                                    [&](const ScenarioEntry& e) { return e.name == config_.scenario_name; });
    if (entry->equation != config_.equation) {
      std::vector<std::string> names;
      for (const ScenarioEntry& other : known_) {
        if (other.equation == config_.equation) names.push_back(other.name);
      }
      name.reject("name",
                  fmt::format("'{}' is a scenario of equation '{}', but solver.equation is '{}'; allowed: {}",
                              entry->name, entry->equation, config_.equation, fmt::join(names, ", ")));
    }
    const int dims = config_.domain.dimensions;
    if (std::find(entry->dims.begin(), entry->dims.end(), dims) == entry->dims.end()) {
      name.reject("name", fmt::format("'{}' exists in {} dimensions only, but domain.dimensions is {}",
                                      entry->name, fmt::join(entry->dims, " and "), dims));
    }
    config_.scenario = entry->make();
    describe_scenario_name(scenario_, config_.scenario_name, known_);
    config_.scenario->describe(scenario_);
    document_.bind(scenario_);
    config_.scenario->set_up(scenario_, {static_cast<const EquationParameters&>(config_), dims,
                                         config_.domain.lower, config_.domain.upper});
  }

  void read_time() {
    config_.time.start = config_.scenario->default_start();
    config_.time.end = config_.scenario->default_end();
    describe_time(time_, config_.time);
    document_.bind(time_);
    check_time(time_, config_);
  }

  void read_mesh() {
    MeshConfig& mesh = config_.mesh;
    mesh.min_level = config_.base_level();
    describe_mesh(mesh_, mesh);
    document_.bind(mesh_);
    if (!mesh_.was_given("max-level")) mesh.max_level = mesh.min_level;
    check_mesh(mesh_, config_, solver_of_run_->traits());
    config_.scenario->check_widths(scenario_, widths_of_volumes(config_));
    check_memory(mesh_, config_, solver_of_run_->traits(), memory_);
    const EquationEntry& entry = equation_of(config_);
    if (entry.warnings != nullptr)
      config_.warnings = entry.warnings(solver_, config_, mesh.max_level > mesh.min_level);
  }

  void read_partition() {
    describe_partition(partition_, config_.mesh, weights_);
    document_.bind(partition_);
    config_.mesh.measured_weights = weights_ == weight_names().back();
  }

  void read_refinement() {
    const std::size_t count = document_.count("refinement");
    config_.refinement.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      RefinementConfig& criterion = config_.refinement[i];
      const std::string table = fmt::format("refinement[{}]", i);
      Fields kind(table);
      describe_refinement(kind, criterion, "");
      document_.peek(kind);

      criterion.t_ref = config_.time.start;
      for (std::size_t a = 0; a < config_.domain.lower.size(); ++a) {
        criterion.centre.push_back(0.5 * (config_.domain.lower[a] + config_.domain.upper[a]));
      }
      Fields& fields = refinement_.emplace_back(table);
      describe_refinement(fields, criterion, criterion.kind);
      document_.bind(fields, keys_of_other_kinds(criterion.kind));
      if (!fields.was_given("coarsen")) {
        criterion.coarsen = criterion.kind == "jump" ? 0.25 * criterion.refine
                                                     : criterion.refine - 0.5 * std::abs(criterion.refine);
      }
      check_refinement(fields, config_, criterion, scalar_names(*solver_of_run_));
    }
  }

  static Document::Hints keys_of_other_kinds(const std::string& kind) {
    Document::Hints hints;
    for (const RefinementKind& other : refinement_kinds()) {
      RefinementConfig unused;
      Fields fields("");
      describe_refinement(fields, unused, other.name);
      for (const io::Field& field : fields.all()) {
        hints.emplace_back(field.key, fmt::format("has no meaning for kind = '{}'", kind));
      }
    }
    return hints;
  }

  void read_output() {
    OutputConfig& output = config_.output;
    output.directory = "output/" + std::filesystem::path(config_.source).stem().string();
    output.fields = equation_of(config_).plot_fields;
    describe_output(output_, output, plot_names(*solver_of_run_));
    document_.bind(output_);
    check_output(output_, config_);
  }

  void read_diagnostics() {
    describe_diagnostics(diagnostics_, config_.diagnostics);
    document_.bind(diagnostics_);
    check_diagnostics(diagnostics_, config_);
  }

  void read_checkpoint() {
    describe_checkpoint(checkpoint_, config_.checkpoint);
    document_.bind(checkpoint_);
  }

  void read_offload() {
    describe_offload(offload_, config_.offload);
    describe_gpu_memory(gpu_memory_, config_.offload);
    document_.bind(offload_);
    document_.bind(gpu_memory_);
    check_offload(offload_, gpu_memory_, config_.offload, *solver_of_run_, config_.mesh.patch_size);
  }

  void resolve() {
    std::string text = fmt::format("# {}, with every default filled in.\n", config_.source);
    for (const Fields* fields : {&domain_, &boundary_, &mesh_, &partition_})
      text += '\n' + toml_table(*fields, header(*fields));
    for (const Fields& fields : refinement_) text += '\n' + toml_table(fields, "[[refinement]]");
    for (const Fields* fields :
         {&solver_, &scenario_, &time_, &output_, &diagnostics_, &checkpoint_, &offload_, &gpu_memory_}) {
      text += '\n' + toml_table(*fields, header(*fields));
    }
    config_.resolved = text;
    for (const Fields* fields : {&domain_, &boundary_, &mesh_, &partition_, &solver_, &scenario_, &time_,
                                 &output_, &diagnostics_, &checkpoint_, &offload_, &gpu_memory_}) {
      for (const io::Field& field : fields->all()) {
        config_.keys.push_back({fields->table() + '.' + field.key, io::toml_text(field.target),
                                field.fixed.value_or(fields == &scenario_),
                                field.origin.where.empty() ? fields->place() : field.origin});
      }
    }
  }
  static std::string header(const Fields& fields) { return "[" + fields.table() + "]"; }

  Document document_;
  const std::vector<ScenarioEntry>& known_;
  double memory_;
  Config config_;
  BoundaryNames sides_;
  SolverNames solver_names_;
  std::string weights_ = weight_names().front();
  std::unique_ptr<solvers::Solver> solver_of_run_;
  Fields domain_{"domain"}, boundary_{"boundary"}, mesh_{"mesh"}, partition_{"partition"}, solver_{"solver"},
      scenario_{"scenario"}, time_{"time"}, output_{"output"}, diagnostics_{"diagnostics"},
      checkpoint_{"checkpoint"}, offload_{"offload"}, gpu_memory_{"gpu-memory"};
  std::deque<Fields> refinement_;
};

// Of all nodes that the ranks run on. Collective.
double memory_of_nodes(const mesh::Communicator& communicator) {
  constexpr double most = 0x1p60;  // bytes; a node that knows no limit
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

Diagnosed Config::diagnosed() const {
  return {mesh.min_level, mesh.max_level, diagnostics.exclude_radius};
}

Config load_config(const std::string& file, const std::vector<std::string>& settings) {
  return Loader(Document::load(file, settings), scenarios(), available_memory()).load();
}

Config load_config(const mesh::Communicator& communicator, const std::string& file,
                   const std::vector<std::string>& settings) {
  std::string text;
  communicator.agree([&] {
    if (communicator.is_root()) text = Document::read_text(file);
  });
  communicator.broadcast(text);
  return load_config_text(communicator, text, file, settings);
}

Config load_config_text(const mesh::Communicator& communicator, const std::string& text,
                        const std::string& name, const std::vector<std::string>& settings) {
  const double memory = memory_of_nodes(communicator);
  Config config;
  communicator.agree([&] { config = load_config_text(text, name, settings, scenarios(), memory); });
  return config;
}

Config load_config_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& settings,
                        const std::vector<ScenarioEntry>& known_scenarios, double memory) {
  return Loader(Document::from_text(text, name, settings), known_scenarios, memory).load();
}

}  // namespace meander::simulation
