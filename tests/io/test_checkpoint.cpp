// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of one rank without MPI: they read back unchanged, and damage is detected.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <bit>
#include <cstdlib>
#include <cstring>

#include "io/checkpoint_file.hpp"
#include "io/checksum.hpp"
#include "io/files.hpp"
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

struct Case {
  int dim, p, finest;
};

class CheckpointOfQuick : public testing::TestWithParam<Case> {};

TEST_P(CheckpointOfQuick, ReadsBackToTheSameBits) {
  const auto [dim, p, finest] = GetParam();
  const Scratch scratch;
  const MadeUpRun run(dim, p, 1, dim + 2, random_leaves(dim, finest, 7));
  const auto all = std::ssize(run.leaves);
  run.write(scratch.file("chk.hdf5"), {}, 0, all);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"chk.hdf5"});
  EXPECT_TRUE(run.reads_back(scratch.file("chk.hdf5"), {}, 0, all));
}

TEST_P(CheckpointOfQuick, HasChombosLayout) {
  std::string python;
  for (const char* candidate : {"/usr/bin/python3", "python3"}) {
    const std::string try_it = std::string(candidate) + " -c 'import h5py' 2>/dev/null";
    if (python.empty() && std::system(try_it.c_str()) == 0) python = candidate;
  }
  if (python.empty()) GTEST_SKIP() << "no Python with h5py";
  const auto [dim, p, finest] = GetParam();
  const Scratch scratch;
  MadeUpRun run(dim, p, 1, dim + 2, random_leaves(dim, finest, 7));
  for (std::size_t i = 0; i < run.leaves.size(); ++i) run.leaves[i].rank = static_cast<int>(i / 5);
  run.write(scratch.file("chk.hdf5"), {}, 0, std::ssize(run.leaves));
  const std::string check = python + " " MEANDER_SOURCE_DIR "/tests/io/check_checkpoint_layout.py ";
  EXPECT_EQ(std::system((check + scratch.file("chk.hdf5")).c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CheckpointOfQuick,
                         testing::Values(Case{2, 3, 2}, Case{2, 17, 4}, Case{3, 3, 4}, Case{3, 9, 3}),
                         [](const auto& instance) {
                           const Case& c = instance.param;
                           return std::to_string(c.dim) + "d_p" + std::to_string(c.p) + "_finest" +
                                  std::to_string(c.finest);
                         });

TEST(Checkpoint, SpecialValuesAndEmptyTexts) {
  const Scratch scratch;
  MadeUpRun run(2, 3, 1, 4, random_leaves(2, 2, 1));
  run.state = {};
  auto slots = run.slots(0, std::ssize(run.leaves));
  double* slot = slots[0].data();
  const double special[] = {-0.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::denorm_min()};
  for (int i = 0; i < 3; ++i) slot[run.layout.at(1, i, 2)] = special[i];
  const std::vector<double> expected = slots[0];
  std::vector<const double*> patches;
  for (const auto& s : slots) patches.push_back(s.data());
  run.mesh.mesh.leaves = run.leaves;
  write_checkpoint(scratch.file("chk.hdf5"), {}, run.mesh, patches, run.state);

  CheckpointReader reader(scratch.file("chk.hdf5"), {});
  EXPECT_EQ(reader.state().input, "");
  EXPECT_EQ(reader.state().equation, "");
  EXPECT_TRUE(reader.state().counters.empty());
  EXPECT_EQ(reader.finest_level(), 2);
  std::vector<double*> to;
  for (auto& s : slots) std::fill(s.begin(), s.end(), 1.0), to.push_back(s.data());
  reader.read_patches(0, reader.leaves(), run.layout, to);
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(run.layout.at(1, i, 2));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(slots[0][at]), std::bit_cast<std::uint64_t>(expected[at]));
  }
}

