// SPDX-License-Identifier: Apache-2.0
#include "distributing/cut_transform.hpp"

#include <algorithm>  // clamp, max, min
#include <complex>
#include <string_view>
#include <utility>  // move, pair

#include "backend/backend.hpp"       // engine_of, mark
#include "distributing/meeting.hpp"  // wait_for_each_other
#include "formatted.hpp"             // formatted, joined
#include "processes/group.hpp"       // group
#include "programs/program.hpp"      // program
#include "request/validation.hpp"    // validated
#include "wingbeat/error.hpp"        // error

namespace wingbeat::distributing {
namespace {

/// In place of memory of a rank that has nothing.
constexpr std::size_t unused_bytes = sizeof(std::complex<double>);

std::size_t count_of(const index_range& range) {
  return range.end - range.first;
}

buffer_view part_of(buffer_view view, std::size_t offset_bytes, std::size_t size_bytes) {
  view.offset_bytes += offset_bytes;
  view.size_bytes = size_bytes;
  return view;
}

void replace(std::string& text, std::string_view term, std::string_view other) {
  const std::size_t begin = text.find(term);
  if (begin != std::string::npos) text.replace(begin, term.size(), other);
}

/// Queues a copy of packed rows to their places.
void put_rows(backend::queue& on, const buffer_view& target, const buffer_view& packed,
              const byte_rows& rows) {
  const buffer_view first = part_of(target, rows.first, (rows.count - 1) * rows.stride + rows.size);
  rows.count == 1 ? on.copy(first, packed) : on.copy_rows(first, packed, rows.size, rows.stride);
}

/// Returns memory of another device, which a plan would refuse to reach.
buffer_view of_peer(buffer_view view) {
  view.origin.reset();
  return view;
}

}  // namespace

phase_bytes traffic_of(const queue& on, const plan_spec& spec) {
  const backend::engine& engine = backend::engine_of(on.device().runs_on);
  const auto steps = engine.realise(on.impl(), request::validated(spec, on.device()));
  if (!steps) return {};
  return {.moved = steps->traffic_bytes(), .beside_sent = steps->steps.back().traffic_bytes()};
}

cut_transform::cut_transform(const domain& ranks, phased_transform steps, std::size_t chunk_bytes,
                             transport* sent_by)
    : ranks_(ranks), steps_(std::move(steps)), chunk_bytes_(chunk_bytes), transport_(sent_by) {}

std::size_t cut_transform::usual_chunk_bytes(std::size_t rank_bytes) {
  constexpr std::size_t least = std::size_t{1} << 26, most_chunks = 32;
  return std::max(least, rank_bytes / most_chunks);
}

cut_transform::~cut_transform() {
  if (opened_.empty()) return;
  opened_.clear();
  try {
    static_cast<void>(ranks_.group()->gather(""));
  } catch (const error&) {
    // A rank that was lost has closed it, too.
  }
}

bool cut_transform::leaves_in_output(std::size_t number) const {
  // Others have opened memory of the plan, not the outputs of runs.
  const bool is_of_others = is_opened() && steps_.phases()[number].next_cut;
  return !is_of_others && steps_.leaves_in_output(number);
}

double cut_transform::expected_s() const {
  double seconds = 0;
  for (std::size_t number = 0; number < steps_.phases().size(); ++number) {
    std::map<std::pair<engine, int>, phase_bytes> moved;  // by device
    phase_bytes bytes;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const std::size_t rows = count_of(steps_.share(number, rank));
      // Other processes are taken to have a device of their own, like this one's.
      const queue& on = ranks_.at(ranks_.has(rank) ? rank : ranks_.first());
      const int index = ranks_.group() ? static_cast<int>(rank) : on.device().index;
      phase_bytes& sum = moved[{on.device().runs_on, index}];
      if (rows > 0) {
        const std::vector<index_range> chunks = chunks_of(number, rank);
        const bool is_copied = chunks.size() > 1;
        auto traffic =
            traffic_of(on, steps_.transforms(number, rank, rows, is_copied || is_sent()));
        // Copies read what was stored beside, and write what others stored.
        if (is_copied) {
          traffic.moved += 2 * steps_.sent_bytes(number, rank);
          const std::size_t peer = rank == 0 ? 1 : 0;
          const byte_rows copied = steps_.received_rows(number, rank, peer, chunks.front());
          bytes.has_short_rows |= copied.count > 1 && copied.size < device_speed::short_row_bytes;
        }
        sum.moved += traffic.moved;
        sum.beside_sent += is_copied ? traffic.moved : traffic.beside_sent;
        bytes.is_scattered |= !is_copied && steps_.is_scattered(number);
        bytes.is_unaligned |= !is_copied && steps_.is_unaligned(number);
      }
      bytes.moved = std::max(bytes.moved, sum.moved);
      bytes.beside_sent = std::max(bytes.beside_sent, sum.beside_sent);
      bytes.sent = std::max(bytes.sent, steps_.sent_bytes(number, rank));
    }
    seconds += seconds_of(is_sent() ? transport_->speed() : speed_of(own_device()), bytes);
  }
  return seconds;
}

