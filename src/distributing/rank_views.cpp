// SPDX-License-Identifier: Apache-2.0
#include "distributing/rank_views.hpp"

#include <string>

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::distributing {
namespace {

void require_view(const domain& ranks, std::size_t rank, std::string_view noun,
                  const start_rule& start, std::string_view side, const rank_views& views) {
  const std::size_t bytes = views.bytes(rank);
  if (bytes == 0) return;
  const std::string name = formatted("{} of rank {}", side, rank);
  view_owner{noun, ranks.at(rank).device()}.require_operand({name, views.given[rank], bytes}, start,
                                                            *ranks.at(rank).impl());
}

void require_apart(const domain& ranks, std::size_t rank, const rank_views& in,
                   const rank_views& out) {
  const engine runs_on = ranks.at(rank).device().runs_on;
  const std::size_t out_bytes = out.bytes(rank);
  for (std::size_t other = 0; other < ranks.size() && out_bytes > 0; ++other) {
    const std::size_t read_bytes = in.bytes(other);
    if (read_bytes == 0 || !ranks.has(other) ||
        are_apart(in.given[other], read_bytes, out.given[rank], out_bytes, runs_on)) {
      continue;
    }
    reject(
        "the output of rank {} overlaps the input of rank {}, which may be read after it "
        "is written; give it other memory",
        rank, other);
  }
}

}  // namespace

std::vector<buffer_view> views_of_first(const domain& ranks, const buffer_view& given) {
  std::vector<buffer_view> views(ranks.size());
  views[ranks.first()] = given;
  return views;
}

void require_all_ranks(const domain& ranks, const rank_views& in, const rank_views& out) {
  if (in.given.size() == ranks.size() && out.given.size() == ranks.size()) return;
  reject("{} inputs and {} outputs were given for {} ranks; give one of each for every rank",
         in.given.size(), out.given.size(), ranks.size());
}

void require_places(const domain& ranks, std::string_view noun, const start_rule& start,
                    const rank_views& in, const rank_views& out) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks.has(rank)) continue;
    require_view(ranks, rank, noun, start, "input", in);
    require_view(ranks, rank, noun, start, "output", out);
    require_apart(ranks, rank, in, out);
  }
}

}  // namespace wingbeat::distributing
