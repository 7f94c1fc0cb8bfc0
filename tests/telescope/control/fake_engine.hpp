// SPDX-License-Identifier: Apache-2.0
// An engine that remembers what it is told, and counts steady-state timestamps.
#pragma once

#include <atomic>
#include <complex>
#include <vector>

#include "control/engine_control.hpp"
#include "control/monitor.hpp"

namespace wingbeat::test {

class fake_engine final : public control::engine_control, public control::engine_monitor {
 public:
  using gain_list = std::vector<std::complex<float>>;

  struct set_of_delays {
    std::size_t stream = 0;
    double start_s = 0.0;
    std::vector<control::delay_setting> delays{};
  };

  [[nodiscard]] std::span<const control::stream_info> streams() const override { return streams_; }
  [[nodiscard]] std::size_t n_pols() const override { return 2; }
  [[nodiscard]] double sync_time_s() const override { return 1.6e9; }
  [[nodiscard]] std::complex<float> default_gain(std::size_t) const override {
    return {2.5f, 0.0f};
  }

  [[nodiscard]] gain_list gains(std::size_t stream, std::size_t pol) const override {
    return gains_[stream][pol];
  }

  std::int64_t set_gains(std::size_t stream, std::optional<std::size_t> pol,
                         std::span<const std::complex<float>> gains) override {
    for (std::size_t p = 0; p < 2; ++p) {
      if (!pol || *pol == p) gains_[stream][p].assign(gains.begin(), gains.end());
    }
    ++n_changes;
    return steady_state += 1000;
  }

  std::int64_t set_delays(std::size_t stream, double start_s,
                          std::span<const control::delay_setting> delays) override {
    last_delays = {stream, start_s, {delays.begin(), delays.end()}};
    ++n_changes;
    return steady_state += 1000;
  }

  [[nodiscard]] control::monitor_snapshot snapshot() const override {
    control::monitor_snapshot shown;
    ++n_snapshots;
    shown.title = "fake <engine>";
    for (std::size_t pol = 0; pol < 2; ++pol) {
      control::monitored_spectrum spectrum{"wideband", pol, 7, 1e9, 1e6, {}};
      spectrum.units = "dBFS";
      for (int k = 0; k < 64; ++k) spectrum.power_db.push_back(k - 80.0);
      spectrum.power_db[5] = -std::numeric_limits<double>::infinity();
      shown.spectra.push_back(spectrum);
      shown.levels.push_back({"wideband, pol", -20.5, "dBFS", 2.0});
      shown.gains.push_back({"wideband", pol, 0.5, 2.0});
      shown.delays.push_back({"wideband", pol, 1e-9, 1e-12, 0.5, -0.25});
    }
    shown.rates = {{"received, pol 0", 17.12, "Gb/s"}};
    shown.losses = {{"heaps missing", 0.0}, {"heaps skipped", 3.0}};
    shown.states = {{"temperature", 61.0, "°C"}};
    return shown;
  }

  int n_changes = 0;
  mutable std::atomic<int> n_snapshots = 0;
  std::int64_t steady_state = 0;
  set_of_delays last_delays;

 private:
  std::vector<control::stream_info> streams_{{"wideband", 8}, {"narrow", 4}};
  std::vector<std::vector<gain_list>> gains_{{gain_list(8, 1.0f), gain_list(8, 1.0f)},
                                             {gain_list(4, 1.0f), gain_list(4, 1.0f)}};
};

}  // namespace wingbeat::test
