// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "base/join.hpp"
#include "io/checkpoint_file.hpp"
#include "io/document.hpp"
#include "io/files.hpp"
#include "io/image_file.hpp"
#include "io/plot_file.hpp"
#include "io/subprocess.hpp"
#include "simulation/config/check_restart.hpp"
#include "simulation/config/config.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {

namespace {

constexpr std::size_t head_of_file = 512;
constexpr std::string_view words_column = "status";  // of tables of diagnostics
constexpr std::size_t most_words = 10;               // that are listed
constexpr std::string_view columns_of_samples =
    "# 1: time";  // the comment that describes them (io/row_files.hpp)

// A number in its shortest form that reads back to the same bits.
std::string number(double value) {
  return fmt::format("{}", value);
}

std::string line(std::string_view key, std::string_view value) {
  return fmt::format("  {:<11} {}\n", key, value);
}

std::string level_lines(const std::vector<io::LevelFacts>& levels) {
  std::string text;
  std::int64_t all = 0;
  for (const io::LevelFacts& level : levels) {
    all += level.leaves;
    text += line(fmt::format("level {}", level.level), fmt::format("{} leaves, volumes {} wide", level.leaves,
                                                                   fmt::format("{:.6g}", level.spacing)));
  }
  return line("leaves", fmt::format("{}", all)) + text;
}

std::string field_lines(const std::vector<io::FieldFacts>& fields) {
  std::size_t width = 0;
  for (const io::FieldFacts& field : fields) width = std::max(width, field.name.size());
  std::string text;
  for (const io::FieldFacts& field : fields) {
    const std::string range =
        field.min <= field.max ? fmt::format("{:.6g} to {:.6g}", field.min, field.max) : "-";
    text += fmt::format("    {:<{}}  {}{}{}\n", field.name, width, range,
                        field.components > 1 ? " (magnitude)" : "",
                        field.not_finite > 0 ? fmt::format(", and {} not finite", field.not_finite) : "");
  }
  return fmt::format("  fields, least to largest value\n{}", text);
}

// Memory of all patches of a checkpoint.
double bytes_of_patches(const io::CheckpointReader& checkpoint) {
  return sizeof(double) * static_cast<double>(checkpoint.mesh().mesh.layout.slot_size()) *
         static_cast<double>(checkpoint.leaves());
}

// Bounds of the unknowns. Reads all patches, which verifies them.
std::vector<io::FieldFacts> bounds_of_fields(io::CheckpointReader& checkpoint) {
  const io::CheckpointMesh& mesh = checkpoint.mesh();
  const solvers::PatchLayout& layout = mesh.mesh.layout;
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<io::FieldFacts> fields;
  for (const std::string& name : mesh.unknowns) fields.push_back({name, 1, infinity, -infinity});
  const auto slot = static_cast<std::size_t>(layout.slot_size());
  const std::int64_t leaves = checkpoint.leaves();
  std::vector<double> values(slot * static_cast<std::size_t>(leaves));
  std::vector<double*> slots;
  for (std::int64_t leaf = 0; leaf < leaves; ++leaf)
    slots.push_back(&values[slot * static_cast<std::size_t>(leaf)]);
  checkpoint.read_patches(0, leaves, layout, slots);
  for (const double* patch : slots) {
    for (int u = 0; u < layout.unknowns; ++u) {
      auto& field = fields[static_cast<std::size_t>(u)];
      const double* first = patch + layout.at(u, 0, 0, 0);
      for (std::ptrdiff_t v = 0; v < layout.volumes(); ++v) {
        field.min = std::min(field.min, first[v]);
        field.max = std::max(field.max, first[v]);
      }
    }
  }
  return fields;
}

std::string about_input(const Config& config) {
  const MeshConfig& mesh = config.mesh;
  return line("equation", config.equation_name) + line("scenario", config.scenario_name) +
         line("domain", fmt::format("{}D, [{}] to [{}]", config.domain.dimensions,
                                    join(config.domain.lower, ", "), join(config.domain.upper, ", "))) +
         line("mesh", fmt::format("patches of {}^{} volumes, levels {} to {}", mesh.patch_size,
                                  config.domain.dimensions, mesh.min_level, mesh.max_level)) +
         line(
             "ends at",
             fmt::format("t = {}{}", number(config.time.end),
                         config.time.max_steps > 0 ? fmt::format(" or step {}", config.time.max_steps) : ""));
}

std::string about_checkpoint(const std::string& path, double memory) {
  io::CheckpointReader checkpoint(path, {});
  const CheckpointFacts facts = facts_of(checkpoint, path);
  const io::CheckpointState& state = checkpoint.state();
  std::vector<io::LevelFacts> levels;
  const auto leaves = checkpoint.read_leaves(0, checkpoint.leaves());
  for (int level = checkpoint.finest_level(); level >= 0; --level) {
    const auto count = std::count_if(leaves.begin(), leaves.end(),
                                     [&](const io::PlotLeaf& leaf) { return leaf.level == level; });
    if (count > 0) levels.insert(levels.begin(), {level, count, checkpoint.mesh().mesh.spacing(level)});
  }
  const double bytes = bytes_of_patches(checkpoint);
  const bool fits = bytes <= memory;
  const std::string fields =
      fits ? field_lines(bounds_of_fields(checkpoint))
           : line("fields", fmt::format("not read: they take {} of memory, and {} are available",
                                        io::size_text(bytes), io::size_text(memory)));
  return fmt::format("{}: a checkpoint, complete and {}\n", path,
                     fits ? "undamaged" : "undamaged but for its patches, which are not read") +
         line("step", fmt::format("{}", state.step)) + line("time", number(state.time)) +
         line("last step", number(state.dt)) + about_input(facts.config) + level_lines(levels) + fields +
         line("size", io::size_text(static_cast<double>(std::filesystem::file_size(path)))) +
         line("written by", io::read_file_origin(path).line()) +
         line("continue", fmt::format("meander restart {}", path));
}

std::string about_image(const std::string& path) {
  const io::ImageFacts facts = io::read_image_facts(path);
  std::string pixels;
  for (std::size_t a = 0; a < 3; ++a) {
    if (facts.pixels[a] > 0)
      pixels += fmt::format("{}{} along {}", pixels.empty() ? "" : ", ", facts.pixels[a], axis_names[a]);
  }
  return fmt::format("{}: a file of [[output.{}]] (VTKHDF), for ParaView\n", path, facts.meta.kind) +
         line("name", facts.meta.name) + line("step", fmt::format("{}", facts.meta.step)) +
         line("time", number(facts.meta.time)) +
         (pixels.empty() ? line("cells", fmt::format("{}", facts.cells)) : line("pixels", pixels)) +
         field_lines(facts.fields) +
         line("size", io::size_text(static_cast<double>(std::filesystem::file_size(path)))) +
         line("written by", facts.origin.line());
}

std::string about_plot(const std::string& path) {
  return io::run_in_subprocess(path, [&] {
    if (io::is_image_file(path)) return about_image(path);
    const io::PlotFacts facts = io::read_plot_facts(path);
    return fmt::format("{}: a plot file (VTKHDF), for ParaView\n", path) +
           line("step", fmt::format("{}", facts.step)) + line("time", number(facts.time)) +
           about_input(load_stored_input(facts.input, path)) + level_lines(facts.levels) +
           field_lines(facts.fields) +
           line("size", io::size_text(static_cast<double>(std::filesystem::file_size(path)))) +
           line("written by", facts.origin.line()) +
           line("continue", "not from a plot file: from a checkpoint, chk_*.hdf5");
  });
}

std::string about_series(const std::string& path) {
  const auto files = io::PlotSeries::read(path);
  std::string text = fmt::format("{}: a series of files of a run, for ParaView\n", path) +
                     line("files", fmt::format("{}", files.size()));
  if (!files.empty())
    text += line("times", fmt::format("{} to {}", number(files.front().second), number(files.back().second)));
  const auto directory = std::filesystem::path(path).parent_path();
  for (const auto& [name, time] : files) {
    if (!std::filesystem::exists(directory / name)) text += line("missing", name);
  }
  return text;
}

// The values of a column of a text file: numbers, or words, counted.
struct ColumnFacts {
  io::FieldFacts numbers;
  bool has_words = false;
  std::map<std::string, std::int64_t> words;

