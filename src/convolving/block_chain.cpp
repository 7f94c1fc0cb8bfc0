// SPDX-License-Identifier: Apache-2.0
#include "convolving/block_chain.hpp"

#include <algorithm>  // max
#include <complex>
#include <utility>  // move

#include "convolving/blocks.hpp"        // block_rows_of
#include "convolving/product.hpp"       // product_load
#include "convolving/stored_scale.hpp"  // stored_scale, stored_between
#include "formatted.hpp"                // formatted
#include "request/validation.hpp"       // validated
#include "spectra.hpp"                  // spectrum_array, product

namespace wingbeat::convolving {
namespace {

bool is_real(const convolution_spec& spec) {
  return spec.holds == values::real;
}

std::size_t value_bytes(const convolution_spec& spec) {
  return (is_real(spec) ? 1 : 2) * bytes_of_real(spec.real);
}

/// Reads taps as complex numbers, those of a correlation reversed and conjugate.
template <class Real>
host_load taps_callable(std::size_t n_taps, bool are_real, bool are_reversed) {
  using number = std::complex<Real>;
  return run_reader<number>{[n_taps, are_real, are_reversed](const void* in, std::size_t row,
                                                             std::size_t first,
                                                             std::span<number> into) {
    const std::size_t reals = are_real ? 1 : 2;
    const Real* const taps = static_cast<const Real*>(in) + row * n_taps * reals;
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::size_t at = are_reversed ? n_taps - 1 - first - i : first + i;
      const Real imaginary = are_real ? Real(0) : taps[2 * at + 1];
      into[i] = {taps[reals * at], are_reversed ? -imaginary : imaginary};
    }
  }};
}

std::string taps_text(const convolution_spec& spec, bool are_reversed) {
  const std::string_view real = spec.real == precision::fp64 ? "double" : "float";
  const std::string at = are_reversed ? formatted("{} - i", spec.kernel[0] - 1) : std::string{"i"};
  return formatted(R"(#include "wingbeat/device/complex.hpp"
struct wingbeat_taps_load {{
  using number = wingbeat::device::complex<{0}>;
  using size = wingbeat::device::size;
  using element = {1};
  WINGBEAT_FN static number load(WINGBEAT_GLOBAL const element* in, size row, size i) {{
    using namespace wingbeat::device;
    const size at = row * {2} + {3};
    return {4};
  }}
}};
)",
                   real, is_real(spec) ? real : "number", spec.kernel[0], at,
                   is_real(spec)  ? "number{in[at], 0}"
                   : are_reversed ? "conj(copied_from(in + at))"
                                  : "copied_from(in + at)");
}

fused_load taps_load(const convolution_spec& spec, std::size_t count) {
  const bool are_reversed = spec.kind == operation::correlate;
  fused_load load{.in_bytes = count * spec.kernel[0] * value_bytes(spec),
                  .element_bytes = value_bytes(spec),
                  .source = {.text = taps_text(spec, are_reversed), .type = "wingbeat_taps_load"}};
  if (spec.real == precision::fp64) {
    load.callable = taps_callable<double>(spec.kernel[0], is_real(spec), are_reversed);
  } else {
    load.callable = taps_callable<float>(spec.kernel[0], is_real(spec), are_reversed);
  }
  return load;
}

class block_chain_builder {
 public:
  block_chain_builder(const std::shared_ptr<backend::queue>& on, const chain_request& request)
      : on_(on),
        request_(request),
        spec_(request.spec),
        axis_(request.axes[0]),
        scale_(request.spec, request.axes),
        engine_(request.engine_for(*on)) {
    result_.count = request.count;
  }

  chain prepare() {
    plan_spec rows = rows_of({request_.count});
    rows.load = taps_load(spec_, request_.count);
    rows.valid_in = {{0, spec_.kernel[0]}};
    rows.factor = scale_.forward(operand_role::kernel, 0);
    rows.out = {.strides = {1}, .distances = {axis_.padded}, .stored = between()};
    if (auto native = engine_.make_spectra(on_, rows)) {
      add({std::move(native), memory::signals, memory::spectra});
    } else {
      add({made(rows), memory::signals, memory::spectra});
    }
    return std::move(result_);
  }

