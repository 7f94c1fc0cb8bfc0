// SPDX-License-Identifier: Apache-2.0
#include "receive/heap_receiver.hpp"

#include <algorithm>  // max
#include <condition_variable>
#include <deque>
#include <mutex>

#include "receive/feed_threads.hpp"  // feed_threads

namespace wingbeat::receive {
namespace {

constexpr std::size_t min_ready = 8, max_ready_bytes = std::size_t{1} << 28;

source source_of(const heap_receive_spec& spec) {
  return std::visit([](const auto& from) -> source { return from; }, spec.source);
}

}  // namespace

struct heap_receiver::state {
  explicit state(const heap_receive_spec& given)
      : spec(given),
        is_patient(waits(source_of(given))),
        feeds(open_feeds(source_of(given), {})),
        assembly(given.assembly, [this](channel_batch&& batch) { publish(std::move(batch)); }) {}

  /// Called by `assembly`, whose lock is held, so it does not wait.
  void publish(channel_batch&& batch) {
    const std::scoped_lock lock(ready_mutex);
    if (spec.max_ready == 0) {
      spec.max_ready = std::max(min_ready, max_ready_bytes / batch.voltages.size());
    }
    if (ready.size() >= spec.max_ready && !is_draining && !is_patient) {
      ++n_starved;
      return;
    }
    ready.push_back(std::move(batch));
    readied.notify_one();
  }

  /// Waits for room, between the datagrams of a capture.
  void wait_for_room() {
    std::unique_lock lock(ready_mutex);
    freed.wait(lock,
               [this] { return ready.empty() || ready.size() < spec.max_ready || is_abandoned; });
  }

  class sink final : public datagram_sink {
   public:
    explicit sink(state& own) : own_(own), lock_(own.mutex, std::defer_lock) {}
    void begin() override { lock_.lock(); }
    void add(std::span<const std::byte> datagram, bool is_truncated) override {
      own_.assembly.add(datagram, is_truncated);
    }
    void end() override {
      const bool has_ended = own_.assembly.has_ended();
      lock_.unlock();
      if (has_ended) own_.feeds.stop();
      if (own_.is_patient) own_.wait_for_room();
    }

   private:
    state& own_;
    std::unique_lock<std::mutex> lock_;
  };

  /// Called after the last feed, when nothing more arrives.
  void finish() {
    bool is_cut = false;
    {
      const std::scoped_lock lock(ready_mutex);
      is_draining = true;
      is_cut = is_abandoned;
    }
    {
      const std::scoped_lock lock(mutex);
      assembly.flush(is_cut && !assembly.has_ended());
    }
    const std::scoped_lock lock(ready_mutex);
    is_closed = true;
    readied.notify_all();
  }

  heap_receive_spec spec;
  bool is_patient;  ///< The source waits for whoever takes batches.
  feed_threads feeds;

  mutable std::mutex mutex;  ///< Guards the members below.
  batch_assembly assembly;

  mutable std::mutex ready_mutex;  ///< Guards the members below; taken last.
  std::condition_variable readied, freed;
  std::deque<channel_batch> ready;
  std::uint64_t n_starved = 0;
  bool is_closed = false;     ///< Nothing more will be published.
  bool is_draining = false;   ///< Open batches are passed on, however many wait.
  bool is_abandoned = false;  ///< No one takes batches any more.
};

heap_receiver::heap_receiver(const heap_receive_spec& spec)
    : state_(std::make_unique<state>(spec)) {}

heap_receiver::~heap_receiver() {
  stop();
}

void heap_receiver::start() {
  state_->feeds.start(
      [s = state_.get()](datagram_feed& feed, stop_request& stop) {
        state::sink sink(*s);
        feed.run(sink, stop);
      },
      [s = state_.get()] { s->finish(); });
}

void heap_receiver::stop() {
  state_->feeds.stop();
  {
    const std::scoped_lock lock(state_->ready_mutex);
    state_->is_abandoned = true;
    state_->freed.notify_all();
  }
  state_->feeds.join();
  const std::scoped_lock lock(state_->ready_mutex);
  state_->is_closed = true;
}

std::optional<channel_batch> heap_receiver::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->ready_mutex);
  state_->readied.wait_for(lock, patience,
                           [this] { return !state_->ready.empty() || state_->is_closed; });
  if (state_->ready.empty()) return {};
  std::optional<channel_batch> first = std::move(state_->ready.front());
  state_->ready.pop_front();
  state_->freed.notify_one();
  return first;
}

bool heap_receiver::is_finished() const {
  const std::scoped_lock lock(state_->ready_mutex);
  return state_->is_closed && state_->ready.empty();
}

std::string heap_receiver::failure() const {
  return state_->feeds.failure();
}

void heap_receiver::rethrow_failure() const {
  state_->feeds.rethrow_failure();
}

heap_receive_counts heap_receiver::counts() const {
  heap_receive_counts result;
  {
    const std::scoped_lock lock(state_->mutex);
    result = state_->assembly.counts();
  }
  const receive_counts outside = state_->feeds.counts();
  result.socket_drops = outside.socket_drops;
  result.other_destinations = outside.other_destinations;
  result.other_frames = outside.other_frames;
  result.cut_frames = outside.cut_frames;
  const std::scoped_lock lock(state_->ready_mutex);
  result.starved_batches = state_->n_starved;
  return result;
}

std::optional<channel_layout> heap_receiver::layout() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->assembly.layout();
}

bool heap_receiver::has_ended() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->assembly.has_ended();
}

std::vector<net::endpoint> heap_receiver::endpoints() const {
  return state_->feeds.endpoints();
}

net::socket_buffers heap_receiver::buffers() const {
  return state_->feeds.buffers();
}

}  // namespace wingbeat::receive
