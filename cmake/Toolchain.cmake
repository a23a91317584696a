# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Language level, warnings, floating-point rules and instruction set, once for all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Precompiled headers of libraries take a fifth off a build. Clang's builds and those for devices have none, so that a
# file which does not include what it needs is found.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT MEANDER_CUDA AND NOT MEANDER_OPENMP)
  set(precompile ON)
else()
  set(precompile OFF)
endif()
option(MEANDER_PRECOMPILE "Precompile the headers of the standard library, fmt and GoogleTest" ${precompile})
# Several sources as one spare the compiler their common headers and templates. For work on a few files, OFF is faster.
option(MEANDER_UNITY "Compile several sources of a room at once" ${precompile})

# ccache runs the prefix for what it does not find, and the result does not depend on it.
option(MEANDER_RECORD_BUILD "Record the processor seconds for each object, for scripts/build-budget" OFF)
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(recorder "${CMAKE_SOURCE_DIR}/cmake/record-compilation")
  set(launcher_environment)
  if(MEANDER_RECORD_BUILD)
    list(APPEND launcher_environment "MEANDER_BUILD_RECORDS=${CMAKE_BINARY_DIR}/build-records.txt")
  endif()
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
    if(MEANDER_PRECOMPILE)
      # No source file asks for the time of its compilation, and no precompiled header depends on a macro of its users.
      list(APPEND launcher_environment CCACHE_SLOPPINESS=pch_defines,time_macros)
    endif()
    if(MEANDER_RECORD_BUILD)
      list(APPEND launcher_environment "CCACHE_PREFIX=${recorder}")
    endif()
  elseif(MEANDER_RECORD_BUILD)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${recorder}")
  endif()
  if(launcher_environment)
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env ${launcher_environment})
  endif()
endif()

find_package(Threads REQUIRED)

include(Install)

add_library(meander_options INTERFACE)
target_include_directories(meander_options INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/meander>)
# Contraction is off so that compilers, packs, scalars and CUDA agree to the bit (fma is written where wanted).
# Nobody reads errno after sqrt, and setting it keeps loops from being vectorised.
target_compile_options(meander_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-math-errno>
  $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion>>
  $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion -Wno-unused-private-field>>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-uninitialized -Wno-maybe-uninitialized>)
# Collecting garbage takes g++ 4 to 10 % of its time, where it has seldom more than a gigabyte in use.
target_compile_options(meander_options INTERFACE
  $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>>)
if(MEANDER_PRECOMPILE)
  # g++ 12 forgets of what it precompiled that these are headers of the system, and warns of std::string.
  target_compile_options(meander_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>>)
endif()
if(MEANDER_UNITY)
  # A source that is compiled together with others is a header to the compiler, which would warn of its unnamed namespaces,
  # and of its variables that have the name of a function in another one. The build with clang 14 compiles each for itself.
  target_compile_options(meander_options INTERFACE
    $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage -Wshadow=local>>)
else()
  target_compile_options(meander_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wshadow>>)
endif()
if(MEANDER_WERROR)
  target_compile_options(meander_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Werror>>)
endif()
if(NOT MEANDER_CUDA)  # see below
  target_compile_features(meander_options INTERFACE cxx_std_20)
endif()
meander_export(options)
if(MEANDER_ARCH)
  target_compile_options(meander_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${MEANDER_ARCH}>)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
