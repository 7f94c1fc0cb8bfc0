// SPDX-License-Identifier: Apache-2.0
#include "transmit/sample_sender.hpp"

#include <algorithm>  // max, min, sort, unique
#include <array>
#include <cmath>  // isfinite
#include <mutex>
#include <thread>  // sleep_until

#include "net/socket_option.hpp"       // fault_text
#include "net/udp_sender.hpp"          // udp_sender
#include "spead/descriptor.hpp"        // descriptor_heap
#include "spead/digitiser_packet.hpp"  // preamble_of
#include "spead/packetiser.hpp"        // packets_of, stop_heap
#include "text/reject.hpp"             // reject
#include "transmit/pacer.hpp"          // pacer

namespace wingbeat::transmit {
namespace {

using clock = std::chrono::steady_clock;

constexpr double burst_s = 1e-3;  // of samples, sent at once
constexpr std::chrono::milliseconds max_wait{50};
constexpr std::size_t descriptor_packet_bytes = 1472;

void check(const sample_sender_spec& spec) {
  check(spec.format);
  check(spec.disturbed);
  reject_if(spec.destinations.empty() || spec.destinations.size() > 2,
            "{} polarisations were given; give 1 or 2", spec.destinations.size());
  for (const auto& endpoints : spec.destinations) {
    if (endpoints.empty()) reject("a polarisation has no destination; give it one");
  }
  const auto is_valid = [](double value) { return std::isfinite(value) && value >= 0; };
  reject_if(!is_valid(spec.adc_rate_hz) || spec.adc_rate_hz == 0 || !is_valid(spec.rate_factor) ||
                !is_valid(spec.descriptor_interval_s),
            "{} samples a second, a rate factor of {} and descriptors each {} s were given; "
            "give a rate above 0, and finite numbers from 0 on",
            spec.adc_rate_hz, spec.rate_factor, spec.descriptor_interval_s);
  reject_if(spec.first_timestamp < 0 ||
                spec.first_timestamp % static_cast<std::int64_t>(spec.format.packet_samples) != 0,
            "a first timestamp of {} was given; give a multiple of the {} samples of a "
            "packet, from 0 on",
            spec.first_timestamp, spec.format.packet_samples);
  if (spec.ttl > 255) reject("a TTL of {} was given; give 0 to 255", spec.ttl);
}

std::size_t packets_in_message(const sample_format& format) {
  return std::min(net::max_segments, net::max_message_bytes /
                                         (spead::digitiser_preamble_bytes + format.packet_bytes()));
}

/// Returns the packets of one polarisation that are sent at once: a message for each endpoint,
/// fewer at low rates; whole blocks if packets are shuffled.
std::size_t packets_in_burst(const sample_sender_spec& spec) {
  std::size_t n_endpoints = 1;
  for (const auto& endpoints : spec.destinations) {
    n_endpoints = std::max(n_endpoints, endpoints.size());
  }
  std::size_t count = n_endpoints * packets_in_message(spec.format);
  const double due = spec.adc_rate_hz * spec.rate_factor * burst_s /
                     static_cast<double>(spec.format.packet_samples);
  if (spec.rate_factor > 0 && due < static_cast<double>(count)) {
    count = std::max<std::size_t>(1, static_cast<std::size_t>(due));
  }
  return std::max(count, spec.disturbed.reorder);
}

std::uint32_t address_of(const std::string& interface) {
  return interface.empty() ? 0 : net::interface_address(interface);
}

void require_same(const sample_sender_spec& spec, const sample_period& period) {
  const sample_format& format = period.spec().format;
  if (period.n_polarisations() != spec.destinations.size() ||
      format.sample_bits != spec.format.sample_bits ||
      format.packet_samples != spec.format.packet_samples) {
    reject(
        "{} signals in packets of {} samples of {} bits were given for {} polarisations "
        "in packets of {} samples of {} bits; give the same",
        period.n_polarisations(), format.packet_samples, format.sample_bits,
        spec.destinations.size(), spec.format.packet_samples, spec.format.sample_bits);
  }
}

}  // namespace

struct sample_sender::state {
  using preamble = std::array<std::byte, spead::digitiser_preamble_bytes>;

  /// The polarisation and the number of packets of a message.
  struct contents {
    std::size_t polarisation = 0, n_packets = 0;
    std::uint64_t n_saturated = 0;
  };

  state(const sample_sender_spec& given, std::shared_ptr<const sample_period> initial)
      : spec(given),
        burst_packets(packets_in_burst(given)),
        message_packets(packets_in_message(given.format)),
        socket(address_of(given.interface), given.buffer_bytes, given.ttl),
        pace(given.rate_factor * given.adc_rate_hz, max_lag),
        period(std::move(initial)) {
    require_same(spec, *period);
    socket.copy_to(spec.copy);
    for (std::size_t p = 0; p < spec.destinations.size(); ++p) {
      disturbances.emplace_back(spec.disturbed, p);
      all_destinations.insert(all_destinations.end(), spec.destinations[p].begin(),
                              spec.destinations[p].end());
    }
    std::sort(all_destinations.begin(), all_destinations.end());
    all_destinations.erase(std::unique(all_destinations.begin(), all_destinations.end()),
                           all_destinations.end());
    orders.resize(spec.destinations.size());
    counts.polarisations.resize(spec.destinations.size());
    counts.next_timestamp = spec.first_timestamp;
  }

