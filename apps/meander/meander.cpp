// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "meander/program.hpp"

int main(int argc, char** argv) {
  return meander::program(argc, argv);
}
