// SPDX-License-Identifier: Apache-2.0
#include "planner/unit.hpp"

#include <fmt/format.h>

#include <algorithm>  // max

namespace wingbeat::planner {
namespace {

std::string_view name_of(row what) {
  return what == row::complex_row ? "complex_row" : "half_spectrum";
}

std::string_view stored_type(precision what) {
  switch (what) {
    case precision::fp32: return "float";
    case precision::fp64: return "double";
    case precision::fp16: return "half_float";
    case precision::bf16: return "bfloat";
  }
  return "float";
}

/// Returns what the functors' texts become at global scope, before the policies.
std::string functor_text(const pass_side& in, const pass_side& out) {
  std::string text;
  if (!in.fused && !out.fused) return text;
  text += "#include \"wingbeat/device/grid/fused.hpp\"\n";
  if (in.fused) text += in.fused->quoted_text();
  const bool is_one_text = in.fused && out.fused && in.fused->text == out.fused->text;
  if (out.fused && !is_one_text) text += out.fused->quoted_text();
  if (in.fused) text += in.fused->alias_text();
  if (out.fused) text += out.fused->alias_text();
  return text + "#line 1 \"wingbeat_policy.cpp\"\n";
}

/// Returns the declaration of `input` or `output`.
std::string end_text(const pass_side& side, std::string_view verb, std::string_view name,
                     std::size_t block_at) {
  if (side.fused) return side.fused->end_text(name, side.row_elements, side.is_dense, block_at);
  if (side.has_parts) {
    return fmt::format("using {} = grid::parts_{}<{}, policy::real, {}>;\n", name, verb,
                       stored_type(side.stored), side.apart);
  }
  return fmt::format("using {} = grid::complex_{}<{}, policy::real, grid::use::{}>;\n", name, verb,
                     stored_type(side.stored), side.is_once ? "once" : "again");
}

/// Writes the constants of one policy.
class policy_text {
 public:
  template <class Value>
  void line(std::string_view type, std::string_view name, const Value& value) {
    text_ += fmt::format("  static constexpr {} {} = {};\n", type, name, value);
  }
  void size(std::string_view name, std::size_t value) { line("size", name, value); }
  void number(std::string_view name, std::size_t value) { line("unsigned", name, value); }
  void flag(std::string_view name, bool value) { line("bool", name, value); }
  void raw(std::string text) { text_ += std::move(text); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void write_side(policy_text& to, const pass& one, const pass_side& side, std::string_view in) {
  const auto name = [&](std::string_view what) { return fmt::format("{}_{}", in, what); };
  to.size(name("base"), side.base);
  to.size(fmt::format("batch_{}", in), side.distance);
  if (one.is_cluster()) {
    to.size(name("first_stride"), side.stride_of_first);
    to.size(name("second_stride"), side.stride);
  } else {
    to.size(name("stride"), side.stride);
  }
  to.size(name("unit"), side.unit);
  to.size(name("step"), side.step);
  to.number(name("along"), side.along);
  to.flag(fmt::format("limited_{}", in), side.is_limited);
  to.flag(fmt::format("pairs_{}", in), side.is_pairs);
  to.size(name("first"), side.valid_first);
  to.size(name("end"), side.valid_end);
  to.raw(fmt::format("  static constexpr grid::row {} = grid::row::{};\n",
                     in == "in" ? "source" : "sink", name_of(side.holds)));
}

/// Tiles of a chain may lie beyond its rows: none of them is known to be full.
void write_shape(policy_text& to, const pass& one, bool is_chained) {
  if (one.is_cluster()) {
    to.number("first", one.first);
    to.number("second", one.second);
    to.line("cluster::kind", "kind",
            one.does == pass::kind::plane ? "cluster::kind::plane" : "cluster::kind::line");
  } else {
    to.number("length", one.length);
    to.flag("stage_in", one.stage_in);
    to.flag("stage_out", one.stage_out);
  }
  to.number("workgroups", one.workgroups_of_cluster);
  to.number("elements_per_thread", one.elements_per_thread);
  to.number("lanes", one.lanes);
  to.number("ahead", is_chained ? 0 : one.ahead);
  if (one.ahead > 0) to.size("run", one.run);
  to.number("bank_bytes", one.bank_bytes);
  to.flag("lanes_across", one.lanes_across);
  to.flag("along_out", one.along_out);
  to.flag("half_trade", one.half_trade);
  to.flag("mirrored", one.is_mirrored);
  to.flag("flat", one.is_flat);
  // Of tiles known full, a GPU's compiler loads all early: good where registers suffice.
  const bool may_tell = one.bank_bytes == 0 || (one.lanes == 1 && !one.is_of_bins());
  to.flag("full", !is_chained && one.is_full() && may_tell && one.loads_early);
}

std::string loops_text(const pass& one) {
  std::string text = "  using loops = grid::nest<";
  for (std::size_t i = 0; i < one.loops.size(); ++i) {
    text += fmt::format("{}grid::loop<{}, {}, {}>", i == 0 ? "" : ", ", one.loops[i].count,
                        one.loops[i].in, one.loops[i].out);
  }
  return text + ">;\n";
}

std::string policy_of(const pass& one, bool is_chained, std::size_t roots_at) {
  policy_text to;
  to.raw("struct policy {\n");
  to.raw(fmt::format("  using real = {};\n", stored_type(one.real)));
  to.raw(loops_text(one));
  to.line("direction", "dir", one.is_forward ? "direction::forward" : "direction::inverse");
  write_shape(to, one, is_chained);
  to.size("prior", one.prior);
  to.size("total", one.total);
  to.size("roots_at", roots_at);
  to.number("turn_along", one.turn_along);
  write_side(to, one, one.in, "in");
  write_side(to, one, one.out, "out");
  to.flag("scaled", one.scale != 1);
  to.raw(fmt::format("  static constexpr real scale = {:a};\n", one.scale));
  to.raw("};\n");
  return to.text();
}

/// Returns policy, ends and body of one pass, to stand in a namespace.
std::string pass_text(const pass& one, bool is_chained, std::size_t roots_at,
                      std::size_t store_at) {
  return policy_of(one, is_chained, roots_at) + end_text(one.in, "load", "input", 0) +
         end_text(one.out, "store", "output", store_at) +
         fmt::format("using body = grid::{}<policy, input, output>;\n",
                     one.is_cluster() ? "cluster_pass" : "pass");
}

std::string kernel_text(const pass& one) {
  const unsigned threads = one.threads();
  const unsigned columns = one.lanes_across ? one.lanes : threads / one.lanes;
  std::string how;
  if (one.workgroups_of_cluster > 1) {
    how = fmt::format("WINGBEAT_KERNEL_CLUSTER({}, {}, {})", threads, std::max(one.resident, 1u),
                      one.workgroups_of_cluster);
  } else if (one.is_cluster()) {
    how = fmt::format("WINGBEAT_KERNEL_RESIDENT({}, {})", threads, std::max(one.resident, 1u));
  } else if (one.resident > 0) {
    how = fmt::format("WINGBEAT_KERNEL_IN_ROWS_RESIDENT({}, {}, {})", columns, threads / columns,
                      one.resident);
  } else {
    how = fmt::format("WINGBEAT_KERNEL_IN_ROWS({}, {})", columns, threads / columns);
  }
  return fmt::format("#define WINGBEAT_PASS_KERNEL {}\n", how);
}

std::string includes_of(const launch& what) {
  bool is_cluster = false, is_workgroup = false;
  for (const pass& one : what.passes) (one.is_cluster() ? is_cluster : is_workgroup) = true;
  std::string text;
  if (is_cluster) text += "#include \"wingbeat/device/grid/cluster_pass.hpp\"\n";
  if (is_workgroup || is_cluster) text += "#include \"wingbeat/device/grid/pass.hpp\"\n";
  return text;
}

}  // namespace

std::string entry_of(const launch& what) {
  return what.is_chained() ? "wingbeat_chain" : "wingbeat_pass";
}

std::string unit_text(const launch& what) {
  const pass_side& in = what.passes.front().in;
  const pass_side& out = what.passes.back().out;
  const std::size_t store_at = in.fused ? in.fused->block_bytes() : 0;
  std::string text = includes_of(what) + functor_text(in, out) + kernel_text(what.passes.front());
  text += "namespace wingbeat::device {\n";
  std::size_t roots_at = what.parameter_blocks().size() / what.passes.front().element_bytes();
  if (!what.is_chained()) {
    text += pass_text(what.passes.front(), false, roots_at, store_at);
    return text + "}\n#include \"backend/kernels/pass.hpp\"\n";
  }
  for (std::size_t i = 0; i < 2; ++i) {
    text += fmt::format("namespace {} {{\n{}}}\n", i == 0 ? "first" : "second",
                        pass_text(what.passes[i], true, roots_at, store_at));
    roots_at += what.roots_of_pass(i);
  }
  text += fmt::format(
      "struct chained {{ static constexpr size chunk_rows = {}; static constexpr unsigned ring = "
      "{}; }};\n",
      what.chunk_rows, what.ring);
  return text + "}\n#include \"backend/kernels/chain.hpp\"\n";
}

}  // namespace wingbeat::planner