  [[nodiscard]] std::int64_t timestamp_of(std::uint64_t index) const {
    return spec.first_timestamp + static_cast<std::int64_t>(index * spec.format.packet_samples);
  }
  void gather(const sample_period& source, std::uint64_t first, std::size_t count);
  void add_message(const sample_period& source, std::size_t polarisation,
                   const net::endpoint& destination, std::span<const std::uint64_t> indices);
  void send_messages();
  void count(std::size_t first, std::size_t n_taken);
  void send_heap(const spead::outgoing_heap& heap, const net::endpoint& destination,
                 std::uint64_t sample_sender_counts::*counter);
  void send_descriptors();
  [[nodiscard]] std::uint64_t next_odd_id() { return (2 * n_odd_ids++ + 1) & spead::max_address; }

  sample_sender_spec spec;
  std::size_t burst_packets, message_packets;
  net::udp_sender socket;
  pacer pace;
  std::optional<clock::time_point> due = {};  ///< Set if `send` returned before the next burst was
                                              ///< due.
  std::vector<disturbance> disturbances;
  std::vector<net::endpoint> all_destinations;
  clock::time_point descriptors_due{};
  bool has_described = false;
  std::uint64_t n_odd_ids = 0;

  // The memory of one burst, reused for the next.
  std::vector<std::vector<std::uint64_t>> orders;                ///< [polarisation]
  std::vector<std::vector<std::vector<std::uint64_t>>> indices;  ///< [polarisation][endpoint]
  std::vector<preamble> preambles;
  std::vector<iovec> pieces;
  std::vector<net::outgoing_message> messages;
  std::vector<contents> message_contents;

