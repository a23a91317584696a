// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/outputs/requested_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/join.hpp"
#include "io/image_file.hpp"

namespace meander::simulation {

namespace {

Points points_of(const RequestedOutput& request) {
  const auto in_space = [](const std::vector<double>& x) {
    std::array<double, 3> point{};
    std::ranges::copy(x, point.begin());
    return point;
  };
  if (request.kind == OutputKind::probe) return {in_space(request.at)};
  Points points;
  if (request.kind != OutputKind::line) return points;
  const std::array<double, 3> from = in_space(request.from), to = in_space(request.to);
  for (int n = 0; n < request.points; ++n) {
    std::array<double, 3>& x = points.emplace_back();
    const double share = static_cast<double>(n) / (request.points - 1);
    // The ends are met exactly.
    for (std::size_t a = 0; a < 3; ++a) x[a] = (1 - share) * from[a] + share * to[a];
  }
  return points;
}

// The positions, then the columns as in other files of samples.
std::string header_of_line(const RequestedOutput& request, const std::string& name, const Points& points) {
  std::string text = fmt::format("{} at {} points of line '{}'\n", name, points.size(), request.name);
  for (std::size_t a = 0; a < request.from.size(); ++a) {
    text += axis_names[a];
    for (const auto& x : points) text += fmt::format(" {}", x[a]);
    text += '\n';
  }
  text += "1: time";
  for (std::size_t n = 0; n < points.size(); ++n) text += fmt::format("  {}: point {}", n + 2, n);
  return text + '\n';
}

}  // namespace

RequestedOutputs::RequestedOutputs(Simulation& simulation, const std::string& directory)
    : simulation_(simulation),
      directory_(directory),
      grid_(simulation.config(), simulation.config().mesh.patch_size) {
  const Config& config = simulation.config();
  for (const RequestedOutput& request : config.output.requested) {
    entries_.push_back(
        {.request = request,
         .fields = output_fields(simulation.solver(), request.fields),
         .schedule = {config.time.start, request.every, request.every_steps, request.times,
                      simulation.time()},
         .series = io::PlotSeries(directory, request.stem()),
         .sphere = request.kind == OutputKind::sphere ? cells_of_sphere(request, config) : SphereCells(),
         .points = points_of(request)});
  }
}

std::size_t RequestedOutputs::Entry::row_files() const {
  if (!request.has_rows()) return 0;
  return request.kind == OutputKind::probe ? 1 : names_of(fields).size();
}

std::vector<io::RowFile> RequestedOutputs::row_files() const {
  std::vector<io::RowFile> files;
  for (const Entry& entry : entries_) {
    const std::vector<std::string> names = names_of(entry.fields);
    if (entry.request.kind == OutputKind::probe)
      files.push_back({entry.request.stem() + ".csv", io::RowFile::Table{names}});
    if (entry.request.kind != OutputKind::line) continue;
    for (const std::string& name : names)
      files.push_back({fmt::format("{}_{}.txt", entry.request.stem(), name),
                       io::RowFile::Samples{header_of_line(entry.request, name, entry.points)}});
  }
  return files;
}

std::size_t RequestedOutputs::numbers_of_row(const RequestedOutput& request) const {
  const auto entry =
      std::ranges::find_if(entries_, [&](const Entry& one) { return one.request.stem() == request.stem(); });
  return request.kind == OutputKind::probe ? names_of(entry->fields).size() : entry->points.size();
}

std::vector<io::RowFileNames> RequestedOutputs::all_row_files() {
  return {{io::RowFormat::table, "", "probe_[-A-Za-z0-9]+\\.csv"},
          {io::RowFormat::samples, "", "line_[-A-Za-z0-9]+_[A-Za-z0-9_]+\\.txt"}};
}

double RequestedOutputs::next_stop() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Entry& entry : entries_) next = std::min(next, entry.schedule.next());
  return next;
}

std::vector<io::Row> RequestedOutputs::start() {
  return write(std::vector<bool>(entries_.size(), true));
}

std::vector<io::Row> RequestedOutputs::after_step(bool is_last) {
  std::vector<bool> due;
  for (Entry& entry : entries_) {
    const bool scheduled = entry.schedule.due(simulation_.step(), simulation_.time());
    due.push_back(scheduled || (is_last && !entry.request.has_rows()));
  }
  return write(due);
}

void RequestedOutputs::finish() {
  std::vector<std::uint8_t> lacks;  // the root knows
  for (const Entry& entry : entries_) {
    const std::string name = io::image_name(entry.request.stem(), simulation_.step());
    lacks.push_back(!entry.request.has_rows() && entry.series.last() != name);
  }
  simulation_.communicator().broadcast(lacks);
  write(std::vector<bool>(lacks.begin(), lacks.end()));
}

