// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat fengine`: recordings and captures to packets, the same bytes as `wingbeat channelise`
// makes of them; options of a file; signals; recordings of unequal length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // find
#include <csignal>    // kill
#include <thread>     // sleep_for

#include "cli/program.hpp"               // workplace
#include "fengine/channel_heaps.hpp"     // heap_catcher
#include "formats/files/whole_file.hpp"  // read_whole_file
#include "net/capture_bytes.hpp"         // put_pcap
#include "receive/traffic.hpp"           // wait_until
#include "spead/digitiser_packet.hpp"
#include "text/formatted.hpp"  // formatted

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t n_samples = 1 << 19, packet_samples = 4096, packet_bytes = 5120;

/// Two polarisations in pol0.raw and pol1.raw, and what `channelise` makes of them in heaps.raw.
void prepare(const workplace& place, const std::vector<std::string>& bank = {"--channels", "256"}) {
  const finished simulated =
      place.run({"simulate", "wgn(0.1, 1) + cw(0.2, 100e6)", "wgn(0.1, 2)", "--adc-rate", "1712e6",
                 "--samples", std::to_string(n_samples), "-o", "pol0.raw,pol1.raw"});
  ASSERT_EQ(simulated.code, 0) << simulated.err;
  std::vector<std::string> arguments{"channelise", "pol0.raw", "pol1.raw", "--adc-rate",
                                     "1712e6",     "--taps",   "4",        "--spectra-per-heap",
                                     "64",         "--seed",   "5",        "--engine",
                                     "host",       "--output", "heaps.raw"};
  arguments.insert(arguments.end(), bank.begin(), bank.end());
  const finished channelised = place.run(arguments);
  ASSERT_EQ(channelised.code, 0) << channelised.err;
}

std::vector<std::string> words(
    std::vector<std::string> sources, const net::endpoint& destination,
    const std::string& output = "--wideband=channels=256,jones_per_batch=16384") {
  std::vector<std::string> arguments{"fengine"};
  arguments.insert(arguments.end(), sources.begin(), sources.end());
  for (const char* word :
       {"--adc-sample-rate", "1712e6", "--sync-time", "0", "--recv-chunk-samples", "65536",
        "--engine", "host", "--katcp-port", "0", "--send-rate-factor", "0", "--send-interface",
        "lo", "--stats", "stats.json"}) {
    arguments.emplace_back(word);
  }
  arguments.push_back(output +
                      ",name=wide,taps=4,dither_seed=5,dst=" + net::to_string(destination));
  return arguments;
}

std::vector<std::byte> joined_heaps(const heap_catcher& caught) {
  std::vector<std::byte> result;
  for (const auto& [name, heap] : caught.caught()) {
    result.insert(result.end(), heap.voltages.begin(), heap.voltages.end());
  }
  return result;
}

/// The samples as a digitiser sends them, in a capture of frames up to `snap_bytes`.
void write_capture(const workplace& place, std::size_t snap_bytes = 65536) {
  auto file = pcap_header();
  const auto pol0 = formats::read_whole_file(place.folder().path() / "pol0.raw");
  const auto pol1 = formats::read_whole_file(place.folder().path() / "pol1.raw");
  for (std::size_t packet = 0; packet < n_samples / packet_samples; ++packet) {
    for (unsigned pol = 0; pol < 2; ++pol) {
      const auto samples =
          std::span(pol == 0 ? pol0 : pol1).subspan(packet * packet_bytes, packet_bytes);
      const auto preamble = spead::preamble_of({.heap_id = 2 * packet,
                                                .timestamp = packet * packet_samples,
                                                .polarisation = pol,
                                                .samples = samples});
      std::vector<std::byte> datagram(preamble.begin(), preamble.end());
      datagram.insert(datagram.end(), samples.begin(), samples.end());
      const auto frame = frame_of(datagram);
      put_pcap(file, std::span(frame).first(std::min(frame.size(), snap_bytes)), packet * 1000);
    }
  }
  place.file("both.pcap", {reinterpret_cast<const char*>(file.data()), file.size()});
}

TEST(fengine, sends_what_channelise_writes) {
  const workplace place;
  prepare(place);
  write_capture(place);
  const auto expected = formats::read_whole_file(place.folder().path() / "heaps.raw");
  ASSERT_GT(expected.size(), 10U * 256 * 64 * 4);
  for (const auto& sources : {std::vector<std::string>{"pol0.raw", "pol1.raw"}, {"both.pcap"}}) {
    heap_catcher caught;
    const finished run = place.run(words(sources, caught.place()));
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(wait_until([&] { return caught.n_stops() == 1; }));
    EXPECT_TRUE(joined_heaps(caught) == expected) << sources[0] << run.err;
    EXPECT_THAT(run.err, HasSubstr(formatted("{} heaps sent, 0 left out, 0 failed; 256 packets "
                                             "received, 0 missing, 0 rejected",
                                             caught.caught().size())));
    const auto stats = nlohmann::json::parse(place.folder().read("stats.json"));
    EXPECT_EQ(stats["outputs"][0]["heaps"], caught.caught().size());
    EXPECT_EQ(stats["received"]["polarisations"][1]["packets"], 128);
  }
}

TEST(fengine, fails_where_nothing_of_a_capture_can_be_used) {
  const workplace place;
  prepare(place);
  write_capture(place, 96);
  heap_catcher caught;
  const finished run = place.run(words({"both.pcap"}, caught.place()));
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err,
              HasSubstr("both.pcap: no packet of a digitiser could be used: 256 frames cut "
                        "by the capture's snap length; capture whole packets"));
  const auto stats = nlohmann::json::parse(place.folder().read("stats.json"));
  EXPECT_EQ(stats["received"]["cut_frames"], 256);
}

