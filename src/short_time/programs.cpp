// SPDX-License-Identifier: Apache-2.0
#include "short_time/programs.hpp"

#include <algorithm>  // max
#include <array>
#include <cmath>  // sqrt
#include <complex>
#include <cstdint>  // int16_t
#include <optional>
#include <utility>  // exchange, move

#include "functors/device_functor.hpp"                    // device_functor
#include "programs/loaded_rows.hpp"                       // loaded_rows, written_as
#include "programs/transforms.hpp"                        // holds_whole_rows
#include "request/validation.hpp"                         // validated
#include "short_time/bands_in_process.hpp"                // bands_in_process
#include "short_time/placement.hpp"                       // frames_in, overlaps_in
#include "short_time/request.hpp"                         // real_bytes, value_bytes
#include "short_time/tables.hpp"                          // roots_of, bands_of
#include "text/formatted.hpp"                             // formatted
#include "tuning/compiled_engines.hpp"                    // compiles_kernels
#include "wingbeat/device/bfloat.hpp"                     // bfloat
#include "wingbeat/device/functors/band_gradient.hpp"     // band_gradient
#include "wingbeat/device/functors/band_load.hpp"         // band_load
#include "wingbeat/device/functors/band_store.hpp"        // band_store
#include "wingbeat/device/functors/bin_load.hpp"          // bin_load
#include "wingbeat/device/functors/bin_store.hpp"         // bin_store
#include "wingbeat/device/functors/frame_load.hpp"        // frame_load
#include "wingbeat/device/functors/frame_mean.hpp"        // frame_mean
#include "wingbeat/device/functors/overlap_gradient.hpp"  // overlap_gradient
#include "wingbeat/device/functors/overlap_load.hpp"      // overlap_load
#include "wingbeat/device/functors/overlap_mean.hpp"      // overlap_mean
#include "wingbeat/device/functors/row_limit.hpp"         // row_limit
#include "wingbeat/device/functors/row_maximum.hpp"       // row_maximum
#include "wingbeat/device/functors/row_sum.hpp"           // row_sum
#include "wingbeat/device/functors/window_sum.hpp"        // window_sum
#include "wingbeat/device/half.hpp"                       // half_float

namespace wingbeat::short_times {

namespace functors = device::functors;
using device::complex;
using programs::array_ends;
using programs::program;
using programs::run_operand;

namespace {

/// The maxima that each launch leaves of a row: many parts at first, for all multiprocessors.
constexpr std::array<std::size_t, 3> parts_of_maximum{2048, 64, 1};

/// Returns the features of each bin that sums over bands are made of.
spectrum_features quantities(spectrum_features features) {
  features.has_log = false;
  return features;
}

/// Returns the rows of each partial sum of `rows`, such that both sums take as long.
std::size_t rows_at_once(std::size_t rows) {
  return std::max<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(rows))), 1);
}

/// Returns how bins of the transform of a frame become those of its spectrum.
functors::spectrum_numbers spectrum_of(const short_time_spec& spec) {
  return {.n_fft = spec.n_fft, .bins = spec.bins(), .phase = phase_of(spec), .scale = spec.scale};
}

/// Returns what is made of these bins, and their bands.
functors::band_numbers numbers_of(const short_time_spec& spec, const spectrum_features& features) {
  const functors::feature_numbers of_bins{
      features.exponent,     features.power_floor, features.power_offset,
      features.is_one_sided, features.has_log,     features.floor,
      features.offset,       features.gain,        features.shift};
  return {{spectrum_of(spec), of_bins}, features.bands};
}

/// Returns how bins of spectra become those of the inverse transform of frames.
functors::spectrum_numbers inverted(functors::spectrum_numbers spectrum, double scale,
                                    double middle) {
  spectrum.scale = scale;
  spectrum.middle = middle;
  spectrum.is_inverse = true;
  return spectrum;
}

}  // namespace

short_time_programs::short_time_programs(const std::shared_ptr<backend::queue>& on,
                                         const backend::engine& engine, const short_time_spec& spec)
    : on_(on),
      engine_(engine),
      spec_(spec),
      n_frames_(all_frames(spec)),
      n_bins_(spec.bins()),
      frame_bytes_(n_frames_ * spec.n_fft * value_bytes(spec)),
      bin_bytes_(n_frames_ * n_bins_ * 2 * real_bytes(spec)) {}

