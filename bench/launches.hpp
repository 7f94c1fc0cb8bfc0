// SPDX-License-Identifier: Apache-2.0
// The launches of a convolution, timed one by one and together.
#pragma once

#include <span>

#include "bench/question.hpp"
#include "convolving/program.hpp"         // geometry_of, running_program
#include "programs/prepared_program.hpp"  // prepared_program

namespace wingbeat::bench {

/// The launches of one run as separate runs.
class launches {
 public:
  /// For `count` signals, each convolved with one spectrum.
  launches(const queue& on, const convolution_spec& spec, std::size_t count,
           const backend::run& given, std::vector<kernel_argument> store = {})
      : on_(on),
        geometry_(convolving::geometry_of(spec)),
        steps_{backend::engine_of(on.device().runs_on), on.impl(),
               convolving::running_program(on.impl(), {spec, geometry_, count, 1})},
        scratch_{on, std::max<std::size_t>(steps_.program().workspace_bytes(), 16)},
        store_(std::move(store)),
        run_(given) {
    run_.workspace = scratch_.view();
    run_.store = store_;
  }

  void add(std::vector<measure::timed_run>& runs) const {
    for (std::size_t i = 0; i < steps_.program().steps.size(); ++i) {
      runs.push_back(measure::queued_run(on_, "launch",
                                         [this, i] { steps_.enqueue_step(*on_.impl(), run_, i); }));
    }
  }

  void report(std::span<const measure::timed_run> runs, json& row) const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      row["launches_us"].push_back(1e6 * runs[i].median_s());
      row["launches_bytes"].push_back(steps_.program().steps[i].traffic_bytes());
      row["launches_registers"].push_back(steps_.resources()[i].registers);
    }
  }

 private:
  queue on_;
  std::vector<convolving::axis_geometry> geometry_;
  programs::prepared_program steps_;
  buffer scratch_;
  std::vector<kernel_argument> store_;
  backend::run run_;
};

}  // namespace wingbeat::bench
