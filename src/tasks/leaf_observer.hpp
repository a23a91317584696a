// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Operations that read leaves. A sweep that changes a leaf calls them while the leaf is in the cache of a core, so they
// need no sweep of their own. Steps on the host call them, those on a device do not.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/solver.hpp"

namespace meander::tasks {

class LeafObserver {
 public:
  virtual ~LeafObserver() = default;

  // The rank has these leaves, numbered anew. None of them has been observed.
  virtual void start(std::size_t leaves, const solvers::PatchLayout& layout) = 0;
  // The interior of the leaf has changed: by the last stage of its update, by a flux correction or by floors; or
  // it is that of an existing state. Global steps leave out the update that a flux correction follows. Calls for different
  // leaves may run concurrently. Allocates nothing.
  virtual void observe(std::size_t leaf, const solvers::PatchTask& patch) = 0;

 private:
  friend class LeafObservers;
  std::uint64_t mesh_ = 0;  // the argument of LeafObservers::prepare() at the last start(); 0: none
};

// The observers of a run, shared by all its sweeps.
class LeafObservers {
 public:
  // The observer outlives this.
  void add(LeafObserver& observer) { observers_.push_back(&observer); }
  bool empty() const { return observers_.empty(); }

  // Before any leaf is observed, and before anybody asks which leaves have been: starts observers that know other
  // leaves than those of this mesh (PatchMesh::revision()).
  void prepare(std::uint64_t mesh, std::size_t leaves, const solvers::PatchLayout& layout) {
    for (LeafObserver* const observer : observers_) {
      if (observer->mesh_ == mesh) continue;
      observer->mesh_ = mesh;
      observer->start(leaves, layout);
    }
  }
  void observe(std::size_t leaf, const solvers::PatchTask& patch) const {
    for (LeafObserver* const observer : observers_) observer->observe(leaf, patch);
  }

 private:
  std::vector<LeafObserver*> observers_;
};

}  // namespace meander::tasks
