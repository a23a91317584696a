// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace meander::mesh {

// Where the patches of a rank live. On a device: plans on the host are without slots, registers and sums of fluxes
// (device_local_steps.hpp, device_reflux.hpp).
enum class Residence : char { host, device };

}  // namespace meander::mesh