/// Calls work(sample, real) with a value of each type.
template <class Work>
auto short_time_programs::with_samples(const Work& work) const {
  switch (spec_.samples) {
    case sample_type::fp64: return work(double{}, double{});
    case sample_type::complex_fp32: return work(complex<float>{}, float{});
    case sample_type::complex_fp64: return work(complex<double>{}, double{});
    case sample_type::fp16: return work(device::half_float{}, float{});
    case sample_type::bf16: return work(device::bfloat{}, float{});
    case sample_type::int16: return work(std::int16_t{}, float{});
    default: return work(float{}, float{});
  }
}

/// Calls work(value, real) with values of the types that samples are computed in.
template <class Work>
auto short_time_programs::with_values(const Work& work) const {
  const bool is_double = spec_.real() == precision::fp64;
  if (spec_.is_complex()) {
    return is_double ? work(complex<double>{}, double{}) : work(complex<float>{}, float{});
  }
  return is_double ? work(double{}, double{}) : work(float{}, float{});
}

/// Calls work(real) with a value of the type of arithmetic.
template <class Work>
auto short_time_programs::with_real(const Work& work) const {
  return spec_.real() == precision::fp64 ? work(double{}) : work(float{});
}

/// Returns the window if so asked, means if so asked and frames lose theirs, and the lengths.
short_time_programs::sources short_time_programs::load_sources(bool has_window,
                                                               bool has_means) const {
  sources list;
  const bool is_given = spec_.window.empty();
  if (has_window && is_given) list.emplace_back(run_operand{0});
  if (has_window && !is_given) list.emplace_back(reals_of(spec_, spec_.window));
  if (has_means && spec_.removes_mean) list.emplace_back(place::values);
  if (spec_.is_ragged) list.emplace_back(run_operand{is_given ? 1U : 0U});
  return list;
}

void short_time_programs::add(program& steps, plan_spec spec, const array_ends& ends) const {
  const auto part = engine_.realise(on_, request::validated(spec, on_->device()));
  steps.add(*part, ends);
}

template <class Stored, class Functor>
void short_time_programs::add_rows(program& steps, const Functor& functor, std::size_t rows,
                                   std::size_t elements, std::string title, std::size_t read_bytes,
                                   const array_ends& ends) const {
  programs::loaded_rows added{.load = functor.load(), .rows = rows, .elements = elements};
  added.load.in_bytes = read_bytes;
  added.written = programs::written_as<typename Functor::functor, Stored>();
  added.title = std::move(title);
  programs::add(steps, on_->device(), std::move(added), ends);
}

void short_time_programs::add_means(program& steps) const {
  if (!spec_.removes_mean) return;
  steps.reserve(place::values, n_frames_ * value_bytes(spec_));
  with_samples([&](auto sample, auto real) {
    using functor = functors::frame_mean<decltype(sample), decltype(real)>;
    add_rows<typename functor::value_type>(
        steps, device_functor<functor>{frames_in(spec_)}, n_frames_, 1, "means of frames",
        spec_.batch * spec_.length * sizeof sample,
        {.in = place::input, .out = place::values, .load = load_sources(false, false)});
  });
}

plan_spec short_time_programs::transform_of_frames() const {
  return {.lengths = {spec_.n_fft},
          .batch = n_frames_,
          .kind = spec_.is_complex() ? transform::forward : transform::forward_from_real,
          .real = spec_.real()};
}

plan_spec short_time_programs::inverse_of_frames() const {
  plan_spec frames = transform_of_frames();
  frames.kind = spec_.is_complex() ? transform::inverse : transform::inverse_to_real;
  return frames;
}

plan_spec short_time_programs::frames_of_input() const {
  return with_samples([&](auto sample, auto real) {
    plan_spec frames = transform_of_frames();
    frames.load =
        device_functor<functors::frame_load<decltype(sample), decltype(real)>>{frames_in(spec_)}
            .load();
    frames.load.in_bytes = spec_.batch * spec_.length * sizeof sample;
    return frames;
  });
}

