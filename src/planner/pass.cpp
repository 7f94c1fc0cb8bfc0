// SPDX-License-Identifier: Apache-2.0
#include "planner/pass.hpp"

#include <fmt/core.h>

#include <algorithm>  // copy

#include "wingbeat/device/index.hpp"               // stages
#include "wingbeat/device/workgroup/exchange.hpp"  // slot_layout

namespace wingbeat::planner {
namespace {

constexpr unsigned separate_threads = 128;

const char* boolean(bool value) {
  return value ? "true" : "false";
}

const char* name_of(row what) {
  return what == row::complex_row ? "complex_row" : "half_spectrum";
}

/// Returns what the functors' texts become at global scope, before the policy.
std::string functor_text(const pass& one) {
  std::string text;
  if (!one.load && !one.store) return text;
  text += "#include \"wingbeat/device/grid/fused.hpp\"\n";
  if (one.load) text += one.load->quoted_text();
  const bool is_one_text = one.load && one.store && one.load->text == one.store->text;
  if (one.store && !is_one_text) text += one.store->quoted_text();
  if (one.load) text += one.load->alias_text();
  if (one.store) text += one.store->alias_text();
  return text + "#line 1 \"wingbeat_policy.cpp\"\n";
}

/// Returns the declarations of `input` and `output`, after the policy.
std::string ends_text(const pass& one) {
  const std::size_t store_at = one.load ? one.load->block_bytes() : 0;
  std::string text =
      one.load ? one.load->end_text("input", 0)
               : std::string{"using input = grid::plain_load<policy::real, policy::in_pitch>;\n"};
  text += one.store
              ? one.store->end_text("output", store_at)
              : std::string{"using output = grid::plain_store<policy::real, policy::out_pitch>;\n"};
  return text;
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
  const device::workgroup::slot_layout slots{
      static_cast<unsigned>(length * transforms),
      static_cast<unsigned>(half_trade ? element_bytes() / 2 : element_bytes()), bank_bytes,
      as.radix(0), /*is_in_place=*/false};
  return slots.bytes();
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
  return (load ? load->buffer_bytes : batch * read * element_bytes()) +
         (store ? store->buffer_bytes : batch * written * element_bytes());
}

std::size_t pass::in_element_bytes() const {
  return load ? load->element_bytes : element_bytes();
}

std::size_t pass::out_element_bytes() const {
  return store ? store->element_bytes : element_bytes();
}

std::vector<std::byte> pass::parameter_blocks() const {
  std::vector<std::byte> blocks;
  for (const auto* each : {&load, &store}) {
    if (!*each) continue;
    const std::size_t first = blocks.size();
    blocks.resize(first + (*each)->block_bytes());
    std::copy((*each)->parameters.begin(), (*each)->parameters.end(),
              blocks.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return blocks;
}

std::string pass::entry() const {
  return does == kind::separate ? "wingbeat_separate" : "wingbeat_pass";
}

std::string pass::source_text() const {
  std::string text = "#include \"wingbeat/device/grid/pass.hpp\"\n" + functor_text(*this);
  const auto line = [&](std::string_view format, auto&&... values) {
    text += "  static constexpr ";
    text += fmt::format(fmt::runtime(format), values...);
    text += ";\n";
  };
  text += "namespace wingbeat::device {\nstruct policy {\n";
  text += fmt::format("  using real = {};\n", real == precision::fp32 ? "float" : "double");
  line("size total = {}", total);
  line("size roots_at = {}", parameter_blocks().size() / element_bytes());
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
  text += "};\n" + ends_text(*this) + "}\n";
  text += fmt::format("#include \"backend/kernels/{}.hpp\"\n",
                      does == kind::separate ? "separate" : "pass");
  return text;
}

std::string pass::describe() const {
  const std::string fused =
      fmt::format("{}{}", load ? ", your load" : "", store ? ", your store" : "");
  if (does == kind::separate) {
    return fmt::format("separate {} bins of the real transform, {} threads a workgroup{}",
                       total + 1, threads(), fused);
  }
  return fmt::format(
      "{} x {} of {}{}: {} elements a thread, {} threads, {} transforms a workgroup, "
      "{} bytes of local memory{}",
      total / length, length, total, prior == 1 ? "" : fmt::format(" after {}", prior),
      elements_per_thread, threads(), transforms, scratch_bytes(), fused);
}

}  // namespace wingbeat::planner
