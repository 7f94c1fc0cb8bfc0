// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/bank_programs.hpp"

#include <cmath>  // ldexp
#include <complex>

#include "channelising/arithmetic/between_launches.hpp"
#include "channelising/arithmetic/weights.hpp"     // rounded_weights, window_weights
#include "channelising/spec.hpp"                   // parts_of
#include "kernel_text/constants.hpp"               // assignments
#include "kernel_text/kernel_body.hpp"             // kernel_body
#include "programs/launched.hpp"                   // launched
#include "request/validation.hpp"                  // validated
#include "text/formatted.hpp"                      // formatted
#include "wingbeat/device/channeliser/finish.hpp"  // finish_tile
#include "wingbeat/roots.hpp"                      // roots_of

namespace wingbeat::channelising {
namespace {

using device::channeliser::bank_numbers;
using device::channeliser::finish_tile;
using device::workgroup::schedule;
using programs::argument;
using programs::constant;
using programs::input;
using programs::number;
using programs::output;
using programs::place;

constexpr programs::run_operand entries{0}, gains{1}, saturated{2};

/// Returns a program of one kernel.
programs::program program_of(const kernel_text::kernel_body& body,
                             const std::vector<argument>& arguments, std::size_t workgroups,
                             std::string description) {
  programs::program result;
  result.add(programs::launched(body, arguments, workgroups, std::move(description)));
  return result;
}

std::vector<std::complex<float>> rounded_roots(const bank_numbers& numbers) {
  std::vector<std::complex<float>> roots;
  for (const auto& w : roots_of(schedule{device::order::natural, numbers.length(), numbers.elements,
                                         numbers.twiddles})) {
    roots.emplace_back(static_cast<float>(w.real()), static_cast<float>(w.imag()));
  }
  return roots;
}

plan_spec spectra_spec(const channeliser_spec& spec, const sample_planes& planes,
                       std::size_t n_spectra) {
  const channeliser_sizes sizes = sizes_of(spec);
  plan_spec rows{
      .lengths = {sizes.transform},
      .batch = {spec.polarisations, n_spectra},
      .kind = has_complex_bank(spec) ? transform::forward : transform::forward_from_real};
  const between_launches between = between_launches_of(spec);
  rows.out.stored = between.stored;
  rows.factor = std::ldexp(1, between.bin_exponent - between.sum_exponent);
  if (planes.form == sample_form::packed) {
    rows.in.stored = between.stored;
    return rows;
  }
  constexpr std::size_t element_bytes = sizeof(std::complex<float>);
  rows.load = {
      .in_bytes = spec.polarisations * planes.plane_bytes,
      .element_bytes = element_bytes,
      .source = {formatted("#include \"wingbeat/device/channeliser/window_load.hpp\"\n"
                           "using wingbeat_bank_load =\n"
                           "    wingbeat::device::channeliser::window_load<{}, {}, {}, {}>;\n",
                           sizes.transform, spec.taps, n_spectra,
                           planes.plane_bytes / element_bytes),
                 "wingbeat_bank_load"},
      .operands = {kernel_parameter::input(sizeof(spectrum_entry)),
                   kernel_parameter::input(sizeof(float))}};
  return rows;
}

}  // namespace

programs::program fused_bank(const bank_tiles& tiles, const channeliser_spec& spec,
                             const sample_planes& planes, std::size_t n_heaps) {
  const bank_numbers& numbers = tiles.numbers;
  const std::uint64_t n_spectra = n_heaps * numbers.spectra_per_heap;
  return program_of(
      {.header = "wingbeat/device/channeliser/bank.hpp",
       .type = "channeliser::bank",
       .numbers_type = "channeliser::bank_numbers",
       .constants = kernel_text::assignments(numbers),
       .entry = "channelise",
       .threads = numbers.threads(),
       .resident = tiles.resident,
       .scratch_bytes = tiles.scratch_bytes},
      {input<std::byte>(place::input), number(planes.plane_bytes), input<spectrum_entry>(entries),
       number(n_spectra),
       // Halved, because separating the streams adds two bins.
       input<float>(constant{window_weights(spec, numbers.length(), -1)}),
       input<std::complex<float>>(gains),
       input<std::complex<float>>(constant{rounded_roots(numbers)}),
       output<std::byte>(place::output), output<std::uint32_t>(saturated)},
      n_spectra / numbers.spectra(),
      formatted("one launch: tiles of {} spectra by {} threads, {} bytes of local memory; each "
                "thread filters 4 positions of {} spectra; samples are read {:.1f} times, through "
                "the caches",
                numbers.spectra(), numbers.threads(), tiles.scratch_bytes, numbers.sliding,
                static_cast<double>(numbers.sliding + numbers.taps - 1) / numbers.sliding));
}

programs::program chained_bank(const backend::engine& engine,
                               const std::shared_ptr<backend::queue>& on,
                               const channeliser_spec& spec, const sample_planes& planes,
                               std::size_t n_heaps) {
  const channeliser_sizes sizes = sizes_of(spec);
  const std::size_t n_spectra = n_heaps * sizes.spectra_per_heap;
  const std::size_t n_rows = spec.polarisations * n_spectra;
  const std::size_t real_bytes = between_launches_of(spec).real_bytes();
  programs::program result;
  programs::array_ends transformed{place::input, place::between_b};
  if (planes.form == sample_form::packed) {
    transformed.in = place::between_a;
    result.reserve(place::between_a, n_rows * sizes.transform * parts_of(spec) * real_bytes);
    const tuning::bank_rules& rules = tuning::for_device(on->device()).banks;
    result.add(row_filter(spec, planes, rules, n_heaps), {place::input, place::between_a});
  } else {
    transformed.load = {entries, constant{rounded_weights(spec)}};
  }
  result.reserve(place::between_b, n_rows * numbers_of(spec).bins * 2 * real_bytes);
  const auto rows = request::validated(spectra_spec(spec, planes, n_spectra), on->device());
  result.add(*engine.realise(on, rows), transformed);
  result.add(row_finish(spec, n_heaps), {place::between_b, place::output});
  return result;
}

programs::program row_filter(const channeliser_spec& spec, const sample_planes& planes,
                             const tuning::bank_rules& rules, std::size_t n_heaps) {
  using device::channeliser::filter_spectra, device::channeliser::filter_threads;
  bank_numbers numbers = numbers_of(spec);
  numbers.sliding = numbers.rows = filter_spectra;
  const std::uint64_t n_spectra = n_heaps * numbers.spectra_per_heap;
  const std::size_t units =
      spec.polarisations * (n_spectra / numbers.rows) * std::size_t{numbers.units()};
  const between_launches between = between_launches_of(spec);
  return program_of(
      {.header = "wingbeat/device/channeliser/filter.hpp",
       .type = "channeliser::row_filter",
       .numbers_type = "channeliser::bank_numbers",
       .constants = kernel_text::assignments(numbers),
       .entry = "filter",
       .threads = filter_threads,
       .resident = rules.resident_filters},
      {input<std::byte>(place::input), number(planes.plane_bytes), input<spectrum_entry>(entries),
       number(n_spectra),
       input<float>(constant{window_weights(spec, numbers.length(), between.sum_exponent)}),
       argument{kernel_parameter::output(between.real_bytes()), place::output}},
      (units + filter_threads - 1) / filter_threads,
      formatted("filters store {} bytes", spec.polarisations * n_spectra *
                                              sizes_of(spec).transform * parts_of(spec) *
                                              between.real_bytes()));
}

programs::program row_finish(const channeliser_spec& spec, std::size_t n_heaps) {
  const bank_numbers numbers = numbers_of(spec);
  const std::uint64_t n_spectra = n_heaps * numbers.spectra_per_heap;
  const std::size_t real_bytes = between_launches_of(spec).real_bytes();
  return program_of(
      {.header = "wingbeat/device/channeliser/finish.hpp",
       .type = "channeliser::finished_rows",
       .numbers_type = "channeliser::bank_numbers",
       .constants = kernel_text::assignments(numbers),
       .entry = "finish",
       .threads = finish_tile::threads,
       .scratch_bytes = finish_tile::scratch_bytes(numbers)},
      {argument{kernel_parameter::input(2 * real_bytes), place::input},
       input<spectrum_entry>(entries), input<std::complex<float>>(gains),
       output<std::byte>(place::output), output<std::uint32_t>(saturated), number(n_spectra)},
      finish_tile::tiles(numbers) * (n_spectra / finish_tile::spectra),
      formatted("then {} bytes become {} of heaps",
                spec.polarisations * n_spectra * numbers.bins * 2 * real_bytes,
                n_heaps * sizes_of(spec).heap_bytes));
}

}  // namespace wingbeat::channelising
