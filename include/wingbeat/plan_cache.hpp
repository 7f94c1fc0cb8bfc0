// SPDX-License-Identifier: Apache-2.0
// Keeps plans by their specs, for programs whose transforms are not known in advance.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr, unique_ptr

#include "wingbeat/plan.hpp"   // plan, plan_spec
#include "wingbeat/queue.hpp"  // queue

namespace wingbeat {

/// Keeps the plans that it makes, up to a capacity and a bound on their tables' bytes, and returns
/// the same plan for the same spec.
///
///     plan_cache plans;
///     plans.get(queue, {.lengths = {n}})->enqueue(queue, in, out);
///
/// Many threads may use one cache at once. Two specs are the same if every field is, and both are
/// for one device and one context of its driver; a default that is written out makes a different
/// spec. A functor's text and its parameters are compared. A callable cannot be compared, so a spec
/// with one is planned anew each time and not kept.
class plan_cache {
 public:
  static constexpr std::size_t default_capacity = 64;
  static constexpr std::size_t default_max_bytes = std::size_t{1} << 29;

  /// Keeps at most `capacity` plans (0: none), whose tables take at most `max_bytes` together; the
  /// latest plan is kept however large it is. A plan that needs room replaces the least recently
  /// used ones. A plan lives as long as its owners do.
  explicit plan_cache(std::size_t capacity = default_capacity,
                      std::size_t max_bytes = default_max_bytes);
  ~plan_cache();
  plan_cache(const plan_cache&) = delete;
  plan_cache& operator=(const plan_cache&) = delete;

  /// Returns a plan of `spec` for the device behind `on`, whose own workspace is made large enough.
  /// Threads that request one plan at the same time wait while the first one makes it. If that
  /// fails, each of them throws as `plan` does, and nothing is kept.
  [[nodiscard]] std::shared_ptr<const plan> get(const queue& on, const plan_spec& spec);

  /// Drops every plan. The counts of hits and misses stay.
  void clear();

  /// Keeps at most `capacity` plans from now on, the most recently used ones.
  void resize(std::size_t capacity);

  /// Keeps plans whose tables take at most `max_bytes` from now on, the most recently used ones.
  void resize_bytes(std::size_t max_bytes);

  [[nodiscard]] std::size_t size() const;  ///< Plans kept, those being made included.
  [[nodiscard]] std::size_t capacity() const;
  [[nodiscard]] std::size_t bytes() const;  ///< Bytes of the kept plans' tables.
  [[nodiscard]] std::size_t max_bytes() const;
  [[nodiscard]] std::size_t n_hits() const;    ///< Requests for which a plan was kept.
  [[nodiscard]] std::size_t n_misses() const;  ///< Requests for which a plan was made, or tried.

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
