// SPDX-License-Identifier: Apache-2.0
// Scores of one template, by a bounded cache of this process.
#include "wingbeat/template_scores.hpp"

#include <cstdint>  // uint8_t, uintptr_t
#include <memory>   // make_shared

#include "bindings.hpp"
#include "latest_used.hpp"

namespace wingbeat::python {
namespace {

auto& kept_scores = *new latest_used<scores_spec, template_scores>{32};

template <class Pixel, class Score>
void run(const template_scores& scores, std::uintptr_t image, std::uintptr_t part,
         std::uintptr_t out) {
  scores.run(reinterpret_cast<const Pixel*>(image), reinterpret_cast<const Score*>(part),
             reinterpret_cast<Score*>(out));
}

/// image, part, out: addresses of packed arrays: doubles; or floats, with an image of floats or
/// bytes.
void score(std::uintptr_t image, nb::tuple image_shape, std::uintptr_t part, nb::tuple part_shape,
           std::uintptr_t out, bool is_double, bool is_bytes, int kind, bool is_normalised) {
  scores_spec spec;
  for (int axis = 0; axis < 2; ++axis) {
    spec.image.push_back(nb::cast<std::size_t>(image_shape[axis]));
    spec.templates.push_back(nb::cast<std::size_t>(part_shape[axis]));
  }
  spec.channels = nb::cast<std::size_t>(image_shape[2]);
  spec.kind = static_cast<score_kind>(kind);
  spec.is_normalised = is_normalised;
  const released_gil released;
  const auto scores =
      kept_scores.get(spec, [&] { return std::make_shared<const template_scores>(spec); });
  if (is_bytes) return run<std::uint8_t, float>(*scores, image, part, out);
  if (!is_double) return run<float, float>(*scores, image, part, out);
  run<double, double>(*scores, image, part, out);
}

}  // namespace

void bind_template_scores(nb::module_& module) {
  module.def("template_scores", &score,
             "Writes the scores of a template with each part of an image, by their addresses.");
}

}  // namespace wingbeat::python
