// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/row_files.hpp"

#include <fmt/format.h>

#include "base/assert.hpp"

namespace meander::io {

RowFiles::RowFiles(const std::string& directory, std::span<const RowFile> files)
    : RowFiles(directory, files, nullptr) {}

RowFiles::RowFiles(const std::string& directory, std::span<const RowFile> files, const StepAndTime& last)
    : RowFiles(directory, files, &last) {}

RowFiles::RowFiles(const std::string& directory, std::span<const RowFile> files, const StepAndTime* last) {
  std::vector<SampleFile> samples;
  for (const RowFile& file : files) {
    auto& table = tables_.emplace_back();
    if (const auto* format = std::get_if<RowFile::Samples>(&file.format)) {
      samples.push_back({file.name, format->header});
      continue;
    }
    std::vector<Column> columns = {{"step", ""}, {"time", ""}};
    for (const std::string& name : std::get<RowFile::Table>(file.format).columns)
      columns.push_back({name, ""});
    const std::string path = directory + "/" + file.name;
    if (last == nullptr)
      table.emplace(path, columns);
    else
      table.emplace(path, columns, last->step);
  }
  if (last == nullptr)
    samples_.emplace(directory, std::move(samples));
  else
    samples_.emplace(directory, std::move(samples), last->time);
}

void RowFiles::add(const StepAndTime& at, std::span<const Row> rows) {
  MEANDER_ASSERT(rows.size() == tables_.size());
  SampleRows samples;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::vector<std::string> cells;
    if (!rows[n].empty()) {
      if (tables_[n]) cells.push_back(fmt::format("{}", at.step));
      cells.push_back(History::cell(at.time));
      cells.insert(cells.end(), rows[n].begin(), rows[n].end());
    }
    if (!tables_[n])
      samples.push_back(std::move(cells));
    else if (!cells.empty())
      tables_[n]->row(cells);
  }
  samples_->add(samples);
}

void RowFiles::flush() {
  samples_->flush();
}

}  // namespace meander::io
