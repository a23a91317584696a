# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE_DIR=.. -DOUTPUT=.. -DVERSION=.. ... -P BuildFacts.cmake
# Runs at every build and writes the header of src/io/provenance.cpp, which is touched only if a fact changed.
set(GIT_HASH unknown)
set(MODIFIED false)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" rev-parse HEAD
    OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(GIT_HASH "${hash}")
    execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(MODIFIED true)
    endif()
  endif()
endif()
string(REPLACE "\"" "\\\"" OPTIONS "${OPTIONS}")
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
namespace meander::io::build_facts {
inline constexpr const char* version = "@VERSION@";
inline constexpr const char* git_hash = "@GIT_HASH@";
inline constexpr bool modified = @MODIFIED@;
inline constexpr const char* compiler = "@COMPILER@";
inline constexpr const char* options = "@OPTIONS@";
inline constexpr const char* architecture = "@ARCHITECTURE@";
inline constexpr const char* build_type = "@BUILD_TYPE@";
}  // namespace meander::io::build_facts
]])
