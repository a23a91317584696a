// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/scenario_tools/file_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/vec.hpp"
#include "simulation/config/field_names.hpp"
#include "solvers/limiters.hpp"

namespace meander::simulation {

namespace {

constexpr int nodes_of_cubic = 4;          // of a cubic
constexpr double border_tolerance = 1e-3;  // of a volume: by which the domain may exceed the file
constexpr double same_width = 1e-6;
constexpr std::size_t most_unknowns_shown = 6;

// The name under which a file holds a field: "velocity-x" of formulas is "velocity_x".
std::string name_in_files(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

// The nearest integer, where x is one but for rounding.
double snapped(double x, double tolerance) {
  const double nearest = std::round(x);
  return std::abs(x - nearest) <= tolerance ? nearest : x;
}

// The value of output.fields that writes these scalars: vectors by their stem.
std::string plot_fields_for(const solvers::Solver& solver, const std::vector<std::string>& names) {
  const auto vectors = vector_names(solver);
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    const std::string stem = name.substr(0, name.size() < 2 ? 0 : name.size() - 2);
    const bool is_component = std::ranges::find(vectors, stem) != vectors.end();
    const std::string text = fmt::format("\"{}\"", is_component ? stem : name);
    if (std::ranges::find(quoted, text) == quoted.end()) quoted.push_back(text);
  }
  return join(quoted, ", ");
}

// Whether Solver::complete() sets the unknown.
bool is_completed(const solvers::Solver& solver, std::size_t unknown) {
  double q[solvers::most_unknowns];
  std::fill(std::begin(q), std::end(q), 1.0);
  q[unknown] = std::numeric_limits<double>::quiet_NaN();
  solver.complete(q);
  return !std::isnan(q[unknown]);
}

}  // namespace

FileState::FileState(const std::string& path, const ProblemSetup& setup, Outside outside,
                     const parallel::Communicator& communicator)
    : file_(path, communicator),
      dim_(setup.dim),
      solver_(setup.equation->make_solver(setup.dim)),
      of_formulas_(setup.equation->formula_fields(setup.dim)),
      unknowns_(static_cast<std::size_t>(solver_->traits().unknowns)),
      point_values_(solver_->traits().point_values()),
      read_(file_.blocks()) {
  communicator.agree([&] {
    if (file_.tables().dim != dim_) {
      throw InputError(
          fmt::format("{}: is {}D, but domain.dimensions is {}", path, file_.tables().dim, dim_));
    }
    choose_fields();
    std::vector<BoxTree::Box> boxes(file_.blocks());
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const Geometry box = file_.geometry(b);
      for (int a = 0; a < dim_; ++a) {
        boxes[b].lower[a] = box.lower[a];
        boxes[b].upper[a] = box.upper(a);
      }
    }
    tree_.emplace(std::move(boxes));
    for (int a = 0; a < dim_; ++a)
      extent_[a] = std::max(std::abs(tree_->bounds().lower[a]), std::abs(tree_->bounds().upper[a]));
  });
  check_boxes(communicator);
  communicator.agree([&] { check_domain(setup, outside); });
  try {
    file_.verify(communicator);
    check_values(communicator);
  } catch (const Failure& failure) {
    // Agreed upon: all ranks come here.
    if (communicator.size() > 1) throw parallel::AgreedInputError(failure.what());
    throw InputError(failure.what());
  }
}

FileState::~FileState() {
  for (const auto& block : read_) delete[] block.load();
}