std::vector<index_range> cut_transform::chunks_of(std::size_t number, std::size_t rank) const {
  const phase& part = steps_.phases()[number];
  const std::size_t rows = count_of(steps_.share(number, rank));
  // One pass that stores in long runs takes no longer than the links.
  const bool may_be_cut = !is_sent() && !steps_.has_load(number) && rows > 0 && part.next_cut &&
                          (part.axes.size() > 1 || steps_.is_scattered(number));
  const std::size_t bytes =
      may_be_cut ? input_bytes(steps_.transforms(number, rank, rows, /*is_packed=*/true)) : 0;
  const std::size_t count = may_be_cut ? std::clamp<std::size_t>(bytes / chunk_bytes_, 1, rows) : 1;
  std::vector<index_range> chunks;
  for (std::size_t i = 0; i < count; ++i) chunks.push_back(share_of(rows, i, count));
  return chunks;
}

void cut_transform::prepare() {
  memory_.resize(ranks_.size());
  const std::vector<std::byte> roots = steps_.roots();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_.has(rank)) continue;
    if (auto beside = ranks_.at(rank).impl()->open_beside()) {
      memory_[rank].beside.emplace(std::move(beside));
    }
    if (!roots.empty()) {
      memory_[rank].roots = buffer{ranks_.at(rank), roots.size()};
      memory_[rank].roots.write(roots.data(), roots.size());
    }
    memory_[rank].unused = buffer{ranks_.at(rank), unused_bytes * ranks_.size()};
  }
  work_.resize(steps_.phases().size());
  for (std::size_t number = 0; number < work_.size(); ++number) {
    work_[number].resize(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_.has(rank)) prepare(number, rank);
    }
  }
}

void cut_transform::open_peers() {
  if (!is_opened()) return;
  barrier_ = processes::shared_barrier::open(ranks_.group());
  for (std::size_t number = 0; number < work_.size(); ++number) {
    if (!steps_.phases()[number].next_cut) continue;
    opened_.resize(number + 1);
    opened_[number] = opened_by_all(ranks_, memory_[ranks_.first()].received[number]);
  }
}

void cut_transform::prepare(std::size_t number, std::size_t rank) {
  const std::size_t left_bytes = steps_.left_bytes(number, rank);
  if (!leaves_in_output(number) && left_bytes > 0) {
    memory_[rank].received[number] =
        buffer{ranks_.at(rank), is_opened() ? shared_size(left_bytes) : left_bytes};
  }
  if (is_sent() && steps_.phases()[number].next_cut) {
    std::size_t arrived_bytes = 0;
    for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
      if (steps_.received_rows(number, peer, rank).count > 1) {
        arrived_bytes += steps_.sent_range(number, peer, rank).size;
      }
    }
    if (arrived_bytes > 0) memory_[rank].arrived[number] = buffer{ranks_.at(rank), arrived_bytes};
  }
  if (count_of(steps_.share(number, rank)) == 0) return;
  rank_phase& work = work_[number][rank];
  work.chunks = chunks_of(number, rank);
  const std::size_t sent_bytes = steps_.sent_bytes(number, rank);
  if (is_staged(number, rank) && sent_bytes > 0) {
    memory_[rank].staged[number] = buffer{ranks_.at(rank), sent_bytes};
  }
  for (const index_range& chunk : work.chunks) {
    const std::size_t rows = count_of(chunk);
    if (work.plans.count(rows) > 0) continue;
    plan transforms{ranks_.at(rank),
                    steps_.transforms(number, rank, rows, is_staged(number, rank))};
    work.plans.emplace(rows, std::move(transforms));
  }
}

