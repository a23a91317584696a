# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every shipped input at its shipped size with its patches on the emulated device, on several ranks: the same bits as on
the CPU, over steps with regrids."""
import glob
import os
import subprocess

from verification.session import ROOT, shipped

RANKS = (1, 2, 3, 5)
QUICK = ("sod", "uniform")
STEPS = 3
# Smaller patches where memory does not hold the run twice, or an emulated device (4 GiB) not once. With an odd number of
# volumes the punctures of head-on would lie on centres.
SMALLER = {"head-on": {"mesh.patch-size": 9, "scenario.position-1": "[0.0, 0.0, 2.6]", "scenario.position-2": "[0.0, 0.0, -2.6]"},
           "qc0": {"mesh.patch-size": 10}, "spinning-puncture": {"mesh.patch-size": 10}}


def last_checkpoint(directory):
    found = sorted(glob.glob(os.path.join(directory, "chk_*.hdf5")))
    return found[-1] if found else None


def device_patches(verification):
    for path in sorted(glob.glob(shipped("*.toml"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if verification.options.quick and name not in QUICK:
            continue
        # The first steps of a run refine and coarsen leaves where a criterion reads the state.
        settings = {"time.max-steps": STEPS, "mesh.regrid-every": 1, "checkpoint.keep": 1, **SMALLER.get(name, {})}
        reference = f"device-patches-{name}-cpu"
        _, done, total = verification.run(reference, path, settings)
        differing, failed = [], [] if done or last_checkpoint(verification.directory(reference)) else ["the CPU"]
        for ranks in RANKS if not failed else ():
            run = f"device-patches-{name}-{ranks}"
            _, _, seconds = verification.run(run, path, {
                **settings, "offload.device": "host", "gpu-memory.patches": "device"}, ranks=ranks)
            total += seconds
            pair = [last_checkpoint(verification.directory(one)) for one in (reference, run)]
            if None in pair:
                failed.append(f"{ranks} ranks")
            elif subprocess.run([os.path.join(ROOT, "scripts/compare-checkpoints"), *pair],
                                stdout=subprocess.DEVNULL, check=False).returncode:
                differing.append(f"{ranks} ranks")
        seen = "; ".join([f"failed: {', '.join(failed)}"] * bool(failed) + [f"differs: {', '.join(differing)}"] * bool(differing))
        verification.claim(f"{name}.toml, {STEPS} steps, patches on the emulated device, {', '.join(map(str, RANKS))} ranks",
                           "the bits of the CPU", seen or "the same", not seen, total)
