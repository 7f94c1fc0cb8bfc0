// SPDX-License-Identifier: Apache-2.0
// Captures and recordings as sources: at full speed nothing is dropped, however slowly chunks are
// used; at real speed they take the time that they took.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "net/capture_bytes.hpp"  // put_pcap
#include "receive/traffic.hpp"    // collect
#include "support/folder.hpp"
#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // file_error

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using clock_type = std::chrono::steady_clock;

void write(const std::filesystem::path& path, const octets& content) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
}

/// Packets 0 to 159 of both polarisations, 1 ms apart.
octets capture() {
  octets file = pcap_header();
  for (std::int64_t i = 0; i < 160; ++i) {
    for (unsigned p = 0; p < 2; ++p) {
      put_pcap(file, frame_of(datagram_of(4096 * i, p)), static_cast<std::uint64_t>(i) * 1000000);
    }
  }
  put_pcap(file, frame_of({}, {.type = 0x0806}), 200000000);
  return file;
}

TEST(receive_files, replay_a_capture_without_loss) {
  const folder place;
  write(place / "a.pcap", capture());
  receiver in({.geometry = small_chunks,
               .source = capture_source{.file = place / "a.pcap"},
               .n_chunks = 3});
  in.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(collect(in), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  const receive_counts counts = in.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.placed(), 320u);
  EXPECT_EQ(counts.incomplete_chunks, 0u);
  EXPECT_EQ(counts.other_frames, 1u);
  EXPECT_EQ(in.failure(), "");
}

// So are captures of "lo", where the system neither cuts what is sent at once nor has it cut.
TEST(receive_files, cut_frames_that_hold_several_packets) {
  const folder place;
  octets file = pcap_header();
  for (std::int64_t i = 0; i < 160; i += 5) {
    octets joined;
    for (std::int64_t j = i; j < i + 5; ++j) {
      for (unsigned p = 0; p < 2; ++p) put(joined, datagram_of(4096 * j, p));
    }
    if (i == 5) put(joined, 0x77, 20, true);          // no packet, and counted
    if (i == 10) put(joined, 0, 20, true);            // padding
    if (i == 15) joined.resize(joined.size() - 100);  // a packet that is not whole
    put_pcap(file, frame_of(joined), static_cast<std::uint64_t>(i) * 1000000);
  }
  write(place / "a.pcap", file);
  receiver in({.geometry = small_chunks,
               .source = capture_source{.file = place / "a.pcap"},
               .n_chunks = 3});
  in.start();
  EXPECT_THAT(collect(in), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  const receive_counts counts = in.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.placed(), 319u);
  EXPECT_EQ(counts.n_undecodable(), 2u);
  EXPECT_EQ(counts.datagrams, 321u);
}

TEST(receive_files, replay_a_capture_in_real_time_and_drop) {
  const folder place;
  write(place / "a.pcap", capture());
  receiver in({.geometry = small_chunks,
               .source = capture_source{.file = place / "a.pcap", .speed = replay_speed::real},
               .n_chunks = 3});
  const auto start = clock_type::now();
  in.start();
  ASSERT_TRUE(wait_until([&] { return in.counts().datagrams == 320; }));
  EXPECT_GE(clock_type::now() - start, std::chrono::milliseconds(159));
  EXPECT_EQ(in.counts().starved(), 2u * 16 * 7);
  in.stop();
  EXPECT_THAT(collect(in), ElementsAre(0, 1, 2));
}

TEST(receive_files, take_the_datagrams_of_one_destination) {
  const folder place;
  write(place / "a.pcap", capture());
  for (const char* destination : {"239.1.2.3:7148", "239.1.2.3:7149"}) {
    receiver in(
        {.geometry = small_chunks,
         .source = capture_source{.file = place / "a.pcap",
                                  .destinations = wingbeat::net::parse_endpoints(destination)}});
    in.start();
    const bool is_ours = destination[13] == '8';
    EXPECT_EQ(collect(in).size(), is_ours ? 10u : 0u);
    EXPECT_EQ(in.counts().other_destinations, is_ours ? 0u : 320u);
    EXPECT_EQ(in.counts().datagrams, is_ours ? 320u : 0u);
  }
}

TEST(receive_files, say_where_a_capture_is_damaged) {
  const folder place;
  octets cut = capture();
  cut.resize(cut.size() / 2);
  write(place / "cut.pcap", cut);
  receiver in({.geometry = small_chunks, .source = capture_source{.file = place / "cut.pcap"}});
  in.start();
  EXPECT_EQ(collect(in).size(), 5u);
  EXPECT_THAT(in.failure(), HasSubstr("ends within frame 160"));
  EXPECT_THROW(receiver({.source = capture_source{.file = place / "absent"}}),
               wingbeat::file_error);
}

TEST(receive_files, stop_while_they_wait) {
  const folder place;
  write(place / "a.pcap", capture());
  for (const replay_speed speed : {replay_speed::full, replay_speed::real}) {
    receiver in({.geometry = small_chunks,
                 .source = capture_source{.file = place / "a.pcap", .speed = speed},
                 .n_chunks = 3});
    in.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto start = clock_type::now();
    in.stop();
    EXPECT_LT(clock_type::now() - start, std::chrono::seconds(60));
  }
}

