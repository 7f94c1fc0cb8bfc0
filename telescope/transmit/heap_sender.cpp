// SPDX-License-Identifier: Apache-2.0
#include "transmit/heap_sender.hpp"

#include <algorithm>  // max, min
#include <cmath>      // isfinite
#include <mutex>
#include <thread>  // sleep_until

#include "net/socket_option.hpp"       // fault_text
#include "net/udp_sender.hpp"          // udp_sender
#include "spead/packetiser.hpp"        // packet_shape, stop_heap
#include "text/reject.hpp"             // reject
#include "transmit/batch_packets.hpp"  // batch_packets
#include "transmit/heap_ids.hpp"       // heap_ids
#include "transmit/pacer.hpp"          // pacer

namespace wingbeat::transmit {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t max_interfaces = 256;  // heap ids have 8 bits for them
constexpr std::size_t burst_bytes = 65536;   // sent at once
constexpr std::size_t shortest_payload_bytes = 64;

void check_streams(const sender_spec& spec) {
  const std::size_t n_streams = spec.destinations.size(), n_interfaces = spec.interfaces.size();
  reject_if(n_streams == 0 || spec.channels == 0 || spec.channels % n_streams != 0,
            "{} channels were given for {} destinations; give a multiple of the destinations",
            spec.channels, n_streams);
  reject_if(n_interfaces > max_interfaces || (n_interfaces > 0 && n_streams % n_interfaces != 0),
            "{} destinations were given for {} interfaces; give a multiple of the "
            "interfaces, of which there are at most {}",
            n_streams, n_interfaces, max_interfaces);
  reject_if(spec.spectra_per_heap == 0 || spec.polarisations == 0 || spec.polarisations > 64,
            "heaps of {} spectra and {} polarisations were given; give 1 spectrum or more, "
            "and 1 to 64 polarisations",
            spec.spectra_per_heap, spec.polarisations);
}

void check(const sender_spec& spec) {
  check_streams(spec);
  constexpr std::size_t max_payload_bytes = 65400;
  reject_if(spec.packet_payload_bytes < shortest_payload_bytes ||
                spec.packet_payload_bytes > max_payload_bytes || spec.packet_payload_bytes % 8 != 0,
            "packets with {} bytes of payload were given; give a multiple of 8 from {} to {}",
            spec.packet_payload_bytes, shortest_payload_bytes, max_payload_bytes);
  reject_if(spec.array_size == 0 || spec.array_size > heap_ids::ids_per_interface ||
                spec.engine >= spec.array_size,
            "engine {} of {} was given; engines count from 0, below their number", spec.engine,
            spec.array_size);
  const auto is_valid = [](double value) { return std::isfinite(value) && value >= 0; };
  reject_if(!is_valid(spec.batch_interval_s) || !is_valid(spec.rate_factor) ||
                !is_valid(spec.descriptor_interval_s),
            "a batch each {} s, a rate factor of {} and descriptors each {} s were given; "
            "give finite numbers from 0 on",
            spec.batch_interval_s, spec.rate_factor, spec.descriptor_interval_s);
  if (spec.ttl > 255) reject("a TTL of {} was given; give 0 to 255", spec.ttl);
}

spead::channel_heap_format format_of(const sender_spec& spec) {
  return {.channels = spec.channels / spec.destinations.size(),
          .spectra = spec.spectra_per_heap,
          .polarisations = spec.polarisations,
          .samples = spec.samples,
          .has_missing = spec.has_missing};
}

/// Returns the bytes of the header, the packet's four pointers, and the heap's own pointers.
std::size_t preamble_bytes(const sender_spec& spec) {
  return spead::header_bytes + (spec.has_missing ? 9 : 8) * spead::pointer_bytes;
}

std::size_t in_succession(const sender_spec& spec) {
  const std::size_t most =
      std::min(net::max_segments,
               net::max_message_bytes / (preamble_bytes(spec) + spec.packet_payload_bytes));
  if (spec.packets_in_succession > 0) return std::min(most, spec.packets_in_succession);
  return spec.destinations.size() == 1 ? most : 1;
}

/// Returns the bytes per second of one interface; 0: no pacing.
double rate_of(const sender_spec& spec, std::size_t n_interfaces) {
  if (spec.batch_interval_s <= 0) return 0;
  const std::size_t heap_bytes = format_of(spec).heap_bytes();
  const std::size_t n_packets =
      (heap_bytes + spec.packet_payload_bytes - 1) / spec.packet_payload_bytes;
  const std::size_t n_bytes =
      spec.destinations.size() * (heap_bytes + n_packets * preamble_bytes(spec));
  return static_cast<double>(n_bytes) / spec.batch_interval_s * spec.rate_factor /
         static_cast<double>(n_interfaces);
}

}  // namespace

