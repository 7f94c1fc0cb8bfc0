// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/nccl.hpp"

#include <array>
#include <cstring>  // memcpy
#include <thread>   // this_thread::yield
#include <utility>  // exchange

#include "backend/cuda/context.hpp"  // entered
#include "backend/cuda/queue.hpp"    // cuda_queue
#include "backend/cuda/toolkit.hpp"  // toolkit_candidates
#include "backend/nccl.hpp"          // nccl_rank

namespace wingbeat::backend {
namespace cuda {
namespace {

void bind_nccl(shared_library& library, nccl_api& api) {
  library.bind(api.error_text, "ncclGetErrorString");
  library.bind(api.new_id, "ncclGetUniqueId");
  library.bind(api.join, "ncclCommInitRankConfig");
  library.bind(api.state, "ncclCommGetAsyncError");
  library.bind(api.abort, "ncclCommAbort");
  library.bind(api.size, "ncclCommCount");
  library.bind(api.rank, "ncclCommUserRank");
  library.bind(api.group_begin, "ncclGroupStart");
  library.bind(api.group_end, "ncclGroupEnd");
  library.bind(api.send, "ncclSend");
  library.bind(api.receive, "ncclRecv");
  library.bind(api.all_gather, "ncclAllGather");
}

void check_nccl(result status, std::string_view doing) {
  if (status == success || status == nccl_in_progress) return;
  throw device_error(
      formatted("NCCL could not {}: {}", doing, process_nccl().api.error_text(status)));
}

/// Returns NCCL. Throws the reason if there is none.
const nccl_api& require_nccl() {
  const opened<nccl_api>& found = process_nccl();
  if (!found.problem.empty()) throw device_error("NCCL is not here: " + found.problem);
  return found.api;
}

void* memory_of(const buffer_view& view) {
  return static_cast<char*>(view.handle) + view.offset_bytes;
}

/// Returns whether the last call has finished on this rank. Throws if a call failed.
bool is_settled(const nccl_api& api, communicator_handle handle, std::string_view doing) {
  result state = success;
  check_nccl(api.state(handle, &state), doing);
  check_nccl(state, doing);
  return state == success;
}

template <class Condition>
void wait_until(std::string_view doing, const may_wait& goes_on, Condition is_so) {
  constexpr int polls = 32;  // cheaper than calling `goes_on`
  for (int count = 1; !is_so(); ++count) {
    if (count % polls == 0 && !goes_on()) {
      throw device_error(formatted("NCCL did not {} in time, or a rank was lost", doing));
    }
    std::this_thread::yield();
  }
}

/// A communicator whose calls return at once, so that nothing waits for a rank that was lost.
class communicator final : public nccl_rank {
 public:
  communicator(const std::shared_ptr<backend::queue>& on, const std::string& id, std::size_t rank,
               std::size_t size, const may_wait& goes_on)
      : owner_(on), on_(static_cast<queue&>(*on)), api_(require_nccl()) {
    nccl_id common;
    std::memcpy(common.bytes, id.data(), std::min(id.size(), sizeof common.bytes));
    nccl_config config;
    const entered current{on_.api(), on_.context()};
    guard([&] {
      check_nccl(
          api_.join(&handle_, static_cast<int>(size), common, static_cast<int>(rank), &config),
          "join ranks");
      settle("join ranks", goes_on);
    });
  }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;

  ~communicator() override {
    const entered current{on_.api(), on_.context(), std::nothrow};
    if (current.is_current()) abort();
  }

  void exchange(std::span<const message> sent, std::span<const message> received,
                const may_wait& goes_on) override {
    if (handle_ == nullptr) throw device_error("NCCL failed before; make the domain anew");
    const entered current{on_.api(), on_.context()};
    guard([&] {
      check_nccl(api_.group_begin(), "begin an exchange");
      for (const message& each : sent) {
        check_nccl(api_.send(memory_of(each.bytes), each.bytes.size_bytes, nccl_bytes,
                             static_cast<int>(each.rank), handle_, on_.stream()),
                   "send");
      }
      for (const message& each : received) {
        check_nccl(api_.receive(memory_of(each.bytes), each.bytes.size_bytes, nccl_bytes,
                                static_cast<int>(each.rank), handle_, on_.stream()),
                   "receive");
      }
      check_nccl(api_.group_end(), "exchange");
      settle("exchange", goes_on);
      const auto done = on_.record();
      wait_until("exchange", goes_on,
                 [&] { return is_settled(api_, handle_, "exchange") && done->is_reached(); });
    });
  }

