// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/log.hpp"
#include "simulation/control/stopping.hpp"
#include "simulation/module.hpp"
#include "simulation/outputs/fields.hpp"
#include "simulation/outputs/pieces.hpp"

namespace meander::simulation {

namespace {

// The names of all files of diagnostics and of requested outputs.
std::vector<io::RowFileNames> names_of_row_files() {
  std::vector<io::RowFileNames> names = RequestedOutputs::all_row_files();
  for (const Module* module : modules()) {
    for (const DiagnosticEntry& entry : module->diagnostics)
      names.insert(names.end(), entry.files.begin(), entry.files.end());
  }
  return names;
}

// `reader`: of the components of all fields, one after another. It must outlive the result.
std::vector<io::PlotField> plot_fields(const VolumeReader& reader, std::span<const OutputField> fields) {
  std::vector<io::PlotField> all;
  std::size_t first = 0;
  for (const OutputField& field : fields) {
    const auto components = static_cast<int>(field.components.size());
    all.push_back({field.name, components, field.is_integer(),
                   [&reader, first](std::size_t leaf, int component, std::span<double> values) {
                     reader.read_leaf(first + static_cast<std::size_t>(component), leaf, values);
                   }});
    first += field.components.size();
  }
  return all;
}

}  // namespace

Output::Output(Simulation& simulation, std::string directory)
    : simulation_(simulation),
      directory_(std::move(directory)),
      series_(directory_),
      plots_(simulation.config().time.start, simulation.config().output.plot_every,
             simulation.config().output.plot_steps, simulation.config().output.plot_times, simulation.time()),
      requested_(simulation, directory_) {}

std::vector<Measure> Output::history() const {
  const MeshConfig& mesh = simulation_.config().mesh;
  const solvers::Traits& traits = simulation_.solver().traits();
  std::vector<Measure> all;
  const auto add = [&](const std::string& name, double value) { all.push_back({name, "", value}); };
  add("step", simulation_.step());
  add("time", simulation_.time());
  add("dt", simulation_.last_dt());
  // Totals of quantities that are not conserved are meaningless.
  if (traits.conservative) {
    const auto totals = simulation_.totals();
    for (std::size_t u = 0; u < totals.size(); ++u) add("total_" + traits.unknown_names[u], totals[u]);
  }
  const auto& leaves = simulation_.leaves().per_level;
  for (int level = mesh.min_level; level <= mesh.max_level; ++level)
    add(fmt::format("leaves_level_{}", level), static_cast<double>(leaves[static_cast<std::size_t>(level)]));
  if (const auto local = simulation_.local_steps()) {
    for (const auto& [name, value] : local_steps_columns(*local, mesh.min_level, mesh.max_level))
      add(name, value);
  }
  const TreatedVolumes treated = simulation_.treated_volumes();
  add("first_order_volumes", static_cast<double>(treated.first_order));
  add("floored_volumes", static_cast<double>(treated.floored));
  for (Measure& measure : simulation_.measures()) all.push_back(std::move(measure));
  return all;
}

std::vector<io::Column> Output::columns() const {
  std::vector<io::Column> columns;
  for (const Measure& column : history()) columns.push_back({column.name, column.unit});
  return columns;
}

void Output::on_root(const std::function<void()>& body) const {
  simulation_.communicator().agree([&] {
    if (simulation_.communicator().is_root()) body();
  });
}

void Output::start() {
  const auto names = columns();
  on_root([&] {
    history_ = std::make_unique<io::History>(directory_ + "/history.csv", names);
    files_ = std::make_unique<io::RowFiles>(directory_, row_files());
  });
  row();
  plot();
  write_rows(requested_.start());
}

std::vector<io::RowFile> Output::row_files() const {
  std::vector<io::RowFile> files = simulation_.row_files();
  for (io::RowFile& file : requested_.row_files()) files.push_back(std::move(file));
  return files;
}

void Output::write_rows(std::vector<io::Row> requested) {
  DiagnosticRows due = simulation_.rows();
  std::ranges::move(requested, std::back_inserter(due.rows));
  on_root([&] { files_->add({simulation_.step(), simulation_.time()}, due.rows); });
  if (!due.stop.empty()) throw StoppedByDiagnostic(due.stop);
}

void Output::check_resume(const io::CheckpointState& checkpoint, const std::string& path) {
  simulation_.communicator().agree([&] { counters_ = OutputCounters::of(checkpoint, path); });
  // A run that had not ended here would not have that row.
  const bool drops_row = counters_.last_row_is_final && !is_done(simulation_);
  if (drops_row) counters_.drop_final_row();
  const auto names = columns();
  // A run that was killed before it wrote the checkpoint anew may have left a later row, of the same step.
  const std::int64_t last_row = counters_.last_row_step >= 0 ? counters_.last_row_step
                                : drops_row                  ? checkpoint.step - 1
                                                             : checkpoint.step;
  on_root([&] {
    kept_.emplace(Kept{
        io::History::kept(directory_ + "/history.csv", names, last_row),
        io::KeptRowFiles(directory_, row_files(), {checkpoint.step, checkpoint.time}, names_of_row_files())});
    series_.keep_until(checkpoint.time);
    requested_.check_resume(checkpoint.time);
    const double found = kept_->history.last().value_or(-1), expected = counters_.last_row_step;
    if (found >= expected) return;
    const std::string after = found < 0 ? "" : fmt::format("after step {:.0f} ", found);
    log::warning(fmt::format("{}: rows {}up to step {:.0f} are missing, which were there when {} was written",
                             kept_->history.path(), after, expected, path));
  });
}

void Output::resume() {
  on_root([&] {
    history_ = std::make_unique<io::History>(kept_->history);
    files_ = std::make_unique<io::RowFiles>(row_files(), kept_->files);
    series_.cut();
    requested_.resume();
    kept_.reset();
  });
}

void Output::save(io::CheckpointState& checkpoint) {
  // Rows that a checkpoint claims survive whatever it survives.
  on_root([&] {
    history_->flush_to_disk();
    files_->flush_to_disk();
  });
  counters_.save(checkpoint);
}

double Output::next_stop() const {
  const TimeConfig& time = simulation_.config().time;
  const double next = std::min(plots_.next(), requested_.next_stop());
  const double rounding = rounding_of_time(std::max(std::abs(time.start), std::abs(time.end)));
  return next < time.end - rounding ? next : time.end;
}

void Output::after_step() {
  const int step = simulation_.step();
  if (step % simulation_.config().output.history_steps == 0) row();
  if (plots_.due(step, simulation_.time())) plot();
  write_rows(requested_.after_step(is_done(simulation_)));
}

bool Output::finish() {
  const int before = counters_.last_row_step;
  const bool lacks_row = before != simulation_.step();
  const bool lacks_plot = counters_.last_plot_step != simulation_.step();
  if (lacks_row) {
    row();
    counters_.last_row_is_final = true;
    counters_.row_before_final = before;
  }
  if (lacks_plot) plot();
  requested_.finish();
  return lacks_row || lacks_plot;
}

void Output::write(const std::string& path) {
  const Config& config = simulation_.config();
  const StateView view = simulation_.view("output");
  const auto indices = simulation_.leaf_indices();
  std::vector<io::PlotLeaf> leaves(indices.size());
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    leaves[leaf].level = view.levels[leaf];
    leaves[leaf].rank = view.communicator.rank();
    std::copy(indices[leaf].begin(), indices[leaf].end(), leaves[leaf].at);
  }
  io::PlotMesh mesh;
  mesh.layout = view.layout;
  std::copy(config.domain.lower.begin(), config.domain.lower.end(), mesh.lower);
  mesh.base_level = config.base_level();
  mesh.base_width = (config.domain.upper[0] - config.domain.lower[0]) / config.domain.cells[0];
  mesh.leaves = leaves;
  mesh.numbers = view.numbers;
  const std::vector<OutputField> fields = output_fields(simulation_.solver(), config.output.fields);
  const VolumeReader reader(view, simulation_.solver(), numbers_of(fields).list);
  io::write_plot(path, simulation_.communicator(), mesh, plot_fields(reader, fields),
                 {config.resolved, simulation_.step(), simulation_.time()},
                 {.float64 = config.output.precision == "float64"});
}

