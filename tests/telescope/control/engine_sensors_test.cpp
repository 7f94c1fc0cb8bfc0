// SPDX-License-Identifier: Apache-2.0
// The F-engine's sensors: all names are there, and what silence and missing data do to them.
#include "control/engine_sensors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "control/fake_engine.hpp"

namespace {

using namespace wingbeat::control;
using wingbeat::test::fake_engine;

class engine_sensor : public ::testing::Test {
 protected:
  std::string value(const std::string& name) const {
    return text_of(registry.find(name)->latest().value);
  }
  sensor_status status(const std::string& name) const {
    return registry.find(name)->latest().status;
  }

  fake_engine engine;
  sensor_registry registry;
  engine_sensors sensors{registry, engine.streams(), 2, 1.0};
};

TEST_F(engine_sensor, all_names_are_there) {
  std::set<std::string> expected{"rx.buffer",        "rx.buffer-asked",   "rx.socket-drop-cnt",
                                 "rx.device-status", "device-status",     "steady-state-timestamp",
                                 "time.state",       "time.synchronised", "time.esterror",
                                 "time.maxerror"};
  for (const std::string pol : {"input0.", "input1."}) {
    for (const char* name :
         {"dig-clip-cnt", "dig-rms-dbfs", "rx.timestamp", "rx.unixtime", "rx.missing-unixtime",
          "rx.age", "rx.missing-cnt", "rx.late-cnt", "rx.misaligned-cnt", "rx.duplicate-cnt",
          "rx.implausible-cnt", "rx.engine-late-cnt"}) {
      expected.insert(pol + name);
    }
    for (const std::string stream : {"wideband.", "narrow."}) {
      for (const char* name : {"dither-seed", "tx.skipped-cnt", "tx.failed-cnt"}) {
        expected.insert(stream + name);
      }
      for (const char* name : {"eq", "delay", "feng-clip-cnt"})
        expected.insert(stream + pol + name);
    }
  }
  std::set<std::string> names;
  for (const sensor* sensor : registry.all()) {
    names.insert(sensor->spec().name);
    EXPECT_NE(sensor->spec().description, "") << sensor->spec().name;
  }
  EXPECT_EQ(names, expected);
}

TEST_F(engine_sensor, old_samples_fail_the_device) {
  sensors.set_input_age(0, 0.05, false);
  sensors.refresh();
  EXPECT_EQ(value("rx.device-status"), "ok");
  sensors.set_input_age(1, 1.5, true);
  sensors.refresh();
  EXPECT_EQ(value("input1.rx.age"), "1.5");
  EXPECT_EQ(status("input1.rx.age"), sensor_status::error);
  EXPECT_EQ(value("rx.device-status"), "fail");
}

TEST_F(engine_sensor, short_buffers_are_a_warning) {
  sensors.set_buffers(4096, 4096);
  EXPECT_EQ(status("rx.buffer"), sensor_status::nominal);
  sensors.set_buffers(1 << 27, 1 << 22);
  EXPECT_EQ(value("rx.buffer-asked"), "134217728");
  EXPECT_EQ(value("rx.buffer"), "4194304");
  EXPECT_EQ(status("rx.buffer"), sensor_status::warn);
}

TEST_F(engine_sensor, losses_are_a_warning_while_they_grow) {
  const std::array<std::uint64_t, n_input_losses> none{}, late{0, 3, 0, 0, 0, 7};
  sensors.set_input_losses(1, none);
  EXPECT_EQ(status("input1.rx.late-cnt"), sensor_status::nominal);
  sensors.set_input_losses(1, late);
  sensors.set_socket_drops(2);
  sensors.set_unsent(1, 4, 5);
  EXPECT_EQ(value("input1.rx.late-cnt"), "3");
  EXPECT_EQ(value("input1.rx.engine-late-cnt"), "7");
  EXPECT_EQ(value("input0.rx.late-cnt"), "0");
  EXPECT_EQ(value("rx.socket-drop-cnt"), "2");
  EXPECT_EQ(value("narrow.tx.skipped-cnt"), "4");
  EXPECT_EQ(value("narrow.tx.failed-cnt"), "5");
  sensors.refresh();
  EXPECT_EQ(status("input1.rx.late-cnt"), sensor_status::warn);
  EXPECT_EQ(status("input1.rx.missing-cnt"), sensor_status::nominal);
  sensors.set_input_losses(1, late);
  sensors.refresh(unix_time_s() + 2);
  EXPECT_EQ(status("input1.rx.late-cnt"), sensor_status::nominal);
  EXPECT_EQ(value("input1.rx.late-cnt"), "3");
}

TEST_F(engine_sensor, values_have_their_forms) {
  sensors.set_dither_seed(0, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(value("wideband.dither-seed"), "18446744073709551615");
  sensors.set_delay(1, 0, std::int64_t{1} << 47, {1.5e-9, -2.5e-12, 0.5, 49.0});
  EXPECT_EQ(value("narrow.input0.delay"), "(140737488355328, 1.5e-09, -2.5e-12, 0.5, 49.0)");
  sensors.set_output_clips(0, 1, 12);
  EXPECT_EQ(value("wideband.input1.feng-clip-cnt"), "12");
  sensors.set_input_clips(1, 13);
  EXPECT_EQ(value("input1.dig-clip-cnt"), "13");
}

TEST_F(engine_sensor, level_has_its_thresholds) {
  sensors.set_input_level(0, -20.0, true);
  EXPECT_EQ(status("input0.dig-rms-dbfs"), sensor_status::nominal);
  sensors.set_input_level(0, -5.137518132774, true);
  EXPECT_EQ(status("input0.dig-rms-dbfs"), sensor_status::error);
  sensors.set_input_level(0, -31.0, true);
  EXPECT_EQ(status("input0.dig-rms-dbfs"), sensor_status::warn);
  sensors.set_input_level(0, -20.0, false);
  EXPECT_EQ(status("input0.dig-rms-dbfs"), sensor_status::failure);
}

TEST_F(engine_sensor, silence_is_an_error_until_data_come) {
  sensors.set_received(0, 4096, 1.7e9);
  sensors.set_received(1, 4096, 1.7e9);
  const double now_s = unix_time_s();
  sensors.refresh(now_s);
  EXPECT_EQ(value("rx.device-status"), "ok");
  EXPECT_EQ(value("device-status"), "ok");
  EXPECT_EQ(value("input0.rx.timestamp"), "4096");

  sensors.refresh(now_s + 5.0);
  EXPECT_EQ(status("input1.rx.timestamp"), sensor_status::error);
  EXPECT_EQ(status("input1.rx.unixtime"), sensor_status::error);
  EXPECT_EQ(value("input1.rx.unixtime"), "1700000000.0") << "keeps its value";
  EXPECT_EQ(value("rx.device-status"), "fail");
  EXPECT_EQ(status("rx.device-status"), sensor_status::error);
  EXPECT_EQ(value("device-status"), "fail");

  sensors.set_received(0, 8192, 1.7e9);
  sensors.set_received(1, 8192, 1.7e9);
  sensors.refresh(unix_time_s());
  EXPECT_EQ(value("rx.device-status"), "ok");
  EXPECT_EQ(value("device-status"), "ok");
}

TEST_F(engine_sensor, missing_data_degrade_the_input_for_a_while) {
  sensors.set_received(0, 4096, 1.7e9);
  sensors.set_received(1, 4096, 1.7e9);
  sensors.set_missing(1, 1.7e9);
  sensors.refresh(unix_time_s());
  EXPECT_EQ(status("input1.rx.missing-unixtime"), sensor_status::error);
  EXPECT_EQ(status("input0.rx.missing-unixtime"), sensor_status::unknown);
  EXPECT_EQ(value("rx.device-status"), "degraded");
  EXPECT_EQ(status("rx.device-status"), sensor_status::warn);
  sensors.refresh(unix_time_s() + 5.0);
  EXPECT_EQ(status("input1.rx.missing-unixtime"), sensor_status::nominal);
  EXPECT_EQ(value("input1.rx.missing-unixtime"), "1700000000.0");
}

TEST_F(engine_sensor, states_are_not_reported_again_while_they_stay) {
  sensors.refresh();
  const auto sequence = registry.find("device-status")->latest().sequence;
  sensors.refresh();
  sensors.refresh();
  EXPECT_EQ(registry.find("device-status")->latest().sequence, sequence);
}

// Delays that begin later, then gains that hold at once: both hold from the later time on.
TEST_F(engine_sensor, steady_state_never_goes_down) {
  for (const std::int64_t timestamp : {4096, 1 << 20, 8192, 0, 1 << 21}) {
    sensors.set_steady_state(timestamp);
    EXPECT_EQ(value("steady-state-timestamp"),
              std::to_string(timestamp < (1 << 20) && timestamp != 4096 ? 1 << 20 : timestamp));
  }
}

TEST_F(engine_sensor, unix_time_is_a_warning_without_synchronisation) {
  sensors.set_received(0, 4096, 1.7e9, false);
  EXPECT_EQ(status("input0.rx.unixtime"), sensor_status::warn);
  EXPECT_EQ(status("input0.rx.timestamp"), sensor_status::nominal);
  sensors.refresh(unix_time_s());
  EXPECT_EQ(value("device-status"), "degraded");
  sensors.set_received(0, 8192, 1.7e9);
  EXPECT_EQ(status("input0.rx.unixtime"), sensor_status::nominal);
}

TEST_F(engine_sensor, clock_is_read) {
  sensors.refresh_clock();
  for (const char* name : {"time.state", "time.synchronised", "time.esterror", "time.maxerror"}) {
    EXPECT_NE(status(name), sensor_status::unknown) << name;
  }
}

}  // namespace
