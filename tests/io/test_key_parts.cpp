// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Dotted keys are counted as TOML reads them; terminals see no control characters.
#include <gtest/gtest.h>

#include <string>

#include "base/printable.hpp"
#include "io/document.hpp"

namespace meander::io {
namespace {

TEST(KeyParts, CountsKeysWhereverTheyStand) {
  for (const char* text : {"a.b.c", "[a.b.c]", "[[a . b . c]]", "x = 1\n'a'.\"b\".c = 2", "x = {a.b.c = 1}",
                           "x = '''a''' # '\na.b.c", "x = \"\\\"\"\na.b.c", "x = \"\"\"a\"\"\"\"\"\na.b.c"}) {
    EXPECT_FALSE(find_long_key(text, 3)) << text;
    EXPECT_TRUE(find_long_key(text, 2)) << text;
  }
}

TEST(KeyParts, SkipsStringsAndComments) {
  for (const char* text :
       {"# a.b.c", "x = 'a.b.c'", "x = \"a.b\\\".c\"", "x = '''\na.b.c\n'''", "x = \"\"\"\na.b\"c.d\"\"\"",
        "x = [1.5, 2.5, 3.5]", "a.b = 1\nc.d = 1", "x = 'unfinished.a.b"}) {
    EXPECT_FALSE(find_long_key(text, 2)) << text;
  }
}

TEST(KeyParts, TellsWhere) {
  const auto at = find_long_key("# text\n\xc3\xa4.b.c = 1", 2);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->line, 2);
  EXPECT_EQ(at->column, 4);
}

TEST(Printable, KeepsTextAndReplacesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\tb\n\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\x8a"),
            "a\tb\n\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\x8a");
  EXPECT_EQ(printable("a\tb\r\n", Lines::join), "a?b??");
  EXPECT_EQ(printable("\x1b[31m\x07\x7f"), "?[31m??");
  EXPECT_EQ(printable("\xc2\x9b|\x9b|\xe2\x80\xae|\xff|\xc3"), "?|?|?|?|?");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");  // half of a surrogate pair
  EXPECT_EQ(printable("\xc0\x9b"), "??");       // too long a form of a control character
  EXPECT_EQ(printable(std::string_view("\0", 1)), "?");
}

}  // namespace
}  // namespace meander::io
