// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Files of all ranks: equal bytes for any partition, and failures on all ranks alike.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>

#include "io/plot_file.hpp"
#include "tests/io/checkpoints.hpp"
#include "tests/io/scratch.hpp"

namespace meander::io {
namespace {

using testing_io::contents;
using testing_io::FileSizeLimit;
using testing_io::MadeUpRun;
using testing_io::message_of;
using testing_io::random_leaves;
using testing_io::Scratch;

const parallel::Communicator& world() {
  static const parallel::Communicator communicator = parallel::Communicator::world();
  return communicator;
}

// One directory for all ranks, removed by the root.
class SharedScratch {
 public:
  SharedScratch() : own_(world().is_root() ? std::make_unique<Scratch>() : nullptr) {
    if (own_) path_ = own_->path();
    world().broadcast(path_);
  }
  ~SharedScratch() { world().barrier(); }
  std::string path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> names() const {
    world().barrier();
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::unique_ptr<Scratch> own_;
  std::string path_;
};

// This rank's piece of `all` leaves in a partition that is the same on all ranks: random, so that some ranks
// have no leaves, and in turn with all leaves on one rank.
struct Piece {
  std::int64_t begin = 0, end = 0;
};
Piece piece_of(std::int64_t all, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> cuts = {0, all};
  const int n = world().size();
  for (int r = 1; r < n; ++r) {
    const auto anywhere = static_cast<std::int64_t>(random() % static_cast<unsigned>(all + 1));
    cuts.push_back(seed % 4 == 3 ? (r <= static_cast<int>(seed) / 4 % n ? 0 : all) : anywhere);
  }
  std::sort(cuts.begin(), cuts.end());
  const auto r = static_cast<std::size_t>(world().rank());
  return {cuts[r], cuts[r + 1]};
}

struct Case {
  int dim, p, finest;
};
class CollectiveFiles : public testing::TestWithParam<Case> {};

TEST_P(CollectiveFiles, CheckpointsAreTheSameBytesAndReadBackOnOtherCuts) {
  const auto [dim, p, finest] = GetParam();
  const SharedScratch scratch;
  const MadeUpRun run(dim, p, 1, dim + 2, random_leaves(dim, finest, 11));
  const auto all = std::ssize(run.leaves);
  const std::string alone = scratch.file("alone.hdf5"), together = scratch.file("together.hdf5");
  if (world().is_root()) run.write(alone, {}, 0, all);
  for (unsigned seed = 0; seed < 8; ++seed) {
    const Piece own = piece_of(all, seed), other = piece_of(all, seed + 100);
    run.write(together, world(), own.begin, own.end);
    EXPECT_EQ(scratch.names(), (std::vector<std::string>{"alone.hdf5", "together.hdf5"}));
    EXPECT_TRUE(contents(together) == contents(alone)) << "cuts " << seed;
    EXPECT_TRUE(run.reads_back(together, world(), other.begin, other.end)) << "cuts " << seed;
    world().barrier();
  }
}

TEST_P(CollectiveFiles, PlotsAreTheSameBytes) {
  const auto [dim, p, finest] = GetParam();
  const SharedScratch scratch;
  const MadeUpRun run(dim, p, 1, dim + 2, random_leaves(dim, finest, 12));
  const auto all = std::ssize(run.leaves);
  const auto write = [&](const std::string& path, const parallel::Communicator& communicator, Piece own,
                         bool float64) {
    const auto fill = [&](std::size_t leaf, int component, std::span<double> values) {
      for (std::size_t v = 0; v < values.size(); ++v) {
        values[v] =
            MadeUpRun::value(own.begin + static_cast<std::int64_t>(leaf), static_cast<std::ptrdiff_t>(v)) +
            component;
      }
    };
    const auto order = [&](std::size_t leaf, int, std::span<double> values) {
      std::fill(values.begin(), values.end(), static_cast<double>(own.begin) + static_cast<double>(leaf));
    };
    const PlotField fields[] = {{.name = "density", .fill = fill},
                                {.name = "velocity", .components = run.layout.dim, .fill = fill},
                                {.name = "curve_index", .integer = true, .fill = order}};
    PlotMesh mesh = run.mesh.mesh;
    mesh.leaves =
        std::span(run.leaves)
            .subspan(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.end - own.begin));
    write_plot(path, communicator, mesh, fields, {.input = "x", .step = 3, .time = 0.5},
               {.float64 = float64});
  };
  for (const bool float64 : {false, true}) {
    if (world().is_root()) write(scratch.file("alone"), {}, {0, all}, float64);
    for (unsigned seed = 0; seed < 8; ++seed) {
      write(scratch.file("together"), world(), piece_of(all, seed), float64);
      EXPECT_EQ(scratch.names(), (std::vector<std::string>{"alone", "together"}));
      EXPECT_TRUE(contents(scratch.file("together")) == contents(scratch.file("alone"))) << "cuts " << seed;
      world().barrier();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CollectiveFiles,
                         testing::Values(Case{2, 3, 2}, Case{2, 5, 4}, Case{3, 4, 3}),
                         [](const auto& instance) {
                           const Case& c = instance.param;
                           return std::to_string(c.dim) + "d_p" + std::to_string(c.p);
                         });

class CollectiveFailure : public testing::Test {
 protected:
  CollectiveFailure() : run(3, 5, 1, 5, random_leaves(3, 3, 2)), own(piece_of(std::ssize(run.leaves), 5)) {}
  // The message of an attempt to write another version; all ranks must agree.
  std::string failure(const std::string& path) const {
    const std::string what =
        world().size() > 1
            ? message_of<parallel::AgreedFailure>([&] { run.write(path, world(), own.begin, own.end, 1); })
            : message_of<Failure>([&] { run.write(path, world(), own.begin, own.end, 1); });
    std::string of_root = what;
    world().broadcast(of_root);
    EXPECT_EQ(what, of_root);
    return what;
  }
  std::string refusal(const std::string& path) const {
    const std::string what =
        message_of<InputError>([&] { run.reads_back(path, world(), own.begin, own.end); });
    std::string of_root = what;
    world().broadcast(of_root);
    EXPECT_EQ(what, of_root);
    return what;
  }

  MadeUpRun run;
  Piece own;
};

TEST_F(CollectiveFailure, FilesThatMayNotGrow) {
  const SharedScratch scratch;
  const std::string path = scratch.file("chk.hdf5");
  run.write(path, world(), own.begin, own.end);
  const std::string before = contents(path);
  for (const std::size_t limit :
       {std::size_t{100}, std::size_t{3000}, before.size() / 2, before.size() - 1}) {
    const FileSizeLimit full(limit);
    const std::string what = failure(path);
    EXPECT_EQ(what.substr(0, what.find(": ")), path);
    EXPECT_NE(what.find("File too large"), std::string::npos) << what;
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"chk.hdf5"});
    EXPECT_TRUE(contents(path) == before);
    world().barrier();
  }
}

// The file system cannot reserve space: one rank alone reaches the limit while it writes its rows.
TEST_F(CollectiveFailure, OfOneRankOnly) {
  const SharedScratch scratch;
  const std::string path = scratch.file("chk.hdf5");
  run.write(path, world(), own.begin, own.end);
  const std::string before = contents(path);
  for (int rank = 1; rank < world().size(); ++rank) {
    const Piece last = {world().rank() == rank  ? 0
                        : world().rank() < rank ? 0
                                                : std::ssize(run.leaves),
                        world().rank() < rank ? 0 : std::ssize(run.leaves)};
    own = last;
    std::string what;
    if (world().rank() == rank) {
      const FileSizeLimit full(before.size() / 2);
      what = failure(path);
    } else {
      what = failure(path);
    }
    EXPECT_EQ(what, path + ": cannot write: File too large");
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"chk.hdf5"});
    EXPECT_TRUE(contents(path) == before);
    world().barrier();
  }
}

