// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernels of the multigrid method for Poisson's equation, with the operations of poisson.cpp and restriction.cpp in the same
// order. Usable in device code.

#include "solvers/block_restrict.hpp"
#include "solvers/poisson_batch.hpp"

namespace meander::solvers::poisson {

// h^2 A u in one volume.
template <int D>
MEANDER_TERM double second_difference_at(const SlotShape<D>& shape, const double* u) {
  double sum = 0;
  for (int a = 0; a < D; ++a) sum += (u[-shape.stride(a)] - u[0]) + (u[shape.stride(a)] - u[0]);
  return sum;
}

// The linear interpolation of coarse values in a volume of a child, as prolong(): along the outer axes first, then along x.
template <int D>
MEANDER_TERM double interpolated_at(const SlotShape<D>& shape, const std::int8_t* child, const double* coarse,
                                    int volume) {
  int i[3] = {0, 0, 0}, nearest[3] = {0, 0, 0}, step[3] = {0, 0, 0};
  double weight[3] = {0, 0, 0};
  shape.volume(volume, i);
  for (int a = 0; a < D; ++a) {
    const int fine = child[a] * shape.p + i[a], third = fine % 3;
    nearest[a] = fine / 3;
    step[a] = (third - 1) * shape.stride(a);
    weight[a] = third == 1 ? 0.0 : 1.0 / 3;
  }
  const double* const from = coarse + shape.at(nearest);
  const auto along_y = [&](const double* at) { return (1 - weight[1]) * at[0] + weight[1] * at[step[1]]; };
  const auto in_row = [&](const double* at) {
    double value = along_y(at);
    if constexpr (D == 3) value = (1 - weight[2]) * value + weight[2] * along_y(at + step[2]);
    return value;
  };
  return (1 - weight[0]) * in_row(from) + weight[0] * in_row(from + step[0]);
}

// The volumes of a face of a patch. Without arrays that are indexed by the axis: they would lie in memory.
template <int D>
struct FaceShape {
  int axis, inside,
      outwards;  // index of the volumes inside along the axis, and the step from them to those beyond
  int s, t;      // tangential axes; t: D = 3 only
  int stride_s, stride_t, first;

  MEANDER_TERM FaceShape(const SlotShape<D>& shape, int face)
      : axis(face / 2),
        inside(face % 2 == 0 ? 0 : shape.p - 1),
        outwards(face % 2 == 0 ? -shape.stride(axis) : shape.stride(axis)),
        s(axis == 0 ? 1 : 0),
        t(axis == 2 ? 1 : 2),
        stride_s(shape.stride(s)),
        stride_t(D == 3 ? shape.stride(t) : 0),
        first(place_of_first(shape) + inside * shape.stride(axis)) {}
  MEANDER_TERM static int place_of_first(const SlotShape<D>& shape) {
    const int origin[3] = {0, 0, 0};
    return shape.at(origin);
  }
  MEANDER_TERM int volumes(int p) const { return D == 3 ? p * p : p; }
  // The place in the slot of the volume inside with that number, the lower axis fastest.
  MEANDER_TERM int at(int p, int number) const {
    return first + number % p * stride_s + (D == 3 ? number / p * stride_t : 0);
  }
  // The place of the volume inside with the tangential indices of the one at `place`, whose indices are i.
  MEANDER_TERM int inside_of(int place, const int* i, const SlotShape<D>& shape) const {
    const int along = axis == 0 ? i[0] : axis == 1 ? i[1] : i[2];
    return place + (inside - along) * shape.stride(axis);
  }
};

MEANDER_TERM bool has_face(Faces faces, int face) {
  return (faces >> face & 1) != 0;
}

template <int D, CellBatch::Kind kind>
class BlockCells {
  using Kind = CellBatch::Kind;

