#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""The keys of summary.json and the columns of history.csv are an interface: scripts of users read them. A key or column
that is new here is added at the end of its list; one that vanishes breaks somebody's script."""
import json
import os
import re
import shutil
import unittest

import programs

ALWAYS = """steps last_step time seconds ranks threads mpi_thread_level leaves volumes volume_updates volumes_per_second
volumes_per_second_and_thread ns_per_volume_update processor_seconds processor_ns_per_volume_update seconds_per_step_update
seconds_per_step_waiting seconds_per_step_regrid seconds_per_step_output seconds_per_step_other seconds_initial_data
imbalance_leaves imbalance_update_time halo_bytes_per_step remote_faces remote_faces_of_cubes migrated_leaves peak_memory_bytes
peak_memory_bytes_of_rank checkpoints seconds_per_checkpoint first_order_volume_updates floored_volume_updates
strayed_volume_updates warnings changed_keys processor""".split()
ON_RANKS = "messages_under_way_share messages_hidden_share".split()
LOCAL = """ratios ratios_above_3 steps_per_level shadow_volume_updates leaf_updates leaf_updates_with_global_steps
leaf_updates_of_critical_path leaf_updates_per_worker_and_step share_of_ideal_by_partition""".split()
LOCAL_ON_RANKS = ["cut_for_each_level"]
BATCHES = """offload_devices offload_batches offload_patch_updates offload_failed_batches offload_deferred_batches
offload_retried_batches offload_split_batches offload_fallback_patch_updates offload_devices_given_up patch_updates
enclave_patch_updates gpu_memory_allocations gpu_memory_cache_hits gpu_memory_fallbacks gpu_memory_evictions
gpu_memory_allocations_while_busy gpu_memory_bytes gpu_memory_peak_bytes offload_share_of_volumes gpu_memory_hit_rate
gpu_memory_seconds_waited offload_batches_hidden_share seconds_per_patch_on_a_thread
seconds_per_patch_on_the_devices""".split()
PATCHES = """offload_devices device_launches_per_stage device_host_microseconds_per_step device_bytes_in_per_step
device_bytes_out_per_step device_regrids device_seconds_per_regrid device_buffers_not_page_locked device_messages_in_place patches_brought_home
patches_brought_home_for
gpu_memory_bytes gpu_memory_peak_bytes""".split()
COLUMNS = """step time dt total_density total_momentum_x total_momentum_y total_energy leaves_level_1 leaves_level_2
leaves_level_3""".split()
LOCAL_COLUMNS = "updates_level_1 updates_level_2 updates_level_3 ratio_level_2 ratio_level_3 ratios_above_3".split()
LAST_COLUMNS = "first_order_volumes floored_volumes".split()

DEVICE = ["--set", "offload.device=host"]
ON_DEVICE = [*DEVICE, "--set", "gpu-memory.patches=device"]
GLOBAL_STEPS = ["--set", "time.stepping=global"]
LOCAL_STEPS = ["--set", "time.stepping=local"]


class Summary(programs.ProgramTest):
    def summary(self):
        with open(self.path("run/summary.json"), encoding="utf-8") as stream:
            return json.load(stream)

    def test_keys_and_columns(self):
        for ranks, arguments, keys, columns in (
                (0, GLOBAL_STEPS, [], []),
                (0, LOCAL_STEPS, LOCAL, LOCAL_COLUMNS),
                (0, [*GLOBAL_STEPS, *DEVICE], BATCHES, []),
                (0, [*GLOBAL_STEPS, *ON_DEVICE], PATCHES, []),
                (2, [*LOCAL_STEPS, *ON_DEVICE], [*ON_RANKS, *LOCAL, *LOCAL_ON_RANKS, *PATCHES], LOCAL_COLUMNS)):
            with self.subTest(ranks=ranks, arguments=arguments):
                shutil.rmtree(self.path("run"), ignore_errors=True)
                self.run_to_end(ranks, "run", *programs.SMALL, "--set", "time.max-steps=4", "--output", "run", *arguments)
                self.assertEqual(sorted(self.summary()), sorted([*ALWAYS, *keys]))
                with open(self.path("run/history.csv"), encoding="utf-8") as stream:
                    self.assertEqual(stream.readline().strip().split(","), [*COLUMNS, *columns, *LAST_COLUMNS])

    def test_documentation_names_keys(self):
        with open(os.path.join(programs.SOURCE, "docs/running-on-clusters.md"), encoding="utf-8") as stream:
            named = set(re.findall(r"`(\w+)`", stream.read()))
        self.assertEqual([key for key in ALWAYS if key not in named], [])

    def test_shares_after_a_restart(self):
        """Floored volumes count since the start of the whole run: so do the updates of which they are a share."""
        sod = os.path.join(programs.SOURCE, "inputs/sod.toml")
        self.run_to_end(0, "run", sod, "--set", "solver.density-floor=0.3", "--set", "time.max-steps=30", "--output", "run")
        first = self.summary()
        log = self.run_to_end(0, "restart", "run", "--set", "time.max-steps=31")
        second = self.summary()
        self.assertGreater(second["floored_volume_updates"], 0)
        share = float(re.search(r"volume updates were raised to a floor \((\S+) of all\)", log).group(1))
        updates = first["volume_updates"] + second["volume_updates"]
        self.assertAlmostEqual(share * updates / second["floored_volume_updates"], 1, delta=0.06)


if __name__ == "__main__":
    unittest.main()