buffer_view cut_transform::unused_of(std::size_t rank, std::size_t peer) const {
  return part_of(memory_[rank].unused.view(), unused_bytes * peer, unused_bytes);
}

buffer_view cut_transform::left_by(std::size_t number, std::size_t rank, views out) const {
  if (steps_.left_bytes(number, rank) == 0) return unused_of(rank, rank);
  if (!ranks_.has(rank)) return {opened_[number][rank].get(), 0, steps_.left_bytes(number, rank)};
  return leaves_in_output(number) ? out[rank] : memory_[rank].received[number].view();
}

buffer_view cut_transform::stored_for(std::size_t peer, std::size_t number, std::size_t rank,
                                      const index_range& chunk, views out) const {
  const byte_range range = steps_.sent_range(number, rank, peer);
  if (range.size == 0) return unused_of(rank, peer);
  if (!is_staged(number, rank)) return of_peer(left_by(number, peer, out));
  const std::size_t index_bytes = steps_.received_bytes(number, peer);
  return part_of(memory_[rank].staged[number].view(), range.first + chunk.first * index_bytes,
                 count_of(chunk) * index_bytes);
}

std::vector<buffer_view> cut_transform::peers_of(std::size_t number, std::size_t rank,
                                                 const index_range& chunk, views out) const {
  if (ranks_.size() > domain::max_sharing_ranks) {
    const buffer& staged = memory_[rank].staged[number];
    return {staged.size_bytes() > 0 ? staged.view() : unused_of(rank, rank)};
  }
  std::vector<buffer_view> peers;
  for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
    if (peer != rank) peers.push_back(stored_for(peer, number, rank, chunk, out));
  }
  return peers;
}

void cut_transform::run_chunk(std::size_t number, std::size_t rank, const index_range& chunk,
                              const buffer_view& rows, views out, operands given) {
  const phase& part = steps_.phases()[number];
  run_operands arguments = arguments_of(number, rank, given);
  if (part.next_cut) {
    const std::size_t begin = steps_.share(number, rank).first + chunk.first;
    arguments.store = {std::size_t{rank}, begin, is_staged(number, rank) ? std::size_t{0} : begin};
    if (memory_[rank].roots.size_bytes() > 0) {
      arguments.store.emplace_back(memory_[rank].roots.view());
    }
    for (const buffer_view& each : peers_of(number, rank, chunk, out)) {
      arguments.store.emplace_back(each);
    }
  }
  work_[number][rank]
      .plans.at(count_of(chunk))
      .enqueue(ranks_.at(rank), rows, left_by(number, rank, out), arguments);
}

run_operands cut_transform::arguments_of(std::size_t number, std::size_t rank,
                                         operands given) const {
  if (given.empty()) return {};
  run_operands arguments;
  if (number == 0) arguments.load = given[rank].load;
  if (number + 1 == work_.size()) arguments.store = given[rank].store;
  return arguments;
}

void cut_transform::copy_chunk(std::size_t number, std::size_t rank, const index_range& chunk,
                               views out) {
  std::optional<queue>& beside = memory_[rank].beside;
  queue& on = beside ? *beside : ranks_.at(rank);
  if (beside) on.impl()->after(*ranks_.at(rank).impl()->record());
  for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
    if (peer == rank || steps_.received_bytes(number, peer) == 0) continue;
    put_rows(*on.impl(), left_by(number, peer, out), stored_for(peer, number, rank, chunk, out),
             steps_.received_rows(number, rank, peer, chunk));
  }
}

void cut_transform::exchange(std::size_t number, views out) {
  const std::size_t rank = ranks_.first();
  const buffer_view target = left_by(number, rank, out);
  messages sent, received;
  std::vector<std::pair<buffer_view, byte_rows>> scattered;
  std::size_t arrived_bytes = 0;
  for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
    if (steps_.sent_range(number, rank, peer).size > 0) {
      const std::size_t own = count_of(steps_.share(number, rank));
      sent.push_back({peer, stored_for(peer, number, rank, {0, own}, out)});
    }
    const std::size_t bytes = steps_.sent_range(number, peer, rank).size;
    if (bytes == 0) continue;
    const byte_rows rows = steps_.received_rows(number, peer, rank);
    if (rows.count == 1) {
      received.push_back({peer, part_of(target, rows.first, bytes)});
      continue;
    }
    received.push_back({peer, part_of(memory_[rank].arrived[number].view(), arrived_bytes, bytes)});
    scattered.emplace_back(received.back().bytes, rows);
    arrived_bytes += bytes;
  }
  transport_->exchange(sent, received);
  for (const auto& [packed, rows] : scattered) {
    put_rows(*ranks_.at(rank).impl(), target, packed, rows);
  }
}

