// SPDX-License-Identifier: Apache-2.0
// Searches of images for projections of a volume.
#include <algorithm>  // copy_n
#include <cstddef>    // size_t
#include <cstdint>    // uintptr_t
#include <optional>
#include <span>
#include <string>
#include <utility>  // move
#include <vector>

#include "array_library.hpp"  // described
#include "bindings.hpp"
#include "fields.hpp"                          // read
#include "kept_scores.hpp"                     // running_search
#include "microscopy/particle_refinement.hpp"  // refined_particles
#include "optics.hpp"                          // optics_of
#include "searching/orientations.hpp"          // shared_orientation_search

namespace wingbeat::python {
namespace {

orientation_spec spec_of(nb::handle given) {
  orientation_spec spec;
  auto& [image, box, filters, has_complex_filters, volume, between, image_peak, keeps_sums,
         orientations_at_once, max_bytes, most_scores, table_threshold, table_capacity, histogram] =
      spec;
  read(given, "image", image, "box", box, "filters", filters, "has_complex_filters",
       has_complex_filters, "volume", volume, "between", between, "image_peak", image_peak,
       "keeps_sums", keeps_sums, "orientations_at_once", orientations_at_once, "max_bytes",
       max_bytes, "most_scores", most_scores, "table_threshold", table_threshold, "table_capacity",
       table_capacity, "bins_begin", histogram.begin, "bins_end", histogram.end, "bins",
       histogram.count);
  return spec;
}

std::span<const float> floats_of(const array& given) {
  return {static_cast<const float*>(given.data), given.extent_bytes() / sizeof(float)};
}

class orientation_searcher final : public running_search {
 public:
  orientation_searcher(nb::handle given, const std::vector<queue>& queues, std::uintptr_t stream)
      : running_search(queues.at(0), stream) {
    const orientation_spec spec = spec_of(given);
    describe({.image = spec.image, .templates = {spec.box, spec.box}, .between = spec.between},
             queues, search_part{}.source.min_valid);
    const released_gil released;
    search_.emplace(queues, spec);
  }

  void begin(nb::handle image, std::uintptr_t stream) {
    take(
        image, stream,
        [&](const array& given) {
          forget_templates();
          search_->begin(floats_of(given));
        },
        [&](buffer_view view) {
          forget_templates();
          search_->first().begin(on_, view);
        });
  }
  void set_volume(nb::handle spectrum, std::uintptr_t stream) {
    take(
        spectrum, stream,
        [&](const array& given) { search_->set_volume(hashed(floats_of(given))); },
        [&](buffer_view view) { search_->first().set_volume(on_, view); });
  }
  void set_filters(nb::handle filters, std::uintptr_t stream) {
    take(
        filters, stream,
        [&](const array& given) { search_->set_filters(hashed(floats_of(given))); },
        [&](buffer_view view) { search_->first().set_filters(on_, view); });
  }

  void restart() {
    locked([&] {
      kept_.reset();
      search_->restart();
      forget_templates();
    });
  }

  void add(const packed_array<float>& axes, std::optional<std::size_t> first) {
    const std::span rotations = axes_of(axes);
    locked([&] {
      kept_.reset();
      const std::size_t filters = search_->first().spec().filters;
      if (first) first = *first * filters;
      add_numbered(rotations.size() * filters, first,
                   [&](std::size_t number) { search_->add(rotations, number / filters); });
    });
  }

  nb::object project(const packed_array<float>& axes) {
    const std::span rotations = axes_of(axes);
    const orientation_spec& spec = search_->first().spec();
    std::vector<float> values;
    locked([&] {
      for (const plane_axes& each : rotations) {
        const std::vector<float> templates = search_->project(each);
        values.insert(values.end(), templates.begin(), templates.end());
      }
    });
    return owned_array(std::move(values), {rotations.size(), spec.filters, spec.box, spec.box});
  }

  /// Returns (numbers, y, x, scores, how many were lost).
  nb::tuple take_table() {
    const score_table table = locked([&] { return search_->take_table(); });
    const std::size_t n = table.entries.size();
    const auto column = [&](auto member) {
      std::vector<std::remove_cvref_t<decltype(listed_score{}.*member)>> values;
      for (const listed_score& each : table.entries) values.push_back(each.*member);
      return owned_array(std::move(values), {n});
    };
    return nb::make_tuple(column(&listed_score::number), column(&listed_score::y),
                          column(&listed_score::x), column(&listed_score::score), table.lost);
  }

