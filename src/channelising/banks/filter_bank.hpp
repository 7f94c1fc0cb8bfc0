// SPDX-License-Identifier: Apache-2.0
// The spectra of one heap, on one engine: samples are filtered and transformed, bins turned,
// weighed, quantised and transposed to [channel][spectrum][polarisation].
#pragma once

#include <cstdint>  // uint64_t
#include <memory>   // shared_ptr
#include <optional>
#include <string>
#include <vector>

#include "channelising/banks/chained_bank.hpp"  // chained_bank
#include "channelising/banks/fused_bank.hpp"    // fused_bank
#include "channelising/banks/heap_slot.hpp"     // heap_slot
#include "channelising/banks/views.hpp"         // sample_planes
#include "channelising/spec.hpp"                // channeliser_spec
#include "programs/prepared_program.hpp"        // prepared_program

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

  [[nodiscard]] std::string explain() const;

 private:
  // One of three: a kernel that does all; an engine's own loop; or several launches.
  std::optional<fused_bank> fused_;
  std::shared_ptr<const programs::prepared_program> whole_;
  std::optional<chained_bank> chained_;
};

}  // namespace wingbeat::channelising
