// SPDX-License-Identifier: Apache-2.0
// The launches of a convolution, timed one by one beside the whole.
#pragma once

#include <fmt/format.h>

#include <algorithm>  // max
#include <cstddef>    // size_t
#include <nlohmann/json.hpp>
#include <span>
#include <utility>  // move
#include <vector>

#include "backend/backend.hpp"            // run
#include "convolving/program.hpp"         // geometry_of, running_program
#include "measure/rounds.hpp"             // queued_run, timed_run
#include "programs/prepared_program.hpp"  // prepared_program
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::bench {

/// The launches of one run, each by itself.
class launches {
 public:
  /// Of `count` signals, each of which meets one spectrum.
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

  void report(std::span<const measure::timed_run> runs, nlohmann::ordered_json& row) const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double us = 1e6 * runs[i].median_s();
      const auto bytes = static_cast<double>(steps_.program().steps[i].traffic_bytes());
      const kernel_resources takes = steps_.resources()[i];
      fmt::print("  launch {}: {:.1f} us, {:.1f} MB, {:.2f} TB/s, {} registers, {} spilled\n",
                 i + 1, us, bytes / 1e6, bytes / us / 1e6, takes.registers, takes.spill_bytes);
      row["launches"].push_back({{"us", us}, {"bytes", bytes}});
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