void FileState::choose_fields() {
  const io::StateTables& tables = file_.tables();
  std::vector<std::string> in_file;
  for (const std::string& name : tables.names) in_file.push_back(name_in_files(name));
  const auto find_field = [&](const std::string& name) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(in_file, name_in_files(name));
    if (found == in_file.end()) return {};
    return static_cast<std::size_t>(found - in_file.begin());
  };
  const std::vector<std::string>& unknown_names = solver_->traits().unknown_names;
  std::vector<std::string> unknowns_missing, fields_missing, field_names;
  for (std::size_t u = 0; u < unknown_names.size(); ++u) {
    if (const auto field = find_field(unknown_names[u])) {
      fields_.push_back(*field);
      unknown_of_field_.push_back(u);
    } else if (!is_completed(*solver_, u)) {
      unknowns_missing.push_back(unknown_names[u]);
    }
  }
  if (unknowns_missing.empty()) return;
  fields_.clear();
  conserved_ = false;
  for (const FormulaField& of_formulas : of_formulas_.fields) {
    field_names.push_back(name_in_files(of_formulas.name));
    if (const auto field = find_field(of_formulas.name)) {
      fields_.push_back(*field);
    } else {
      fields_missing.push_back(field_names.back());
    }
  }
  // Unknowns with derivatives do not follow from fields, and fields that are unknowns are missing, too.
  const bool has_others = of_formulas_.unknowns && field_names != unknown_names;
  if (has_others && fields_missing.empty()) return;
  for (const auto& missing : {unknowns_missing, fields_missing}) {
    for (const auto& [name, why] : tables.unfit) {
      if (std::ranges::find(missing, name_in_files(name)) != missing.end())
        throw InputError(why.starts_with(file_.path()) ? why : fmt::format("{}: {}", file_.path(), why));
    }
  }
  const std::string what =
      fmt::format("{}: lacks the unknown{} {}{}", file_.path(), unknowns_missing.size() == 1 ? "" : "s",
                  join(unknowns_missing, ", "),
                  has_others ? fmt::format(", and in place of all unknowns the field{} {}",
                                           fields_missing.size() == 1 ? "" : "s", join(fields_missing, ", "))
                             : "");
  throw InputError(
      tables.kind == io::StateTables::Kind::plot
          ? fmt::format("{}; a run writes all unknowns with output.fields = [{}]", what,
                        plot_fields_for(*solver_, unknown_names))
          : fmt::format("{}; it has {}", what,
                        in_file.empty() ? "no field of the shape of its axes" : join(in_file, ", ")));
}

// Blocks tile a box: none overlaps another, and together they are as large as their bounds.
void FileState::check_boxes(const parallel::Communicator& communicator) const {
  communicator.agree([&] {
    const auto refuse = [&](const char* what) {
      throw InputError(fmt::format("{}: is damaged (its boxes {})", file_.path(), what));
    };
    double sum = 0, whole = 1;
    for (int a = 0; a < dim_; ++a) whole *= tree_->bounds().upper[a] - tree_->bounds().lower[a];
    for (std::size_t b = 0; b < file_.blocks(); ++b) {
      double volume = 1;
      for (int a = 0; a < dim_; ++a) volume *= tree_->box(b).upper[a] - tree_->box(b).lower[a];
      sum += volume;
    }
    if (!(std::abs(sum - whole) <= 1e-9 * whole)) refuse("do not fill a box");
    // Each rank looks at a share of the blocks.
    for (auto b = static_cast<std::size_t>(communicator.rank()); b < file_.blocks();
         b += static_cast<std::size_t>(communicator.size())) {
      const Geometry box = file_.geometry(b);
      double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
      for (int a = 0; a < dim_; ++a) {
        lower[a] = box.lower[a] + 0.25 * box.width[a];
        upper[a] = box.upper(a) - 0.25 * box.width[a];
      }
      tree_->touching(lower, upper, [&](std::size_t other) {
        if (other != b) refuse("overlap");
        return true;
      });
    }
  });
}

void FileState::check_domain(const ProblemSetup& setup, Outside outside) const {
  if (outside == Outside::nearest) return;
  double finest[3];
  std::ranges::fill(finest, std::numeric_limits<double>::infinity());
  for (const auto& widths : file_.tables().widths) {
    for (std::size_t a = 0; a < 3; ++a) finest[a] = std::min(finest[a], widths[a]);
  }
  for (int a = 0; a < dim_; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    const double slack = border_tolerance * finest[axis];
    const double lower = tree_->bounds().lower[a], upper = tree_->bounds().upper[a];
    const auto refuse = [&](double reaches, double ends) {
      throw InputError(
          fmt::format("{}: the domain reaches to {} = {}, but the file ends at {} = {}; scenario.outside = "
                      "\"nearest\" takes the nearest state beyond",
                      file_.path(), axis_names[a], reaches, axis_names[a], ends));
    };
    if (setup.lower[axis] < lower - slack) refuse(setup.lower[axis], lower);
    if (setup.upper[axis] > upper + slack) refuse(setup.upper[axis], upper);
  }
}

