// SPDX-License-Identifier: Apache-2.0
#include "formats/charts/outline.hpp"

#include <cmath>    // floor, isnan
#include <utility>  // exchange

namespace wingbeat::formats {
namespace {

/// Keeps the first, the newest, and the lowest and highest of those before the newest.
void reduce(std::vector<chart_point>& column) {
  std::size_t lowest = 0;
  std::size_t highest = 0;
  for (std::size_t i = 1; i + 1 < column.size(); ++i) {
    if (column[i].y < column[lowest].y) lowest = i;
    if (column[i].y > column[highest].y) highest = i;
  }
  std::size_t n_kept = 1;
  for (std::size_t i = 1; i + 1 < column.size(); ++i) {
    if (i == lowest || i == highest) column[n_kept++] = column[i];
  }
  column[n_kept++] = column.back();
  column.resize(n_kept);
}

}  // namespace

void chart_outline::add(chart_point point) {
  if (std::isnan(point.y)) {
    close_column();
    if (kept_.empty() || !std::isnan(kept_.back().y)) kept_.push_back(point);
    return;
  }
  const double number = std::floor(point.x);
  if (!column_.empty() && number != column_number_) close_column();
  column_number_ = number;
  column_.push_back(point);
  if (column_.size() > 4) reduce(column_);
}

void chart_outline::close_column() {
  kept_.insert(kept_.end(), column_.begin(), column_.end());
  column_.clear();
}

std::vector<chart_point> chart_outline::take() {
  close_column();
  return std::exchange(kept_, {});
}

}  // namespace wingbeat::formats
