// SPDX-License-Identifier: Apache-2.0
// Each strategy on sequences of updates at times of our choosing: what is sent, and when.
#include "control/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace wingbeat::control;

sensor_spec integer_sensor() {
  return {.name = "count", .kind = sensor_kind::integer};
}

/// Runs a sampler through a list of updates in virtual time, and notes what it sends.
class trial {
 public:
  trial(const sensor_spec& spec, std::string_view strategy, std::vector<std::string> parameters)
      : sampler_(sampling(spec, strategy, parameters), latest_, 0.0) {}

  trial& at(double now_s, std::int64_t value, sensor_status status = sensor_status::nominal) {
    expire_until(now_s);
    latest_ = {now_s, status, value, latest_.sequence + 1};
    if (sampler_.update(latest_, now_s)) note(now_s);
    return *this;
  }

  std::vector<std::string> until(double end_s) {
    expire_until(end_s);
    return sent_;
  }

 private:
  void expire_until(double now_s) {
    while (sampler_.deadline_s() && *sampler_.deadline_s() <= now_s) {
      const double due_s = *sampler_.deadline_s();
      if (sampler_.expire(latest_, due_s)) note(due_s);
    }
  }

  void note(double now_s) { sent_.push_back(text_of(now_s) + ":" + text_of(latest_.value)); }

  reading latest_{0.0, sensor_status::nominal, std::int64_t{0}, 1};
  sampler sampler_;
  std::vector<std::string> sent_;
};

using sent = std::vector<std::string>;
using words = std::vector<std::string>;

TEST(sampling, none_sends_nothing) {
  EXPECT_EQ(trial(integer_sensor(), "none", {}).at(1, 5).until(100), sent{});
}

TEST(sampling, automatic_sends_each_update) {
  EXPECT_EQ(trial(integer_sensor(), "auto", {}).at(1, 5).at(1, 5).at(2, 6).until(100),
            (sent{"1.0:5", "1.0:5", "2.0:6"}));
}

TEST(sampling, automatic_of_a_fast_sensor_keeps_its_period) {
  sensor_spec spec = integer_sensor();
  spec.auto_period_s = 1.0;
  EXPECT_EQ(trial(spec, "auto", {}).at(0.25, 1).at(0.5, 2).at(0.75, 3).at(1.5, 4).at(4, 5).until(9),
            (sent{"1.0:3", "2.0:4", "4.0:5"}));
}

TEST(sampling, period_sends_changed_or_not) {
  EXPECT_EQ(trial(integer_sensor(), "period", {"2"}).at(1, 5).at(3, 6).until(7),
            (sent{"2.0:5", "4.0:6", "6.0:6"}));
}

TEST(sampling, event_sends_changes_of_value_and_status) {
  EXPECT_EQ(trial(integer_sensor(), "event", {})
                .at(1, 0)
                .at(2, 1)
                .at(3, 1)
                .at(4, 1, sensor_status::warn)
                .at(5, 0)
                .until(100),
            (sent{"2.0:1", "4.0:1", "5.0:0"}));
}

TEST(sampling, differential_compares_with_what_was_sent) {
  EXPECT_EQ(trial(integer_sensor(), "differential", {"2"})
                .at(1, 2)
                .at(2, 3)
                .at(3, 4)
                .at(4, 1)
                .at(5, 0)
                .at(6, 0, sensor_status::error)
                .until(100),
            (sent{"2.0:3", "5.0:0", "6.0:0"}));
}

TEST(sampling, event_rate_lies_between_shortest_and_longest) {
  EXPECT_EQ(trial(integer_sensor(), "event-rate", {"1", "4"})
                .at(0.5, 1)
                .at(0.75, 2)
                .at(3, 2)
                .at(6, 3)
                .until(11),
            (sent{"1.0:2", "5.0:2", "6.0:3", "10.0:3"}));
}

