// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/template_search.hpp"

#include <algorithm>  // max, min
#include <cmath>      // isfinite, sqrt
#include <limits>     // numeric_limits
#include <optional>
#include <utility>  // exchange, move

#include "arrays/array.hpp"                     // bytes_of_real
#include "arrays/view_part.hpp"                 // part_of, rest_of
#include "backend/backend.hpp"                  // queue
#include "convolving/prepared_convolution.hpp"  // prepared_convolution
#include "convolving/program.hpp"               // values_of_spectra
#include "convolving/request.hpp"               // require_valid
#include "convolving/scores.hpp"                // score_store, score_memory
#include "convolving/search_request.hpp"        // require_valid
#include "convolving/unit_templates.hpp"        // unit_templates
#include "convolving/windows.hpp"               // centred
#include "text/formatted.hpp"                   // formatted, joined
#include "text/moved_from.hpp"                  // require_owned
#include "text/reject.hpp"                      // reject
#include "views/views.hpp"                      // view_owner
#include "wingbeat/plan.hpp"                    // plan

namespace wingbeat {
namespace {

using convolving::centred_image;
using convolving::kept_scores;
using convolving::unit_templates;

convolution_spec convolution_of(const search_spec& spec, std::size_t templates) {
  convolution_spec request{.image = spec.image,
                           .kernel = spec.templates,
                           .kind = operation::correlate,
                           .mode = spec.mode,
                           .real = spec.real,
                           .between = spec.between,
                           .image_peak = spec.image_peak,
                           .kernel_peak = spec.template_peak,
                           .kernels = templates};
  if (spec.is_normalised && spec.between == precision::fp16) {
    request.image_peak *= 2;  // because the mean is subtracted
    // A row of w values and norm 1 has bins up to sqrt(w), as if each value were 1 / sqrt(w).
    request.kernel_peak = 1 / std::sqrt(static_cast<double>(spec.templates[1]));
  }
  return request;
}

/// Returns the plan that turns the spectra of templates into values.
plan_spec inverse_of(const search_spec& spec, std::size_t templates) {
  return convolving::values_of_spectra(spec.templates, values::real, spec.real, templates);
}

/// A convolution of `templates` templates per run, whose store keeps scores.
struct scoring {
  scoring(const queue& on, const search_spec& spec, std::size_t templates)
      : n_templates(templates),
        kept(convolving::kept_of(spec, templates, on.device().has_fp64)),
        correlation(on, spec_of(spec), "search") {
    if (spec.form == operand_form::spectrum) inverse.emplace(on, inverse_of(spec, templates));
  }

  [[nodiscard]] convolution_spec spec_of(const search_spec& spec) const {
    convolution_spec request = convolution_of(spec, n_templates);
    request.store = convolving::score_store(kept);
    return request;
  }

  [[nodiscard]] std::size_t workspace_bytes() const {
    return std::max(correlation.workspace_bytes(), inverse ? inverse->workspace_bytes() : 0);
  }

  std::size_t n_templates;
  kept_scores kept;
  convolving::prepared_convolution correlation;
  std::optional<plan> inverse;  ///< For templates that are given as spectra.
};

/// Memory in which templates of one queue's runs are prepared, so that queues work side by side.
struct prepared_templates {
  prepared_templates(const queue& of_runs, const scoring& most, std::size_t template_bytes,
                     std::size_t real_bytes, const unit_templates* units)
      : on(of_runs.impl()),
        // Runs start at pairs of reals, but templates may have an odd number of reals.
        staged(of_runs, most.n_templates * template_bytes) {
    if (most.inverse) inverted = buffer{of_runs, staged.size_bytes()};
    if (units != nullptr) sums = buffer{of_runs, units->sums_bytes(most.n_templates)};
    if (!most.kept.numbers.has_rim) return;
    rim = buffer{of_runs, most.n_templates * most.kept.rim_reals() * real_bytes};
  }

  [[nodiscard]] std::size_t device_bytes() const {
    return staged.size_bytes() + inverted.size_bytes() + sums.size_bytes() + rim.size_bytes();
  }

