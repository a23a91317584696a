// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/timer.hpp"

namespace meander::trace {
namespace {

// Minimal JSON parser: throws if the text is not JSON.
struct Json {
  std::map<std::string, Json> members;
  std::vector<Json> items;
  std::string text;  // of strings and numbers

  double number() const { return std::stod(text); }
  const Json& operator[](const std::string& name) const { return members.at(name); }
  bool has(const std::string& name) const { return members.count(name) > 0; }
};

class Parser {
 public:
  explicit Parser(const std::string& text) : at_(text.c_str()), end_(at_ + text.size()) {}
  Json whole() {
    Json value = parse();
    blank();
    if (at_ != end_) throw std::runtime_error("text after the end");
    return value;
  }

 private:
  void blank() {
    while (at_ != end_ && std::isspace(static_cast<unsigned char>(*at_)) != 0) ++at_;
  }
  void expect(char letter) {
    blank();
    if (at_ == end_ || *at_++ != letter) throw std::runtime_error(std::string("expected ") + letter);
  }
  bool accept(char letter) {
    blank();
    if (at_ == end_ || *at_ != letter) return false;
    ++at_;
    return true;
  }
  Json parse() {
    Json value;
    blank();
    if (accept('{')) {
      if (accept('}')) return value;
      do {
        const std::string name = string();
        expect(':');
        value.members[name] = parse();
      } while (accept(','));
      expect('}');
    } else if (accept('[')) {
      if (accept(']')) return value;
      do {
        value.items.push_back(parse());
      } while (accept(','));
      expect(']');
    } else if (at_ != end_ && *at_ == '"') {
      value.text = string();
    } else {
      char* rest = nullptr;
      std::strtod(at_, &rest);
      if (rest == at_) throw std::runtime_error("no value");
      value.text.assign(at_, static_cast<const char*>(rest));
      at_ = rest;
    }
    return value;
  }
  std::string string() {
    expect('"');
    std::string result;
    while (at_ != end_ && *at_ != '"') {
      if (static_cast<unsigned char>(*at_) < 0x20) throw std::runtime_error("control character in a string");
      if (*at_ == '\\') {
        ++at_;
        if (*at_ == 'u') {
          result += static_cast<char>(std::stoi(std::string(at_ + 1, at_ + 5), nullptr, 16));
          at_ += 5;
          continue;
        }
      }
      result += *at_++;
    }
    expect('"');
    return result;
  }
  const char* at_;
  const char* end_;
};

std::vector<Json> written(const std::vector<std::string>& parts) {
  const std::string path = ::testing::TempDir() + "/meander-trace-" + std::to_string(::getpid()) + ".json";
  Writer writer(path);
  for (const std::string& part : parts) writer.add(part);
  writer.finish("a \"note\"");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::remove(path.c_str());
  return Parser(text.str()).whole()["traceEvents"].items;
}

std::vector<Json> named(const std::vector<Json>& events, const std::string& name) {
  std::vector<Json> result;
  for (const Json& event : events) {
    if (event["name"].text == name) result.push_back(event);
  }
  return result;
}

class Trace : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override {
    stop();
    clear();
  }
};

TEST_F(Trace, RecordsNothingUntilStarted) {
  { const Scope scope("before"); }
  start();
  { const Scope scope("during"); }
  stop();
  { const Scope scope("after"); }
  const auto events = written({trace::events(0, "rank 0")});
  EXPECT_TRUE(named(events, "before").empty());
  EXPECT_EQ(named(events, "during").size(), 1u);
  EXPECT_TRUE(named(events, "after").empty());
}

TEST_F(Trace, TimerAddsSecondsAndRecordsItsNameIfThereIsOne) {
  double total = 1, part = 2;
  start();
  const std::int64_t begin = steady_nanoseconds();
  {
    const Timer both(total, part, "named", 7);
    const Timer nameless(total);
    while (steady_nanoseconds() < begin + 2'000'000) {
    }
  }
  const double passed = 1e-9 * static_cast<double>(steady_nanoseconds() - begin);
  stop();
  EXPECT_GE(total, 1 + 2 * 1e-3);
  EXPECT_LE(total, 1 + 2 * passed);
  EXPECT_GT(part, 2 + 1e-3);
  EXPECT_LE(part, 2 + passed);
  int recorded = 0;
  for (const Json& event : written({trace::events(0, "rank 0")})) {
    if (event["ph"].text != "X") continue;
    ++recorded;
    EXPECT_EQ(event["name"].text, "named");
    EXPECT_EQ(event["args"]["value"].number(), 7);
    EXPECT_GE(event["dur"].number(), 1e6 * (part - 2) - 1e-2) << "the event encloses what the figure counts";
  }
  EXPECT_EQ(recorded, 1);
}

TEST_F(Trace, GivesEachThreadARowAndNestsScopes) {
  start();
  constexpr int threads = 8, each = 5000;
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([t] {
      name_thread("worker \"" + std::to_string(t) + "\"\\\n");
      for (int i = 0; i < each; ++i) {
        const Scope outer("outer", i);
        const Scope inner("inner");
      }
    });
  }
  for (auto& thread : team) thread.join();
  stop();
  const auto events = written({trace::events(3, "rank 3")});
  std::map<std::string, std::string> titles;
  for (const Json& event : named(events, "thread_name"))
    titles[event["tid"].text] = event["args"]["name"].text;
  std::map<std::string, std::vector<Json>> outer, inner;
  for (const Json& event : events) {
    if (event["ph"].text != "X") continue;
    EXPECT_EQ(event["pid"].text, "3");
    (event["name"].text == "outer" ? outer : inner)[titles.at(event["tid"].text)].push_back(event);
  }
  ASSERT_EQ(outer.size(), static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    const std::string title = "worker \"" + std::to_string(t) + "\"\\\n";
    ASSERT_EQ(outer[title].size(), static_cast<std::size_t>(each));
    ASSERT_EQ(inner[title].size(), static_cast<std::size_t>(each));
    double before = 0;
    for (std::size_t i = 0; i < each; ++i) {
      const Json &out = outer[title][i], &in = inner[title][i];
      EXPECT_EQ(out["args"]["value"].number(), static_cast<double>(i));
      EXPECT_FALSE(in.has("args"));
      constexpr double rounding = 1e-3;
      EXPECT_GE(out["ts"].number() + rounding, before);
      EXPECT_GE(in["ts"].number() + rounding, out["ts"].number());
      before = out["ts"].number() + out["dur"].number();
      EXPECT_LE(in["ts"].number() + in["dur"].number(), before + rounding);
    }
  }
  EXPECT_EQ(dropped(), 0u);
}