 public:
  MEANDER_HOST_DEVICE explicit BlockCells(const CellBatch& batch) : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const DeviceCell& cell = batch_.at(batch_.cells)[number];
    double* const slot = batch_.at(cell.slot);
    double *const u = slot, *const rhs = slot + rhs_row * shape_.unknown_stride;
    double* const third = slot + source_row * shape_.unknown_stride;
    const double square = batch_.h * batch_.h;
    if constexpr (kind == Kind::fill || kind == Kind::relax) {
      if (batch_.only_refined && !cell.is_refined) return;
    }
    if constexpr (kind == Kind::clear) {
      block.for_each(static_cast<int>(unknowns * shape_.unknown_stride), [&](int at) { slot[at] = 0; });
    } else if constexpr (kind == Kind::fill) {
      fill(block, cell, u, rhs, -1);
    } else if constexpr (kind == Kind::fill_edges) {
      for (int n = 0; n < cell.edges; ++n) {
        block.sync();
        ghosts(block, batch_.at(batch_.ghosts)[cell.first + cell.faces + n], u);
      }
    } else if constexpr (kind == Kind::relax) {
      const int colour = (batch_.half + cell.parity) % 2;
      fill(block, cell, u, rhs, colour);
      block.sync();
      relax(block, cell, u, rhs, colour, square);
    } else if constexpr (kind == Kind::interpolate) {
      for (int face = 0; face < 2 * D; ++face) {
        if (has_face(cell.coarser, face)) interpolate(block, cell, rhs, face);
      }
    } else if constexpr (kind == Kind::keep_source) {
      if (cell.is_refined || cell.refined == 0) return;
      volumes(block, [&](int, int at) { third[at] = rhs[at]; });
    } else if constexpr (kind == Kind::begin_rhs) {
      if (cell.is_refined || cell.refined == 0) return;
      volumes(block, [&](int number_of_volume, int at) {
        int i[3] = {0, 0, 0};
        shape_.volume(number_of_volume, i);
        double value = third[at];
        for (int face = 0; face < 2 * D; ++face) {
          const FaceShape<D> of(shape_, face);
          if (has_face(cell.refined, face) && i[of.axis] == of.inside) value += -1.0 * rhs[at + of.outwards];
        }
        rhs[at] = value;
      });
    } else if constexpr (kind == Kind::keep_potential) {
      if (!cell.is_refined) return;
      block.for_each(static_cast<int>(shape_.unknown_stride), [&](int at) { third[at] = u[at]; });
    } else if constexpr (kind == Kind::find_correction) {
      if (!cell.is_refined) return;
      block.for_each(static_cast<int>(shape_.unknown_stride), [&](int at) { third[at] = u[at] - third[at]; });
    } else if constexpr (kind == Kind::prolong) {
      const double* const coarse = batch_.at(cell.coarse) + before_row * shape_.unknown_stride;
      volumes(block,
              [&](int volume, int at) { u[at] += interpolated_at<D>(shape_, cell.child, coarse, volume); });
    } else if constexpr (kind == Kind::residual) {
      const double scale = 1 / square;
      double* const to = batch_.at(batch_.buffer) + static_cast<std::ptrdiff_t>(number) * shape_.volumes();
      volumes(block, [&](int volume, int at) {
        const double residual = rhs[at] - scale * second_difference_at<D>(shape_, u + at);
        to[volume] = residual * square;
      });
    } else if constexpr (kind == Kind::add) {
      const double* const from =
          batch_.at(batch_.buffer) + static_cast<std::ptrdiff_t>(number) * shape_.volumes();
      volumes(block, [&](int volume, int at) { u[at] += from[volume]; });
    } else {
      for (int face = 0; face < 2 * D; ++face) {
        if (!has_face(cell.refined, face) || cell.is_refined) continue;
        plane(block, face, [&](int at, int outwards) { u[at + outwards] += square * rhs[at + outwards]; });
      }
    }
  }

 private:
  // Calls body(number, place in the slot) for the volumes of the interior.
  template <class Block, class Body>
  MEANDER_TERM void volumes(const Block& block, const Body& body) const {
    block.for_each(shape_.volumes(), [&](int number) {
      int i[3] = {0, 0, 0};
      shape_.volume(number, i);
      body(number, shape_.at(i));
    });
  }
  // Calls body(place of the volume inside, step outwards) for the volumes of a face.
  template <class Block, class Body>
  MEANDER_TERM void plane(const Block& block, int face, const Body& body) const {
    const FaceShape<D> of(shape_, face);
    block.for_each(of.volumes(shape_.p), [&](int number) { body(of.at(shape_.p, number), of.outwards); });
  }

  // colour: only the halos that its relaxation reads; -1: all. Neighbours relax the others at the same time.
  template <class Block>
  MEANDER_TERM void fill(const Block& block, const DeviceCell& cell, double* u, const double* rhs,
                         int colour) const {
    const int p = shape_.p;
    for (int face = 0; face < 2 * D; ++face) {
      if (cell.beside[face] != nullptr) {
        const double* const from = batch_.at(cell.beside[face]);
        const FaceShape<D> of(shape_, face);
        block.for_each(of.volumes(p), [&](int number) {
          if (colour >= 0 && (of.inside + number % p + (D == 3 ? number / p : 0)) % 2 != colour) return;
          const int to = of.at(p, number) + of.outwards;
          u[to] = from[to - p * of.outwards];
        });
      } else if (has_face(cell.coarser, face)) {
        plane(block, face, [&](int at, int outwards) {
          u[at + outwards] = u[at] + (rhs[at + outwards] - u[at - outwards]) * (1.0 / 3);
        });
      }
    }
    for (int n = 0; n < cell.faces; ++n) ghosts(block, batch_.at(batch_.ghosts)[cell.first + n], u);
  }

