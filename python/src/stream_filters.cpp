// SPDX-License-Identifier: Apache-2.0
// Filters for signals that arrive in pieces.
#include "wingbeat/stream_filter.hpp"

#include <nanobind/stl/complex.h>

#include <complex>

#include "bindings.hpp"
#include "owned_array.hpp"
#include "wingbeat/devices.hpp"  // first_device

namespace wingbeat::python {
namespace {

/// A `stream_filter` for threads that call it in turn.
template <class Value>
class locked_filter : one_at_a_time {
 public:
  locked_filter(packed_array<Value> taps, std::size_t min_step, const queue* on)
      : filter_(on != nullptr ? *on : queue{first_device(engine::host)}, span_of(taps), min_step) {}

  nb::object push(packed_array<Value> samples) {
    return returned([&] { return filter_.push(span_of(samples)); });
  }

  nb::object flush() {
    return returned([&] { return filter_.flush(); });
  }

  [[nodiscard]] std::size_t step() const { return filter_.step(); }
  [[nodiscard]] std::size_t block() const { return filter_.block(); }

 private:
  static std::span<const Value> span_of(const packed_array<Value>& values) {
    return {values.data(), values.size()};
  }

  template <class Work>
  nb::object returned(const Work& work) {
    std::vector<Value> outputs = locked(work);
    const std::size_t count = outputs.size();
    return owned_array(std::move(outputs), {count});
  }

  stream_filter<Value> filter_;
};

template <class Value>
void bind_filter(nb::module_& module, const char* name) {
  using nb::literals::operator""_a;
  using filter = locked_filter<Value>;
  nb::class_<filter>(module, name)
      .def(nb::init<packed_array<Value>, std::size_t, const queue*>(), "taps"_a, "min_step"_a,
           "queue"_a.none())
      .def("push", &filter::push, "samples"_a)
      .def("flush", &filter::flush)
      .def_prop_ro("step", &filter::step)
      .def_prop_ro("block", &filter::block);
}

}  // namespace

void bind_stream_filters(nb::module_& module) {
  module.attr("default_step") = stream_filter<float>::default_step;
  bind_filter<float>(module, "StreamFilter_float32");
  bind_filter<double>(module, "StreamFilter_float64");
  bind_filter<std::complex<float>>(module, "StreamFilter_complex64");
  bind_filter<std::complex<double>>(module, "StreamFilter_complex128");
}

}  // namespace wingbeat::python
