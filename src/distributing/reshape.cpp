// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/reshape.hpp"

#include <optional>
#include <utility>  // move

#include "arrays/address_space.hpp"       // max_stated_bytes
#include "distributing/box_copier.hpp"    // box_copier
#include "distributing/boxes.hpp"         // require_rank, rounded_span, text_of
#include "distributing/meeting.hpp"       // agreed, require_same, tell_others
#include "distributing/rank_views.hpp"    // require_all_ranks, require_places
#include "distributing/shared_ranks.hpp"  // opened_by_all, peer_memory, shared_size
#include "distributing/transport.hpp"     // transport
#include "processes/group.hpp"            // group
#include "text/counted.hpp"               // counted
#include "text/formatted.hpp"             // formatted
#include "text/moved_from.hpp"            // require_owned
#include "text/reject.hpp"                // reject
#include "wingbeat/error.hpp"             // error, plan_error

namespace wingbeat {

using distributing::box_copier;

struct reshape::impl {
  impl(const domain& given, reshape_spec requested);
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;

  /// Waits until other processes have closed this one's memory.
  ~impl();

  /// Refuses impossible requests; returns the request as text.
  std::string validate();
  void allocate();

  [[nodiscard]] std::size_t bytes_of(const std::vector<box>& boxes, std::size_t rank) const {
    return boxes.at(rank).span() * spec.element_bytes;
  }
  /// Returns where a rank's data begins in what another rank receives from all other processes.
  [[nodiscard]] std::size_t arrival_of(std::size_t sender, std::size_t receiver) const;
  [[nodiscard]] std::size_t sent_by(std::size_t rank) const;

  using views = std::span<const buffer_view>;
  void require_views(views in, views out) const;
  void run(views in, views out);

