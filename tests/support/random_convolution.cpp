// SPDX-License-Identifier: Apache-2.0
#include "support/random_convolution.hpp"

#include <fmt/format.h>

#include <algorithm>  // max, max_element, min
#include <bit>        // bit_ceil
#include <complex>
#include <span>
#include <vector>

#include "arrays/address_space.hpp"  // product_of
#include "support/dice.hpp"          // dice
#include "wingbeat/good_length.hpp"  // good_length

namespace wingbeat::test {
namespace {

using lengths = std::vector<std::size_t>;

/// Returns a length of up to `bits` bits: a power of two, its neighbour, or any.
std::size_t random_length(dice& roll, std::size_t bits) {
  const std::size_t most = std::size_t{1} << roll.below(bits + 1);
  if (roll.one_in(6)) return most;
  if (roll.one_in(6)) return most + 1;
  return roll.between(1, most);
}

std::size_t random_kernel_length(dice& roll, std::size_t image, extent mode) {
  if (roll.one_in(8)) return 1;
  if (roll.one_in(8)) return image;
  if (mode != extent::valid && roll.one_in(8)) return roll.between(image, 2 * image + 3);
  return roll.one_in(2) ? roll.between(1, image) : roll.between(1, (image + 7) / 8);
}

void draw_lengths(dice& roll, convolution_spec& spec, const convolution_limits& within) {
  constexpr std::size_t axes[] = {1, 1, 2, 2, 2, 3}, bits[] = {12, 7, 5};
  const std::size_t n_axes = roll.one_of(axes);
  for (std::size_t a = 0; a < n_axes; ++a) {
    spec.image.push_back(random_length(roll, bits[n_axes - 1]));
    spec.kernel.push_back(random_kernel_length(roll, spec.image.back(), spec.mode));
  }
  if (n_axes == 1 && roll.one_in(8)) {
    spec.image[0] = roll.between(within.longest_signal / 16, within.longest_signal);
    spec.kernel[0] = roll.between(1, std::max<std::size_t>(within.longest_signal >> 11, 1));
  }
  while (product_of(spec.image) * product_of(spec.kernel) > within.max_products) {
    std::size_t& longest = *std::max_element(spec.kernel.begin(), spec.kernel.end());
    if (longest == 1) break;
    longest = (longest + 1) / 2;
  }
}

/// Draws numbers of images and kernels, within the products that are left.
void draw_counts(dice& roll, convolution_spec& spec, const convolution_limits& within) {
  constexpr std::size_t counts[] = {1, 1, 2, 3, 4, 5, 9, 17};
  std::size_t room = within.max_products / (product_of(spec.image) * product_of(spec.kernel));
  const auto draw = [&] {
    const std::size_t count = std::clamp<std::size_t>(room, 1, roll.one_of(counts));
    room /= count;
    return count;
  };
  spec.kernels = draw();
  if (roll.one_in(4)) {
    spec.images = spec.kernels;
    spec.pairs = pairing::pairwise;
  } else if (roll.one_in(2)) {
    spec.images = draw();
  }
}

/// Draws a length of blocks where the rules of docs/filtering.md allow some: a power of two, or any
/// good length.
void draw_block(dice& roll, convolution_spec& spec) {
  if (spec.image.size() != 1 || spec.prepared != operand_role::kernel || roll.one_in(2)) return;
  const std::size_t image = spec.image[0], overlap = spec.kernel[0] - 1;
  if (spec.mode != extent::valid && image < 3 * overlap) return;
  const std::size_t together = spec.holds == values::real ? 2 : 1;
  const std::size_t least = std::max<std::size_t>(2 * overlap, 2);
  const bool is_binary = roll.one_in(2);
  const auto next = [&](std::size_t n) { return is_binary ? std::bit_ceil(n) : good_length(n); };
  lengths possible;
  for (std::size_t block = next(least);
       block <= 8192 && overlap + together * (block - overlap) <= image; block = next(block + 1)) {
    possible.push_back(block);
  }
  if (!possible.empty()) spec.block = possible[roll.below(possible.size())];
}

void draw_functors(dice& roll, drawn_convolution& drawn) {
  if (drawn.spec.block != 0) return;
  drawn.reverses_images = roll.one_in(8);
  drawn.reverses_kernels = roll.one_in(8);
  drawn.reverses_results = roll.one_in(6);
}

/// Value i of a signal, or of a result, is element points - 1 - i of its buffer.
constexpr const char* reversed_text = R"(
struct {name} {{
  using element = {element};
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, wingbeat::device::size row,
                                  wingbeat::device::size i) {{
    return in[row * {points} + {points} - 1 - i];
  }}
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wingbeat::device::size row,
                                wingbeat::device::size i, element value) {{
    out[row * {points} + {points} - 1 - i] = value;
  }}
}};
)";

fused_source reversed_source(const convolution_spec& spec, const char* name, std::size_t points) {
  const char* const real = spec.real == precision::fp64 ? "double" : "float";
  const std::string element =
      spec.holds == values::real ? real : fmt::format("wingbeat::device::complex<{}>", real);
  return {.text = fmt::format(fmt::runtime(reversed_text), fmt::arg("name", name),
                              fmt::arg("element", element), fmt::arg("points", points)),
          .type = name};
}

