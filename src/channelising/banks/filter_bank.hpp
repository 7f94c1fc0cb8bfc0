// SPDX-License-Identifier: Apache-2.0
// The spectra of heaps, on one engine: samples are filtered and transformed, bins rotated,
// weighted, quantised and transposed to [channel][spectrum][polarisation].
#pragma once

#include <cstdint>  // uint64_t
#include <memory>   // unique_ptr
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "channelising/banks/heap_slot.hpp"  // heap_slot
#include "channelising/banks/views.hpp"      // sample_planes
#include "channelising/spec.hpp"             // channeliser_spec
#include "programs/prepared_program.hpp"     // prepared_program
#include "wingbeat/buffer.hpp"               // buffer

namespace wingbeat::channelising {

/// Returns the bank as a step of an engine in this process, for samples in the layout `planes`.
[[nodiscard]] backend::bank_request request_of(const channeliser_spec& spec,
                                               const sample_planes& planes);

/// Throws `plan_error` if the spec states the storage between launches, by an option of that name,
/// but the bank stores nothing between launches on the device.
void require_storage(const channeliser_spec& spec, const device_info& device,
                     std::string_view option);

class filter_bank {
 public:
  /// Prepares the bank of a valid spec for samples in the layout `planes`, and for up to
  /// `max_heaps` heaps per launch.
  filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes,
              std::size_t max_heaps);

  /// Returns how many of `n_heaps` one launch computes.
  [[nodiscard]] std::size_t heaps_of_launch(std::size_t n_heaps) const;

  /// Queues the spectra of heaps with the same gains, `heaps_of_launch` of them. Their slot then
  /// holds their bytes and counts. The bank's other inputs are copied on `copies`, which may be the
  /// queue of `on`.
  void run(queue& on, backend::queue& copies, buffer_view samples,
           std::span<const heap_entries> heaps, heap_slot& slot);

  /// Returns the number of saturated values of each polarisation of a heap whose slot has arrived.
  [[nodiscard]] std::vector<std::uint64_t> saturated(const heap_slot& slot, std::size_t heap) const;

  /// Returns the steps of one heap, in words.
  [[nodiscard]] std::string explain() const { return steps_.back().program->program().describe(); }

 private:
  bool is_compiled_;  ///< Runs kernels; else an engine in this process does all.
  struct bank_steps {
    std::size_t n_heaps;
    std::unique_ptr<const programs::prepared_program> program;
  };
  /// Returns the steps for the most heaps, up to `n_heaps`.
  [[nodiscard]] const bank_steps& steps_of(std::size_t n_heaps) const;

  std::vector<bank_steps> steps_;  ///< In falling order of heaps; the last is for 1 heap.
  buffer workspace_;
};

}  // namespace wingbeat::channelising