std::string FileState::place_text(const Geometry& box, const int* at) const {
  std::string text;
  for (int a = 0; a < dim_; ++a)
    text += fmt::format("{}{:.6g}", a == 0 ? "" : ", ", box.lower[a] + (at[a] + 0.5) * box.width[a]);
  return fmt::format("at {} = ({})", dim_ == 2 ? "(x, y)" : "(x, y, z)", text);
}

std::string FileState::defect_of(std::size_t block) const {
  const Geometry box = file_.geometry(block);
  const std::vector<double> fields = read_fields(block);
  double q[solvers::most_unknowns];
  int at[3] = {0, 0, 0};
  for (std::size_t v = 0; v < static_cast<std::size_t>(box.volumes()); ++v) {
    const double* given = &fields[v * fields_.size()];
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (!std::isfinite(given[f]))
        return fmt::format("{} is {} {}", file_.tables().names[fields_[f]], given[f], place_text(box, at));
    }
    if (!conserved_ && of_formulas_.refusal) {
      if (const auto refusal = of_formulas_.refusal(given)) {
        return fmt::format("{} {}, but is {} {}", file_.tables().names[fields_[refusal->field]], refusal->why,
                           given[refusal->field], place_text(box, at));
      }
    }
    convert(given, q);
    if (!solver_->admissible(q)) {
      std::vector<std::string> shown;
      for (std::size_t u = 0; u < std::min(unknowns_, most_unknowns_shown); ++u)
        shown.push_back(fmt::format("{} = {}", solver_->traits().unknown_names[u], q[u]));
      return fmt::format("the state {} is not admissible: {}{}", place_text(box, at), join(shown, ", "),
                         unknowns_ > most_unknowns_shown ? ", ..." : "");
    }
    for (int a = 0; a < 3 && ++at[a] == box.size[a]; ++a) at[a] = 0;
  }
  return "";
}

// All ranks report the first defect in the order of the file.
void FileState::check_values(const parallel::Communicator& communicator) const {
  const auto count = static_cast<std::int64_t>(file_.blocks());
  std::int64_t first = count;
  std::string defect;
  communicator.agree([&] {
    for (std::int64_t b = communicator.rank(); b < count && defect.empty(); b += communicator.size()) {
      defect = defect_of(static_cast<std::size_t>(b));
      if (!defect.empty()) first = b;
    }
  });
  const std::int64_t earliest = communicator.min(first);
  communicator.agree([&] {
    if (first == earliest && !defect.empty()) throw InputError(fmt::format("{}: {}", file_.path(), defect));
  });
}

std::vector<double> FileState::read_fields(std::size_t block) const {
  const auto volumes = static_cast<std::size_t>(file_.geometry(block).volumes());
  std::vector<double> fields(volumes * fields_.size());
  file_.read(block, fields_, fields);
  return fields;
}

void FileState::convert(const double* fields, double* q) const {
  if (!conserved_) {
    of_formulas_.unknowns(fields, q);
    return of_formulas_.from_means ? of_formulas_.from_means(q) : solver_->complete(q);
  }
  // The file's unknowns stay as they are.
  if (fields_.size() < unknowns_) {
    std::fill_n(q, unknowns_, 0.0);
    for (std::size_t f = 0; f < fields_.size(); ++f) q[unknown_of_field_[f]] = fields[f];
    solver_->complete(q);
  }
  for (std::size_t f = 0; f < fields_.size(); ++f) q[unknown_of_field_[f]] = fields[f];
}

