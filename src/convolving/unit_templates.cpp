// SPDX-License-Identifier: Apache-2.0
#include "convolving/unit_templates.hpp"

#include <algorithm>  // clamp, min
#include <bit>        // bit_floor
#include <string>
#include <utility>  // move
#include <vector>

#include "arrays/array.hpp"                             // bytes_of_real
#include "text/formatted.hpp"                           // formatted
#include "tuning/compiled_engines.hpp"                  // compiles_kernels
#include "wingbeat/device/functors/unit_templates.hpp"  // unit_templates

namespace wingbeat::convolving {
namespace {

constexpr std::size_t lines_of_workgroup = 64;  // rows or columns of tables of sums
constexpr std::size_t most_parts = 64;          // of a template

unsigned threads_of(const queue& on, std::size_t most) {
  const std::size_t limit = std::min(most, on.device().max_workgroup);
  return static_cast<unsigned>(std::bit_floor(limit));
}

template <class Value>
Value* pointer_of(buffer_view view) {
  return reinterpret_cast<Value*>(static_cast<std::byte*>(view.handle) + view.offset_bytes);
}

/// A workgroup of one thread in this process.
struct group_of_one {
  std::size_t number;

  [[nodiscard]] std::size_t index() const { return number; }
  [[nodiscard]] static unsigned thread() { return 0; }
  static void barrier() {}
};

template <class Real>
void make_in_this_process(buffer_view templates, std::size_t count, std::size_t height,
                          std::size_t width, buffer_view sums, buffer_view out,
                          const buffer_view* rim) {
  const device::functors::unit_templates<Real, double> units{height, width};
  const auto n = static_cast<unsigned>(count);
  double of_threads[2];  // an array because g++ 12 warns of an unused second variable
  char* const scratch = reinterpret_cast<char*>(of_threads);
  const auto* const given = pointer_of<const Real>(templates);
  auto* const scaled = pointer_of<Real>(out);
  auto* const of_kinds = pointer_of<double>(sums);
  for (std::size_t i = 0; i < count; ++i) {
    units.sum(group_of_one{i}, given, of_kinds, n, scratch);
    units.vary(group_of_one{i}, given, of_kinds, n, scratch);
    units.scale(group_of_one{i}, given, of_kinds, scaled, n, scratch);
  }
  if (rim == nullptr) return;
  auto* const table = pointer_of<Real>(*rim);
  for (std::size_t i = 0; i < count * (height + 1); ++i) {
    units.sum_rows(group_of_one{i}, scaled, table, n, scratch);
  }
  for (std::size_t i = 0; i < count * (width + 1); ++i) {
    units.sum_columns(group_of_one{i}, table, n, scratch);
  }
}

}  // namespace

unit_templates::unit_templates(const queue& on, std::vector<std::size_t> lengths, precision real,
                               bool has_rim)
    : height_(lengths[0]),
      width_(lengths[1]),
      real_(real),
      has_rim_(has_rim),
      sum_bytes_(on.device().has_fp64 ? sizeof(double) : sizeof(float)) {
  if (!compiles_kernels(on.device().runs_on)) return;
  // A run has fewer templates than a GPU has workgroups.
  const bool is_gpu = on.device().is_gpu;
  const unsigned threads = threads_of(on, is_gpu ? 256 : 1024);
  const unsigned of_lines = threads_of(on, lines_of_workgroup);
  if (is_gpu) {
    n_parts_ = std::clamp<std::size_t>(height_ * width_ / (16 * threads), 1, most_parts);
  }
  const std::size_t scratch_bytes = threads * sum_bytes_;
  sum_ = body(on, "sum", {"in", "sums"}, threads, scratch_bytes);
  vary_ = body(on, "vary", {"in", "sums"}, threads, scratch_bytes);
  scale_ = body(on, "scale", {"in", "sums", "out"}, threads, scratch_bytes);
  if (!has_rim) return;
  sum_rows_ = body(on, "sum_rows", {"in", "out"}, of_lines, 0);
  sum_columns_ = body(on, "sum_columns", {"out"}, of_lines, 0);
}

std::unique_ptr<const kernel> unit_templates::body(const queue& on, std::string_view name,
                                                   std::vector<std::string_view> arrays,
                                                   unsigned threads,
                                                   std::size_t scratch_bytes) const {
  const std::size_t real_bytes = bytes_of_real(real_);
  std::vector<kernel_parameter> parameters;
  std::string declared, given;
  for (const std::string_view each : arrays) {
    const bool is_input = each == "in", are_sums = each == "sums";
    parameters.push_back(is_input ? kernel_parameter::input(real_bytes)
                                  : kernel_parameter::output(are_sums ? sum_bytes_ : real_bytes));
    declared += formatted("WINGBEAT_GLOBAL {}{}* {}, size {}_first, ", is_input ? "const " : "",
                          are_sums ? "number" : "real", each, each);
    given += formatted("{} + {}_first, ", each, each);
  }
  parameters.push_back(kernel_parameter::value<unsigned>());
  return std::make_unique<kernel>(
      on, kernel_spec{
              .text = formatted("#include \"wingbeat/device/functors/unit_templates.hpp\"\n"
                                "using namespace wingbeat::device;\n"
                                "using real = {};\n"
                                "using number = {};\n"
                                "WINGBEAT_KERNEL({})\n"
                                "void {}({}unsigned count WINGBEAT_SCRATCH_PARAMETER) {{\n"
                                "  functors::unit_templates<real, number>{{{}, {}, {}, {}}}.{}(\n"
                                "      group{{}}, {}count, WINGBEAT_SCRATCH);\n}}\n",
                                real_ == precision::fp64 ? "double" : "float",
                                sum_bytes_ == sizeof(double) ? "double" : "float", threads, name,
                                declared, height_, width_, threads, n_parts_, name, given),
              .entry = std::string{name},
              .threads = threads,
              .scratch_bytes = scratch_bytes,
              .parameters = std::move(parameters)});
}

std::size_t unit_templates::traffic_bytes() const {
  const std::size_t values = height_ * width_, table = (height_ + 1) * (width_ + 1);
  const std::size_t scaled = 4 * values, rows = values + table, columns = 2 * table;
  return (scaled + (has_rim_ ? rows + columns : 0)) * bytes_of_real(real_);
}

void unit_templates::enqueue(queue& on, buffer_view templates, std::size_t count, buffer_view sums,
                             buffer_view out, buffer_view rim) const {
  if (scale_ == nullptr) {
    const buffer_view* const table = has_rim_ ? &rim : nullptr;
    if (real_ == precision::fp64) {
      return make_in_this_process<double>(templates, count, height_, width_, sums, out, table);
    }
    return make_in_this_process<float>(templates, count, height_, width_, sums, out, table);
  }
  const auto number = static_cast<unsigned>(count);
  const std::size_t n_parts = count * n_parts_;
  sum_->enqueue(on, n_parts, {templates, sums, number});
  vary_->enqueue(on, n_parts, {templates, sums, number});
  scale_->enqueue(on, n_parts, {templates, sums, out, number});
  if (!has_rim_) return;
  const std::size_t of_lines = threads_of(on, lines_of_workgroup);
  const auto workgroups = [&](std::size_t lines) { return (lines + of_lines - 1) / of_lines; };
  sum_rows_->enqueue(on, workgroups(count * (height_ + 1)), {out, rim, number});
  sum_columns_->enqueue(on, workgroups(count * (width_ + 1)), {rim, number});
}

}  // namespace wingbeat::convolving
