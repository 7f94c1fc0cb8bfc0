// SPDX-License-Identifier: Apache-2.0
// Channelisers of streams: samples in, heaps out.
#include "wingbeat/channeliser.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>  // size_t
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>  // move
#include <vector>

#include "bindings.hpp"
#include "fields.hpp"  // read
#include "owned_array.hpp"

namespace wingbeat::python {
namespace {

/// {start, delay, rate, phase, phase rate} in samples and radians.
using model_numbers = std::tuple<std::int64_t, double, double, double, double>;
using channel_gains = std::vector<std::vector<std::complex<float>>>;
using arrivals = std::vector<std::vector<bool>>;

std::vector<delay_model> models_of(const std::vector<model_numbers>& numbers) {
  std::vector<delay_model> models;
  for (const auto& [start, delay, rate, phase, phase_rate] : numbers) {
    models.push_back({start, delay, rate, phase, phase_rate});
  }
  return models;
}

channeliser_spec spec_of(nb::handle given) {
  channeliser_spec spec;
  auto& [adc_rate_hz, channels, taps, window, weight_cutoff, sample_bits, complex_samples,
         polarisations, spectra_per_heap, output, dither, seed, gain_changes, models, narrowband,
         missing, evaluation, between] = spec;
  std::optional<channel_gains> gains;
  std::vector<std::vector<model_numbers>> delays;
  read(given, "adc_rate_hz", adc_rate_hz, "channels", channels, "taps", taps, "window", window,
       "weight_cutoff", weight_cutoff, "sample_bits", sample_bits, "complex_samples",
       complex_samples, "polarisations", polarisations, "spectra_per_heap", spectra_per_heap,
       "output", output, "dither", dither, "seed", seed, "gains", gains, "delays", delays,
       "missing", missing, "evaluation", evaluation, "between", between);
  if (gains) gain_changes.push_back({0, std::move(*gains)});
  for (const auto& each : delays) models.push_back(models_of(each));
  if (const nb::object band = given.attr("narrowband"); !band.is_none()) {
    auto& [centre_hz, decimation, pass_bandwidth_hz, filter_taps] = narrowband.emplace();
    read(band, "centre_hz", centre_hz, "decimation", decimation, "pass_bandwidth_hz",
         pass_bandwidth_hz, "filter_taps", filter_taps);
  }
  return spec;
}

/// A `channeliser` and its queue, for threads that call it in turn.
class locked_channeliser : one_at_a_time {
 public:
  locked_channeliser(nb::handle given, std::int64_t first_sample, std::size_t kept_samples,
                     const queue* on)
      : on_(on != nullptr ? *on : queue{first_device(engine::host)}) {
    const channeliser_spec spec = spec_of(given);
    const released_gil released;
    bank_.emplace(on_, spec, first_sample, kept_samples);
  }

  nb::list push_integers(const std::vector<packed_array<std::int16_t>>& polarisations,
                         std::size_t count, const arrivals& present, std::size_t packet_samples) {
    channeliser::samples next;
    for (const auto& each : polarisations) next.integers.push_back({each.data(), each.size()});
    return pushed(std::move(next), count, present, packet_samples);
  }

  nb::list push_packed(const std::vector<packed_array<std::uint8_t>>& polarisations,
                       std::size_t count, const arrivals& present, std::size_t packet_samples) {
    channeliser::samples next;
    for (const auto& each : polarisations) {
      next.packed.push_back(std::as_bytes(std::span{each.data(), each.size()}));
    }
    return pushed(std::move(next), count, present, packet_samples);
  }

  nb::list finish() {
    return heaps([&](const auto& take) { bank_->finish(take); });
  }
  nb::list flush() {
    return heaps([&](const auto& take) { bank_->flush(on_, take); });
  }

  void jump(std::int64_t next_sample) {
    locked([&] { bank_->jump(next_sample); });
  }

