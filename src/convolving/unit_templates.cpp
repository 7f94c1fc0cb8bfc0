// SPDX-License-Identifier: Apache-2.0
#include "convolving/unit_templates.hpp"

#include <algorithm>  // fill_n, min
#include <bit>        // bit_floor
#include <cmath>      // sqrt

#include "formatted.hpp"  // formatted

namespace wingbeat::convolving {
namespace {

constexpr std::size_t lines_of_workgroup = 64;  // rows or columns of tables of sums

/// Types of the kernels' texts, sizes of a template.
std::string head_of(const queue& on, std::size_t height, std::size_t width, precision real) {
  return formatted(R"(#include "wingbeat/device/port.hpp"
using wingbeat::device::group;
using wingbeat::device::size;
using real = {};
using sum = {};
constexpr size height = {}, width = {};
)",
                   real == precision::fp64 ? "double" : "float",
                   on.device().has_fp64 ? "double" : "float", height, width);
}

/// One workgroup for each template. Elements are taken relative to the first, and what rounding
/// left in the sum of the differences from the mean is taken out of the mean, so that a small
/// contrast on a large offset keeps its accuracy where sums are floats, too.
std::string scale_text(unsigned threads) {
  return formatted(R"(
constexpr unsigned n_threads = {0};

/// Returns the sum over all threads of the workgroup.
WINGBEAT_FN sum total(WINGBEAT_LOCAL sum* parts, sum mine) {{
  const unsigned thread = group::thread();
  group::barrier();
  parts[thread] = mine;
  for (unsigned reach = n_threads / 2; reach > 0; reach /= 2) {{
    group::barrier();
    if (thread < reach) parts[thread] += parts[thread + reach];
  }}
  group::barrier();
  return parts[0];
}}

WINGBEAT_KERNEL({0})
void scale(WINGBEAT_GLOBAL const real* in, size in_first, WINGBEAT_GLOBAL real* out,
           size out_first WINGBEAT_SCRATCH_PARAMETER) {{
  const auto parts = reinterpret_cast<WINGBEAT_LOCAL sum*>(WINGBEAT_SCRATCH);
  constexpr size n = height * width;
  WINGBEAT_GLOBAL const real* const from = in + in_first + group::index() * n;
  WINGBEAT_GLOBAL real* const to = out + out_first + group::index() * n;
  const sum first = from[0];
  sum shifted = 0;
  for (size i = group::thread(); i < n; i += n_threads) shifted += sum(from[i]) - first;
  const sum mean = total(parts, shifted) / sum(n);
  sum rest = 0, squares = 0;
  for (size i = group::thread(); i < n; i += n_threads) {{
    const sum difference = sum(from[i]) - first - mean;
    rest += difference;
    squares += difference * difference;
  }}
  const sum correction = total(parts, rest) / sum(n);
  const sum variation = total(parts, squares) - sum(n) * correction * correction;
  const sum inverse = variation <= 0 ? sum(0) : 1 / ::sqrt(variation);
  for (size i = group::thread(); i < n; i += n_threads) {{
    to[i] = real((sum(from[i]) - first - mean - correction) * inverse);
  }}
}}
)",
                   threads);
}

/// One thread for each row of a table; row 0 is 0.
std::string sum_rows_text(unsigned threads) {
  return formatted(R"(
WINGBEAT_KERNEL({0})
void sum_rows(WINGBEAT_GLOBAL const real* in, size in_first, WINGBEAT_GLOBAL real* rim,
              size rim_first, unsigned count WINGBEAT_SCRATCH_PARAMETER) {{
  const size row = group::index() * {0} + group::thread();
  const size number = row / (height + 1), y = row % (height + 1);
  if (number >= count) return;
  WINGBEAT_GLOBAL real* const to = rim + rim_first + row * (width + 1);
  sum left = 0;
  to[0] = 0;
  for (size x = 0; x < width; ++x) {{
    if (y > 0) left += sum(in[in_first + (number * height + y - 1) * width + x]);
    to[x + 1] = real(left);
  }}
}}
)",
                   threads);
}

/// One thread for each column of a table, whose rows are summed.
std::string sum_columns_text(unsigned threads) {
  return formatted(R"(
WINGBEAT_KERNEL({0})
void sum_columns(WINGBEAT_GLOBAL real* rim, size rim_first,
                 unsigned count WINGBEAT_SCRATCH_PARAMETER) {{
  const size column = group::index() * {0} + group::thread();
  const size number = column / (width + 1), x = column % (width + 1);
  if (number >= count) return;
  WINGBEAT_GLOBAL real* const at = rim + rim_first + number * (height + 1) * (width + 1) + x;
  sum above = 0;
  for (size y = 0; y <= height; ++y) {{
    above += sum(at[y * (width + 1)]);
    at[y * (width + 1)] = real(above);
  }}
}}
)",
                   threads);
}

