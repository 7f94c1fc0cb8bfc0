// SPDX-License-Identifier: Apache-2.0
#include "channelising/memory.hpp"

#include <algorithm>  // clamp, max
#include <bit>        // bit_floor
#include <complex>
#include <cstdint>  // int16_t
#include <thread>   // hardware_concurrency

#include "channelising/arithmetic/delay_model.hpp"  // delay_value
#include "channelising/arithmetic/quantise.hpp"     // complex_bytes
#include "channelising/banks/views.hpp"             // form_of_samples, spectrum_entry
#include "channelising/spec.hpp"                    // parts_of

namespace wingbeat::channelising {
namespace {

/// A store has a buffer in use, and one to move to.
constexpr std::size_t buffers_of_store = 2;

std::size_t in_eights(std::size_t n) {
  return (n + 7) / 8 * 8;
}

/// Samples of a piece as integers, and as floats or packed, if an engine does not read the given
/// samples itself.
std::size_t staging_bytes(const channeliser_spec& spec, engine runs_on) {
  if (runs_on == engine::host) return 0;
  return piece_samples(runs_on) * parts_of(spec) *
         (spec.polarisations * sizeof(std::int16_t) + sizeof(float));
}

/// The rows of samples and of values that the threads of `host` compute at once.
std::size_t threads_bytes(const channeliser_spec& spec, const channeliser_sizes& sizes) {
  constexpr std::size_t rows = 16, min_rows = 4;
  const std::size_t n_threads =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                              std::max<std::size_t>(sizes.spectra_per_heap / min_rows, 1));
  return n_threads * rows *
         (sizes.transform * parts_of(spec) * sizeof(float) +
          spec.polarisations * spec.channels * complex_bytes(spec.output));
}

/// The bank's parameters of a launch's spectra and gains: as computed, as sent, and on the device.
std::size_t entries_bytes(const channeliser_spec& spec, std::size_t n_spectra) {
  return 3 * spec.polarisations *
         (n_spectra * sizeof(spectrum_entry) + spec.channels * sizeof(std::complex<float>));
}

/// The windows of the heap that is begun.
std::size_t windows_bytes(const channeliser_spec& spec, const channeliser_sizes& sizes) {
  return spec.polarisations * sizes.spectra_per_heap * sizeof(delay_value);
}

}  // namespace

std::size_t piece_samples(engine runs_on) {
  return std::size_t{1} << (form_of_samples(runs_on) == sample_form::packed ? 21 : 14);
}

std::size_t bank_capacity(const channeliser_sizes& sizes, std::size_t kept_samples,
                          engine runs_on) {
  const std::size_t samples =
      sizes.window_samples + sizes.heap_samples + kept_samples + piece_samples(runs_on);
  return in_eights(2 * (samples / sizes.subsampling + 64));
}

std::size_t input_capacity(const channeliser_sizes& sizes, std::size_t kept_samples,
                           engine runs_on) {
  if (sizes.subsampling == 1 && sizes.filter_taps == 1)
    return bank_capacity(sizes, kept_samples, runs_on);
  return in_eights(2 * (piece_samples(runs_on) + sizes.filter_taps + sizes.subsampling + 64));
}

std::size_t heaps_in_launch(const channeliser_sizes& sizes, engine runs_on) {
  if (form_of_samples(runs_on) != sample_form::packed) return 1;
  constexpr std::size_t max_heaps = 64;
  return std::bit_floor(
      std::clamp<std::size_t>(piece_samples(runs_on) / sizes.heap_samples, 1, max_heaps));
}

std::size_t launches_at_once(bool has_several_queues) {
  // One is prepared, one computed, one copied, and one waits for the taker.
  return has_several_queues ? 4 : 1;
}

std::size_t memory_bytes(const channeliser_spec& spec, std::size_t kept_samples, engine runs_on) {
  const channeliser_sizes sizes = sizes_of(spec);
  const bool is_compiled = form_of_samples(runs_on) == sample_form::packed;
  const std::size_t input_bits =
      parts_of(spec) * (is_compiled ? spec.sample_bits : 8 * sizeof(float));
  std::size_t stores = input_capacity(sizes, kept_samples, runs_on) * input_bits / 8;
  if (spec.narrowband)
    stores += bank_capacity(sizes, kept_samples, runs_on) * sizeof(std::complex<float>);
  // Filtered rows and their bins, on engines without a bank in one crossing.
  const std::size_t n_heaps = heaps_in_launch(sizes, runs_on);
  const std::size_t n_spectra = n_heaps * sizes.spectra_per_heap;
  const std::size_t rows = spec.polarisations * n_spectra;
  const std::size_t between = runs_on == engine::host
                                  ? threads_bytes(spec, sizes)
                                  : rows * (sizes.transform * parts_of(spec) * sizeof(float) +
                                            2 * spec.channels * sizeof(double));
  const std::size_t copies = is_compiled ? 2 : 1;  // on the device, and pinned here
  return buffers_of_store * spec.polarisations * stores + between + staging_bytes(spec, runs_on) +
         launches_at_once(is_compiled) *
             (copies * n_heaps * sizes.heap_bytes + entries_bytes(spec, n_spectra)) +
         windows_bytes(spec, sizes);
}

}  // namespace wingbeat::channelising
