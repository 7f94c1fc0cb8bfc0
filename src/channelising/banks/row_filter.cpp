// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/row_filter.hpp"

#include "channelising/arithmetic/weights.hpp"  // window_weights
#include "channelising/banks/policy.hpp"        // numbers_of, policy_text, filled
#include "channelising/banks/views.hpp"         // spectrum_entry
#include "formatted.hpp"                        // formatted

namespace wingbeat::channelising {
namespace {

constexpr unsigned n_threads = 128;

device::channeliser::bank_numbers sliding_over(const channeliser_spec& spec, unsigned rows) {
  auto numbers = numbers_of(spec);
  numbers.sliding = numbers.rows = rows;
  return numbers;
}

}  // namespace

kernel_spec filter_kernel(const device::channeliser::bank_numbers& numbers, unsigned resident) {
  return {.text = formatted(R"(#include "wingbeat/device/channeliser/filter.hpp"
using namespace wingbeat::device;
static_assert(sizeof(complex<float>) == 8, "");
{0}
WINGBEAT_KERNEL_RESIDENT({1}, {2})
void filter(WINGBEAT_GLOBAL const unsigned char* samples, size samples_first,
            WINGBEAT_GLOBAL const channeliser::spectrum_entry* spectra, size spectra_first,
            WINGBEAT_GLOBAL const float* weights, size weights_first,
            WINGBEAT_GLOBAL float* rows, size rows_first,
            size plane_bytes, size n_of_entries, size n_spectra WINGBEAT_SCRATCH_PARAMETER) {{
  const channeliser::filter_memory memory{{samples + samples_first, plane_bytes,
                                          spectra + spectra_first, n_of_entries,
                                          weights + weights_first}};
  channeliser::filter_rows<policy>::run<{1}>(memory, rows + rows_first, n_spectra);
}}
)",
                            policy_text(numbers, 0), n_threads, resident),
          .entry = "filter",
          .threads = n_threads,
          .parameters = {
              kernel_parameter::input(1), kernel_parameter::input(sizeof(spectrum_entry)),
              kernel_parameter::input(sizeof(float)), kernel_parameter::output(sizeof(float)),
              kernel_parameter::value<std::uint64_t>(), kernel_parameter::value<std::uint64_t>(),
              kernel_parameter::value<std::uint64_t>()}};
}

row_filter::row_filter(const queue& on, const channeliser_spec& spec, std::size_t plane_bytes,
                       filter_shape_of_rows shape)
    : numbers_(sliding_over(spec, shape.sliding)),
      plane_bytes_(plane_bytes),
      kernel_(on, filter_kernel(numbers_, shape.resident)),
      weights_(filled(on, window_weights(spec, numbers_.length()))) {}

void row_filter::enqueue(queue& on, buffer_view samples, buffer_view entries, buffer_view rows,
                         std::size_t n_spectra, std::size_t n_of_entries) const {
  const std::size_t units = n_spectra / numbers_.spectra() * numbers_.units();
  kernel_.enqueue(on, (units + n_threads - 1) / n_threads,
                  {samples, entries, weights_.view(), rows, std::uint64_t{plane_bytes_},
                   std::uint64_t{n_of_entries}, std::uint64_t{n_spectra}});
}

}  // namespace wingbeat::channelising
