// SPDX-License-Identifier: Apache-2.0
#include "convolving/blocks.hpp"

#include <algorithm>  // max
#include <bit>        // bit_ceil

#include "text/formatted.hpp"         // formatted
#include "tuning/convolved_rows.hpp"  // cost_of_launch, cost_of_row, launches_of_row
#include "tuning/padding.hpp"         // relative_point_time
#include "wingbeat/good_length.hpp"   // is_good_length

namespace wingbeat::convolving {
namespace {

constexpr std::size_t shortest_block = 64;  ///< The shortest that `block_length` chooses.
constexpr std::size_t longest_block = std::size_t{1} << 17;
/// Values of a cache line. Blocks stored from line boundaries let threads store whole sectors.
constexpr std::size_t line_values = 32;

std::size_t whole_lines(std::size_t values) {
  return (values + line_values - 1) / line_values * line_values;
}

/// Returns whether the values before the first block are few compared to the image.
bool begins_at_line(std::size_t image, std::size_t block, std::size_t lost) {
  return lost % line_values == 0 && image / 8 >= block && block >= 2 * lost + line_values;
}

/// Two real rows go as one complex row.
double rows_per_transform(values holds) {
  return holds == values::real ? 2 : 1;
}

/// Returns how often the same launches make such rows, on engines where launches take time.
double repeats_of(const convolution_spec& spec, engine runs_on) {
  if (runs_on != engine::cuda && runs_on != engine::opencl) return 1;
  return static_cast<double>(spec.pairs == pairing::pairwise ? spec.images
                                                             : spec.images * spec.kernels);
}

double cost_of_blocks(const convolution_spec& spec, std::size_t block, engine runs_on) {
  const std::size_t hop = block + 1 - spec.kernel[0];
  const double n_blocks = static_cast<double>(spec.image[0]) / static_cast<double>(hop) + 2;
  return repeats_of(spec, runs_on) * n_blocks / rows_per_transform(spec.holds) *
             tuning::cost_of_row(block, hop, spec.real, runs_on) +
         3 * tuning::cost_of_launch(runs_on);
}

/// A single real transform is computed as a complex one of half the length; it and its inverse take
/// two launches or more.
double cost_of_padded(const convolution_spec& spec, std::size_t padded, const device_info& device) {
  const engine runs_on = device.runs_on;
  const std::size_t length =
      spec.holds == values::real ? std::max<std::size_t>(padded / 2, 1) : padded;
  return repeats_of(spec, runs_on) * tuning::relative_point_time(length, device) *
             tuning::cost_of_row(length, length, spec.real, runs_on) +
         tuning::launches_of_row(length, spec.real, runs_on) * tuning::cost_of_launch(runs_on);
}

}  // namespace

std::vector<block_rows> block_rows_of(const axis_geometry& axis, bool is_real) {
  const std::size_t hop = axis.hop, lost = axis.padded - hop;
  const auto [first, last] = axis.wanted;
  const bool at_line = begins_at_line(axis.image, axis.padded, lost);
  const std::size_t skipped = at_line ? first % line_values : 0;
  const std::size_t begin = skipped + lost;  // of the values that blocks make
  std::vector<block_rows> result;
  const std::size_t behind = axis.image - begin;  // where the last L values begin
  if (first < begin || last > axis.image) {
    block_rows ends{.in = {0, begin}, .out = {first, last - behind}};
    (is_real ? ends.parts_distance : ends.distance) = behind;
    if (!is_real) ends.count = 2;
    result.push_back(ends);
  }
  const std::size_t together = is_real ? 2 : 1, step = together * hop;
  const std::size_t values = axis.image - begin;
  block_rows blocks{.image_at = skipped,
                    .result_at = begin - first,
                    .count = values / step,
                    .distance = step,
                    .parts_distance = is_real ? hop : 0,
                    .in = {0, axis.padded},
                    .out = {lost, axis.padded}};
  result.push_back(blocks);
  if (const std::size_t done = blocks.count * step; done < values) {
    blocks.image_at += values - step;
    blocks.result_at += values - step;
    blocks.count = 1;
    result.push_back(blocks);
  }
  return result;
}

std::size_t hop_of(std::size_t image, std::size_t kernel, std::size_t block) {
  const std::size_t overlap = kernel - 1, lost = whole_lines(overlap);
  const bool are_few = 32 * (lost - overlap) + lost <= block;
  return block - (are_few && begins_at_line(image, block, lost) ? lost : overlap);
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
  const std::size_t least = std::max<std::size_t>(2 * overlap, 2);
  if (!is_good_length(block) || block < least || block > longest_block) {
    return formatted(
        "block is {}; choose a length from {} to {} without prime factors above {}, or 0", block,
        least, longest_block, max_prime_factor);
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

std::size_t best_block_length(std::size_t kernel, precision real, engine runs_on) {
  std::size_t best = 0;
  double least = 0;
  for (std::size_t block = std::max(std::bit_ceil(2 * kernel), shortest_block);
       block <= longest_block; block *= 2) {
    const std::size_t hop = block + 1 - kernel;
    const double cost = tuning::cost_of_row(block, hop, real, runs_on) / static_cast<double>(hop);
    if (best != 0 && cost >= least) continue;
    best = block;
    least = cost;
  }
  return best;
}

std::size_t block_length(const convolution_spec& spec, std::size_t padded,
                         const device_info& device) {
  const engine runs_on = device.runs_on;
  if (spec.block != 0) return spec.block;
  if (spec.image.size() != 1) return 0;
  std::size_t best = 0;
  const bool is_possible = padded <= max_length;
  double least = is_possible ? cost_of_padded(spec, padded, device) : 0;
  for (std::size_t block = std::max(std::bit_ceil(2 * spec.kernel[0]), shortest_block);
       block <= longest_block; block *= 2) {
    if (!why_no_blocks(spec, block).empty()) continue;
    const double cost = cost_of_blocks(spec, block, runs_on);
    if ((is_possible || best != 0) && cost >= least) continue;
    best = block;
    least = cost;
  }
  return best;
}

}  // namespace wingbeat::convolving