  /// found: [particle][6], places y and x, angles phi, theta and psi, defocus. filter: may be None.
  /// Returns [particle][10]: z, these six, score, mean and deviation.
  nb::object refine(queue& on, nb::handle given, nb::handle given_optics,
                    const packed_array<float>& image, const microscopy::radial_filter* filter,
                    const packed_array<float>& spectrum, const packed_array<double>& found) {
    microscopy::refinement_steps steps;
    read(given, "psi_step", steps.psi_degrees, "theta_step", steps.theta_degrees, "defocus_step",
         steps.defocus_angstrom, "parts", steps.parts, "rounds", steps.rounds, "reach",
         steps.reach);
    const microscopy::optics microscope = optics_of(given_optics);
    std::vector<double> values;
    locked([&] {
      const microscopy::score_maps maps = microscopy::maps_of(state());
      const microscopy::micrograph prepared{
          {image.data(), image.data() + image.size()},
          filter == nullptr ? microscopy::radial_filter{} : *filter};
      buffer bins{on, spectrum.size() * sizeof(float)};
      bins.write(spectrum.data(), bins.size_bytes());
      std::vector<microscopy::located_particle> particles;
      for (const double* each = found.data(); each != found.data() + found.size(); each += 6) {
        microscopy::located_particle& particle = particles.emplace_back();
        particle.place.y = static_cast<std::size_t>(each[0]);
        particle.place.x = static_cast<std::size_t>(each[1]);
        particle.angles = {each[2], each[3], each[4]};
        particle.relative_defocus = each[5];
      }
      const microscopy::refined_data data{microscope,     prepared,          image.shape(0),
                                          image.shape(1), spectrum.shape(0), bins.view()};
      for (const auto& [place, angles, defocus] :
           refined_particles(on, data, maps, steps, particles)) {
        values.insert(
            values.end(),
            {place.score, static_cast<double>(place.y), static_cast<double>(place.x), angles.phi,
             angles.theta, angles.psi, defocus, place.largest, place.mean, place.deviation});
      }
    });
    return owned_array(std::move(values), {found.shape(0), 10});
  }

  nb::object histogram() {
    auto counts = locked([&] { return state().histogram; });
    const std::size_t n = counts.size();
    return owned_array(std::move(counts), {n});
  }

  [[nodiscard]] nb::tuple shape() const override {
    return nb::make_tuple(search_->first().result()[0], search_->first().result()[1]);
  }
  [[nodiscard]] std::string explain() const { return search_->explain(); }
  [[nodiscard]] const orientation_search& first() const { return search_->first(); }

 private:
  [[nodiscard]] search_state read_state() override { return search_->state(); }

  [[nodiscard]] static std::span<const plane_axes> axes_of(const packed_array<float>& axes) {
    static_assert(sizeof(plane_axes) == 6 * sizeof(float));
    return {reinterpret_cast<const plane_axes*>(axes.data()), axes.size() / 6};
  }

  /// Returns the numbers, of which templates are made, for `search_part::templates_hash` too.
  [[nodiscard]] std::span<const float> hashed(std::span<const float> numbers) {
    hash_.add(std::as_bytes(numbers));
    part_.templates_hash = hash_.value();
    return numbers;
  }

  /// Calls one function with an array of this process, the other with one of the search's device.
  template <class OfHost, class OfDevice>
  void take(nb::handle x, std::uintptr_t stream, const OfHost& of_host, const OfDevice& of_device) {
    const array given = described(x);
    locked([&] {
      kept_.reset();
      has_image_hash_ = given.runs_on == engine::host;
      if (has_image_hash_) return of_host(given);
      on_stream(given, stream, [&] { of_device(given.view()); });
    });
  }

  std::optional<searching::shared_orientation_search> search_;
  searching::word_hash hash_;
};

}  // namespace

void bind_orientation_searches(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<orientation_searcher, kept_scores>(module, "OrientationSearch")
      .def(nb::init<nb::handle, const std::vector<queue>&, std::uintptr_t>(), "description"_a,
           "queues"_a, "stream"_a)
      .def("begin", &orientation_searcher::begin, "image"_a, "stream"_a)
      .def("set_volume", &orientation_searcher::set_volume, "spectrum"_a, "stream"_a)
      .def("set_filters", &orientation_searcher::set_filters, "filters"_a, "stream"_a)
      .def("restart", &orientation_searcher::restart)
      .def("add", &orientation_searcher::add, "axes"_a, "first"_a.none())
      .def("project", &orientation_searcher::project, "axes"_a)
      .def("histogram", &orientation_searcher::histogram)
      .def("refine", &orientation_searcher::refine, "queue"_a, "steps"_a, "optics"_a, "image"_a,
           "filter"_a.none(), "spectrum"_a, "found"_a)
      .def("take_table", &orientation_searcher::take_table)
      .def("explain", &orientation_searcher::explain)
      .def_prop_ro(
          "at_once",
          [](const orientation_searcher& self) { return self.first().spec().orientations_at_once; })
      .def_prop_ro("device_bytes",
                   [](const orientation_searcher& self) { return self.first().device_bytes(); });
}

}  // namespace wingbeat::python