  mutable std::mutex mutex;  ///< Guards the members below.
  std::shared_ptr<const sample_period> period;
  std::uint64_t n_begun = 0;  ///< Packets per polarisation.
  sample_sender_counts counts;
  int fault = 0;
};

/// Makes the messages of a burst; those of all endpoints and polarisations take turns.
void sample_sender::state::gather(const sample_period& source, std::uint64_t first,
                                  std::size_t n_packets) {
  const std::size_t n_polarisations = spec.destinations.size();
  indices.resize(n_polarisations);
  std::size_t n_sent = 0, n_rounds = 0, max_endpoints = 0;
  for (std::size_t p = 0; p < n_polarisations; ++p) {
    disturbances[p].apply(first, n_packets, orders[p]);
    const std::size_t n_endpoints = spec.destinations[p].size();
    indices[p].resize(n_endpoints);
    for (auto& of_endpoint : indices[p]) of_endpoint.clear();
    for (const std::uint64_t index : orders[p]) indices[p][index % n_endpoints].push_back(index);
    for (const auto& of_endpoint : indices[p]) {
      n_rounds = std::max(n_rounds, (of_endpoint.size() + message_packets - 1) / message_packets);
    }
    n_sent += orders[p].size();
    max_endpoints = std::max(max_endpoints, n_endpoints);
  }
  // Messages point to these, so they must not move.
  preambles.clear();
  preambles.reserve(n_sent);
  pieces.clear();
  pieces.reserve(2 * n_sent);
  messages.clear();
  message_contents.clear();
  for (std::size_t round = 0; round < n_rounds; ++round) {
    for (std::size_t e = 0; e < max_endpoints; ++e) {
      for (std::size_t p = 0; p < n_polarisations; ++p) {
        if (e >= indices[p].size() || indices[p][e].size() <= round * message_packets) continue;
        const auto rest = std::span(indices[p][e]).subspan(round * message_packets);
        add_message(source, p, spec.destinations[p][e],
                    rest.first(std::min(rest.size(), message_packets)));
      }
    }
  }
}

void sample_sender::state::add_message(const sample_period& source, std::size_t polarisation,
                                       const net::endpoint& destination,
                                       std::span<const std::uint64_t> of_message) {
  contents content{.polarisation = polarisation, .n_packets = of_message.size()};
  const std::size_t first_piece = pieces.size();
  for (const std::uint64_t index : of_message) {
    const auto timestamp = static_cast<std::uint64_t>(timestamp_of(index));
    const std::size_t in_period = timestamp / spec.format.packet_samples % source.spec().n_packets;
    const std::uint16_t saturated = source.saturated(polarisation, in_period);
    const auto samples = source.packet(polarisation, in_period);
    preambles.push_back(spead::preamble_of(
        {.heap_id = 2 * (index * spec.destinations.size() + polarisation) & spead::max_address,
         .timestamp = timestamp & spead::max_address,
         .polarisation = static_cast<unsigned>(polarisation),
         .saturated = saturated,
         .is_saturated = saturated > 0,
         .samples = samples}));
    pieces.push_back({preambles.back().data(), preambles.back().size()});
    pieces.push_back({const_cast<std::byte*>(samples.data()), samples.size()});
    content.n_saturated += saturated;
  }
  messages.push_back({.destination = destination,
                      .pieces = std::span(pieces).subspan(first_piece),
                      .segment_bytes = of_message.size() == 1 ? 0
                                                              : spead::digitiser_preamble_bytes +
                                                                    spec.format.packet_bytes()});
  message_contents.push_back(content);
}

void sample_sender::state::count(std::size_t first, std::size_t n_taken) {
  for (std::size_t i = first; i < first + n_taken; ++i) {
    const contents& next = message_contents[i];
    sent_samples& sent = counts.polarisations[next.polarisation];
    sent.packets += next.n_packets;
    sent.bytes += next.n_packets * spec.format.packet_bytes();
    sent.samples += next.n_packets * spec.format.packet_samples;
    sent.saturated_samples += next.n_saturated;
  }
}

void sample_sender::state::send_messages() {
  for (std::size_t n_done = 0; n_done < messages.size();) {
    const std::size_t n_taken = socket.send(std::span(messages).subspan(n_done));
    const std::scoped_lock lock(mutex);
    count(n_done, n_taken);
    n_done += n_taken;
    if (n_done == messages.size()) break;
    // The system refused this message; continue with the next.
    const contents& refused = message_contents[n_done++];
    counts.polarisations[refused.polarisation].failed_packets += refused.n_packets;
    fault = socket.fault();
  }
  const std::scoped_lock lock(mutex);
  for (std::size_t p = 0; p < disturbances.size(); ++p) {
    counts.polarisations[p].disturbed = disturbances[p].counts();
  }
  counts.late_s = std::chrono::duration<double>(pace.lost()).count();
}

void sample_sender::state::send_heap(const spead::outgoing_heap& heap,
                                     const net::endpoint& destination,
                                     std::uint64_t sample_sender_counts::*counter) {
  std::size_t n_taken = 0;
  const auto packets = spead::packets_of(heap, {.packet_bytes = descriptor_packet_bytes});
  for (const std::vector<std::byte>& packet : packets) {
    const iovec piece{const_cast<std::byte*>(packet.data()), packet.size()};
    const net::outgoing_message message{destination, std::span(&piece, 1), 0};
    n_taken += socket.send(std::span(&message, 1));
  }
  const std::scoped_lock lock(mutex);
  if (n_taken == packets.size()) {
    ++(counts.*counter);
  } else {
    fault = socket.fault();
  }
}

void sample_sender::state::send_descriptors() {
  const auto time = clock::now();
  if (has_described && (spec.descriptor_interval_s == 0 || time < descriptors_due)) return;
  has_described = true;
  descriptors_due = time + std::chrono::duration_cast<clock::duration>(
                               std::chrono::duration<double>(spec.descriptor_interval_s));
  const spead::heap_builder built = spead::descriptor_heap(
      spead::digitiser_descriptors(spec.format.packet_samples, spec.format.sample_bits));
  for (const net::endpoint& destination : all_destinations) {
    send_heap(built.heap(next_odd_id()), destination, &sample_sender_counts::descriptor_heaps);
  }
}

sample_sender::sample_sender(const sample_sender_spec& spec,
                             std::shared_ptr<const sample_period> period) {
  check(spec);
  state_ = std::make_unique<state>(spec, std::move(period));
}

sample_sender::~sample_sender() = default;

bool sample_sender::send() {
  state& own = *state_;
  const std::uint64_t first = own.n_begun;
  std::size_t n_packets = own.burst_packets;
  if (own.spec.n_packets) {
    n_packets = std::min<std::uint64_t>(n_packets, *own.spec.n_packets - first);
  }
  if (n_packets == 0) return false;
  own.send_descriptors();
  const auto time = clock::now();
  if (!own.due) own.due = own.pace.due(n_packets * own.spec.format.packet_samples, time);
  if (*own.due > time + max_wait) {
    std::this_thread::sleep_for(max_wait);
    return true;
  }
  std::this_thread::sleep_until(*own.due);
  own.due.reset();
  std::shared_ptr<const sample_period> period;
  {
    // After these packets, another period may apply.
    const std::scoped_lock lock(own.mutex);
    period = own.period;
    own.n_begun += n_packets;
    own.counts.next_timestamp = own.timestamp_of(own.n_begun);
  }
  own.gather(*period, first, n_packets);
  own.send_messages();
  return true;
}

void sample_sender::stop() {
  for (const net::endpoint& destination : state_->all_destinations) {
    state_->send_heap(spead::stop_heap(state_->next_odd_id()), destination,
                      &sample_sender_counts::stop_heaps);
  }
}

std::int64_t sample_sender::set_period(std::shared_ptr<const sample_period> period) {
  require_same(state_->spec, *period);
  const std::scoped_lock lock(state_->mutex);
  state_->period = std::move(period);
  return state_->counts.next_timestamp;
}

const net::socket_buffers& sample_sender::buffers() const {
  return state_->socket.buffers();
}

sample_sender_counts sample_sender::counts() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->counts;
}

std::string sample_sender::failure() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->fault == 0 ? "" : net::fault_text(state_->fault);
}

}  // namespace wingbeat::transmit