void Output::plot() {
  const std::string name = io::plot_name(counters_.next_plot++);
  write(directory_ + "/" + name);
  on_root([&] { series_.add(name, simulation_.time()); });
  counters_.last_plot_step = simulation_.step();
}

std::string Output::write_failed_state() {
  on_root([&] {
    if (files_) files_->flush();
  });
  const std::string path = directory_ + fmt::format("/failed_{:06d}.vtkhdf", simulation_.step());
  write(path);
  return path;
}

void Output::row() {
  std::vector<double> values;
  for (const Measure& column : history()) values.push_back(column.value);
  on_root([&] { history_->row(values); });
  counters_.last_row_is_final = false;
  counters_.last_row_step = simulation_.step();
}

namespace {

constexpr const char* next_plot_counter = "next-plot";
constexpr const char* last_plot_counter = "last-plot-step";
constexpr const char* last_row_counter = "last-history-step";
constexpr const char* final_row_counter = "final-history-row";
constexpr const char* before_final_counter = "history-step-before-final";

}  // namespace

OutputCounters OutputCounters::of(const io::CheckpointState& checkpoint, const std::string& path) {
  OutputCounters counters;
  const auto read = [&](const char* name, int& counter, std::int64_t least, std::int64_t most) {
    for (const auto& [found, value] : checkpoint.counters) {
      if (found != name) continue;
      if (value < least || value > std::min<std::int64_t>(most, std::numeric_limits<int>::max()))
        throw InputError(fmt::format("{}: {} = {} is invalid", path, name, value));
      counter = static_cast<int>(value);
    }
  };
  // At most one plot a step, and one of the initial state.
  read(next_plot_counter, counters.next_plot, 0, checkpoint.step + 1);
  read(last_plot_counter, counters.last_plot_step, -1, checkpoint.step);
  read(last_row_counter, counters.last_row_step, -1, checkpoint.step);
  read(before_final_counter, counters.row_before_final, -1, checkpoint.step);
  int is_final = 0;
  read(final_row_counter, is_final, 0, 1);
  counters.last_row_is_final = is_final != 0;
  return counters;
}

void OutputCounters::save(io::CheckpointState& checkpoint) const {
  checkpoint.counters.emplace_back(next_plot_counter, next_plot);
  checkpoint.counters.emplace_back(last_plot_counter, last_plot_step);
  checkpoint.counters.emplace_back(last_row_counter, last_row_step);
  if (!last_row_is_final) return;
  checkpoint.counters.emplace_back(final_row_counter, 1);
  checkpoint.counters.emplace_back(before_final_counter, row_before_final);
}

void OutputCounters::drop_final_row() {
  last_row_step = row_before_final;
  last_row_is_final = false;
}

}  // namespace meander::simulation
