// SPDX-License-Identifier: Apache-2.0
// Makes templates of a volume: slices through its spectrum, times filters, transformed back and
// normalised.
#pragma once

#include <cstddef>  // size_t
#include <optional>

#include "wingbeat/buffer.hpp"              // buffer, buffer_view
#include "wingbeat/kernel.hpp"              // kernel
#include "wingbeat/orientation_search.hpp"  // orientation_spec
#include "wingbeat/plan.hpp"                // plan
#include "wingbeat/queue.hpp"               // queue

namespace wingbeat::convolving {

class projector {
 public:
  /// Plans for `count` slices at once; `orientation_spec` is valid.
  projector(const queue& on, const orientation_spec& spec, std::size_t count);

  void set_volume(queue& on, buffer_view spectrum);
  void set_filters(queue& on, buffer_view filters);

  /// Queues the projections of `count` slices, at most those planned, with all filters; those
  /// beyond are undefined.  axes: fp32 [count][6]  out: fp32 [planned][filter][y][x]
  void enqueue(queue& on, buffer_view axes, std::size_t count, buffer_view out) const;

  /// Returns the bytes of a template, and of the spectra that are set.
  [[nodiscard]] std::size_t template_bytes() const { return n_ * n_ * sizeof(float); }
  [[nodiscard]] std::size_t volume_bytes() const { return n_ * bins() * 2 * sizeof(float); }
  [[nodiscard]] std::size_t filters_bytes() const { return filters_.size_bytes(); }

  [[nodiscard]] std::size_t workspace_bytes() const { return inverse_.workspace_bytes(); }
  [[nodiscard]] std::size_t device_bytes() const;  ///< Without workspace.
  [[nodiscard]] std::size_t traffic_bytes() const { return inverse_.traffic_bytes(); }
  [[nodiscard]] std::string explain() const { return inverse_.explain(); }

 private:
  [[nodiscard]] std::size_t bins() const { return n_ * (n_ / 2 + 1); }
  template <class Use>
  void with_bodies(Use use) const;
  [[nodiscard]] kernel compiled(const queue& on, const char* function, std::size_t most_threads,
                                std::vector<kernel_parameter> parameters) const;

  std::size_t n_, n_filters_, height_, width_;
  bool is_half_, has_complex_filters_;
  plan inverse_;
  buffer volume_, filters_, inner_, slices_, scales_;
  std::optional<kernel> slice_, scale_;  ///< Of engines that compile kernels.
};

}  // namespace wingbeat::convolving
