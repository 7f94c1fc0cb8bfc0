// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/convolution.hpp"

#include <algorithm>  // max, min
#include <array>
#include <utility>  // move

#include "arguments.hpp"           // require_arguments, argument_views, require_views
#include "arrays/array.hpp"        // bytes_of_real
#include "convolving/chain.hpp"    // chain, running_chain
#include "convolving/request.hpp"  // require_valid
#include "formatted.hpp"           // formatted, joined
#include "moved_from.hpp"          // require_owned
#include "views.hpp"               // operand, require_memory, require_apart
#include "wingbeat/error.hpp"      // plan_error

namespace wingbeat {
namespace {

using convolving::chain;
using convolving::memory;
using convolving::stage;

/// Arrays between passes that are larger leave the caches; signals then go one after another.
constexpr std::size_t cached_bytes = std::size_t{48} << 20;
constexpr std::size_t alignment_bytes = 256;

std::size_t aligned_up(std::size_t bytes) {
  return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

std::size_t array_bytes_of(const chain& of) {
  std::size_t bytes = 0;
  for (const std::size_t each : of.array_bytes) bytes += aligned_up(each);
  return bytes;
}

buffer_view advanced(buffer_view view, std::size_t bytes) {
  view.offset_bytes += bytes;
  view.size_bytes -= bytes;
  return view;
}

/// Signals in chunks of one chain, and a shorter chain for those that are left.
struct chunks {
  chain whole, rest;
  std::size_t n_whole = 0;

  [[nodiscard]] std::size_t workspace_bytes() const {
    return std::max(bytes_of(whole), bytes_of(rest));
  }
  static std::size_t bytes_of(const chain& of) { return array_bytes_of(of) + of.plan_bytes; }
};

/// How far memory advances from one signal to the next.
struct advance {
  std::size_t signal = 0, spectra = 0, output = 0;
};

}  // namespace

struct convolution::impl {
  convolution_spec spec;
  std::vector<convolving::axis_geometry> axes;
  std::vector<std::size_t> padded, result;
  engine runs_on;
  int device_index;
  chunks preparing, running;
  advance by_preparing, by_running;
  std::size_t image_bytes, kernel_bytes, out_bytes, spectra_bytes;

  [[nodiscard]] const chunks& chunks_of(bool is_run) const { return is_run ? running : preparing; }
  [[nodiscard]] std::size_t signals_bytes(bool is_run) const {
    const bool is_image = (spec.prepared == operand_role::image) != is_run;
    return is_image ? image_bytes : kernel_bytes;
  }
  [[nodiscard]] std::size_t workspace_bytes() const {
    return std::max(preparing.workspace_bytes(), running.workspace_bytes());
  }

  void require_queue(const queue& on) const {
    const device_info& given = on.device();
    if (given.runs_on == runs_on && given.index == device_index) return;
    throw plan_error(
        formatted("this convolution was made for {}:{} and the queue is of {}:{}; give it a queue "
                  "of its own device",
                  name_of(runs_on), device_index, name_of(given.runs_on), given.index));
  }

  /// Returns where a view may start: at an element of its functor, or at a pair of reals.
  [[nodiscard]] start_rule start_of(std::string_view name, bool is_run) const {
    const operand_role run = convolving::run_role(spec);
    const fused_load& load = convolving::load_of(spec, is_run ? run : spec.prepared);
    std::size_t element = 0;
    if (name == "signals" && load.is_given()) element = load.element_bytes;
    if (name == "output" && spec.store.is_given()) element = spec.store.element_bytes;
    if (element != 0) return {"an element", element, 1, element};
    const std::size_t real_bytes = bytes_of_real(spec.real);
    return {"a pair of reals", 2 * real_bytes, real_bytes, 2 * real_bytes};
  }

  /// Requires views that are large enough, aligned and apart.
  void require_views(const std::vector<operand>& all, bool is_run, const backend::queue& on) const {
    for (const operand& each : all) {
      require_memory(each, on);
      if (each.view.size_bytes < each.used_bytes) {
        throw plan_error(formatted("the {} holds {} bytes; this convolution needs {}", each.name,
                                   each.view.size_bytes, each.used_bytes));
      }
      require_start(each, start_of(each.name, is_run), runs_on);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) require_apart(all[j], all[i], runs_on);
    }
  }

