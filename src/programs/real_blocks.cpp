// SPDX-License-Identifier: Apache-2.0
#include "programs/real_blocks.hpp"

#include <algorithm>  // max
#include <cstdint>    // uint64_t
#include <limits>
#include <string>
#include <vector>

#include "arrays/array.hpp"                          // array, bytes_of_real
#include "arrays/order.hpp"                          // common_precision
#include "kernel_text/constants.hpp"                 // assignment, assignments
#include "kernel_text/functor_text.hpp"              // type_name
#include "kernel_text/kernel_body.hpp"               // kernel_body, kernel_of
#include "programs/line_functors.hpp"                // line_numbers, lines_of
#include "request/matrix_of_reals.hpp"               // matrix_of_reals
#include "text/formatted.hpp"                        // formatted, joined
#include "wingbeat/device/functors/real_blocks.hpp"  // block_shape

namespace wingbeat::programs {
namespace {

using device::functors::block_shape;

/// Longest axis: 16 takes 40 instructions per real of the 56 for which an H200 has time while it
/// copies one. For 24, compilers put the matrices in memory.
constexpr std::size_t longest = 16;
constexpr unsigned threads_of_workgroup = 128;

std::string assignments_of(std::string_view name, const request::matrix_of_reals& matrix) {
  std::string text =
      kernel_text::assignment(formatted("{}.is_reversed", name), matrix.terms.front() != 0);
  for (std::size_t i = 0; i < matrix.factors.size(); ++i) {
    text += kernel_text::assignment(formatted("{}.factors[{}]", name, i),
                                    static_cast<double>(matrix.factors[i]));
  }
  return text;
}

block_shape shape_of(const plan_spec& spec) {
  const auto rows = static_cast<unsigned>(spec.lengths[0]);
  const auto columns = static_cast<unsigned>(spec.lengths[1]);
  return {rows, columns, std::max(threads_of_workgroup / std::max(rows, columns), 1U)};
}

bool is_small(const plan_spec& spec) {
  return spec.lengths.size() == 2 && std::max(spec.lengths[0], spec.lengths[1]) <= longest;
}

bool has_functors(const plan_spec& spec) {
  return spec.load.is_given() || spec.store.is_given() || spec.multiplier.is_given();
}

std::string constants_of(const request::resolved_spec& request, const block_shape& shape) {
  const plan_spec& spec = request.spec;
  const auto matrix_of = [&](std::size_t axis, long double scale) {
    return request::matrix_of_reals{request.kind_of_axis(axis), spec.lengths[axis],
                                    spec.orthogonalize, scale};
  };
  const std::vector<index_range> whole{{0, shape.rows}, {0, shape.columns}};
  return kernel_text::assignments(lines_of(request.in, 1, whole), "in.") +
         kernel_text::assignments(lines_of(request.out, 0, whole), "out.") +
         assignments_of("of_rows", matrix_of(1, 1)) +
         assignments_of("of_columns", matrix_of(0, request::factor_of(spec)));
}

}  // namespace

std::optional<program> program_of_blocks(const request::resolved_spec& request,
                                         const device_info& device) {
  const plan_spec& spec = request.spec;
  if (!is_small(spec) || has_functors(spec)) return std::nullopt;
  if (!request.in.is_whole() || !request.out.is_whole()) return std::nullopt;
  const bool is_wide = arrays::common_precision(spec) == precision::fp64;
  const block_shape shape = shape_of(spec);
  const unsigned threads = shape.threads();
  const unsigned scratch_bytes = shape.scratch_bytes(is_wide ? sizeof(double) : sizeof(float));
  if (threads > device.max_workgroup || scratch_bytes > device.local_memory_bytes) {
    return std::nullopt;
  }
  const std::size_t count = spec.batch;
  kernel_launch launch{
      .workgroups = (count + shape.blocks - 1) / shape.blocks,
      .traffic_bytes = request.moved_in() + request.moved_out(),
      .description = formatted("{} x {} of {} reals by matrices, in one launch: {} planes a "
                               "workgroup, {} threads, {} bytes of local memory",
                               request.kind_of_axis(0).name, request.kind_of_axis(1).name,
                               joined(spec.lengths, "x"), shape.blocks, threads, scratch_bytes)};
  if (launch.workgroups > std::numeric_limits<int>::max()) return std::nullopt;
  const precision real = is_wide ? precision::fp64 : precision::fp32;
  const kernel_text::kernel_body body{
      .header = "wingbeat/device/functors/real_blocks.hpp",
      .type = "functors::real_blocks",
      .numbers_type = formatted(
          "functors::block_numbers<{}, {}, {}, {}, {}, {}>", kernel_text::type_name(real),
          kernel_text::type_name(request.in.stored), kernel_text::type_name(request.out.stored),
          shape.rows, shape.columns, shape.blocks),
      .constants = constants_of(request, shape),
      .entry = "transform_blocks",
      .threads = threads,
      .scratch_bytes = scratch_bytes};
  launch.kernel =
      kernel_text::kernel_of(body, {kernel_parameter::input(bytes_of_real(request.in.stored)),
                                    kernel_parameter::output(bytes_of_real(request.out.stored)),
                                    kernel_parameter::value<std::uint64_t>()});
  launch.arguments = {place::input, place::output, std::uint64_t{count}};
  program result;
  result.add(std::move(launch));
  return result;
}

}  // namespace wingbeat::programs