  std::shared_ptr<backend::queue> on;
  buffer staged;           ///< Templates as a run reads them.
  buffer inverted;         ///< Templates that were given as spectra, as values.
  buffer sums, rim;        ///< For a normalised search.
  bool has_image = false;  ///< Work queued there follows the image's spectra.
};

/// Requires that the bytes of templates can be addressed.
void require_product(std::size_t count, std::size_t template_bytes) {
  if (count <= std::numeric_limits<std::size_t>::max() / template_bytes) return;
  reject(
      "{} templates of {} bytes each were added, which no memory holds; add fewer at a "
      "time",
      count, template_bytes);
}

/// Whether a view starts at a pair of reals, as a run requires.
bool starts_at_pair(buffer_view view, engine runs_on, std::size_t real_bytes) {
  const std::size_t alignment = runs_on == engine::opencl ? 1 : 2 * real_bytes;
  return view.offset_bytes % (2 * real_bytes) == 0 && misalignment_of(view, alignment) == 0;
}

}  // namespace

struct template_search::impl {
  impl(const queue& on, search_spec given)
      : spec(std::move(given)),
        own("search", on.device()),
        whole(on, spec, spec.templates_at_once),
        result(whole.correlation.result()),
        spectra(on, whole.correlation.spectra_bytes()),
        scores(on, whole.kept) {
    if (spec.templates_at_once > 1 && !spec.pads_runs) rest.emplace(on, spec, 1);
    if (spec.is_normalised) {
      const kept_scores& kept = whole.kept;
      inverse_norms = buffer{on, kept.places() * real_bytes()};
      centred_values = buffer{on, image_bytes()};
      units.emplace(on, spec.templates, spec.real, kept.numbers.has_rim);
    }
    latest = on.impl();
    templates_of(on);
  }

  /// Returns the memory for templates of a queue; allocates it and the workspace of the queue's
  /// runs when the queue is first given.
  prepared_templates& templates_of(const queue& on) {
    for (prepared_templates& each : prepared) {
      if (each.on == on.impl()) return each;
    }
    on.impl()->reserve(run_workspace_bytes());
    return prepared.emplace_back(on, whole, template_bytes(), real_bytes(),
                                 units ? &*units : nullptr);
  }

  /// If another queue than `on` has the latest work, makes `on` the latest queue and returns a mark
  /// behind all work of the search; otherwise returns null.
  std::unique_ptr<backend::mark> handed_to(const queue& on) {
    if (latest == on.impl()) return nullptr;
    return std::exchange(latest, on.impl())->record();
  }

  [[nodiscard]] std::size_t real_bytes() const { return bytes_of_real(spec.real); }
  [[nodiscard]] std::size_t image_bytes() const {
    return spec.image[0] * spec.image[1] * real_bytes();
  }
  [[nodiscard]] std::size_t template_bytes() const {
    return spec.templates[0] * spec.templates[1] * real_bytes();
  }

  /// Returns the bytes of a template as `add` takes it.
  [[nodiscard]] std::size_t given_bytes() const {
    if (spec.form == operand_form::values) return template_bytes();
    return spec.templates[0] * (spec.templates[1] / 2 + 1) * 2 * real_bytes();
  }

  /// Returns the view of `used_bytes`; requires that `view` is large enough and starts at a number.
  [[nodiscard]] buffer_view required(const queue& on, std::string_view name, buffer_view view,
                                     std::size_t used_bytes, std::size_t start_bytes) const {
    const std::string_view number = start_bytes == real_bytes() ? "a real" : "a pair of reals";
    own.require_operand({name, view, used_bytes}, {number, start_bytes, real_bytes(), start_bytes},
                        *on.impl());
    return part_of(view, 0, used_bytes);
  }

  [[nodiscard]] std::size_t run_workspace_bytes() const {
    return std::max(whole.workspace_bytes(), rest ? rest->workspace_bytes() : 0);
  }
  [[nodiscard]] std::size_t device_bytes() const {
    std::size_t bytes = spectra.size_bytes() + scores.device_bytes() + inverse_norms.size_bytes() +
                        centred_values.size_bytes() + run_workspace_bytes();
    for (const prepared_templates& each : prepared) bytes += each.device_bytes();
    return bytes;
  }

  /// Returns the bytes that a run moves before its correlation.
  [[nodiscard]] std::size_t scaled_bytes() const {
    return units ? whole.n_templates * units->traffic_bytes() : 0;
  }

  void forget(queue& on) {
    if (const auto before = handed_to(on)) on.impl()->after(*before);
    scores.clear(on);
    added = 0;
    has_image = false;
  }

  /// Computes the windows' norms on the host, and returns the image without its mean.
  template <class Real>
  buffer_view centred_view(queue& on, buffer_view image) {
    std::vector<Real> values(spec.image[0] * spec.image[1]);
    on.impl()->read(values.data(), image);
    const centred_image<Real> centred = convolving::centred(
        values, whole.kept.axes, convolving::coefficient_error(spec.between.value_or(spec.real)));
    image_mean = double{centred.mean};
    reject_if(
        !std::isfinite(image_mean),
        "the image holds NaN or infinity, which transforms spread over all scores; replace these "
        "values, by the image's mean for example");
    on.impl()->write(inverse_norms.view(), centred.inverse_norms.data());
    on.impl()->write(centred_values.view(), centred.values.data());
    return centred_values.view();
  }

