// SPDX-License-Identifier: Apache-2.0
#include "distributing/transport.hpp"

#include <algorithm>  // max
#include <chrono>
#include <cstddef>  // byte, size_t
#include <string>

#include "backend/backend.hpp"            // queue
#include "distributing/meeting.hpp"       // on_all
#include "distributing/shared_ranks.hpp"  // shares_memory
#include "processes/group.hpp"            // group
#include "text/formatted.hpp"             // formatted
#include "wingbeat/buffer.hpp"            // buffer
#include "wingbeat/error.hpp"             // device_error

namespace wingbeat::distributing {
namespace {

class tcp_transport final : public transport {
 public:
  explicit tcp_transport(const domain& ranks)
      : group_(ranks.group()),
        on_(ranks.at(ranks.first())),
        outgoing_(ranks.size()),
        incoming_(ranks.size()) {}

  void exchange(const messages& sent, const messages& received) override {
    on_.wait();  // also for what was received before
    for (auto* each : {&outgoing_, &incoming_}) {
      for (auto& bytes : *each) bytes.clear();
    }
    for (const backend::message& each : sent) {
      outgoing_[each.rank].resize(each.bytes.size_bytes);
      on_.impl()->read(outgoing_[each.rank].data(), each.bytes);
    }
    for (const backend::message& each : received) {
      incoming_[each.rank].resize(each.bytes.size_bytes);
    }
    group_->exchange({outgoing_.begin(), outgoing_.end()}, {incoming_.begin(), incoming_.end()});
    for (const backend::message& each : received) {
      on_.impl()->write_later(each.bytes, incoming_[each.rank].data());
    }
  }

  [[nodiscard]] device_speed speed() const override {
    return device_speed::between_processes(on_.device());
  }
  [[nodiscard]] std::string_view name() const override { return "TCP"; }

 private:
  std::shared_ptr<processes::group> group_;
  queue on_;
  std::vector<std::vector<std::byte>> outgoing_, incoming_;  // [rank]
};

/// Waits for ranks half as long as other calls, so that all learn in time which rank was lost.
class nccl_transport final : public transport {
 public:
  /// Joins the others. Collective.
  nccl_transport(const domain& ranks, const std::string& id)
      : group_(ranks.group()),
        on_(ranks.at(ranks.first())),
        rank_(backend::join_nccl(on_.impl(), id, group_->rank(), group_->size(), waiting())) {}
  nccl_transport(const nccl_transport&) = delete;
  nccl_transport& operator=(const nccl_transport&) = delete;

  ~nccl_transport() override {
    try {
      static_cast<void>(group_->gather(""));  // until others have received what was sent
    } catch (const error&) {
      // Nobody receives anything from a lost rank.
    }
  }

  void exchange(const messages& sent, const messages& received) override {
    try {
      rank_->exchange(sent, received, waiting());
    } catch (const device_error&) {
      group_->require_all(processes::deadline{group_->waits_s() / 2});
      throw;
    }
  }

  /// Measures the speed of the links. Collective.
  void measure() {
    constexpr std::size_t part_bytes = std::size_t{1} << 24;
    const std::size_t n_ranks = group_->size();
    const buffer out{on_, part_bytes * n_ranks}, in{on_, part_bytes * n_ranks};
    messages sent, received;
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      if (rank == group_->rank()) continue;
      sent.push_back({rank, {out.view().handle, rank * part_bytes, part_bytes}});
      received.push_back({rank, {in.view().handle, rank * part_bytes, part_bytes}});
    }
    double seconds = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {  // the first run connects
      using clock = std::chrono::steady_clock;
      static_cast<void>(group_->gather(""));
      const auto begin = clock::now();
      exchange(sent, received);
      seconds = std::chrono::duration<double>(clock::now() - begin).count();
    }
    for (const std::string& each : group_->gather(formatted("{:e}", seconds))) {
      seconds = std::max(seconds, std::stod(each));
    }
    link_ = static_cast<double>(part_bytes * sent.size()) / seconds;
  }

  [[nodiscard]] device_speed speed() const override {
    device_speed speed = speed_of(on_.device());
    speed.link = speed.unaligned_link = speed.scattered_link = speed.short_row_link = link_;
    speed.wait_s = 1e-4;
    return speed;
  }
  [[nodiscard]] std::string_view name() const override { return "NCCL"; }

 private:
  [[nodiscard]] backend::may_wait waiting() const {
    return [group = group_, until = processes::deadline{group_->waits_s() / 2}] {
      return until.left_ms() > 0 && !group->has_lost_one();
    };
  }

  std::shared_ptr<processes::group> group_;
  queue on_;
  std::unique_ptr<backend::nccl_rank> rank_;
  double link_ = 1;
};

/// Returns the NCCL transport; null if a rank has none.
std::unique_ptr<transport> nccl_of(const domain& ranks) {
  const queue& own = ranks.at(ranks.first());
  if (!on_all(ranks, backend::nccl_problem(*own.impl()).empty())) return nullptr;
  const std::string id = ranks.group()->gather(ranks.has(0) ? backend::new_nccl_id() : "")[0];
  std::unique_ptr<nccl_transport> joined;
  try {
    joined = std::make_unique<nccl_transport>(ranks, id);
  } catch (const device_error&) {
    // For example, two ranks on one device.
  }
  if (!on_all(ranks, joined != nullptr)) return nullptr;
  joined->measure();
  return joined;
}

}  // namespace

bool chosen_transport::shares_memory(const domain& ranks) {
  if (!shares_memory_) {
    shares_memory_ = on_all(ranks, ranks.may_share_memory()) && distributing::shares_memory(ranks);
  }
  return *shares_memory_;
}

transport& chosen_transport::of(const domain& ranks) {
  if (!chosen_ && on_all(ranks, may_use_nccl_)) chosen_ = nccl_of(ranks);
  if (!chosen_) chosen_ = std::make_unique<tcp_transport>(ranks);
  return *chosen_;
}

}  // namespace wingbeat::distributing