struct heap_sender::state {
  /// One interface and its contiguous part of the substreams.
  struct link {
    net::udp_sender socket;
    heap_ids ids;
    pacer pace;
    std::size_t first = 0, count = 0;  ///< Substreams.
    batch_packets packets = {};
    std::size_t position = 0;                ///< Index of the next message.
    std::vector<std::size_t> n_failed = {};  ///< Refused packets of each heap.
  };

  explicit state(const sender_spec& given) : spec(given), format(format_of(given)) {
    std::vector<std::uint32_t> addresses;
    for (const auto& name : spec.interfaces) addresses.push_back(net::interface_address(name));
    if (addresses.empty()) addresses.push_back(0);
    const std::size_t count = spec.destinations.size() / addresses.size();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      links.push_back({.socket = net::udp_sender(addresses[i], spec.buffer_bytes, spec.ttl),
                       .ids = heap_ids(spec.engine, spec.array_size, i),
                       .pace = pacer(rate_of(spec, addresses.size())),
                       .first = i * count,
                       .count = count});
      links.back().socket.copy_to(spec.copy);
    }
  }

  [[nodiscard]] spead::packet_shape shape() const {
    return {.packet_bytes = preamble_bytes(spec) + spec.packet_payload_bytes,
            .repeats_pointers = true};
  }
  [[nodiscard]] std::span<const net::endpoint> destinations(const link& interface) const {
    return std::span(spec.destinations).subspan(interface.first, interface.count);
  }
  void prepare(link& interface, const batch& next);
  [[nodiscard]] bool send_burst(link& interface);
  void send_at_once(link& interface, std::span<const spead::outgoing_heap> heaps,
                    std::uint64_t sender_counts::*counter);
  void send_descriptors();
  void count(const link& interface);

  sender_spec spec;
  spead::channel_heap_format format;
  std::vector<link> links;
  clock::time_point descriptors_due{};
  bool has_described = false;
  mutable std::mutex mutex;  ///< Guards the members below.
  sender_counts counts;
  int fault = 0;
};

void heap_sender::state::prepare(link& interface, const batch& next) {
  std::vector<spead::outgoing_heap> heaps;
  const std::size_t n_bytes = format.heap_bytes();
  for (std::size_t i = interface.first; i < interface.first + interface.count; ++i) {
    const spead::channel_heap content{.timestamp = static_cast<std::uint64_t>(next.timestamp),
                                      .engine = spec.engine,
                                      .first_channel = i * format.channels,
                                      .missing = next.missing,
                                      .voltages = next.voltages.subspan(i * n_bytes, n_bytes)};
    heaps.push_back(outgoing(content, format, interface.ids.next()));
  }
  interface.packets.prepare(heaps, destinations(interface), shape(), in_succession(spec));
  interface.position = 0;
  interface.n_failed.assign(interface.count, 0);
}

/// Sends the next messages of an interface when they are due; returns whether there were any.
bool heap_sender::state::send_burst(link& interface) {
  const auto queued = interface.packets.messages();
  std::vector<net::outgoing_message> messages;
  std::size_t n_bytes = 0;
  for (std::size_t i = interface.position; i < queued.size() && n_bytes < burst_bytes; ++i) {
    messages.push_back(queued[i].message);
    n_bytes += queued[i].n_bytes;
  }
  if (messages.empty()) return false;
  const auto time = clock::now(), due = interface.pace.due(n_bytes, time);
  if (due > time) std::this_thread::sleep_until(due);
  for (std::size_t n_done = 0; n_done < messages.size();) {
    const std::size_t n_taken = interface.socket.send(std::span(messages).subspan(n_done));
    std::uint64_t n_packets = 0;
    for (std::size_t i = 0; i < n_taken; ++i)
      n_packets += queued[interface.position + n_done + i].n_packets;
    n_done += n_taken;
    const std::scoped_lock lock(mutex);
    counts.packets += n_packets;
    if (n_done == messages.size()) break;
    // The system refused this message; continue with the next.
    const queued_message& refused = queued[interface.position + n_done++];
    interface.n_failed[refused.heap] += refused.n_packets;
    counts.failed_packets += refused.n_packets;
    fault = interface.socket.fault();
  }
  interface.position += messages.size();
  return true;
}

