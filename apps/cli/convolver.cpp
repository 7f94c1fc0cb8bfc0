// SPDX-License-Identifier: Apache-2.0
#include "cli/convolver.hpp"

#include <algorithm>  // all_of
#include <cmath>      // isfinite

#include "cli/samples.hpp"      // pack
#include "text/formatted.hpp"   // formatted
#include "verify/elements.hpp"  // numbers_of
#include "wingbeat/error.hpp"   // plan_error

namespace wingbeat::cli {

template <class Number>
void require_finite_result(std::span<const Number> numbers, precision real) {
  const auto is_finite = [](Number x) { return std::isfinite(x); };
  if (std::all_of(numbers.begin(), numbers.end(), is_finite)) return;
  throw plan_error(formatted(
      "the result exceeds the range of {}; {}", name_of(real),
      real == precision::fp32 ? "use --precision fp64 or smaller values" : "use smaller values"));
}

template void require_finite_result(std::span<const float>, precision);
template void require_finite_result(std::span<const double>, precision);

convolver::convolver(const queue& on, const convolution_spec& spec,
                     std::span<const double> prepared)
    : on_(on), plan_(on, spec), spectra_(on, plan_.spectra_bytes()) {
  const bool is_of_image = spec.prepared == operand_role::image;
  const std::size_t prepared_bytes = is_of_image ? plan_.image_bytes() : plan_.kernel_bytes();
  in_ = buffer{on, is_of_image ? plan_.kernel_bytes() : plan_.image_bytes()};
  out_ = buffer{on, plan_.output_bytes()};
  buffer signals{on, prepared_bytes};
  signals.write(pack(prepared, spec.real).data(), prepared_bytes);
  plan_.prepare(on_, signals.view(), spectra_.view());
  on_.wait();  // `signals` ends here
}

std::vector<double> convolver::operator()(std::span<const double> others) {
  const precision real = plan_.spec().real;
  in_.write(pack(others, real).data(), in_.size_bytes());
  plan_.enqueue(on_, spectra_.view(), in_.view(), out_.view());
  std::vector<std::byte> bytes(out_.size_bytes());
  out_.read(bytes.data(), bytes.size());
  auto numbers = verify::numbers_of(bytes, real);
  require_finite_result<double>(numbers, real);
  return numbers;
}

}  // namespace wingbeat::cli
