// SPDX-License-Identifier: Apache-2.0
#include "convolving/blocks.hpp"

#include <algorithm>  // max, min
#include <bit>        // bit_ceil, bit_width, has_single_bit

#include "formatted.hpp"  // formatted
#include "side.hpp"       // bytes_of_real

namespace wingbeat::convolving {
namespace {

/// Costs in butterflies' points: rows of P points take P (log2 P + c).
constexpr double row_cost = 3;                      ///< c: fetching, multiplying and writing.
constexpr double launch_cost = 65536;               ///< Of one launch: microseconds on a GPU.
constexpr std::size_t quick_row_bytes = 64 * 1024;  ///< Rows that a core or a workgroup keeps.
constexpr double doubling_cost = 1.2;               ///< For each time that a row is twice as long,
constexpr double most_cost = 3;             ///< up to this: bench/results/host/convolve.json
constexpr std::size_t shortest_block = 64;  ///< Of those that are chosen.
constexpr std::size_t longest_block = std::size_t{1} << 17;

double cost_of_rows(double count, std::size_t length, precision real) {
  const auto n = static_cast<double>(length);
  double outgrown = 1;
  for (std::size_t bytes = 2 * bytes_of_real(real) * length; bytes > quick_row_bytes; bytes /= 2) {
    outgrown = std::min(outgrown * doubling_cost, most_cost);
  }
  return count * n * (static_cast<double>(std::bit_width(length) - 1) + row_cost) * outgrown;
}

/// Two real rows go as one complex row.
double rows_per_transform(values holds) {
  return holds == values::real ? 2 : 1;
}

double cost_of_blocks(const convolution_spec& spec, std::size_t block) {
  const std::size_t hop = block + 1 - spec.kernel[0];
  const double n_blocks = static_cast<double>(spec.image[0]) / static_cast<double>(hop) + 2;
  return cost_of_rows(n_blocks / rows_per_transform(spec.holds), block, spec.real) +
         3 * launch_cost;
}

/// A single real transform is a complex one of half the length; it and its inverse are two launches
/// or more.
double cost_of_padded(const convolution_spec& spec, std::size_t padded) {
  const std::size_t length =
      spec.holds == values::real ? std::max<std::size_t>(padded / 2, 1) : padded;
  return cost_of_rows(1, length, spec.real) + 2 * launch_cost;
}

}  // namespace

std::vector<block_rows> block_rows_of(const axis_geometry& axis, bool is_real) {
  const std::size_t overlap = axis.kernel - 1, hop = axis.hop;
  const auto [first, last] = axis.wanted;
  std::vector<block_rows> all;
  const std::size_t behind = axis.image - overlap;  // where the last values begin
  if (overlap > 0 && (first < overlap || last > axis.image)) {
    block_rows ends{.in = {0, overlap}, .out = {first, last - behind}};
    (is_real ? ends.parts_distance : ends.distance) = behind;
    if (!is_real) ends.count = 2;
    all.push_back(ends);
  }
  const std::size_t together = is_real ? 2 : 1, step = together * hop;
  block_rows blocks{.result_at = overlap - first,
                    .count = (axis.image - overlap) / step,
                    .distance = step,
                    .parts_distance = is_real ? hop : 0,
                    .in = {0, axis.padded},
                    .out = {overlap, axis.padded}};
  all.push_back(blocks);
  const std::size_t done = blocks.count * step;
  if (const std::size_t values = axis.image - overlap; done < values) {
    blocks.image_at = values - step;
    blocks.result_at += values - step;
    blocks.count = 1;
    all.push_back(blocks);
  }
  return all;
}

std::string why_no_blocks(const convolution_spec& spec, std::size_t block) {
  if (spec.image.size() != 1) {
    return formatted("block is {} and the image has {} axes; only images of one axis are cut",
                     block, spec.image.size());
  }
  if (spec.prepared != operand_role::kernel) {
    return formatted("block is {} and images are prepared; prepare the kernels, or choose block 0",
                     block);
  }
  if (spec.image_load.is_given() || spec.kernel_load.is_given() || spec.store.is_given()) {
    return formatted(
        "block is {} and there is a functor, which needs one transform; choose block 0", block);
  }
  const std::size_t image = spec.image[0], overlap = spec.kernel[0] - 1;
  const std::size_t least = std::max<std::size_t>(std::bit_ceil(2 * overlap), 2);
  if (!std::has_single_bit(block) || block < least || block > longest_block) {
    return formatted("block is {}; choose a power of two from {} to {}, or 0", block, least,
                     longest_block);
  }
  const std::size_t hop = block - overlap, together = spec.holds == values::real ? 2 : 1;
  const std::size_t for_ends = spec.mode == extent::valid ? 0 : 3 * overlap;
  const std::size_t shortest = std::max(overlap + together * hop, for_ends);
  if (image < shortest) {
    return formatted(
        "block is {} and the image has {} values, fewer than the {} that its blocks "
        "take; choose a shorter block, or 0",
        block, image, shortest);
  }
  return {};
}

std::size_t best_block_length(std::size_t kernel, precision real) {
  std::size_t best = 0;
  double least = 0;
  for (std::size_t block = std::max(std::bit_ceil(2 * kernel), shortest_block);
       block <= longest_block; block *= 2) {
    const double cost = cost_of_rows(1, block, real) / static_cast<double>(block + 1 - kernel);
    if (best != 0 && cost >= least) continue;
    best = block;
    least = cost;
  }
  return best;
}

std::size_t block_length(const convolution_spec& spec, std::size_t padded) {
  if (spec.block != 0) return spec.block;
  if (spec.image.size() != 1) return 0;
  std::size_t best = 0;
  const bool is_possible = padded <= max_length;
  double least = is_possible ? cost_of_padded(spec, padded) : 0;
  for (std::size_t block = std::max(std::bit_ceil(2 * spec.kernel[0]), shortest_block);
       block <= longest_block; block *= 2) {
    if (!why_no_blocks(spec, block).empty()) continue;
    const double cost = cost_of_blocks(spec, block);
    if ((is_possible || best != 0) && cost >= least) continue;
    best = block;
    least = cost;
  }
  return best;
}

}  // namespace wingbeat::convolving
