// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Numbers as TOML, ranges in words, nearest names, and the excerpt of a message.
#include "io/key_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "io/document.hpp"
#include "io/nearest.hpp"

namespace meander::io {
namespace {

TEST(TomlText, DoublesReadBackToTheSameBits) {
  std::mt19937_64 random(7);
  const auto read_back = [](double value) {
    const Value table = parse_toml("x = " + toml_text(value), "test");
    EXPECT_EQ(table.entries[0].value.kind, Value::Kind::number) << toml_text(value);
    return table.entries[0].value.number;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(read_back(value), value);
  }
  for (const double value : {0.0, -0.0, 1.0, -3.0, 1e22, 1e-7, 5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(read_back(value), value);
    EXPECT_EQ(std::signbit(read_back(value)), std::signbit(value));
  }
}

TEST(TomlText, StringsReadBack) {
  for (const std::string& text :
       {std::string("plain"), std::string("a \"quoted\" \\ path"), std::string("tab\tline\nbell\a"),
        std::string("gr\xc3\xb6\xc3\x9f"
                    "e")}) {
    EXPECT_EQ(parse_toml("x = " + toml_text(text), "test").entries[0].value.text, text);
  }
}

TEST(Range, InWords) {
  EXPECT_EQ(range_text(any_number), "");
  EXPECT_EQ(range_text(at_least(0)), "at least 0");
  EXPECT_EQ(range_text(greater_than(0.5)), "greater than 0.5");
  EXPECT_EQ(range_text(between(3, 32)), "between 3 and 32");
  EXPECT_EQ(range_text({.min = 0, .max = 1, .min_open = true}), "greater than 0 and at most 1");
  EXPECT_EQ(range_text({.min = 0, .max = 1, .max_open = true}), "at least 0 and less than 1");
  EXPECT_EQ(range_text({.max = 2}), "at most 2");
}

// Dynamic programming over all edit scripts, without the shortcuts of the row-by-row form.
int brute_force_distance(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
  const std::string a1 = a.substr(1), b1 = b.substr(1);
  int best = std::min({brute_force_distance(a1, b) + 1, brute_force_distance(a, b1) + 1,
                       brute_force_distance(a1, b1) + (a[0] == b[0] ? 0 : 1)});
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, brute_force_distance(a.substr(2), b.substr(2)) + 1);
  }
  return best;
}

TEST(Nearest, DistanceAgainstBruteForce) {
  std::mt19937 random(3);
  const auto word = [&] {
    std::string text;
    for (auto n = random() % 6; n > 0; --n) text += static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string a = word(), b = word();
    EXPECT_EQ(edit_distance(a, b), brute_force_distance(a, b)) << a << " " << b;
  }
}

TEST(Nearest, SuggestsTheIntendedName) {
  const std::vector<std::string> names = {"patch-size", "min-level", "max-level", "buffer"};
  EXPECT_EQ(nearest("patch_size", names), "patch-size");
  EXPECT_EQ(nearest("PatchSize", names), "patch-size");
  EXPECT_EQ(nearest("pacth-size", names), "patch-size");
  EXPECT_EQ(nearest("maxlevel", names), "max-level");
  EXPECT_EQ(nearest("bufer", names), "buffer");
  EXPECT_EQ(nearest("colour", names), "");
  EXPECT_EQ(nearest("x", names), "");
  EXPECT_EQ(nearest(std::string(50'000'000, 'p'), names), "");  // would take minutes if it were compared
  EXPECT_EQ(suggestion("colour", names), "; allowed here: patch-size, min-level, max-level, buffer");
}

struct Mixed {
  IntegerOrWord value = 3;
  KeyTable keys{"t"};
  Mixed() { keys.integer_or_word("x", value, {"few", "many"}, "steps", "How often.", at_least(1)); }
  // The value that is read, as TOML, or the complaint.
  std::string read(const std::string& text, const std::vector<std::string>& settings = {}) {
    try {
      Document::from_text("[t]\n" + text + "\n", "f.toml", settings).bind(keys);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(0, std::string(error.what()).find('\n'));
    }
    return toml_text(keys.find("x")->target);
  }
};

TEST(IntegerOrWord, IsReadFromBoth) {
  EXPECT_EQ(Mixed().read(""), "3");
  EXPECT_EQ(Mixed().read("x = 7"), "7");
  EXPECT_EQ(Mixed().read("x = \"many\""), "\"many\"");
  EXPECT_EQ(Mixed().read("x = 7", {"t.x=few"}), "\"few\"");
  EXPECT_EQ(Mixed().read("x = \"few\"", {"t.x=5"}), "5");
  EXPECT_EQ(Mixed().read("x = \"most\""),
            "f.toml:2:5: t.x: must be an integer or 'few' or 'many', but is the string "
            "\"most\"");
  EXPECT_EQ(Mixed().read("x = 0"),
            "f.toml:2:5: t.x: must be at least 1 [steps] or 'few' or 'many', but is 0");
  EXPECT_EQ(Mixed().read("x = [1]"), "f.toml:2:5: t.x: must be an integer or 'few' or 'many', but is a list");
  EXPECT_EQ(Mixed().read("x = \"4\""),
            "f.toml:2:5: t.x: must be an integer or 'few' or 'many', but is the string "
            "\"4\"");
}

TEST(IntegerOrWord, IsDescribedAndWrittenWithItsComment) {
  Mixed mixed;
  EXPECT_EQ(type_name(mixed.keys.all().front()), "integer or string");
  EXPECT_EQ(allowed_values(mixed.keys.all().front()), "at least 1, few, many");
  EXPECT_EQ(toml_table(mixed.keys, "[t]"), "[t]\nx = 3\n");
  mixed.value = "many";
  mixed.keys.set_comment("x", "12 steps");
  EXPECT_EQ(toml_table(mixed.keys, "[t]"), "[t]\nx = \"many\"  # 12 steps\n");
}

TEST(Document, CaretStandsUnderTheValueInAnyEncoding) {
  double x = 0;
  KeyTable fields("t");
  fields.number("x", x, "", "", at_least(0));
  try {
    // Two bytes each for the umlauts, one column each; a tab stays a tab.
    Document::from_text("[t]\nunter = { \"\xc3\xa4\xc3\xb6\" = 1 }\n\tx = -1 # \xc3\xa4\n", "f.toml")
        .peek(fields);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "f.toml:3:6: t.x: must be at least 0, but is -1\n  3 | \tx = -1 # \xc3\xa4\n    | \t    ^");
  }
}

TEST(Document, RejectNamesTheTableWhereAValueIsADefault) {
  double x = 1;
  KeyTable fields("t");
  fields.number("x", x, "", "");
  Document::from_text("[t]\n", "f.toml").bind(fields);
  EXPECT_FALSE(fields.was_given("x"));
  EXPECT_THROW(
      {
        try {
          fields.reject("x", "is wrong");
        } catch (const InputError& error) {
          EXPECT_STREQ(error.what(), "f.toml:1:1: t.x: is wrong\n  1 | [t]\n    | ^");
          throw;
        }
      },
      InputError);
}

}  // namespace
}  // namespace meander::io