TEST_F(CollectiveFailure, FullDisk) {
  const SharedScratch scratch;
  // A disk of one checkpoint and a half.
  const std::string path = scratch.file("chk.hdf5");
  std::int64_t mounted = 0, size = 0;
  run.write(path, world(), own.begin, own.end);
  size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  world().barrier();
  const std::string disk = scratch.file("disk");
  if (world().is_root()) {
    std::filesystem::create_directory(disk);
    const std::string options = "size=" + std::to_string(size * 3 / 2);
    mounted = ::mount("tmpfs", disk.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  if (world().max(mounted) == 0) GTEST_SKIP() << "a small tmpfs may not be mounted here";
  const std::string small = disk + "/chk.hdf5";
  run.write(small, world(), own.begin, own.end);
  const std::string before = contents(small), what = failure(small);
  EXPECT_EQ(what.substr(0, what.find(": ")), small);
  EXPECT_TRUE(what.ends_with(": No space left on device")) << what;
  world().barrier();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(disk), {}), 1);
  EXPECT_TRUE(contents(small) == before);
  EXPECT_TRUE(run.reads_back(small, world(), own.begin, own.end));
  world().barrier();
  EXPECT_TRUE(!world().is_root() || ::umount(disk.c_str()) == 0);
}

TEST_F(CollectiveFailure, MissingDirectories) {
  const SharedScratch scratch;
  const std::string path = scratch.file("none/chk.hdf5");
  EXPECT_EQ(failure(path), path + ": cannot create: No such file or directory");
  EXPECT_EQ(refusal(path), path + ": cannot open: No such file or directory");
}

TEST_F(CollectiveFailure, AllRanksDetectDamage) {
  const SharedScratch scratch;
  const std::string path = scratch.file("chk.hdf5");
  run.write(path, world(), own.begin, own.end);
  const std::string good = contents(path);
  std::mt19937 random(8);
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    // The tables have few bytes: every second change is there.
    const std::size_t at = random() % (round % 2 == 0 ? bad.size() : 8000);
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    world().barrier();
    if (world().is_root()) std::ofstream(path, std::ios::binary) << bad;
    world().barrier();
    const std::string what = refusal(path);
    EXPECT_TRUE(what.starts_with(path + ": is damaged (")) << "byte " << at << ": " << what;
  }
  world().barrier();
  if (world().is_root()) std::filesystem::resize_file(path, good.size() / 2);
  world().barrier();
  EXPECT_TRUE(
      refusal(path).starts_with(path + ": is truncated: it holds " + std::to_string(good.size() / 2)));
}

}  // namespace
}  // namespace meander::io
