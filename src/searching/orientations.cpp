// SPDX-License-Identifier: Apache-2.0
#include "searching/orientations.hpp"

#include <algorithm>  // max, min, sort
#include <optional>
#include <tuple>  // tie

#include "searching/deal.hpp"   // deal
#include "text/reject.hpp"      // reject
#include "wingbeat/buffer.hpp"  // buffer

namespace wingbeat::searching {
namespace {

/// Long enough that the upload of rotations costs nothing, short enough for progress.
constexpr std::size_t runs_of_batch = 8;

}  // namespace

shared_orientation_search::shared_orientation_search(const std::vector<queue>& queues,
                                                     const orientation_spec& spec) {
  if (queues.empty()) reject("a search has no queue; give at least one");
  for (const queue& each : queues) takers_.push_back({each, orientation_search{each, spec}});
}

void shared_orientation_search::send(std::span<const float> numbers,
                                     const std::function<void(taker&, buffer_view)>& use) {
  for (taker& each : takers_) {
    buffer copy{each.on, numbers.size_bytes()};
    copy.write(numbers.data(), numbers.size_bytes());
    use(each, copy.view());
    each.on.wait();
  }
}

void shared_orientation_search::begin(std::span<const float> image) {
  is_whole_ = false;
  send(image, [](taker& each, buffer_view view) { each.search.begin(each.on, view); });
  is_whole_ = true;
}

void shared_orientation_search::restart() {
  for (taker& each : takers_) each.search.restart(each.on);
  is_whole_ = true;
}

void shared_orientation_search::set_volume(std::span<const float> spectrum) {
  send(spectrum, [](taker& each, buffer_view view) { each.search.set_volume(each.on, view); });
}

void shared_orientation_search::set_filters(std::span<const float> filters) {
  send(filters, [](taker& each, buffer_view view) { each.search.set_filters(each.on, view); });
}

void shared_orientation_search::require_whole() const {
  if (is_whole_) return;
  reject(
      "this search failed while it took rotations, of which it has scored some; begin or restart "
      "it");
}

void shared_orientation_search::add(std::span<const plane_axes> rotations, std::size_t first,
                                    const std::function<void(std::size_t n_done)>& report) {
  require_whole();
  is_whole_ = false;
  const std::size_t most = takers_.front().search.spec().orientations_at_once * runs_of_batch;
  std::size_t n_dealt = 0, n_done = 0;
  const auto next = [&]() -> std::optional<std::size_t> {
    if (n_dealt == rotations.size()) return std::nullopt;
    const std::size_t begin = n_dealt;
    n_dealt += std::min(most, rotations.size() - n_dealt);
    return begin;
  };
  const auto part_at = [&](std::size_t begin) {
    return rotations.subspan(begin, std::min(most, rotations.size() - begin));
  };
  deal(
      std::span{takers_}, next,
      [&](taker& each, std::size_t begin) {
        each.search.add(each.on, part_at(begin), first + begin);
        each.on.wait();
      },
      [&](std::size_t begin) {
        n_done += part_at(begin).size();
        if (report) report(n_done);
      });
  is_whole_ = true;
}

std::vector<float> shared_orientation_search::project(const plane_axes& rotation) {
  taker& target = takers_.front();
  const orientation_spec& spec = target.search.spec();
  std::vector<float> templates(spec.filters * spec.box * spec.box);
  const std::size_t bytes = templates.size() * sizeof(float);
  const buffer out{target.on, bytes};
  target.search.project(target.on, rotation, out.view());
  target.on.wait();
  out.read(templates.data(), bytes);
  return templates;
}

search_state shared_orientation_search::state() const {
  require_whole();
  search_state kept = takers_.front().search.state(takers_.front().on);
  for (taker& each : std::span{takers_}.subspan(1)) kept.merge(each.search.state(each.on));
  return kept;
}

score_table shared_orientation_search::take_table() {
  score_table table;
  for (taker& each : takers_) table.append(each.search.take_table(each.on));
  std::sort(table.entries.begin(), table.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.number, a.y, a.x) < std::tie(b.number, b.y, b.x);
  });
  return table;
}

std::string shared_orientation_search::explain() const {
  std::string text;
  for (const taker& each : takers_) text += each.search.explain();
  return text;
}

}  // namespace wingbeat::searching
