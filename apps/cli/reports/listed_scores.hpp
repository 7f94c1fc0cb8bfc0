// SPDX-License-Identifier: Apache-2.0
// All scores of a search for a volume above a threshold, in a file of CSV.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <string>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "microscopy/detections.hpp"      // search_space
#include "wingbeat/template_search.hpp"   // score_table

namespace wingbeat::cli {

/// Columns: the number of the template in Leopard-EM's order, the template's first pixel, its
/// angles in degrees and defocus in angstrom, and the score.
class listed_scores {
 public:
  listed_scores(const std::string& file, const microscopy::search_space& space);

  void add(const score_table& table);

  /// Puts the file in its place, and prints how many scores it has, and for how many there was no
  /// room on the device.
  void commit(double threshold);

 private:
  const microscopy::search_space& space_;
  formats::atomic_file file_;
  std::size_t n_listed_ = 0;
  std::uint64_t n_lost_ = 0;
};

}  // namespace wingbeat::cli
