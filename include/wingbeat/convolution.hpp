// SPDX-License-Identifier: Apache-2.0
// Convolutions and correlations of signals with kernels, in one to three axes: images with
// templates, photographs with blurs, signals with filters. Zero padding takes no memory, and
// spectra stay in the engine's native order.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/arguments.hpp"           // kernel_argument
#include "wingbeat/buffer.hpp"              // buffer_view
#include "wingbeat/fusion.hpp"              // fused_store
#include "wingbeat/plan.hpp"                // precision
#include "wingbeat/prepared_operation.hpp"  // prepared_operation
#include "wingbeat/queue.hpp"               // queue

namespace wingbeat {

/// The result for an image f and a kernel t, in each axis:
enum class operation {
  convolve,  ///< c[n] = sum over j of t[j] f[n - j]
  correlate  ///< c[n] = sum over j of conj(t[j]) f[n + j]
};

/// Which part of the result, with image length H and kernel length h: the modes of scipy.signal.
enum class extent {
  full,  ///< Every n where the two touch: H + h - 1 values.
  same,  ///< H values, centred in `full`: the first (h - 1) / 2 of it, rounded down, are left out.
  valid  ///< Every n where the kernel lies within the image: H - h + 1 values.
};

/// The type of the numbers of images, kernels and results.
enum class values { real, complex };

/// Which images are combined with which kernels.
enum class pairing {
  each_with_each,  ///< Every kernel with every image: results are [kernel][image], or
                   ///< [image][kernel]; the index of the prepared operand alternates faster.
  pairwise         ///< Kernel i with image i.
};

/// One of the two inputs.
enum class operand_role { image, kernel };

/// What the memory of an operand holds.
enum class operand_form {
  values,
  /// Its discrete Fourier transform over its own lengths, which may be any, without padding:
  /// numpy.fft.fftn of complex values, the half spectrum numpy.fft.rfftn of real ones. Packed in
  /// natural order, unscaled: [signal][y][x], with x from 0 to half the length for real values.
  spectrum
};

[[nodiscard]] std::string_view name_of(operation kind) noexcept;
[[nodiscard]] std::string_view name_of(extent mode) noexcept;

/// The description of a convolution.
///
///     convolution find{queue, {.image = {4096, 4096}, .kernel = {512, 512},
///                              .kind = operation::correlate, .mode = extent::valid,
///                              .kernels = 8}};
///     buffer spectra{queue, find.spectra_bytes()};
///     find.prepare(queue, image.view(), spectra.view());
///     find.enqueue(queue, spectra.view(), templates.view(), maps.view());
struct convolution_spec {
  std::vector<std::size_t> image = {};   ///< Lengths of one image, slowest axis first; 1 to 3 axes.
  std::vector<std::size_t> kernel = {};  ///< Lengths of one kernel, one per image axis. In mode
                                         ///< `valid` none exceeds the image's.
  operation kind = operation::convolve;
  extent mode = extent::full;
  values holds = values::real;
  precision real = precision::fp32;  ///< fp32 or fp64.
  /// The type that spectra and the workspace are stored in; empty: as `real`. fp16 and bf16, with
  /// fp32 arithmetic, halve the bytes between launches. A number is rounded, by at most u = 2^-11
  /// of itself (bf16: 2^-8), whenever it is stored: images and kernels once for each axis, the
  /// product's inverse once for each axis but the last. The transform of the next axis spreads that
  /// over all values, so errors are relative to the whole signal and not to the value: their root
  /// mean square stays below
  ///     (3 axes - 1) u max(sqrt(mean f^2) |t|, root mean square of the result)
  /// where f are the image's values, mean included, and |t|^2 is the sum of the kernel's squares.
  /// Subtract a large mean first. Results are stored as `real`.
  std::optional<precision> between = {};
  /// The largest magnitudes of images and of kernels (|z| of complex values), as functors load
  /// them: required with fp16 in between, 0 otherwise. Stored numbers are multiplied by powers of
  /// two that keep them within 2^15 for any signals, because fp16 ends at 65504; the last transform
  /// divides by them. Values may exceed a peak by half, not more. Peaks that are too high by a
  /// factor of 16 in all cost nothing; each further factor of two costs small bins one binary
  /// digit.
  double image_peak = 0, kernel_peak = 0;
  std::size_t images = 1;
  std::size_t kernels = 1;
  pairing pairs = pairing::each_with_each;
  /// The operand whose spectra `prepare` makes, once for many runs. Each run brings the other
  /// operand.
  operand_role prepared = operand_role::image;
  /// The form of the other operand. Spectra, such as slices through the transform of a volume, are
  /// first transformed back to values, which takes a launch or two per axis and workspace for the
  /// values. Bins that no real signal has count as in `transform::inverse_to_real`. No functor
  /// loads spectra.
  operand_form form = operand_form::values;
  /// For one axis with prepared kernels: the length of transforms over overlapping blocks of the
  /// image (overlap-save), a good length from `2 (kernel - 1)` on; powers of two are the fastest.
  /// 0: chosen by cost, where one padded transform is a choice too. Functors need one transform.
  std::size_t block = 0;
  /// Your load, in place of plain memory: value i of signal `row`, the last axis densest. It obeys
  /// the contract of a plan's load without operands, with real values where signals are real.
  fused_load image_load = {};
  fused_load kernel_load = {};
  /// Your store, in place of plain results: row p is the result of pair p, element i is its value
  /// number i, the last axis densest. It obeys the contract of a plan's store, with real values
  /// where results are real.
  fused_store store = {};
};

/// Returns the lengths of one result. Throws `plan_error` as the constructor does.
[[nodiscard]] std::vector<std::size_t> result_lengths(const convolution_spec& spec);

/// A planned convolution. Immutable once built, so many threads may enqueue it at once. All arrays
/// are packed, the last axis densest: images [image][y][x], kernels [kernel][y][x], results
/// [pair][y][x].  Scale: none, the sums above.  Source: the circular convolution theorem, with each
/// axis padded to `padded`, so that no kept value wraps around. With prepared kernels, a long image
/// of one axis is cut into overlapping blocks; each block makes the values that depend on it alone.
class convolution : public prepared_operation {
 public:
  /// Validates `spec` and prepares it for the device behind `on`. Throws `plan_error`, naming the
  /// field at fault, or `device_error`.
  convolution(const queue& on, convolution_spec spec);

