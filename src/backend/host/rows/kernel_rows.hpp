// SPDX-License-Identifier: Apache-2.0
// Rows that one kernel transforms, alone or side by side: codelets, sums by the definition, stages.
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <optional>
#include <string>
#include <utility>  // move

#include "backend/host/aligned.hpp"          // aligned_array, thread_scratch
#include "backend/host/rows/row_method.hpp"  // row_method

namespace wingbeat::backend::host {

/// A kernel of forward transforms, and of those with re and im exchanged.
template <class Kernel>
using both_ways = std::array<Kernel, 2>;  // [is_swapped]

/// The kernels, one of them null, and what they read.
template <class Real>
struct row_kernels {
  std::string text;                       ///< See row_method::explain.
  both_ways<single_kernel> single{};      ///< Null where a single row has no kernel of its own.
  both_ways<rows_kernel<Real>> kernel{};  ///< Null where rows go one by one.
  chain factors;
  aligned_array<Real> table, single_table;  ///< The latter if a single row has its own roots.
  std::size_t scratch_bytes = 0;            ///< Of one call of `kernel`.
};

template <class Real>
class kernel_rows final : public row_method<Real> {
 public:
  /// Prepares rows of `length`; threads share them by multiples of `together`. Without `scale`, of
  /// reals, that of a run is applied.
  kernel_rows(row_kernels<Real> kernels, std::size_t length, std::size_t together,
              std::optional<Real> scale = std::nullopt)
      : kernels_(std::move(kernels)), length_(length), together_(together), scale_(scale) {}

  [[nodiscard]] std::string explain() const override { return kernels_.text; }

  void run(const rows<Real>& given, void*, unsigned n_threads) const override {
    if (given.count == 1 && kernels_.single[0] != nullptr) return run_singly(given);
    share_rows(given, together_, n_threads, [&](const rows<Real>& share) {
      if (kernels_.kernel[0] == nullptr) return run_singly(share);
      run_kernel(share);
    });
  }

  [[nodiscard]] direct_run direct(prepared_rows<Real>& memory) const noexcept override {
    const direct_run any = row_method<Real>::direct(memory);
    if (memory.shape.count == 1 && memory.begins_with_memory() && kernels_.single[0] != nullptr) {
      memory.single = single_of(memory.shape);
      return {kernels_.single[memory.shape.is_swapped], &memory.single};
    }
    if (kernels_.kernel[0] == nullptr) return any;
    return {[](const void* prepared, const std::byte* in, std::byte* out) {
              const auto& own = *static_cast<const prepared_rows<Real>*>(prepared);
              static_cast<const kernel_rows*>(own.method)->run_kernel(own.placed(in, out));
            },
            &memory};
  }

 private:
  [[nodiscard]] single_row<Real> single_of(const rows<Real>& given) const noexcept {
    const auto& table = kernels_.single_table ? kernels_.single_table : kernels_.table;
    return {table.get(), scale_.value_or(given.scale), length_};
  }
  void run_kernel(const rows<Real>& given) const {
    void* const scratch =
        kernels_.scratch_bytes == 0 ? nullptr : thread_scratch(kernels_.scratch_bytes);
    kernels_.kernel[given.is_swapped](kernels_.factors, kernels_.table.get(), given,
                                      static_cast<Real*>(scratch));
  }
  void run_singly(const rows<Real>& given) const {
    const single_row<Real> row = single_of(given);
    const single_kernel kernel = kernels_.single[given.is_swapped];
    for (std::size_t i = 0; i < given.count; ++i) {
      kernel(&row, reinterpret_cast<const std::byte*>(given.in + given.in_pitch * i),
             reinterpret_cast<std::byte*>(given.out + given.out_pitch * i));
    }
  }

  row_kernels<Real> kernels_;
  std::size_t length_, together_;
  std::optional<Real> scale_;
};

}  // namespace wingbeat::backend::host
