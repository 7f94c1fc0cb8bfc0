// SPDX-License-Identifier: Apache-2.0
// The last minutes of spectra: which rows are kept, in which bytes, and how many.
#include "control/spectrum_history.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace {

using namespace wingbeat::control;
using nlohmann::json;

monitored_spectrum spectrum_of(std::uint64_t sequence, std::vector<double> power_db,
                               std::size_t pol = 0) {
  monitored_spectrum spectrum;
  spectrum.stream = "wide";
  spectrum.pol = pol;
  spectrum.sequence = sequence;
  spectrum.power_db = std::move(power_db);
  return spectrum;
}

json rows_of(const spectrum_history& history, std::uint64_t after = 0, std::size_t i = 0) {
  return json::parse(history.json(after, 0)).at("waterfalls").at(i).at("rows");
}

TEST(spectrum_history, keeps_half_decibels_below_the_peak) {
  spectrum_history history;
  const float none = -std::numeric_limits<double>::infinity();
  history.add({spectrum_of(1, {-20.0F, -20.5F, -30.25F, -147.0F, -200.0F, none})}, 3.5);
  const json row = rows_of(history).at(0);
  EXPECT_EQ(row["time_s"], 3.5);
  EXPECT_EQ(row["top_db"], -20.0);
  EXPECT_EQ(row["levels"], "fffeeb010000");
}

TEST(spectrum_history, keeps_the_strongest_channel_of_a_group) {
  std::vector<double> power_db(2 * spectrum_history::max_points, -60.0);
  power_db[101] = -10.0;
  spectrum_history history;
  history.add({spectrum_of(1, power_db)}, 0);
  const std::string levels = rows_of(history).at(0).at("levels");
  ASSERT_EQ(levels.size(), 2 * spectrum_history::max_points);
  EXPECT_EQ(levels.find("ff"), 2 * 50U);
  EXPECT_EQ(levels.find("ff", 102), std::string::npos);
}

TEST(spectrum_history, is_bounded_and_takes_each_spectrum_once) {
  spectrum_history history;
  for (std::uint64_t n = 1; n <= spectrum_history::max_rows + 40; ++n) {
    for (int again = 0; again < 2; ++again) {
      history.add({spectrum_of(n, {0.0F}), spectrum_of(n, {0.0F}, 1)}, static_cast<double>(n));
    }
  }
  EXPECT_EQ(history.last(), 2 * (spectrum_history::max_rows + 40));
  for (std::size_t pol = 0; pol < 2; ++pol) {
    const json rows = rows_of(history, 0, pol);
    ASSERT_EQ(rows.size(), spectrum_history::max_rows);
    EXPECT_EQ(rows.front().at("time_s"), 41.0);
    EXPECT_EQ(rows_of(history, history.last() - 4, pol).size(), 2U);
    EXPECT_TRUE(rows_of(history, history.last(), pol).empty());
  }
}

}  // namespace
