// SPDX-License-Identifier: Apache-2.0
// Rows that pass through the functors of a host plan, shared among threads.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/fusion.hpp"  // host_load, host_store

namespace wingbeat::backend::host {

/// Rows of one block, and where they stand: row r of the block is row `first` + r of the run, and
/// begins at `memory` + r `pitch`. Pitch and length count values, which are reals or complex.
template <class Value>
struct block {
  Value* memory = nullptr;
  std::size_t pitch = 0;
  std::size_t length = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Fills the rows of `to` by the load functor from `in`.
template <class Value>
void load_rows(const host_load& load, const void* in, const block<Value>& to, unsigned n_threads);

/// Hands the rows of `from` to the store functor, which writes to `out`.
template <class Value>
void store_rows(const host_store& store, const block<const Value>& from, void* out,
                unsigned n_threads);

}  // namespace wingbeat::backend::host
