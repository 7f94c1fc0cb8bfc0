// SPDX-License-Identifier: Apache-2.0
// The spectra of one heap, on one engine: a plan whose load filters the samples, whose store turns,
// weighs and quantises the bins, and the transposition to [channel][spectrum][polarisation].
#pragma once

#include <cstdint>  // uint32_t, uint64_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "channelising/fused_bank.hpp"      // fused_bank
#include "channelising/spec.hpp"            // channeliser_spec
#include "channelising/spectrum_entry.hpp"  // spectrum_entry
#include "wingbeat/buffer.hpp"              // buffer
#include "wingbeat/kernel.hpp"              // kernel
#include "wingbeat/plan.hpp"                // plan

namespace wingbeat::backend {
class bank;
}

namespace wingbeat::channelising {

/// What the samples of a bank are stored as, each polarisation in a plane of its own.
enum class sample_form {
  packed,  ///< Bits, as they came; an engine that compiles kernels reads them.
  reals,   ///< Floats, on the others.
  complex  ///< Complex floats, of a narrowband.
};

/// Returns how an engine holds the samples of the ADC.
[[nodiscard]] sample_form form_of_samples(engine runs_on);

/// Where the samples of a bank lie.
struct sample_planes {
  sample_form form = sample_form::reals;
  unsigned bits = 0;            ///< Of a packed sample.
  std::size_t plane_bytes = 0;  ///< From one polarisation to the next.
};

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
  // One of three: a kernel that does all; an engine's own loop; or a plan and a transposition.
  std::optional<fused_bank> fused_;
  std::unique_ptr<backend::bank> whole_;
  std::optional<plan> spectra_;
  std::optional<kernel> transpose_;
  buffer weights_, entries_, gains_, staged_, heap_, saturated_;
  std::vector<std::complex<float>> gains_held_;
};

}  // namespace wingbeat::channelising
