// SPDX-License-Identifier: Apache-2.0
// Searches of images for many templates.
#include <algorithm>  // min
#include <cstddef>    // size_t
#include <cstdint>    // uintptr_t
#include <optional>
#include <string>
#include <utility>  // exchange, move
#include <vector>

#include "array_library.hpp"  // described
#include "bindings.hpp"
#include "fields.hpp"                // read
#include "kept_scores.hpp"           // running_search
#include "searching/part_bytes.hpp"  // read_part, write_part
#include "searching/search.hpp"      // search

namespace wingbeat::python {
namespace {

search_spec spec_of(nb::handle given) {
  search_spec spec;
  read(given, "image", spec.image, "templates", spec.templates, "mode", spec.mode, "real",
       spec.real, "is_normalised", spec.is_normalised, "keeps_sums", spec.keeps_sums,
       "keeps_counts", spec.keeps_counts, "threshold", spec.threshold, "at_once",
       spec.templates_at_once, "between", spec.between, "image_peak", spec.image_peak,
       "template_peak", spec.template_peak, "form", spec.form);
  return spec;
}

class image_search final : public running_search {
 public:
  image_search(nb::handle given, const std::vector<queue>& queues, std::uintptr_t stream,
               bool is_masked, double min_valid)
      : running_search(queues.at(0), stream) {
    searching::search_request request{
        .search = spec_of(given), .is_masked = is_masked, .min_valid = min_valid};
    describe(request.search, queues, min_valid);
    const released_gil released;
    search_.emplace(queues, std::move(request));
  }

  void begin(nb::handle image, std::uintptr_t stream) {
    const array given = described(image);
    locked([&] {
      kept_.reset();
      forget_templates();  // first: after a refused image none remain
      has_image_hash_ = given.runs_on == engine::host;
      if (!has_image_hash_) {
        return on_stream(given, stream, [&] { search_->begin(on_, given.view()); });
      }
      const std::vector<double> pixels = reals_of(given, 0, given.elements());
      search_->begin(pixels);
      const std::vector<std::size_t>& lengths = search_->request().search.image;
      part_.image_hash = searching::hash_of<double>(lengths[0], lengths[1], pixels);
    });
  }

  void restart() {
    locked([&] {
      kept_.reset();
      search_->restart();
      forget_templates();
    });
  }

  void add(nb::handle templates, std::size_t count, std::optional<std::size_t> first,
           std::uintptr_t stream) {
    const array given = described(templates);
    locked([&] {
      kept_.reset();
      add_numbered(count, first, [&](std::size_t number) {
        if (given.runs_on == engine::host) return deal(given, count, number);
        on_stream(given, stream, [&] { search_->add(on_, given.view(), count, number); });
      });
    });
  }

  [[nodiscard]] nb::tuple shape() const override {
    return nb::make_tuple(search_->result()[0], search_->result()[1]);
  }
  [[nodiscard]] std::string explain() const { return search_->explain(); }

 private:
  [[nodiscard]] search_state read_state() override { return search_->state(); }

  /// Returns the reals of a packed array of this process; a complex number has two.
  static std::vector<double> reals_of(const array& given, std::size_t begin, std::size_t count) {
    const auto copied = [&](const auto* reals) {
      return std::vector<double>(reals + begin, reals + begin + count);
    };
    return given.element.real == precision::fp64 ? copied(static_cast<const double*>(given.data))
                                                 : copied(static_cast<const float*>(given.data));
  }

  /// Adds templates of this process; none, if a score of one could not be kept.
  void deal(const array& given, std::size_t count, std::size_t number) {
    const std::size_t reals = searching::reals_of_template(search_->request().search);
    std::size_t n_dealt = 0;
    const auto next = [&](std::size_t max_count) {
      const std::size_t n = std::min(max_count, count - n_dealt);
      const std::size_t begin = std::exchange(n_dealt, n_dealt + n);
      return searching::template_batch{reals_of(given, begin * reals, n * reals), number + begin,
                                       n};
    };
    while (search_->judges_templates() && n_dealt < count) search_->require_kept(next(1));
    n_dealt = 0;
    (void)search_->add(next);
  }

  std::optional<searching::search> search_;
};

/// A part of a search, or several merged parts.
class kept_part final : public kept_scores {
 public:
  explicit kept_part(search_part part) { part_ = std::move(part); }

