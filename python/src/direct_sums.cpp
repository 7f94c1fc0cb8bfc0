// SPDX-License-Identifier: Apache-2.0
// Convolutions by their sums: exact where products and sums are, quicker for short signals.
//   c[n] = sum over j of t[j] f[n + start - j], in each axis
#include <algorithm>  // max, min
#include <complex>
#include <cstddef>  // ptrdiff_t, size_t
#include <vector>

#include "array.hpp"
#include "bindings.hpp"
#include "numpy_array.hpp"  // described

namespace wingbeat::python {
namespace {

/// One axis of image, kernel and result: lengths, and the elements from one index to the next.
struct summed_axis {
  std::ptrdiff_t image, kernel, result, start;
  std::ptrdiff_t image_stride, kernel_stride, result_stride;

  /// Returns the first and the end of the indices of the result that tap j reaches.
  [[nodiscard]] std::ptrdiff_t first(std::ptrdiff_t j) const {
    return std::max<std::ptrdiff_t>(j - start, 0);
  }
  [[nodiscard]] std::ptrdiff_t end(std::ptrdiff_t j) const {
    return std::min(image + j - start, result);
  }
};

template <class Real>
Real product(Real a, Real b) {
  return a * b;
}

/// Without the checks for infinities of std::complex.
template <class Real>
std::complex<Real> product(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Adds a row times a tap.
template <class Value>
void add_row(Value tap, const Value* __restrict row, Value* __restrict sums, std::ptrdiff_t count) {
  for (std::ptrdiff_t n = 0; n < count; ++n) sums[n] += product(tap, row[n]);
}

/// Adds the sums of axes from `axis` on.
template <class Value>
void add_sums(const std::vector<summed_axis>& axes, std::size_t axis, const Value* image,
              const Value* kernel, Value* result) {
  const summed_axis& along = axes[axis];
  const bool is_last = axis + 1 == axes.size();
  for (std::ptrdiff_t j = 0; j < along.kernel; ++j) {
    const std::ptrdiff_t shift = along.start - j, first = along.first(j), end = along.end(j);
    if (is_last) {
      add_row(kernel[j], image + first + shift, result + first, end - first);
      continue;
    }
    for (std::ptrdiff_t n = first; n < end; ++n) {
      add_sums(axes, axis + 1, image + (n + shift) * along.image_stride,
               kernel + j * along.kernel_stride, result + n * along.result_stride);
    }
  }
}

/// Images [pair][image][axes..], kernels [pair][kernel][axes..], results, which are 0 before.
template <class Value>
void add_all(const array& image, const array& kernel, const array& out,
             const std::vector<summed_axis>& axes) {
  const std::size_t images = image.shape[1], kernels = kernel.shape[1];
  const std::size_t n_results = out.shape[0] * images * kernels;
  const std::size_t result_size = out.elements() / n_results;
  const std::size_t image_size = image.elements() / (image.shape[0] * images);
  const std::size_t kernel_size = kernel.elements() / (kernel.shape[0] * kernels);
  for (std::size_t i = 0; i < n_results; ++i) {
    const std::size_t pair = i / (images * kernels);
    const std::size_t signal = pair * images + i / kernels % images;
    const std::size_t taps = pair * kernels + i % kernels;
    add_sums(axes, 0, static_cast<const Value*>(image.data) + signal * image_size,
             static_cast<const Value*>(kernel.data) + taps * kernel_size,
             static_cast<Value*>(out.data) + i * result_size);
  }
}

std::vector<summed_axis> axes_of(const array& image, const array& kernel, const array& out,
                                 nb::tuple starts) {
  std::vector<summed_axis> axes;
  for (int d = 2; d < image.rank; ++d) {
    axes.push_back({image.shape[d], kernel.shape[d], out.shape[d + 1],
                    nb::cast<std::ptrdiff_t>(starts[d - 2]), 1, 1, 1});
  }
  for (std::size_t a = axes.size(); a-- > 1;) {
    summed_axis& outer = axes[a - 1];
    const summed_axis& inner = axes[a];
    outer.image_stride = inner.image_stride * inner.image;
    outer.kernel_stride = inner.kernel_stride * inner.kernel;
    outer.result_stride = inner.result_stride * inner.result;
  }
  return axes;
}

void add_sums(nb::handle image, nb::handle kernel, nb::handle out, nb::tuple starts) {
  const array images = described(image), kernels = described(kernel), results = described(out);
  const std::vector<summed_axis> axes = axes_of(images, kernels, results, starts);
  if (results.elements() == 0) return;
  const nb::gil_scoped_release released;
  const bool is_double = images.element.real == precision::fp64;
  if (images.element.is_complex) {
    is_double ? add_all<std::complex<double>>(images, kernels, results, axes)
              : add_all<std::complex<float>>(images, kernels, results, axes);
  } else {
    is_double ? add_all<double>(images, kernels, results, axes)
              : add_all<float>(images, kernels, results, axes);
  }
}

}  // namespace

void bind_direct_sums(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def(
      "add_sums",
      [](nb::handle image, nb::handle kernel, nb::handle out, nb::tuple starts) {
        add_sums(image, kernel, out, starts);
      },
      "image"_a, "kernel"_a, "out"_a, "starts"_a,
      "Adds the sums of images [pair][image][axes..] and kernels [pair][kernel][axes..] to results "
      "[pair][image][kernel][axes..], whose first values are those of index `starts`.");
}

}  // namespace wingbeat::python
