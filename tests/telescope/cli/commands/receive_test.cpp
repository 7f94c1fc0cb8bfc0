// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat receive` of what a sender of this process sends over the loopback interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>  // kill
#include <thread>

#include "cli/program.hpp"               // workplace
#include "formats/charts/chart.hpp"      // draws_charts
#include "formats/files/npy_header.hpp"  // take_npy_header
#include "formats/files/whole_file.hpp"  // read_whole_file
#include "net/capture_bytes.hpp"         // frame_of, put_pcap
#include "net/udp_receiver.hpp"          // udp_receiver
#include "receive/channel_stream.hpp"    // voltages_of
#include "transmit/heap_sender.hpp"      // heap_sender
#include "wingbeat/error.hpp"            // file_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

constexpr std::uint32_t loopback = 0x7f000001;

/// The program on a free port of two addresses, and a sender of four substreams to them.
class receiving : public ::testing::Test {
 protected:
  receiving() {
    const net::udp_receiver free({loopback, 0}, 0, 4096);
    port_ = free.source().port;
  }

  void start(const words& more) {
    words arguments{"receive",      "127.0.0.2+1:" + std::to_string(port_),
                    "--substreams", "4",
                    "--stats",      "got.json",
                    "--timeout",    "10"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    process_ = at_.start(arguments);
    wait_for_socket();
    out_ = std::make_unique<transmit::heap_sender>(
        transmit::sender_spec{.destinations = {{loopback + 1, port_},
                                               {loopback + 1, port_},
                                               {loopback + 2, port_},
                                               {loopback + 2, port_}},
                              .channels = 64,
                              .spectra_per_heap = 8,
                              .engine = 3,
                              .packet_payload_bytes = 128,
                              .batch_interval_s = 1e-3});
  }

  /// Waits until the program has bound its sockets.
  void wait_for_socket() const {
    for (int i = 0; i < 1000; ++i) {
      try {
        const net::udp_receiver probe({loopback + 2, port_}, 0, 4096);
      } catch (const file_error&) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "the program does not receive";
  }

  void send(std::int64_t batch) {
    const auto voltages = voltages_of(batch);
    out_->send({.timestamp = batch * batch_samples, .voltages = voltages});
  }

  [[nodiscard]] nlohmann::json stats() const {
    return nlohmann::json::parse(at_.folder().read("got.json"));
  }

  workplace at_;
  std::uint16_t port_ = 0;
  pid_t process_ = 0;
  std::unique_ptr<transmit::heap_sender> out_;
};

TEST_F(receiving, writes_heaps_one_behind_another_to_other_names) {
  start({"--duration", "100", "--output", "x.raw"});
  for (std::int64_t b : {0, 1, 3}) send(b);
  out_->stop();
  const finished run = at_.wait(process_);
  EXPECT_EQ(run.code, 0) << run.err << run.out;
  const auto content = formats::read_whole_file(at_.folder().path() / "x.raw");
  std::vector<std::byte> expected;
  for (std::int64_t b = 0; b < 4; ++b) {
    const auto heap = b == 2 ? std::vector<std::byte>(64 * 8 * 4) : voltages_of(b);
    expected.insert(expected.end(), heap.begin(), heap.end());
  }
  EXPECT_EQ(std::vector<std::byte>(content.begin(), content.end()), expected);
}

TEST_F(receiving, writes_what_came_until_the_stop_heaps) {
  start({"--duration", "100", "--output", "x.npy", "--expect", "heaps least=10", "--expect",
         "lost most=4", "--threads", "2"});
  for (std::int64_t b = 0; b < 12; ++b) {
    if (b != 5) send(b);
  }
  out_->stop();
  const finished run = at_.wait(process_);
  EXPECT_EQ(run.code, 0) << run.err << run.out;
  EXPECT_THAT(run.out, HasSubstr("pass heaps: 11 of each substream"));
  EXPECT_THAT(run.out, HasSubstr("pass lost: 4 heaps"));
  EXPECT_THAT(run.err, HasSubstr("stop heaps ended it"));
  const auto content = formats::read_whole_file(at_.folder().path() / "x.npy");
  std::span<const std::byte> rest = content;
  const auto header = formats::take_npy_header(rest, "x.npy");
  EXPECT_EQ(header.shape, (std::vector<std::size_t>{64, 12 * 8, 2, 2}));
  ASSERT_EQ(rest.size(), 64u * 96 * 4);
  for (std::int64_t b = 0; b < 12; ++b) {
    const auto expected = voltages_of(b);
    for (std::size_t k = 0; k < 64; ++k) {
      for (std::size_t i = 0; i < 32; ++i) {
        const auto found = rest[k * 96 * 4 + static_cast<std::size_t>(b) * 32 + i];
        ASSERT_EQ(found, b == 5 ? std::byte{0} : expected[k * 32 + i]) << b << " " << k;
      }
    }
  }
  const auto document = stats();
  EXPECT_EQ(document["schema"], "wingbeat.receive/1");
  EXPECT_EQ(document["engine"], 3);
  EXPECT_EQ(document["last_timestamp"], 11 * batch_samples);
  EXPECT_EQ(document["counts"]["packets"], 11 * 16);
  EXPECT_EQ(document["counts"]["absent_batches"], 1);
  EXPECT_EQ(document["absent"][0]["after"], 4 * batch_samples);
  EXPECT_EQ(document["substreams"][3]["absent"], 1);
  EXPECT_EQ(document["ended_by_stop_heaps"], true);
}

TEST_F(receiving, fails_where_an_expectation_does) {
  start({"--heaps", "3", "--expect", "lost most=0", "--expect", "floor pol=0 magnitude=1"});
  for (std::int64_t b = 0; b < 4; ++b) send(b);
  const finished run = at_.wait(process_);
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("pass lost: 0 heaps"));
  EXPECT_THAT(run.out, HasSubstr("FAIL floor of polarisation 0"));
  EXPECT_EQ(stats()["checks"][1]["passes"], false);
}

TEST_F(receiving, ends_when_it_is_told_to_and_draws) {
  const words more = formats::draws_charts()
                         ? words{"--adc-sample-rate", "1e6", "--spectrum", "power.png"}
                         : words{};
  start(more);
  for (std::int64_t b = 0; b < 3; ++b) send(b);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(process_, SIGTERM);
  const finished run = at_.wait(process_);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(stats()["counts"]["batches"], 3);
  EXPECT_EQ(stats()["ended_by_stop_heaps"], false);
}

TEST_F(receiving, says_why_nothing_came) {
  const std::string place = "127.0.0.2:" + std::to_string(port_);
  const finished run =
      at_.run({"receive", place, "--timeout", "0.2", "--substreams", "4", "--stats", "got.json"});
  EXPECT_EQ(run.code, 4);
  EXPECT_THAT(run.err, HasSubstr("no heap of an F-engine came in 0 datagrams"));
  EXPECT_EQ(stats()["counts"]["datagrams"], 0);
  EXPECT_TRUE(stats()["channels"].is_null());
  EXPECT_TRUE(stats()["checks"].empty());
}

TEST_F(receiving, names_another_flavour_and_a_capture_that_was_cut) {
  auto flavoured = pcap_header(), cut = pcap_header();
  for (std::size_t i = 0; i < 16; ++i) {
    auto datagram = heap_packets(0, i / 4)[i % 4];
    const auto frame = frame_of(datagram);
    put_pcap(cut, std::span(frame).first(96), 0);
    datagram[2] = std::byte{3};  // SPEAD-64-40
    datagram[3] = std::byte{5};
    put_pcap(flavoured, frame_of(datagram), 0);
  }
  const auto run_on = [&](const octets& file) {
    at_.file("x.pcap", {reinterpret_cast<const char*>(file.data()), file.size()});
    return at_.run({"receive", "x.pcap", "--channels", "64"});
  };
  const finished other = run_on(flavoured), short_frames = run_on(cut);
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err,
              HasSubstr("x.pcap: no heap of an F-engine came in 16 datagrams: 16 packets "
                        "of SPEAD-64-40, where SPEAD-64-48 alone is read"));
  EXPECT_EQ(short_frames.code, 1);
  EXPECT_THAT(short_frames.err, HasSubstr("in 0 datagrams: 16 frames cut by the capture's snap "
                                          "length; capture whole packets"));
}

