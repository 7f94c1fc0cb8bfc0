// SPDX-License-Identifier: Apache-2.0
// The options that describe problems of `bench` and `plan`: lengths, kind, layout, batch.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <vector>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// The options as given on the command line.
struct sweep_options {
  std::string lengths = "2^1..2^13";
  std::string kind = "c2c";
  std::string precision = "fp32";
  std::string layout = "packed";
  std::string bins = "natural";
  std::string device = {};                ///< Empty: the best one.
  std::optional<std::size_t> batch = {};  ///< Unset: as many as fill `mib`.
  std::optional<std::size_t> mib = {};    ///< Unset: 4096 on a GPU, 64 elsewhere.
};

/// Adds --lengths, --kind, --precision, --layout, --bins, --batch, --mib, and --device or --engine.
void add_sweep_options(CLI::App& command, sweep_options& into);

/// Returns the device that the options name. Throws as `choose_devices` does, and
/// `plan_error` for "all".
[[nodiscard]] device_info device_of(const sweep_options& options);

/// Returns one request for each length, in the order given. Throws `plan_error` for unknown words
/// of length, kind, precision, layout or order of bins, for a length above `max_length`, for kinds
/// of another number of axes, and for a planar layout of reals. The engine refuses other requests
/// when it plans.
[[nodiscard]] std::vector<plan_spec> problems_of(const sweep_options& options,
                                                 const device_info& device);

/// Returns "4096x4096", or "256" for one axis.
[[nodiscard]] std::string axes_text(const plan_spec& spec);

/// Returns the options as a command line, for documents.
[[nodiscard]] std::string words_of(const sweep_options& options, const device_info& device);

}  // namespace wingbeat::cli
