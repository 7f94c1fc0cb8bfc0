// SPDX-License-Identifier: Apache-2.0
// Gains and delays that change while an engine runs: all output from the promised timestamp on has
// the change, none before it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>  // sleep_for

#include "fengine/engine_run.hpp"
#include "wingbeat/error.hpp"  // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr std::int64_t chunk_packets = 16, n_chunks = 24;

/// Sends all chunks, and calls `change` between some of them, once output has begun.
template <class Change>
void send_all(engine_run& run, Change change) {
  for (std::int64_t chunk = 0; chunk < n_chunks; ++chunk) {
    run.send(chunk * chunk_packets, (chunk + 1) * chunk_packets);
    if (chunk % 6 != 5) continue;
    EXPECT_TRUE(wait_until([&] { return run.engine->counts(0).sent.heaps > 0; }));
    change(chunk);
  }
}

TEST(fengine_control, gains_change_at_the_promised_timestamp) {
  engine_run run;
  channeliser_spec bank = run.spec().outputs[0].bank;
  send_all(run, [&](std::int64_t chunk) {
    std::vector<std::complex<float>> gains(64);
    for (std::size_t k = 0; k < 64; ++k) {
      gains[k] = {0.01F * static_cast<float>(k % 7), 0.02F * static_cast<float>(chunk)};
    }
    gain_change expected{.gains = {run.engine->gains(0, 0), gains}};
    expected.start_samples = run.engine->set_gains(0, 1, gains);
    EXPECT_EQ(run.engine->gains(0, 1), gains);
    EXPECT_EQ(expected.start_samples % 2048, 0);
    if (!bank.gains.empty() && bank.gains.back().start_samples == expected.start_samples) {
      bank.gains.pop_back();
    }
    bank.gains.push_back(expected);
  });
  run.finish();
  const auto expected = channelise_packets(bank, 4, 0, n_chunks * chunk_packets);
  EXPECT_GE(bank.gains.size(), 3U);
  expect_same(run.caught.caught(), expected.heaps);
}

TEST(fengine_control, delays_change_at_their_time) {
  engine_run run;
  channeliser_spec bank = run.spec().outputs[0].bank;
  bank.delays.resize(2);
  const double rate = run.spec().adc_rate_hz, sync = run.spec().sync_time_s;
  send_all(run, [&](std::int64_t chunk) {
    if (chunk > 12) return;
    // Late enough to lie ahead of what is made meanwhile; 1/1024 s is exact in UNIX time.
    const double start_s = sync + 0.0625 * static_cast<double>(chunk / 6 + 1);
    const std::vector<control::delay_setting> delays{
        {.delay_s = 3.5e-6, .delay_rate = 1e-4, .phase_rad = 0.25, .phase_rate_rad_per_s = 3},
        {.delay_s = -7.25e-6, .phase_rad = static_cast<double>(chunk)}};
    const std::int64_t promised = run.engine->set_delays(0, start_s, delays);
    for (std::size_t pol = 0; pol < 2; ++pol) {
      const control::delay_setting& setting = delays[pol];
      bank.delays[pol].push_back(in_samples({start_s - sync, setting.delay_s, setting.delay_rate,
                                             setting.phase_rad, setting.phase_rate_rad_per_s},
                                            rate));
    }
    EXPECT_EQ(promised, bank.delays[0].back().start_samples);
  });
  run.finish();
  const auto expected = channelise_packets(bank, 4, 0, n_chunks * chunk_packets);
  expect_same(run.caught.caught(), expected.heaps);
  const auto* const shown = run.registry->find("wide.input1.delay");
  ASSERT_NE(shown, nullptr);
  const std::string text = std::get<std::string>(shown->latest().value);
  EXPECT_TRUE(text.starts_with("(62500, -7.25e-06, ")) << text;
}

TEST(fengine_control, a_delay_that_is_refused_changes_nothing) {
  engine_run run;
  const std::vector<control::delay_setting> far{{.delay_s = 1e-6}, {.delay_s = 1e30}};
  EXPECT_THROW(run.engine->set_delays(0, run.spec().sync_time_s, far), plan_error);
  EXPECT_THROW(run.engine->set_delays(0, 1e300, {{{}, {}}}), plan_error);
  run.send(0, 6 * chunk_packets);
  run.finish();
  expect_same(run.caught.caught(),
              channelise_packets(run.spec().outputs[0].bank, 4, 0, 6 * chunk_packets).heaps);
}