/// A capture of four heaps: each frame holds the packets of one, as those of "lo" do.
octets joined_capture() {
  octets file = pcap_header();
  for (std::size_t s = 0; s < 4; ++s) {
    octets joined;
    for (const auto& packet : heap_packets(0, s)) put(joined, packet);
    put_pcap(file, frame_of(joined), s);
  }
  return file;
}

TEST_F(receiving, writes_what_came_before_a_capture_ends_within_a_packet) {
  const octets whole = joined_capture();
  octets cut = whole;
  put_pcap(cut, frame_of(heap_packets(1, 0)[0]), 9);
  cut.resize(cut.size() - 7);
  for (const octets& file : {whole, cut}) {
    at_.file("x.pcap", {reinterpret_cast<const char*>(file.data()), file.size()});
    const finished run =
        at_.run({"receive", "x.pcap", "--channels", "64", "--channels-per-substream", "16",
                 "--spectra-per-heap", "8", "-o", "x.raw", "--stats", "got.json"});
    EXPECT_EQ(run.code, file.size() > whole.size() ? 4 : 0) << run.err;
    if (file.size() > whole.size()) EXPECT_THAT(run.err, HasSubstr("x.pcap: ends within frame 4"));
    const auto content = formats::read_whole_file(at_.folder().path() / "x.raw");
    EXPECT_EQ(std::vector<std::byte>(content.begin(), content.end()), voltages_of(0));
    EXPECT_EQ(stats()["counts"]["batches"], 1);
  }
}

