// SPDX-License-Identifier: Apache-2.0
// Convolutions of numpy's arrays by direct sums: exact if products and sums are, and faster for
// short signals.
#include "wingbeat/direct_sums.hpp"

#include <cstddef>  // byte, ptrdiff_t, size_t
#include <optional>
#include <utility>  // swap
#include <vector>

#include "bindings.hpp"
#include "numpy_array.hpp"  // common_arrays, is_text

namespace wingbeat::python {
namespace {

enum class part { full, same, valid };

std::optional<part> part_of(nb::handle mode) {
  if (is_text(mode, "full")) return part::full;
  if (is_text(mode, "same")) return part::same;
  if (is_text(mode, "valid")) return part::valid;
  return std::nullopt;
}

bool fits_everywhere(const packed_numbers& inner, const packed_numbers& outer) {
  for (int d = 0; d < inner.rank; ++d) {
    if (d >= outer.rank || inner.shape[d] > outer.shape[d]) return false;
  }
  return true;
}

/// A convolution of `first` with `second`; a correlation reads `second` backwards.
struct sums_call {
  packed_numbers first, second;
  std::vector<summed_axis> axes;
  std::ptrdiff_t taps_begin = 0;  ///< Offset of the first tap in `second`.

  /// Fills in the axes. Returns false if the dimensions differ or the mode does not fit.
  bool add_axes(part wanted, bool is_correlation) {
    // Exchanging a correlation's arrays would reverse its result.
    if (wanted == part::valid && !is_correlation && !fits_everywhere(second, first)) {
      std::swap(first, second);
    }
    const int rank = first.rank;
    if (rank != second.rank || rank == 0) return false;
    axes.resize(static_cast<std::size_t>(rank));
    std::size_t first_stride = 1, taps_stride = 1, result_stride = 1;
    for (int d = rank; d-- > 0;) {
      const auto n = static_cast<std::size_t>(first.shape[d]);
      const auto k = static_cast<std::size_t>(second.shape[d]);
      if (n == 0 || k == 0 || (wanted == part::valid && n < k)) return false;
      summed_axis& axis = axes[static_cast<std::size_t>(d)];
      axis.signal = n;
      axis.taps = k;
      axis.result = wanted == part::full ? n + k - 1 : wanted == part::same ? n : n - k + 1;
      const std::size_t start = wanted == part::full   ? 0
                                : wanted == part::same ? (k - 1) / 2
                                                       : k - 1;
      axis.start = static_cast<std::ptrdiff_t>(start);
      axis.signal_stride = static_cast<std::ptrdiff_t>(first_stride);
      axis.taps_stride = static_cast<std::ptrdiff_t>(taps_stride);
      axis.result_stride = static_cast<std::ptrdiff_t>(result_stride);
      if (is_correlation) {
        taps_begin += axis.taps_stride * static_cast<std::ptrdiff_t>(k - 1);
        axis.taps_stride = -axis.taps_stride;
      }
      first_stride *= n;
      taps_stride *= k;
      result_stride *= axis.result;
    }
    return true;
  }

  void run(summed_number numbers, std::size_t number_bytes, bool is_correlation, void* out) const {
    const std::byte* const taps = static_cast<const std::byte*>(second.data) +
                                  taps_begin * static_cast<std::ptrdiff_t>(number_bytes);
    sum_directly(numbers, axes, first.data, taps, out, is_correlation);
  }

  [[nodiscard]] double n_products() const {
    double count = 1;
    for (const summed_axis& each : axes) count *= static_cast<double>(each.result * each.taps);
    return count;
  }
};

/// With fewer products, a call is shorter than releasing the GIL.
constexpr double min_released_products = 1 << 16;

/// Returns the sums; None, without effect, for arrays that Python must convert or transform.
nb::object sum_arrays(nb::handle in1, nb::handle in2, nb::handle mode, nb::handle method,
                      bool is_correlation) {
  const auto wanted = part_of(mode);
  const bool is_forced = is_text(method, "direct");
  if (!wanted || (!is_forced && !is_text(method, "auto"))) return nb::none();
  auto arrays = common_arrays::of(in1, in2);
  if (!arrays) return nb::none();
  sums_call call{arrays->first, arrays->second, {}};
  if (!call.add_axes(*wanted, is_correlation)) return nb::none();
  if (!is_forced && !are_sums_quicker(arrays->numbers, call.axes)) return nb::none();
  std::vector<std::ptrdiff_t> shape(call.axes.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    shape[d] = static_cast<std::ptrdiff_t>(call.axes[d].result);
  }
  void* memory = nullptr;
  nb::object result = arrays->empty(shape, memory);
  const auto work = [&] {
    call.run(arrays->numbers, arrays->number_bytes, is_correlation, memory);
  };
  run_released_if(call.n_products() >= min_released_products, work);
  return arrays->narrowed(result);
}

/// Returns whether direct sums of these arrays, in this mode, are expected to be faster.
bool are_quicker(nb::handle in1, nb::handle in2, nb::handle mode) {
  const auto arrays = common_arrays::of(in1, in2);
  const auto wanted = part_of(mode);
  if (!arrays || !wanted) return false;
  sums_call call{arrays->first, arrays->second, {}};
  return call.add_axes(*wanted, false) && are_sums_quicker(arrays->numbers, call.axes);
}

}  // namespace

void bind_direct_sums(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def(
      "sum_arrays", &sum_arrays, "in1"_a, "in2"_a, "mode"_a, "method"_a, "is_correlation"_a,
      "Returns the sums of the convolution, or correlation, of two numpy arrays of one type, "
      "along all axes; None for others, and where the method 'auto' takes transforms.");
  module.def("are_sums_quicker", &are_quicker, "in1"_a, "in2"_a, "mode"_a,
             "Returns whether sum_arrays of the method 'auto' takes sums.");
}

}  // namespace wingbeat::python
