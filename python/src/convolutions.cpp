// SPDX-License-Identifier: Apache-2.0
// Convolutions and correlations of packed arrays, by a bounded cache of this process.
#include "wingbeat/convolution.hpp"

#include <algorithm>  // max, min
#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uintptr_t
#include <memory>   // unique_ptr
#include <new>      // align_val_t
#include <vector>

#include "array_library.hpp"  // given_array, described
#include "bindings.hpp"
#include "call_memory.hpp"
#include "kept_by_device.hpp"
#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::python {
namespace {

/// A convolution of plain memory, with prepared kernels.
struct plain_convolution {
  std::vector<std::size_t> image, kernel;
  operation kind;
  extent mode;
  values holds;
  precision real;
  std::size_t images, kernels;
  pairing pairs = pairing::each_with_each;

  friend bool operator==(const plain_convolution&, const plain_convolution&) = default;

  operator convolution_spec() const {
    return {.image = image,
            .kernel = kernel,
            .kind = kind,
            .mode = mode,
            .holds = holds,
            .real = real,
            .images = images,
            .kernels = kernels,
            .pairs = pairs,
            .prepared = operand_role::kernel};
  }
};

auto& kept_convolutions = *new kept_by_device<plain_convolution, convolution>;

/// This thread's memory for calls on the host, because page faults of fresh memory take as long as
/// a short transform.
class kept_memory {
 public:
  static constexpr std::size_t max_bytes = std::size_t{1} << 26;

  [[nodiscard]] static std::byte* get(std::size_t bytes) {
    thread_local kept_memory own;
    if (bytes > own.size_bytes_) {
      own.memory_.reset(static_cast<std::byte*>(::operator new[](bytes, alignment)));
      own.size_bytes_ = bytes;
    }
    return own.memory_.get();
  }

 private:
  static constexpr std::align_val_t alignment{4096};
  struct aligned_delete {
    void operator()(std::byte* memory) const { ::operator delete[](memory, alignment); }
  };

