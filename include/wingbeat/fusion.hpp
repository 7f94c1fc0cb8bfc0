// SPDX-License-Identifier: Apache-2.0
// Functors of yours: a load before a plan's first pass, a store after its last. Windows, formats
// and powers then take no extra pass over memory.
//
// A load returns element i of a row; a store takes element i of a row. The plan determines the type
// of an element. It is a real number on the real side of a transform (on both sides, if the kind
// goes from reals to reals), otherwise a complex number; the other side of a real transform has
// bins 0 .. N/2. It has the plan's precision; plans of fp16 and bf16 compute in fp32 and pass
// floats. A row is one transform: rows are numbered over all batch dimensions, elements over all
// axes, the last one densest. Many threads call a functor at once and in any order, so it must
// depend on nothing but its arguments. A store is called exactly once for every element, a load at
// least once.
#pragma once

#include <complex>
#include <cstddef>  // size_t, byte
#include <cstring>  // memcpy
#include <functional>
#include <span>
#include <string>
#include <type_traits>  // is_trivially_copyable_v
#include <variant>
#include <vector>

#include "wingbeat/arguments.hpp"  // kernel_parameter, host_arguments
#include "wingbeat/cpp20.hpp"      // stops older C++

namespace wingbeat {

/// A functor as text, for the engines that compile kernels (cuda and opencl): C++17 that may
/// include the headers of wingbeat/device. It defines a struct, here for a load with parameters:
///
///     struct yours {
///       using element = short;              // of your buffer; sizeof is `element_bytes`
///       struct parameters { float gain; };  // plain data, the bytes of `parameters` below
///       WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in,
///                                     WINGBEAT_GLOBAL const parameters& with,
///                                     wingbeat::device::size row, wingbeat::device::size i);
///     };
///
/// and for a store
///
///       WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out,
///                                     WINGBEAT_GLOBAL const parameters& with,
///                                     wingbeat::device::size row, wingbeat::device::size i,
///                                     wingbeat::device::complex<float> z);
///
/// One struct may be both. Without parameters, leave out the struct and the argument. Values that
/// change from run to run are operands; their argument follows the parameters, if there are any.
/// The struct has a member for each entry of `operands` below, in their order:
///
///       struct operands { WINGBEAT_GLOBAL const float* weights; float level; };
///       WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in, operands given,
///                                     wingbeat::device::size row, wingbeat::device::size i);
///
/// A store may add to the memory of its operands with the functions of device/atomic.hpp.
///
/// If a load's buffer has one element for each value, a plan may prefetch elements, row by row; a
/// load that reads them in another order states
///
///       static constexpr bool in_order = false;
struct fused_source {
  std::string text = {};                   ///< Line 1 is line 1 in the compiler's messages.
  std::string type = {};                   ///< Names the struct: "yours", "my::window<4>".
  std::vector<std::byte> parameters = {};  ///< Copied to the device with the plan.

  [[nodiscard]] bool is_given() const noexcept {
    return !text.empty() || !type.empty() || !parameters.empty();
  }
};

/// Returns the bytes of a parameter block. Its layout on the device must be the one it has here.
template <class Block>
requires std::is_trivially_copyable_v<Block>
[[nodiscard]] std::vector<std::byte> bytes_of(const Block& block) {
  std::vector<std::byte> bytes(sizeof block);
  std::memcpy(bytes.data(), &block, sizeof block);
  return bytes;
}

/// A load in this process: fills `into` with elements `first`, `first` + 1, .. of a row. `in` is
/// the plan's input. An engine reads a row in one call or in several.
template <class Value>
using run_reader =
    std::function<void(const void* in, std::size_t row, std::size_t first, std::span<Value> into)>;

/// A store in this process: takes elements `first`, `first` + 1, .. of a row from `values`.
template <class Value>
using run_writer = std::function<void(void* out, std::size_t row, std::size_t first,
                                      std::span<const Value> values)>;

/// A load and a store with operands.
template <class Value>
using operand_reader =
    std::function<void(const void* in, const host_arguments& given, std::size_t row,
                       std::size_t first, std::span<Value> into)>;
template <class Value>
using operand_writer = std::function<void(void* out, const host_arguments& given, std::size_t row,
                                          std::size_t first, std::span<const Value> values)>;

/// Converts from a lambda; the type of its span selects the alternative.
using host_load =
    std::variant<std::monostate, run_reader<float>, run_reader<double>,
                 run_reader<std::complex<float>>, run_reader<std::complex<double>>,
                 operand_reader<float>, operand_reader<double>, operand_reader<std::complex<float>>,
                 operand_reader<std::complex<double>>>;
using host_store =
    std::variant<std::monostate, run_writer<float>, run_writer<double>,
                 run_writer<std::complex<float>>, run_writer<std::complex<double>>,
                 operand_writer<float>, operand_writer<double>, operand_writer<std::complex<float>>,
                 operand_writer<std::complex<double>>>;

/// Reads a plan's input. With both forms, one request runs on every engine.
struct fused_load {
  std::size_t in_bytes = 0;       ///< Bytes of the input of one run, over all rows.
  std::size_t element_bytes = 0;  ///< Bytes of one element of your buffer; the buffer starts at a
                                  ///< multiple of it.
  fused_source source = {};       ///< For cuda and opencl.
  host_load callable = {};        ///< For host and reference.
  /// Arguments that each run passes, by `plan::enqueue`: buffers, and numbers by value.
  std::vector<kernel_parameter> operands = {};
  /// Bytes that one run reads through the functor, including memory of operands. Used only by
  /// `traffic_bytes` and `explain`. 0: `in_bytes`.
  std::size_t moved_bytes = 0;

