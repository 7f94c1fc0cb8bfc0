// SPDX-License-Identifier: Apache-2.0
// The threads of a workgroup, distributed over its transforms.
#pragma once

#include "wingbeat/device/factors.hpp"             // is_product_of_radices, least_factor
#include "wingbeat/device/index.hpp"               // is_power_of_two, maximum
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, subgroup_size
#include "wingbeat/device/workgroup/schedule.hpp"  // is_within, max_held

namespace wingbeat::device::workgroup {

/// The numbers of a shape, with legal ones in place of illegal ones.
template <unsigned Length, unsigned ElementsPerThread, unsigned Transforms>
struct shape_numbers {
  static constexpr bool has_length = is_product_of_radices(Length) && Length <= (1u << 24);
  static constexpr unsigned length = has_length ? Length : 2;
  static constexpr unsigned max_elements = is_power_of_two(length) ? 128 : max_held;
  static constexpr bool has_elements = ElementsPerThread > 0 &&
                                       length % maximum(ElementsPerThread, 1u) == 0 &&
                                       ElementsPerThread <= max_elements &&
                                       (ElementsPerThread > 1 || length == 1);
  static constexpr unsigned elements = has_elements ? ElementsPerThread : least_factor(length);
  static constexpr bool has_transforms = is_power_of_two(Transforms) && Transforms <= 1024;
  static constexpr unsigned transforms = has_transforms ? Transforms : 1;
};

/// Reports one error for each bad parameter, because legal numbers stand in for it elsewhere.
template <class Numbers>
struct shape_rules {
  static_assert(Numbers::has_length,
                "the length of a workgroup transform is a product of primes up to 31");
  static_assert(
      Numbers::has_elements || !Numbers::has_length,
      "each thread works on 2 to 32 elements that divide the length (64 or 128 of a power "
      "of two in nabla order through an accessor); 1 if the length is 1");
  static_assert(Numbers::has_transforms,
                "a workgroup holds a power of two of transforms, 1024 at most");
  static constexpr bool are_checked = true;
};

/// The size of a collective transform. `Transforms` of them share one workgroup.
template <unsigned Length, unsigned ElementsPerThread, unsigned Transforms = 1>
struct shape {
  using numbers = shape_numbers<Length, ElementsPerThread, Transforms>;
  static_assert(shape_rules<numbers>::are_checked, "");

  static constexpr unsigned length = numbers::length;
  static constexpr unsigned elements_per_thread = numbers::elements;
  static constexpr unsigned transforms = numbers::transforms;
  static constexpr unsigned threads = length / elements_per_thread;  // of one transform
  static constexpr unsigned workgroup_threads = threads * transforms;
};

/// The index in which neighbouring threads differ.
enum class lanes {
  along_transform,   ///< Neighbours hold neighbouring elements of one transform.
  across_transforms  ///< Neighbours hold the same element of neighbouring transforms.
};

/// The number of consecutive threads that a subgroup barrier of the group joins: `subgroup_size`,
/// unless the group has its own `subgroup_threads`.
template <class Group, class = void>
struct subgroup_of {
  static constexpr unsigned threads = subgroup_size;
};
template <class Group>
struct subgroup_of<Group, decltype(void(Group::subgroup_threads))> {
  static constexpr unsigned threads = Group::subgroup_threads;
};

/// Whether a group knows its threads by row and column, a row for each transform (along) or for
/// each thread of all transforms (across).
template <class Group, class = void>
struct rows_of {
  static constexpr bool are_known = false;
};
template <class Group>
struct rows_of<Group, decltype(void(Group::row()))> {
  static constexpr bool are_known = true;
};

/// Whether a group knows how many threads were started, as an emulated group does.
template <class Group, class = void>
struct counts_threads {
  static constexpr bool value = false;
};
template <class Group>
struct counts_threads<Group, decltype(void(&Group::expect_threads))> {
  static constexpr bool value = true;
};

/// One thread's place in its workgroup.
template <class Shape, lanes Lanes = lanes::along_transform, class Group = group>
class team {
  static constexpr bool is_along = Lanes == lanes::along_transform;

 public:
  using shape_type = Shape;
  static constexpr lanes neighbours = Lanes;

  WINGBEAT_FN team() : team(Group{}) {}
  WINGBEAT_FN explicit team(Group group) : group_(group) {
    if constexpr (counts_threads<Group>::value) group_.expect_threads(Shape::workgroup_threads);
  }

  /// Returns this thread's number within its transform: it holds elements thread() + r threads.
  /// Asks the group each time; see `local_id` of port.hpp.
  WINGBEAT_FN unsigned thread() const {
    if constexpr (rows_of<Group>::are_known) {
      return is_along ? Group::column() : Group::row();
    } else {
      return is_along ? group_.thread() % Shape::threads : group_.thread() / Shape::transforms;
    }
  }

  /// Returns which of the workgroup's transforms this thread works on.
  WINGBEAT_FN unsigned transform() const {
    if constexpr (rows_of<Group>::are_known) {
      return is_along ? Group::row() : Group::column();
    } else {
      return is_along ? group_.thread() / Shape::threads : group_.thread() % Shape::transforms;
    }
  }

  /// Threads in one row of the workgroup.
  static constexpr unsigned columns = is_along ? Shape::threads : Shape::transforms;

  /// Returns this thread's number within the workgroup.
  WINGBEAT_FN unsigned rank() const { return group_.thread(); }

  /// Calls call(p / Length, p % Length) with p = rank + `first`; `first` is a multiple of all
  /// threads.
  template <unsigned Length, class Call>
  WINGBEAT_FN void split_rank(unsigned first, const Call& call) const {
    if constexpr (rows_of<Group>::are_known && Length % columns == 0) {
      const unsigned p = Group::row() * columns + first;
      call(p / Length, p % Length + Group::column());
    } else {
      constexpr unsigned limit = Length * Shape::transforms + Shape::workgroup_threads;
      const unsigned p = rank() + first, of = quotient<Length, limit>(p);
      call(of, p - of * Length);
    }
  }

  /// Returns the slot, among all elements of the workgroup, of element i of this thread's
  /// transform: consecutive elements lie `slot_stride` apart.
  WINGBEAT_FN unsigned slot(unsigned i) const { return slot_of(transform(), i); }
  WINGBEAT_FN static constexpr unsigned slot_of(unsigned transform, unsigned i) {
    return is_along ? transform * Shape::length + i : i * Shape::transforms + transform;
  }
  static constexpr unsigned slot_stride = is_along ? 1 : Shape::transforms;

  /// Whether the threads of each transform share a subgroup, and so use its barrier.
  static constexpr bool is_in_subgroup =
      is_along && is_within(Shape::threads, subgroup_of<Group>::threads);

  /// Makes earlier writes to local memory visible to the threads of this transform.
  WINGBEAT_FN void barrier() const {
    if constexpr (is_in_subgroup) {
      group_.subgroup_barrier();
    } else {
      group_.barrier();
    }
  }

  /// Makes earlier writes to local memory visible among the `Span` threads with the same thread() /
  /// Span.
  template <unsigned Span>
  WINGBEAT_FN void barrier_among() const {
    if constexpr (is_along && is_within(Span, subgroup_of<Group>::threads)) {
      group_.subgroup_barrier();
    } else {
      barrier();
    }
  }

  /// Makes earlier writes to local memory visible to the whole workgroup.
  WINGBEAT_FN void workgroup_barrier() const { group_.barrier(); }

 private:
  Group group_;
};

}  // namespace wingbeat::device::workgroup