const double* FileState::values(std::size_t block) const {
  if (const double* known = read_[block].load(std::memory_order_acquire)) return known;
  const std::vector<double> fields = read_fields(block);
  const auto volumes = static_cast<std::size_t>(file_.geometry(block).volumes());
  auto converted = std::make_unique<double[]>(volumes * unknowns_);
  for (std::size_t v = 0; v < volumes; ++v) convert(&fields[v * fields_.size()], &converted[v * unknowns_]);
  // Another thread may have read it meanwhile.
  const std::lock_guard lock(mutex_);
  if (const double* known = read_[block].load(std::memory_order_acquire)) return known;
  read_[block].store(converted.get(), std::memory_order_release);
  return converted.release();
}

const double* FileState::value(const Place& place) const {
  const Geometry box = file_.geometry(place.block);
  const int volume = (place.at[2] * box.size[1] + place.at[1]) * box.size[0] + place.at[0];
  return values(place.block) + static_cast<std::size_t>(volume) * unknowns_;
}

// Rounding of coordinates, in volumes of a box.
double FileState::tolerance(const Geometry& box, int axis) const {
  constexpr double roundings = 16;
  return std::min(same_width, 1e-12 + roundings * std::numeric_limits<double>::epsilon() * extent_[axis] /
                                          box.width[axis]);
}

std::optional<FileState::Place> FileState::find(const double* x) const {
  std::optional<Place> found;
  double point[3] = {0, 0, 0};
  std::copy_n(x, dim_, point);
  tree_->touching(point, point, [&](std::size_t block) {
    const Geometry box = file_.geometry(block);
    Place place{block, {0, 0, 0}};
    for (int a = 0; a < dim_; ++a) {
      const double at = std::floor((x[a] - box.lower[a]) / box.width[a]);
      place.at[a] = static_cast<int>(std::clamp(at, 0.0, box.size[a] - 1.0));
    }
    found = place;
    return false;
  });
  return found;
}

void FileState::unknowns(const double* centre, double dx, double* q) const {
  if (point_values_) return interpolate(centre, q);
  double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
  for (int a = 0; a < dim_; ++a) {
    const double first = tree_->bounds().lower[a], last = tree_->bounds().upper[a];
    lower[a] = std::max(centre[a] - 0.5 * dx, first);
    upper[a] = std::min(centre[a] + 0.5 * dx, last);
    // Beyond the file: the nearest volume of that width.
    const double least = border_tolerance * dx;
    if (centre[a] + 0.5 * dx < first + least) upper[a] = std::min(first + dx, last);
    if (centre[a] - 0.5 * dx > last - least) lower[a] = std::max(last - dx, first);
  }
  mean(lower, upper, true, q);
}

