// SPDX-License-Identifier: Apache-2.0
#include "planner/pass.hpp"

#include <fmt/core.h>

#include <algorithm>  // max

#include "wingbeat/device/index.hpp"  // stages

namespace wingbeat::planner {
namespace {

constexpr unsigned separate_threads = 128;

const char* boolean(bool value) {
  return value ? "true" : "false";
}

const char* name_of(row what) {
  return what == row::complex_row ? "complex_row" : "half_spectrum";
}

}  // namespace

unsigned pass::threads() const {
  if (does == kind::separate) return separate_threads;
  return static_cast<unsigned>(length) / elements_per_thread * transforms;
}

std::size_t pass::scratch_bytes() const {
  if (does == kind::separate) return 0;
  const device::stages as{static_cast<unsigned>(length), elements_per_thread};
  const bool trades = as.count() > 1 || stage_in || stage_out || sink == row::half_spectrum;
  if (!trades) return 0;
  const std::size_t entry_bytes = half_trade ? element_bytes() / 2 : element_bytes();
  const std::size_t slots = length * transforms;
  if (bank_bytes == 0) return slots * entry_bytes;
  const std::size_t pad_every = std::max<std::size_t>(as.radix(0), bank_bytes / entry_bytes);
  return (slots + slots / pad_every) * entry_bytes;
}

std::size_t pass::workgroups(std::size_t batch) const {
  const std::size_t per_workgroup = does == kind::separate ? separate_threads : transforms;
  const std::size_t work = batch * (does == kind::separate ? total : total / length);
  return (work + per_workgroup - 1) / per_workgroup;
}

std::size_t pass::traffic_bytes(std::size_t batch) const {
  const bool is_separate = does == kind::separate;
  const std::size_t read = total + (source == row::half_spectrum ? 1 : 0);
  const std::size_t written = total + (sink == row::half_spectrum || is_separate ? 1 : 0);
  return batch * (read + written) * element_bytes();
}

std::string pass::entry() const {
  return does == kind::separate ? "wingbeat_separate" : "wingbeat_pass";
}

std::string pass::source_text() const {
  std::string text = "#include \"wingbeat/device/grid/pass.hpp\"\n";
  const auto line = [&](std::string_view format, auto&&... values) {
    text += "  static constexpr ";
    text += fmt::format(fmt::runtime(format), values...);
    text += ";\n";
  };
  text += "namespace wingbeat::device {\nstruct policy {\n";
  text += fmt::format("  using real = {};\n", real == precision::fp32 ? "float" : "double");
  line("size total = {}", total);
  line("size in_pitch = {}", in_pitch);
  line("size out_pitch = {}", out_pitch);
  if (does == kind::separate) {
    line("unsigned threads = {}", separate_threads);
  } else {
    line("direction dir = direction::{}", is_forward ? "forward" : "inverse");
    line("unsigned length = {}", length);
    line("size prior = {}", prior);
    line("unsigned elements_per_thread = {}", elements_per_thread);
    line("unsigned transforms = {}", transforms);
    line("unsigned bank_bytes = {}", bank_bytes);
    line("bool lanes_across = {}", boolean(lanes_across));
    line("bool half_trade = {}", boolean(half_trade));
    line("bool stage_in = {}", boolean(stage_in));
    line("bool stage_out = {}", boolean(stage_out));
    line("grid::row source = grid::row::{}", name_of(source));
    line("grid::row sink = grid::row::{}", name_of(sink));
    line("bool scaled = {}", boolean(scale != 1));
    line("real scale = {:a}", scale);
  }
  text += "};\n}\n";
  text += fmt::format("#include \"backend/kernels/{}.hpp\"\n",
                      does == kind::separate ? "separate" : "pass");
  return text;
}

std::string pass::describe() const {
  if (does == kind::separate) {
    return fmt::format("separate {} bins of the real transform, {} threads a workgroup", total + 1,
                       threads());
  }
  return fmt::format(
      "{} x {} of {}{}: {} elements a thread, {} threads, {} transforms a workgroup, "
      "{} bytes of local memory",
      total / length, length, total, prior == 1 ? "" : fmt::format(" after {}", prior),
      elements_per_thread, threads(), transforms, scratch_bytes());
}

}  // namespace wingbeat::planner