TEST_F(receiving, refuses_in_one_sentence) {
  const words base{"receive", "127.0.0.1:" + std::to_string(port_)};
  const std::vector<std::pair<words, std::string>> cases{
      {{"--output", "x.npy"}, "limit them by --heaps or --duration"},
      {{"--output", "x.raw"}, "limit them by --heaps or --duration"},
      {{"--spectrum", "x.png"}, "require --adc-sample-rate"},
      {{"--adc-sample-rate", "1e6"}, "--adc-sample-rate is of no use"},
      {{"--narrowband", "centre=1,decimation=2"}, "--narrowband is of no use"},
      {{"--expect", "cw"}, "'cw' has no channel"},
      {{"--expect", "tone"}, "'tone' is no expectation"},
      {{"--sample-bits", "5"}, "--sample-bits is '5'; choose 4, 8, 16, fp16 or fp32"},
      {{"--log-level", "loud"}, "'loud' is no level"},
      {{"--interface", "none0"}, "'none0' is no interface"},
      {{"--threads", "2"}, "1 endpoint cannot be split between 2 threads"},
      {{"--channels", "64", "--substreams", "3", "--channels-per-substream", "16",
        "--spectra-per-heap", "8"},
       "64 channels cannot be split evenly between 3 substreams; give a multiple"},
      {{"--channels", "48", "--substreams", "3", "--channels-per-substream", "8",
        "--spectra-per-heap", "8"},
       "48 channels were given in 3 substreams, and a substream has 8"},
      {{"--channels", "10", "--substreams", "3"},
       "10 channels cannot be split evenly between 3 substreams"},
      {{base[1]}, "is given twice; give it once"}};
  for (const auto& [more, sentence] : cases) {
    words arguments = base;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished run = at_.run(arguments);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(sentence));
    EXPECT_EQ(n_lines(run.err), 1u) << run.err;
  }
  at_.file("x.pcap", "nothing");
  EXPECT_THAT(at_.run({"receive", "x.pcap"}).err, HasSubstr("give --channels or --substreams"));
  EXPECT_THAT(
      at_.run({"receive", "x.pcap", "--channels", "64", "--adc-sample-rate", "1e9", "--waterfall",
               "sky.jpg"})
          .err,
      HasSubstr("--waterfall: cannot draw to sky.jpg; the name of a chart must end in .png, .svg "
                "or .pdf"));
  EXPECT_THAT(at_.run({"receive", "x.pcap", "--channels", "64"}).err, HasSubstr("x.pcap"));
  EXPECT_THAT(at_.run({"receive", "x.pcap", base[1]}).err, HasSubstr("give files alone"));
  EXPECT_THAT(at_.run({"receive", "x.pcap", "x.pcap", "--channels", "8"}).err,
              HasSubstr("x.pcap is a capture, and another SRC is given"));
  for (const char* absent : {"absent.pcap", "./absent", "."}) {
    const finished run = at_.run({"receive", absent, "--channels", "64"});
    EXPECT_EQ(run.code, 4) << run.err;
    EXPECT_THAT(run.err, HasSubstr(absent[1] == '\0' ? "is a directory" : "there is no such file"));
  }
}

}  // namespace