// The digitiser is started again, and counts from another time: delay and phase go on from where
// they were, the gains stay, and delays that were to come later do not.
TEST(fengine_control, gains_and_delays_go_on_where_time_goes_back) {
  engine_run run;
  constexpr std::int64_t first = 1 << 20, n_again = 12 * chunk_packets;
  const double rate = run.spec().adc_rate_hz, sync = run.spec().sync_time_s;
  const double start_s = sync + static_cast<double>(first * 256) / rate;
  const std::vector<control::delay_setting> delays{
      {.delay_s = 3.5e-6, .delay_rate = 1e-4, .phase_rad = 0.25, .phase_rate_rad_per_s = 3},
      {.delay_s = 7.25e-6, .phase_rad = -1}};
  run.engine->set_gains(0, std::nullopt, std::vector<std::complex<float>>(64, {0.02F, 0.03F}));
  run.engine->set_delays(0, start_s, delays);
  run.engine->set_delays(0, start_s + 1000, {{{.delay_s = 1e-3}, {}}});
  run.send(first, first + 6 * chunk_packets);
  run.send(0, n_again);
  EXPECT_TRUE(wait_until([&] { return run.engine->received().restarts == 1; }));
  run.finish();

  channeliser_spec bank = run.spec().outputs[0].bank;
  bank.gains = {{.gains = {{{0.02F, 0.03F}}, {{0.02F, 0.03F}}}}};
  bank.delays.resize(2);
  const double elapsed_s = 6 * chunk_packets * 256 / rate;
  for (std::size_t pol = 0; pol < 2; ++pol) {
    const control::delay_setting& setting = delays[pol];
    bank.delays[pol] = {
        in_samples({0, setting.delay_s + elapsed_s * setting.delay_rate, setting.delay_rate,
                    setting.phase_rad + elapsed_s * setting.phase_rate_rad_per_s,
                    setting.phase_rate_rad_per_s},
                   rate)};
  }
  heap_catcher::heaps again;
  for (const auto& [name, heap] : run.caught.caught()) {
    if (name.first < first * 256) again.insert({name, heap});
  }
  EXPECT_GT(again.size(), 20U);
  expect_same(again, channelise_packets(bank, 4, 0, n_again).heaps);
  const std::string text =
      std::get<std::string>(run.registry->find("wide.input0.delay")->latest().value);
  EXPECT_TRUE(text.starts_with("(0, 5.9")) << text;
  EXPECT_EQ(run.registry->find("input0.rx.unixtime")->latest().status,
            control::sensor_status::warn);
  EXPECT_THROW(run.engine->set_delays(0, start_s, delays), plan_error);
}

// A batch that waits for four seconds until it may be sent is no progress.
TEST(fengine_control, an_output_that_does_not_get_on_is_not_hidden) {
  std::atomic<int> n_calls = 0;
  engine_run run{[](fengine::engine_spec& spec) {
                   spec.input.geometry.chunk_samples = 512;
                   spec.sending.rate_factor = 0.0005;
                 },
                 {.works = [&] { ++n_calls; }}};
  EXPECT_TRUE(wait_until([&] { return n_calls >= 1; }));  // nothing is to be done
  run.send(0, 24);                                        // two batches, in chunks of two packets
  EXPECT_TRUE(wait_until([&] { return run.engine->counts(0).batches.sent == 2; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  const int n_before = n_calls;
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  EXPECT_EQ(n_calls, n_before);
  EXPECT_TRUE(wait_until([&] { return n_calls > n_before; }));
  run.finish();
  EXPECT_EQ(run.engine->counts(0).sent.heaps, 8U);
}

TEST(fengine_control, shows_spectra_rates_losses_and_delays) {
  engine_run run;
  run.send(0, 8 * chunk_packets);
  EXPECT_TRUE(wait_until([&] { return run.engine->counts(0).sent.heaps > 0; }));
  const control::monitor_snapshot shown = run.engine->snapshot();
  run.finish();
  ASSERT_EQ(shown.spectra.size(), 2U);
  EXPECT_EQ(shown.spectra[1].pol, 1U);
  EXPECT_EQ(shown.spectra[1].power_db.size(), 64U);
  EXPECT_DOUBLE_EQ(shown.spectra[1].step_hz, 1e6 / 128);
  EXPECT_EQ(shown.delays.size(), 2U);
  EXPECT_GE(shown.losses.size(), 12U);
  for (const auto& loss : shown.losses) EXPECT_EQ(loss.value, 0) << loss.label;
}

}  // namespace
