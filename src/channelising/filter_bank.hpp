// SPDX-License-Identifier: Apache-2.0
// The spectra of one heap, on one engine: a plan whose load filters the samples, whose store turns,
// weighs and quantises the bins, and the transposition to [channel][spectrum][polarisation].
#pragma once

#include <cstdint>  // uint32_t, uint64_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "channelising/bank_views.hpp"      // sample_planes
#include "channelising/chained_bank.hpp"    // chained_bank
#include "channelising/fused_bank.hpp"      // fused_bank
#include "channelising/spec.hpp"            // channeliser_spec
#include "channelising/spectrum_entry.hpp"  // spectrum_entry
#include "wingbeat/buffer.hpp"              // buffer

namespace wingbeat::backend {
class bank;
}

namespace wingbeat::channelising {

class filter_bank {
 public:
  /// Prepares the bank of a valid spec for samples that lie as `planes` says.
  filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes);
  filter_bank(filter_bank&&) noexcept;
  ~filter_bank();

  /// Queues the spectra of one heap. entries: [polarisation][spectrum]; gains: [set][polarisation]
  /// [channel]. Then `heap` holds its bytes, and `saturated` a count for each polarisation.
  void run(queue& on, buffer_view samples, const std::vector<spectrum_entry>& entries,
           const std::vector<std::complex<float>>& gains);

  /// Wait for the run, and return what it made.
  void read_heap(std::vector<std::byte>& bytes) const;
  [[nodiscard]] std::vector<std::uint64_t> saturated() const;

  [[nodiscard]] std::string explain() const;

 private:
  channeliser_spec spec_;
  channeliser_sizes sizes_;
  bool is_compiled_;
  // One of three: a kernel that does all; an engine's own loop; or several launches.
  std::optional<fused_bank> fused_;
  std::unique_ptr<backend::bank> whole_;
  std::optional<chained_bank> chained_;
  buffer entries_, gains_, heap_, saturated_;
  std::vector<std::complex<float>> gains_held_;
};

}  // namespace wingbeat::channelising
