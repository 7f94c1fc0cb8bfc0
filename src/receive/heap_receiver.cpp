// SPDX-License-Identifier: Apache-2.0
#include "receive/heap_receiver.hpp"

#include <algorithm>  // max
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace wingbeat::receive {
namespace {

constexpr std::size_t least_ready = 8, most_ready_bytes = std::size_t{1} << 28;

using feed_list = std::vector<std::unique_ptr<datagram_feed>>;

feed_list feeds_of(const heap_receive_spec& spec) {
  if (const auto* live = std::get_if<live_source>(&spec.source)) return open_live(*live);
  feed_list feeds;
  feeds.push_back(open_capture_feed(std::get<capture_source>(spec.source)));
  return feeds;
}

bool waits(const heap_receive_spec& spec) {
  const auto* capture = std::get_if<capture_source>(&spec.source);
  return capture != nullptr && capture->speed == replay_speed::full;
}

}  // namespace

struct heap_receiver::state {
  explicit state(const heap_receive_spec& given)
      : spec(given),
        feeds(feeds_of(given)),
        assembly(given.assembly, [this](channel_batch&& batch) { publish(std::move(batch)); }) {}

  /// Called within `assembly`, whose lock is held: it does not wait.
  void publish(channel_batch&& batch) {
    const std::scoped_lock lock(ready_mutex);
    if (spec.most_ready == 0) {
      spec.most_ready = std::max(least_ready, most_ready_bytes / batch.voltages.size());
    }
    if (ready.size() >= spec.most_ready && !is_draining && !waits(spec)) {
      ++n_starved;
      return;
    }
    ready.push_back(std::move(batch));
    readied.notify_one();
  }

  /// Waits, between datagrams of a capture, until there is room.
  void wait_for_room() {
    std::unique_lock lock(ready_mutex);
    freed.wait(lock,
               [this] { return ready.empty() || ready.size() < spec.most_ready || is_abandoned; });
  }

  class sink final : public datagram_sink {
   public:
    explicit sink(state& to) : to_(to), lock_(to.mutex, std::defer_lock) {}
    void begin() override { lock_.lock(); }
    void add(std::span<const std::byte> datagram, bool is_truncated) override {
      to_.assembly.add(datagram, is_truncated);
    }
    void end() override {
      const bool has_ended = to_.assembly.has_ended();
      lock_.unlock();
      if (has_ended) to_.stop.set();
      if (waits(to_.spec)) to_.wait_for_room();
    }

   private:
    state& to_;
    std::unique_lock<std::mutex> lock_;
  };

  void run(datagram_feed& feed) {
    try {
      sink to(*this);
      feed.run(to, stop);
    } catch (const std::exception& fault) {
      {
        const std::scoped_lock lock(ready_mutex);
        if (failure.empty()) failure = fault.what();
      }
      stop.set();
    }
    bool is_cut = false;
    {
      const std::scoped_lock lock(ready_mutex);
      if (--n_running > 0) return;
      is_draining = true;
      is_cut = is_abandoned;
    }
    {
      // The last one: nothing more comes.
      const std::scoped_lock lock(mutex);
      assembly.flush(is_cut && !assembly.has_ended());
    }
    const std::scoped_lock lock(ready_mutex);
    is_closed = true;
    readied.notify_all();
  }

  heap_receive_spec spec;
  feed_list feeds;
  stop_request stop;
  std::vector<std::thread> threads;

  mutable std::mutex mutex;  ///< Of what follows.
  batch_assembly assembly;

  mutable std::mutex ready_mutex;  ///< Of what follows; taken last.
  std::condition_variable readied, freed;
  std::deque<channel_batch> ready;
  std::uint64_t n_starved = 0;
  std::size_t n_running = 0;
  bool is_closed = false;     ///< Nothing more is published.
  bool is_draining = false;   ///< What was open is handed on, however much waits.
  bool is_abandoned = false;  ///< Nobody takes batches any more.
  std::string failure;
};

heap_receiver::heap_receiver(const heap_receive_spec& spec)
    : state_(std::make_unique<state>(spec)) {}

heap_receiver::~heap_receiver() {
  stop();
}

void heap_receiver::start() {
  if (!state_->threads.empty()) return;
  state_->n_running = state_->feeds.size();
  for (const auto& feed : state_->feeds) {
    state_->threads.emplace_back([s = state_.get(), f = feed.get()] { s->run(*f); });
  }
}

void heap_receiver::stop() {
  state_->stop.set();
  {
    const std::scoped_lock lock(state_->ready_mutex);
    state_->is_abandoned = true;
    state_->freed.notify_all();
  }
  for (std::thread& running : state_->threads) {
    if (running.joinable()) running.join();
  }
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
  const std::scoped_lock lock(state_->ready_mutex);
  return state_->failure;
}

heap_receive_counts heap_receiver::counts() const {
  heap_receive_counts result;
  {
    const std::scoped_lock lock(state_->mutex);
    result = state_->assembly.counts();
  }
  for (const auto& feed : state_->feeds) {
    const receive_counts outside = feed->counts();
    result.socket_drops += outside.socket_drops;
    result.other_destinations += outside.other_destinations;
    result.other_frames += outside.other_frames;
    result.cut_frames += outside.cut_frames;
  }
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
  std::vector<net::endpoint> all;
  for (const auto& feed : state_->feeds) {
    for (const net::endpoint& next : feed->endpoints()) all.push_back(next);
  }
  return all;
}

net::socket_buffers heap_receiver::buffers() const {
  net::socket_buffers all;
  for (const auto& feed : state_->feeds) all.add(feed->buffers());
  return all;
}

}  // namespace wingbeat::receive
