// SPDX-License-Identifier: Apache-2.0
// The example of docs/telescope/spead.md, with packets for it.
#include <gtest/gtest.h>
#include <unistd.h>  // getpid

#include "receive/traffic.hpp"  // loopback_sender

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;

TEST(receive_example, receives_both_polarisations) {
  const int port = 40000 + ::getpid() % 20000;
  receiver in({.geometry = {.sample_bits = 10, .packet_samples = 4096, .chunk_samples = 65536},
               .source = live_source{.endpoints = wingbeat::net::parse_endpoints(
                                         "239.255.77.20+1:" + std::to_string(port)),
                                     .interfaces = {"lo"},
                                     .buffer_bytes = 1 << 22,
                                     .affinity = {-1, -1}},
               .n_chunks = 6});
  in.start();
  loopback_sender out;
  for (std::int64_t i = 0; i < 48; ++i) {
    for (unsigned p = 0; p < 2; ++p) out.send(in.endpoints().at(p), datagram_of(4096 * i, p));
  }
  stop_after(in, 96);
  EXPECT_EQ(collect(in).size(), 3u);
  EXPECT_EQ(in.counts().placed(), 96u);
}

}  // namespace