template <class Body>
void RequestedOutputs::with_state(std::span<const Entry* const> entries, const Body& body) const {
  bool reads_halos = false;
  const auto look_at = [&](const std::vector<OutputField>& fields) {
    for (const OutputField& field : fields) {
      for (const VolumeNumber& number : field.components)
        reads_halos = reads_halos || number.of_patch != nullptr;
    }
  };
  for (const Entry* entry : entries) {
    look_at(entry->fields);
    if (!entry->request.weight.empty())
      look_at(output_fields(simulation_.solver(), {&entry->request.weight, 1}));
  }
  const StateView view = reads_halos ? simulation_.view("output") : simulation_.interiors("output");
  const std::vector<Piece> leaves =
      whole_leaves(view.levels, simulation_.leaf_indices(), grid_.dims(), grid_.patch_size());
  body(SampledState{view, leaves, grid_, simulation_.solver()});
}

std::vector<io::Row> RequestedOutputs::write(const std::vector<bool>& due) {
  std::size_t files = 0;
  for (const Entry& entry : entries_) files += entry.row_files();
  std::vector<io::Row> all(files);
  std::vector<const Entry*> entries;
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    if (due[n]) entries.push_back(&entries_[n]);
  }
  if (entries.empty()) return all;
  with_state(entries, [&](const SampledState& state) {
    auto row = all.begin();
    for (std::size_t n = 0; n < entries_.size(); ++n) {
      Entry& entry = entries_[n];
      if (!entry.request.has_rows()) {
        if (due[n]) write_image(entry, state);
        continue;
      }
      if (due[n]) std::ranges::move(rows(entry, state), row);
      row += static_cast<std::ptrdiff_t>(entry.row_files());
    }
  });
  return all;
}

Image RequestedOutputs::image_of(const Entry& entry, const SampledState& state) const {
  return entry.request.kind == OutputKind::sphere ? sample_sphere(state, entry.sphere, entry.request)
                                                  : sample_region(state, entry.request);
}

double RequestedOutputs::image_bytes(const RequestedOutput& request) const {
  double bytes = 0;
  for (const Entry& entry : entries_) {
    if (entry.request.stem() != request.stem()) continue;
    const Entry* const one = &entry;
    with_state(std::span(&one, 1), [&](const SampledState& state) {
      const Image image = image_of(entry, state);
      const double number = simulation_.config().output.precision == "float64" ? 8 : 4;
      for (const io::ImageField& field : image.fields)
        bytes += static_cast<double>(field.values.size()) * (field.integer ? 4 : number);
      constexpr double of_point = 4 * 8;  // three coordinates and its place in the list of cells
      bytes += of_point * static_cast<double>(image.cells.points.size());
    });
  }
  return bytes;
}

void RequestedOutputs::write_image(Entry& entry, const SampledState& state) {
  const Image image = image_of(entry, state);
  const parallel::Communicator& communicator = state.view.communicator;
  communicator.agree([&] {
    if (!communicator.is_root()) return;
    const Config& config = simulation_.config();
    const std::string name = io::image_name(entry.request.stem(), simulation_.step());
    const io::ImageMeta meta{output_kinds()[static_cast<std::size_t>(entry.request.kind)].name,
                             entry.request.name, config.domain.dimensions, simulation_.step(),
                             simulation_.time()};
    const io::PlotOptions options{.float64 = config.output.precision == "float64"};
    const std::string path = directory_ + "/" + name;
    if (image.cells.points.empty())
      io::write_image(path, image.mesh, image.fields, meta, options);
    else
      io::write_cells(path, image.cells, image.fields, meta, options);
    if (entry.series.last() != name) entry.series.add(name, simulation_.time());
  });
}

std::vector<io::Row> RequestedOutputs::rows(const Entry& entry, const SampledState& state) const {
  const auto values = sample_points(state, entry.points, entry.fields);
  std::vector<io::Row> rows(entry.row_files());
  for (std::size_t n = 0; n < values.size(); ++n) {
    io::Row& row = rows[entry.request.kind == OutputKind::probe ? 0 : n];
    for (const double value : values[n]) row.push_back(io::History::cell(value));
  }
  return rows;
}

void RequestedOutputs::check_resume(double time) {
  for (Entry& entry : entries_) {
    if (!entry.request.has_rows()) entry.series.keep_until(time);
  }
}

void RequestedOutputs::resume() {
  for (const Entry& entry : entries_) entry.series.cut();
}

}  // namespace meander::simulation
