// SPDX-License-Identifier: Apache-2.0
// Searches of images for many templates.
#include <nanobind/stl/vector.h>

#include <cstddef>  // size_t
#include <cstdint>  // uintptr_t
#include <optional>
#include <string>
#include <vector>

#include "array_library.hpp"  // described
#include "bindings.hpp"
#include "device_copy.hpp"
#include "fields.hpp"  // read
#include "owned_array.hpp"
#include "queues.hpp"          // queue_of
#include "wingbeat/error.hpp"  // plan_error
#include "wingbeat/template_search.hpp"

namespace wingbeat::python {
namespace {

/// What `Search` is made of: a `template_search` that threads may call one after another, its queue
/// and the memory that it reads.
class locked_search : one_at_a_time {
 public:
  locked_search(nb::handle given, const queue* on, std::uintptr_t stream)
      : on_(on != nullptr ? *on : queue{first_device(engine::host)}), stream_(stream) {
    search_spec spec;
    read(given, "image", spec.image, "templates", spec.templates, "mode", spec.mode, "real",
         spec.real, "is_normalised", spec.is_normalised, "keeps_sums", spec.keeps_sums,
         "keeps_counts", spec.keeps_counts, "threshold", spec.threshold, "at_once",
         spec.templates_at_once, "between", spec.between, "image_peak", spec.image_peak,
         "template_peak", spec.template_peak, "form", spec.form);
    const released_gil released;
    search_.emplace(on_, spec);
  }

  void begin(nb::handle image, std::uintptr_t stream) {
    const array given = described(image);
    locked(
        [&] { with_operand(given, stream, [&](buffer_view view) { search_->begin(on_, view); }); });
  }

  void restart() {
    locked([&] { search_->restart(on_); });
  }

  void add(nb::handle templates, std::size_t count, std::uintptr_t stream) {
    const array given = described(templates);
    locked([&] {
      with_operand(given, stream, [&](buffer_view view) { search_->add(on_, view, count); });
    });
  }

  nb::object map(int kind) {
    return image_of([&] { return search_->map(on_, static_cast<score_map>(kind)); });
  }
  nb::object numbers() {
    return image_of([&] { return search_->numbers(on_); });
  }
  nb::object counts() {
    return image_of([&] { return search_->counts(on_); });
  }

  nb::list peaks(std::size_t most, double least, std::size_t distance) {
    nb::list result;
    for (const peak& each : locked([&] { return search_->peaks(on_, most, least, distance); })) {
      result.append(nb::make_tuple(each.score, each.number, each.y, each.x));
    }
    return result;
  }

  [[nodiscard]] std::size_t added() {
    const std::lock_guard held{mutex_};
    return search_->added();
  }
  [[nodiscard]] nb::tuple result() const {
    return nb::make_tuple(search_->result()[0], search_->result()[1]);
  }
  [[nodiscard]] std::string explain() const { return search_->explain(); }

 private:
  /// Works with a packed array where the search runs: memory of this process is copied there first,
  /// and may go afterwards; of the device's it is read as the search's stream comes there.
  template <class Work>
  void with_operand(const array& given, std::uintptr_t stream, const Work& work) {
    if (given.runs_on == engine::host) {
      device_copy copy{on_, given.data, given.elements() * given.element.bytes()};
      copy.send();
      work(copy.view());
      return on_.wait();  // before the memory goes
    }
    const device_info& device = on_.device();
    if (given.runs_on != device.runs_on ||
        (given.runs_on == engine::cuda && given.device_index != device.index)) {
      throw plan_error(
          "the array is on another device than the search; give one of its device, or "
          "a numpy array");
    }
    if (stream == stream_) return work(given.view());
    // The search has memory for one queue alone.
    queue_of(given.runs_on, given.device_index, stream).wait();
    work(given.view());
    on_.wait();
  }

  template <class Work>
  nb::object image_of(const Work& work) {
    return owned_array(locked(work), {search_->result()[0], search_->result()[1]});
  }

  queue on_;
  std::uintptr_t stream_;  // that `on_` adopted, if it did
  std::optional<template_search> search_;
};

}  // namespace

void bind_searches(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<locked_search>(module, "TemplateSearch")
      .def(nb::init<nb::handle, const queue*, std::uintptr_t>(), "description"_a, "queue"_a.none(),
           "stream"_a)
      .def("begin", &locked_search::begin, "image"_a, "stream"_a = 0)
      .def("restart", &locked_search::restart)
      .def("add", &locked_search::add, "templates"_a, "count"_a, "stream"_a = 0)
      .def("largest", [](locked_search& self) { return self.map(0); })
      .def("mean", [](locked_search& self) { return self.map(1); })
      .def("variance", [](locked_search& self) { return self.map(2); })
      .def("numbers", &locked_search::numbers)
      .def("counts", &locked_search::counts)
      .def("peaks", &locked_search::peaks, "most"_a, "least"_a, "distance"_a)
      .def("explain", &locked_search::explain)
      .def_prop_ro("added", &locked_search::added)
      .def_prop_ro("shape", &locked_search::result);
}

}  // namespace wingbeat::python