  domain ranks;
  reshape_spec spec;
  std::optional<redistribution> change = {};
  std::optional<box_copier> copier = {};
  bool shares = true;  ///< Ranks store in memory of other processes.
  buffer packed_out = {}, packed_in = {};
  distributing::messages sent = {}, received = {};
  distributing::peer_memory opened = {};
  std::unique_ptr<processes::shared_barrier> barrier = {};
};

reshape::impl::impl(const domain& given, reshape_spec requested)
    : ranks(given), spec(std::move(requested)) {
  distributing::require_same(distributing::agreed(ranks, [&] { return validate(); }), "reshape");
  if (ranks.group()) {
    shares = ranks.transport().shares_memory(ranks);
    if (!shares) ranks.transport().of(ranks);
  }
  static_cast<void>(distributing::agreed(ranks, [&] {
    copier.emplace(ranks, spec.element_bytes);
    if (ranks.group()) allocate();
    return std::string{};
  }));
  if (!ranks.group() || !shares) return;
  barrier = processes::shared_barrier::open(ranks.group());
  opened = distributing::opened_by_all(ranks, packed_in);
}

reshape::impl::~impl() {
  if (opened.empty()) return;
  opened.clear();
  try {
    static_cast<void>(ranks.group()->gather(""));
  } catch (const error&) {
    // A lost rank has closed it, too.
  }
}

std::string reshape::impl::validate() {
  reject_if(spec.element_bytes == 0, "element_bytes is 0; give the size of an element");
  change.emplace(spec.before, spec.after);
  for (const auto* boxes : {&spec.before, &spec.after}) {
    const double bytes =
        distributing::rounded_span(*boxes) * static_cast<double>(spec.element_bytes);
    if (bytes <= static_cast<double>(max_stated_bytes)) continue;
    reject("boxes of about {:.3g} bytes were given, with element_bytes {}; give at most {}", bytes,
           spec.element_bytes, max_stated_bytes);
  }
  reject_if(spec.before.size() != ranks.size(),
            "boxes of {} were given for {}; give one for each rank",
            counted(spec.before.size(), "rank"), counted(ranks.size(), "rank"));
  const std::size_t n_axes = spec.before.front().lower.size();
  reject_if(n_axes > box_copier::max_axes, "boxes of {} axes were given; give boxes of up to {}",
            n_axes, box_copier::max_axes);
  std::string text = formatted("{}", spec.element_bytes);
  for (const auto* boxes : {&spec.before, &spec.after}) text += "/" + distributing::text_of(*boxes);
  return text;
}

void reshape::impl::allocate() {
  const std::size_t own = ranks.first();
  std::size_t in_bytes = 0, out_bytes = 0;
  for (const transfer& each : change->transfers()) {
    if (each.sender == each.receiver) continue;
    const std::size_t bytes = each.elements.count() * spec.element_bytes;
    if (each.receiver == own) {
      received.push_back({each.sender, {nullptr, in_bytes, bytes}});
      in_bytes += bytes;
    } else if (each.sender == own && !shares) {
      sent.push_back({each.receiver, {nullptr, out_bytes, bytes}});
      out_bytes += bytes;
    }
  }
  const auto place = [&](distributing::messages& parts, buffer& memory, std::size_t bytes) {
    if (bytes == 0) return;
    memory = buffer{ranks.at(own), bytes};
    for (backend::message& each : parts) {
      each.bytes.handle = memory.view().handle;
      each.bytes.origin = memory.view().origin;
    }
  };
  place(received, packed_in, shares ? distributing::shared_size(in_bytes) : in_bytes);
  place(sent, packed_out, out_bytes);
}

std::size_t reshape::impl::arrival_of(std::size_t sender, std::size_t receiver) const {
  std::size_t count = 0;
  for (const transfer& each : change->transfers()) {
    const bool is_before = each.receiver == receiver && each.sender < sender;
    if (is_before && each.sender != receiver) count += each.elements.count();
  }
  return count * spec.element_bytes;
}

std::size_t reshape::impl::sent_by(std::size_t rank) const {
  std::size_t count = 0;
  for (const transfer& each : change->transfers()) {
    if (each.sender == rank && each.receiver != rank) count += each.elements.count();
  }
  return count * spec.element_bytes;
}

void reshape::impl::require_views(views in, views out) const {
  const distributing::rank_views inputs{
      in, [&](std::size_t rank) { return bytes_of(spec.before, rank); }};
  const distributing::rank_views outputs{
      out, [&](std::size_t rank) { return bytes_of(spec.after, rank); }};
  distributing::require_all_ranks(ranks, inputs, outputs);
  const std::size_t unit = copier->unit_bytes();
  distributing::require_places(ranks, "reshape", {"an element", spec.element_bytes, 1, unit},
                               inputs, outputs);
}

void reshape::impl::run(views in, views out) {
  const bool stores = !ranks.group() || shares;
  if (stores) distributing::wait_for_each_other(ranks, barrier.get());
  auto next_sent = sent.begin();
  for (const transfer& each : change->transfers()) {
    if (!ranks.has(each.sender)) continue;
    const distributing::placed_box source{spec.before[each.sender], in[each.sender]};
    if (ranks.has(each.receiver)) {
      copier->enqueue(each.sender, each.elements, source,
                      {spec.after[each.receiver], out[each.receiver]});
    } else if (shares) {
      const std::size_t begin = arrival_of(each.sender, each.receiver);
      const std::size_t bytes = each.elements.count() * spec.element_bytes;
      copier->enqueue(each.sender, each.elements, source,
                      {each.elements, {opened[each.receiver].get(), begin, bytes}});
    } else {
      copier->enqueue(each.sender, each.elements, source, {each.elements, (next_sent++)->bytes});
    }
  }
  if (!stores) ranks.transport().of(ranks).exchange(sent, received);
  if (stores) distributing::wait_for_each_other(ranks, barrier.get());
  auto next_received = received.begin();
  for (const transfer& each : change->transfers()) {
    if (ranks.has(each.sender) || !ranks.has(each.receiver)) continue;
    copier->enqueue(each.receiver, each.elements, {each.elements, (next_received++)->bytes},
                    {spec.after[each.receiver], out[each.receiver]});
  }
}

reshape::reshape(const domain& ranks, reshape_spec spec)
    : impl_(std::make_unique<impl>(ranks, std::move(spec))) {}
reshape::reshape(reshape&&) noexcept = default;
reshape& reshape::operator=(reshape&&) noexcept = default;
reshape::~reshape() = default;

const reshape_spec& reshape::spec() const {
  return require_owned(impl_, "reshape").spec;
}

std::size_t reshape::in_bytes(std::size_t rank) const {
  const impl& mine = require_owned(impl_, "reshape");
  distributing::require_rank(rank, mine.ranks.size());
  return mine.bytes_of(mine.spec.before, rank);
}

std::size_t reshape::out_bytes(std::size_t rank) const {
  const impl& mine = require_owned(impl_, "reshape");
  distributing::require_rank(rank, mine.ranks.size());
  return mine.bytes_of(mine.spec.after, rank);
}

std::size_t reshape::workspace_bytes(std::size_t rank) const {
  const impl& mine = require_owned(impl_, "reshape");
  distributing::require_rank(rank, mine.ranks.size());
  return mine.ranks.has(rank) ? mine.packed_out.size_bytes() + mine.packed_in.size_bytes() : 0;
}

std::size_t reshape::sent_bytes() const {
  const impl& mine = require_owned(impl_, "reshape");
  return mine.change->sent() * mine.spec.element_bytes;
}

std::string reshape::explain() const {
  const impl& mine = require_owned(impl_, "reshape");
  std::size_t count = 0;
  for (const transfer& each : mine.change->transfers()) count += each.elements.count();
  const std::size_t rank = mine.ranks.first();
  const std::string way =
      mine.shares ? "stored there"
                  : formatted("sent by {}", mine.ranks.transport().of(mine.ranks).name());
  return formatted("{} of {} on {}: {} over links, {} of them from rank {}, {}\n",
                   counted(count, "element"), counted(mine.spec.element_bytes, "byte"),
                   counted(mine.ranks.size(), "rank"), counted(sent_bytes(), "byte"),
                   mine.sent_by(rank), rank, way);
}

void reshape::enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out) {
  impl& mine = require_owned(impl_, "reshape");
  try {
    mine.require_views(in, out);
    mine.run(in, out);
  } catch (const error& refused) {
    distributing::tell_others(mine.ranks, refused);
    throw;
  }
}

void reshape::enqueue(const buffer_view& in, const buffer_view& out) {
  const domain& ranks = require_owned(impl_, "reshape").ranks;
  enqueue(distributing::views_of_first(ranks, in), distributing::views_of_first(ranks, out));
}

}  // namespace wingbeat
