// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/listed_scores.hpp"

#include "cli/messages.hpp"    // print_message, counted
#include "text/formatted.hpp"  // formatted

namespace wingbeat::cli {

listed_scores::listed_scores(const std::string& file, const microscopy::search_space& space)
    : space_(space), file_(file) {
  file_.write("search_index,pos_x,pos_y,phi,theta,psi,relative_defocus,correlation_value\n");
}

void listed_scores::add(const score_table& table) {
  for (const listed_score& each : table.entries) {
    const auto& [angles, defocus, cs] = space_.at(each.number);
    file_.write(formatted("{},{},{},{},{},{},{},{}\n", space_.leopard_number(each.number), each.x,
                          each.y, static_cast<float>(angles.phi), static_cast<float>(angles.theta),
                          static_cast<float>(angles.psi), static_cast<float>(defocus), each.score));
  }
  n_listed_ += table.entries.size();
  n_lost_ += table.lost;
}

void listed_scores::commit(double threshold) {
  file_.commit();
  const std::string lost =
      n_lost_ == 0 ? ""
                   : formatted("; {} more had no room on the device, give a higher threshold",
                               counted(n_lost_, "score"));
  print_message("wrote {}: {} above {}{}", file_.path().string(), counted(n_listed_, "score"),
                threshold, lost);
}

}  // namespace wingbeat::cli
