// SPDX-License-Identifier: Apache-2.0
// Short-time transforms, their inverse and gradients on described arrays, by a bounded cache of
// this process; streams of frames; weights of mel bands.
#include "short_times.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <complex>
#include <map>
#include <memory>  // make_shared
#include <mutex>
#include <string>
#include <string_view>
#include <utility>  // move
#include <vector>

#include "array_library.hpp"  // given_array, memory_of
#include "bindings.hpp"
#include "call_memory.hpp"
#include "fields.hpp"  // read
#include "kept_by_device.hpp"
#include "owned_array.hpp"
#include "short_time/placement.hpp"        // least_weighted
#include "wingbeat/devices.hpp"            // first_device
#include "wingbeat/error.hpp"              // plan_error
#include "wingbeat/mel_bands.hpp"          // mel_weights
#include "wingbeat/short_time_stream.hpp"  // short_time_stream

namespace wingbeat::python {
namespace {

/// Returns a spec of attributes with the names of its fields; calls set the fields of rows.
short_time_spec spec_of(nb::handle given) {
  short_time_spec spec;
  auto& [length, batch, n_fft, hop, window, window_length, window_at, before, edge, slack,
         phase_origin, scale, samples, removes_mean, emphasis, is_ragged, features, has_inverse,
         has_gradients, leaves_zeros, least_weight] = spec;
  read(given, "n_fft", n_fft, "hop", hop, "window_length", window_length, "window_at", window_at,
       "before", before, "edge", edge, "slack", slack, "phase_origin", phase_origin, "scale", scale,
       "removes_mean", removes_mean, "emphasis", emphasis, "least_weight", least_weight);
  auto& [exponent, power_floor, power_offset, is_one_sided, bands, weights, has_log, floor, offset,
         gain, shift, range, are_averaged] = features;
  read(given, "exponent", exponent, "power_floor", power_floor, "power_offset", power_offset,
       "is_one_sided", is_one_sided, "n_bands", bands, "weights", weights, "has_log", has_log,
       "floor", floor, "offset", offset, "gain", gain, "shift", shift, "range", range,
       "are_averaged", are_averaged);
  return spec;
}

/// What a call adds to its description.
struct described_rows {
  described_frames frames;
  std::size_t length = 0, batch = 0;
  std::ptrdiff_t slack = 0;
  sample_type samples = sample_type::fp32;
  bool is_ragged = false, has_inverse = false, has_gradients = false;

  [[nodiscard]] short_time_spec complete() const {
    short_time_spec spec = *frames.spec;
    spec.length = length;
    spec.batch = batch;
    spec.slack = slack;
    spec.samples = samples;
    spec.is_ragged = is_ragged;
    spec.has_inverse = spec.leaves_zeros = has_inverse;
    spec.has_gradients = has_gradients;
    if (has_inverse) spec.features = {};
    return spec;
  }

  friend bool operator==(const described_rows&, const described_rows&) = default;
};

struct planned_rows : short_time {
  planned_rows(const queue& on, const described_rows& rows) : short_time(on, rows.complete()) {}
};

auto& kept_rows = *new kept_by_device<described_rows, planned_rows>;

sample_type samples_of(const element_type& element) {
  const auto is = [&](std::string_view name) { return element == element_type_named(name); };
  if (is("int16")) return sample_type::int16;
  if (is("float16")) return sample_type::fp16;
  if (is("bfloat16")) return sample_type::bf16;
  if (is("float32")) return sample_type::fp32;
  if (is("float64")) return sample_type::fp64;
  if (is("complex64")) return sample_type::complex_fp32;
  if (is("complex128")) return sample_type::complex_fp64;
  refuse_type("samples are of dtype " + name_of(element) +
              "; give int16, float16, bfloat16, float32, float64, complex64 or complex128");
}

/// Returns the slack of rows of `length` samples with so many frames; 0: the spec's.
std::ptrdiff_t slack_of(const short_time_spec& spec, std::size_t length, std::size_t frames) {
  if (frames == 0) return spec.slack;
  return static_cast<std::ptrdiff_t>((frames - 1) * spec.hop) - static_cast<std::ptrdiff_t>(length);
}

short_time_kind kind_named(std::string_view name) {
  constexpr std::array names{"run", "inverse", "gradient", "window_gradient", "inverse_gradient"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (name == names[k]) return static_cast<short_time_kind>(k);
  }
  refuse_value("kind is " + std::string{name} + "; give run, inverse or a gradient");
}

void run_short_time(const described_frames& description, const std::string& kind, nb::handle rows,
                    nb::handle given, nb::handle out, nb::handle window, nb::handle lengths,
                    std::size_t frames) {
  const given_array operand = given_array::of_any(rows);
  const short_time_arrays arrays{.rows = operand.view,
                                 .given = memory_of(given),
                                 .out = memory_of(out),
                                 .operands = {memory_of(window), memory_of(lengths)}};
  released_call call{operand};
  run(call.on, description, kind_named(kind), arrays, frames,
      [&](std::size_t bytes) { return call.memory(bytes); });
}

/// Descriptions of functions that XLA compiled, which name them by keys.
struct {
  std::mutex guard;
  std::map<description_key, described_frames> by_key;
} stated;

void state_description(const described_frames& description, const description_key& key) {
  const std::lock_guard lock{stated.guard};
  stated.by_key.insert_or_assign(key, description);
}

short_time_spec with_window(const described_frames& description, std::vector<double> window) {
  short_time_spec spec = *description.spec;
  spec.window = std::move(window);
  spec.window_length = 0;
  return spec;
}

/// Returns (first, count, weight) of the samples of a row that the inverse would not divide.
nb::tuple least_weight(const described_frames& description, std::vector<double> window,
                       std::size_t length, std::size_t frames) {
  short_time_spec spec = with_window(description, std::move(window));
  spec.length = length;
  spec.slack = slack_of(spec, length, frames);
  const auto [first, count, weight] = short_times::least_weighted(spec);
  return nb::make_tuple(first, count, weight);
}

/// A `short_time_stream` for threads that call it in turn; frames [frame][number].
template <class Value>
class locked_stream : one_at_a_time {
 public:
  locked_stream(const described_frames& description, std::vector<double> window, std::size_t group,
                const queue* on)
      : stream_(on != nullptr ? *on : queue{first_device(engine::host)},
                with_window(description, std::move(window)), group) {}