  template <class Block>
  MEANDER_TERM void ghosts(const Block& block, const DeviceGhosts& ghosts, double* u) const {
    const int stride = shape_.stride(ghosts.face / 2), inwards = ghosts.face % 2 == 0 ? stride : -stride;
    const double* const values = ghosts.values < 0 ? nullptr : batch_.at(batch_.values) + ghosts.values;
    block.for_each(volumes_of_box<D>(ghosts.extent), [&](int number) {
      int i[3] = {0, 0, 0};
      volume_of_box<D>(ghosts.lower, ghosts.extent, number, i);
      double* const ghost = u + shape_.at(i);
      *ghost = values != nullptr ? 2 * values[number] - ghost[inwards] : ghost[inwards];
    });
  }

  template <class Block>
  MEANDER_TERM void relax(const Block& block, const DeviceCell& cell, double* u, const double* rhs,
                          int colour, double square) const {
    const int p = shape_.p, half_row = (p + 1) / 2, rows = D == 3 ? p * p : p;
    block.for_each(rows * half_row, [&](int item) {
      int i[3] = {0, item / half_row % p, D == 3 ? item / half_row / p : 0};
      i[0] = 2 * (item % half_row) + (i[1] + i[2] + colour) % 2;
      if (i[0] >= p) return;
      int diagonal = -2 * D;
      for (int face = 0; face < 2 * D; ++face) {
        if (i[face / 2] != (face % 2 == 0 ? 0 : p - 1)) continue;
        if (has_face(cell.coarser, face)) ++diagonal;
        if (has_face(cell.outside, face)) diagonal += has_face(cell.values, face) ? -1 : 1;
      }
      const double weight = batch_.omega / diagonal;
      double* const at = u + shape_.at(i);
      *at += weight * (square * rhs[shape_.at(i)] - second_difference_at<D>(shape_, at));
    });
  }

  template <class Block>
  MEANDER_TERM void interpolate(const Block& block, const DeviceCell& cell, double* rhs, int face) const {
    const double* const coarse = batch_.at(cell.coarse);
    const FaceShape<D> of(shape_, face);
    const int p = shape_.p;
    const int child_s = of.s == 0 ? cell.child[0] : cell.child[1];
    const int child_t = of.t == 1 ? cell.child[1] : cell.child[2];
    block.for_each(of.volumes(p), [&](int number) {
      const int along_s = child_s * p + number % p;
      const auto row = [&](const double* from) { return interpolate(along_s % 3, from, of.stride_s); };
      const double* from = coarse + of.first + of.outwards + along_s / 3 * of.stride_s;
      double value;
      if constexpr (D == 2) {
        value = row(from);
      } else {
        const int along_t = child_t * p + number / p;
        from += along_t / 3 * of.stride_t;
        const Quadratic v(along_t % 3);
        value = v.below * row(from - of.stride_t) + v.here * row(from) + v.above * row(from + of.stride_t);
      }
      rhs[of.at(p, number) + of.outwards] = value;
    });
  }

  // Weights of the coarse volumes -1, 0 and 1 by the place of a fine volume in the one in the middle.
  struct Quadratic {
    double below, here, above;
    MEANDER_TERM explicit Quadratic(int third)
        : below(third == 0   ? 2.0 / 9
                : third == 1 ? 0.0
                             : -1.0 / 9),
          here(third == 1 ? 1.0 : 8.0 / 9),
          above(third == 0   ? -1.0 / 9
                : third == 1 ? 0.0
                             : 2.0 / 9) {}
  };
  MEANDER_TERM static double interpolate(int third, const double* from, int stride) {
    const Quadratic w(third);
    return w.below * from[-stride] + w.here * from[0] + w.above * from[stride];
  }

  CellBatch batch_;
  SlotShape<D> shape_;
};

// The numbers of which a restriction takes means, in the slot of a child.
template <int D, Restricted what>
struct RestrictedNumbers {
  const SlotShape<D>& shape;
  const double* slot;
  double h;
  int face;  // fluxes: the layers inside of it all have the gradient through it