TEST(sampling, differential_rate_lies_between_shortest_and_longest) {
  EXPECT_EQ(trial(integer_sensor(), "differential-rate", {"5", "1", "4"})
                .at(0.5, 5)
                .at(0.75, 6)
                .at(2, 9)
                .until(6),
            (sent{"1.0:6", "5.0:9"}));
}

TEST(sampling, infinite_longest_time_means_never) {
  EXPECT_EQ(trial(integer_sensor(), "event-rate", {"1", "inf"}).at(0.5, 1).until(1e6),
            sent{"1.0:1"});
}

TEST(sampling, sends_no_older_reading_than_the_last) {
  const reading first{0.0, sensor_status::nominal, std::int64_t{7}, 10};
  sampler sampler(sampling(integer_sensor(), "event", {}), first, 0.0);
  EXPECT_FALSE(sampler.update({0.0, sensor_status::nominal, std::int64_t{6}, 9}, 0.1));
  EXPECT_TRUE(sampler.update({0.0, sensor_status::nominal, std::int64_t{8}, 11}, 0.1));
}

TEST(sampling, compares_large_integers_exactly) {
  constexpr std::int64_t large = std::int64_t{1} << 60;
  const reading first{0.0, sensor_status::nominal, large, 1};
  sampler sampler(sampling(integer_sensor(), "differential", words{"1"}), first, 0.0);
  EXPECT_FALSE(sampler.update({0.0, sensor_status::nominal, large + 1, 2}, 0.1));
  EXPECT_TRUE(sampler.update({0.0, sensor_status::nominal, large + 2, 3}, 0.1));
}

TEST(sampling, nan_is_a_change_once) {
  const sensor_spec spec{.name = "level", .kind = sensor_kind::real};
  for (const auto& [name, parameters] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"event", {}},
                                                                     {"differential", {"1"}}}) {
    sampler sampler(sampling(spec, name, parameters), {0.0, sensor_status::nominal, 1.0, 1}, 0.0);
    EXPECT_TRUE(sampler.update({0.0, sensor_status::nominal, NAN, 2}, 0.1)) << name;
    EXPECT_FALSE(sampler.update({0.0, sensor_status::nominal, NAN, 3}, 0.2)) << name;
    EXPECT_TRUE(sampler.update({0.0, sensor_status::nominal, 1.0, 4}, 0.3)) << name;
  }
}

TEST(sampling, a_late_server_does_not_send_the_periods_it_missed) {
  const reading first{0.0, sensor_status::nominal, std::int64_t{7}, 10};
  sampler sampler(sampling(integer_sensor(), "period", words{"1"}), first, 0.0);
  EXPECT_TRUE(sampler.expire(first, 10.5));
  EXPECT_FALSE(sampler.expire(first, 10.6));
  EXPECT_TRUE(sampler.expire(first, 11.5));
}

TEST(sampling, refuses_wrong_parameters) {
  const sensor_spec text{.name = "text", .kind = sensor_kind::string};
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {"sometimes", {}},
      {"", {}},
      {"auto", {"1"}},
      {"period", {}},
      {"period", {"x"}},
      {"period", {"-1"}},
      {"period", {"0"}},
      {"period", {"1e-9"}},
      {"period", {"nan"}},
      {"period", {"inf"}},
      {"event", {"1"}},
      {"differential", {}},
      {"differential", {"-1"}},
      {"differential", {"x"}},
      {"event-rate", {"1"}},
      {"event-rate", {"2", "1"}},
      {"event-rate", {"0", "0"}},
      {"event-rate", {"inf", "inf"}},
      {"differential-rate", {"1", "1"}},
      {"differential-rate", {"1", "1", "x"}}};
  for (const auto& [name, parameters] : cases) {
    EXPECT_THROW(sampling(integer_sensor(), name, parameters), std::invalid_argument) << name;
  }
  EXPECT_THROW(sampling(text, "differential", words{"1"}), std::invalid_argument);
  EXPECT_NO_THROW(sampling(text, "event", {}));
}

}  // namespace