void heap_sender::state::count(const link& interface) {
  const std::scoped_lock lock(mutex);
  const std::size_t n_bytes = format.heap_bytes();
  for (const std::size_t n_failed : interface.n_failed) {
    if (n_failed > 0) {
      ++counts.failed_heaps;
      continue;
    }
    ++counts.heaps;
    counts.bytes += n_bytes;
    counts.samples += format.channels * format.spectra * format.polarisations;
  }
}

/// Sends heaps to an interface's destinations without pacing.
void heap_sender::state::send_at_once(link& interface, std::span<const spead::outgoing_heap> heaps,
                                      std::uint64_t sender_counts::*counter) {
  const pacer kept = interface.pace;
  interface.pace = pacer(0);
  const spead::packet_shape whole{.packet_bytes =
                                      std::max<std::size_t>(shape().packet_bytes, 1024)};
  interface.packets.prepare(heaps, destinations(interface), whole, 1);
  interface.position = 0;
  interface.n_failed.assign(interface.count, 0);
  while (send_burst(interface)) continue;
  interface.pace = kept;
  const std::scoped_lock lock(mutex);
  for (const std::size_t n_failed : interface.n_failed) counts.*counter += n_failed == 0;
}

void heap_sender::state::send_descriptors() {
  const auto time = clock::now();
  if (has_described && (spec.descriptor_interval_s == 0 || time < descriptors_due)) return;
  has_described = true;
  descriptors_due = time + std::chrono::duration_cast<clock::duration>(
                               std::chrono::duration<double>(spec.descriptor_interval_s));
  const spead::heap_builder built = descriptor_heap(descriptors_of(format));
  for (link& interface : links) {
    std::vector<spead::outgoing_heap> heaps;
    for (std::size_t i = 0; i < interface.count; ++i)
      heaps.push_back(built.heap(interface.ids.next()));
    send_at_once(interface, heaps, &sender_counts::descriptor_heaps);
  }
}

heap_sender::heap_sender(const sender_spec& spec) {
  check(spec);
  state_ = std::make_unique<state>(spec);
}

heap_sender::~heap_sender() = default;

std::size_t heap_sender::batch_bytes() const {
  return state_->format.heap_bytes() * state_->spec.destinations.size();
}

void heap_sender::send(const batch& next) {
  if (next.voltages.size() != batch_bytes()) {
    reject("a batch of {} bytes was given; its {} heaps have {} bytes", next.voltages.size(),
           state_->spec.destinations.size(), batch_bytes());
  }
  state_->send_descriptors();
  for (auto& interface : state_->links) state_->prepare(interface, next);
  // The interfaces take turns, burst by burst.
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (auto& interface : state_->links) has_more |= state_->send_burst(interface);
  }
  for (const auto& interface : state_->links) state_->count(interface);
}

void heap_sender::skip() {
  const std::scoped_lock lock(state_->mutex);
  state_->counts.skipped_heaps += state_->spec.destinations.size();
}

void heap_sender::stop() {
  for (auto& interface : state_->links) {
    std::vector<spead::outgoing_heap> heaps;
    for (std::size_t i = 0; i < interface.count; ++i)
      heaps.push_back(spead::stop_heap(interface.ids.next()));
    state_->send_at_once(interface, heaps, &sender_counts::stop_heaps);
  }
}

sender_counts heap_sender::counts() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counts;
}

net::socket_buffers heap_sender::buffers() const {
  net::socket_buffers buffers;
  for (const auto& each : state_->links) buffers.add(each.socket.buffers());
  return buffers;
}

std::string heap_sender::failure() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->fault == 0 ? "" : net::fault_text(state_->fault);
}

}  // namespace wingbeat::transmit
