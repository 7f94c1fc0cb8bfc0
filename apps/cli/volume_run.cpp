// SPDX-License-Identifier: Apache-2.0
#include "cli/volume_run.hpp"

#include <algorithm>  // max, min
#include <chrono>
#include <filesystem>

#include "cli/messages.hpp"     // print_message
#include "cli/progress.hpp"     // rate_bar
#include "cli/search_part.hpp"  // read_part, write_part
#include "text/reject.hpp"      // reject, reject_if

namespace wingbeat::cli {
namespace {

using clock = std::chrono::steady_clock;

constexpr searching::part_words words{.parts = "one search with the same options",
                                      .moments = "sums"};

double seconds_since(clock::time_point begun) {
  return std::chrono::duration<double>(clock::now() - begun).count();
}

/// Returns the ranges of orientations that a part lacks of its shard.
std::vector<searching::template_range> missing_of(const searching::search_part& part,
                                                  searching::template_range shard,
                                                  std::size_t n_filters) {
  std::vector<searching::template_range> ranges;
  for (const searching::template_range& gap : part.missing()) {
    const searching::template_range left{std::max(gap.begin / n_filters, shard.begin),
                                         std::min(gap.end / n_filters, shard.end)};
    if (left.begin < left.end) ranges.push_back(left);
  }
  return ranges;
}

/// Adds what was searched now to what the file had.
searching::search_part total(const searching::search_part& before,
                             const searching::search_part& empty,
                             std::vector<searching::template_range> templates, search_state kept) {
  searching::search_part result = empty;
  result.templates = std::move(templates);
  result.kept = std::move(kept);
  if (before.templates.empty()) return result;
  if (result.templates.empty()) return before;
  result.merge(before, "this search", "the state file", words);
  return result;
}

}  // namespace

searching::search_part searched(microscopy::volume_search& search,
                                const microscopy::search_space& space,
                                const searching::search_part& empty, const volume_run& run,
                                const std::function<void()>& added) {
  const std::size_t n_filters = space.n_filters(), n_orientations = space.orientations.count();
  searching::search_part before = empty;
  if (!run.state_file.empty() && std::filesystem::exists(run.state_file)) {
    before = read_part(run.state_file);
    require_same_search(before, empty, run.state_file, "this search", words);
    reject_if(
        before.kept.histogram.empty() && search.orientations().first().spec().histogram.count != 0,
        "{} keeps no histogram; leave out --histogram, or give --state a file of its own",
        run.state_file);
    print_message("continues {}", run.state_file);
  }
  const std::size_t at_once = search.orientations().first().spec().orientations_at_once;
  const searching::template_range shard = run.part.of(n_orientations, at_once);
  const auto ranges = missing_of(before, shard, n_filters);
  std::size_t n_left = 0, n_done = 0;
  for (const auto& range : ranges) n_left += range.end - range.begin;
  rate_bar bar{"match-volume", "orientation"};
  std::vector<searching::template_range> done;
  auto written_at = clock::now();
  std::size_t chunk = at_once;
  for (const auto& range : ranges) {
    for (std::size_t begin = range.begin; begin < range.end;) {
      const std::size_t end = std::min(begin + chunk, range.end);
      const auto begun = clock::now();
      search.add({begin, end}, [&](std::size_t n) {
        bar.show(n_done + n, static_cast<double>(n_done + n) / static_cast<double>(n_left));
      });
      if (added) added();
      constexpr double long_chunk_s = 4;
      if (seconds_since(begun) < long_chunk_s / 2) chunk *= 2;
      n_done += end - begin;
      static_cast<void>(add_range(done, {begin * n_filters, end * n_filters}));
      begin = end;
      const bool is_due = seconds_since(written_at) >= run.every_s.value_or(300) && n_done < n_left;
      if (run.state_file.empty() || !is_due) continue;
      write_part(run.state_file, total(before, empty, done, search.orientations().state()));
      written_at = clock::now();
    }
  }
  searching::search_part result = total(before, empty, done, search.orientations().state());
  if (!run.state_file.empty()) write_part(run.state_file, result);
  return result;
}

searching::search_part merged(const std::vector<std::string>& files,
                              const searching::search_part& empty) {
  searching::search_part whole = read_part(files.front());
  require_same_search(whole, empty, files.front(), "this search", words);
  for (std::size_t i = 1; i < files.size(); ++i) {
    whole.merge(read_part(files[i]), files.front(), files[i], words);
  }
  for (const searching::template_range& gap : whole.missing()) {
    reject(
        "templates {} to {} of {} are in none of the parts; give the other parts, or finish them",
        gap.begin, gap.end - 1, whole.n_templates);
  }
  return whole;
}

}  // namespace wingbeat::cli
