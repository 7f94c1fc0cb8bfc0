// SPDX-License-Identifier: Apache-2.0
// Long convolutions whose rows are products of matrices: device/tensor/convolve.hpp.
#include <complex>
#include <utility>  // move

#include "convolving/long_program.hpp"         // long_programs
#include "convolving/tensor_table.hpp"         // tensor_table
#include "functors/stored_number.hpp"          // with_stored
#include "kernel_text/constants.hpp"           // assignments
#include "kernel_text/functor_text.hpp"        // type_name
#include "kernel_text/kernel_body.hpp"         // kernel_body
#include "programs/launched.hpp"               // launched
#include "text/formatted.hpp"                  // formatted
#include "wingbeat/device/tensor/numbers.hpp"  // convolution_numbers
#include "wingbeat/device/tensor/spectra.hpp"  // spectra_numbers

namespace wingbeat::convolving {
namespace {

namespace tensor = device::tensor;

/// Returns the rows that a workgroup takes at once, for a half of the loads of matrices: two, if
/// its registers and its local memory suffice.
unsigned rows_at_once(unsigned outer, std::size_t rows) {
  return outer <= 32 && rows > 1 ? 2 : 1;
}

}  // namespace

programs::program long_programs::prepare_tensor() const {
  program_builder steps{on_, engine_, precision::fp32, pairing::pairwise};
  const std::size_t points = row_.row();
  plan_spec kernels = kernel_rows(std::nullopt);
  kernels.lengths = {points};
  kernels.valid_in = {{0, row_.taps}};
  const place bins = steps.workspace_beside(place::input, spec_.channels * points);
  steps.add(kernels, {place::input, bins});
  programs::program result = steps.take();
  const tensor::spectra_numbers numbers{
      .channels = spec_.channels, .outer = row_.outer, .origin = row_.origin};
  const kernel_text::kernel_body body{.header = "wingbeat/device/tensor/spectra.hpp",
                                      .type = "tensor::spectra",
                                      .numbers_type = "tensor::spectra_numbers",
                                      .constants = kernel_text::assignments(numbers),
                                      .entry = "tensor_spectra",
                                      .threads = numbers.threads,
                                      .scratch_bytes = numbers.local_bytes()};
  programs::kernel_launch launch = programs::launched(
      body,
      {programs::input<std::complex<float>>(bins), programs::output<tensor::quad>(place::filter)},
      spec_.channels,
      formatted("{} spectra of {} bins, scaled and rounded to fp16", spec_.channels, points));
  launch.traffic_bytes = 12 * spec_.channels * points;
  result.add(std::move(launch));
  return result;
}

programs::program long_programs::run_tensor(bool is_gradient) const {
  return with_stored<float>(spec_.stored, [&](auto number) {
    using stored = decltype(number);
    tensor::convolution_numbers<stored> numbers;
    numbers.length = spec_.length;
    numbers.channels = spec_.channels;
    numbers.batch = spec_.batch;
    numbers.are_alone = !spec_.is_paired;
    numbers.is_ragged = spec_.is_ragged;
    numbers.has_gate_before = is_gradient ? spec_.has_gate_after : spec_.has_gate_before;
    numbers.has_gate_after = is_gradient ? spec_.has_gate_before : spec_.has_gate_after;
    numbers.conjugates = is_gradient;
    numbers.outer = row_.outer;
    numbers.at_once = rows_at_once(row_.outer, numbers.rows_of_channel());
    const std::string type = kernel_text::type_name(typeid(stored).name());
    const kernel_text::kernel_body body{
        .header = "wingbeat/device/tensor/convolve.hpp",
        .type = "tensor::convolve",
        .numbers_type = formatted("tensor::convolution_numbers<{}>", type),
        .constants = kernel_text::assignments(numbers),
        .entry = "tensor_convolve",
        .threads = numbers.threads(),
        .resident = 512 / numbers.threads(),
        .scratch_bytes = numbers.local_bytes()};
    // Operands are the gate before, the gate after and the lengths, those that the spec has; the
    // others are not read.
    const auto operand = [&](std::size_t number_of, bool is_there) {
      return is_there ? programs::argument_source{programs::run_operand{number_of}}
                      : programs::argument_source{place::input};
    };
    const std::size_t after = spec_.has_gate_before ? 1 : 0;
    auto first = operand(0, spec_.has_gate_before), second = operand(after, spec_.has_gate_after);
    if (is_gradient) std::swap(first, second);
    programs::kernel_launch launch = programs::launched(
        body,
        {programs::input<stored>(place::input), programs::input<tensor::quad>(place::filter),
         programs::input<tensor::quad>(programs::constant{tensor_table(row_.outer)}),
         programs::output<stored>(place::output), programs::input<stored>(first),
         programs::input<stored>(second),
         programs::input<std::uint32_t>(operand(n_gates(), spec_.is_ragged))},
        spec_.channels * numbers.groups(),
        formatted("rows of {} convolved on tensor cores: fp16 products summed in fp32, {} at "
                  "once, {} threads, {} bytes of local memory",
                  row_.row(), numbers.at_once, body.threads, body.scratch_bytes));
    launch.traffic_bytes = (2 + n_gates()) * signal_bytes(spec_) + spectra_bytes(spec_, row_);
    programs::program result;
    result.add(std::move(launch));
    return result;
  });
}

}  // namespace wingbeat::convolving