# For sources that no step of a simulation waits for: they read input, write reports and messages.
set(meander_cold_options)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(meander_cold_options -O1)
endif()
if(MEANDER_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(MEANDER_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(MEANDER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(MEANDER_CUDA)
  if(MEANDER_CUDA_EMULATED)
    set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # tests/cuda_emulator is in its place
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # CMake 3.25 does not know C++20 for CUDA: it would fall back to 17, or refuse where a target inherits C++20.
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA17_STANDARD_COMPILE_OPTION "")
  set(CMAKE_CUDA17_EXTENSION_COMPILE_OPTION "")
  target_compile_options(meander_options INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -fmad=false>
    $<INSTALL_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-std=c++20>>)
  if(MEANDER_CUDA_EMULATED)
    # The emulator reads the PTX of a program, which must not be compressed.
    target_compile_options(meander_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-no-compress>)
  endif()
endif()

if(MEANDER_OPENMP)
  if(MEANDER_CUDA)
    message(FATAL_ERROR "MEANDER_OPENMP and MEANDER_CUDA are for builds of their own: g++ offloads the one, nvcc the other")
  endif()
  set(CMAKE_INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")  # the kernels are a shared library
  # Debian's g++ assembles for a GPU that ptxas of today has forgotten, unless told otherwise.
  set(meander_openmp_offload -fopenmp -foffload=nvptx-none)
  set(meander_openmp_offload_link ${meander_openmp_offload} -foffload-options=nvptx-none=-misa=sm_80
    -foffload-options=nvptx-none=-msoft-stack-reserve-local=4096 -foffload-options=nvptx-none=-lm)
  file(WRITE "${CMAKE_BINARY_DIR}/offloads.cpp" [[
    #include <omp.h>
    int main() {
      int host = 1;
    #pragma omp target map(from : host)
      host = omp_is_initial_device();
      return host < 0;
    }
  ]])
  if(NOT DEFINED MEANDER_COMPILER_OFFLOADS)
    execute_process(
      COMMAND "${CMAKE_CXX_COMPILER}" ${meander_openmp_offload_link} offloads.cpp -o offloads
      WORKING_DIRECTORY "${CMAKE_BINARY_DIR}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE words)
    if(failed)
      message(FATAL_ERROR "${CMAKE_CXX_COMPILER} does not offload OpenMP to nvptx-none (Debian: "
        "scripts/install-dependencies --with-openmp-offload):\n${words}")
    endif()
    set(MEANDER_COMPILER_OFFLOADS TRUE CACHE INTERNAL "")
  endif()
endif()

# meander_offloads(TARGET sources...): these sources, of a program or shared library, contain target regions. The compiler
# for the device runs when TARGET is linked, so that each such target costs its time.
function(meander_offloads target)
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${meander_openmp_offload})
  # The compiler's own table of target regions is not position-independent.
  target_link_options(${target} PRIVATE ${meander_openmp_offload_link} -Wl,-z,notext)
endfunction()

# meander_precompiled_headers(NAME OPTIONS options... LINK libraries... HEADERS headers...): compiles these headers once.
# Each target of meander_use_precompiled(TARGET NAME) must have these options, and the definitions of these libraries.
function(meander_precompiled_headers name)
  if(MEANDER_PRECOMPILE)
    cmake_parse_arguments(PCH "" "" "OPTIONS;LINK;HEADERS" ${ARGN})
    file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "")
    add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
    target_link_libraries(${name} PRIVATE meander_options Threads::Threads fmt::fmt ${PCH_LINK})
    target_compile_options(${name} PRIVATE ${PCH_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${PCH_HEADERS})
  endif()
endfunction()

function(meander_use_precompiled target name)
  if(MEANDER_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# What several rooms include, and costs the compiler time.
set(meander_common_headers <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string> <unordered_map> <utility> <vector>
  <fmt/format.h>)
find_package(fmt REQUIRED)
meander_precompiled_headers(meander_precompiled HEADERS ${meander_common_headers})

meander_precompiled_headers(meander_precompiled_cold OPTIONS ${meander_cold_options} HEADERS ${meander_common_headers}
  <filesystem> <fstream> <set> <variant>)

# The sources of TARGET are compiled with meander_cold_options.
function(meander_cold target)
  target_compile_options(${target} PRIVATE ${meander_cold_options})
  meander_use_precompiled(${target} meander_precompiled_cold)
endfunction()

# The sources of TARGET are compiled several at once (twelve, or the number given), except those that have options of their own.
function(meander_unite target)
  set(number 12)
  if(ARGC GREATER 1)
    set(number ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MEANDER_UNITY} UNITY_BUILD_BATCH_SIZE ${number})
endfunction()

# meander_room(NAME [ALONE] DEPENDS rooms... LINK libraries... SOURCES patterns... EXCLUDE regexes... COLD regexes...
# HOT regexes...): a static library of the room's sources: all of its folder, or those that SOURCES name. Those that match
# COLD and not HOT are compiled with meander_cold_options. ALONE: each source for itself.
function(meander_room name)
  cmake_parse_arguments(ROOM "ALONE" "" "DEPENDS;LINK;SOURCES;EXCLUDE;COLD;HOT" ${ARGN})
  if(NOT ROOM_SOURCES)
    set(ROOM_SOURCES "*")
  endif()
  list(TRANSFORM ROOM_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM ROOM_SOURCES APPEND ".cpp" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  list(FILTER sources EXCLUDE REGEX "_target\\.cpp$")  # target regions, for a library of their own
  if(MEANDER_CUDA)
    list(TRANSFORM ROOM_SOURCES APPEND ".cu" OUTPUT_VARIABLE patterns)
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS ${patterns})
    list(APPEND sources ${cuda_sources})
  endif()
  foreach(regex IN LISTS ROOM_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${regex}")
  endforeach()
  set(cold_sources)
  foreach(regex IN LISTS ROOM_COLD)
    set(matches ${sources})
    list(FILTER matches INCLUDE REGEX "${regex}")
    list(APPEND cold_sources ${matches})
  endforeach()
  foreach(regex IN LISTS ROOM_HOT)
    list(FILTER cold_sources EXCLUDE REGEX "${regex}")
  endforeach()
  if(cold_sources)
    list(REMOVE_ITEM sources ${cold_sources})
  endif()
  set(kind PUBLIC)
  if(sources)
    add_library(meander_${name} STATIC ${sources})
  else()
    add_library(meander_${name} INTERFACE)
    set(kind INTERFACE)
  endif()
  list(TRANSFORM ROOM_DEPENDS PREPEND meander_)
  set(needed meander_options Threads::Threads ${ROOM_DEPENDS} ${ROOM_LINK})
  target_link_libraries(meander_${name} ${kind} ${needed})
  if(sources)
    meander_use_precompiled(meander_${name} meander_precompiled)
    if(NOT ROOM_ALONE)
      meander_unite(meander_${name})
    endif()
  endif()
  if(cold_sources)
    # Libraries may depend on each other, objects may not: simulation knows the equations, and they use it.
    add_library(meander_${name}_cold STATIC ${cold_sources})
    if(sources)
      target_link_libraries(meander_${name}_cold PUBLIC meander_${name})
    else()
      target_link_libraries(meander_${name}_cold PUBLIC ${needed})
    endif()
    meander_cold(meander_${name}_cold)
    meander_unite(meander_${name}_cold)
    target_link_libraries(meander_${name} ${kind} meander_${name}_cold)
    meander_export(${name}_cold)
  endif()
  meander_export(${name})
endfunction()

# meander_module(NAME): an equation, the folder src/physics/NAME, as two libraries. NAME_kernels, the files of the folder
# itself, builds without MPI and HDF5; NAME is module.cpp and the subfolders that need a simulation.
function(meander_module name)
  set(needs_simulation "/${name}/module\\.cpp$" "/${name}/(scenarios|tables|fields|initial_data|diagnostics|criteria|horizons)/")
  # Kernels of emulated devices run in tests, and in nobody's long runs.
  meander_room(${name}_kernels DEPENDS solvers SOURCES "${name}/*" EXCLUDE ${needs_simulation}
    COLD "kernels_[a-z_]*serial[a-z0-9_]*\\.cpp$")
  # Kernels are compiled as if for themselves: what else is in a file changes what g++ inlines.
  file(GLOB kernels CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*kernels_*.cpp")
  set_property(SOURCE ${kernels} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  # A file holds the kernels of many schemes: g++ would inline less in it than in a file for each.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    file(GLOB kernels CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*kernels_[0-9]d.cpp")
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS
      --param=inline-unit-growth=400 --param=large-unit-insns=200000)
  endif()
  # No fuzz target calls kernels, of which the sanitized compiler takes up to ten minutes each.
  if(MEANDER_FUZZ)
    file(GLOB kernels CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*kernels_*.cpp")
    set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
  endif()
  # For DeviceKernels::use_built(). Kernels do not depend on it: builds with and without devices share them in ccache.
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "kernels_[a-z0-9_]*\\.cpp$")
  foreach(backend IN ITEMS CUDA OPENMP)
    if(MEANDER_${backend})
      set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_DEFINITIONS MEANDER_${backend})
    endif()
  endforeach()
  if(MEANDER_OPENMP)
    target_link_libraries(meander_${name}_kernels PUBLIC meander_openmp_kernels)
  endif()
  if(MEANDER_MPI)
    meander_room(${name} DEPENDS simulation ${name}_kernels
      SOURCES "${name}/module" "${name}/scenarios/*" "${name}/tables/*" "${name}/fields/*" "${name}/initial_data/*" "${name}/diagnostics/*" "${name}/criteria/*" "${name}/horizons/*"
      COLD "/${name}/module\\.cpp$" "/${name}/tables/" "/${name}/scenarios/list\\.cpp$")
  endif()
endfunction()
