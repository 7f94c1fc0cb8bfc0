// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>  // max
#include <set>

#include "net/memory_node.hpp"   // memory_preference
#include "net/udp_receiver.hpp"  // datagram_batch, pin_thread, udp_receiver
#include "receive/source.hpp"
#include "text/counted.hpp"  // counted
#include "text/reject.hpp"   // reject

namespace wingbeat::receive {
namespace {

constexpr int poll_ms = 50;  // after which a request to stop is noticed

class live_feed : public datagram_feed {
 public:
  live_feed(std::vector<net::udp_receiver> sockets, int processor, std::size_t n_messages,
            std::optional<int> node)
      : sockets_(std::move(sockets)), processor_(processor), node_(node), batch_(n_messages) {}

  void run(datagram_sink& sink, stop_request& stop) override {
    net::pin_thread(processor_);
    const net::memory_preference preference{node_};
    std::vector<pollfd> waits;
    for (const net::udp_receiver& socket : sockets_) {
      waits.push_back({.fd = socket.descriptor(), .events = POLLIN, .revents = 0});
    }
    while (!stop.is_set()) {
      if (::poll(waits.data(), waits.size(), poll_ms) <= 0) continue;
      for (std::size_t i = 0; i < sockets_.size(); ++i) {
        if (waits[i].revents != 0) receive(sockets_[i], sink);
      }
    }
    // Takes what had arrived before the request.
    for (net::udp_receiver& socket : sockets_) {
      for (int i = 0; i < 1000 && receive(socket, sink) > 0; ++i) continue;
    }
  }

  receive_counts counts() const override {
    receive_counts result;
    for (const net::udp_receiver& socket : sockets_) result.socket_drops += socket.n_dropped();
    return result;
  }

  std::vector<net::endpoint> endpoints() const override {
    std::vector<net::endpoint> endpoints;
    for (const net::udp_receiver& socket : sockets_) endpoints.push_back(socket.source());
    return endpoints;
  }

  net::socket_buffers buffers() const override {
    net::socket_buffers buffers;
    for (const net::udp_receiver& socket : sockets_) buffers.add(socket.buffers());
    return buffers;
  }

 private:
  std::size_t receive(net::udp_receiver& socket, datagram_sink& sink) {
    const std::size_t n_messages = socket.receive(batch_);
    if (n_messages == 0) return 0;
    sink.begin();
    batch_.for_each([&](std::span<const std::byte> datagram, bool is_truncated) {
      sink.add(datagram, is_truncated);
    });
    sink.end();
    return n_messages;
  }

  std::vector<net::udp_receiver> sockets_;
  int processor_;
  std::optional<int> node_;
  net::datagram_batch batch_;
};

void check(const live_source& live) {
  if (live.endpoints.empty()) reject("no endpoint was given to receive on; give one");
  reject_if(live.affinity.empty() || live.affinity.size() > live.endpoints.size(),
            "{} cannot be split between {}; give 1 thread or more, and at most one for each "
            "endpoint",
            counted(live.endpoints.size(), "endpoint"), counted(live.affinity.size(), "thread"));
  std::set<net::endpoint> places;
  for (const net::endpoint& each : live.endpoints) {
    // Port 0 is a different port each time.
    if (each.port == 0 || places.insert(each).second) continue;
    reject("the endpoint {} is given twice; give it once", net::to_string(each));
  }
  for (const int processor : live.affinity) net::require_processor(processor);
  reject_if(live.messages_per_call == 0 || live.messages_per_call > 1024,
            "{} messages for each call were given; give 1 to 1024", live.messages_per_call);
}

}  // namespace

feed_list open_live(const live_source& live) {
  check(live);
  std::vector<std::uint32_t> interfaces;
  for (const std::string& name : live.interfaces) {
    interfaces.push_back(net::interface_address(name));
  }
  if (interfaces.empty()) interfaces.push_back(0);
  const std::size_t n_endpoints = live.endpoints.size(), n_feeds = live.affinity.size();
  const std::size_t buffer_bytes = std::max<std::size_t>(1, live.buffer_bytes / n_endpoints);
  feed_list feeds;
  const std::optional<int> node = memory_node_of(live);
  const net::memory_preference preference{node};
  for (std::size_t f = 0; f < n_feeds; ++f) {
    std::vector<net::udp_receiver> sockets;
    for (std::size_t i = f * n_endpoints / n_feeds; i < (f + 1) * n_endpoints / n_feeds; ++i) {
      sockets.emplace_back(live.endpoints[i], interfaces[i % interfaces.size()], buffer_bytes);
    }
    feeds.push_back(std::make_unique<live_feed>(std::move(sockets), live.affinity[f],
                                                live.messages_per_call, node));
  }
  return feeds;
}

}  // namespace wingbeat::receive