  nb::object push(packed_array<Value> samples) {
    return returned([&] { return stream_.push({samples.data(), samples.size()}); });
  }
  nb::object flush() {
    return returned([&] { return stream_.flush(); });
  }
  [[nodiscard]] std::size_t latency() const { return stream_.latency(); }

 private:
  template <class Work>
  nb::object returned(const Work& work) {
    auto numbers = locked(work);
    const std::size_t of_frame = stream_.numbers(), frames = numbers.size() / of_frame;
    return owned_array(std::move(numbers), {frames, of_frame});
  }

  short_time_stream<Value> stream_;
};

template <class Value>
void bind_stream(nb::module_& module, const char* name) {
  using nb::literals::operator""_a;
  using stream = locked_stream<Value>;
  nb::class_<stream>(module, name)
      .def(nb::init<const described_frames&, std::vector<double>, std::size_t, const queue*>(),
           "spec"_a, "window"_a, "group"_a, "queue"_a.none())
      .def("push", &stream::push, "samples"_a)
      .def("flush", &stream::flush)
      .def_prop_ro("latency", &stream::latency);
}

/// Returns weights [band][bin], from a description with the names of its fields.
nb::object mel_weights_of(nb::handle given) {
  mel_bands wanted;
  auto& [bands, n_fft, rate_hz, low_hz, high_hz, scale, are_straight_in_mels, have_equal_areas] =
      wanted;
  read(given, "bands", bands, "n_fft", n_fft, "rate_hz", rate_hz, "low_hz", low_hz, "high_hz",
       high_hz, "scale", scale, "are_straight_in_mels", are_straight_in_mels, "have_equal_areas",
       have_equal_areas);
  return owned_array(mel_weights(wanted), {wanted.bands, wanted.n_fft / 2 + 1});
}

}  // namespace

void run(queue& on, const described_frames& description, short_time_kind kind,
         const short_time_arrays& arrays, std::size_t frames, const workspace_source& workspace) {
  using enum short_time_kind;
  const array& rows = arrays.rows;
  const auto length = static_cast<std::size_t>(rows.shape[rows.rank - 1]);
  const bool inverts = kind == inverse || kind == inverse_gradient;
  const described_rows wanted{.frames = description,
                              .length = length,
                              .batch = length == 0 ? 1 : rows.elements() / length,
                              .slack = slack_of(*description.spec, length, frames),
                              .samples = samples_of(rows.element),
                              .is_ragged = arrays.operands.lengths.size_bytes != 0,
                              .has_inverse = inverts,
                              .has_gradients = kind != short_time_kind::run && kind != inverse};
  const auto steps = kept_rows.get(on, wanted);
  const buffer_view in = rows.view(), given = arrays.given, out = arrays.out;
  const short_time_operands& operands = arrays.operands;
  const buffer_view memory = workspace(steps->workspace_bytes());
  switch (kind) {
    case short_time_kind::run: return steps->enqueue(on, in, out, operands, memory);
    case inverse: return steps->enqueue_inverse(on, given, in, operands, memory);
    case gradient: return steps->enqueue_gradient(on, in, given, out, operands, memory);
    case window_gradient:
      return steps->enqueue_window_gradient(on, in, given, out, operands, memory);
    case inverse_gradient: return steps->enqueue_inverse_gradient(on, in, out, operands, memory);
  }
}

described_frames description_of(const description_key& key) {
  const std::lock_guard lock{stated.guard};
  const auto found = stated.by_key.find(key);
  if (found == stated.by_key.end()) {
    throw plan_error(
        "a compiled short-time transform has a description that this process did not state; "
        "compile it here");
  }
  return found->second;
}

void bind_short_times(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<described_frames>(module, "ShortTimeSpec")
      .def(
          "__init__",
          [](described_frames* self, nb::handle given) {
            new (self) described_frames{std::make_shared<const short_time_spec>(spec_of(given))};
          },
          "given"_a);
  module.def("short_time", &run_short_time, "spec"_a, "kind"_a, "rows"_a, "given"_a.none(),
             "out"_a.none(), "window"_a, "lengths"_a.none(), "frames"_a,
             "Runs a short-time transform of rows [row][i], all arrays packed. kind: run, inverse, "
             "gradient, window_gradient or inverse_gradient.");
  module.def("state_short_time", &state_description, "spec"_a, "key"_a,
             "States the description of compiled functions that name it by this key.");
  module.def("short_time_least_weight", &least_weight, "spec"_a, "window"_a, "length"_a, "frames"_a,
             "Returns (first, count, weight) of samples whose squared weights are too small.");
  bind_stream<float>(module, "ShortTimeStream_float32");
  bind_stream<double>(module, "ShortTimeStream_float64");
  bind_stream<std::complex<float>>(module, "ShortTimeStream_complex64");
  bind_stream<std::complex<double>>(module, "ShortTimeStream_complex128");
  module.def("mel_weights", &mel_weights_of, "given"_a, "Returns the weights [band][bin].");
}

}  // namespace wingbeat::python
