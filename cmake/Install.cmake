# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` puts where: the program, the rooms as static libraries with their headers, and what
# find_package(meander) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# meander_export(NAME): the target meander_NAME, which users call meander::NAME.
function(meander_export name)
  add_library(meander::${name} ALIAS meander_${name})
  set_target_properties(meander_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS meander_${name} EXPORT meander DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

function(meander_install_package)
  set(package "${CMAKE_INSTALL_LIBDIR}/cmake/meander")
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/src/" "${CMAKE_SOURCE_DIR}/extras/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/meander"
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
  install(EXPORT meander NAMESPACE meander:: FILE meander-targets.cmake DESTINATION "${package}")
  configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/meander-config.cmake.in"
    "${CMAKE_BINARY_DIR}/meander-config.cmake" INSTALL_DESTINATION "${package}")
  write_basic_package_version_file("${CMAKE_BINARY_DIR}/meander-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_BINARY_DIR}/meander-config.cmake" "${CMAKE_BINARY_DIR}/meander-config-version.cmake"
    DESTINATION "${package}")
  configure_file("${CMAKE_SOURCE_DIR}/packaging/lmod/meander.lua.in" "${CMAKE_BINARY_DIR}/${PROJECT_VERSION}.lua" @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/${PROJECT_VERSION}.lua"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/meander/modulefiles/meander")
  # With the program alone: what `meander report` and users start with.
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/share/bash-completion" DESTINATION "${CMAKE_INSTALL_DATADIR}" COMPONENT program)
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/inputs" DESTINATION "${CMAKE_INSTALL_DATADIR}/meander" COMPONENT program)
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/python/meander_amr" DESTINATION "${CMAKE_INSTALL_DATADIR}/meander/python" COMPONENT program
    PATTERN "__pycache__" EXCLUDE)
endfunction()
