// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/policy.hpp"

#include "channelising/spec.hpp"  // has_dither, parts_of
#include "formatted.hpp"          // formatted

namespace wingbeat::channelising {

device::channeliser::bank_numbers numbers_of(const channeliser_spec& spec) {
  return {.channels = static_cast<unsigned>(spec.channels),
          .taps = static_cast<unsigned>(spec.taps),
          .sample_bits = spec.sample_bits,
          .parts = parts_of(spec),
          .polarisations = static_cast<unsigned>(spec.polarisations),
          .spectra_per_heap = static_cast<unsigned>(sizes_of(spec).spectra_per_heap),
          .output = spec.output,
          .dithers = has_dither(spec),
          .sliding = 1,
          .rows = 1,
          .elements = 32};
}

std::string policy_text(const device::channeliser::bank_numbers& numbers, std::uint64_t seed) {
  return formatted(R"(struct policy {{
  WINGBEAT_FN static constexpr channeliser::bank_numbers numbers() {{
    return {{{}, {}, {}, {}, {}, {}, channeliser::heap_sample({}), {}, {}, {}, {}}};
  }}
  WINGBEAT_FN static constexpr size seed() {{ return size({}u) << 32 | {}u; }}
}};)",
                   numbers.channels, numbers.taps, numbers.sample_bits, numbers.parts,
                   numbers.polarisations, numbers.spectra_per_heap,
                   static_cast<int>(numbers.output), numbers.dithers, numbers.sliding, numbers.rows,
                   numbers.elements, seed >> 32, seed & 0xffffffffU);
}

}  // namespace wingbeat::channelising