  std::int64_t add_delays(const std::vector<model_numbers>& numbers) {
    const std::vector<delay_model> models = models_of(numbers);
    const released_gil released;
    return bank_->add_delays(models);
  }

  std::int64_t add_gains(std::int64_t start_samples, channel_gains gains) {
    const released_gil released;
    return bank_->add_gains({start_samples, std::move(gains)});
  }

  nb::list levels() {
    nb::list result;
    for (input_level& each : locked([&] { return bank_->levels(); })) {
      const std::size_t count = each.histogram.size();
      const double dbfs = each.dbfs();
      result.append(nb::make_tuple(each.n_samples, each.sum_of_squares, dbfs,
                                   owned_array(std::move(each.histogram), {count})));
    }
    return result;
  }

  nb::tuple counts() {
    const heap_counts counted = locked([&] { return bank_->counts(); });
    return nb::make_tuple(counted.sent, counted.withheld, counted.skipped);
  }

  [[nodiscard]] const channeliser_sizes& sizes() const { return bank_->sizes(); }
  [[nodiscard]] std::string explain() const { return bank_->explain(); }

 private:
  nb::list pushed(channeliser::samples next, std::size_t count, const arrivals& present,
                  std::size_t packet_samples) {
    next.count = count;
    next.present = present;
    next.packet_samples = packet_samples;
    return heaps([&](const auto& take) { bank_->push(on_, next, take); });
  }

  template <class Work>
  nb::list heaps(const Work& work) {
    struct kept_heap {
      channelised_heap heap;
      std::vector<std::uint8_t> bytes;  // a copy, because the heap's memory is reused
    };
    std::vector<kept_heap> taken;
    locked([&] {
      const channeliser::taker take = [&](const channelised_heap& heap) {
        const auto* const first = reinterpret_cast<const std::uint8_t*>(heap.bytes.data());
        taken.push_back({heap, {first, first + heap.bytes.size()}});
      };
      work(take);
    });
    nb::list result;
    for (auto& [heap, bytes] : taken) {
      const std::size_t count = bytes.size();
      result.append(nb::make_tuple(heap.timestamp, owned_array(std::move(bytes), {count}),
                                   heap.saturated, heap.is_complete, heap.n_spectra));
    }
    return result;
  }

  queue on_;
  std::optional<channeliser> bank_;
};

}  // namespace

void bind_channelisers(nb::module_& module) {
  nb::class_<channeliser_sizes>(module, "ChanneliserSizes")
      .def_ro("transform", &channeliser_sizes::transform)
      .def_ro("subsampling", &channeliser_sizes::subsampling)
      .def_ro("filter_taps", &channeliser_sizes::filter_taps)
      .def_ro("spectrum_samples", &channeliser_sizes::spectrum_samples)
      .def_ro("window_samples", &channeliser_sizes::window_samples)
      .def_ro("spectra_per_heap", &channeliser_sizes::spectra_per_heap)
      .def_ro("heap_samples", &channeliser_sizes::heap_samples)
      .def_ro("heap_bytes", &channeliser_sizes::heap_bytes)
      .def_ro("evaluation_offset", &channeliser_sizes::evaluation_offset);
  using bank = locked_channeliser;
  nb::class_<bank>(module, "Channeliser")
      .def(nb::init<nb::handle, std::int64_t, std::size_t, const queue*>(), nb::arg("description"),
           nb::arg("first_sample"), nb::arg("kept_samples"), nb::arg("queue").none())
      .def("push_integers", &bank::push_integers)
      .def("push_packed", &bank::push_packed)
      .def("finish", &bank::finish)
      .def("flush", &bank::flush)
      .def("jump", &bank::jump)
      .def("add_delays", &bank::add_delays)
      .def("add_gains", &bank::add_gains)
      .def("levels", &bank::levels)
      .def("counts", &bank::counts)
      .def("explain", &bank::explain)
      .def_prop_ro("sizes", &bank::sizes, nb::rv_policy::copy);
}

}  // namespace wingbeat::python
