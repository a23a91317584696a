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

// The kernels. CPU: godunov.hpp, muscl.hpp, rusanov_fused.hpp, fourth_order.hpp. Blocks: block_godunov.hpp,
// block_muscl.hpp, block_fused.hpp.
template <Pde P, class V, class Flux>
class GodunovKernel;
template <Pde P, class Flux, int known>
class BlockGodunov;
template <Reconstructible P, class V, class Limiter, class Flux>
class MusclHancock;
template <Reconstructible P, class Limiter, class Flux, int known>
class BlockMuscl;
template <FusedRhs P, class V>
class RusanovFused;
template <Grouped P, int known>
class BlockRusanovFused;
template <FusedRhs P, class V>
class FourthOrder;
template <Grouped P, bool radiates, int known>
class BlockFourthOrder;

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

// For equations whose terms are evaluated together (Grouped): first order, and fourth order in space and time.
struct FusedGodunov {
  static constexpr bool is_default = true;
  template <Pde P, class V>
  using Cpu = RusanovFused<P, V>;
  template <Pde P, int known>
  using Block = BlockRusanovFused<P, known>;
};
struct FusedFourthOrder {
  static constexpr bool is_default = true;
  template <Pde P, class V>
  using Cpu = FourthOrder<P, V>;
  template <Pde P, int known>
  using Block = BlockFourthOrder<P, Radiating<P>, known>;
};

enum class Reconstruction : std::uint8_t { constant, muscl, fourth_order };

// The values of solver.scheme.
struct ReconstructionEntry {
  const char* word;
  Reconstruction reconstruction;
  const char* meaning;
  int halo = 1;
  HaloShape halo_shape = HaloShape::faces;
  Prolongation prolongation = Prolongation::constant;
  int stages = 1, stage_blocks = 0;
};
inline constexpr ReconstructionEntry reconstructions[] = {
    {"godunov", Reconstruction::constant, "first-order finite volumes"},
    {"rusanov", Reconstruction::constant, "godunov with the Riemann solver of that name"},
    // The predictor reads transverse slopes in the halo volumes next to a face.
    {"muscl", Reconstruction::muscl, "MUSCL-Hancock (second order)", 2, HaloShape::edges,
     Prolongation::limited_linear},
    {"fourth-order", Reconstruction::fourth_order,
     "central differences and Runge-Kutta stages of fourth order", 3, HaloShape::faces, Prolongation::centred,
     4, 2},
};

// Whether equation P has kernels with that reconstruction.
template <Pde P>
constexpr bool has_reconstruction(Reconstruction reconstruction) {
  return reconstruction == Reconstruction::constant ||
         (reconstruction == Reconstruction::muscl ? Reconstructible<P> : Grouped<P>);
}

// One scheme: a reconstruction and indices into Limiters and the equation's Riemann solvers.
struct SchemeChoice {
  Reconstruction reconstruction = Reconstruction::constant;
  int limiter = 0;
  int riemann = 0;
};

inline constexpr const char* no_such_scheme = "the equation has no such reconstruction";

// Calls body(std::type_identity<Scheme>()) for the chosen scheme. Throws std::logic_error if equation P has
// no such scheme.
template <Pde P, class Body>
void with_scheme(const SchemeChoice& choice, const Body& body) {
  if constexpr (Grouped<P>) {
    if (choice.reconstruction == Reconstruction::constant) return body(std::type_identity<FusedGodunov>());
    if (choice.reconstruction == Reconstruction::fourth_order)
      return body(std::type_identity<FusedFourthOrder>());
    throw std::logic_error(no_such_scheme);
  } else {
    with_entry(typename RiemannSolversOf<P>::type(), choice.riemann,
               [&]<class Flux>(std::type_identity<Flux>) {
                 switch (choice.reconstruction) {
                   case Reconstruction::constant:
                     return body(std::type_identity<Godunov<Flux>>());
                   case Reconstruction::muscl:
                     if constexpr (Reconstructible<P>) {
                       return with_entry(Limiters(), choice.limiter,
                                         [&]<class Limiter>(std::type_identity<Limiter>) {
                                           body(std::type_identity<Muscl<Limiter, Flux>>());
                                         });
                     }
                     break;
                   case Reconstruction::fourth_order:
                     break;
                 }
                 throw std::logic_error(no_such_scheme);
               });
  }
}

// Sets what the reconstruction requires of halos, prolongation and stages.
inline void set_traits(Traits& traits, Reconstruction reconstruction) {
  for (const ReconstructionEntry& entry : reconstructions) {
    if (entry.reconstruction != reconstruction) continue;
    traits.halo = entry.halo;
    traits.halo_shape = entry.halo_shape;
    traits.prolongation = entry.prolongation;
    traits.stages = entry.stages;
    traits.stage_blocks = entry.stage_blocks;
    return;
  }
}

}  // namespace meander::solvers
