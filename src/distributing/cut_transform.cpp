// SPDX-License-Identifier: Apache-2.0
#include "distributing/cut_transform.hpp"

#include <algorithm>  // clamp, max
#include <complex>
#include <string_view>
#include <utility>  // move, pair

#include "arrays/view_part.hpp"      // part_of
#include "backend/backend.hpp"       // engine_of
#include "distributing/meeting.hpp"  // wait_for_each_other
#include "processes/group.hpp"       // group
#include "programs/program.hpp"      // program
#include "request/validation.hpp"    // validated
#include "text/formatted.hpp"        // formatted, joined
#include "wingbeat/error.hpp"        // error

namespace wingbeat::distributing {
namespace {

/// size of the memory given for a rank that has nothing
constexpr std::size_t unused_bytes = sizeof(std::complex<double>);

std::size_t count_of(const index_range& range) {
  return range.end - range.first;
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

/// Returns memory of another device; a plan would refuse it with its origin.
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
    // A lost rank has closed it, too.
  }
}

bool cut_transform::leaves_in_output(std::size_t number) const {
  // Others have opened memory of the plan, not the outputs of runs.
  const bool is_of_others = is_opened() && steps_.phases()[number].next_cut;
  return !is_of_others && steps_.leaves_in_output(number);
}

double cut_transform::expected_s() const {
  const device_speed speed = is_sent() ? transport_->speed() : speed_of(own_device());
  double seconds = 0;
  for (std::size_t number = 0; number < steps_.phases().size(); ++number) {
    phase_bytes bytes = bytes_of(number);
    if (steps_.has_follower(number)) {
      const std::size_t n_chunks = std::max<std::size_t>(1, chunks_of(number, 0).size());
      const phase_bytes next = bytes_of(++number);
      const std::size_t first_chunk = bytes.moved / n_chunks;
      bytes = {.moved = bytes.moved + next.moved,
               .beside_sent = bytes.moved + next.moved - first_chunk,
               .sent = std::max(bytes.sent, next.sent),
               .is_unaligned = next.is_unaligned};
    }
    seconds += seconds_of(speed, bytes);
  }
  return seconds;
}

phase_bytes cut_transform::bytes_of(std::size_t number) const {
  std::map<std::pair<engine, int>, phase_bytes> moved;  // by device
  phase_bytes bytes;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::size_t rows = count_of_rows(number, rank);
    // Assumes that other processes have a device like this one's each.
    const queue& on = ranks_.at(ranks_.has(rank) ? rank : ranks_.first());
    const int index = ranks_.group() ? static_cast<int>(rank) : on.device().index;
    phase_bytes& sum = moved[{on.device().runs_on, index}];
    if (rows > 0) {
      const std::vector<index_range> chunks = chunks_of(number, rank);
      const bool is_copied = chunks.size() > 1 && !is_of_two(number);
      auto traffic = traffic_of(on, steps_.transforms(number, rank, rows, is_copied || is_sent()));
      // Copies read what this rank staged, and write what others staged.
      if (is_copied) {
        traffic.moved += 2 * steps_.sent_bytes(number, rank);
        const std::size_t peer = rank == 0 ? 1 : 0;
        const byte_rows copied = steps_.received_rows(number, rank, peer, chunks.front());
        const bool is_short = copied.size < device_speed::short_row_bytes;
        bytes.has_short_rows |= copied.count > 1 && (is_short || steps_.has_twiddles(number));
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
  return bytes;
}

std::vector<index_range> cut_transform::chunks_of(std::size_t number, std::size_t rank) const {
  if (is_follower(number)) return chunks_of(number - 1, rank);
  const phase& part = steps_.phases()[number];
  const std::size_t rows = count_of_rows(number, rank);
  // A single pass that stores in long runs takes no longer than the links.
  const bool is_worthwhile =
      steps_.has_follower(number) ||
      (part.next_cut && (part.axes.size() > 1 || steps_.is_scattered(number)));
  const bool may_be_cut =
      !is_sent() && !steps_.has_load(number) && rows > 0 && is_worthwhile && ranks_.size() > 1;
  const std::size_t bytes =
      may_be_cut ? input_bytes(steps_.transforms(number, rank, rows, /*is_packed=*/true)) : 0;
  const std::size_t count = may_be_cut ? std::clamp<std::size_t>(bytes / chunk_bytes_, 1, rows) : 1;
  std::vector<index_range> chunks;
  for (std::size_t i = 0; i < count; ++i) chunks.push_back(share_of(rows, i, count));
  return chunks;
}

std::size_t cut_transform::count_of_rows(std::size_t number, std::size_t rank) const {
  const bool has_none = count_of(steps_.share(number, rank)) == 0;
  return has_none ? 0 : count_of(steps_.chunk_range(number, rank));
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
    plan transforms{queue_of(number, rank),
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

buffer_view cut_transform::chunk_of(const buffer_view& whole, std::size_t number, std::size_t rank,
                                    const index_range& chunk, std::size_t size_bytes) const {
  if (work_[number][rank].chunks.size() == 1) return whole;
  return part_of(whole, chunk.first * steps_.stride_bytes(number, rank), size_bytes);
}

void cut_transform::run_chunk(std::size_t number, std::size_t rank, const index_range& chunk,
                              views in, views out, operands given) {
  const phase& part = steps_.phases()[number];
  const plan& transforms = work_[number][rank].plans.at(count_of(chunk));
  const buffer_view source = number == 0 ? in[rank] : left_by(number - 1, rank, out);
  run_operands arguments = arguments_of(number, rank, given);
  for (const std::size_t each :
       steps_.store_numbers(number, rank, chunk, is_staged(number, rank))) {
    arguments.store.emplace_back(each);
  }
  if (steps_.has_twiddles(number)) arguments.store.emplace_back(memory_[rank].roots.view());
  if (part.next_cut) {
    for (const buffer_view& each : peers_of(number, rank, chunk, out)) {
      arguments.store.emplace_back(each);
    }
  }
  transforms.enqueue(queue_of(number, rank),
                     chunk_of(source, number, rank, chunk, input_bytes(transforms.spec())),
                     left_by(number, rank, out), arguments);
}

queue& cut_transform::queue_of(std::size_t number, std::size_t rank) {
  std::optional<queue>& beside = memory_[rank].beside;
  return steps_.has_follower(number) && beside ? *beside : ranks_.at(rank);
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
  const bool has_follower = steps_.has_follower(number);
  for (std::size_t rank = 0; rank < ranks_.size() && has_follower; ++rank) {
    std::optional<queue>& beside = memory_[rank].beside;
    if (beside) beside->impl()->after(*ranks_.at(rank).impl()->record());
  }
  // Queues chunk by chunk on all ranks, so that no rank first queues all its work.
  for (std::size_t i = 0; i < most; ++i) run_turn(number, i, in, out, given);
  if (is_sent() && steps_.phases()[number].next_cut) exchange(number, out);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    std::optional<queue>& beside = memory_[rank].beside;
    const bool is_used = work_[number][rank].chunks.size() > 1 || has_follower;
    if (beside && is_used) ranks_.at(rank).impl()->after(*beside->impl()->record());
  }
}

void cut_transform::run_turn(std::size_t number, std::size_t i, views in, views out,
                             operands given) {
  const auto has_chunk = [&](std::size_t rank) { return i < work_[number][rank].chunks.size(); };
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!has_chunk(rank)) continue;
    const index_range& chunk = work_[number][rank].chunks[i];
    run_chunk(number, rank, chunk, in, out, given);
    if (is_staged(number, rank) && !is_sent()) copy_chunk(number, rank, chunk, out);
  }
  if (!steps_.has_follower(number)) return;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!has_chunk(rank)) continue;
    wait_for_chunk(number, rank);
    run_chunk(number + 1, rank, work_[number + 1][rank].chunks[i], in, out, given);
  }
}

