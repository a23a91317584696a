// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "meander/meander.hpp"

int main(int argc, char** argv) {
  return meander::program(argc, argv);
}
