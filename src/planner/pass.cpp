// SPDX-License-Identifier: Apache-2.0
#include "planner/pass.hpp"

#include <fmt/format.h>

#include <algorithm>  // copy, max
#include <utility>    // pair

#include "side.hpp"                                // bytes_of_real
#include "wingbeat/device/index.hpp"               // stages
#include "wingbeat/device/workgroup/exchange.hpp"  // delivered_bytes, row_pitch, slot_layout

namespace wingbeat::planner {
namespace {

/// Local memory that the exchanges of `transforms` in one workgroup take.
std::size_t exchange_bytes(const pass& one, std::size_t length, std::size_t transforms) {
  const device::stages as{static_cast<unsigned>(length), one.elements_per_thread};
  if (length <= one.elements_per_thread) return 0;
  return device::workgroup::delivered_bytes(as, static_cast<unsigned>(transforms),
                                            static_cast<unsigned>(one.entry_bytes()),
                                            one.bank_bytes);
}

std::size_t pitch_of(const pass& one, std::size_t count, std::size_t threads) {
  return device::workgroup::row_pitch(static_cast<unsigned>(count), static_cast<unsigned>(threads),
                                      one.bank_bytes / static_cast<unsigned>(one.element_bytes()));
}

/// A whole row of reals or bins: opposite numbers meet where elements are exchanged, and what is
/// staged lies behind that.
std::size_t real_row_scratch(const pass& one) {
  const std::size_t threads = one.length / one.elements_per_thread;
  std::size_t elements = 0;
  for (const auto& [is_staged, side] :
       {std::pair{one.stage_in, &one.in}, std::pair{one.stage_out, &one.out}}) {
    const std::size_t count = one.length + (side->holds == row::half_spectrum ? 1 : 0);
    if (is_staged) elements += pitch_of(one, count, threads) * one.lanes;
  }
  return exchange_bytes(one, one.length, one.lanes) + elements * one.element_bytes();
}

std::size_t workgroup_scratch(const pass& one) {
  if (one.is_of_bins() && !one.is_mirrored) return real_row_scratch(one);
  std::size_t most = exchange_bytes(one, one.length, one.lanes);
  if (one.stage_in || one.stage_out) {
    const device::stages as{static_cast<unsigned>(one.length), one.elements_per_thread};
    const device::workgroup::slot_layout staged{
        static_cast<unsigned>(one.length * one.lanes), static_cast<unsigned>(one.element_bytes()),
        one.bank_bytes, as.count() == 0 ? 1 : as.radix(0), /*is_in_place=*/false};
    most = std::max<std::size_t>(most, staged.bytes());
  }
  return std::max(most, one.is_of_bins() ? one.length * one.lanes * one.element_bytes() : 0);
}

std::size_t cluster_scratch(const pass& one) {
  const std::size_t c = one.workgroups_of_cluster;
  const std::size_t columns = one.second / c * one.lanes, rows = one.first / c * one.lanes;
  const bool is_by_position = one.lanes_across && one.lanes > 1;
  const std::size_t pitch = one.does == pass::kind::line
                                ? one.second + 1
                                : pitch_of(one, one.second, one.second / one.elements_per_thread);
  const std::size_t arrived =
      (is_by_position ? one.second * (rows + (one.along_out ? one.first / c : one.lanes))
                      : rows * pitch) *
      one.element_bytes();
  const std::size_t steps =
      std::max(exchange_bytes(one, one.first, columns), exchange_bytes(one, one.second, rows));
  std::size_t both = std::max(steps, arrived);
  if (c > 1) both = (both + 15) / 16 * 16 + 16;  // the barrier that counts arrivals
  return both;
}

std::size_t side_bytes(const pass& one, const pass_side& side) {
  if (side.fused) return side.fused->buffer_bytes;
  std::size_t butterflies = one.rows;
  for (const loop& each : one.loops) butterflies *= each.count;
  std::size_t elements = butterflies * one.length;
  if (side.holds == row::half_spectrum) {
    elements += elements / (one.does == pass::kind::plane ? one.second : one.total);
  }
  if (side.is_limited) {
    // Of an axis cut into butterflies, each index is in one of them.
    const std::size_t length = side.is_pairs ? 2 * one.total : one.total;
    elements = elements / length * (side.valid_end - side.valid_first);
  }
  return elements * 2 * side.real_bytes();
}

}  // namespace

std::size_t pass_side::real_bytes() const {
  return bytes_of_real(stored);
}

unsigned pass::threads() const {
  const std::size_t elements = length * lanes / workgroups_of_cluster;
  return static_cast<unsigned>(elements / elements_per_thread);
}

std::size_t pass::scratch_bytes() const {
  return is_cluster() ? cluster_scratch(*this) : workgroup_scratch(*this);
}

std::size_t pass::tiles_of_row() const {
  if (loops.empty()) return 1;
  std::size_t tiles = (lane_count() + lanes - 1) / lanes;
  for (std::size_t i = is_flat ? 2 : 1; i < loops.size(); ++i) tiles *= loops[i].count;
  return tiles;
}

std::size_t pass::workgroups(std::size_t of_rows) const {
  const std::size_t tiles =
      loops.empty() ? (of_rows + lanes - 1) / lanes : tiles_of_row() * of_rows;
  return tiles * workgroups_of_cluster;
}

std::size_t pass::traffic_bytes() const {
  return side_bytes(*this, in) + side_bytes(*this, out);
}

std::vector<std::byte> pass::parameter_blocks() const {
  std::vector<std::byte> blocks;
  for (const auto* each : {&in.fused, &out.fused}) {
    if (!*each) continue;
    const std::size_t first_byte = blocks.size();
    blocks.resize(first_byte + (*each)->block_bytes());
    std::copy((*each)->parameters.begin(), (*each)->parameters.end(),
              blocks.begin() + static_cast<std::ptrdiff_t>(first_byte));
  }
  return blocks;
}

std::string pass::describe() const {
  const auto cut = [&] {
    if (does == kind::plane) return fmt::format("planes of {} x {}", first, second);
    std::string text = is_whole() ? fmt::format("lines of {}", length)
                                  : fmt::format("{} x {} of {}", total / length, length, total);
    if (prior > 1) text += fmt::format(" after {}", prior);
    if (does == kind::line) text += fmt::format(" as {} x {}", first, second);
    return text;
  };
  std::string text =
      cut() + fmt::format(
                  ": {} elements a thread, {} threads, {} {} a {}, "
                  "{} bytes of local memory",
                  elements_per_thread, threads(), lanes,
                  lanes_across ? "neighbouring columns" : "transforms",
                  workgroups_of_cluster > 1 ? fmt::format("cluster of {}", workgroups_of_cluster)
                                            : "workgroup",
                  scratch_bytes());
  if (out.holds == row::half_spectrum) text += ", bins of a real transform separated";
  if (in.holds == row::half_spectrum) text += ", bins of a real transform joined";
  if (stays) text += ", bins scrambled";
  if (ahead > 0) text += fmt::format(", input requested {} tiles ahead", ahead);
  if (in.is_limited) text += fmt::format(", inputs {} to {}", in.valid_first, in.valid_end - 1);
  if (out.is_limited) text += fmt::format(", outputs {} to {}", out.valid_first, out.valid_end - 1);
  return text + (in.fused ? ", your load" : "") + (out.fused ? ", your store" : "");
}

}  // namespace wingbeat::planner