fused_store short_time_programs::store_of(const functors::bin_numbers& numbers) const {
  return with_real([&](auto real) {
    using real_type = decltype(real);
    using value = std::complex<real_type>;
    const auto stored = [&](auto functor, std::size_t bytes) {
      fused_store store = functor.template store<value>();
      store.out_bytes = bytes;
      return store;
    };
    if (numbers.features.exponent != 0) {
      return stored(device_functor<functors::bin_store<real_type, real_type>>{numbers},
                    bin_bytes_ / 2);
    }
    return stored(device_functor<functors::bin_store<complex<real_type>, real_type>>{numbers},
                  bin_bytes_);
  });
}

void short_time_programs::add_frames(program& steps, place out,
                                     const spectrum_features& features) const {
  add_means(steps);
  plan_spec frames = frames_of_input();
  array_ends ends{.in = place::input, .out = out, .load = load_sources(true, true)};
  if (features.exponent == 0 && phase_of(spec_) == 0) {
    frames.factor = spec_.scale;
  } else {
    frames.store = store_of(numbers_of(spec_, features));
    ends.store = roots_of(spec_);
  }
  add(steps, std::move(frames), ends);
}

bool short_time_programs::add_bands_at_once(program& steps, place out) const {
  const engine runs_on = on_->device().runs_on;
  plan_spec frames = frames_of_input();
  array_ends ends{.in = place::input, .out = out, .load = load_sources(true, true)};
  const auto in_process = runs_on == engine::host ? bands_in_process(spec_) : std::nullopt;
  if (in_process) {
    frames.store = *in_process;
    frames.factor = spec_.scale;
  } else {
    frames.store = with_real([&](auto real) {
      using real_type = decltype(real);
      return device_functor<functors::band_store<real_type>>{numbers_of(spec_, spec_.features)}
          .template store<std::complex<real_type>>();
    });
    ends.store = bands_of(spec_);
    for (auto& each : roots_of(spec_)) ends.store.push_back(each);
  }
  frames.store.out_bytes = n_frames_ * spec_.features.bands * real_bytes(spec_);
  const auto request = request::validated(frames, on_->device());
  if (compiles_kernels(runs_on) && !programs::holds_whole_rows(request, on_->device())) {
    return false;
  }
  add_means(steps);
  steps.add(*engine_.realise(on_, request), ends);
  return true;
}

program short_time_programs::run() const {
  program steps;
  const spectrum_features& features = spec_.features;
  const bool is_direct = features.bands == 0 && features.range == 0 && !features.are_averaged;
  if (is_direct) {
    add_frames(steps, place::output, features);
    return steps;
  }
  if (features.are_averaged) {
    steps.reserve(place::between_a, bin_bytes_ / 2);
    add_frames(steps, place::between_a, features);
    add_average(steps);
    return steps;
  }
  const place levels = features.range == 0 ? place::output : place::between_b;
  if (features.range != 0) {
    steps.reserve(place::between_b, n_frames_ * spec_.columns() * real_bytes(spec_));
  }
  if (features.bands == 0) {
    add_frames(steps, levels, features);
  } else if (!add_bands_at_once(steps, levels)) {
    steps.reserve(place::between_a, bin_bytes_ / 2);
    add_frames(steps, place::between_a, quantities(features));
    add_bands(steps, levels);
  }
  if (features.range != 0) add_limit(steps);
  return steps;
}

void short_time_programs::add_average(program& steps) const {
  const std::size_t rows = spec_.frames(), at_once = rows_at_once(rows);
  const functors::row_sum_numbers first{.rows = rows, .columns = n_bins_, .at_once = at_once};
  const functors::row_sum_numbers second{.rows = first.sums(),
                                         .columns = n_bins_,
                                         .at_once = first.sums(),
                                         .factor = 1 / static_cast<double>(rows)};
  const std::size_t bytes = spec_.batch * first.sums() * n_bins_ * real_bytes(spec_);
  steps.reserve(place::between_b, bytes);
  with_real([&](auto real) {
    using real_type = decltype(real);
    using functor = device_functor<functors::row_sum<real_type, real_type>>;
    add_rows<real_type>(steps, functor{first}, spec_.batch * first.sums(), n_bins_,
                        "sums over frames", bin_bytes_ / 2,
                        {.in = place::between_a, .out = place::between_b});
    add_rows<real_type>(steps, functor{second}, spec_.batch, n_bins_, "averages over frames", bytes,
                        {.in = place::between_b, .out = place::output});
  });
}

