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
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>  // move
#include <vector>

#include "bindings.hpp"
#include "owned_array.hpp"

namespace wingbeat::python {
namespace {

/// {start, delay, rate, phase, phase rate} in samples and radians.
using model_numbers = std::tuple<std::int64_t, double, double, double, double>;
using channel_gains = std::vector<std::vector<std::complex<float>>>;
using arrivals = std::vector<std::vector<bool>>;

delay_model model_of(const model_numbers& numbers) {
  const auto& [start, delay, rate, phase, phase_rate] = numbers;
  return {start, delay, rate, phase, phase_rate};
}

/// A heap whose bytes are its own.
struct kept_heap {
  explicit kept_heap(const channelised_heap& heap)
      : timestamp(heap.timestamp),
        bytes(reinterpret_cast<const std::uint8_t*>(heap.bytes.data()),
              reinterpret_cast<const std::uint8_t*>(heap.bytes.data()) + heap.bytes.size()),
        saturated(heap.saturated),
        is_complete(heap.is_complete),
        n_spectra(heap.n_spectra) {}

  std::int64_t timestamp;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> saturated;
  std::vector<bool> is_complete;
  std::size_t n_spectra;
};

/// A `channeliser` that threads may call one after another, and its queue.
class locked_channeliser {
 public:
  locked_channeliser(const channeliser_spec& spec, std::int64_t first_sample,
                     std::size_t kept_samples, const queue* on)
      : on_(on != nullptr ? *on : queue{first_device(engine::host)}) {
    const nb::gil_scoped_release released;
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
    std::vector<delay_model> models;
    for (const model_numbers& each : numbers) models.push_back(model_of(each));
    const nb::gil_scoped_release released;
    return bank_->add_delays(models);
  }

  std::int64_t add_gains(std::int64_t start_samples, channel_gains gains) {
    const nb::gil_scoped_release released;
    return bank_->add_gains({start_samples, std::move(gains)});
  }

  nb::list levels() {
    std::vector<input_level> inputs;
    locked([&] { inputs = bank_->levels(); });
    nb::list result;
    for (input_level& each : inputs) {
      const std::size_t count = each.histogram.size();
      const double dbfs = each.dbfs();
      result.append(nb::make_tuple(each.n_samples, each.sum_of_squares, dbfs,
                                   owned_array(std::move(each.histogram), {count})));
    }
    return result;
  }

  nb::tuple counts() {
    heap_counts counted;
    locked([&] { counted = bank_->counts(); });
    return nb::make_tuple(counted.sent, counted.withheld, counted.skipped);
  }

  [[nodiscard]] const channeliser_sizes& sizes() const { return bank_->sizes(); }
  [[nodiscard]] std::string explain() const { return bank_->explain(); }

 private:
  template <class Work>
  void locked(const Work& work) {
    const nb::gil_scoped_release released;
    const std::lock_guard held{mutex_};
    work();
  }

  nb::list pushed(channeliser::samples next, std::size_t count, const arrivals& present,
                  std::size_t packet_samples) {
    next.count = count;
    next.present = present;
    next.packet_samples = packet_samples;
    return heaps([&](const auto& take) { bank_->push(on_, next, take); });
  }

  template <class Work>
  nb::list heaps(const Work& work) {
    std::vector<kept_heap> taken;
    locked([&] {
      const channeliser::taker take = [&](const channelised_heap& heap) {
        taken.emplace_back(heap);
      };
      work(take);
    });
    nb::list result;
    for (kept_heap& each : taken) {
      const std::size_t count = each.bytes.size();
      result.append(nb::make_tuple(each.timestamp, owned_array(std::move(each.bytes), {count}),
                                   std::move(each.saturated), std::move(each.is_complete),
                                   each.n_spectra));
    }
    return result;
  }

  queue on_;
  std::optional<channeliser> bank_;
  std::mutex mutex_;
};

void bind_spec(nb::module_& module) {
  using spec = channeliser_spec;
  nb::class_<spec>(module, "ChanneliserSpec")
      .def(nb::init<>())
      .def_rw("adc_rate_hz", &spec::adc_rate_hz)
      .def_rw("channels", &spec::channels)
      .def_rw("taps", &spec::taps)
      .def_rw("weight_cutoff", &spec::weight_cutoff)
      .def_rw("sample_bits", &spec::sample_bits)
      .def_rw("complex_samples", &spec::complex_samples)
      .def_rw("polarisations", &spec::polarisations)
      .def_rw("spectra_per_heap", &spec::spectra_per_heap)
      .def_rw("seed", &spec::seed)
      .def("set_choices",
           [](spec& self, bool is_rectangular, int output, std::optional<bool> dithers,
              bool zero_fills, bool at_centre) {
             self.window = is_rectangular ? filter_window::rectangular : filter_window::hann;
             self.output = static_cast<heap_sample>(output);
             if (dithers) self.dither = *dithers ? dither_kind::uniform : dither_kind::none;
             self.missing = zero_fills ? missing_policy::zero_fill : missing_policy::withhold;
             self.evaluation =
                 at_centre ? evaluation_point::window_centre : evaluation_point::window_start;
           })
      .def("set_between",
           [](spec& self, bool is_half) {
             self.between = is_half ? precision::fp16 : precision::fp32;
           })
      .def("set_delays",
           [](spec& self, const std::vector<std::vector<model_numbers>>& delays) {
             for (const auto& models : delays) {
               self.delays.emplace_back();
               for (const model_numbers& each : models) {
                 self.delays.back().push_back(model_of(each));
               }
             }
           })
      .def("add_gains",
           [](spec& self, std::int64_t start_samples, channel_gains gains) {
             self.gains.push_back({start_samples, std::move(gains)});
           })
      .def(
          "set_narrowband",
          [](spec& self, double centre_hz, std::size_t decimation,
             std::optional<double> pass_bandwidth_hz, std::size_t filter_taps) {
            self.narrowband = {centre_hz, decimation, pass_bandwidth_hz, filter_taps};
          },
          nb::arg("centre_hz"), nb::arg("decimation"), nb::arg("pass_bandwidth_hz").none(),
          nb::arg("filter_taps"));
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
}

}  // namespace

void bind_channelisers(nb::module_& module) {
  bind_spec(module);
  using bank = locked_channeliser;
  nb::class_<bank>(module, "Channeliser")
      .def(nb::init<const channeliser_spec&, std::int64_t, std::size_t, const queue*>(),
           nb::arg("spec"), nb::arg("first_sample"), nb::arg("kept_samples"),
           nb::arg("queue").none())
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
