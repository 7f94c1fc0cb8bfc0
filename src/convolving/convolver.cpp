// SPDX-License-Identifier: Apache-2.0
#include "convolving/convolver.hpp"

#include <algorithm>  // all_of, min
#include <cmath>      // isfinite
#include <limits>     // numeric_limits

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::convolving {
namespace {

/// Calls work(number) with a number of the precision, fp32 or fp64.
template <class Work>
auto with_number(precision real, Work work) {
  return real == precision::fp64 ? work(double{}) : work(float{});
}

}  // namespace

std::vector<std::byte> pack(std::span<const double> values, precision real) {
  return with_number(real, [&]<class Number>(Number) {
    const std::vector<Number> rounded(values.begin(), values.end());
    const auto bytes = std::as_bytes(std::span{rounded});
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

void refuse_range(std::string_view subject, precision real, std::string_view fp64_name) {
  reject("{} the range of {}; {}", subject, name_of(real),
         real == precision::fp32 ? formatted("use {} or smaller values", fp64_name)
                                 : "use smaller values");
}

template <class Number>
void require_finite_result(std::span<const Number> values, precision real,
                           std::string_view fp64_name) {
  const auto is_finite = [](Number x) { return std::isfinite(x); };
  if (std::all_of(values.begin(), values.end(), is_finite)) return;
  refuse_range("the result exceeds", real, fp64_name);
}

template void require_finite_result(std::span<const float>, precision, std::string_view);
template void require_finite_result(std::span<const double>, precision, std::string_view);

void require_normal_result(const magnitudes& a, const magnitudes& b, precision real,
                           std::string_view fp64_name) {
  const double least = real == precision::fp64 ? std::numeric_limits<double>::min()
                                               : double{std::numeric_limits<float>::min()};
  const double most = std::min(a.sum * b.largest, a.largest * b.sum);
  if (a.largest == 0 || b.largest == 0 || most >= least) return;
  reject("all results are below {:.3g}, where the range of {} begins; {}", least, name_of(real),
         real == precision::fp32 ? formatted("use {} or larger values", fp64_name)
                                 : "use larger values");
}

convolver::convolver(const queue& on, const convolution_spec& spec,
                     std::span<const double> prepared, std::string_view fp64_name)
    : on_(on),
      plan_(on, spec),
      spectra_(on, plan_.spectra_bytes()),
      prepared_(magnitudes_of(prepared)),
      fp64_name_(fp64_name) {
  const bool is_of_image = spec.prepared == operand_role::image;
  const std::size_t prepared_bytes = is_of_image ? plan_.image_bytes() : plan_.kernel_bytes();
  in_ = buffer{on, is_of_image ? plan_.kernel_bytes() : plan_.image_bytes()};
  out_ = buffer{on, plan_.output_bytes()};
  buffer signals{on, prepared_bytes};
  signals.write(pack(prepared, spec.real).data(), prepared_bytes);
  plan_.prepare(on_, signals.view(), spectra_.view());
  on_.wait();  // because `signals` is destroyed here
}

std::vector<double> convolver::operator()(std::span<const double> others) {
  const precision real = plan_.spec().real;
  require_normal_result(prepared_, magnitudes_of(others), real, fp64_name_);
  in_.write(pack(others, real).data(), in_.size_bytes());
  plan_.enqueue(on_, spectra_.view(), in_.view(), out_.view());
  auto numbers = with_number(real, [&]<class Number>(Number) {
    std::vector<Number> results(out_.size_bytes() / sizeof(Number));
    out_.read(results.data(), out_.size_bytes());
    return std::vector<double>(results.begin(), results.end());
  });
  require_finite_result<double>(numbers, real, fp64_name_);
  return numbers;
}

}  // namespace wingbeat::convolving
