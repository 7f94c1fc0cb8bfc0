// SPDX-License-Identifier: Apache-2.0
#include "distributing/meeting.hpp"

#include <algorithm>  // all_of
#include <cstddef>    // size_t
#include <exception>  // exception_ptr
#include <memory>     // unique_ptr

#include "backend/backend.hpp"  // mark
#include "processes/group.hpp"  // group
#include "text/formatted.hpp"   // formatted
#include "text/reject.hpp"      // reject
#include "wingbeat/error.hpp"   // error, plan_error

namespace wingbeat::distributing {
namespace {

void wait_within_process(const domain& ranks) {
  std::vector<std::unique_ptr<backend::mark>> marks(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    marks[rank] = ranks.at(rank).impl()->record();
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (std::size_t other = 0; other < ranks.size(); ++other) {
      if (other != rank) ranks.at(rank).impl()->after(*marks[other]);
    }
  }
}

}  // namespace

std::vector<std::string> agreed(const domain& ranks, const std::function<std::string()>& step) {
  if (!ranks.group()) return {step()};
  constexpr char refused = '-', done = '+';
  std::string said;
  std::exception_ptr own;
  try {
    said = done + step();
  } catch (const error& thrown) {
    said = refused + std::string{thrown.what()};
    own = std::current_exception();
  }
  std::vector<std::string> texts = ranks.group()->gather(said);
  if (own) std::rethrow_exception(own);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].front() != refused) continue;
    reject("rank {} fails: {}", rank, texts[rank].substr(1));
  }
  for (std::string& each : texts) each.erase(0, 1);
  return texts;
}

void tell_others(const domain& ranks, const error& refused) {
  if (!ranks.group() || ranks.size() == 1) return;
  ranks.group()->fail(formatted("rank {} fails: {}", ranks.first(), refused.what()));
}

void require_same(const std::vector<std::string>& requests, std::string_view noun) {
  for (std::size_t rank = 1; rank < requests.size(); ++rank) {
    if (requests[rank] == requests[0]) continue;
    reject("rank {} requests another {} than rank 0; give all ranks the same request", rank, noun);
  }
}

bool on_all(const domain& ranks, bool is_so) {
  const std::vector<std::string> answers = ranks.group()->gather(is_so ? "yes" : "no");
  return std::all_of(answers.begin(), answers.end(),
                     [](const auto& each) { return each == "yes"; });
}

void wait_for_each_other(const domain& ranks, processes::shared_barrier* barrier) {
  if (!ranks.group()) return wait_within_process(ranks);
  ranks.wait();
  if (barrier != nullptr) return barrier->wait();
  static_cast<void>(ranks.group()->gather(""));
}

}  // namespace wingbeat::distributing
