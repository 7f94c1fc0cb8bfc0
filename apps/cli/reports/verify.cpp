// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/verify.hpp"

#include <algorithm>  // find_if

#include "cli/choose.hpp"         // short_name
#include "cli/reports/ranks.hpp"  // ranks_text
#include "cli/reports/table.hpp"  // table
#include "text/formatted.hpp"     // formatted, joined

namespace wingbeat::cli {
namespace {

using verify::verdict;

/// Returns "3 ranks from host", "rank 0 alone, host", or "host" for a single device.
std::string device_text(const verdict& v) {
  const std::string first = short_name(v.device);
  return v.is_alone ? "rank 0 alone, " + first : ranks_text(v.n_ranks, first);
}

/// The verdicts of one device, precision and law.
struct group {
  const verdict* worst;
  std::size_t n_trials = 0;
  std::size_t n_wrong = 0;
};

/// Returns the error over its bound; above 1 the verdict is wrong.
double share_of_bound(const verdict& v) {
  if (!v.is_right()) return v.bound > 0 && v.error > v.bound ? v.error / v.bound : 1e300;
  return v.bound > 0 ? v.error / v.bound : 0;
}

bool is_same_group(const verdict& a, const verdict& b) {
  return a.device.runs_on == b.device.runs_on && a.device.index == b.device.index &&
         a.is_alone == b.is_alone && a.real == b.real && a.law == b.law;
}

std::vector<group> groups_of(const std::vector<verdict>& verdicts) {
  std::vector<group> groups;
  for (const verdict& v : verdicts) {
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const group& g) { return is_same_group(*g.worst, v); });
    if (found == groups.end()) found = groups.insert(groups.end(), group{&v});
    ++found->n_trials;
    found->n_wrong += !v.is_right();
    if (share_of_bound(v) > share_of_bound(*found->worst)) found->worst = &v;
  }
  return groups;
}

}  // namespace

std::string verify_text(const std::vector<verdict>& verdicts) {
  table listed{{{"device", align::left},
                {"precision", align::left},
                {"check", align::left},
                {"trials"},
                {"wrong"},
                {"worst error"},
                {"allowed"},
                {"at lengths"},
                {"kind", align::left},
                {"verdict", align::left}}};
  for (const group& g : groups_of(verdicts)) {
    const verdict& v = *g.worst;
    listed.add({device_text(v), std::string{name_of(v.real)}, std::string{v.law},
                formatted("{}", g.n_trials), formatted("{}", g.n_wrong),
                formatted("{:.2e}", v.error), formatted("{:.2e}", v.bound), joined(v.lengths, "x"),
                std::string{name_of(v.kind)}, g.n_wrong == 0 ? "ok" : "WRONG"});
  }
  return listed.text();
}

std::string sentence_of(const verdict& wrong) {
  const auto check =
      formatted("{}, {}, {} of length {}: check '{}'", device_text(wrong), name_of(wrong.real),
                name_of(wrong.kind), joined(wrong.lengths, "x"), wrong.law);
  if (!wrong.failure.empty()) return formatted("{} could not run: {}", check, wrong.failure);
  return formatted("{} is off by {:.2e}; {:.2e} is allowed", check, wrong.error, wrong.bound);
}

nlohmann::ordered_json verify_json(const std::vector<verdict>& verdicts) {
  nlohmann::ordered_json document{{"schema", "wingbeat.verify/2"}};
  std::size_t n_wrong = 0;
  auto& rows = document["checks"] = nlohmann::ordered_json::array();
  for (const verdict& v : verdicts) {
    nlohmann::ordered_json row;
    row["engine"] = name_of(v.device.runs_on);
    row["device"] = v.device.name;
    row["index"] = v.device.index;
    row["ranks"] = v.is_alone ? 1 : v.n_ranks;
    row["check"] = v.law;
    row["kind"] = name_of(v.kind);
    row["precision"] = name_of(v.real);
    row["lengths"] = v.lengths;
    row["error"] = v.error;  // null for NaN and infinity
    row["bound"] = v.bound;
    row["pass"] = v.is_right();
    if (!v.failure.empty()) row["failure"] = v.failure;
    n_wrong += !v.is_right();
    rows.push_back(std::move(row));
  }
  document["n_checks"] = verdicts.size();
  document["n_wrong"] = n_wrong;
  return document;
}

}  // namespace wingbeat::cli
