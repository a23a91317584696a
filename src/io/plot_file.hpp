// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Plot files: VTKHDF of type OverlappingAMR, which ParaView opens. They hold leaves only. Levels are numbered
// from the coarsest that has leaves. The group /meta holds the origin of the file. Datasets are contiguous,
// so that all ranks can write their rows at once.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/communicator.hpp"
#include "solvers/patch_layout.hpp"

namespace meander::io {

struct PlotLeaf {
  int level = 0;          // of the spacetree
  int at[3] = {0, 0, 0};  // position in cells of that level, from the domain's lower corner (2D: at[2] = 0)
  int rank = 0;
};

// The mesh to be written, without the dimension as template parameter.
struct PlotMesh {
  solvers::PatchLayout layout;  // only dim and p are read
  double lower[3] = {0, 0, 0};  // the domain's lower corner
  int base_level = 0;
  double base_width = 1;  // width of a base cell; a leaf of level l is base_width / 3^(l - base_level) wide
  // Of this rank, in curve order. Those of one level that lower ranks hold precede its own.
  std::span<const PlotLeaf> leaves;
  // Of each of them, its number among all ranks' along the curve. Empty on all ranks: a rank's leaves follow those of lower ranks.
  std::span<const std::int64_t> numbers;

  double spacing(int level) const;  // width of a volume
};

// A quantity to be written. fill(leaf, component, values) sets the p^d values of a patch, x fastest. It is
// called once for each leaf and component, by the calling thread only.
struct PlotField {
  std::string name;
  int components = 1;    // 1, or the dimension: a vector, written with three components
  bool integer = false;  // stored as int32, whatever the precision
  std::function<void(std::size_t leaf, int component, std::span<double> values)> fill;
};

struct PlotMeta {
  std::string input;  // the resolved input
  std::int64_t step = 0;
  double time = 0;
};

struct PlotOptions {
  bool float64 = false;
};

// "plot_000042.vtkhdf"
std::string plot_name(int number);

// Writes the file under a temporary name and renames it when it is complete. Files of different numbers of
// ranks differ only in the leaves' ranks. There must be at least one leaf, and no level without leaves
// between the coarsest and the finest. Throws Failure (several ranks: parallel::AgreedFailure) that names the
// file and the system's reason; an existing file of that name is then unchanged. Collective.
void write_plot(const std::string& path, const parallel::Communicator& communicator, const PlotMesh& mesh,
                std::span<const PlotField> fields, const PlotMeta& meta, const PlotOptions& options = {});

// The following describe a plot file in a few figures, for `meander info`.

// The program that wrote a file, from /meta of plot files and checkpoints.
struct FileOrigin {
  std::string version, git_hash, compiler, build_type;
  bool modified = false;
  std::string line() const;  // "meander 0.1.0 (4f2a91c03b, modified), GNU 12.2.0, Release"
};

struct LevelFacts {
  int level = 0;  // of the spacetree
  std::int64_t leaves = 0;
  double spacing = 0;  // width of a volume
};

struct FieldFacts {
  std::string name;
  int components = 1;
  double min = 0, max = 0;  // of finite values; of the magnitude if there are several components
  std::int64_t not_finite = 0;

  // Without values so far.
  static FieldFacts empty(const std::string& name, int components);
  // Extends the bounds by values in groups of `components`.
  void include(const std::vector<double>& values);
};

struct PlotFacts {
  FileOrigin origin;
  std::string input;  // the resolved input
  std::int64_t step = 0;
  double time = 0;
  int dimensions = 0, patch_size = 0;
  std::vector<LevelFacts> levels;
  std::vector<FieldFacts> fields;
};

// Reads the file in this process; unverified files are read in another one (subprocess.hpp). Throws
// InputError that names the file if it is HDF5 of another program or incomplete, and Failure.
PlotFacts read_plot_facts(const std::string& path);

// Calls read(path), whose failures become InputErrors that ask for damage.
template <class Read>
auto read_facts(const std::string& path, const Read& read) {
  try {
    return read(path);
  } catch (const InputError&) {
    throw;
  } catch (const Failure& failure) {
    throw InputError(std::string(failure.what()) + "; is it damaged?");
  } catch (const std::exception&) {
    throw InputError(path + ": is damaged (its tables)");
  }
}

// Reads a verified file. Throws Failure.
FileOrigin read_file_origin(const std::string& path);

// plot.vtkhdf.series: the plot files of a run and their times, for ParaView. Rewritten with every plot. Files of output in
// the run have such lists, too: slice_mid.vtkhdf.series.

class PlotSeries {
 public:
  // `stem`: of the names of its files.
  explicit PlotSeries(std::string directory, std::string stem = "plot")
      : directory_(std::move(directory)), stem_(std::move(stem)) {}

  // Names and times of the files in the series at `path`. Throws InputError if add() did not write the file,
  // and Failure.
  static std::vector<std::pair<std::string, double>> read(const std::string& path);

  // Continues the series of an earlier part of the run in the directory, in two calls. keep_until() drops plots of later
  // times than `time`, and leaves the file as it is; cut() rewrites it. Without such a file the series is empty. Throws
  // InputError if add() did not write the file, and Failure.
  void keep_until(double time);
  void cut() const;
  // Both at once.
  void resume(double time);
  // The name of the last file; empty: there is none.
  std::string last() const { return files_.empty() ? "" : files_.back().first; }
  // Adds a plot file, in place of the last one if that has the same name: a run that was killed before its checkpoint has
  // written it already. `name`: relative to the directory. Throws Failure.
  void add(const std::string& name, double time);

 private:
  std::string path() const;
  void write() const;

  std::string directory_, stem_;
  std::vector<std::pair<std::string, double>> files_;
};

}  // namespace meander::io
