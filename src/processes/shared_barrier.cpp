// SPDX-License-Identifier: Apache-2.0
#include "processes/shared_barrier.hpp"

#include <fcntl.h>  // open
#include <sys/mman.h>
#include <unistd.h>  // ftruncate, unlink

#include <algorithm>  // all_of, max
#include <map>
#include <mutex>
#include <random>  // random_device
#include <string>
#include <thread>   // this_thread::yield
#include <utility>  // move
#include <vector>

#include "system/file_descriptor.hpp"  // file_descriptor
#include "text/formatted.hpp"          // formatted
#include "wingbeat/error.hpp"          // device_error

namespace wingbeat::processes {
namespace {

/// Maps memory by its name, zeros if it is new; returns null if there is none.
std::shared_ptr<void> mapped(const std::string& name, std::size_t size_bytes, int flags) {
  const file_descriptor memory{::open(name.c_str(), O_RDWR | O_CLOEXEC | flags, 0600)};
  if (!memory.is_open()) return nullptr;
  if (flags != 0 && ::ftruncate(memory.get(), static_cast<off_t>(size_bytes)) != 0) return nullptr;
  void* const found =
      ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (found == MAP_FAILED) return nullptr;
  return {found, [size_bytes](void* address) { ::munmap(address, size_bytes); }};
}

/// Maps memory once for all ranks in threads of this process. The thread sanitizer goes by
/// addresses, so it then sees the order that the counters make.
std::shared_ptr<void> mapped_once(const std::string& name, std::size_t size_bytes, int flags) {
  static std::mutex guard;
  static std::map<std::string, std::weak_ptr<void>> known;
  const std::lock_guard held{guard};
  std::erase_if(known, [](const auto& each) { return each.second.expired(); });
  std::shared_ptr<void> memory = known[name].lock();
  if (!memory) known[name] = memory = mapped(name, size_bytes, flags);
  return memory;
}

}  // namespace

std::unique_ptr<shared_barrier> shared_barrier::open(const std::shared_ptr<group>& ranks) {
  const std::size_t bytes = ranks->size() * sizeof(counter);
  std::string name;
  std::shared_ptr<void> memory;
  if (ranks->rank() == 0) {
    name = formatted("/dev/shm/wingbeat-{}-{}", ::getpid(), std::random_device{}());
    memory = mapped_once(name, bytes, O_CREAT | O_EXCL);
  }
  name = ranks->gather(name)[0];
  if (ranks->rank() != 0) memory = mapped_once(name, bytes, 0);
  const std::vector<std::string> answers = ranks->gather(memory != nullptr ? "yes" : "no");
  if (ranks->rank() == 0) ::unlink(name.c_str());
  std::unique_ptr<shared_barrier> result;
  if (memory != nullptr)
    result.reset(new shared_barrier(ranks, std::static_pointer_cast<counter[]>(memory)));
  const bool have_all = std::all_of(answers.begin(), answers.end(),
                                    [](const std::string& each) { return each == "yes"; });
  return have_all ? std::move(result) : nullptr;
}

bool shared_barrier::has_come(std::size_t rank) const {
  return counters_[rank].count.load(std::memory_order_acquire) >= count_;
}

std::vector<std::size_t> shared_barrier::late() const {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < ranks_->size(); ++rank) {
    if (!has_come(rank)) ranks.push_back(rank);
  }
  return ranks;
}

void shared_barrier::wait() {
  if (ranks_->has_failed()) ranks_->require_all(deadline{0});  // or others would continue
  counters_[ranks_->rank()].count.store(++count_, std::memory_order_release);
  const deadline until{ranks_->waits_s()};
  constexpr int polls = 16;       // cheaper than to ask for the others
  constexpr double answer_s = 1;  // others that wait here notice that they are asked
  for (std::size_t rank = 0; rank < ranks_->size(); ++rank) {
    for (int n = 1; !has_come(rank); ++n) {
      std::this_thread::yield();
      if (n % polls != 0) continue;
      // While a rank is late, any message here means that a rank lost one, or makes other calls.
      const bool has_news = ranks_->has_news(), is_over = until.left_ms() == 0;
      const std::vector<std::size_t> awaited = late();
      if (awaited.empty()) return;
      if (!has_news && !is_over) continue;
      ranks_->require_all(deadline{std::max(until.left_s(), answer_s)});
      const std::string reason = formatted(
          "rank {} makes other calls than rank {}, or is late; have all ranks make the same in the "
          "same order",
          awaited.front(), ranks_->rank());
      ranks_->fail(reason);
      throw device_error(reason);
    }
  }
}

}  // namespace wingbeat::processes
