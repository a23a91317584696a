# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every shipped input at its shipped size with its patches on the emulated device, on several ranks: the same bits as on
the CPU, over steps with regrids. And the real CUDA code on an emulated GPU (tests/cuda_emulator), by tests and by
shortened runs."""
import glob
import os
import re
import subprocess
import sys
import time

from verification.session import AS_ROOT, ROOT, shipped

RANKS = (1, 2, 3, 5)
QUICK = ("sod", "uniform")
STEPS = 3
# Smaller patches where memory does not hold the run twice, or an emulated device (4 GiB) not once. With an odd number of
# volumes the punctures of head-on would lie on centres.
SMALLER = {"head-on": {"mesh.patch-size": 9, "scenario.position-1": "[0.0, 0.0, 2.6]", "scenario.position-2": "[0.0, 0.0, -2.6]"},
           "spinning-puncture": {"mesh.patch-size": 10}}


def last_checkpoint(directory):
    found = sorted(glob.glob(os.path.join(directory, "chk_*.hdf5")))
    return found[-1] if found else None


def same_bits(verification, reference, run):
    """Whether the last checkpoints of two runs are the same; None if one is missing."""
    pair = [last_checkpoint(verification.directory(one)) for one in (reference, run)]
    if None in pair:
        return None
    return subprocess.run([os.path.join(ROOT, "scripts/compare-checkpoints"), *pair],
                          stdout=subprocess.DEVNULL, check=False).returncode == 0


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
            same = same_bits(verification, reference, run)
            if same is None:
                failed.append(f"{ranks} ranks")
            elif not same:
                differing.append(f"{ranks} ranks")
        seen = "; ".join([f"failed: {', '.join(failed)}"] * bool(failed) + [f"differs: {', '.join(differing)}"] * bool(differing))
        verification.claim(f"{name}.toml, {STEPS} steps, patches on the emulated device, {', '.join(map(str, RANKS))} ranks",
                           "the bits of the CPU", seen or "the same", not seen, total)


BUILD = os.path.join(ROOT, "build/cuda-emulated")
RESIDENT = {"gpu-memory.patches": "device"}
BATCHES = {"offload.split": "fixed", "offload.batch": 4}
MEMORIES = ("map", "pooled", "unified", "unified-prefetch", "zero-copy", "cuda-async")
SOD, ACCRETION = ("sod", {"time.max-steps": 6}), ("accretion-2d", {"time.max-steps": 3})
CHECKED = {"CUDA_EMULATOR_CHECK": "1"}
# Name, input with its settings and perhaps tables, settings of the device, ranks, variables of the emulator.
EMULATED_RUNS = [
    *((f"{base[0]}-{memory}", base, {**BATCHES, "offload.memory": memory}, 1, CHECKED)
      for base in (SOD, ACCRETION) for memory in MEMORIES),
    ("sod-pinned", SOD, {**BATCHES, "gpu-memory.patches": "pinned"}, 1, {**CHECKED, "CUDA_EMULATOR_DEVICES": "3"}),
    ("sod-unified", SOD, {**BATCHES, "gpu-memory.patches": "unified", "offload.memory": "unified"}, 1,
     {**CHECKED, "CUDA_EMULATOR_DEVICES": "2"}),
    ("accretion-2d-quota", ACCRETION, {**BATCHES, "gpu-memory.quota": "1e6"}, 2, {**CHECKED, "CUDA_EMULATOR_DEVICES": "2"}),
    ("accretion-2d-frees-at-once", ACCRETION, {**BATCHES, "offload.memory": "map"}, 1, {**CHECKED, "CUDA_EMULATOR_FREE": "now"}),
    # A device that is lost, and allocations that fail, cost time only.
    *((f"accretion-2d-lost-{launch}", ACCRETION, BATCHES, 1, {"CUDA_EMULATOR_FAIL_LAUNCH": str(launch)}) for launch in (1, 7, 40)),
    *((f"accretion-2d-{memory}-fails-{first}", ACCRETION, {**BATCHES, "offload.memory": memory}, 1,
       {"CUDA_EMULATOR_FAIL_MALLOC": str(first), "CUDA_EMULATOR_FAIL_MALLOCS": "6"})
      for memory in ("map", "cuda-async") for first in (4, 9)),
    *((f"{base[0]}-resident-{ranks}", base, RESIDENT, ranks, CHECKED) for base in (SOD, ACCRETION) for ranks in (1, 3)),
    ("accretion-2d-local", ("accretion-2d", {"time.max-steps": 2, "time.stepping": "local"}), RESIDENT, 3, CHECKED),
    ("accretion-2d-regrids", ("accretion-2d", {"time.max-steps": 20, "mesh.regrid-every": 1}), RESIDENT, 3, {}),
    ("sedov-3d", ("sedov-3d", {"time.max-steps": 2}), RESIDENT, 3, {}),
    # Criteria that read the state of gas with dual energy and of a spacetime; gravity of an open domain with local steps.
    ("riemann-2d-dual", ("riemann-2d", {"time.max-steps": 3, "mesh.regrid-every": 1, "solver.dual-energy": "true"}), RESIDENT, 1, CHECKED),
    ("riemann-2d-poisson", ("riemann-2d", {"time.max-steps": 3, "mesh.regrid-every": 1, "time.stepping": "local", "gravity.method": "poisson",
                                           "gravity.constant": 0.1}), RESIDENT, 2, CHECKED),
    ("gauge-wave-criterion", ("gauge-wave", {"time.max-steps": 1, "mesh.regrid-every": 1, "mesh.patch-size": 9, "mesh.max-level": 2},
                              '[[refinement]]\nkind = "jump"\nvariable = "lapse"\nrefine = 0.01\n'), RESIDENT, 1, {}),
    ("jeans", ("jeans", {"time.max-steps": 3, "mesh.regrid-every": 1}), RESIDENT, 3, CHECKED),
    ("evrard-local", ("evrard", {"time.max-steps": 1, "mesh.patch-size": 6, "time.stepping": "local", "mesh.regrid-every": 1}), RESIDENT, 2, {}),
    ("gauge-wave", ("gauge-wave", {"time.max-steps": 2}), RESIDENT, 1, CHECKED),
    ("gauge-wave-local", ("gauge-wave", {"time.max-steps": 1, "time.stepping": "local"}), RESIDENT, 2, CHECKED),
    ("puncture", ("puncture", {"time.max-steps": 1, "mesh.max-level": 2}), RESIDENT, 3, {}),
    ("qc0", ("qc0", {"time.max-steps": 1, "mesh.max-level": 4, "mesh.patch-size": 10}), RESIDENT, 3, {}),
]
# Kernels of sizes and schemes that no case above has, by a part of their (mangled) names.
NEVER_RUN = ()


def cuda_emulated(verification):
    program = os.path.join(BUILD, "apps/meander/meander")
    if not os.access(program, os.X_OK):
        sys.exit(f"scripts/verify: {program}: no such program; cmake --preset cuda-emulated && cmake --build --preset cuda-emulated")
    kernels = os.path.join(os.path.abspath(verification.options.output), "kernels.txt")
    emulator = {"CUDA_EMULATOR_KERNELS": kernels, "CUDA_EMULATOR_CACHE": os.path.join(BUILD, "cuda-emulator-cache")}
    runs = [run for run in EMULATED_RUNS if not verification.options.quick or run[1] == SOD]
    for name, (source, settings, *tables), of_device, ranks, variables in runs:
        run, reference = f"cuda-{name}", "cpu-" + "-".join([source, *map(str, settings.values()), *["with-tables"] * len(tables)])
        common = {**settings, "checkpoint.keep": 1}
        path = shipped(f"{source}.toml")
        if tables:
            with open(path, encoding="utf-8") as text:
                path = verification.input(f"{source}-with-tables", text.read() + "\n" + tables[0])
        verification.run(reference, path, common)
        _, _, seconds = verification.run(run, path, {**common, "offload.device": "cuda", **of_device},
                                         program=program, ranks=ranks, environment={**emulator, **variables})
        with open(verification.directory(run) + ".log", encoding="utf-8") as log:
            defects = sorted(set(re.findall(r"CUDA EMULATOR (?:DEFECT|STOP) .*", log.read())))
        same = same_bits(verification, reference, run)
        seen = "; ".join(["no checkpoint" if same is None else "the same bits" if same else "other bits", *defects[:3]])
        verification.claim(f"{name} on an emulated GPU, {ranks} rank{'s' * (ranks > 1)}", "the bits of the CPU, no defect", seen,
                           bool(same) and not defects, seconds)
    if not verification.options.quick:
        started = time.monotonic()
        log = verification.directory("cuda-tests.log")
        with open(log, "w", encoding="utf-8") as stream:
            code = subprocess.run(["ctest", "--test-dir", BUILD, "-R", "^cuda_emulated", "--no-tests=error"], stdout=stream, stderr=stream,
                                  check=False, env={**AS_ROOT}).returncode
        verification.claim("the tests cuda_emulated.*", "pass", "passed" if code == 0 else f"failed, see {log}", code == 0,
                           time.monotonic() - started)
    executed(verification, [kernels, os.path.join(BUILD, "cuda-emulator-kernels.txt")])


def executed(verification, paths):
    """A claim about the kernels that ran: all that the programs have, but those of NEVER_RUN."""
    lines = set()
    for path in paths:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                lines |= set(stream.read().splitlines())
    ran = {line.removeprefix("RAN ") for line in lines if line.startswith("RAN ")}
    known = ran | {line.removeprefix("KNOWN ") for line in lines if line.startswith("KNOWN ")}
    missing = sorted(name for name in known - ran if not any(part in name for part in NEVER_RUN))
    shown = [subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip() for name in missing]
    verification.claim("kernels that ran on the emulated GPU", f"all of {len(known)} but those that no run can reach",
                       f"{len(ran)}" + "; not " * bool(shown) + ", ".join(shown[:5]), not shown or verification.options.quick, 0)
    verification.table("kernels that did not run", ["kernel"], [[name] for name in shown])
