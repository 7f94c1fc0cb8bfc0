// SPDX-License-Identifier: Apache-2.0
#include "convolving/unit_templates.hpp"

#include <algorithm>  // clamp, min
#include <bit>        // bit_floor
#include <cstdint>    // uint64_t
#include <string>
#include <utility>  // move
#include <vector>

#include "arrays/array.hpp"                             // bytes_of_real
#include "convolving/group_of_one.hpp"                  // group_of_one, pointer_of
#include "kernel_text/kernel_body.hpp"                  // kernel_of, member_call
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

template <class Real>
void make_in_this_process(buffer_view templates, std::size_t count, std::size_t height,
                          std::size_t width, buffer_view sums, buffer_view out,
                          const buffer_view* rim) {
  const device::functors::unit_templates<Real, double> units{height, width};
  double of_threads[2];  // an array because g++ 12 warns of an unused second variable
  char* const scratch = reinterpret_cast<char*>(of_threads);
  const auto* const given = pointer_of<const Real>(templates);
  auto* const scaled = pointer_of<Real>(out);
  auto* const of_kinds = pointer_of<double>(sums);
  for (std::size_t i = 0; i < count; ++i) {
    units.sum(group_of_one{i}, given, of_kinds, count, scratch);
    units.vary(group_of_one{i}, given, of_kinds, count, scratch);
    units.scale(group_of_one{i}, given, of_kinds, scaled, count, scratch);
  }
  if (rim == nullptr) return;
  auto* const table = pointer_of<Real>(*rim);
  for (std::size_t i = 0; i < count * (height + 1); ++i) {
    units.sum_rows(group_of_one{i}, scaled, table, count, scratch);
  }
  for (std::size_t i = 0; i < count * (width + 1); ++i) {
    units.sum_columns(group_of_one{i}, table, count, scratch);
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
  for (const std::string_view each : arrays) {
    parameters.push_back(each == "in"     ? kernel_parameter::input(real_bytes)
                         : each == "sums" ? kernel_parameter::output(sum_bytes_)
                                          : kernel_parameter::output(real_bytes));
  }
  parameters.push_back(kernel_parameter::value<std::uint64_t>());
  const auto type_of = [](bool is_double) { return is_double ? "double" : "float"; };
  return std::make_unique<kernel>(
      on, kernel_text::kernel_of(
              kernel_text::member_call{
                  .header = "wingbeat/device/functors/unit_templates.hpp",
                  .object = formatted("functors::unit_templates<{}, {}>{{{}, {}, {}, {}}}",
                                      type_of(real_ == precision::fp64),
                                      type_of(sum_bytes_ == sizeof(double)), height_, width_,
                                      threads, n_parts_),
                  .function = std::string{name},
                  .threads = threads,
                  .scratch_bytes = scratch_bytes},
              std::move(parameters)));
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
  const std::uint64_t number = count;
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
