// SPDX-License-Identifier: Apache-2.0
// The spectra of one heap, on one engine: samples are filtered and transformed, bins turned,
// weighed, quantised and transposed to [channel][spectrum][polarisation].
#pragma once

#include <cstdint>  // uint64_t
#include <memory>   // shared_ptr
#include <string>
#include <vector>

#include "channelising/banks/heap_slot.hpp"  // heap_slot
#include "channelising/banks/views.hpp"      // sample_planes
#include "channelising/spec.hpp"             // channeliser_spec
#include "programs/prepared_program.hpp"     // prepared_program
#include "wingbeat/buffer.hpp"               // buffer

namespace wingbeat::channelising {

/// Returns the bank as a step of an engine in this process, of samples that lie as `planes` says.
[[nodiscard]] backend::bank_request request_of(const channeliser_spec& spec,
                                               const sample_planes& planes);

class filter_bank {
 public:
  /// Prepares the bank of a valid spec for samples that lie as `planes` says.
  filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes);

  /// Queues the spectra of one heap, whose slot then holds its bytes and counts. What the bank
  /// reads beside samples is copied on `copies`, which may be of `on`.
  void run(queue& on, backend::queue& copies, buffer_view samples, const heap_entries& entries,
           heap_slot& slot);

  /// Returns how many values of each polarisation saturate, of a heap whose slot is here.
  [[nodiscard]] std::vector<std::uint64_t> saturated(const heap_slot& slot) const;

  [[nodiscard]] std::string explain() const { return steps_->program().describe(); }

 private:
  bool is_compiled_;  ///< By kernels; else an engine in this process does all.
  std::shared_ptr<const programs::prepared_program> steps_;
  buffer workspace_;
};

}  // namespace wingbeat::channelising
