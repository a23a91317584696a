# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Meander(CMakePackage, CudaPackage):
    """Block-structured adaptive mesh refinement on the Peano curve, with task-based
    offloading to devices: Euler and CCZ4 solvers over MPI and threads."""

    # The recipe lies in the repository that it builds.
    git = f"file://{pathlib.Path(__file__).resolve().parents[6]}"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type=("build", "run"))

    depends_on("mpi@3:")
    depends_on("hdf5@1.10: +mpi")
    depends_on("tbb")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: cxxstd=20")
    depends_on("muparser@2.2.6:")
    depends_on("xsimd@8:9")
    depends_on("tomlplusplus@3:")
    depends_on("cli11@2:", type="build")
    depends_on("lapack")
    depends_on("googletest@1.12:", type="build", when="+tests")
    depends_on("cuda@12:", when="+cuda")

    conflicts("%gcc@:11", msg="C++20")
    conflicts("%clang@:13", msg="C++20")
    conflicts("cuda_arch=none", when="+cuda", msg="name the device, as in cuda_arch=80")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("MEANDER_CUDA", "cuda"),
            self.define_from_variant("MEANDER_TESTS", "tests"),
            self.define("MEANDER_WERROR", False),
            # Spack's compiler wrapper gives the target.
            self.define("MEANDER_ARCH", ""),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(architectures)))
        return args
