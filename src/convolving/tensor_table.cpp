// SPDX-License-Identifier: Apache-2.0
#include "convolving/tensor_table.hpp"

#include <complex>
#include <stdexcept>  // logic_error

#include "wingbeat/device/half.hpp"            // fp16
#include "wingbeat/device/tensor/numbers.hpp"  // table_places, outer_input
#include "wingbeat/roots.hpp"                  // root

namespace wingbeat::convolving {
namespace {

using device::tensor::quad;
using number = std::complex<double>;

number root_of(std::size_t exponent, std::size_t order) {
  return number(root(exponent % order, order));
}

unsigned halves(double low, double high) {
  namespace fp16 = device::fp16;
  return fp16::nearest(fp16::to_odd(low)) | fp16::nearest(fp16::to_odd(high)) << 16;
}

/// The table while it is filled. Thread 4g + t of a subgroup has part (g, t) of each matrix.
class table {
 public:
  /// Adds a quad for each thread.
  template <class Make>
  void add(const Make& make) {
    for (unsigned lane = 0; lane < 32; ++lane) quads_.push_back(make(lane / 4, lane % 4));
  }
  /// Adds a matrix of complex numbers whose column is a pair of real columns, z = 0, 1.
  /// value(z): the number at columns 2t + z.
  template <class Value>
  void add_matrix(const Value& value) {
    add([&](unsigned g, unsigned t) {
      const number p = value(g, 2 * t), q = value(g, 2 * t + 1);
      const unsigned re = halves(p.real(), q.real());
      return quad{re, halves(p.imag(), q.imag()), halves(-p.imag(), -q.imag()), re};
    });
  }
  /// Adds twiddles: value(g, t, j, e) is that of number j of a thread, in half e.
  template <class Value>
  void add_twiddles(const Value& value) {
    add([&](unsigned g, unsigned t) {
      quad w{};
      for (unsigned j = 0; j < 2; ++j) {
        const number a = value(g, t, j, 0U), b = value(g, t, j, 1U);
        w.value[2 * j] = halves(a.real(), b.real());
        w.value[2 * j + 1] = halves(a.imag(), b.imag());
      }
      return w;
    });
  }
  void expect(unsigned place) const {
    if (quads_.size() != place) throw std::logic_error("the table is not as table_places");
  }
  std::vector<quad> take() { return std::move(quads_); }

 private:
  std::vector<quad> quads_;
};

void add_inner(table& into) {
  for (unsigned h = 0; h < 2; ++h) {
    for (unsigned i = 0; i < 2; ++i) {
      into.add_matrix([&](unsigned g, unsigned c) {
        const double scale = 0.25;
        if (h == i) return root_of((2 * g + h) * c, 16) * scale;
        return root_of(g * (2 * c + 1), 16) * (h == 1 ? -scale : scale);
      });
    }
  }
  for (const bool is_back : {false, true}) {
    for (const bool is_imaginary : {false, true}) {
      into.add([&](unsigned g, unsigned t) {
        quad w{};
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned h = i / 2, v = i % 2;
          const auto part = [&](unsigned c) {
            const number z = is_back ? root_of((2 * g + h) * (c + 8 * v), 256)
                                     : root_of((g + 8 * h) * (2 * c + v), 256);
            return is_imaginary ? z.imag() : z.real();
          };
          w.value[i] = halves(part(2 * t), part(2 * t + 1));
        }
        return w;
      });
    }
  }
}

}  // namespace

std::vector<quad> tensor_table(unsigned outer) {
  using device::tensor::outer_input;
  const device::tensor::table_places places{outer};
  const unsigned n = 256 * outer, steps = outer / 16, tiles = outer / 8;
  const unsigned turns = places.is_folded() ? tiles / 2 : tiles;
  table result;
  add_inner(result);
  result.expect(places.first());
  for (unsigned m = 0; m < turns; ++m) {
    for (unsigned s = 0; s < steps; ++s) {
      result.add([&](unsigned g, unsigned t) {
        const auto entry = [&](unsigned c) {
          return root_of((8 * m + g) * outer_input(outer, s, c), outer) * 0.25;
        };
        const number p = entry(t), q = entry(t + 4);
        return quad{halves(p.real(), -p.imag()), halves(p.imag(), p.real()),
                    halves(q.real(), -q.imag()), halves(q.imag(), q.real())};
      });
    }
  }
  result.expect(places.last());
  for (unsigned s = 0; s < steps; ++s) {
    for (unsigned k = 0; k < turns; ++k) {
      result.add_matrix([&](unsigned g, unsigned c) {
        return std::conj(root_of(outer_input(outer, s, g) * (8 * k + c), outer)) * (4.0 / outer);
      });
    }
  }
  result.expect(places.twiddles());
  for (unsigned block = 0; block < 8; ++block) {
    for (unsigned m = 0; m < tiles; ++m) {
      for (unsigned q = 0; q < 2; ++q) {
        result.add_twiddles([&](unsigned g, unsigned t, unsigned j, unsigned e) {
          const unsigned n1 = 4 * t + 2 * q + j, n2 = 4 * (block / 2) + block % 2 + 2 * e;
          return root_of((8 * m + g) * (n1 + 16 * n2), n);
        });
      }
    }
  }
  result.expect(places.twiddles_back());
  for (unsigned r = 0; r < outer / 2; ++r) {
    for (unsigned e = 0; e < 2; ++e) {
      for (unsigned i = 0; i < 2; ++i) {
        result.add_twiddles([&](unsigned g, unsigned t, unsigned j, unsigned ka) {
          return std::conj(root_of((2 * r + ka) * (2 * g + j + 16 * (4 * t + 2 * e + i)), n));
        });
      }
    }
  }
  result.expect(places.end());
  return result.take();
}

}  // namespace wingbeat::convolving
