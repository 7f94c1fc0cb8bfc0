// SPDX-License-Identifier: Apache-2.0
#include "convolving/unit_templates.hpp"

#include <algorithm>  // min
#include <bit>        // bit_floor
#include <utility>    // move

#include "arrays/array.hpp"                             // bytes_of_real
#include "formatted.hpp"                                // formatted
#include "wingbeat/device/functors/unit_templates.hpp"  // unit_templates

namespace wingbeat::convolving {
namespace {

constexpr std::size_t lines_of_workgroup = 64;  // rows or columns of tables of sums

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
                          std::size_t width, buffer_view out, const buffer_view* rim) {
  const device::functors::unit_templates<Real, double> units{height, width};
  const auto n = static_cast<unsigned>(count);
  alignas(double) char scratch[sizeof(double)];
  auto* const scaled = pointer_of<Real>(out);
  for (std::size_t i = 0; i < count; ++i) {
    units.scale(group_of_one{i}, pointer_of<const Real>(templates), scaled, n, scratch);
  }
  if (rim == nullptr) return;
  auto* const sums = pointer_of<Real>(*rim);
  for (std::size_t i = 0; i < count * (height + 1); ++i) {
    units.sum_rows(group_of_one{i}, scaled, sums, n, scratch);
  }
  for (std::size_t i = 0; i < count * (width + 1); ++i) {
    units.sum_columns(group_of_one{i}, sums, n, scratch);
  }
}

bool compiles_kernels(engine runs_on) {
  return runs_on == engine::cuda || runs_on == engine::opencl;
}

}  // namespace

unit_templates::unit_templates(const queue& on, std::vector<std::size_t> lengths, precision real,
                               bool has_rim)
    : height_(lengths[0]), width_(lengths[1]), real_(real), has_rim_(has_rim) {
  if (!compiles_kernels(on.device().runs_on)) return;
  const unsigned threads = threads_of(on, 1024), of_lines = threads_of(on, lines_of_workgroup);
  const std::size_t sum_bytes = on.device().has_fp64 ? sizeof(double) : sizeof(float);
  scale_ = body(on, "scale", true, threads, threads * sum_bytes);
  if (!has_rim) return;
  sum_rows_ = body(on, "sum_rows", true, of_lines, 0);
  sum_columns_ = body(on, "sum_columns", false, of_lines, 0);
}

std::unique_ptr<const kernel> unit_templates::body(const queue& on, std::string_view name,
                                                   bool has_input, unsigned threads,
                                                   std::size_t scratch_bytes) const {
  const std::size_t real_bytes = bytes_of_real(real_);
  std::vector<kernel_parameter> parameters{kernel_parameter::output(real_bytes),
                                           kernel_parameter::value<unsigned>()};
  if (has_input) parameters.insert(parameters.begin(), kernel_parameter::input(real_bytes));
  return std::make_unique<kernel>(
      on, kernel_spec{.text = formatted(
                          "#include \"wingbeat/device/functors/unit_templates.hpp\"\n"
                          "using namespace wingbeat::device;\n"
                          "using real = {0};\n"
                          "WINGBEAT_KERNEL({5})\n"
                          "void {2}({6}WINGBEAT_GLOBAL real* out, size out_first, unsigned count "
                          "WINGBEAT_SCRATCH_PARAMETER) {{\n"
                          "  functors::unit_templates<real, {1}>{{{3}, {4}, {5}}}.{2}(\n"
                          "      group{{}}, {7}out + out_first, count, WINGBEAT_SCRATCH);\n}}\n",
                          real_ == precision::fp64 ? "double" : "float",
                          on.device().has_fp64 ? "double" : "float", name, height_, width_, threads,
                          has_input ? "WINGBEAT_GLOBAL const real* in, size in_first, " : "",
                          has_input ? "in + in_first, " : ""),
                      .entry = std::string{name},
                      .threads = threads,
                      .scratch_bytes = scratch_bytes,
                      .parameters = std::move(parameters)});
}

std::size_t unit_templates::traffic_bytes() const {
  const std::size_t values = height_ * width_, table = (height_ + 1) * (width_ + 1);
  const std::size_t scaled = 2 * values, rows = values + table, columns = 2 * table;
  return (scaled + (has_rim_ ? rows + columns : 0)) * bytes_of_real(real_);
}

void unit_templates::enqueue(queue& on, buffer_view templates, std::size_t count, buffer_view out,
                             buffer_view rim) const {
  if (scale_ == nullptr) {
    const buffer_view* const sums = has_rim_ ? &rim : nullptr;
    if (real_ == precision::fp64) {
      return make_in_this_process<double>(templates, count, height_, width_, out, sums);
    }
    return make_in_this_process<float>(templates, count, height_, width_, out, sums);
  }
  const auto number = static_cast<unsigned>(count);
  scale_->enqueue(on, count, {templates, out, number});
  if (!has_rim_) return;
  const std::size_t of_lines = threads_of(on, lines_of_workgroup);
  const auto workgroups = [&](std::size_t lines) { return (lines + of_lines - 1) / of_lines; };
  sum_rows_->enqueue(on, workgroups(count * (height_ + 1)), {out, rim, number});
  sum_columns_->enqueue(on, workgroups(count * (width_ + 1)), {rim, number});
}

}  // namespace wingbeat::convolving