/// Packed samples of 40 packets and a half.
octets recording(unsigned polarisation) {
  octets result;
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto next = datagram_of(4096 * i, polarisation);
    put(result, std::span(next).subspan(72));
  }
  result.resize(result.size() + 2560);
  // The first two are 511 and -512: bits 01 1111 1111 10 0000 0000.
  result[0] = std::byte{0x7f}, result[1] = std::byte{0xe0}, result[2] = std::byte{0x0f};
  return result;
}

TEST(receive_files, read_a_recording) {
  const folder place;
  for (unsigned p = 0; p < 2; ++p) write(place / std::to_string(p), recording(p));
  const auto spec = [&](replay_speed speed) {
    return receive_spec{.geometry = small_chunks,
                        .source = recording_source{.files = {place / "0", place / "1"},
                                                   .first_timestamp = 4096 * 16,
                                                   .speed = speed,
                                                   .adc_rate_hz = 4096 * 40 * 10}};
  };
  for (const replay_speed speed : {replay_speed::full, replay_speed::real}) {
    const auto start = clock_type::now();
    receiver in(spec(speed));
    in.start();
    std::vector<std::byte> samples;
    while (!in.is_finished()) {
      const auto received = in.next(std::chrono::milliseconds(100));
      if (received) put(samples, received->samples[1]);
      if (received && received->timestamp == 65536) {
        EXPECT_GE(received->saturated[1][0], 2u);
      }
    }
    const octets expected = recording(1);
    ASSERT_GE(samples.size(), 40u * 5120);
    EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + 40 * 5120, samples.begin()));
    EXPECT_EQ(in.counts().placed(), 80u);
    EXPECT_EQ(in.counts().wrong_size, 2u) << "the half packets";
    EXPECT_EQ(in.counts().polarisations[0].missing_packets, 0u);
    expect_all_counted(in.counts());
    if (speed == replay_speed::real) {
      EXPECT_GE(clock_type::now() - start, std::chrono::milliseconds(100));
    }
  }
}

TEST(receive_files, refuse_a_recording_in_one_sentence) {
  const folder place;
  write(place / "0", recording(0));
  const auto refusal_of = [&](const recording_source& source) -> std::string {
    return message_of([&] { receiver in({.geometry = small_chunks, .source = source}); });
  };
  EXPECT_THAT(refusal_of({.files = {place / "0"}}),
              HasSubstr("1 file cannot be the samples of 2 polarisations; give one file for each"));
  EXPECT_THAT(refusal_of({.files = {place / "0", place / "1"}}), HasSubstr("cannot be opened"));
  EXPECT_THAT(refusal_of({.files = {place / "0", place / "0"}, .first_timestamp = 5}),
              HasSubstr("give a multiple of 4096"));
  EXPECT_THAT(refusal_of({.files = {place / "0", place / "0"}, .speed = replay_speed::real}),
              HasSubstr("real speed takes a rate above 0"));
}

TEST(receive_files, refuse_what_holds_no_packet) {
  const folder place;
  write(place / "0", recording(0));
  write(place / "empty", {});
  octets few = recording(1);
  few.resize(5119);
  write(place / "few", few);
  std::filesystem::create_directory(place / "folder");
  const auto refusal_of = [&](const char* second) -> std::string {
    return message_of<wingbeat::file_error>([&] {
      receiver in({.geometry = small_chunks,
                   .source = recording_source{.files = {place / "0", place / second}}});
    });
  };
  EXPECT_THAT(refusal_of("empty"), HasSubstr("empty has 0 bytes; give a file of one packet, 5120"));
  EXPECT_THAT(refusal_of("few"), HasSubstr("few has 5119 bytes; give a file of one packet"));
  EXPECT_THAT(refusal_of("folder"), HasSubstr("folder: cannot be opened; give a file of packed"));
  EXPECT_EQ(refusal_of("0"), "");
}

TEST(receive_files, say_how_much_of_a_longer_recording_is_alone) {
  const folder place;
  octets part = recording(1);
  part.resize(30 * 5120 + 7);
  write(place / "long", recording(0));
  write(place / "short", part);
  for (const bool is_first : {true, false}) {
    recording_source source{.files = {place / "long", place / "short"}};
    if (!is_first) std::swap(source.files[0], source.files[1]);
    receiver in({.geometry = small_chunks, .source = source});
    in.start();
    while (!in.is_finished()) {
      const auto received = in.next(std::chrono::milliseconds(100));
    }
    const receive_counts counts = in.counts();
    EXPECT_EQ(counts.polarisations[is_first ? 0 : 1].samples_alone, 10u * 4096);
    EXPECT_EQ(counts.polarisations[is_first ? 1 : 0].samples_alone, 0u);
    EXPECT_EQ(in.failure(), "");
  }
}

TEST(receive_files, notice_a_recording_that_cannot_be_read) {
  // The kernel has no speed of this interface, and its file, of 4096 bytes, fails to be read.
  const std::filesystem::path broken = "/sys/class/net/lo/speed";
  std::error_code failed;
  if (std::filesystem::file_size(broken, failed) != 4096) GTEST_SKIP() << "no such file here";
  receiver in({.geometry = {.packet_samples = 256, .chunk_samples = 4096, .polarisations = 1},
               .source = recording_source{.files = {broken}}});
  in.start();
  EXPECT_EQ(collect(in).size(), 0u);
  EXPECT_EQ(in.failure(),
            "/sys/class/net/lo/speed: cannot be read to its end; give a file of packed samples");
}

}  // namespace