template <class Value>
fused_load reversed_load(const convolution_spec& spec, const char* name, std::size_t count,
                         std::size_t points) {
  fused_load load{.in_bytes = count * points * sizeof(Value),
                  .element_bytes = sizeof(Value),
                  .source = reversed_source(spec, name, points)};
  load.callable = [points](const void* in, std::size_t row, std::size_t first,
                           std::span<Value> into) {
    const Value* last = static_cast<const Value*>(in) + row * points + points - 1;
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = *(last - (first + i));
  };
  return load;
}

template <class Value>
fused_store reversed_store(const convolution_spec& spec, std::size_t count, std::size_t points) {
  fused_store store{.out_bytes = count * points * sizeof(Value),
                    .element_bytes = sizeof(Value),
                    .source = reversed_source(spec, "reversed_results", points)};
  store.callable = [points](void* out, std::size_t row, std::size_t first,
                            std::span<const Value> values) {
    Value* last = static_cast<Value*>(out) + row * points + points - 1;
    for (std::size_t i = 0; i < values.size(); ++i) *(last - (first + i)) = values[i];
  };
  return store;
}

template <class Value>
void add_functors_of(drawn_convolution& drawn) {
  convolution_spec& spec = drawn.spec;
  const std::size_t pairs = spec.pairs == pairing::pairwise ? 1 : spec.images;
  const std::size_t result = product_of(result_lengths(spec));
  if (drawn.reverses_images) {
    spec.image_load =
        reversed_load<Value>(spec, "reversed_images", spec.images, product_of(spec.image));
  }
  if (drawn.reverses_kernels) {
    spec.kernel_load =
        reversed_load<Value>(spec, "reversed_kernels", spec.kernels, product_of(spec.kernel));
  }
  if (drawn.reverses_results) {
    spec.store = reversed_store<Value>(spec, pairs * spec.kernels, result);
  }
}

/// Stores the spectra of some requests in 16 bits, and gives some the spectra of what comes with
/// each run. A sequence of its own leaves the rest of each drawn request as it is.
void store_otherwise(std::uint64_t seed, drawn_convolution& drawn) {
  dice roll{seed ^ 0x5bd1e995U};
  convolution_spec& spec = drawn.spec;
  const bool is_loaded =
      spec.prepared == operand_role::image ? drawn.reverses_kernels : drawn.reverses_images;
  if (roll.one_in(5) && !is_loaded) spec.form = operand_form::spectrum;
  if (spec.real == precision::fp64 || !roll.one_in(4)) return;
  spec.between = roll.one_in(2) ? precision::fp16 : precision::bf16;
  if (spec.between == precision::fp16) {
    spec.image_peak = spec.kernel_peak = spec.holds == values::complex ? 1.5 : 1;
  }
}

std::string text_of(const lengths& list) {
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

}  // namespace

void add_functors(drawn_convolution& drawn) {
  const bool is_real = drawn.spec.holds == values::real;
  if (drawn.spec.real == precision::fp64) {
    return is_real ? add_functors_of<double>(drawn) : add_functors_of<std::complex<double>>(drawn);
  }
  return is_real ? add_functors_of<float>(drawn) : add_functors_of<std::complex<float>>(drawn);
}

drawn_convolution random_convolution(std::uint64_t seed, const convolution_limits& within) {
  constexpr operation kinds[] = {operation::convolve, operation::correlate};
  constexpr extent modes[] = {extent::full, extent::same, extent::valid};
  dice roll{seed};
  drawn_convolution drawn;
  convolution_spec& spec = drawn.spec;
  spec.kind = roll.one_of(kinds);
  spec.mode = roll.one_of(modes);
  spec.holds = roll.one_in(3) ? values::complex : values::real;
  spec.real = roll.one_in(3) && within.has_fp64 ? precision::fp64 : precision::fp32;
  draw_lengths(roll, spec, within);
  draw_counts(roll, spec, within);
  spec.prepared = roll.one_in(2) ? operand_role::kernel : operand_role::image;
  draw_block(roll, spec);
  draw_functors(roll, drawn);
  add_functors(drawn);
  drawn.has_own_workspace = roll.one_in(2);
  drawn.shift = roll.below(4);
  store_otherwise(seed, drawn);
  return drawn;
}

std::string as_initialiser(const convolution_spec& spec) {
  std::string text = fmt::format(
      "{{.image = {}, .kernel = {}, .kind = operation::{}, .mode = extent::{}", text_of(spec.image),
      text_of(spec.kernel), name_of(spec.kind), name_of(spec.mode));
  if (spec.holds == values::complex) text += ", .holds = values::complex";
  if (spec.real == precision::fp64) text += ", .real = precision::fp64";
  text += fmt::format(", .images = {}, .kernels = {}", spec.images, spec.kernels);
  if (spec.pairs == pairing::pairwise) text += ", .pairs = pairing::pairwise";
  if (spec.prepared == operand_role::kernel) text += ", .prepared = operand_role::kernel";
  if (spec.block != 0) text += fmt::format(", .block = {}", spec.block);
  if (spec.form == operand_form::spectrum) text += ", .form = operand_form::spectrum";
  if (spec.between) {
    text += fmt::format(", .between = precision::{}, .image_peak = {}, .kernel_peak = {}",
                        name_of(*spec.between), spec.image_peak, spec.kernel_peak);
  }
  return text + "}";
}

}  // namespace wingbeat::test
