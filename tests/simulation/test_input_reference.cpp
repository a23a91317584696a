// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// docs/input.md is the output of `meander input-reference`.
#include "simulation/report/input_reference.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "simulation/config/input_tables.hpp"

namespace meander::simulation {
namespace {

TEST(InputReferenceQuick, DocsAreUpToDate) {
  std::ostringstream docs;
  docs << std::ifstream(MEANDER_SOURCE_DIR "/docs/input.md").rdbuf();
  std::istringstream expected(input_reference()), found(docs.str());
  std::string expected_line, found_line;
  for (int line = 1; std::getline(expected, expected_line); ++line) {
    std::getline(found, found_line);
    ASSERT_EQ(found_line, expected_line)
        << "docs/input.md:" << line
        << " is out of date; refresh it with: meander input-reference > docs/input.md";
  }
  EXPECT_FALSE(std::getline(found, found_line)) << "docs/input.md is longer than: meander input-reference";
}

TEST(InputReferenceQuick, NamesEveryTableKindAndScenario) {
  const std::string text = input_reference();
  for (const InputTable& table : input_tables())
    EXPECT_NE(text.find(std::string("[") + table.name + "]"), std::string::npos) << table.name;
  for (const CriterionEntry& kind : refinement_criteria()) {
    EXPECT_NE(text.find("### kind = \"" + kind.name + "\""), std::string::npos) << kind.name;
  }
  for (const ScenarioEntry& entry : scenarios()) {
    EXPECT_NE(text.find("### name = \"" + entry.name + "\""), std::string::npos) << entry.name;
    EXPECT_NE(scenario_list().find(entry.name + " ("), std::string::npos) << entry.name;
  }
}

}  // namespace
}  // namespace meander::simulation