  void require_given(const std::vector<kernel_argument>& given, const std::vector<operand>& others,
                     const backend::queue& on) const {
    constexpr std::string_view store = "the store functor";
    require_arguments(store, spec.store.operands, given);
    if (given.empty()) return;
    const argument_views views{store, spec.store.operands, given};
    wingbeat::require_views(views.read(), on);
    wingbeat::require_views(views.written(), on);
    for (const operand& each : others) {
      const bool is_written = each.name == "output" || each.name == "workspace";
      for (const operand& view : views.written()) require_apart(each, view, runs_on);
      for (const operand& view : views.read()) {
        if (is_written) require_apart(each, view, runs_on);
      }
    }
    for (std::size_t i = 0; i < views.written().size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        require_apart(views.written()[j], views.written()[i], runs_on);
      }
      for (const operand& view : views.read()) {
        require_apart(view, views.written()[i], runs_on);
      }
    }
  }

  struct run_memory {
    buffer_view signals, spectra, output, workspace;
  };

  void enqueue_chain(backend::queue& on, const chain& of, const run_memory& at,
                     std::span<const kernel_argument> given) const {
    const std::size_t b_at = aligned_up(of.array_bytes[0]);
    const std::size_t values_at = b_at + aligned_up(of.array_bytes[1]);
    const auto view_of = [&](memory where) {
      switch (where) {
        case memory::signals: return at.signals;
        case memory::spectra: return at.spectra;
        case memory::output: return at.output;
        case memory::workspace_a: return at.workspace;
        case memory::workspace_b: return advanced(at.workspace, b_at);
        case memory::values: return advanced(at.workspace, values_at);
      }
      return buffer_view{};
    };
    const std::array<kernel_argument, 1> spectra{at.spectra};
    for (const stage& each : of.stages) {
      backend::run run{.in = advanced(view_of(each.from), each.from_bytes),
                       .out = advanced(view_of(each.to), each.to_bytes),
                       .workspace = {}};
      if (each.plan->workspace_bytes() > 0) {
        run.workspace = advanced(at.workspace, array_bytes_of(of));
      }
      if (each.multiplies) run.filter = at.spectra;
      if (each.loads_product) run.load = spectra;
      if (each.to == memory::output) run.store = given;
      each.plan->enqueue(on, run);
    }
  }

  void enqueue_chunks(backend::queue& on, const chunks& all, const advance& by, run_memory at,
                      std::span<const kernel_argument> given) const {
    for (std::size_t i = 0; i <= all.n_whole; ++i) {
      const chain& each = i < all.n_whole ? all.whole : all.rest;
      if (each.count == 0) break;
      enqueue_chain(on, each, at, given);
      if (i == all.n_whole) break;
      at.signals = advanced(at.signals, each.count * by.signal);
      at.spectra = advanced(at.spectra, each.count * by.spectra);
      at.output = advanced(at.output, each.count * by.output);
    }
  }

  void enqueue(queue& on, bool is_run, run_memory at,
               const std::vector<kernel_argument>& given) const {
    const chunks& all = chunks_of(is_run);
    const advance& by = is_run ? by_running : by_preparing;
    const std::size_t needed = workspace_bytes();
    const bool is_own = at.workspace.handle != nullptr || at.workspace.size_bytes != 0;
    std::vector<operand> views{{"signals", at.signals, signals_bytes(is_run)},
                               {"spectra", at.spectra, spectra_bytes}};
    if (is_run) views.push_back({"output", at.output, out_bytes});
    if (needed > 0 && is_own) views.push_back({"workspace", at.workspace, needed});
    require_views(views, is_run, *on.impl());
    if (is_run) require_given(given, views, *on.impl());
    if (needed == 0 || is_own) return enqueue_chunks(*on.impl(), all, by, at, given);
    const auto held = on.impl()->lock();
    at.workspace = on.impl()->workspace(needed);
    enqueue_chunks(*on.impl(), all, by, at, given);
  }
};

namespace {

template <class Make>
chunks chunks_of(std::size_t n_signals, bool is_one_chunk, const Make& make) {
  chunks all;
  all.whole = make(1);
  const std::size_t bytes = std::max<std::size_t>(array_bytes_of(all.whole), 1);
  const std::size_t fitting = std::max<std::size_t>(cached_bytes / bytes, 1);
  const std::size_t count = is_one_chunk ? n_signals : std::min(fitting, n_signals);
  if (count > 1) all.whole = make(count);
  all.n_whole = n_signals / count;
  if (n_signals % count > 0) all.rest = make(n_signals % count);
  return all;
}

}  // namespace