  void merge(kept_part& other) {
    // Never holds both locks, because two threads may merge two parts into each other.
    const search_part copy = other.whole();
    locked([&] { part_.merge(copy, "this part", "the other"); });
  }
  [[nodiscard]] search_part whole() {
    return locked([&] { return part_; });
  }
  [[nodiscard]] nb::bytes to_bytes() {
    std::vector<std::byte> bytes;
    searching::write_part(whole(), [&](std::span<const std::byte> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    return nb::bytes(bytes.data(), bytes.size());
  }
  [[nodiscard]] static kept_part* from_bytes(const nb::bytes& bytes) {
    auto part = searching::read_part({static_cast<const std::byte*>(bytes.data()), bytes.size()});
    if (part) return new kept_part{*std::move(part)};
    refuse_value(
        "these bytes are no part of a search, or were damaged or cut off; give what to_bytes of a "
        "SearchPart returned, or what is in a file of wingbeat match --state");
  }
  [[nodiscard]] nb::tuple shape() const override {
    return nb::make_tuple(part_.kept.height, part_.kept.width);
  }

 private:
  [[nodiscard]] const search_state& state() override { return part_.kept; }
};

nb::list pairs_of(const std::vector<searching::template_range>& ranges) {
  nb::list pairs;
  for (const auto& [begin, end] : ranges) pairs.append(nb::make_tuple(begin, end));
  return pairs;
}

}  // namespace

void bind_searches(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<kept_scores>(module, "KeptScores")
      .def("largest", [](kept_scores& self) { return self.map(score_map::largest); })
      .def("mean", [](kept_scores& self) { return self.map(score_map::mean); })
      .def("variance", [](kept_scores& self) { return self.map(score_map::variance); })
      .def("numbers", &kept_scores::numbers)
      .def("counts", &kept_scores::counts)
      .def(
          "peaks",
          [](kept_scores& self, std::size_t count, double least, std::size_t distance) {
            return self.peaks({count, least, distance});
          },
          "count"_a, "least"_a, "distance"_a)
      .def("z", &kept_scores::z)
      .def(
          "detections",
          [](kept_scores& self, double false_positives, std::optional<double> threshold,
             double radius) {
            return self.detections({false_positives, threshold, radius});
          },
          "false_positives"_a, "threshold"_a.none(), "radius"_a)
      .def_prop_ro("added", &kept_scores::added)
      .def_prop_ro("shape", &kept_scores::shape)
      .def(
          "part",
          [](kept_scores& self, std::size_t n_templates) {
            return new kept_part{self.part(n_templates)};
          },
          "n_templates"_a);
  nb::class_<image_search, kept_scores>(module, "Search")
      .def(nb::init<nb::handle, const std::vector<queue>&, std::uintptr_t, bool, double>(),
           "description"_a, "queues"_a, "stream"_a, "is_masked"_a, "min_valid"_a)
      .def("begin", &image_search::begin, "image"_a, "stream"_a)
      .def("restart", &image_search::restart)
      .def("add", &image_search::add, "templates"_a, "count"_a, "first"_a.none(), "stream"_a)
      .def("explain", &image_search::explain);
  nb::class_<kept_part, kept_scores>(module, "SearchPart")
      .def("merge", &kept_part::merge, "other"_a)
      .def_prop_ro("templates", [](kept_part& self) { return pairs_of(self.whole().templates); })
      .def_prop_ro("missing", [](kept_part& self) { return pairs_of(self.whole().missing()); })
      .def_prop_ro("has_moments",
                   [](kept_part& self) {
                     const search_state kept = self.whole().kept;
                     return !kept.unit_sums.empty() || !kept.sums.empty();
                   })
      .def_prop_ro("has_counts", [](kept_part& self) { return !self.whole().kept.counts.empty(); })
      .def_prop_ro("devices",
                   [](kept_part& self) {
                     nb::list names;
                     for (const std::string& each : self.whole().devices) {
                       names.append(nb::cast(each));
                     }
                     return names;
                   })
      .def("to_bytes", &kept_part::to_bytes)
      .def_static("from_bytes", &kept_part::from_bytes);
}

}  // namespace wingbeat::python