  void begin(queue& on, buffer_view image) {
    const std::size_t start = (spec.is_normalised ? 1 : 2) * real_bytes();
    image = required(on, "image", image, image_bytes(), start);
    templates_of(on);
    forget(on);
    if (spec.is_normalised) {
      image = spec.real == precision::fp64 ? centred_view<double>(on, image)
                                           : centred_view<float>(on, image);
    }
    whole.correlation.prepare(on, image, spectra.view());
    has_image = true;
    for (prepared_templates& each : prepared) each.has_image = each.on == on.impl();
  }

  /// Returns the view in which the run finds its templates.
  buffer_view made_ready(queue& on, const prepared_templates& memory, buffer_view templates,
                         std::size_t count) {
    const auto staged = part_of(memory.staged.view(), 0, templates.size_bytes);
    if (units) {
      units->enqueue(on, templates, count, memory.sums.view(), staged, memory.rim.view());
      return staged;
    }
    if (starts_at_pair(templates, own.runs_on, real_bytes())) return templates;
    on.impl()->copy(staged, templates);
    return staged;
  }

  /// Queues a run that scores `count` templates; keeps scores behind the mark `awaited`, if any.
  void add_run(queue& on, const prepared_templates& memory, const scoring& run,
               buffer_view templates, std::size_t number, std::size_t count,
               const backend::mark* awaited) {
    if (run.inverse) {
      const auto values = part_of(memory.inverted.view(), 0, run.n_templates * template_bytes());
      run.inverse->enqueue(on, templates, values);
      templates = values;
    }
    const buffer_view signals = made_ready(on, memory, templates, run.n_templates);
    const auto given =
        convolving::score_arguments(run.kept, static_cast<std::uint32_t>(number), scores.others(),
                                    {.inverse_norms = inverse_norms.view(),
                                     .rim = memory.rim.view(),
                                     .threshold = spec.threshold,
                                     .mean = image_mean,
                                     .table_threshold = spec.table_threshold.value_or(0),
                                     .end = static_cast<std::uint32_t>(number + count)});
    run.correlation.enqueue(on, spectra.view(), signals, scores.keys(), given, {}, awaited);
    added += count;
  }

  void add(queue& on, buffer_view templates, std::size_t count, std::size_t first) {
    reject_if(!has_image, "templates were added before an image; call begin first");
    if (count == 0) reject("0 templates were added; give at least 1");
    convolving::require_numbers(count, std::max(added, first));
    const std::size_t start = (spec.form == operand_form::spectrum ? 2 : 1) * real_bytes();
    const std::size_t at_once = whole.n_templates;
    const std::size_t n_given = rest ? count : (count + at_once - 1) / at_once * at_once;
    templates = required(on, "memory of templates", templates, n_given * given_bytes(), start);
    prepared_templates& memory = templates_of(on);
    const auto before = handed_to(on);
    if (!memory.has_image && before) on.impl()->after(*before);
    memory.has_image = true;
    while (count > 0) {
      const scoring& run = rest && count < at_once ? *rest : whole;
      const std::size_t bytes = run.n_templates * given_bytes();
      const std::size_t n_scored = std::min(count, run.n_templates);
      add_run(on, memory, run, part_of(templates, 0, bytes), first, n_scored, before.get());
      first += n_scored;
      templates = rest_of(templates, bytes);
      count -= n_scored;
    }
  }

  /// Returns what was kept, after all runs.
  [[nodiscard]] const convolving::score_memory& finished(queue& on) const {
    own.require_queue(*on.impl());
    if (!has_image) reject("a search has no scores before its image; call begin first");
    on.wait();
    if (latest != on.impl()) latest->wait();
    return scores;
  }

