// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/stream_filter.hpp"

#include <type_traits>  // is_floating_point_v

#include "convolving/blocks.hpp"     // best_block_length
#include "text/moved_from.hpp"       // require_owned
#include "text/reject.hpp"           // reject
#include "wingbeat/buffer.hpp"       // buffer
#include "wingbeat/convolution.hpp"  // convolution
#include "wingbeat/plan.hpp"         // max_length

namespace wingbeat {
namespace {

constexpr std::size_t max_taps = 65536;

/// Returns the convolution of one step: whole blocks, with `overlap` samples before them.
template <class Value>
convolution_spec step_spec(std::size_t n_taps, std::size_t min_step, engine runs_on) {
  reject_if(n_taps == 0 || n_taps > max_taps, "taps has {} values; give 1 to {}", n_taps, max_taps);
  constexpr bool is_real = std::is_floating_point_v<Value>;
  constexpr bool is_wide = sizeof(Value) == (is_real ? 1 : 2) * sizeof(double);
  convolution_spec spec{.image = {n_taps},
                        .kernel = {n_taps},
                        .mode = extent::valid,
                        .holds = is_real ? values::real : values::complex,
                        .real = is_wide ? precision::fp64 : precision::fp32,
                        .prepared = operand_role::kernel};
  spec.block = convolving::best_block_length(n_taps, spec.real, runs_on);
  const auto image_of = [&](std::size_t overlap) {
    const std::size_t row = (is_real ? 2 : 1) * (spec.block - overlap);
    const std::size_t n_rows = min_step == 0 ? 1 : (min_step - 1) / row + 1;
    if (const std::size_t max_rows = (max_length - overlap) / row; n_rows > max_rows) {
      reject("min_step is {}; with {} taps, give at most {}", min_step, n_taps, max_rows * row);
    }
    return overlap + n_rows * row;
  };
  // Pads the taps with zeros where blocks begin at cache lines, so that a step has whole rows only.
  const std::size_t overlap =
      spec.block - convolving::hop_of(image_of(n_taps - 1), n_taps, spec.block);
  spec.kernel = {overlap + 1};
  spec.image = {image_of(overlap)};
  return spec;
}

}  // namespace

template <class Value>
struct stream_filter<Value>::impl {
  queue on;
  std::size_t n_taps;
  convolution plan;
  buffer spectrum, in, out;
  std::vector<Value> waiting;  ///< The samples that the next outputs depend on.
  bool has_begun = false;

  impl(const queue& device_queue, std::span<const Value> taps, std::size_t min_step)
      : on(device_queue),
        n_taps(taps.size()),
        plan(on, step_spec<Value>(taps.size(), min_step, on.device().runs_on)),
        spectrum(on, plan.spectra_bytes()),
        in(on, plan.image_bytes()),
        out(on, plan.output_bytes()) {
    std::vector<Value> kernel(taps.begin(), taps.end());
    kernel.resize(plan.spec().kernel[0]);
    buffer memory{on, plan.kernel_bytes()};
    memory.write(kernel.data(), memory.size_bytes());
    plan.prepare(on, memory.view(), spectrum.view());
    on.wait();
    restart();
  }

  [[nodiscard]] std::size_t overlap() const { return plan.spec().kernel[0] - 1; }
  [[nodiscard]] std::size_t step() const { return plan.result()[0]; }

  void restart() {
    waiting.assign(overlap(), Value{});
    has_begun = false;
  }

  /// Returns the outputs of all whole steps of the waiting samples.
  std::vector<Value> filtered() {
    const std::size_t n_steps = (waiting.size() - overlap()) / step();
    std::vector<Value> outputs(n_steps * step());
    for (std::size_t i = 0; i < n_steps; ++i) {
      in.write(waiting.data() + i * step(), in.size_bytes());
      plan.enqueue(on, spectrum.view(), in.view(), out.view());
      out.read(outputs.data() + i * step(), out.size_bytes());
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(n_steps * step()));
    return outputs;
  }
};

template <class Value>
stream_filter<Value>::stream_filter(const queue& on, std::span<const Value> taps,
                                    std::size_t min_step)
    : impl_(std::make_unique<impl>(on, taps, min_step)) {}
template <class Value>
stream_filter<Value>::stream_filter(stream_filter&&) noexcept = default;
template <class Value>
stream_filter<Value>& stream_filter<Value>::operator=(stream_filter&&) noexcept = default;
template <class Value>
stream_filter<Value>::~stream_filter() = default;

template <class Value>
std::size_t stream_filter<Value>::step() const {
  return require_owned(impl_, "stream_filter").step();
}
template <class Value>
std::size_t stream_filter<Value>::block() const {
  return require_owned(impl_, "stream_filter").plan.spec().block;
}

template <class Value>
std::vector<Value> stream_filter<Value>::push(std::span<const Value> samples) {
  impl& mine = require_owned(impl_, "stream_filter");
  mine.has_begun = mine.has_begun || !samples.empty();
  mine.waiting.insert(mine.waiting.end(), samples.begin(), samples.end());
  return mine.filtered();
}

template <class Value>
std::vector<Value> stream_filter<Value>::flush() {
  impl& mine = require_owned(impl_, "stream_filter");
  const std::size_t overlap = mine.overlap(), step = mine.step();
  const std::size_t n_left = mine.has_begun ? mine.waiting.size() - overlap + mine.n_taps - 1 : 0;
  mine.waiting.resize(overlap + (n_left + step - 1) / step * step);
  std::vector<Value> outputs = mine.filtered();
  outputs.resize(n_left);
  mine.restart();
  return outputs;
}

template class stream_filter<float>;
template class stream_filter<double>;
template class stream_filter<std::complex<float>>;
template class stream_filter<std::complex<double>>;

}  // namespace wingbeat
