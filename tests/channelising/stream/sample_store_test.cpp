// SPDX-License-Identifier: Apache-2.0
// A store that one queue writes while another reads: queues of this test do their work as late as
// marks allow, in an order that the test chooses.
#include "channelising/stream/sample_store.hpp"

#include <gtest/gtest.h>

#include <cstring>  // memcpy, memset
#include <functional>
#include <random>

#include "wingbeat/queue.hpp"

namespace {

using namespace wingbeat;
using namespace channelising;

/// Work of several queues, each in order; `favourite` goes first wherever it may.
class schedule {
 public:
  struct task {
    std::function<void()> work;
    std::size_t awaited_queue = 0, awaited_count = 0;  ///< So many tasks of that queue come first.
  };

  std::size_t add_queue() {
    queues_.emplace_back();
    return queues_.size() - 1;
  }
  void add(std::size_t number, task next) { queues_[number].tasks.push_back(std::move(next)); }
  [[nodiscard]] std::size_t count(std::size_t queue) const { return queues_[queue].tasks.size(); }
  [[nodiscard]] bool is_done(std::size_t queue, std::size_t n) const {
    return queues_[queue].n_done >= n;
  }

  /// Works until the first `n` tasks of a queue are done.
  void run_until(std::size_t queue, std::size_t n) {
    while (!is_done(queue, n)) {
      bool has_worked = step(favourite);
      for (std::size_t i = 0; i < queues_.size() && !has_worked; ++i) has_worked = step(i);
      if (!has_worked) throw std::logic_error("queues wait for each other");
    }
  }

  std::size_t favourite = 0;

 private:
  struct work_queue {
    std::vector<task> tasks;
    std::size_t n_done = 0;
  };

  bool step(std::size_t offset) {
    work_queue& on = queues_[offset];
    if (on.n_done == on.tasks.size()) return false;
    task& next = on.tasks[on.n_done];
    if (!is_done(next.awaited_queue, next.awaited_count)) return false;
    if (next.work) next.work();
    ++on.n_done;
    return true;
  }

  std::vector<work_queue> queues_;
};

std::byte* start_of(buffer_view view) {
  return static_cast<std::byte*>(view.handle) + view.offset_bytes;
}

class late_queue final : public backend::queue {
 public:
  explicit late_queue(std::shared_ptr<schedule> owner)
      : backend::queue(first_device(engine::host)), schedule_(std::move(owner)) {
    index_ = schedule_->add_queue();
  }
  ~late_queue() override { drop_workspace(); }

  class late_mark final : public backend::mark {
   public:
    late_mark(std::shared_ptr<schedule> owner, std::size_t queue, std::size_t count)
        : schedule_(std::move(owner)), queue_(queue), count_(count) {}
    double seconds_since(const backend::mark&) const override { return 0; }
    bool is_reached() const override { return schedule_->is_done(queue_, count_); }
    void wait() const override { schedule_->run_until(queue_, count_); }
    [[nodiscard]] schedule::task behind() const { return {{}, queue_, count_}; }

   private:
    std::shared_ptr<schedule> schedule_;
    std::size_t queue_, count_;
  };

  void* allocate(std::size_t size_bytes) override { return new std::byte[size_bytes]; }
  void release(void* handle) noexcept override { delete[] static_cast<std::byte*>(handle); }
  void write(buffer_view to, const void* from) override {
    write_later(to, from);
    wait();
  }
  void read(void* to, buffer_view from) override {
    add([=] { std::memcpy(to, start_of(from), from.size_bytes); });
    wait();
  }
  void wait() override { schedule_->run_until(index_, schedule_->count(index_)); }
  std::unique_ptr<backend::mark> record() override {
    return std::make_unique<late_mark>(schedule_, index_, schedule_->count(index_));
  }
  std::shared_ptr<backend::queue> open_beside() const override {
    return std::make_shared<late_queue>(schedule_);
  }
  void after(const backend::mark& awaited) override {
    schedule_->add(index_, dynamic_cast<const late_mark&>(awaited).behind());
  }
  void write_later(buffer_view to, const void* from) override {
    add([=] { std::memcpy(start_of(to), from, to.size_bytes); });
  }
  void clear(buffer_view memory) override {
    add([=] { std::memset(start_of(memory), 0, memory.size_bytes); });
  }
  void copy(buffer_view to, buffer_view from) override {
    add([=] { std::memcpy(start_of(to), start_of(from), from.size_bytes); });
  }
  void add(std::function<void()> work) { schedule_->add(index_, {std::move(work)}); }