void short_time_programs::add_bands(program& steps, place out) const {
  with_real([&](auto real) {
    using real_type = decltype(real);
    const device_functor<functors::band_load<real_type>> levels{numbers_of(spec_, spec_.features)};
    add_rows<real_type>(steps, levels, n_frames_, spec_.features.bands, "sums over bands",
                        bin_bytes_ / 2,
                        {.in = place::between_a, .out = out, .load = bands_of(spec_)});
  });
}

void short_time_programs::add_limit(program& steps) const {
  with_real([&](auto real) {
    using real_type = decltype(real);
    const std::size_t elements = spec_.frames() * spec_.columns();
    using maxima = device_functor<functors::row_maximum<real_type>>;
    steps.reserve(place::values, spec_.batch * parts_of_maximum.front() * sizeof real);
    steps.reserve(place::between_a, spec_.batch * parts_of_maximum.front() * sizeof real);
    place read = place::between_b, written = place::values, other = place::between_a;
    std::size_t count = elements;
    for (const std::size_t parts : parts_of_maximum) {
      add_rows<real_type>(steps, maxima{{count, parts}}, spec_.batch, parts,
                          formatted("maxima of {} parts of rows", parts),
                          spec_.batch * count * sizeof real, {.in = read, .out = written});
      count = parts;
      read = std::exchange(written, other);
      other = read;
    }
    const std::size_t bytes = spec_.batch * elements * sizeof real;
    add_rows<real_type>(
        steps, device_functor<functors::row_limit<real_type>>{{elements, 1, spec_.features.range}},
        spec_.batch, elements, "rows limited to a range below their maxima", bytes,
        {.in = place::between_b, .out = place::output, .load = {read}});
  });
}

void short_time_programs::add_overlap(program& steps, bool is_divided) const {
  if (!is_divided && spec_.removes_mean) {
    steps.reserve(place::values, n_frames_ * value_bytes(spec_));
    with_values([&](auto value, auto real) {
      using functor = functors::overlap_mean<decltype(value), decltype(real)>;
      sources window = load_sources(true, false);
      window.resize(1);
      add_rows<decltype(value)>(steps, device_functor<functor>{frames_in(spec_)}, n_frames_, 1,
                                "means of weighted frames", frame_bytes_,
                                {.in = place::between_b, .out = place::values, .load = window});
    });
  }
  with_values([&](auto value, auto real) {
    using functor = functors::overlap_load<decltype(value), decltype(real)>;
    add_rows<decltype(value)>(
        steps, device_functor<functor>{overlaps_in(spec_, is_divided)}, spec_.batch, spec_.length,
        is_divided ? "sums of frames over those of squared weights" : "sums of frames",
        frame_bytes_,
        {.in = place::between_b, .out = place::output, .load = load_sources(true, true)});
  });
}

fused_load short_time_programs::load_of(const functors::bin_load_numbers& numbers) const {
  return with_real([&](auto real) {
    fused_load load = device_functor<functors::bin_load<decltype(real)>>{numbers}.load();
    load.in_bytes = bin_bytes_;
    return load;
  });
}

program short_time_programs::inverse() const {
  program steps;
  if (add_overlap_at_once(steps)) return steps;
  steps.reserve(place::between_b, frame_bytes_);
  const double scale = 1 / (spec_.scale * static_cast<double>(spec_.n_fft));
  plan_spec frames = inverse_of_frames();
  array_ends ends{.in = place::input, .out = place::between_b};
  if (phase_of(spec_) == 0) {
    frames.factor = scale;
  } else {
    functors::bin_load_numbers numbers;
    numbers.spectrum = inverted(spectrum_of(spec_), scale, 1);
    frames.load = load_of(numbers);
    ends.load = roots_of(spec_);
  }
  add(steps, std::move(frames), ends);
  add_overlap(steps, true);
  return steps;
}

