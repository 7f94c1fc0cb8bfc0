// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/convolution.hpp"

#include <algorithm>  // max, min
#include <utility>    // move

#include "arrays/array.hpp"                     // bytes_of_real
#include "convolving/prepared_convolution.hpp"  // prepared_convolution
#include "convolving/program.hpp"               // preparing_program, running_program
#include "convolving/request.hpp"               // require_valid
#include "text/formatted.hpp"                   // formatted, joined
#include "tuning/tuning.hpp"                    // for_device

namespace wingbeat {
namespace convolving {
namespace {

using operations::repeated_program;
using programs::place;

/// Returns the bytes between the transforms of a program.
std::size_t bytes_between(const programs::program& steps) {
  std::size_t bytes = 0;
  for (const place each : {place::between_a, place::between_b, place::values}) {
    bytes += steps.array_bytes[static_cast<std::size_t>(each)];
  }
  return bytes;
}

/// Returns the programs that `make` makes for `n_signals`: one for as many signals at once as the
/// device's cache holds between their transforms, then one for the remainder.
template <class Make>
std::vector<repeated_program> programs_of(const queue& on, std::size_t n_signals, bool is_one,
                                          const Make& make) {
  const auto repeated = [&](programs::program steps, std::size_t times, std::size_t count) {
    const backend::engine& engine = backend::engine_of(on.device().runs_on);
    return repeated_program{
        std::make_shared<const programs::prepared_program>(engine, on.impl(), std::move(steps)),
        times, count};
  };
  programs::program whole = make(1);
  const std::size_t bytes = std::max<std::size_t>(bytes_between(whole), 1);
  const std::size_t cached = tuning::for_device(on.device()).placing.cached_bytes;
  const std::size_t fitting = std::max<std::size_t>(cached / bytes, 1);
  const std::size_t count = is_one ? n_signals : std::min(fitting, n_signals);
  if (count > 1) whole = make(count);
  std::vector<repeated_program> list{repeated(std::move(whole), n_signals / count, count)};
  if (const std::size_t left = n_signals % count; left > 0) {
    list.push_back(repeated(make(left), 1, left));
  }
  return list;
}

/// Returns the alignment of views: a pair of reals, or an element of a functor.
start_rule start_of(precision real) {
  const std::size_t bytes = bytes_of_real(real);
  return {"a pair of reals", 2 * bytes, bytes, 2 * bytes};
}

template <class Functor>
start_rule start_of(precision real, const Functor& functor) {
  const std::size_t element = functor.element_bytes;
  return functor.is_given() ? start_rule{"an element", element, 1, element} : start_of(real);
}

convolution_spec valid(convolution_spec spec, const device_info& device) {
  require_valid(spec, device);
  return spec;
}

}  // namespace

prepared_convolution::prepared_convolution(const queue& on, convolution_spec given,
                                           const char* noun)
    : operation(noun, on, start_of(given.real)),
      spec_(valid(std::move(given), on.device())),
      axes_(geometry_of(spec_, on.device())) {
  for (const axis_geometry& axis : axes_) {
    padded_.push_back(axis.padded);
    result_.push_back(axis.result());
  }
  set_programs(on);
}

void prepared_convolution::set_programs(const queue& on) {
  const bool prepares_images = spec_.prepared == operand_role::image;
  const std::size_t n_prepared = prepares_images ? spec_.images : spec_.kernels;
  const std::size_t n_run = prepares_images ? spec_.kernels : spec_.images;
  const bool is_pairwise = spec_.pairs == pairing::pairwise;
  const std::size_t met = is_pairwise ? 1 : n_prepared;
  const auto request = [&](std::size_t count) { return program_request{spec_, axes_, count, met}; };
  // A functor numbers all signals of a run, so they go through one program.
  const auto has_load = [&](operand_role role) { return load_of(spec_, role).is_given(); };
  const operand_role run = run_role(spec_);
  preparing_.programs =
      programs_of(on, n_prepared, has_load(spec_.prepared),
                  [&](std::size_t count) { return preparing_program(on.impl(), request(count)); });
  running_.programs =
      programs_of(on, n_run, has_load(run) || spec_.store.is_given(),
                  [&](std::size_t count) { return running_program(on.impl(), request(count)); });
  const std::size_t spectrum = spectrum_bytes(request(1));
  const std::size_t results = met * result_bytes(request(1));
  set_operands(n_prepared * spectrum,
               spec_.store.is_given() ? spec_.store.out_bytes : n_run * results);
  preparing_.distances = {preparing_.operands[0].bytes / n_prepared, spectrum, 0};
  running_.distances = {running_.operands[0].bytes / n_run, is_pairwise ? spectrum : 0, results};
  add(preparing_, on);
  add(running_, on);
}

void prepared_convolution::set_operands(std::size_t spectra_bytes, std::size_t out_bytes) {
  using operations::operand_rule;
  const auto signals = [&](operand_role role) {
    return operand_rule{.name = "array of signals",
                        .uses = operations::as_in,
                        .bytes = signal_bytes(spec_, role),
                        .start = start_of(spec_.real, load_of(spec_, role))};
  };
  const auto spectra = [&](bool is_written) {
    return operand_rule{.name = "array of spectra",
                        .uses = operations::as_filter,
                        .bytes = spectra_bytes,
                        .start = start_of(spec_.real),
                        .is_written = is_written};
  };
  preparing_.operands = {signals(spec_.prepared), spectra(true)};
  running_.operands = {signals(run_role(spec_)),
                       spectra(false),
                       {.name = "output",
                        .uses = operations::as_out,
                        .bytes = out_bytes,
                        .start = start_of(spec_.real, spec_.store),
                        .is_written = true}};
  running_.store = spec_.store.operands;
}

std::size_t prepared_convolution::bytes_of(operand_role role) const {
  return (role == spec_.prepared ? preparing_ : running_).operands[0].bytes;
}

std::string prepared_convolution::heading() const {
  std::string text = formatted("{} x {} padded to {}, {} of {}\n", joined(spec_.image, "x"),
                               joined(spec_.kernel, "x"), joined(padded_, "x"), name_of(spec_.mode),
                               joined(result_, "x"));
  if (const std::size_t hop = axes_[0].hop; hop != 0) {
    text += formatted("in overlapping blocks, each of which makes {} values\n", hop);
  }
  if (!spec_.between) return text;
  return text + formatted("spectra and workspace in {}\n", name_of(*spec_.between));
}

void prepared_convolution::prepare(queue& on, const buffer_view& signals,
                                   const buffer_view& spectra, const buffer_view& workspace) const {
  const buffer_view views[] = {signals, spectra};
  operation::enqueue(on, preparing_, {.views = views, .workspace = workspace});
}

void prepared_convolution::enqueue(queue& on, const buffer_view& spectra,
                                   const buffer_view& signals, const buffer_view& out,
                                   std::span<const kernel_argument> given,
                                   const buffer_view& workspace,
                                   const backend::mark* awaited) const {
  const buffer_view views[] = {signals, spectra, out};
  operation::enqueue(on, running_,
                     {.views = views, .workspace = workspace, .store = given, .awaited = awaited});
}

}  // namespace convolving

struct convolution::impl final : convolving::prepared_convolution {
  using prepared_convolution::prepared_convolution;
};

convolution::convolution(const queue& on, convolution_spec spec)
    : prepared_operation(std::make_unique<const impl>(on, std::move(spec))) {}

const convolution::impl& convolution::own() const {
  return static_cast<const impl&>(owned());
}

const convolution_spec& convolution::spec() const {
  return own().spec();
}
const std::vector<std::size_t>& convolution::padded() const {
  return own().padded();
}
const std::vector<std::size_t>& convolution::result() const {
  return own().result();
}
std::size_t convolution::image_bytes() const {
  return own().bytes_of(operand_role::image);
}
std::size_t convolution::kernel_bytes() const {
  return own().bytes_of(operand_role::kernel);
}
std::size_t convolution::output_bytes() const {
  return own().output_bytes();
}
std::size_t convolution::spectra_bytes() const {
  return own().spectra_bytes();
}

void convolution::prepare(queue& on, buffer_view signals, buffer_view spectra,
                          buffer_view workspace) const {
  own().prepare(on, signals, spectra, workspace);
}

void convolution::enqueue(queue& on, buffer_view spectra, buffer_view signals, buffer_view out,
                          const std::vector<kernel_argument>& given, buffer_view workspace) const {
  own().enqueue(on, spectra, signals, out, given, workspace);
}

}  // namespace wingbeat
