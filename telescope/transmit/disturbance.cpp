// SPDX-License-Identifier: Apache-2.0
#include "transmit/disturbance.hpp"

#include <algorithm>  // max, min
#include <utility>    // swap

#include "text/reject.hpp"  // reject

namespace wingbeat::transmit {
namespace {

std::mt19937_64 generator(std::uint64_t seed, std::size_t polarisation, unsigned purpose) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(polarisation), purpose};
  return std::mt19937_64(words);
}

/// Returns true with this probability; the same sequence on every machine.
bool happens(std::mt19937_64& random, double probability) {
  return static_cast<double>(random() >> 11) * 0x1p-53 < probability;
}

}  // namespace

void check(const disturbance_spec& spec) {
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  reject_if(!is_share(spec.drop) || !is_share(spec.duplicate),
            "shares of {} packets to drop and {} to send twice were given; give "
            "0 to 1",
            spec.drop, spec.duplicate);
  reject_if(spec.drop_burst == 0 || spec.reorder == 0,
            "bursts of {} dropped packets and blocks of {} shuffled ones were given; give 1 "
            "or more",
            spec.drop_burst, spec.reorder);
}

disturbance::disturbance(const disturbance_spec& spec, std::size_t polarisation)
    : spec_(spec),
      drops_(generator(spec.seed, polarisation, 0)),
      duplicates_(generator(spec.seed, polarisation, 1)),
      orders_(generator(spec.seed, polarisation, 2)) {
  check(spec);
  const bool loses = !spec.drop_polarisation || *spec.drop_polarisation == polarisation;
  // Bursts have N packets, with (1 - p)/p packets between them on average, so that the fraction
  // N/(N + (1 - p)/p) of all packets is dropped.
  const double n = static_cast<double>(spec.drop_burst);
  if (loses && spec.drop > 0) {
    begin_probability_ = spec.drop / (spec.drop + n * (1 - spec.drop));
  }
}

bool disturbance::drops() {
  if (n_to_drop_ == 0 && begin_probability_ > 0 && happens(drops_, begin_probability_)) {
    n_to_drop_ = spec_.drop_burst;
  }
  if (n_to_drop_ == 0) return false;
  --n_to_drop_;
  return true;
}

void disturbance::apply(std::uint64_t first, std::size_t count, std::vector<std::uint64_t>& order) {
  order.clear();
  for (std::uint64_t index = first; index < first + count; ++index) {
    if (drops()) {
      ++counts_.dropped;
      continue;
    }
    order.push_back(index);
    if (spec_.duplicate > 0 && happens(duplicates_, spec_.duplicate)) {
      order.push_back(index);
      ++counts_.duplicated;
    }
  }
  if (spec_.reorder > 1) shuffle(order);
}

void disturbance::shuffle(std::vector<std::uint64_t>& order) {
  for (std::size_t begin = 0; begin < order.size(); begin += spec_.reorder) {
    const std::size_t count = std::min(spec_.reorder, order.size() - begin);
    for (std::size_t i = count; i > 1; --i) {
      std::swap(order[begin + i - 1], order[begin + orders_() % i]);
    }
  }
  std::uint64_t latest = 0;
  for (const std::uint64_t index : order) {
    counts_.reordered += index < latest;
    latest = std::max(latest, index);
  }
}

}  // namespace wingbeat::transmit
