// SPDX-License-Identifier: Apache-2.0
// Small blocks of reals, transformed along both axes by the defining matrices: a kernel's body. A
// thread has a row of a block and, after an exchange, a column.
#pragma once

#include "wingbeat/device/bfloat.hpp"               // bfloat
#include "wingbeat/device/functors/real_lines.hpp"  // line_memory, line_numbers
#include "wingbeat/device/half.hpp"                 // half_float
#include "wingbeat/device/index.hpp"                // maximum
#include "wingbeat/device/io/adjacent.hpp"          // adjacent, load_whole
#include "wingbeat/device/port.hpp"                 // WINGBEAT_FN, WINGBEAT_LOCAL, group, size

namespace wingbeat::device::functors {

/// A transform of N reals to N: output k is the sum over t of factors[k N + t] times sample t, or
/// if `reversed` times sample N - 1 - t.
template <unsigned N>
struct line_matrix {
  double factors[N * N];
  bool is_reversed;
};

/// Blocks of reals, [row][column]; a workgroup takes `blocks` of them.
struct block_shape {
  unsigned rows, columns, blocks;

  /// An odd number of entries, so that neither rows nor columns share a bank.
  WINGBEAT_FN constexpr unsigned pitch() const { return columns | 1u; }
  WINGBEAT_FN constexpr unsigned threads_of_block() const { return maximum(rows, columns); }
  WINGBEAT_FN constexpr unsigned threads() const { return blocks * threads_of_block(); }
  WINGBEAT_FN constexpr unsigned scratch_bytes(unsigned real_bytes) const {
    return blocks * rows * pitch() * real_bytes;
  }
};

/// The constants of a kernel: blocks stored as In, computed as Real and stored as Out.
template <class Real, class In, class Out, unsigned Rows, unsigned Columns, unsigned Blocks>
struct block_numbers {
  using real = Real;
  using read = In;
  using written = Out;
  static constexpr block_shape shape{Rows, Columns, Blocks};

  line_numbers in;   ///< Whole rows of all blocks, block after block.
  line_numbers out;  ///< Their columns.
  line_matrix<Columns> of_rows;
  line_matrix<Rows> of_columns;
};

template <class Read, class Written>
struct block_memory {
  WINGBEAT_GLOBAL const Read* in;
  WINGBEAT_GLOBAL Written* out;
  size count;  ///< Number of blocks.
};

/// Transforms `count` blocks in a launch of count / blocks workgroups, rounded up.
/// Callers: `threads()` of a workgroup.  Memory: `scratch_bytes()` of local memory; a block's
/// output may replace it.
template <class Policy, class Group = group>
class real_blocks {
  using numbers_type = decltype(Policy::numbers());
  using real = typename numbers_type::real;
  using read = typename numbers_type::read;
  using written = typename numbers_type::written;
  static constexpr block_shape shape = numbers_type::shape;
  static constexpr unsigned rows = shape.rows, columns = shape.columns, pitch = shape.pitch();

 public:
  WINGBEAT_FN real_blocks(const block_memory<read, written>& memory, WINGBEAT_LOCAL char* scratch,
                          Group group = {})
      : memory_(memory), entries_(reinterpret_cast<WINGBEAT_LOCAL real*>(scratch)), group_(group) {}

  WINGBEAT_FN void run() const {
    constexpr numbers_type numbers = Policy::numbers();
    constexpr unsigned threads = shape.threads_of_block(), blocks = shape.blocks;
    const unsigned block = group_.thread() / threads, line = group_.thread() % threads;
    const size number = group_.index() * blocks + block;
    const bool is_inside = number < memory_.count;
    WINGBEAT_LOCAL real* const entries = entries_ + block * rows * pitch;
    if (is_inside && line < rows) {
      real x[columns], y[columns];
      load_row(number * rows + line, x);
      constexpr line_matrix<columns> matrix = numbers.of_rows;
      multiply<columns>(matrix, x, y);
      WINGBEAT_UNROLL
      for (unsigned c = 0; c < columns; ++c) entries[line * pitch + c] = y[c];
    }
    group_.barrier();
    if (is_inside && line < columns) {
      real x[rows], y[rows];
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < rows; ++r) x[r] = entries[r * pitch + line];
      constexpr line_matrix<rows> matrix = numbers.of_columns;
      multiply<rows>(matrix, x, y);
      constexpr distance stride = distance(numbers.out.stride);
      const line_memory<written, real> column{memory_.out +
                                              numbers.out.offset_of(number * columns + line)};
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < rows; ++r) column.put(r * stride, y[r]);
    }
  }

 private:
  /// Loads a row. Neighbours are read 16 bytes at a time if aligned.
  WINGBEAT_FN void load_row(size row, real (&x)[columns]) const {
    constexpr numbers_type numbers = Policy::numbers();
    constexpr size stride = numbers.in.stride;
    constexpr unsigned several = 16 / unsigned(sizeof(read));
    const auto first = memory_.in + numbers.in.offset_of(row);
    if constexpr (stride == 1 && columns % several == 0) {
      if (reinterpret_cast<size>(first) % 16 == 0) {
        WINGBEAT_UNROLL
        for (unsigned c = 0; c < columns; c += several) {
          const auto run = io::load_whole<io::adjacent<read, several>>(first + c);
          WINGBEAT_UNROLL
          for (unsigned i = 0; i < several; ++i) x[c + i] = static_cast<real>(run.value[i]);
        }
        return;
      }
    }
    WINGBEAT_UNROLL
    for (unsigned c = 0; c < columns; ++c) x[c] = static_cast<real>(first[c * stride]);
  }

  template <unsigned N>
  WINGBEAT_FN static void multiply(const line_matrix<N>& matrix, const real (&x)[N], real (&y)[N]) {
    WINGBEAT_UNROLL
    for (unsigned k = 0; k < N; ++k) {
      real sum(0);
      WINGBEAT_UNROLL
      for (unsigned t = 0; t < N; ++t) {
        const real product =
            static_cast<real>(matrix.factors[k * N + t]) * x[matrix.is_reversed ? N - 1 - t : t];
        sum = t == 0 ? product : sum + product;
      }
      y[k] = sum;
    }
  }

  block_memory<read, written> memory_;
  WINGBEAT_LOCAL real* entries_;
  Group group_;
};

}  // namespace wingbeat::device::functors