  search_spec spec;
  view_owner own;
  scoring whole;
  std::optional<scoring> rest;  ///< For one template, if a run takes several.
  std::vector<std::size_t> result;
  buffer spectra;
  convolving::score_memory scores;
  std::vector<prepared_templates> prepared;
  std::shared_ptr<backend::queue> latest;  ///< All work of the search precedes the end of this
                                           ///< queue's work.
  buffer inverse_norms, centred_values;    ///< For a normalised search.
  std::optional<unit_templates> units;     ///< For a normalised search.
  double image_mean = 0;
  std::size_t added = 0;
  bool has_image = false;
};

template_search::template_search(const queue& on, search_spec spec) {
  convolving::require_valid(spec);
  convolving::require_valid(convolution_of(spec, spec.templates_at_once));
  reject_if(spec.sum_unit != 0 && !on.device().has_fp64,
            "sum_unit is {}, and {} has no fp64 to sum in; leave it 0", spec.sum_unit,
            on.device().name);
  if (spec.templates_at_once > 1 && !on.device().has_int64_atomics) {
    reject("templates_at_once is {}, and {} has no atomic operations on 64 bits; choose 1",
           spec.templates_at_once, on.device().name);
  }
  reject_if(spec.histogram.count != 0 && !on.device().has_int64_atomics,
            "a histogram was asked for, and {} has no atomic operations on 64 bits; leave it out",
            on.device().name);
  impl_ = std::make_unique<impl>(on, std::move(spec));
}
template_search::template_search(template_search&&) noexcept = default;
template_search& template_search::operator=(template_search&&) noexcept = default;
template_search::~template_search() = default;

const search_spec& template_search::spec() const {
  return require_owned(impl_, "search").spec;
}
const std::vector<std::size_t>& template_search::result() const {
  return require_owned(impl_, "search").result;
}

std::size_t template_search::traffic_bytes() const {
  const impl& mine = require_owned(impl_, "search");
  return (mine.whole.inverse ? mine.whole.inverse->traffic_bytes() : 0) + mine.scaled_bytes() +
         mine.whole.correlation.traffic_bytes();
}

std::size_t template_search::device_bytes() const {
  return require_owned(impl_, "search").device_bytes();
}

std::string template_search::explain() const {
  const impl& mine = require_owned(impl_, "search");
  std::string text =
      formatted("search of {} for templates of {}, {} at once{}\n", joined(mine.spec.image, "x"),
                joined(mine.spec.templates, "x"), mine.spec.templates_at_once,
                mine.spec.is_normalised ? ", normalised" : "");
  text += mine.scores.explain();
  const convolving::score_bytes moved = convolving::bytes_of_template(mine.whole.kept);
  text += formatted(
      "a launch that stores moves {} bytes of these and of the windows' norms for each template, "
      "at "
      "least {} of them whatever the scores are; one that keeps {} for all of a run\n",
      moved.most, moved.always, convolving::score_store(mine.whole.kept).kept_moved_bytes);
  if (mine.whole.inverse) {
    text +=
        formatted("templates transformed back from spectra:\n{}", mine.whole.inverse->explain());
  }
  if (mine.units) text += formatted("unit templates; {} bytes\n", mine.scaled_bytes());
  return text + mine.whole.correlation.explain() +
         formatted("the search moves {} bytes\n", traffic_bytes());
}

void template_search::begin(queue& on, buffer_view image) {
  impl& mine = require_owned(impl_, "search");
  mine.own.require_queue(*on.impl());
  mine.begin(on, image);
}

void template_search::restart(queue& on) {
  impl& mine = require_owned(impl_, "search");
  mine.own.require_queue(*on.impl());
  if (!mine.has_image) reject("no image was begun; call begin before restart");
  mine.templates_of(on);
  mine.forget(on);
  mine.has_image = true;
}

void template_search::add(queue& on, buffer_view templates, std::size_t count) {
  add(on, templates, count, added());
}

void template_search::add(queue& on, buffer_view templates, std::size_t count, std::size_t first) {
  impl& mine = require_owned(impl_, "search");
  mine.own.require_queue(*on.impl());
  require_product(count, mine.given_bytes());
  mine.add(on, templates, count, first);
}

std::size_t template_search::added() const {
  return require_owned(impl_, "search").added;
}

std::vector<float> template_search::map(queue& on, score_map kind) const {
  const impl& mine = require_owned(impl_, "search");
  const bool needs_moments = kind != score_map::largest;
  return mine.finished(on).read({.keys = true, .moments = needs_moments}, mine.added).map(kind);
}

search_state template_search::state(queue& on) const {
  const impl& mine = require_owned(impl_, "search");
  return mine.finished(on).read_all(mine.added);
}

std::vector<std::uint32_t> template_search::numbers(queue& on) const {
  return require_owned(impl_, "search").finished(on).read({.keys = true}, 0).numbers();
}

std::vector<std::uint32_t> template_search::counts(queue& on) const {
  return require_owned(impl_, "search").finished(on).read({.counts = true}, 0).counts;
}

score_table template_search::take_table(queue& on) {
  return require_owned(impl_, "search").finished(on).take_table(on);
}

std::size_t template_search::listed(queue& on) const {
  return require_owned(impl_, "search").finished(on).listed();
}

std::vector<peak> template_search::peaks(queue& on, std::size_t most, double least,
                                         std::size_t distance) const {
  const impl& mine = require_owned(impl_, "search");
  return mine.finished(on).read({.keys = true}, 0).peaks(most, least, distance);
}

}  // namespace wingbeat
