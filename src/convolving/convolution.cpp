// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/convolution.hpp"

#include <algorithm>  // max, min
#include <initializer_list>
#include <utility>  // move

#include "arguments.hpp"                  // require_functors
#include "arrays/array.hpp"               // bytes_of_real
#include "convolving/program.hpp"         // preparing_program, running_program
#include "convolving/request.hpp"         // require_valid
#include "formatted.hpp"                  // formatted, joined
#include "moved_from.hpp"                 // require_owned
#include "programs/prepared_program.hpp"  // prepared_program
#include "tuning/tuning.hpp"              // for_device
#include "view_part.hpp"                  // rest_of
#include "views.hpp"                      // operand, require_apart

namespace wingbeat {
namespace {

using programs::place;
using programs::prepared_program;

/// One program that runs several times, for so many signals each time.
struct chunk {
  std::shared_ptr<const prepared_program> steps;
  std::size_t times = 1, count = 0;
};

/// All signals: whole chunks, then a smaller one for those that are left.
using chunks = std::vector<chunk>;

std::size_t workspace_of(const chunks& list) {
  std::size_t bytes = 0;
  for (const chunk& each : list) bytes = std::max(bytes, each.steps->program().workspace_bytes());
  return bytes;
}

/// How far memory advances from one signal to the next.
struct advance {
  std::size_t signal = 0, spectra = 0, output = 0;
};

}  // namespace

struct convolution::impl {
  convolution_spec spec;
  std::vector<convolving::axis_geometry> axes;
  view_owner own;
  std::vector<std::size_t> padded, result;
  chunks preparing, running;
  advance by_preparing, by_running;
  std::size_t image_bytes, kernel_bytes, out_bytes, spectra_bytes;

  [[nodiscard]] const chunks& chunks_of(bool is_run) const { return is_run ? running : preparing; }
  [[nodiscard]] std::size_t signals_bytes(bool is_run) const {
    const bool is_image = (spec.prepared == operand_role::image) != is_run;
    return is_image ? image_bytes : kernel_bytes;
  }
  [[nodiscard]] std::size_t workspace_bytes() const {
    return std::max(workspace_of(preparing), workspace_of(running));
  }

  /// Returns where a view may start: at an element of its functor, or at a pair of reals.
  [[nodiscard]] start_rule start_of(std::string_view name, bool is_run) const {
    const operand_role run = convolving::run_role(spec);
    const fused_load& load = convolving::load_of(spec, is_run ? run : spec.prepared);
    std::size_t element = 0;
    if (name == "array of signals" && load.is_given()) element = load.element_bytes;
    if (name == "output" && spec.store.is_given()) element = spec.store.element_bytes;
    if (element != 0) return {"an element", element, 1, element};
    const std::size_t real_bytes = bytes_of_real(spec.real);
    return {"a pair of reals", 2 * real_bytes, real_bytes, 2 * real_bytes};
  }

  /// Requires views that are large enough, aligned and apart, of those that are used.
  void require_views(std::initializer_list<operand> views, bool is_run,
                     const backend::queue& on) const {
    for (const operand& each : views) {
      if (each.used_bytes == 0) continue;
      own.require_operand(each, start_of(each.name, is_run), on);
      for (const operand* before = views.begin(); before != &each; ++before) {
        require_apart(*before, each, own.runs_on);
      }
    }
  }

  static void enqueue_chunks(backend::queue& on, const chunks& list, const advance& distances,
                             backend::run run, const backend::mark* awaited) {
    for (const auto& [steps, times, count] : list) {
      for (std::size_t i = 0; i < times; ++i) {
        steps->enqueue(on, run, awaited);
        run.in = rest_of(run.in, count * distances.signal);
        run.filter = rest_of(run.filter, count * distances.spectra);
        run.out = rest_of(run.out, count * distances.output);
      }
    }
  }