TEST(Checkpoint, RefusesMeshesThatReadersCannotHandle) {
  const Scratch scratch;
  const std::string path = scratch.file("chk.hdf5");
  MadeUpRun run(2, 3, 1, 4, {});
  EXPECT_EQ(message_of<Failure>([&] { run.write(path, {}, 0, 0); }),
            path + ": cannot write: there are no leaves");
  run.leaves = {{.level = 1}, {.level = 3}};
  EXPECT_EQ(message_of<Failure>([&] { run.write(path, {}, 0, 2); }),
            path + ": cannot write: level 2 has no leaves");
  run.leaves.clear();
  for (int level = 1; level <= 11; ++level) run.leaves.push_back({.level = level});
  EXPECT_EQ(message_of<Failure>([&] { run.write(path, {}, 0, 11); }),
            path + ": cannot write: more than 10 levels have leaves");
  run.leaves.pop_back();
  run.write(path, {}, 0, 10);
  EXPECT_TRUE(run.reads_back(path, {}, 0, 10));
}

class Damage : public testing::Test {
 protected:
  Damage() : run(2, 3, 1, 4, random_leaves(2, 3, 3)) {
    run.write(path, {}, 0, std::ssize(run.leaves));
    good = contents(path);
  }
  // The message of reading these bytes; "" if the content is unchanged, "wrong" if not.
  std::string outcome(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
    return outcome();
  }
  std::string outcome() const {
    try {
      return run.reads_back(path, {}, 0, std::ssize(run.leaves)) ? "" : "wrong";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  Scratch scratch;
  std::string path = scratch.file("chk_000000.hdf5");
  MadeUpRun run;
  std::string good;
};
using DamageQuick = Damage;

TEST_F(Damage, OfAnySingleBitIsRefused) {
  EXPECT_EQ(outcome(good), "");
  std::mt19937 random(5);
  std::map<std::string, int> parts;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t i, char byte) {
    file.seekp(static_cast<std::streamoff>(i)).put(byte).flush();
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    put(i, static_cast<char>(good[i] ^ (1 << random() % 8)));
    const std::string what = outcome();
    put(i, good[i]);
    ASSERT_EQ(what.substr(0, path.size() + 14), path + ": is damaged (") << "byte " << i << ": " << what;
    ++parts[what.substr(path.size() + 14)];
  }
  EXPECT_EQ(outcome(), "");
  // Messages named each part.
  const auto levels = static_cast<std::size_t>(3 - 1 + 1);
  EXPECT_EQ(parts.size(), 3 + levels);
  const auto patch_bytes = static_cast<int>(run.layout.unknowns * run.layout.volumes()) * 8;
  for (std::size_t n = 0; n < levels; ++n) {
    int leaves = 0;
    for (const PlotLeaf& leaf : run.leaves) leaves += leaf.level == static_cast<int>(n) + 1;
    EXPECT_EQ(parts["the patches of level_" + std::to_string(n) + ")"], leaves * patch_bytes);
  }
  EXPECT_EQ(parts["its head)"] + parts["its head), or HDF5 of another program"], head_bytes);
}

TEST_F(DamageQuick, OfManyBytesIsRefused) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 300; ++round) {
    std::string bad = good;
    const std::size_t begin = random() % good.size(),
                      end = std::min(good.size(), begin + 1 + random() % 3000);
    for (std::size_t i = begin; i < end; ++i) bad[i] = round % 2 == 0 ? 0 : static_cast<char>(random());
    const std::string what = outcome(bad);
    EXPECT_TRUE(bad == good ? what.empty() : what.starts_with(path + ": is ")) << what;
  }
}

TEST_F(DamageQuick, InterchangedPatchesAreRefused) {
  const CheckpointHead head = CheckpointHead::parse(good.substr(0, head_bytes));
  const auto patch = static_cast<std::size_t>(run.layout.unknowns * run.layout.volumes()) * 8;
  std::string bad = good;
  const auto first = static_cast<std::size_t>(head.levels[1].offset);
  std::swap_ranges(bad.begin() + static_cast<std::ptrdiff_t>(first),
                   bad.begin() + static_cast<std::ptrdiff_t>(first + patch),
                   bad.begin() + static_cast<std::ptrdiff_t>(first + patch));
  EXPECT_EQ(outcome(bad), path + ": is damaged (the patches of level_1)");
}