  explicit ColumnFacts(const std::string& name)
      : numbers{.name = name,
                .min = std::numeric_limits<double>::infinity(),
                .max = -std::numeric_limits<double>::infinity()},
        has_words(name == words_column) {}

  // False: the cell is no value of this column.
  bool add(const std::string& cell) {
    if (cell.empty()) return false;
    if (has_words) {
      ++words[cell];
      return true;
    }
    char* end = nullptr;
    const double x = std::strtod(cell.c_str(), &end);
    if (*end != '\0') return false;
    if (std::isfinite(x)) {
      numbers.min = std::min(numbers.min, x);
      numbers.max = std::max(numbers.max, x);
    } else {
      ++numbers.not_finite;
    }
    return true;
  }
};

// Reads the rows that are left; `line` is the number of the first. The last line of a running or killed run may be incomplete.
std::int64_t read_rows(std::istream& lines, const std::string& path, std::int64_t line, char separator,
                       std::vector<ColumnFacts>& columns) {
  std::int64_t rows = 0;
  for (std::string row; std::getline(lines, row) && !lines.eof(); ++rows) {
    std::istringstream cells(row);
    std::string cell;
    for (std::size_t n = 0; n < columns.size(); ++n) {
      if (std::getline(cells, cell, separator) && columns[n].add(cell)) continue;
      throw InputError(fmt::format("{}:{}: is damaged: the row has no {} in column {}", path, line + rows,
                                   columns[n].has_words ? "word" : "number", n + 1));
    }
  }
  return rows;
}

std::string row_lines(std::int64_t rows, const std::vector<ColumnFacts>& columns) {
  std::string text = line("rows", fmt::format("{}", rows));
  std::vector<io::FieldFacts> numbers;
  for (const ColumnFacts& column : columns) {
    if (!column.has_words) {
      numbers.push_back(column.numbers);
      continue;
    }
    std::vector<std::string> words;
    for (const auto& [word, count] : column.words) words.push_back(fmt::format("{} {}", word, count));
    if (words.size() > most_words) {
      const std::size_t others = words.size() - most_words;
      words.resize(most_words);
      words.push_back(fmt::format("and {} other words", others));
    }
    text += line(column.numbers.name, join(words, ", "));
  }
  return text + field_lines(numbers);
}

std::string about_history(const std::string& path, const std::string& text) {
  std::istringstream lines(text);
  std::string header;
  std::getline(lines, header);
  std::vector<ColumnFacts> columns;
  std::istringstream names(header);
  for (std::string name; std::getline(names, name, ',');) columns.emplace_back(name);
  const std::int64_t rows = read_rows(lines, path, 2, ',', columns);
  const bool has_words = std::ranges::any_of(columns, &ColumnFacts::has_words);
  return fmt::format("{}: {}\n", path,
                     has_words ? "a table of a diagnostic, one row each time it was due"
                               : "a history, one row every few steps") +
         row_lines(rows, columns);
}

// Whether the comments at the beginning describe columns of samples. Those of an input file do not.
bool has_samples(const std::string& text) {
  std::istringstream lines(text);
  for (std::string comment; std::getline(lines, comment) && comment.starts_with('#');) {
    if (comment.starts_with(columns_of_samples)) return true;
  }
  return false;
}

// "# 1: time  2: real part  3: imaginary part"
std::vector<ColumnFacts> columns_of(const std::string& comment) {
  std::vector<ColumnFacts> columns;
  for (std::size_t begin = 2; begin < comment.size();) {
    const std::size_t end =
        std::min(comment.find(fmt::format("  {}: ", columns.size() + 2), begin), comment.size());
    const std::string column = comment.substr(begin, end - begin);
    columns.emplace_back(column.substr(column.find(' ') + 1));
    begin = end + 2;
  }
  return columns;
}

std::string about_samples(const std::string& path, const std::string& text) {
  std::istringstream lines(text);
  std::string about = fmt::format("{}: samples of a diagnostic, one row each time they were due\n", path);
  std::int64_t number = 1;
  std::string comment;
  for (; std::getline(lines, comment) && !comment.starts_with(columns_of_samples); ++number)
    about += fmt::format("  {}\n", comment.substr(std::min<std::size_t>(2, comment.size())));
  std::vector<ColumnFacts> columns = columns_of(comment);
  const std::int64_t rows = read_rows(lines, path, number + 1, ' ', columns);
  return about + row_lines(rows, columns);
}

std::string about_text(const std::string& path) {
  const std::string text = io::read_text_file(path);
  if (text.starts_with("step,")) return about_history(path, text);
  if (text.starts_with("{")) return about_series(path);
  if (has_samples(text)) return about_samples(path, text);
  if (text.find('\0') != std::string::npos || path.ends_with(".csv") || text.empty())
    throw InputError(fmt::format(
        "{}: is no checkpoint, plot file, series, history, file of a diagnostic or input file", path));
  const Config config =
      load_config_text(text, path, {}, scenarios(), std::numeric_limits<double>::infinity());
  return fmt::format("{}: an input file\n", path) + about_input(config) +
         line("run", fmt::format("meander run {}", path));
}

}  // namespace

std::string info(const std::string& path, double memory) {
  constexpr std::string_view hdf5 = "\x89HDF\r\n\x1a\n";
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("{}: is a directory; name a file in it", path));
  const std::string start = io::read_start(path, head_of_file + hdf5.size());
  if (!start.empty() && io::CheckpointHead::starts(start)) return about_checkpoint(path, memory);
  if (start.starts_with(hdf5)) return about_plot(path);
  if (start.size() > head_of_file && start.substr(head_of_file).starts_with(hdf5))
    return about_checkpoint(path, memory);
  return about_text(path);
}

}  // namespace meander::simulation