void FileState::mean(const double* lower, const double* upper, bool reconstructs, double* q) const {
  double total = 0, difference[solvers::most_unknowns] = {}, piece[solvers::most_unknowns],
         half[3 * solvers::most_unknowns];
  bool is_first = true, is_mixed = false, follows = reconstructs;
  const double* any = nullptr;
  tree_->touching(lower, upper, [&](std::size_t block) {
    const Geometry box = file_.geometry(block);
    // The overlap in volumes of the block.
    double begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
    int first[3] = {0, 0, 0}, last[3] = {1, 1, 1};
    for (int a = 0; a < dim_; ++a) {
      const double rounding = tolerance(box, a);
      begin[a] = std::max(0.0, snapped((lower[a] - box.lower[a]) / box.width[a], rounding));
      end[a] = std::min<double>(box.size[a], snapped((upper[a] - box.lower[a]) / box.width[a], rounding));
      if (!(end[a] > begin[a])) return true;
      first[a] = static_cast<int>(begin[a]);
      last[a] = static_cast<int>(std::ceil(end[a]));
    }
    Place place{block, {0, 0, 0}};
    int* const i = place.at;
    for (i[2] = first[2]; i[2] < last[2]; ++i[2]) {
      for (i[1] = first[1]; i[1] < last[1]; ++i[1]) {
        for (i[0] = first[0]; i[0] < last[0]; ++i[0]) {
          double size = 1, offset[3] = {0, 0, 0};
          bool is_whole = true;
          for (int a = 0; a < dim_; ++a) {
            const double from = std::max<double>(begin[a], i[a]), to = std::min<double>(end[a], i[a] + 1);
            size *= (to - from) * box.width[a];
            offset[a] = 0.5 * (from + to) - (i[a] + 0.5);  // of the middles, 0 for whole volumes
            is_whole = is_whole && offset[a] == 0;
          }
          const double* state = value(place);
          std::copy_n(state, unknowns_, piece);
          follows = follows && solver_->complete_prolonged(state, piece);
          is_mixed = is_mixed || !is_first || !is_whole;
          any = state;
          if (!is_whole && reconstructs && slopes(place, box, half)) {
            for (std::size_t u = 0; u < unknowns_; ++u) {
              piece[u] = state[u];
              for (int a = 0; a < dim_; ++a)
                piece[u] += 2 * offset[a] * half[static_cast<std::size_t>(a) * unknowns_ + u];
            }
            state = piece;
          }
          // By differences, so that constant states stay constant to the bit.
          if (is_first) {
            std::copy_n(state, unknowns_, q);
            is_first = false;
          } else {
            for (std::size_t u = 0; u < unknowns_; ++u) difference[u] += size * (state[u] - q[u]);
          }
          total += size;
        }
      }
    }
    return true;
  });
  if (is_first) throw Failure(fmt::format("{}: has no state near x = {}", file_.path(), lower[0]));
  for (std::size_t u = 0; u < unknowns_; ++u) {
    if (difference[u] != 0) q[u] += difference[u] / total;
  }
  // A redundant unknown (pde.hpp) that follows from the others in all volumes that contribute.
  if (follows && is_mixed) solver_->complete_prolonged(any, q);
}

FileState::Neighbour FileState::neighbour(const Place& place, const Geometry& box, int axis, int side,
                                          double* q) const {
  Place next = place;
  next.at[axis] += side;
  if (next.at[axis] >= 0 && next.at[axis] < box.size[axis]) {
    std::copy_n(value(next), unknowns_, q);
    return Neighbour::beside;
  }
  double lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0}, middle[3] = {0, 0, 0};
  for (int a = 0; a < dim_; ++a) {
    lower[a] = box.lower[a] + next.at[a] * box.width[a];
    upper[a] = box.lower[a] + (next.at[a] + 1) * box.width[a];
    middle[a] = 0.5 * (lower[a] + upper[a]);
  }
  const auto there = find(middle);
  if (!there) return Neighbour::none;
  const double width = file_.geometry(there->block).width[axis];
  if (width >= (1 - same_width) * box.width[axis]) {
    std::copy_n(value(*there), unknowns_, q);
    return width > (1 + same_width) * box.width[axis] ? Neighbour::coarser : Neighbour::beside;
  }
  mean(lower, upper, false, q);
  return Neighbour::beside;
}

bool FileState::slopes(const Place& place, const Geometry& box, double* half) const {
  const double* state = value(place);
  double beside[2][solvers::most_unknowns], spread[solvers::most_unknowns] = {};
  for (int a = 0; a < dim_; ++a) {
    const Neighbour kind[2] = {neighbour(place, box, a, -1, beside[0]),
                               neighbour(place, box, a, 1, beside[1])};
    for (std::size_t u = 0; u < unknowns_; ++u) {
      double difference[2] = {kind[0] == Neighbour::none ? 0 : state[u] - beside[0][u],
                              kind[1] == Neighbour::none ? 0 : beside[1][u] - state[u]};
      double& limited = half[static_cast<std::size_t>(a) * unknowns_ + u];
      limited = 0;
      for (int side = 0; side < 2; ++side) {
        // At the border of the file, the slope of the other side; at a coarser volume too, within its value.
        if (kind[1 - side] != Neighbour::beside) continue;
        if (kind[side] == Neighbour::none) difference[side] = difference[1 - side];
        if (kind[side] == Neighbour::coarser)
          difference[side] = solvers::minmod(difference[1 - side], difference[side]);
      }
      if (kind[0] == Neighbour::beside || kind[1] == Neighbour::beside)
        limited = solvers::MonotonizedCentral::limit(difference[0], difference[1]);
      spread[u] += std::abs(limited);
    }
  }
  const double* steps[3] = {};
  for (int a = 0; a < dim_; ++a) steps[a] = half + static_cast<std::size_t>(a) * unknowns_;
  return solver_->continues(state, steps, spread);
}