  std::unique_ptr<std::byte[], aligned_delete> memory_;
  std::size_t size_bytes_ = 0;
};

buffer_view part_of(buffer_view whole, std::size_t offset_bytes, std::size_t size_bytes) {
  if (size_bytes == 0) return {};
  whole.offset_bytes += offset_bytes;
  whole.size_bytes = size_bytes;
  return whole;
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// Images [pair][image][axes..] and kernels [pair][kernel][axes..] to results
/// [pair][image][kernel][axes..], all packed.
struct convolution_call {
  released_call& call;
  array image, kernel, out;
  plain_convolution spec;
  std::size_t n_pairs = 1;

  [[nodiscard]] buffer_view view(const array& whole, std::size_t pair) const {
    buffer_view part = whole.view();
    const std::size_t bytes = part.size_bytes / n_pairs;
    part.size_bytes -= pair * bytes;
    if (image.runs_on == engine::host) {  // there, offsets of views would have to be even
      part.handle = static_cast<std::byte*>(part.handle) + pair * bytes;
    } else {
      part.offset_bytes += pair * bytes;
    }
    return part;
  }

  /// Returns memory for spectra and workspace.
  [[nodiscard]] buffer_view scratch(std::size_t bytes) const {
    const bool is_kept = image.runs_on == engine::host && bytes <= kept_memory::max_bytes;
    return is_kept ? buffer_view{kept_memory::get(bytes), 0, bytes} : call.memory(bytes);
  }

  void run_pairs(std::size_t first, std::size_t count, std::size_t pairs_each) const {
    const auto kept = kept_convolutions.get(call.on, spec);
    const convolution& steps = *kept;
    const std::size_t spectra = aligned(steps.spectra_bytes());
    const buffer_view whole = scratch(spectra + steps.workspace_bytes());
    const buffer_view spectra_view = part_of(whole, 0, steps.spectra_bytes());
    const buffer_view workspace = part_of(whole, spectra, steps.workspace_bytes());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t pair = first + i * pairs_each;
      steps.prepare(call.on, view(kernel, pair), spectra_view, workspace);
      steps.enqueue(call.on, spectra_view, view(image, pair), view(out, pair), {}, workspace);
    }
  }

  void run() {
    if (spec.images > 1 || spec.kernels > 1 || n_pairs == 1) return run_pairs(0, n_pairs, 1);
    // Runs take as many pairs as bounded memory holds spectra of.
    constexpr std::size_t max_spectra_bytes = std::size_t{1} << 25;
    std::size_t padded = spec.holds == values::complex ? 2 : 1;
    padded *= spec.real == precision::fp64 ? 8 : 4;
    for (std::size_t a = 0; a < spec.image.size(); ++a) padded *= spec.image[a] + spec.kernel[a];
    // Even, so that all parts start at pairs of reals.
    const std::size_t most = std::max<std::size_t>(max_spectra_bytes / padded / 2 * 2, 2);
    const std::size_t each = std::min(n_pairs, most), left = n_pairs % each;
    spec.pairs = pairing::pairwise;
    spec.images = spec.kernels = each;
    run_pairs(0, n_pairs / each, each);
    if (left == 0) return;
    spec.images = spec.kernels = left;
    run_pairs(n_pairs - left, 1, left);
  }
};

std::vector<std::size_t> lengths_of(const array& signals, int first_axis) {
  return {signals.shape.begin() + first_axis, signals.shape.begin() + signals.rank};
}

void convolve(nb::handle image, nb::handle kernel, nb::handle out, bool is_correlation, int mode) {
  const given_array operand = given_array::of(image);
  const array &images = operand.view, kernels = described(kernel), results = described(out);
  const plain_convolution spec{lengths_of(images, 2),
                               lengths_of(kernels, 2),
                               is_correlation ? operation::correlate : operation::convolve,
                               static_cast<extent>(mode),
                               images.element.is_complex ? values::complex : values::real,
                               images.element.real,
                               static_cast<std::size_t>(images.shape[1]),
                               static_cast<std::size_t>(kernels.shape[1])};
  released_call call{operand};
  convolution_call{call, images, kernels, results, spec, static_cast<std::size_t>(images.shape[0])}
      .run();
}

}  // namespace

std::vector<bounded_cache*>& bounded_caches() {
  static auto& caches = *new std::vector<bounded_cache*>;
  return caches;
}

void bind_convolutions(nb::module_& module) {
  using nb::literals::operator""_a;
  module.attr("mode_full") = static_cast<int>(extent::full);
  module.attr("mode_same") = static_cast<int>(extent::same);
  module.attr("mode_valid") = static_cast<int>(extent::valid);
  module.def("convolve", &convolve, "image"_a, "kernel"_a, "out"_a, "is_correlation"_a, "mode"_a,
             "Convolves images [pair][image][axes..] with kernels [pair][kernel][axes..] to "
             "[pair][image][kernel][axes..], all packed, of one dtype and on one device.");
  module.def("convolution_cache_info", [] {
    std::array<std::size_t, 6> sums{};
    for (bounded_cache* const each : bounded_caches()) {
      const auto info = each->info();
      for (const std::size_t i : {0, 2, 3, 4}) sums[i] += info[i];
      for (const std::size_t i : {1, 5})
        sums[i] = info[i];  // all caches have the same limits,
                            // once resized
    }
    return nb::make_tuple(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
  });
  module.def(
      "convolution_cache_clear",
      [] {
        for (bounded_cache* const each : bounded_caches()) each->clear();
      },
      nb::call_guard<released_gil>());
  module.def(
      "convolution_cache_resize",
      [](std::size_t capacity, std::size_t max_bytes) {
        for (bounded_cache* const each : bounded_caches()) each->resize(capacity, max_bytes);
      },
      "capacity"_a, "max_bytes"_a, nb::call_guard<released_gil>());
}

}  // namespace wingbeat::python
