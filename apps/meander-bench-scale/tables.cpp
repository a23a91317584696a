// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace meander::bench {
namespace {

using mesh::RankCosts;

// A figure of a rank: column of the CSV, and scale and digits in the Markdown tables.
struct Figure {
  const char* name;
  double (*of)(const RankCosts&);
};

constexpr double ms = 1e3, us = 1e6, kilo = 1e-3, mega = 1e-6;

template <auto member>
double count(const RankCosts& rank) {
  return static_cast<double>(rank.*member);
}

double messages(const RankCosts& rank) {
  return static_cast<double>(rank.messages());
}
double bytes(const RankCosts& rank) {
  return static_cast<double>(rank.bytes());
}

constexpr Figure figures[] = {
    {"leaves", count<&RankCosts::leaves>},
    {"border_leaves", count<&RankCosts::border_leaves>},
    {"ghosts", count<&RankCosts::ghosts>},
    {"coarse_cells", count<&RankCosts::coarse_cells>},
    {"ghost_patches", count<&RankCosts::ghost_patches>},
    {"neighbours", count<&RankCosts::neighbours>},
    {"halo_messages", count<&RankCosts::halo_messages>},
    {"halo_bytes", count<&RankCosts::halo_bytes>},
    {"flux_messages", count<&RankCosts::flux_messages>},
    {"flux_bytes", count<&RankCosts::flux_bytes>},
    {"messages", messages},
    {"bytes", bytes},
    {"patch_bytes", count<&RankCosts::patch_bytes>},
    {"list_bytes", count<&RankCosts::list_bytes>},
    {"buffer_bytes", count<&RankCosts::buffer_bytes>},
    {"table_bytes", count<&RankCosts::table_bytes>},
    {"ghost_seconds", count<&RankCosts::ghost_seconds>},
    {"list_seconds", count<&RankCosts::list_seconds>},
    {"plan_seconds", count<&RankCosts::plan_seconds>},
};

std::string cell(const Census& census, double (*figure)(const RankCosts&), double scale, int digits) {
  const auto spread = census.spread(figure);
  return fmt::format("{:.{}f} / {:.{}f}", spread.mean * scale, digits, spread.max * scale, digits);
}

void print_row(const std::vector<std::string>& cells) {
  fmt::print("| {} |\n", fmt::join(cells, " | "));
}

void print_head(const std::vector<std::string>& cells) {
  print_row(cells);
  print_row(std::vector<std::string>(cells.size(), "---"));
}

std::string shape(const Census& census) {
  return fmt::format("{} {}D", census.tree, census.dim);
}

}  // namespace

void print_counts(std::span<const Census> all) {
  print_head({"tree", "leaves", "ranks", "leaves a rank", "ghosts", "border leaves", "neighbour ranks",
              "messages a stage", "kB a stage"});
  for (const Census& c : all) {
    print_row({shape(c), fmt::format("{}", c.leaves), fmt::format("{}", c.ranks),
               cell(c, count<&RankCosts::leaves>, 1, 1), cell(c, count<&RankCosts::ghosts>, 1, 0),
               cell(c, count<&RankCosts::border_leaves>, 1, 0), cell(c, count<&RankCosts::neighbours>, 1, 1),
               cell(c, messages, 1, 1), cell(c, bytes, kilo, 0)});
  }
}

void print_memory(std::span<const Census> all) {
  print_head({"tree", "leaves", "ranks", "patches [MB]", "buffers [MB]", "lists and plans [MB]",
              "coarse cells", "table [kB]", "cut [ms]", "ghosts [us]", "lists and plans [us]"});
  for (const Census& c : all) {
    print_row(
        {shape(c), fmt::format("{}", c.leaves), fmt::format("{}", c.ranks),
         cell(c, count<&RankCosts::patch_bytes>, mega, 2), cell(c, count<&RankCosts::buffer_bytes>, mega, 2),
         cell(c, count<&RankCosts::list_bytes>, mega, 3), cell(c, count<&RankCosts::coarse_cells>, 1, 0),
         fmt::format("{:.2f}", c.spread(count<&RankCosts::table_bytes>).max * kilo),
         fmt::format("{:.2f}", c.cut_seconds * ms), cell(c, count<&RankCosts::ghost_seconds>, us, 0),
         cell(
             c, [](const RankCosts& rank) { return rank.list_seconds + rank.plan_seconds; }, us, 0)});
  }
}

void print_model(std::span<const Census> all, const Machine& machine) {
  fmt::print("latency {:.3g} s, bandwidth {:.3g} B/s, rate {:.3g} volumes/s\n\n", machine.latency,
             machine.bandwidth, machine.rate);
  print_head({"tree", "leaves", "ranks", "imbalance", "update [ms]", "step, exposed [ms]",
              "step, hidden [ms]", "efficiency, exposed", "efficiency, hidden", "regrid [ms]"});
  for (const Census& c : all) {
    const Prediction now = predict(c, machine);
    const auto leaves = c.spread(count<&RankCosts::leaves>);
    print_row({shape(c), fmt::format("{}", c.leaves), fmt::format("{}", c.ranks),
               fmt::format("{:.3f}", leaves.max / leaves.mean), fmt::format("{:.3f}", now.compute * ms),
               fmt::format("{:.3f}", now.exposed * ms), fmt::format("{:.3f}", now.hidden * ms),
               fmt::format("{:.2f}", now.ideal / now.exposed), fmt::format("{:.2f}", now.ideal / now.hidden),
               fmt::format("{:.2f}", now.regrid * ms)});
  }
}

void write_csv(std::FILE* file, std::span<const Census> all, const Machine& machine) {
  fmt::print(file, "tree,dimensions,patch_size,stages,leaves,levels,ranks,cut_seconds");
  for (const Figure& figure : figures) fmt::print(file, ",{0}_mean,{0}_max", figure.name);
  fmt::print(file, ",update_seconds,exposed_seconds,hidden_seconds,reduction_seconds,regrid_seconds\n");
  for (const Census& c : all) {
    fmt::print(file, "{},{},{},{},{},{},{},{}", c.tree, c.dim, c.patch_size, c.stages, c.leaves, c.levels,
               c.ranks, c.cut_seconds);
    for (const Figure& figure : figures) {
      const auto spread = c.spread(figure.of);
      fmt::print(file, ",{},{}", spread.mean, spread.max);
    }
    const Prediction p = predict(c, machine);
    fmt::print(file, ",{},{},{},{},{}\n", p.compute, p.exposed, p.hidden, p.reduction, p.regrid);
  }
}

}  // namespace meander::bench
