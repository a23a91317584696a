# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Noise in flat space with local time steps of fourth-order CCZ4, for long: it must not grow beyond that of the run
without resolution jumps."""
from verification.jumps import DISSIPATIONS, FIRST, MESHES, NOISE, UNKNOWNS, deviations, run

LONG = 50  # in crossings of the middle cell
CROSSINGS = {"a": 3, "d": 6}  # by mesh: a row whose middle cell is refined, and three levels nested


def local_noise_part(mesh):
    def local_noise(verification):
        crossing = CROSSINGS[mesh]
        end = (5 if verification.options.quick else LONG) * crossing
        for name, dissipation in DISSIPATIONS.items():
            settings = {"solver.dissipation": dissipation, "time.end": end, "output.plot-every": crossing,
                        "output.precision": "float64",
                        "output.fields": "[" + ", ".join(f'"{unknown}"' for unknown in UNKNOWNS) + "]"}
            path, rows, done, seconds = run(verification, f"local-{mesh}-{name}", mesh, True,
                                            {**settings, "time.stepping": "local"})
            plain_path, _, _, more = run(verification, f"local-{mesh}-{name}", mesh, False, settings)
            refined, plain = (deviations(verification.directory(one)) for one in (path, plain_path))
            times = [t for t in sorted(set(refined) & set(plain)) if t >= FIRST]
            ratios = {t: max(refined[t].values()) / max(plain[t].values()) for t in times}
            worst = max(ratios, key=ratios.get, default=None)
            measured = (f"{ratios[worst]:.2f} at t = {worst:g}; at the end {max(refined[times[-1]].values()):.1e}"
                        f" of {NOISE:g}" if times else "the run failed")
            verification.claim(f"({mesh}) {MESHES[mesh][0]}, local steps, dissipation {dissipation}, to t = "
                               f"{end}: largest deviation of any unknown over that without jumps", "at most 2",
                               f"{measured}; ended at t = {rows[-1]['time']:.3g}",
                               done and bool(times) and ratios[worst] <= 2, seconds + more)
    return local_noise
