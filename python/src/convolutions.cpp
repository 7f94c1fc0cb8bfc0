// SPDX-License-Identifier: Apache-2.0
// Convolutions and correlations of packed arrays, by a bounded cache of the process.
#include "wingbeat/convolution.hpp"

#include <algorithm>  // max, min
#include <cstddef>    // byte, size_t
#include <cstdint>    // uintptr_t
#include <memory>     // shared_ptr, unique_ptr
#include <new>        // align_val_t
#include <vector>

#include "array.hpp"
#include "bindings.hpp"
#include "call_memory.hpp"
#include "latest_used.hpp"
#include "numpy_array.hpp"      // described
#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::python {
namespace {

/// What tells one kept convolution from another.
struct convolution_key {
  engine runs_on;
  int device_index;
  std::vector<std::size_t> image, kernel;
  operation kind;
  extent mode;
  values holds;
  precision real;
  std::size_t images, kernels;
  pairing pairs;

  friend bool operator==(const convolution_key&, const convolution_key&) = default;
};

convolution_spec spec_of(const convolution_key& key) {
  convolution_spec spec;
  spec.image = key.image;
  spec.kernel = key.kernel;
  spec.kind = key.kind;
  spec.mode = key.mode;
  spec.holds = key.holds;
  spec.real = key.real;
  spec.images = key.images;
  spec.kernels = key.kernels;
  spec.pairs = key.pairs;
  spec.prepared = operand_role::kernel;
  return spec;
}

using convolution_cache = latest_used<convolution_key, convolution>;

convolution_cache& kept_convolutions() {
  // Never destroyed: drivers may be gone when static objects are.
  static auto& kept = *new convolution_cache{32};
  return kept;
}

std::shared_ptr<const convolution> convolution_of(const queue& on, const convolution_key& key) {
  return kept_convolutions().get(
      key, [&] { return std::make_shared<const convolution>(on, spec_of(key)); });
}

/// Memory of this thread for calls on the host: fresh pages cost as much as a short transform.
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
  array image, kernel, out;
  convolution_key key;
  std::size_t n_pairs;
  call_memory* memory = nullptr;

  [[nodiscard]] buffer_view view(const array& whole, std::size_t pair) const {
    buffer_view part = whole.view();
    const std::size_t bytes = part.size_bytes / n_pairs;
    part.size_bytes -= pair * bytes;
    if (key.runs_on == engine::host) {  // an offset of a view would have to be even
      part.handle = static_cast<std::byte*>(part.handle) + pair * bytes;
    } else {
      part.offset_bytes += pair * bytes;
    }
    return part;
  }

  /// Returns memory for spectra and workspace.
  [[nodiscard]] buffer_view scratch(std::size_t bytes) const {
    const bool is_kept = key.runs_on == engine::host && bytes <= kept_memory::max_bytes;
    return is_kept ? buffer_view{kept_memory::get(bytes), 0, bytes} : memory->get(bytes);
  }

  void run_pairs(queue& on, const convolution& steps, std::size_t first, std::size_t count,
                 std::size_t pairs_each) const {
    const std::size_t spectra = aligned(steps.spectra_bytes());
    const buffer_view whole = scratch(spectra + steps.workspace_bytes());
    const buffer_view spectra_view = part_of(whole, 0, steps.spectra_bytes());
    const buffer_view workspace = part_of(whole, spectra, steps.workspace_bytes());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t pair = first + i * pairs_each;
      steps.prepare(on, view(kernel, pair), spectra_view, workspace);
      steps.enqueue(on, spectra_view, view(image, pair), view(out, pair), {}, workspace);
    }
  }

  void run(queue& on) {
    if (key.images > 1 || key.kernels > 1 || n_pairs == 1) {
      return run_pairs(on, *convolution_of(on, key), 0, n_pairs, 1);
    }
    // Pairs go together, as many as their spectra leave in bounded memory.
    constexpr std::size_t max_spectra_bytes = std::size_t{1} << 25;
    std::size_t padded = key.holds == values::complex ? 2 : 1;
    padded *= key.real == precision::fp64 ? 8 : 4;
    for (std::size_t a = 0; a < key.image.size(); ++a) padded *= key.image[a] + key.kernel[a];
    // An even number, so that all parts start at pairs of reals.
    const std::size_t most = std::max<std::size_t>(max_spectra_bytes / padded / 2 * 2, 2);
    const std::size_t each = std::min(n_pairs, most), left = n_pairs % each;
    key.pairs = pairing::pairwise;
    key.images = key.kernels = each;
    run_pairs(on, *convolution_of(on, key), 0, n_pairs / each, each);
    if (left == 0) return;
    key.images = key.kernels = left;
    run_pairs(on, *convolution_of(on, key), n_pairs - left, 1, left);
  }
};

std::vector<std::size_t> lengths_of(const array& signals, int first_axis) {
  return {signals.shape.begin() + first_axis, signals.shape.begin() + signals.rank};
}

void convolve(nb::handle image, nb::handle kernel, nb::handle out, bool is_correlation, int mode,
              std::uintptr_t stream, nb::handle allocate) {
  const array images = described(image), kernels = described(kernel);
  convolution_call call{images, kernels, described(out), {}, 1};
  call.n_pairs = static_cast<std::size_t>(images.shape[0]);
  call.key = {images.runs_on,
              images.device_index,
              lengths_of(images, 2),
              lengths_of(kernels, 2),
              is_correlation ? operation::correlate : operation::convolve,
              static_cast<extent>(mode),
              images.element.is_complex ? values::complex : values::real,
              images.element.real,
              static_cast<std::size_t>(images.shape[1]),
              static_cast<std::size_t>(kernels.shape[1]),
              pairing::each_with_each};
  released_call released{images.runs_on, images.device_index, stream, allocate};
  call.memory = &released.memory;
  call.run(released.on);
}

}  // namespace

void bind_convolutions(nb::module_& module) {
  using nb::literals::operator""_a;
  module.attr("mode_full") = static_cast<int>(extent::full);
  module.attr("mode_same") = static_cast<int>(extent::same);
  module.attr("mode_valid") = static_cast<int>(extent::valid);
  module.def("convolve", &convolve, "image"_a, "kernel"_a, "out"_a, "is_correlation"_a, "mode"_a,
             "stream"_a = 0, "allocate"_a = nb::none(),
             "Convolves images [pair][image][axes..] with kernels [pair][kernel][axes..] to "
             "[pair][image][kernel][axes..], all packed, of one dtype and on one device.");
  module.def("convolution_cache_info", [] {
    const auto info = kept_convolutions().info();
    return nb::make_tuple(info[0], info[1], info[2], info[3]);
  });
  module.def(
      "convolution_cache_clear", [] { kept_convolutions().clear(); },
      nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "convolution_cache_resize",
      [](std::size_t capacity) { kept_convolutions().resize(capacity); }, "capacity"_a,
      nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace wingbeat::python
