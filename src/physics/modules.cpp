// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// The equations of the library, one folder each. To add one, add its folder and a line in the list.
#include "physics/ccz4/module.hpp"
#include "physics/euler/module.hpp"

namespace meander::simulation {

std::vector<const Module*> built_in_modules() {
  return {&euler::module(), &ccz4::module()};
}

}  // namespace meander::simulation