convolution::convolution(const queue& on, convolution_spec given) {
  convolving::require_valid(given, on.device());
  auto made = std::make_unique<impl>();
  made->spec = std::move(given);
  const convolution_spec& spec = made->spec;
  made->axes = convolving::geometry_of(spec, on.device());
  for (const auto& axis : made->axes) {
    made->padded.push_back(axis.padded);
    made->result.push_back(axis.result());
  }
  made->runs_on = on.device().runs_on;
  made->device_index = on.device().index;
  const bool is_pairwise = spec.pairs == pairing::pairwise;
  const bool prepares_images = spec.prepared == operand_role::image;
  const std::size_t n_prepared = prepares_images ? spec.images : spec.kernels;
  const std::size_t n_run = prepares_images ? spec.kernels : spec.images;
  const std::size_t met = is_pairwise ? 1 : n_prepared;
  const auto request = [&](std::size_t count) {
    return convolving::chain_request{spec, made->axes, count, met};
  };
  // A functor numbers all signals of a run, so that they go through one chain.
  const operand_role run = convolving::run_role(spec);
  const auto has_load = [&](operand_role role) {
    return convolving::load_of(spec, role).is_given();
  };
  made->preparing = chunks_of(n_prepared, has_load(spec.prepared), [&](std::size_t count) {
    return convolving::preparing_chain(on.impl(), request(count));
  });
  made->running = chunks_of(n_run, has_load(run) || spec.store.is_given(), [&](std::size_t count) {
    return convolving::running_chain(on.impl(), request(count));
  });
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
  const chunks& all = require_owned(impl_, "convolution").running;
  std::size_t bytes = 0;
  for (const stage& each : all.whole.stages) bytes += all.n_whole * each.plan->traffic_bytes();
  for (const stage& each : all.rest.stages) bytes += each.plan->traffic_bytes();
  return bytes;
}

std::vector<pass_info> convolution::passes() const {
  const chunks& all = require_owned(impl_, "convolution").running;
  std::vector<pass_info> list;
  const auto add = [&](const chain& of) {
    for (const stage& each : of.stages) {
      for (pass_info& pass : each.plan->passes()) list.push_back(std::move(pass));
    }
  };
  for (std::size_t i = 0; i < all.n_whole; ++i) add(all.whole);
  add(all.rest);
  return list;
}

std::vector<kernel_resources> convolution::resources() const {
  const chunks& all = require_owned(impl_, "convolution").running;
  std::vector<kernel_resources> list;
  for (const chain* each : {&all.whole, &all.rest}) {
    for (const stage& of : each->stages) {
      for (kernel_resources& kernel : of.plan->resources()) list.push_back(std::move(kernel));
    }
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
  const auto add = [&](const chain& of, std::size_t times) {
    if (of.count == 0) return;
    text += formatted("{} times, {} at once:\n", times, of.count);
    for (const stage& each : of.stages) {
      std::string lines = each.plan->explain();
      while (!lines.empty() && lines.back() == '\n') lines.pop_back();
      text += formatted("  {}; {} bytes\n", lines, each.plan->traffic_bytes());
    }
  };
  add(mine.running.whole, mine.running.n_whole);
  add(mine.running.rest, 1);
  return text +
         formatted("moves {} bytes\nworkspace {} bytes\n", traffic_bytes(), workspace_bytes());
}

void convolution::prepare(queue& on, buffer_view signals, buffer_view spectra,
                          buffer_view workspace) const {
  const impl& mine = require_owned(impl_, "convolution");
  mine.require_queue(on);
  mine.enqueue(on, false, {signals, spectra, {}, workspace}, {});
}

void convolution::enqueue(queue& on, buffer_view spectra, buffer_view signals, buffer_view out,
                          const std::vector<kernel_argument>& given, buffer_view workspace) const {
  const impl& mine = require_owned(impl_, "convolution");
  mine.require_queue(on);
  mine.enqueue(on, true, {signals, spectra, out, workspace}, given);
}

}  // namespace wingbeat
