// SPDX-License-Identifier: Apache-2.0
#include "cli/problem.hpp"

#include <algorithm>  // count, max, min
#include <bit>        // bit_ceil
#include <cmath>      // abs
#include <limits>     // numeric_limits

#include "cli/kinds.hpp"             // set_kinds
#include "cli/messages.hpp"          // print_message
#include "cli/samples.hpp"           // round_to
#include "request/resolved.hpp"      // kind_of_axis
#include "request/validation.hpp"    // require_length, traits_of
#include "text/formatted.hpp"        // formatted
#include "text/reject.hpp"           // reject
#include "wingbeat/error.hpp"        // plan_error, file_error
#include "wingbeat/good_length.hpp"  // good_length, is_good_length

namespace wingbeat::cli {
namespace {

/// Sets the requested kinds from reals to reals.
void set_real_kinds(plan_spec& spec, const formats::signal& signal, const std::string& name,
                    const transform_request& request) {
  if (!signal.is_real) {
    reject("{} holds complex samples, and {} takes real ones; drop --kind", name,
           name_of(request.kinds.front()));
  }
  std::vector<transform> kinds = request.kinds;
  if (request.is_inverse) {
    for (transform& each : kinds) each = request::traits_of(each).opposite;
  }
  set_kinds(spec, kinds);
  spec.orthogonalize = request.orthogonalizes;
}

transform kind_of(const formats::signal& signal, const std::string& name,
                  const transform_request& request) {
  if (request.is_inverse) return request.is_half ? transform::inverse_to_real : transform::inverse;
  if (signal.is_real) return transform::forward_from_real;
  reject_if(request.is_half,
            "{} holds complex samples, whose spectrum has no half to leave out; drop --half", name);
  return transform::forward;
}

void set_kind(plan_spec& spec, const formats::signal& signal, const std::string& name,
              const transform_request& request) {
  if (request.kinds.empty()) {
    spec.kind = kind_of(signal, name, request);
  } else {
    set_real_kinds(spec, signal, name, request);
  }
}

/// Returns the length of rows that need `needed` elements, with the requested padding.
std::size_t padded_length(std::size_t needed, transform kind, const transform_request& request) {
  if (request.pad == padding::power_of_two) return std::bit_ceil(needed);
  if (request.pad == padding::none || is_good_length(needed, kind)) return needed;
  return good_length(needed, kind);
}

std::size_t length_for(const formats::signal& signal, const std::string& name, transform kind,
                       const transform_request& request) {
  if (request.length) {
    request::require_length(*request.length);
    return *request.length;
  }
  const bool is_from_half = request::traits_of(kind).in == request::domain::hermitian;
  // N/2 + 1 bins belong to an even N, or to N + 1.
  const std::size_t needed =
      is_from_half ? std::max<std::size_t>(2 * (signal.row_length - 1), 1) : signal.row_length;
  reject_if(needed > max_length,
            "{} needs length {}, but this version transforms up to {}; cut it with --length", name,
            needed, max_length);
  return padded_length(needed, kind, request);
}

/// Copies the rows, as complex pairs or the real parts alone, and pads each with zeros.
std::vector<double> padded_rows(const formats::signal& signal, std::size_t kept, std::size_t slots,
                                bool is_real) {
  const std::size_t width = is_real ? 1 : 2;
  std::vector<double> values(signal.n_rows * slots * width);
  for (std::size_t r = 0; r < signal.n_rows; ++r) {
    for (std::size_t j = 0; j < kept; ++j) {
      const auto& sample = signal.samples[r * signal.row_length + j];
      double* const target = &values[(r * slots + j) * width];
      target[0] = sample.real();
      if (!is_real) target[1] = sample.imag();
    }
  }
  return values;
}

/// Refuses rows that could overflow. No partial sum exceeds the sum of a row's magnitudes.
void require_range(std::span<const double> values, std::size_t n_rows, const std::string& name,
                   precision real) {
  const double limit = real == precision::fp32 ? std::numeric_limits<float>::max()
                                               : std::numeric_limits<double>::max();
  const std::size_t per_row = values.size() / n_rows;
  for (std::size_t r = 0; r < n_rows; ++r) {
    long double sum = 0;
    for (const double number : values.subspan(r * per_row, per_row)) sum += std::abs(number);
    if (sum <= limit / 2) continue;  // a real transform adds pairs: one more doubling
    reject(
        "the transform of {} would exceed the range of {}; {}", name, name_of(real),
        real == precision::fp32 ? "use --precision fp64 or smaller values" : "use smaller values");
  }
}

/// Refuses rows without a number in the normal range of the precision, because rounding would cost
/// all of them digits, or make them 0.
void require_normal(std::span<const double> values, std::size_t n_rows, const std::string& name,
                    precision real) {
  const bool is_fp32 = real == precision::fp32;
  const double least =
      is_fp32 ? double{std::numeric_limits<float>::min()} : std::numeric_limits<double>::min();
  const std::size_t per_row = values.size() / n_rows;
  for (std::size_t r = 0; r < n_rows; ++r) {
    double largest = 0;
    for (const double number : values.subspan(r * per_row, per_row)) {
      largest = std::max(largest, std::abs(number));
    }
    if (largest == 0 || largest >= least) continue;
    reject(
        "{} has a row of magnitudes up to {:.3g}, below the range of {}, which begins at {:.3g}; "
        "use {}",
        name, largest, name_of(real), least,
        is_fp32 ? "--precision fp64 or larger values" : "larger values");
  }
}

std::size_t count_nonzero(std::span<const double> values) {
  return values.size() - static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0));
}