  MEANDER_TERM double operator()(const int* i) const {
    if constexpr (what == Restricted::potential) {
      return slot[shape.at(i)];
    } else if constexpr (what == Restricted::residual) {
      const double scale = 1 / (h * h);
      const int at = shape.at(i);
      return slot[rhs_row * shape.unknown_stride + at] - scale * second_difference_at<D>(shape, slot + at);
    } else {
      const FaceShape<D> of(shape, face);
      const int at = of.inside_of(shape.at(i), i, shape);
      return (slot[at + of.outwards] - slot[at]) / h;
    }
  }
};

// As FineRange::sum().
template <int D, class Numbers>
MEANDER_TERM void sum_range(const FineRange<D>& range, const Numbers& numbers, double& first,
                            double& differences) {
  const int z0 = D == 3 ? range.begin[D - 1] : 0, z1 = D == 3 ? range.end[D - 1] : 1;
  const int rows = range.end[1] - range.begin[1], planes = z1 - z0;
  int i[3] = {range.begin[0], range.begin[1], z0};
  first = numbers(i);
  differences = 0;
  for (i[0] = range.begin[0]; i[0] < range.end[0]; ++i[0]) {
    i[1] = range.begin[1];
    i[2] = z0;
    const double of_first_row = numbers(i);
    double excess = 0;
    for (i[2] = z0; i[2] < z1; ++i[2]) {
      for (i[1] = range.begin[1]; i[1] < range.end[1]; ++i[1]) {
        if (i[1] > range.begin[1] || i[2] > z0) excess += numbers(i) - of_first_row;
      }
    }
    differences += excess + planes * rows * (of_first_row - first);
  }
}

// The box that a restriction sets, as CellLevel::whole() and CellLevel::plane().
template <int D>
struct RestrictionBox {
  std::int16_t lower[3] = {0, 0, 0}, extent[3] = {1, 1, 1}, shift[3] = {0, 0, 0};

  // face: -1 for the whole interior.
  MEANDER_TERM RestrictionBox(int p, int face) {
    for (int a = 0; a < D; ++a) {
      const bool across = face >= 0 && a == face / 2;
      extent[a] = static_cast<std::int16_t>(across ? 1 : p);
      if (!across) continue;
      lower[a] = static_cast<std::int16_t>(face % 2 == 0 ? -1 : p);
      shift[a] = static_cast<std::int16_t>(face % 2 == 0 ? 1 : -1);
    }
  }
};

MEANDER_TERM bool touches_face(const std::int8_t* child, int face) {
  const int along = face < 2 ? child[0] : face < 4 ? child[1] : child[2];
  return along == face % 2 * 2;
}

template <int D, Restricted what>
class BlockFamilies {
 public:
  MEANDER_HOST_DEVICE explicit BlockFamilies(const FamilyBatch& batch)
      : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const DeviceFamily& family = batch_.at(batch_.families)[number];
    double* const u = batch_.at(family.slot);
    double* const rhs = u + rhs_row * shape_.unknown_stride;
    const double h = batch_.coarse_h, scale = 1 / (h * h);
    if constexpr (what == Restricted::potential) {
      restrict_to<Restricted::potential>(block, family, -1, [&](int at, double value) { u[at] = value; });
      return;
    }
    if constexpr (what == Restricted::residual)
      restrict_to<Restricted::residual>(block, family, -1, [&](int at, double value) {
        value += scale * second_difference_at<D>(shape_, u + at);
        rhs[at] = value;
      });
    for (int face = 0; face < 2 * D; ++face) {
      if (!has_face(family.leaf, face)) continue;
      const FaceShape<D> of(shape_, face);
      restrict_to<Restricted::fluxes>(block, family, face, [&](int at, double value) {
        rhs[at] = ((u[at] - u[at - of.outwards]) / h - value) / h;
      });
    }
  }

 private:
  // Calls store(place in the slot, mean) for the volumes of the interior, or of the plane beyond a face.
  template <Restricted numbers, class Block, class Store>
  MEANDER_TERM void restrict_to(const Block& block, const DeviceFamily& family, int face,
                                const Store& store) const {
    constexpr int whole = D == 3 ? 27 : 9;
    constexpr double weight = 1.0 / whole;
    const RestrictionBox<D> box(shape_.p, face);
    const FillPart* const parts = batch_.at(batch_.parts) + family.first;
    block.for_each(volumes_of_box<D>(box.extent), [&](int volume) {
      int i[3] = {0, 0, 0}, coarse[3] = {0, 0, 0};
      volume_of_box<D>(box.lower, box.extent, volume, i);
      for (int a = 0; a < D; ++a) coarse[a] = i[a] + box.shift[a];
      RestrictedShare all{0, 0, 0};
      for (int k = 0; k < whole && all.count < whole; ++k) {
        const FillPart& part = parts[k];
        bool has_any = face < 0 || touches_face(part.child, face);
        for (int a = 0; a < D; ++a) {
          const int fine = 3 * coarse[a] - part.child[a] * shape_.p;
          has_any = has_any && fine + 3 > 0 && fine < shape_.p;
        }
        if (!has_any) continue;
        const FineRange<D> range(coarse, part.child, shape_.p);
        const double* const from = batch_.at(part.from);
        double first, differences;
        if (part.received) {
          const ChildShare<D> share(batch_.layout, part.child, box.lower, box.extent, box.shift);
          const int at = 2 * share.number(i) + offset(family, part.child, face);
          first = from[at];
          differences = from[at + 1];
        } else {
          sum_range(range, RestrictedNumbers<D, numbers>{shape_, from, batch_.h, face}, first, differences);
        }
        all.add(first, differences, range.count());
      }
      store(shape_.at(i), all.first + all.sum * weight);
    });
  }

  // Where the plane beyond a face begins in a part: after the whole patch and the planes beyond lower faces.
  MEANDER_TERM int offset(const DeviceFamily& family, const std::int8_t* child, int face) const {
    int doubles = 0;
    for (int before = -1; before < face; ++before) {
      if (before >= 0 && !(has_face(family.leaf, before) && touches_face(child, before))) continue;
      const RestrictionBox<D> box(shape_.p, before);
      doubles += 2 * ChildShare<D>(batch_.layout, child, box.lower, box.extent, box.shift).volumes();
    }
    return doubles;
  }

  FamilyBatch batch_;
  SlotShape<D> shape_;
};