  chain run() {
    for (const block_rows& each : block_rows_of(axis_, is_real(spec_))) convolve(each);
    return std::move(result_);
  }

 private:
  [[nodiscard]] precision between() const { return stored_between(spec_); }
  [[nodiscard]] bool is_pairwise() const { return spec_.pairs == pairing::pairwise; }

  void add(stage each) {
    result_.plan_bytes = std::max(result_.plan_bytes, each.plan->workspace_bytes());
    result_.stages.push_back(std::move(each));
  }
  [[nodiscard]] std::shared_ptr<const backend::plan> made(const plan_spec& rows) const {
    return engine_.make_plan(on_, request::validated(rows, on_->device()));
  }
  [[nodiscard]] plan_spec rows_of(std::vector<std::size_t> batch) const {
    return {.lengths = {axis_.padded},
            .batch = batch_shape{std::move(batch)},
            .kind = transform::forward,
            .real = spec_.real};
  }
  void read_from(plan_spec& rows, const block_rows& of) const {
    rows.in.strides = {1};
    rows.in.imaginary_at = of.parts_distance;
    rows.in.origin = {of.in.first};
    rows.valid_in = {of.in};
  }
  void write_to(plan_spec& rows, const block_rows& of) const {
    rows.scale = scaling::by_length;
    rows.out.strides = {1};
    rows.out.imaginary_at = of.parts_distance;
    rows.out.origin = {of.out.first};
    rows.valid_out = {of.out};
  }

  void convolve(const block_rows& of) {
    const std::size_t result = axis_.result(), prepared = request_.prepared;
    const std::size_t from_bytes = of.image_at * value_bytes(spec_);
    const std::size_t to_bytes = of.result_at * value_bytes(spec_);
    plan_spec rows = rows_of({request_.count, prepared, of.count});
    rows.in.distances = {axis_.image, 0, of.distance};
    rows.out.distances = {prepared * result, result, of.distance};
    read_from(rows, of);
    write_to(rows, of);
    const double spectra_factor = scale_.spectrum(operand_role::kernel, 0);
    rows.factor = 1 / spectra_factor;
    const spectrum_array spectra{.stored = between(),
                                 .distances = {is_pairwise() ? axis_.padded : 0, axis_.padded, 0}};
    if (auto native = engine_.make_convolution(on_, rows, spectra)) {
      return add(
          {std::move(native), memory::signals, memory::output, true, false, from_bytes, to_bytes});
    }
    plan_spec forward = rows_of({request_.count, of.count});
    forward.in.distances = {axis_.image, of.distance};
    read_from(forward, of);
    forward.factor = scale_.forward(operand_role::image, 0);
    forward.out.stored = between();
    const std::size_t numbers = request_.count * of.count * axis_.padded;
    result_.array_bytes[0] =
        std::max(result_.array_bytes[0], numbers * 2 * bytes_of_real(between()));
    add({made(forward), memory::signals, memory::workspace_a, false, false, from_bytes});
    plan_spec back = rows_of({request_.count * prepared, of.count});
    back.kind = transform::inverse;
    back.load = product_load({.run = request_.count,
                              .prepared = prepared,
                              .is_pairwise = is_pairwise(),
                              .columns = of.count,
                              .bins = axis_.padded,
                              .has_one_column = true},
                             product::plain, between(), spec_.real);
    back.out.distances = {result, of.distance};
    write_to(back, of);
    back.factor = 1 / (forward.factor * spectra_factor);
    add({made(back), memory::workspace_a, memory::output, false, true, 0, to_bytes});
  }

  const std::shared_ptr<backend::queue>& on_;
  const chain_request& request_;
  const convolution_spec& spec_;
  const axis_geometry& axis_;
  stored_scale scale_;
  const backend::engine& engine_;
  chain result_;
};

}  // namespace

chain preparing_block_chain(const std::shared_ptr<backend::queue>& on,
                            const chain_request& request) {
  return block_chain_builder{on, request}.prepare();
}

chain running_block_chain(const std::shared_ptr<backend::queue>& on, const chain_request& request) {
  return block_chain_builder{on, request}.run();
}

}  // namespace wingbeat::convolving
