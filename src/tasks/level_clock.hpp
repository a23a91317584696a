// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The schedule of local time steps: one step of level 0 as ticks, each a step of the finest level. At the
// beginning of a tick some levels begin a step: level first() and all finer ones, which stand at the same
// time. At its end some levels have reached the end of their step: the finest level and zero or more coarser
// ones.
//
// A level's time is that of the coarser level's step plus substep / ratio of its length, so that no sum of
// steps accumulates rounding errors.

#include <cstddef>
#include <span>
#include <vector>

namespace meander::tasks {

class LevelClock {
 public:
  struct Level {
    int ratio = 1, substep = 0;  // the step is number `substep` of `ratio` in the coarser level's step
    double t = 0, dt = 0;        // beginning and length of the step
    // Fraction of the coarser level's step that has passed at the beginning of this one.
    double theta() const { return static_cast<double>(substep) / ratio; }
  };

  // Begins a step of level 0 from t by dt. All levels are due to begin.
  void start(std::size_t levels, double t, double dt) {
    levels_.assign(levels, {});
    levels_[0] = {1, 0, t, dt};
    first_ = 0;
    is_done_ = false;
  }

  std::size_t levels() const { return levels_.size(); }
  std::size_t first() const { return first_; }
  const Level& operator[](std::size_t level) const { return levels_[level]; }
  bool is_done() const { return is_done_; }

  // Fraction of the level's step that has passed at the beginning of the tick; 0 for first() and finer levels.
  double passed(std::size_t level) const {
    if (level >= first_) return 0;
    const Level& finer = levels_[level + 1];
    return (finer.substep + passed(level + 1)) / finer.ratio;
  }

  // The finest level that takes the same steps as this one and all between them.
  std::size_t last_with_step_of(std::size_t level) const {
    while (level + 1 < levels_.size() && levels_[level + 1].ratio == 1) ++level;
    return level;
  }

  // Begins the first substep of all levels finer than first(), whose ratios are given, coarsest first.
  void begin_finer(std::span<const int> ratios) {
    for (std::size_t level = first_ + 1; level < levels_.size(); ++level) {
      const Level& coarser = levels_[level - 1];
      const int ratio = ratios[level - first_ - 1];
      levels_[level] = {ratio, 0, coarser.t, coarser.dt / ratio};
    }
  }

  // The coarsest level whose step ends at the end of the tick; all finer ones end theirs, too.
  std::size_t ending() const {
    std::size_t level = levels_.size() - 1;
    while (level > 0 && levels_[level].substep + 1 == levels_[level].ratio) --level;
    return level;
  }

  // Ends the tick. Returns ending(); this level is the next to begin, unless it is level 0.
  std::size_t end_tick() {
    const std::size_t level = ending();
    is_done_ = level == 0;
    if (level > 0) {
      Level& next = levels_[level];
      const Level& coarser = levels_[level - 1];
      ++next.substep;
      next.t = coarser.t + next.substep * coarser.dt / next.ratio;
    }
    first_ = level;
    return level;
  }

 private:
  std::vector<Level> levels_;
  std::size_t first_ = 0;
  bool is_done_ = true;
};

}  // namespace meander::tasks