TEST_F(Trace, KeepsRowsOfQueuesAndOfOtherProcesses) {
  const int row = add_row("queue 1");
  record(row, "too early", 0, 1);
  start();
  record(row, "kernel", 5'000'000'001, 5'000'002'500, 32);
  stop();
  const auto events = written({trace::events(0, "rank 0"), trace::events(1, "rank 1")});
  EXPECT_EQ(named(events, "process_name").size(), 2u);
  const auto kernels = named(events, "kernel");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["ts"].text, "5000000.001");
  EXPECT_EQ(kernels[0]["dur"].text, "2.499");
  EXPECT_EQ(kernels[0]["args"]["value"].text, "32");
  EXPECT_EQ(kernels[1]["pid"].text, "1");
  EXPECT_TRUE(named(events, "too early").empty());
}

TEST_F(Trace, TimesAreRelativeToTheOriginAndRowsAreFoundByTitle) {
  const int row = find_or_add_row("messages with rank 7");
  EXPECT_EQ(find_or_add_row("messages with rank 7"), row);
  start();
  record(row, "message", 2'000, 5'500);
  record(row, "across the origin", 500, 1'500);
  stop();
  const auto events = written({trace::events(0, "rank 0", 1'000)});
  EXPECT_EQ(named(events, "message").at(0)["ts"].text, "1.000");
  EXPECT_EQ(named(events, "message").at(0)["dur"].text, "3.500");
  EXPECT_EQ(named(events, "across the origin").at(0)["ts"].text, "0.000");
  EXPECT_EQ(named(events, "across the origin").at(0)["dur"].text, "0.500");
}

TEST_F(Trace, ContextIsScopedAndPerThread) {
  EXPECT_EQ(context(), no_value);
  {
    const Context batch(4);
    EXPECT_EQ(context(), 4);
    std::thread([] { EXPECT_EQ(context(), no_value); }).join();
  }
  EXPECT_EQ(context(), no_value);
}

TEST_F(Trace, DropsAndCountsEventsBeyondTheLimit) {
  start(100);
  for (int i = 0; i < 150; ++i) const Scope scope("many");
  stop();
  EXPECT_EQ(dropped(), 50u);
  EXPECT_EQ(named(written({trace::events(0, "rank 0")}), "many").size(), 100u);
}

TEST_F(Trace, ErrorNamesTheFileThatCannotBeWritten) {
  try {
    const Writer writer("/nowhere/trace.json");
    ADD_FAILURE();
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("/nowhere/trace.json"), std::string::npos);
  }
}

// A mistyped path must not overwrite a checkpoint, and a rejected run must not overwrite a trace.
TEST_F(Trace, OverwritesTracesOnly) {
  const std::string path = testing::TempDir() + "meander-trace-" + std::to_string(getpid());
  const auto text = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  { const Writer writer(path); }
  EXPECT_FALSE(std::filesystem::exists(path)) << "no event was recorded";
  std::ofstream(path) << "a checkpoint";
  try {
    const Writer writer(path);
    ADD_FAILURE();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.what(), path + ": exists and holds no trace; choose another file");
  }
  EXPECT_EQ(text(), "a checkpoint");
  std::ofstream(path).flush();  // an empty file may be overwritten
  Writer(path).finish("first");
  const std::string first = text();
  EXPECT_NE(first.find("first"), std::string::npos);
  { const Writer writer(path); }
  EXPECT_EQ(text(), first) << "no event was recorded";
  Writer(path).finish();
  EXPECT_EQ(text().find("first"), std::string::npos);
  EXPECT_EQ(text().substr(0, 20), first.substr(0, 20));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace meander::trace