void FileState::interpolate(const double* x, double* q) const {
  double point[3] = {0, 0, 0};
  bool is_inside = true;
  for (int a = 0; a < dim_; ++a) {
    point[a] = std::clamp(x[a], tree_->bounds().lower[a], tree_->bounds().upper[a]);
    is_inside = is_inside && point[a] == x[a];
  }
  const auto place = find(point);
  if (!place) throw Failure(fmt::format("{}: has no state near x = {}", file_.path(), x[0]));
  const Geometry box = file_.geometry(place->block);
  if (!is_inside) {
    std::copy_n(value(*place), unknowns_, q);
    return;
  }
  // Nodes on both sides where they exist; next to other levels and at the border, nodes of the same block.
  if (!interpolate_at(*place, box, point, false, q)) interpolate_at(*place, box, point, true, q);
}

bool FileState::interpolate_at(const Place& place, const Geometry& box, const double* x, bool within,
                               double* q) const {
  int start[3] = {0, 0, 0}, nodes[3] = {1, 1, 1};
  double weights[3][nodes_of_cubic] = {{1}, {1}, {1}};
  for (int a = 0; a < dim_; ++a) {
    const double at = snapped((x[a] - box.lower[a]) / box.width[a] - 0.5, tolerance(box, a));
    start[a] = static_cast<int>(std::floor(at));
    if (at == start[a]) continue;
    nodes[a] = within ? std::min(nodes_of_cubic, box.size[a]) : nodes_of_cubic;
    start[a] -= (nodes[a] - 1) / 2;
    if (within) start[a] = std::clamp(start[a], 0, box.size[a] - nodes[a]);
    for (int m = 0; m < nodes[a]; ++m) {
      weights[a][m] = 1;
      for (int n = 0; n < nodes[a]; ++n) {
        if (n != m) weights[a][m] *= (at - start[a] - n) / (m - n);
      }
    }
  }
  bool is_first = true;
  double difference[solvers::most_unknowns] = {};
  for (int k = 0; k < nodes[2]; ++k) {
    for (int j = 0; j < nodes[1]; ++j) {
      for (int i = 0; i < nodes[0]; ++i) {
        Place node{place.block, {start[0] + i, start[1] + j, start[2] + k}};
        bool is_here = true;
        for (int a = 0; a < dim_; ++a) is_here = is_here && node.at[a] >= 0 && node.at[a] < box.size[a];
        if (!is_here) {
          double centre[3] = {0, 0, 0};
          for (int a = 0; a < dim_; ++a) centre[a] = box.lower[a] + (node.at[a] + 0.5) * box.width[a];
          const auto there = find(centre);
          if (!there) return false;
          const Geometry other = file_.geometry(there->block);
          for (int a = 0; a < dim_; ++a) {
            const double distance = other.lower[a] + (there->at[a] + 0.5) * other.width[a] - centre[a];
            if (std::abs(distance) > same_width * box.width[a]) return false;
          }
          node = *there;
        }
        const double* state = value(node);
        if (is_first) std::copy_n(state, unknowns_, q);
        is_first = false;
        const double weight = weights[0][i] * weights[1][j] * weights[2][k];
        for (std::size_t u = 0; u < unknowns_; ++u) difference[u] += weight * (state[u] - q[u]);
      }
    }
  }
  for (std::size_t u = 0; u < unknowns_; ++u) {
    if (difference[u] != 0) q[u] += difference[u];
  }
  return true;
}

}  // namespace meander::simulation
