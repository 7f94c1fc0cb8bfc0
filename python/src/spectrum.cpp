// SPDX-License-Identifier: Apache-2.0
// Completes the spectrum of real numbers from its lower half.
#include <complex>
#include <vector>

#include "transform.hpp"

namespace wingbeat::python {
namespace {

/// A dimension of the spectrum: indices go from k to -k modulo `count` where it is an axis.
struct dimension {
  std::ptrdiff_t count, stride;
  bool is_axis;

  [[nodiscard]] std::ptrdiff_t opposite(std::ptrdiff_t k) const {
    return is_axis && k != 0 ? count - k : k;
  }
};

template <class Real>
class completion {
 public:
  completion(const array& spectrum, const transform_request& request, bool is_inverse)
      : is_inverse_(is_inverse) {
    const int last = request.axes[request.n_axes - 1];
    const auto dimension_of = [&](int d, bool is_axis) {
      return dimension{spectrum.shape[d], spectrum.strides[d], is_axis};
    };
    row_ = dimension_of(last, true);
    for (int d = 0; d < spectrum.rank; ++d) {
      if (d == last) continue;
      bool is_axis = false;
      for (int a = 0; a < request.n_axes; ++a) is_axis = is_axis || request.axes[a] == d;
      others_.push_back(dimension_of(d, is_axis));
    }
    start_ = static_cast<char*>(spectrum.data) + spectrum.offset_bytes;
  }

  void run() const {
    const std::ptrdiff_t n = row_.count;
    if (is_inverse_) {
      for_each_row(0, start_, start_, [&](char* row, const char*) {
        for (std::ptrdiff_t k = 0; k <= n / 2; ++k) at(row, k) = std::conj(at(row, k));
      });
    }
    // The upper half of a row mirrors the lower half of the opposite row.
    for_each_row(0, start_, start_, [&](char* row, char* opposite) {
      for (std::ptrdiff_t k = n / 2 + 1; k < n; ++k) at(row, k) = std::conj(at(opposite, n - k));
    });
  }

 private:
  using complex = std::complex<Real>;

  [[nodiscard]] complex& at(char* row, std::ptrdiff_t k) const {
    return *reinterpret_cast<complex*>(row + k * row_.stride);
  }

  template <class Visit>
  void for_each_row(std::size_t d, char* row, char* opposite, const Visit& visit) const {
    if (d == others_.size()) return visit(row, opposite);
    const dimension& each = others_[d];
    for (std::ptrdiff_t k = 0; k < each.count; ++k) {
      for_each_row(d + 1, row + k * each.stride, opposite + each.opposite(k) * each.stride, visit);
    }
  }

  bool is_inverse_;
  dimension row_{};
  std::vector<dimension> others_;
  char* start_ = nullptr;
};

}  // namespace

void run_by_half(queue& on, const array& in, const array& out, transform_request request,
                 bool is_inverse) {
  const int last = request.n_axes - 1;
  array half = out;
  half.shape[request.axes[last]] = static_cast<std::ptrdiff_t>(request.lengths[last] / 2 + 1);
  request.kind = transform::forward_from_real;
  run(on, in, half, request);
  if (out.element.real == precision::fp64) {
    return completion<double>{out, request, is_inverse}.run();
  }
  completion<float>{out, request, is_inverse}.run();
}

}  // namespace wingbeat::python
