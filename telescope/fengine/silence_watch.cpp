// SPDX-License-Identifier: Apache-2.0
#include "fengine/silence_watch.hpp"

#include <algorithm>  // all_of, any_of, max

#include "text/formatted.hpp"  // formatted

namespace wingbeat::fengine {
namespace {

constexpr std::chrono::milliseconds settling{500};

}  // namespace

silence_watch::silence_watch(std::size_t n_pols, double limit_s)
    : polarisations_(n_pols), limit_s_(limit_s) {}

std::vector<silence_change> silence_watch::look(std::span<const double> ages_s,
                                                clock::time_point time) {
  for (std::size_t pol = 0; pol < polarisations_.size(); ++pol) {
    polarisation& each = polarisations_[pol];
    each.is_silent = ages_s[pol] > limit_s_;
    if (each.is_silent) each.silence_s = ages_s[pol];
  }
  const auto differs = [](const polarisation& p) { return p.is_silent != p.is_reported; };
  const bool had_change = has_change_;
  has_change_ = std::any_of(polarisations_.begin(), polarisations_.end(), differs);
  if (!has_change_) return {};
  if (!had_change) changed_at_ = time;
  const bool is_shared = std::all_of(polarisations_.begin(), polarisations_.end(), [&](auto& p) {
    return p.is_silent == polarisations_.front().is_silent;
  });
  if (!is_shared && time - changed_at_ < settling) return {};
  std::vector<silence_change> changes;
  for (const bool is_silent : {true, false}) {
    const auto pols = changed(is_silent);
    if (pols.empty()) continue;
    double silence_s = 0;
    for (const std::size_t pol : pols)
      silence_s = std::max(silence_s, polarisations_[pol].silence_s);
    const std::string names = names_of(pols);
    changes.push_back(
        {is_silent, is_silent
                        ? formatted("no samples{} for {:.1f} s", names, silence_s)
                        : formatted("samples{} arrive again, after {:.1f} s", names, silence_s)});
  }
  for (polarisation& each : polarisations_) each.is_reported = each.is_silent;
  has_change_ = false;
  return changes;
}

/// Returns the polarisations that have become silent, or not silent, since the last report.
std::vector<std::size_t> silence_watch::changed(bool is_silent) const {
  std::vector<std::size_t> pols;
  for (std::size_t pol = 0; pol < polarisations_.size(); ++pol) {
    const polarisation& each = polarisations_[pol];
    if (each.is_silent == is_silent && each.is_reported != is_silent) pols.push_back(pol);
  }
  return pols;
}

/// Returns " of polarisation 1", or nothing if all are meant.
std::string silence_watch::names_of(const std::vector<std::size_t>& pols) const {
  return pols.size() == polarisations_.size() ? "" : formatted(" of polarisation {}", pols.front());
}

}  // namespace wingbeat::fengine