/// Rounds the input of `n_sums` rows, each of which a transform adds up.
void round_input(problem& p, std::size_t n_sums, const std::string& name) {
  require_range(p.input, n_sums, name, p.spec.real);
  require_normal(p.input, n_sums, name, p.spec.real);
  const std::size_t n_nonzero = count_nonzero(p.input);
  round_to(p.spec.real, p.input);
  p.n_vanished = n_nonzero - count_nonzero(p.input);
}

/// Copies the samples of a file to a problem and pads each row; pads an image by rows of zeros,
/// too. The samples of one transform are checked and rounded together.
void take_rows(problem& p, const formats::signal& signal, const std::string& name,
               const transform_request& request) {
  p.is_half = request.is_half;
  p.is_table = signal.is_table;
  p.row_length = signal.row_length;
  const request::domain values = request::traits_of(p.spec.kind).in;
  const std::size_t slots = request::count_of(values, p.length());
  p.kept_samples = std::min(signal.row_length, slots);
  p.input = padded_rows(signal, p.kept_samples, slots, values == request::domain::real);
  p.input.resize(input_bytes(p.spec) / bytes_of_real(p.spec.real));
  round_input(p, p.spec.batch, name);
}

/// Returns the length of an axis of an image with `needed` elements.
std::size_t axis_length(std::size_t needed, transform kind, const transform_request& request) {
  reject_if(needed > max_length,
            "an axis of {} is longer than the {} that are transformed; cut the image", needed,
            max_length);
  return padded_length(needed, kind, request);
}

}  // namespace

plan_spec row_spec(const formats::signal& signal, const std::string& name,
                   const transform_request& request) {
  if (signal.row_length == 0) throw file_error(formatted("{} holds rows without samples", name));
  plan_spec spec;
  set_kind(spec, signal, name, request);
  spec.lengths = {length_for(signal, name, spec.kind, request)};
  spec.batch = signal.n_rows;
  spec.real = request.real;
  spec.scale = request.scale.value_or(request.is_inverse ? scaling::by_length : scaling::none);
  return spec;
}

problem make_problem(const formats::signal& signal, const std::string& name,
                     const transform_request& request) {
  problem p;
  p.spec = row_spec(signal, name, request);
  take_rows(p, signal, name, request);
  return p;
}

plan_spec image_spec(const formats::signal& signal, const std::string& name,
                     const transform_request& request) {
  if (signal.n_rows < 2 && !signal.is_table) {
    throw file_error(formatted(
        "{} holds one row, and --axes 2 transforms an image; drop it, or give an array of "
        "two dimensions",
        name));
  }
  plan_spec spec;
  set_kind(spec, signal, name, request);
  const bool is_from_half = request::traits_of(spec.kind).in == request::domain::hermitian;
  const std::size_t width =
      is_from_half ? std::max<std::size_t>(2 * (signal.row_length - 1), 1) : signal.row_length;
  spec.lengths = {signal.n_rows, width};
  for (std::size_t a = 0; a < 2; ++a) {
    std::size_t& length = spec.lengths[a];
    length = axis_length(length, request::kind_of_axis(spec, a).kind, request);
  }
  spec.real = request.real;
  spec.scale = request.scale.value_or(request.is_inverse ? scaling::by_length : scaling::none);
  return spec;
}

problem make_image_problem(const formats::signal& signal, const std::string& name,
                           const transform_request& request) {
  problem p;
  p.spec = image_spec(signal, name, request);
  take_rows(p, signal, name, request);
  p.is_table = true;
  return p;
}

std::vector<double> complete(const problem& solved, std::vector<double> output) {
  if (request::traits_of(solved.spec.kind).out != request::domain::hermitian || solved.is_half) {
    return output;
  }
  const std::size_t n = solved.length(), half_reals = 2 * (n / 2 + 1);
  const std::size_t height = solved.spec.lengths.size() > 1 ? solved.spec.lengths[0] : 1;
  const std::size_t n_rows = solved.spec.batch * height;
  std::vector<double> samples(2 * n * n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const std::size_t y = r % height;
    const double* const half = &output[r * half_reals];
    const double* const opposite = &output[(r - y + (height - y) % height) * half_reals];
    double* const row = &samples[r * 2 * n];
    std::copy(half, half + half_reals, row);
    for (std::size_t k = n / 2 + 1; k < n; ++k) {
      row[2 * k] = opposite[2 * (n - k)];
      row[2 * k + 1] = 0 - opposite[2 * (n - k) + 1];  // 0 - 0 is 0, not -0
    }
  }
  return samples;
}

formats::signal signal_of(const problem& solved, std::span<const double> completed) {
  formats::signal s;
  s.is_real = request::traits_of(solved.spec.kind).out == request::domain::real;
  s.is_single_precision = solved.spec.real == precision::fp32;
  s.n_rows = solved.spec.batch * (solved.spec.lengths.size() > 1 ? solved.spec.lengths[0] : 1);
  s.is_table = solved.is_table;
  const std::size_t width = s.is_real ? 1 : 2;
  s.row_length = completed.size() / width / s.n_rows;
  s.samples.resize(s.n_rows * s.row_length);
  for (std::size_t i = 0; i < s.samples.size(); ++i) {
    s.samples[i] = {completed[i * width], s.is_real ? 0.0 : completed[i * width + 1]};
  }
  return s;
}

void report_times(const std::string& name, const formats::signal& signal) {
  if (!signal.may_have_times) return;
  print_message(
      "the first column of {} rises steadily, as times do, and is taken for real parts; give "
      "samples alone, or a line '# complex' above them",
      name);
}

}  // namespace wingbeat::cli