  void enqueue(queue& on, bool is_run, backend::run run, const std::vector<kernel_argument>& given,
               const backend::mark* awaited) const {
    const chunks& list = chunks_of(is_run);
    const advance& distances = is_run ? by_running : by_preparing;
    const std::size_t needed = workspace_bytes();
    const bool is_own = run.workspace.handle != nullptr || run.workspace.size_bytes != 0;
    const operand read[] = {{"array of signals", run.in, signals_bytes(is_run)},
                            {"array of spectra", run.filter, spectra_bytes}};
    const operand written[] = {{"output", run.out, is_run ? out_bytes : 0},
                               {"workspace", run.workspace, is_own ? needed : 0}};
    require_views({read[0], read[1], written[0], written[1]}, is_run, *on.impl());
    const given_functor store{"the store functor", spec.store.operands, given};
    if (is_run) require_functors({&store, 1}, read, written, *on.impl());
    run.store = given;
    if (needed == 0 || is_own) return enqueue_chunks(*on.impl(), list, distances, run, awaited);
    const auto held = on.impl()->lock();
    run.workspace = on.impl()->workspace(needed);
    enqueue_chunks(*on.impl(), list, distances, run, awaited);
  }
};

namespace {

/// Returns the bytes between the transforms of a program.
std::size_t bytes_between(const programs::program& steps) {
  std::size_t bytes = 0;
  for (const place each : {place::between_a, place::between_b, place::values}) {
    bytes += steps.array_bytes[static_cast<std::size_t>(each)];
  }
  return bytes;
}

/// Returns chunks of the programs that `make` makes of so many signals.
template <class Make>
chunks chunks_of(const queue& on, std::size_t n_signals, bool is_one_chunk, const Make& make) {
  const auto chunk_of = [&](programs::program steps, std::size_t times, std::size_t count) {
    const backend::engine& engine = backend::engine_of(on.device().runs_on);
    return chunk{std::make_shared<const prepared_program>(engine, on.impl(), std::move(steps)),
                 times, count};
  };
  programs::program whole = make(1);
  const std::size_t bytes = std::max<std::size_t>(bytes_between(whole), 1);
  const std::size_t cached = tuning::for_device(on.device()).placing.cached_bytes;
  const std::size_t fitting = std::max<std::size_t>(cached / bytes, 1);
  const std::size_t count = is_one_chunk ? n_signals : std::min(fitting, n_signals);
  if (count > 1) whole = make(count);
  chunks list{chunk_of(std::move(whole), n_signals / count, count)};
  if (const std::size_t left = n_signals % count; left > 0) {
    list.push_back(chunk_of(make(left), 1, left));
  }
  return list;
}

}  // namespace

convolution::convolution(const queue& on, convolution_spec given) {
  convolving::require_valid(given, on.device());
  auto made = std::make_unique<impl>();
  made->spec = std::move(given);
  const convolution_spec& spec = made->spec;
  made->own = {"convolution", on.device()};
  made->axes = convolving::geometry_of(spec, on.device());
  for (const auto& axis : made->axes) {
    made->padded.push_back(axis.padded);
    made->result.push_back(axis.result());
  }
  const bool is_pairwise = spec.pairs == pairing::pairwise;
  const bool prepares_images = spec.prepared == operand_role::image;
  const std::size_t n_prepared = prepares_images ? spec.images : spec.kernels;
  const std::size_t n_run = prepares_images ? spec.kernels : spec.images;
  const std::size_t met = is_pairwise ? 1 : n_prepared;
  const auto request = [&](std::size_t count) {
    return convolving::program_request{spec, made->axes, count, met};
  };
  // A functor numbers all signals of a run, so that they go through one program.
  const operand_role run = convolving::run_role(spec);
  const auto has_load = [&](operand_role role) {
    return convolving::load_of(spec, role).is_given();
  };
  made->preparing = chunks_of(on, n_prepared, has_load(spec.prepared), [&](std::size_t count) {
    return convolving::preparing_program(on.impl(), request(count));
  });
  made->running = chunks_of(
      on, n_run, has_load(run) || spec.store.is_given(),
      [&](std::size_t count) { return convolving::running_program(on.impl(), request(count)); });
  const std::size_t spectrum = convolving::spectrum_bytes(request(1));
  const std::size_t result = convolving::result_bytes(request(1));
  made->image_bytes = convolving::signal_bytes(spec, operand_role::image);
  made->kernel_bytes = convolving::signal_bytes(spec, operand_role::kernel);
  made->out_bytes = spec.store.is_given() ? spec.store.out_bytes : n_run * met * result;
  made->spectra_bytes = n_prepared * spectrum;
  made->by_preparing = {made->signals_bytes(false) / n_prepared, spectrum, 0};
  made->by_running = {made->signals_bytes(true) / n_run, is_pairwise ? spectrum : 0, met * result};
  on.impl()->reserve(made->workspace_bytes());
  impl_ = std::move(made);
}
convolution::convolution(convolution&&) noexcept = default;
convolution& convolution::operator=(convolution&&) noexcept = default;
convolution::~convolution() = default;

const convolution_spec& convolution::spec() const {
  return require_owned(impl_, "convolution").spec;
}
const std::vector<std::size_t>& convolution::padded() const {
  return require_owned(impl_, "convolution").padded;
}
const std::vector<std::size_t>& convolution::result() const {
  return require_owned(impl_, "convolution").result;
}
std::size_t convolution::image_bytes() const {
  return require_owned(impl_, "convolution").image_bytes;
}
std::size_t convolution::kernel_bytes() const {
  return require_owned(impl_, "convolution").kernel_bytes;
}
std::size_t convolution::output_bytes() const {
  return require_owned(impl_, "convolution").out_bytes;
}
std::size_t convolution::spectra_bytes() const {
  return require_owned(impl_, "convolution").spectra_bytes;
}
std::size_t convolution::workspace_bytes() const {
  return require_owned(impl_, "convolution").workspace_bytes();
}

std::size_t convolution::traffic_bytes() const {
  std::size_t bytes = 0;
  for (const chunk& each : require_owned(impl_, "convolution").running) {
    bytes += each.times * each.steps->program().traffic_bytes();
  }
  return bytes;
}

std::vector<pass_info> convolution::passes() const {
  std::vector<pass_info> list;
  for (const chunk& each : require_owned(impl_, "convolution").running) {
    const std::vector<pass_info> passes = each.steps->passes();
    for (std::size_t i = 0; i < each.times; ++i) {
      list.insert(list.end(), passes.begin(), passes.end());
    }
  }
  return list;
}

std::vector<kernel_resources> convolution::resources() const {
  std::vector<kernel_resources> list;
  for (const chunk& each : require_owned(impl_, "convolution").running) {
    for (const kernel_resources& kernel : each.steps->resources()) list.push_back(kernel);
  }
  return list;
}

std::string convolution::explain() const {
  const impl& mine = require_owned(impl_, "convolution");
  std::string text = formatted("{} x {} padded to {}, {} of {}\n", joined(mine.spec.image, "x"),
                               joined(mine.spec.kernel, "x"), joined(mine.padded, "x"),
                               name_of(mine.spec.mode), joined(mine.result, "x"));
  if (const std::size_t hop = mine.axes[0].hop; hop != 0) {
    text += formatted("in overlapping blocks, each of which makes {} values\n", hop);
  }
  if (mine.spec.between) {
    text += formatted("spectra and workspace in {}\n", name_of(*mine.spec.between));
  }
  for (const auto& [steps, times, count] : mine.running) {
    text += formatted("{} times, {} at once:\n", times, count);
    const std::vector<std::string> texts = steps->program().texts();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      text += formatted("  {}; {} bytes\n", texts[i], steps->program().steps[i].traffic_bytes());
    }
  }
  return text +
         formatted("moves {} bytes\nworkspace {} bytes\n", traffic_bytes(), workspace_bytes());
}

void convolution::prepare(queue& on, buffer_view signals, buffer_view spectra,
                          buffer_view workspace) const {
  const impl& mine = require_owned(impl_, "convolution");
  mine.own.require_queue(*on.impl());
  mine.enqueue(on, false, {.in = signals, .out = {}, .workspace = workspace, .filter = spectra}, {},
               nullptr);
}

void convolution::enqueue(queue& on, buffer_view spectra, buffer_view signals, buffer_view out,
                          const std::vector<kernel_argument>& given, buffer_view workspace) const {
  enqueue_after(nullptr, on, {.in = signals, .out = out, .workspace = workspace, .filter = spectra},
                given);
}

void convolution::enqueue_after(const backend::mark* awaited, queue& on, const backend::run& run,
                                const std::vector<kernel_argument>& given) const {
  const impl& mine = require_owned(impl_, "convolution");
  mine.own.require_queue(*on.impl());
  mine.enqueue(on, true, run, given, awaited);
}

}  // namespace wingbeat
