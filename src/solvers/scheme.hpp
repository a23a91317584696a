// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The list of finite-volume schemes: reconstructions, limiters and Riemann solvers. It determines the
// dispatch of CPU, block, CUDA and OpenMP kernels and the words of the input file (scheme_words.hpp). To add
// a reconstruction, add its kernels for packs and for blocks, and its entry here.

#include <cstdint>

#include "solvers/limiters.hpp"
#include "solvers/riemann.hpp"
#include "solvers/solver.hpp"

namespace meander::solvers {

// The kernels. CPU: godunov.hpp, muscl.hpp. Blocks: block_godunov.hpp, block_muscl.hpp.
template <Pde P, class V, class Flux>
class GodunovKernel;
template <Pde P, class Flux, int known>
class BlockGodunov;
template <Reconstructible P, class V, class Limiter, class Flux>
class MusclHancock;
template <Reconstructible P, class Limiter, class Flux, int known>
class BlockMuscl;

// The Riemann solvers that equation P can use: P::RiemannSolvers if defined, otherwise only Rusanov's.
template <Pde P>
struct RiemannSolversOf {
  using type = List<RusanovFlux>;
};
template <Pde P>
requires requires {
  typename P::RiemannSolvers;
}
struct RiemannSolversOf<P> {
  using type = typename P::RiemannSolvers;
};

// First-order finite volumes.
template <class Flux>
struct Godunov {
  static constexpr bool is_default = std::is_same_v<Flux, RusanovFlux>;  // Flux is the default Riemann solver
  template <Pde P, class V>
  using Cpu = GodunovKernel<P, V, Flux>;
  template <Pde P, int known>
  using Block = BlockGodunov<P, Flux, known>;
};

// Second order in space and time.
template <class Limiter, class Flux>
struct Muscl {
  static constexpr bool is_default = std::is_same_v<Flux, RusanovFlux>;
  template <Pde P, class V>
  using Cpu = MusclHancock<P, V, Limiter, Flux>;
  template <Pde P, int known>
  using Block = BlockMuscl<P, Limiter, Flux, known>;
};

enum class Reconstruction : std::uint8_t { constant, muscl };

// The values of solver.scheme.
struct ReconstructionEntry {
  const char* word;
  Reconstruction reconstruction;
  const char* meaning;
  int halo = 1;
  HaloShape halo_shape = HaloShape::faces;
  Prolongation prolongation = Prolongation::constant;
};
inline constexpr ReconstructionEntry reconstructions[] = {
    {"godunov", Reconstruction::constant, "first-order finite volumes"},
    {"rusanov", Reconstruction::constant, "godunov with the Riemann solver of that name"},
    // The predictor reads transverse slopes in the halo volumes next to a face.
    {"muscl", Reconstruction::muscl, "MUSCL-Hancock (second order)", 2, HaloShape::edges,
     Prolongation::limited_linear},
};

// Whether equation P has kernels with that reconstruction.
template <Pde P>
constexpr bool has_reconstruction(Reconstruction reconstruction) {
  return reconstruction == Reconstruction::constant || Reconstructible<P>;
}

// One scheme: a reconstruction and indices into Limiters and the equation's Riemann solvers.
struct SchemeChoice {
  Reconstruction reconstruction = Reconstruction::constant;
  int limiter = 0;
  int riemann = 0;
};

// Calls body(std::type_identity<Scheme>()) for the chosen scheme. Throws std::logic_error if equation P has
// no such scheme.
template <Pde P, class Body>
void with_scheme(const SchemeChoice& choice, const Body& body) {
  with_entry(typename RiemannSolversOf<P>::type(), choice.riemann, [&]<class Flux>(std::type_identity<Flux>) {
    switch (choice.reconstruction) {
      case Reconstruction::constant:
        return body(std::type_identity<Godunov<Flux>>());
      case Reconstruction::muscl:
        if constexpr (Reconstructible<P>) {
          return with_entry(Limiters(), choice.limiter, [&]<class Limiter>(std::type_identity<Limiter>) {
            body(std::type_identity<Muscl<Limiter, Flux>>());
          });
        }
    }
    throw std::logic_error("the equation has no such reconstruction");
  });
}

// Sets the halo width, halo shape and prolongation that the reconstruction requires.
inline void set_traits(Traits& traits, Reconstruction reconstruction) {
  for (const ReconstructionEntry& entry : reconstructions) {
    if (entry.reconstruction != reconstruction) continue;
    traits.halo = entry.halo;
    traits.halo_shape = entry.halo_shape;
    traits.prolongation = entry.prolongation;
    return;
  }
}

}  // namespace meander::solvers