 private:
  /// Calls a function; aborts the communicator if it fails.
  template <class Function>
  void guard(Function call) {
    try {
      call();
    } catch (...) {
      abort();
      throw;
    }
  }

  void abort() noexcept {
    if (handle_ != nullptr) api_.abort(std::exchange(handle_, nullptr));
  }

  /// Waits until the last call has finished on this rank.
  void settle(std::string_view doing, const may_wait& goes_on) {
    wait_until(doing, goes_on, [&] { return is_settled(api_, handle_, doing); });
  }

  std::shared_ptr<backend::queue> owner_;
  queue& on_;
  const nccl_api& api_;
  communicator_handle handle_ = nullptr;
};

}  // namespace

opened<nccl_api> open_nccl(std::span<const std::string> candidates) {
  std::string path;
  return open_first<nccl_api>(candidates, bind_nccl, path);
}

std::vector<std::string> nccl_candidates() {
  const std::vector<std::string> names{"libnccl.so.2"};
  return toolkit_candidates(names);
}

const opened<nccl_api>& process_nccl() {
  // Never destroyed, because communicators with static storage may use it.
  static const auto& found =
      *std::make_unique<const opened<nccl_api>>(open_nccl(nccl_candidates())).release();
  return found;
}

}  // namespace cuda

std::string nccl_problem(const queue& on) {
  if (on.device().runs_on != wingbeat::engine::cuda) return "NCCL is of cuda";
  return cuda::process_nccl().problem;
}

std::string new_nccl_id() {
  cuda::nccl_id id;
  cuda::check_nccl(cuda::require_nccl().new_id(&id), "make an id");
  return {id.bytes, sizeof id.bytes};
}

std::unique_ptr<nccl_rank> join_nccl(const std::shared_ptr<queue>& on, const std::string& id,
                                     std::size_t rank, std::size_t size, const may_wait& goes_on) {
  return std::make_unique<cuda::communicator>(on, id, rank, size, goes_on);
}

nccl_texts gather_by_nccl(queue& on, void* communicator, const std::string& text,
                          const may_wait& goes_on) {
  const cuda::queue& mine = cuda::cuda_queue(on);
  const cuda::nccl_api& api = cuda::require_nccl();
  auto* const handle = static_cast<cuda::communicator_handle>(communicator);
  int rank = 0, size = 0;
  const cuda::entered current{mine.api(), mine.context()};
  cuda::check_nccl(api.rank(handle, &rank), "tell a rank");
  cuda::check_nccl(api.size(handle, &size), "tell the number of ranks");
  using line = std::array<char, 256>;
  line own{};
  text.copy(own.data(), own.size() - 1);
  std::vector<line> lines(static_cast<std::size_t>(size));
  const std::size_t bytes = sizeof(line) * lines.size();
  const std::unique_ptr<void, std::function<void(void*)>> memory{
      on.allocate(bytes + sizeof(line)), [&on](void* each) { on.release(each); }};
  on.write({memory.get(), bytes, sizeof(line)}, own.data());
  const auto* const sent = static_cast<const char*>(memory.get()) + bytes;
  cuda::check_nccl(
      api.all_gather(sent, memory.get(), sizeof(line), cuda::nccl_bytes, handle, mine.stream()),
      "gather texts");
  cuda::wait_until("gather texts", goes_on,
                   [&] { return cuda::is_settled(api, handle, "gather texts"); });
  on.read(lines.data(), {memory.get(), 0, bytes});
  nccl_texts result{static_cast<std::size_t>(rank), {}};
  for (const line& each : lines) result.texts.emplace_back(each.data());
  return result;
}

}  // namespace wingbeat::backend
