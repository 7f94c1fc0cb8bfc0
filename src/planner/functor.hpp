// SPDX-License-Identifier: Apache-2.0
// A functor of the plan's request, at one end of a pass.
#pragma once

#include <cstddef>  // size_t, byte
#include <string>
#include <vector>

#include "wingbeat/device/ends/functor.hpp"  // fused_numbers, reals
#include "wingbeat/fusion.hpp"               // fused_load, fused_store

namespace wingbeat::planner {

using device::ends::fused_numbers;

/// Which end of a transform a functor serves.
enum class end { load, store };

struct functor {
  end serves = end::load;
  std::string text;
  std::string type;
  std::vector<std::byte> parameters;
  std::size_t buffer_bytes = 0;            ///< Bytes for all rows, as the request states.
  std::size_t moved_bytes = 0;             ///< Bytes that one run moves through it.
  std::size_t element_bytes = 0;           ///< Bytes of one element of the buffer.
  bool is_real = false;                    ///< Its values are real numbers.
  std::vector<kernel_parameter> operands;  ///< Passed by each run.

  std::size_t partial_bytes = 0;  ///< Bytes of a thread's partial result; 0: it stores.
  std::size_t row_outputs = 0;    ///< Made of each whole row; 0: it takes elements.
  bool keeps = false;             ///< It keeps its results until all rows of the batch are done.

  /// Returns the bytes of its buffer for one complex element, if each value has an entry of its
  /// own.
  [[nodiscard]] std::size_t bytes_of_complex(device::ends::reals taken) const {
    const bool is_single = !is_real || taken == device::ends::reals::unpaired;
    return (is_single ? 1 : 2) * element_bytes;
  }

  /// Returns the bytes of its parameters at the head of a pass's table.
  [[nodiscard]] std::size_t block_bytes() const;
};

/// Returns the functor of a request's load or store.
[[nodiscard]] functor functor_of(const fused_load& load, bool is_real);
[[nodiscard]] functor functor_of(const fused_store& store, bool is_real);

}  // namespace wingbeat::planner
