// SPDX-License-Identifier: Apache-2.0
// The spectra of heaps, on one engine: samples are filtered and transformed, bins turned,
// weighed, quantised and transposed to [channel][spectrum][polarisation].
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

/// Returns the bank as a step of an engine in this process, of samples that lie as `planes` says.
[[nodiscard]] backend::bank_request request_of(const channeliser_spec& spec,
                                               const sample_planes& planes);

/// Throws `plan_error` where it is stated what is stored between launches, by an option of that
/// name, and the bank stores nothing between launches on the device.
void require_storage(const channeliser_spec& spec, const device_info& device,
                     std::string_view option);

class filter_bank {
 public:
  /// Prepares the bank of a valid spec for samples that lie as `planes` says, and for up to
  /// `max_heaps` heaps in a launch.
  filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes,
              std::size_t max_heaps);

  /// Returns how many of so many heaps one launch makes.
  [[nodiscard]] std::size_t heaps_of_launch(std::size_t n_heaps) const;

  /// Queues the spectra of heaps with the same gains, `heaps_of_launch` of them. Their slot then
  /// holds their bytes and counts. What the bank reads beside samples is copied on `copies`, which
  /// may be of `on`.
  void run(queue& on, backend::queue& copies, buffer_view samples,
           std::span<const heap_entries> heaps, heap_slot& slot);

  /// Returns how many values of each polarisation saturate, of a heap whose slot is here.
  [[nodiscard]] std::vector<std::uint64_t> saturated(const heap_slot& slot, std::size_t heap) const;

  /// Returns the steps of one heap, in words.
  [[nodiscard]] std::string explain() const { return steps_.back().program->program().describe(); }

 private:
  bool is_compiled_;  ///< By kernels; else an engine in this process does all.
  struct bank_steps {
    std::size_t n_heaps;
    std::unique_ptr<const programs::prepared_program> program;
  };
  /// Returns those of the most heaps, up to `n_heaps`.
  [[nodiscard]] const bank_steps& steps_of(std::size_t n_heaps) const;

  std::vector<bank_steps> steps_;  ///< Fewer heaps from one to the next, 1 at last.
  buffer workspace_;
};

}  // namespace wingbeat::channelising