TEST_F(DamageQuick, TruncatedFilesSayWhere) {
  const CheckpointHead head = CheckpointHead::parse(good.substr(0, head_bytes));
  EXPECT_EQ(head.length, std::ssize(good));
  for (std::size_t size = 0; size < good.size(); size += size < 600 ? 1 : 97) {
    const std::string what = outcome(good.substr(0, size));
    if (size == 0) {
      EXPECT_EQ(what, path + ": is empty");
    } else if (size < head_bytes) {
      EXPECT_EQ(what, path + ": is truncated: it holds " + std::to_string(size) +
                          " bytes; it ends within its head");
    } else {
      EXPECT_EQ(what, path + ": is truncated: it holds " + std::to_string(size) + " of " +
                          std::to_string(good.size()) + " bytes; it ends within " +
                          part_at(head, static_cast<std::int64_t>(size)));
    }
  }
  const auto inside = [&](std::size_t n) {
    return good.substr(0, static_cast<std::size_t>(head.levels[n].offset + 8));
  };
  EXPECT_NE(outcome(inside(0)).find("it ends within the patches of level_0"), std::string::npos);
  EXPECT_NE(outcome(inside(2)).find("it ends within the patches of level_2"), std::string::npos);
  EXPECT_EQ(outcome(good + "x"), path + ": is damaged: it holds " + std::to_string(good.size() + 1) +
                                     " bytes instead of " + std::to_string(good.size()));
}

TEST_F(DamageQuick, OtherFilesAreDescribed) {
  const auto refused = [&](const std::string& name) {
    return message_of<InputError>([&] { CheckpointReader(scratch.file(name), {}); });
  };
  const auto named = [&](const char* name, const char* why) { return scratch.file(name) + ": " + why; };
  EXPECT_EQ(refused("none.hdf5"), named("none.hdf5", "cannot open: No such file or directory"));
  EXPECT_EQ(refused("."), named(".", "is a directory"));
  write_whole(scratch.file("text"), std::string(5000, 'x'));
  EXPECT_EQ(refused("text"), named("text", "is no HDF5 file"));
  H5Fclose(H5Fcreate(scratch.file("other.hdf5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_EQ(refused("other.hdf5"), named("other.hdf5", "is HDF5 of another program, no checkpoint"));

  PlotMesh mesh = run.mesh.mesh;
  mesh.leaves = run.leaves;
  const PlotField field{.name = "density", .fill = [](std::size_t, int, std::span<double> v) { v[0] = 1; }};
  write_plot(scratch.file("plot.vtkhdf"), {}, mesh, {&field, 1}, {});
  EXPECT_EQ(refused("plot.vtkhdf"),
            named("plot.vtkhdf",
                  "is a plot file (VTKHDF), which holds chosen fields in single precision: restart "
                  "from a chk_*.hdf5"));

  std::string unfinished = good;
  std::fill_n(unfinished.begin(), head_bytes, '\0');
  EXPECT_EQ(outcome(unfinished), path + ": is a checkpoint whose writing was never finished");

  // A later format with a valid head.
  std::string later = good.substr(0, head_bytes - 22);
  later[later.find(" 1\n") + 1] = '2';
  char last[32];
  std::snprintf(last, sizeof last, "head %016llx\n",
                static_cast<unsigned long long>(checksum(std::as_bytes(std::span(later)), 0)));
  EXPECT_EQ(outcome(later + last + good.substr(head_bytes)),
            path + ": is a checkpoint of format 2; this program reads format 1");
}

TEST(Checkpoint, FullDiskLeavesEarlierFilesIntact) {
  const Scratch scratch;
  const MadeUpRun run(3, 5, 1, 5, random_leaves(3, 3, 2));
  const auto all = std::ssize(run.leaves);
  const std::string path = scratch.file("chk.hdf5");
  run.write(path, {}, 0, all);
  const std::string before = contents(path);
  for (const std::size_t limit :
       {std::size_t{100}, std::size_t{3000}, before.size() / 2, before.size() - 1}) {
    const FileSizeLimit full(limit);
    const std::string what = message_of<Failure>([&] { run.write(path, {}, 0, all, 1); });
    EXPECT_EQ(what.substr(0, what.find(": ")), path);
    EXPECT_NE(what.find("File too large"), std::string::npos) << what;
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"chk.hdf5"});
    EXPECT_EQ(contents(path), before);
  }
  run.write(path, {}, 0, all, 1);
  EXPECT_NE(contents(path), before);
  run.write(path, {}, 0, all);
  EXPECT_EQ(contents(path), before) << "the same content is the same bytes";
}

}  // namespace
}  // namespace meander::io
