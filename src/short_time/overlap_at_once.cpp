// SPDX-License-Identifier: Apache-2.0
// The inverse of frames in one launch: device/functors/overlap_rows.hpp.
#include <algorithm>  // clamp, max
#include <utility>    // move

#include "kernel_text/constants.hpp"                  // assignments
#include "kernel_text/functor_text.hpp"               // type_name
#include "kernel_text/kernel_body.hpp"                // kernel_body
#include "planner/roots.hpp"                          // table_of
#include "programs/launched.hpp"                      // launched
#include "request/validation.hpp"                     // validated
#include "short_time/placement.hpp"                   // overlaps_in
#include "short_time/programs.hpp"                    // short_time_programs
#include "short_time/tables.hpp"                      // phase_of
#include "text/formatted.hpp"                         // formatted
#include "tuning/compiled_engines.hpp"                // compiles_kernels
#include "wingbeat/device/functors/overlap_rows.hpp"  // overlap_rows_numbers

namespace wingbeat::short_times {

namespace functors = device::functors;
using device::complex;
using programs::program;

template <class Real>
bool short_time_programs::add_overlap_of(program& steps) const {
  const auto part = engine_.realise(on_, request::validated(inverse_of_frames(), on_->device()));
  const planner::pass* const only =
      part->steps.size() == 1 ? part->steps.front().launch() : nullptr;
  if (only == nullptr || only->shape().makes != device::grid::body::real_row) return false;
  functors::overlap_rows_numbers<Real> numbers{overlaps_in(spec_, true)};
  numbers.shape = only->shape();
  numbers.batch = spec_.batch;
  numbers.scale = 1 / (spec_.scale * static_cast<double>(spec_.n_fft));
  if (!numbers.have_steps()) return false;
  numbers.at_once = frames_of_run(numbers.overlapping(), numbers.shape.lanes);
  const std::size_t runs = spec_.batch * numbers.runs();
  const kernel_text::kernel_body body{
      .header = "wingbeat/device/functors/overlap_rows.hpp",
      .type = "functors::overlap_rows",
      .numbers_type =
          formatted("functors::overlap_rows_numbers<{}>", kernel_text::type_name(spec_.real())),
      .constants = kernel_text::assignments(numbers),
      .entry = "overlap_rows",
      .threads = numbers.shape.threads(),
      .scratch_bytes = numbers.shape.exchange_bytes()};
  programs::kernel_launch launch = programs::launched(
      body,
      {programs::input<complex<Real>>(place::input),
       programs::input<Real>(load_sources(true, false).front()),
       programs::input<complex<Real>>(programs::constant{planner::table_of<Real>(only->numbers)}),
       programs::output<Real>(place::output)},
      (runs + numbers.shape.lanes - 1) / numbers.shape.lanes,
      formatted("inverse transforms of frames and their sums in one launch: {} runs of {} "
                "frames, {} threads, {} bytes of local memory",
                runs, numbers.at_once, body.threads, body.scratch_bytes));
  launch.traffic_bytes = bin_bytes_ + spec_.batch * spec_.length * sizeof(Real);
  steps.add(std::move(launch));
  return true;
}

bool short_time_programs::add_overlap_at_once(program& steps) const {
  if (!compiles_kernels(on_->device().runs_on) || spec_.is_complex() || phase_of(spec_) != 0) {
    return false;
  }
  return spec_.real() == precision::fp64 ? add_overlap_of<double>(steps)
                                         : add_overlap_of<float>(steps);
}

std::size_t short_time_programs::frames_of_run(std::size_t overlapping, std::size_t lanes) const {
  // Each run begins with frames that another has, which one part in eight may take; and the last
  // workgroups of a launch leave a multiprocessor waiting, which counts less if there are many.
  constexpr std::size_t workgroups_of_unit = 16;
  const std::size_t units = std::max<std::size_t>(on_->device().compute_units, 1);
  const std::size_t even = n_frames_ / (workgroups_of_unit * units * lanes);
  return std::clamp<std::size_t>(even, 8 * std::max<std::size_t>(overlapping, 1), 256);
}

}  // namespace wingbeat::short_times