void cut_transform::run_phase(std::size_t number, views in, views out, operands given) {
  std::size_t most = 0;
  for (const rank_phase& work : work_[number]) most = std::max(most, work.chunks.size());
  // Chunk by chunk on all ranks, so that none begins when another has all its work.
  for (std::size_t i = 0; i < most; ++i) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const rank_phase& work = work_[number][rank];
      if (i >= work.chunks.size()) continue;
      const index_range& chunk = work.chunks[i];
      const buffer_view source = number == 0 ? in[rank] : left_by(number - 1, rank, out);
      const bool is_whole = work.chunks.size() == 1;
      const std::size_t bytes = input_bytes(work.plans.at(count_of(chunk)).spec());
      const std::size_t first_byte = chunk.first * steps_.stride_bytes(number, rank);
      run_chunk(number, rank, chunk, is_whole ? source : part_of(source, first_byte, bytes), out,
                given);
      if (!is_whole) copy_chunk(number, rank, chunk, out);
    }
  }
  if (is_sent() && steps_.phases()[number].next_cut) exchange(number, out);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    std::optional<queue>& beside = memory_[rank].beside;
    if (!beside || work_[number][rank].chunks.size() <= 1) continue;
    ranks_.at(rank).impl()->after(*beside->impl()->record());
  }
}

void cut_transform::wait_for_each_other() {
  if (is_sent()) return;  // by what they receive
  distributing::wait_for_each_other(ranks_, barrier_.get());
}

void cut_transform::run(views in, views out, operands given) {
  for (std::size_t number = 0; number < work_.size(); ++number) {
    wait_for_each_other();
    run_phase(number, in, out, given);
  }
  if (!steps_.phases().back().next_cut) return;
  wait_for_each_other();
  const std::size_t last = work_.size() - 1, own = ranks_.first();
  if (leaves_in_output(last) || steps_.left_bytes(last, own) == 0) return;
  const std::size_t bytes = steps_.left_bytes(last, own);
  ranks_.at(own).impl()->copy(part_of(out[own], 0, bytes),
                              part_of(left_by(last, own, out), 0, bytes));
}

std::size_t cut_transform::workspace_bytes(std::size_t rank) const {
  const rank_memory& memory = memory_[rank];
  std::size_t bytes = memory.roots.size_bytes();
  for (const auto* each : {&memory.received, &memory.staged, &memory.arrived}) {
    bytes += (*each)[0].size_bytes() + (*each)[1].size_bytes();
  }
  return bytes;
}

std::string cut_transform::explain() const {
  std::string text;
  for (std::size_t number = 0; number < work_.size(); ++number) {
    const phase& part = steps_.phases()[number];
    const rank_phase& first = work_[number][ranks_.first()];
    text += formatted("axes {} while axis {} is cut", joined(part.axes, ", "), part.cut);
    if (first.chunks.size() > 1) text += formatted(", in {} chunks", first.chunks.size());
    text += formatted("; rank {}:\n", ranks_.first());
    if (!first.plans.empty()) {
      std::string passes = first.plans.begin()->second.explain();
      // It is the plan's, not yours.
      if (part.next_cut) replace(passes, "your store", "the store to all ranks");
      text += passes;
    }
    if (!part.next_cut) continue;
    const std::string way = is_sent()                 ? formatted("sends by {}", transport_->name())
                            : first.chunks.size() > 1 ? "copies"
                                                      : "stores";
    text += formatted(
        "{} to the ranks that have parts of axis {}: {} bytes over links, {} of them from rank "
        "{}\n",
        way, *part.next_cut, steps_.sent_bytes(number), steps_.sent_bytes(number, ranks_.first()),
        ranks_.first());
  }
  return text;
}

}  // namespace wingbeat::distributing