  /// Returns whether anything was given; if not, a plan reads plain memory.
  [[nodiscard]] bool is_given() const noexcept {
    return in_bytes != 0 || element_bytes != 0 || source.is_given() || callable.index() != 0 ||
           !operands.empty() || moved_bytes != 0;
  }
};

/// Writes a plan's output, or adds to it. Instead of `store`, a functor that reduces has
///
///       struct partial { float sum; };          // plain data
///       WINGBEAT_FN static partial start();     // of no values
///       WINGBEAT_FN static void add(partial& sum, wingbeat::device::size row,
///                                   wingbeat::device::size i, float value);
///       WINGBEAT_FN static void combine(partial& sum, partial other);
///       WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, wingbeat::device::size row,
///                                      partial sum);
///
/// `add` is called once for every element, in any order; `finish` once for every butterfly that the
/// last pass stores: a row, or one of several columns of it. Several threads may therefore finish
/// one row at the same time, and add with the atomic functions of device/atomic.hpp. Parameters and
/// operands follow the first argument of `add` and of `finish`.
///
/// With `row_outputs`, a functor makes that many outputs of each row, and stores these:
///
///       template <class Values>
///       WINGBEAT_FN static Output output(const Values& values, wingbeat::device::size row,
///                                        wingbeat::device::size t);
///       WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wingbeat::device::size row,
///                                     wingbeat::device::size t, Output output);
///
/// Element i of the row is values(i). Output is any plain data. `output` may be called more than
/// once for an output; `store` is called once.
struct fused_store {
  std::size_t out_bytes = 0;      ///< Bytes of the output of one run, over all rows.
  std::size_t element_bytes = 0;  ///< Bytes of one element of your buffer; the buffer starts at a
                                  ///< multiple of it.
  fused_source source = {};       ///< For cuda and opencl.
  host_store callable = {};       ///< For host and reference.
  /// For a functor that reduces instead of storing: sizeof its struct partial, up to 64, a multiple
  /// of 4. 0: it stores. A callable adds to `out` itself; several threads call it at once.
  std::size_t partial_bytes = 0;
  /// For a functor that sees whole rows: the outputs that it makes of each. A row is then one axis
  /// that one workgroup holds; a callable gets all of its elements in one call. 0: it takes
  /// elements one by one.
  std::size_t row_outputs = 0;
  /// For a functor that may also keep: the bytes of each value that stay in local memory while a
  /// workgroup takes, one after another, rows that differ only in the first dimension of the batch;
  /// see device/ends/keep.hpp. Engines that cannot keep store instead. Real values only. 0: it only
  /// stores.
  std::size_t kept_bytes = 0;
  /// Bytes that one run reads and writes through the functor if it keeps; used as `moved_bytes` is.
  std::size_t kept_moved_bytes = 0;
  /// Whether each run first sets all `out_bytes` to 0, so that a functor can add to them.
  bool clears_output = false;
  /// Arguments that each run passes, by `plan::enqueue`: buffers, and numbers by value.
  std::vector<kernel_parameter> operands = {};
  /// Bytes that one run reads and writes through the functor, including memory of operands. Used
  /// only by `traffic_bytes` and `explain`. 0: `out_bytes` written, and also read by a functor that
  /// reduces or adds to cleared output.
  std::size_t moved_bytes = 0;
  /// Maximum number of workgroups of the pass that stores through the functor; on GPUs they then
  /// take one tile after another. For stores that wait for more than memory, such as links to other
  /// GPUs, so that kernels of other queues run meanwhile. 0: as many as there are tiles.
  std::size_t max_workgroups = 0;

  /// Returns whether anything was given; if not, a plan writes plain memory.
  [[nodiscard]] bool is_given() const noexcept {
    return out_bytes != 0 || element_bytes != 0 || source.is_given() || callable.index() != 0 ||
           !operands.empty() || partial_bytes != 0 || row_outputs != 0 || kept_bytes != 0 ||
           kept_moved_bytes != 0 || clears_output || moved_bytes != 0 || max_workgroups != 0;
  }
};

}  // namespace wingbeat