 private:
  std::shared_ptr<schedule> schedule_;
  std::size_t index_ = 0;
};

/// A stream of bytes, two planes; a "kernel" reads the last ones after each piece.
class store_stream {
 public:
  static constexpr std::size_t window = 96, capacity = 384, n_planes = 2;

  store_stream(std::size_t favourite, unsigned seed) : random_(seed) {
    work_->favourite = favourite;
  }

  /// Appends pieces, some of them missing, and goes back now and then; returns what was read wrong.
  std::size_t run(std::size_t n_pieces, bool has_odd_pieces) {
    for (std::size_t i = 0; i < n_pieces; ++i) {
      if (random_() % 16 == 0) restart();
      append(has_odd_pieces ? random_() % 60 : 8 * (random_() % 8));
    }
    on_.wait();
    EXPECT_GT(n_read_, n_pieces);
    return n_wrong_;
  }

 private:
  static std::byte value_at(std::size_t plane, std::int64_t index, unsigned epoch) {
    return static_cast<std::byte>(index * 7 + static_cast<std::int64_t>(plane * 101 + epoch * 31));
  }

  void restart() {
    ++epoch_;
    store_.restart(0);
  }

  void append(std::size_t count) {
    const std::int64_t end = store_.end(), next = end + static_cast<std::int64_t>(count);
    ASSERT_TRUE(store_.make_room(on_, end - static_cast<std::int64_t>(window), count));
    // A group of eight that is not whole is written again, as packed samples are.
    const std::int64_t first = store_.begin() + (end - store_.begin()) / 8 * 8;
    std::vector<std::byte> pieces[n_planes];
    for (std::size_t p = 0; p < n_planes; ++p) {
      for (std::int64_t i = first; i < next; ++i) pieces[p].push_back(value_at(p, i, epoch_));
      store_.write_later(p, first, pieces[p].data(), pieces[p].size());
    }
    store_.publish(on_);
    store_.extend(next);
    read(std::max(store_.begin(), next - static_cast<std::int64_t>(window)), next);
    store_.wait_for_writes();
    for (auto& each : pieces) std::fill(each.begin(), each.end(), std::byte{0xEE});
  }

  void read(std::int64_t first, std::int64_t end) {
    for (std::size_t p = 0; p < n_planes && first < end; ++p) {
      const std::byte* const begin = start_of(store_.at(p, first));
      static_cast<late_queue&>(*on_.impl()).add([=, this, epoch = epoch_] {
        for (std::int64_t i = first; i < end; ++i) {
          n_wrong_ += begin[i - first] != value_at(p, i, epoch) ? 1 : 0;
          ++n_read_;
        }
      });
    }
  }

  std::mt19937 random_;
  std::shared_ptr<schedule> work_ = std::make_shared<schedule>();
  queue on_{std::make_shared<late_queue>(work_)};
  sample_store store_{on_, n_planes, 8, capacity, 0, written_by::copies};
  unsigned epoch_ = 0;
  std::size_t n_wrong_ = 0, n_read_ = 0;
};

TEST(sample_store, is_right_whichever_queue_is_late) {
  for (const std::size_t favourite : {0U, 1U}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      for (const bool has_odd_pieces : {false, true}) {
        store_stream stream{favourite, seed};
        EXPECT_EQ(stream.run(200, has_odd_pieces), 0U)
            << "queue " << favourite << " first, seed " << seed << ", odd " << has_odd_pieces;
      }
    }
  }
}

}  // namespace
