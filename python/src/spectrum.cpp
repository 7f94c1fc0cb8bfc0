// SPDX-License-Identifier: Apache-2.0
// The half of a spectrum of real numbers that follows from the other half.
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
    fill_from(0, start_, start_);
    if (is_inverse_) conjugate_from(0, start_);
  }

 private:
  using complex = std::complex<Real>;

  static complex& at(char* place) { return *reinterpret_cast<complex*>(place); }

  /// Fills the upper half of the rows at `row` from the lower half of those at `opposite`.
  void fill_from(std::size_t d, char* row, const char* opposite) const {
    if (d == others_.size()) return fill(row, opposite);
    const dimension& each = others_[d];
    for (std::ptrdiff_t k = 0; k < each.count; ++k) {
      fill_from(d + 1, row + k * each.stride, opposite + each.opposite(k) * each.stride);
    }
  }

  void fill(char* row, const char* opposite) const {
    const std::ptrdiff_t n = row_.count;
    for (std::ptrdiff_t k = n / 2 + 1; k < n; ++k) {
      const auto& bin = *reinterpret_cast<const complex*>(opposite + (n - k) * row_.stride);
      at(row + k * row_.stride) = std::conj(bin);
    }
  }

  void conjugate_from(std::size_t d, char* row) const {
    if (d < others_.size()) {
      for (std::ptrdiff_t k = 0; k < others_[d].count; ++k) {
        conjugate_from(d + 1, row + k * others_[d].stride);
      }
      return;
    }
    for (std::ptrdiff_t k = 0; k < row_.count; ++k) {
      complex& bin = at(row + k * row_.stride);
      bin = std::conj(bin);
    }
  }

  bool is_inverse_;
  dimension row_{};
  std::vector<dimension> others_;
  char* start_ = nullptr;
};

}  // namespace

void complete_spectrum(const array& spectrum, const transform_request& request, bool is_inverse) {
  if (spectrum.element.real == precision::fp64) {
    return completion<double>{spectrum, request, is_inverse}.run();
  }
  completion<float>{spectrum, request, is_inverse}.run();
}

}  // namespace wingbeat::python