void short_time_programs::add_frame_gradient(program& steps) const {
  const spectrum_features& features = spec_.features;
  steps.reserve(place::between_b, frame_bytes_);
  if (features.exponent != 0) {
    steps.reserve(place::between_a, bin_bytes_);
    add_frames(steps, place::between_a, {});
  }
  functors::bin_load_numbers numbers{numbers_of(spec_, features)};
  if (features.bands != 0) {
    steps.reserve(place::values, n_frames_ * features.bands * real_bytes(spec_));
    sources operands = bands_of(spec_);
    operands.emplace_back(place::filter);
    with_real([&](auto real) {
      using functor = device_functor<functors::band_gradient<decltype(real)>>;
      add_rows<decltype(real)>(steps, functor{numbers}, n_frames_, features.bands,
                               "gradients of sums over bands", bin_bytes_,
                               {.in = place::between_a, .out = place::values, .load = operands});
    });
  }
  numbers.frames_of_gradient = features.are_averaged ? spec_.frames() : 1;
  numbers.spectrum =
      inverted(numbers.spectrum, spec_.scale / static_cast<double>(numbers.frames_of_gradient),
               spec_.is_complex() ? 1 : 0.5);
  plan_spec frames = inverse_of_frames();
  frames.load = load_of(numbers);
  array_ends ends{.in = features.exponent != 0 ? place::between_a : place::filter,
                  .out = place::between_b,
                  .load = roots_of(spec_)};
  if (features.exponent != 0) {
    ends.load.emplace_back(features.bands != 0 ? place::values : place::filter);
  }
  if (features.bands != 0) {
    for (auto& each : bands_of_bins(spec_)) ends.load.push_back(each);
  }
  add(steps, std::move(frames), ends);
}

program short_time_programs::gradient() const {
  program steps;
  add_frame_gradient(steps);
  add_overlap(steps, false);
  return steps;
}

program short_time_programs::window_gradient() const {
  program steps;
  add_frame_gradient(steps);
  add_means(steps);
  functors::window_sum_numbers sums{frames_in(spec_)};
  sums.all_frames = n_frames_;
  sums.at_once = rows_at_once(n_frames_);
  const std::size_t parts = (n_frames_ + sums.at_once - 1) / sums.at_once;
  const std::size_t weights = spec_.weights(), bytes = parts * weights * real_bytes(spec_);
  steps.reserve(place::between_a, bytes);
  with_samples([&](auto sample, auto real) {
    using real_type = decltype(real);
    using functor = functors::window_sum<decltype(sample), real_type>;
    sources operands{place::between_b};
    for (auto& each : load_sources(false, true)) operands.push_back(each);
    add_rows<real_type>(steps, device_functor<functor>{sums}, parts, weights,
                        "sums over frames of samples times gradients", frame_bytes_,
                        {.in = place::input, .out = place::between_a, .load = operands});
    const functors::row_sum_numbers of_parts{parts, weights, parts};
    add_rows<real_type>(steps, device_functor<functors::row_sum<real_type, real_type>>{of_parts}, 1,
                        weights, "sums of these", bytes,
                        {.in = place::between_a, .out = place::output});
  });
  return steps;
}

program short_time_programs::inverse_gradient() const {
  program steps;
  steps.reserve(place::between_a, spec_.batch * spec_.length * value_bytes(spec_));
  with_values([&](auto value, auto real) {
    using value_type = decltype(value);
    using real_type = decltype(real);
    const std::size_t bytes = spec_.batch * spec_.length * sizeof value;
    add_rows<value_type>(
        steps,
        device_functor<functors::overlap_gradient<value_type, real_type>>{overlaps_in(spec_, true)},
        spec_.batch, spec_.length, "gradients over sums of squared weights", bytes,
        {.in = place::input, .out = place::between_a, .load = load_sources(true, false)});
    functors::frame_numbers numbers = frames_in(spec_);
    numbers.outside = border::zero;
    plan_spec frames = transform_of_frames();
    frames.load = device_functor<functors::frame_load<value_type, real_type>>{numbers}.load();
    frames.load.in_bytes = bytes;
    functors::bin_numbers bins{spectrum_of(spec_)};
    bins.spectrum.scale = 1 / (spec_.scale * static_cast<double>(spec_.n_fft));
    if (!spec_.is_complex()) bins.spectrum.middle = 2;
    frames.store = store_of(bins);
    add(steps, std::move(frames),
        {.in = place::between_a,
         .out = place::output,
         .load = load_sources(true, false),
         .store = roots_of(spec_)});
  });
  return steps;
}

}  // namespace wingbeat::short_times