template <int D, Restricted what>
class BlockParts {
 public:
  MEANDER_HOST_DEVICE explicit BlockParts(const PartBatch& batch) : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const PartItem& item = batch_.at(batch_.items)[number];
    double* to = batch_.at(batch_.buffer) + item.offset;
    to += write < what == Restricted::potential ? what : Restricted::residual > (block, item, -1, to);
    for (int face = 0; face < 2 * D && what != Restricted::potential; ++face) {
      if (has_face(item.leaf, face) && touches_face(item.child, face))
        to += write<Restricted::fluxes>(block, item, face, to);
    }
  }

 private:
  // Returns the number of doubles.
  template <Restricted numbers, class Block>
  MEANDER_TERM int write(const Block& block, const PartItem& item, int face, double* to) const {
    const RestrictionBox<D> box(shape_.p, face);
    const ChildShare<D> share(batch_.layout, item.child, box.lower, box.extent, box.shift);
    if (face < 0 && what == Restricted::fluxes) return 2 * share.volumes();  // nobody reads them
    const RestrictedNumbers<D, numbers> of{shape_, batch_.at(item.slot), batch_.h, face};
    block.for_each(share.volumes(), [&](int volume) {
      int i[3] = {0, 0, 0}, coarse[3] = {0, 0, 0};
      share.volume(volume, i);
      for (int a = 0; a < D; ++a) coarse[a] = i[a] + box.shift[a];
      sum_range(FineRange<D>(coarse, item.child, shape_.p), of, to[2 * volume], to[2 * volume + 1]);
    });
    return 2 * share.volumes();
  }

  PartBatch batch_;
  SlotShape<D> shape_;
};

template <int D>
class BlockCopies {
  using Kind = CopyItem::Kind;

 public:
  MEANDER_HOST_DEVICE explicit BlockCopies(const CopyBatch& batch) : batch_(batch), shape_(batch.layout) {}

  template <class Block>
  MEANDER_TERM void run(const Block& block, int number) const {
    const CopyItem& item = batch_.at(batch_.items)[number];
    const std::ptrdiff_t unknown = batch_.unknown * shape_.unknown_stride;
    const double* const from = batch_.at(item.from) + (item.kind == Kind::unpack ? 0 : unknown);
    double* const to = batch_.at(item.to) + (item.kind == Kind::pack ? 0 : unknown);
    block.for_each(volumes_of_box<D>(item.extent), [&](int volume) {
      int i[3] = {0, 0, 0}, source[3] = {0, 0, 0};
      volume_of_box<D>(item.lower, item.extent, volume, i);
      for (int a = 0; a < D; ++a) source[a] = i[a] + item.shift[a];
      to[item.kind == Kind::pack ? volume : shape_.at(i)] =
          from[item.kind == Kind::unpack ? volume : shape_.at(source)];
    });
  }

 private:
  CopyBatch batch_;
  SlotShape<D> shape_;
};

}  // namespace meander::solvers::poisson