  [[nodiscard]] const convolution_spec& spec() const;

  /// Returns the lengths that axes are padded to, although no memory holds the padding; for an
  /// image in blocks, the length of a block.
  [[nodiscard]] const std::vector<std::size_t>& padded() const;

  /// Returns the lengths of one result.
  [[nodiscard]] const std::vector<std::size_t>& result() const;

  /// Returns the bytes of all images, of all kernels and of all results; where a functor is given,
  /// the bytes that it states.
  [[nodiscard]] std::size_t image_bytes() const;
  [[nodiscard]] std::size_t kernel_bytes() const;
  [[nodiscard]] std::size_t output_bytes() const;

  /// Returns the bytes of the prepared spectra. Their layout is private to plans of this spec.
  [[nodiscard]] std::size_t spectra_bytes() const;

  /// Queues the spectra of all images, or of all kernels if `prepared` is `kernel`. No view
  /// overlaps another. Throws as `plan::enqueue` does.
  void prepare(queue& on, buffer_view signals, buffer_view spectra,
               buffer_view workspace = {}) const;

  /// Queues one run over the other operand. Nothing is allocated or waited for. `given` is for the
  /// operands of the store functor. No view overlaps another.  Throws as `plan::enqueue` does.
  void enqueue(queue& on, buffer_view spectra, buffer_view signals, buffer_view out,
               const std::vector<kernel_argument>& given = {}, buffer_view workspace = {}) const;

 private:
  struct impl;
  [[nodiscard]] const impl& own() const;
};

}  // namespace wingbeat