TEST(fengine, fails_where_a_recording_is_shorter_than_a_batch) {
  const workplace place;
  place.file("short.raw", std::string(8192 * 10 / 8, '\0'));
  heap_catcher caught;
  const finished run =
      place.run({"fengine", "short.raw", "--adc-sample-rate", "1e6", "--sync-time", "0",
                 "--polarisations", "1", "--recv-chunk-samples", "4096", "--engine", "host",
                 "--katcp-port", "0", "--send-rate-factor", "0", "--send-interface", "lo",
                 "--wideband=name=wide,channels=64,taps=4,jones_per_batch=16384,dst=" +
                     net::to_string(caught.place())});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("short.raw: output 'wide' made no batch, which takes 33152 "
                                 "samples from a multiple of 32768 on; give more samples"));
}

TEST(fengine, sends_channels_that_are_no_power_of_two) {
  const struct {
    std::vector<std::string> bank;
    std::string output;
  } cases[] = {{{"--channels", "1000"}, "--wideband=channels=1000,jones_per_batch=64000"},
               {{"--channels", "27"}, "--wideband=channels=27,jones_per_batch=1728"},
               {{"--channels", "300", "--narrowband", "centre=400e6,decimation=4"},
                "--narrowband=channels=300,jones_per_batch=19200,centre_frequency=400e6,"
                "decimation=4"}};
  for (const auto& c : cases) {
    const workplace place;
    prepare(place, c.bank);
    heap_catcher caught;
    const finished run = place.run(words({"pol0.raw", "pol1.raw"}, caught.place(), c.output));
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(wait_until([&] { return caught.n_stops() == 1; }));
    const auto expected = formats::read_whole_file(place.folder().path() / "heaps.raw");
    EXPECT_FALSE(expected.empty());
    EXPECT_TRUE(joined_heaps(caught) == expected) << c.output << run.err;
  }
}

TEST(fengine, takes_options_from_a_file) {
  const workplace place;
  prepare(place);
  heap_catcher caught;
  place.file("engine.toml", formatted(R"(# an engine
src = ["pol0.raw", "pol1.raw"]
adc-sample-rate = 1712e6
sync-time = 0
recv-chunk-samples = 65536
engine = "host"
katcp-port = 0
send-rate-factor = 1e-9   # the command line has precedence
mask-timestamp = false
log-level = "warn"
[[wideband]]
name = "wide"
channels = 256
taps = 4
jones_per_batch = 16384
dither_seed = 5
dst = "{}"
)",
                                      net::to_string(caught.place())));
  const finished run = place.run({"fengine", "--config", "engine.toml", "--send-rate-factor", "0"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(wait_until([&] { return caught.n_stops() == 1; }));
  EXPECT_TRUE(joined_heaps(caught) ==
              formats::read_whole_file(place.folder().path() / "heaps.raw"));
}

TEST(fengine, ends_at_a_signal_with_stop_heaps) {
  const workplace place;
  heap_catcher caught;
  const net::endpoint free = heap_catcher{}.place();
  const pid_t process = place.start(words({net::to_string(free)}, caught.place()));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ::kill(process, SIGTERM);
  const finished run = place.wait(process);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(wait_until([&] { return caught.n_stops() == 1; }));
  EXPECT_THAT(run.err, HasSubstr("takes at most "));
}

TEST(fengine, lets_the_command_line_choose_the_device_by_either_name) {
  const workplace place;
  prepare(place);
  place.file("engine.toml", "engine = \"cuda:99\"\n");
  heap_catcher caught;
  for (const char* name : {"--device", "--engine"}) {
    std::vector<std::string> arguments = words({"pol0.raw", "pol1.raw"}, caught.place());
    *std::find(arguments.begin(), arguments.end(), "--engine") = name;
    arguments.insert(arguments.end(), {"--config", "engine.toml"});
    const finished run = place.run(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
  }
  std::vector<std::string> without = words({"pol0.raw", "pol1.raw"}, caught.place());
  without.erase(std::find(without.begin(), without.end(), "--engine"),
                std::find(without.begin(), without.end(), "--katcp-port"));
  without.insert(without.end(), {"--config", "engine.toml"});
  EXPECT_EQ(place.run(without).code, 3) << "the file's device";
}

TEST(fengine, says_what_of_a_longer_recording_was_not_used) {
  const workplace place;
  prepare(place);
  const std::string whole = place.folder().read("pol1.raw");
  place.file("part.raw", whole.substr(0, 100 * packet_bytes));
  heap_catcher caught;
  const auto run_with = [&](const std::vector<std::string>& sources, const char* missing) {
    std::vector<std::string> arguments = words(sources, caught.place());
    arguments.insert(arguments.end(), {"--missing", missing});
    const finished run = place.run(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.err;
  };
  EXPECT_THAT(run_with({"pol0.raw", "part.raw"}, "withhold"),
              HasSubstr("warning: pol0.raw is longer than part.raw: 114688 samples behind its end "
                        "were not used"));
  const auto stats = nlohmann::json::parse(place.folder().read("stats.json"));
  EXPECT_EQ(stats["received"]["polarisations"][0]["samples_alone"], 28 * packet_samples);
  EXPECT_THAT(run_with({"part.raw", "pol1.raw"}, "zero-fill"),
              HasSubstr("pol1.raw is longer than part.raw: 114688 samples behind its end were sent "
                        "with zeros in its place"));
  EXPECT_THAT(run_with({"pol0.raw", "pol1.raw"}, "withhold"), Not(HasSubstr("longer")));
}

}  // namespace
