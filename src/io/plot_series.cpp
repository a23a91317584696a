// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/plot_series.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "io/files.hpp"
#include "io/key_table.hpp"

namespace meander::io {

namespace {

constexpr std::string_view head = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n",
                           foot = "  ]\n}\n", before_name = "    {\"name\": \"",
                           before_time = "\", \"time\": ";

// Parses a file of write(); false if write() did not write it.
bool parse(std::string_view text, std::vector<std::pair<std::string, double>>& files) {
  if (!text.starts_with(head) || !text.ends_with(foot)) return false;
  text.remove_prefix(head.size());
  text.remove_suffix(foot.size());
  while (!text.empty()) {
    const std::string line(text.substr(0, text.find('\n')));
    if (!line.starts_with(before_name)) return false;
    const std::size_t middle = line.find(before_time);
    if (middle == std::string::npos) return false;
    const char* number = line.c_str() + middle + before_time.size();
    char* end = nullptr;
    const double time = std::strtod(number, &end);
    if (end == number || *end != '}') return false;
    const std::string name = line.substr(before_name.size(), middle - before_name.size());
    if (toml_text(name).size() != name.size() + 2) return false;  // names of add() contain no escapes
    files.emplace_back(name, time);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return true;
}

}  // namespace

std::string PlotSeries::path() const {
  return directory_ + "/plot.vtkhdf.series";
}

std::vector<std::pair<std::string, double>> PlotSeries::read(const std::string& path) {
  const std::string text = read_text_file(path);
  std::vector<std::pair<std::string, double>> files;
  if (!parse(text, files)) throw InputError(path + ": is no series of plot files of this program");
  return files;
}

void PlotSeries::keep_until(double time) {
  files_.clear();
  if (!std::filesystem::exists(path())) return;
  files_ = read(path());
  std::erase_if(files_, [&](const auto& entry) { return entry.second > time; });
}

void PlotSeries::cut() const {
  if (std::filesystem::exists(path())) write();
}

void PlotSeries::resume(double time) {
  keep_until(time);
  cut();
}

void PlotSeries::add(const std::string& name, double time) {
  files_.emplace_back(name, time);
  write();
}

void PlotSeries::write() const {
  std::string text(head);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    text += fmt::format("    {{\"name\": {}, \"time\": {}}}{}\n", toml_text(files_[i].first),
                        files_[i].second, i + 1 < files_.size() ? "," : "");
  }
  text += foot;
  write_whole(path(), text);
}

}  // namespace meander::io