void cut_transform::wait_for_chunk(std::size_t number, std::size_t rank) {
  backend::queue& on = *queue_of(number + 1, rank).impl();
  for (std::size_t other = 0; other < ranks_.size(); ++other) {
    if (ranks_.has(other)) on.after(*queue_of(number, other).impl()->record());
  }
}

void cut_transform::wait_for_each_other() {
  if (is_sent()) return;  // because ranks wait for what they receive
  distributing::wait_for_each_other(ranks_, barrier_.get());
}

void cut_transform::run(views in, views out, operands given) {
  for (std::size_t number = 0; number < work_.size(); ++number) {
    if (is_follower(number)) continue;
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
    for (const buffer& part : *each) bytes += part.size_bytes();
  }
  return bytes;
}

std::string cut_transform::explain() const {
  std::string text;
  if (steps_.has_columns_of_two()) {
    text += formatted("columns are two of three axes: {}\n", joined(steps_.inner_lengths(), " x "));
  }
  for (std::size_t number = 0; number < work_.size(); ++number) {
    const phase& part = steps_.phases()[number];
    const rank_phase& first = work_[number][ranks_.first()];
    text += formatted("axes {} while axis {} is cut", joined(part.axes, ", "), part.cut);
    if (first.chunks.size() > 1) text += formatted(", in {} chunks", first.chunks.size());
    text += formatted("; rank {}:\n", ranks_.first());
    if (!first.plans.empty()) {
      std::string passes = first.plans.begin()->second.explain();
      if (part.next_cut) replace(passes, "exchange store", "the store to all ranks");
      if (part.begins_column) replace(passes, "exchange store", "twiddles of columns");
      text += passes;
    }
    if (!part.next_cut) continue;
    const std::string way = is_sent() ? formatted("sends by {}", transport_->name())
                            : is_staged(number, ranks_.first()) ? "copies"
                            : is_of_two(number)                 ? "stores, beside the next chunk,"
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