unsigned threads_of(const queue& on, std::size_t most) {
  const std::size_t limit = std::min(most, on.device().max_workgroup);
  return static_cast<unsigned>(std::bit_floor(limit));
}

template <class Real>
void make_unit(const Real* from, std::size_t n, Real* to) {
  double sum = 0, rest = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double{from[i]} - double{from[0]};
  const double mean = sum / static_cast<double>(n);
  const auto difference = [&](std::size_t i) { return double{from[i]} - double{from[0]} - mean; };
  for (std::size_t i = 0; i < n; ++i) {
    rest += difference(i);
    squares += difference(i) * difference(i);
  }
  const double correction = rest / static_cast<double>(n);
  const double variation = squares - rest * correction;
  const double inverse = variation <= 0 ? 0 : 1 / std::sqrt(variation);
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = static_cast<Real>((difference(i) - correction) * inverse);
  }
}

template <class Real>
void sum_corners(const Real* from, std::size_t height, std::size_t width, Real* to) {
  std::vector<double> above(width + 1, 0.0);
  std::fill_n(to, width + 1, Real{0});
  for (std::size_t y = 0; y < height; ++y) {
    double left = 0;
    Real* const row = to + (y + 1) * (width + 1);
    row[0] = 0;
    for (std::size_t x = 0; x < width; ++x) {
      left += double{from[y * width + x]};
      above[x + 1] += left;
      row[x + 1] = static_cast<Real>(above[x + 1]);
    }
  }
}

template <class Real>
Real* pointer_of(buffer_view view) {
  return reinterpret_cast<Real*>(static_cast<std::byte*>(view.handle) + view.offset_bytes);
}

template <class Real>
void make_in_this_process(buffer_view templates, std::size_t count, std::size_t height,
                          std::size_t width, buffer_view out, const buffer_view* rim) {
  const std::size_t n = height * width;
  for (std::size_t number = 0; number < count; ++number) {
    Real* const unit = pointer_of<Real>(out) + number * n;
    make_unit(pointer_of<Real>(templates) + number * n, n, unit);
    if (rim == nullptr) continue;
    Real* const sums = pointer_of<Real>(*rim) + number * (height + 1) * (width + 1);
    sum_corners(unit, height, width, sums);
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
  const std::string head = head_of(on, height_, width_, real);
  const std::size_t real_bytes = real == precision::fp64 ? sizeof(double) : sizeof(float);
  const std::size_t sum_bytes = on.device().has_fp64 ? sizeof(double) : sizeof(float);
  const auto memory_in = kernel_parameter::input(real_bytes);
  const auto memory_out = kernel_parameter::output(real_bytes);
  const auto count = kernel_parameter::value<unsigned>();
  const unsigned threads = threads_of(on, 1024), of_lines = threads_of(on, lines_of_workgroup);
  scale_ = std::make_unique<kernel>(on, kernel_spec{.text = head + scale_text(threads),
                                                    .entry = "scale",
                                                    .threads = threads,
                                                    .scratch_bytes = threads * sum_bytes,
                                                    .parameters = {memory_in, memory_out}});
  if (!has_rim) return;
  sum_rows_ =
      std::make_unique<kernel>(on, kernel_spec{.text = head + sum_rows_text(of_lines),
                                               .entry = "sum_rows",
                                               .threads = of_lines,
                                               .parameters = {memory_in, memory_out, count}});
  sum_columns_ = std::make_unique<kernel>(on, kernel_spec{.text = head + sum_columns_text(of_lines),
                                                          .entry = "sum_columns",
                                                          .threads = of_lines,
                                                          .parameters = {memory_out, count}});
}

std::size_t unit_templates::traffic_bytes() const {
  const std::size_t real_bytes = real_ == precision::fp64 ? sizeof(double) : sizeof(float);
  const std::size_t values = height_ * width_, table = (height_ + 1) * (width_ + 1);
  const std::size_t scaled = 2 * values;
  if (!has_rim_) return scaled * real_bytes;
  const std::size_t rows = values + table;
  const std::size_t columns = scale_ == nullptr ? 0 : 2 * table;  // the host sums both at once
  return (scaled + rows + columns) * real_bytes;
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
  scale_->enqueue(on, count, {templates, out});
  if (!has_rim_) return;
  const std::size_t of_lines = threads_of(on, lines_of_workgroup);
  const auto workgroups = [&](std::size_t lines) { return (lines + of_lines - 1) / of_lines; };
  const auto number = static_cast<unsigned>(count);
  sum_rows_->enqueue(on, workgroups(count * (height_ + 1)), {out, rim, number});
  sum_columns_->enqueue(on, workgroups(count * (width_ + 1)), {rim, number});
}

}  // namespace wingbeat::convolving
