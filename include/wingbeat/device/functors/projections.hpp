// SPDX-License-Identifier: Apache-2.0
// Slices through the spectrum of a volume, and the numbers that normalise their projections: bodies
// of kernels that are launched one after another.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex, conj, copied_from, copy_to, scaled
#include "wingbeat/device/half.hpp"     // half_float
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL, maths, size

namespace wingbeat::device::functors {

/// What a projection p is shifted and scaled by: (p - mean) factor.
struct projection_scale {
  float mean, factor;
};

/// Projections of n x n values, n even, and spectra of n x (n/2 + 1) bins. Stored: of the volume.
/// Filter: float, or complex<float>.
template <class Stored, class Filter>
struct projections {
  unsigned n = 2;
  unsigned filters = 1;        ///< Of each slice.
  unsigned n_threads = 1;      ///< Threads of a workgroup.
  size height = 1, width = 1;  ///< Of the image.

  WINGBEAT_FN unsigned columns() const { return n / 2 + 1; }
  WINGBEAT_FN unsigned bins() const { return n * columns(); }

  /// Takes slices, a bin per thread: minus the volume's bin at the place of (kx, ky), interpolated
  /// linearly, 0 outside; times (-1)^(kx + ky), which moves the volume's centre to [n/2][n/2]; bin
  /// [0][0] is 0.  volume: [z][y][x] with bin 0 of z and y at n/2.  axes: [slice][6], as
  /// `plane_axes`.  slices: [slice][ky][kx]
  template <class Group>
  WINGBEAT_FN void slice(Group group, WINGBEAT_GLOBAL const complex<Stored>* volume,
                         WINGBEAT_GLOBAL const float* axes, WINGBEAT_GLOBAL complex<float>* slices,
                         size count, WINGBEAT_LOCAL char*) const {
    const size i = group.index() * n_threads + group.thread();
    if (i >= count * bins()) return;
    const unsigned bin = unsigned(i % bins()), ky = bin / columns(), kx = bin % columns();
    axes += 6 * (i / bins());
    const float along_x = float(kx), along_y = float(ky < n / 2 ? int(ky) : int(ky) - int(n));
    const auto place = [&](unsigned axis) {
      return axes[2 * axis] * along_x + axes[2 * axis + 1] * along_y;
    };
    complex<float> value = sampled(volume, place(0), place(1), place(2));
    const float sign = bin == 0 ? 0.0f : (kx + ky) % 2 == 0 ? -1.0f : 1.0f;
    copy_to(slices + i, scaled(value, sign));
  }

  /// Makes the scale of each projection of slice times filter, a workgroup each, with the formulas
  /// of `orientation_spec`; by Parseval's theorem both numbers are sums over bins.
  /// inner: [n], the transform of 0, 1, .., 1, 0.  scales: [slice][filter]
  /// Memory: a complex number for each thread; their number is a power of two.
  template <class Group>
  WINGBEAT_FN void scale(Group group, WINGBEAT_GLOBAL const complex<float>* slices,
                         WINGBEAT_GLOBAL const Filter* factors,
                         WINGBEAT_GLOBAL const complex<float>* inner,
                         WINGBEAT_GLOBAL projection_scale* scales,
                         WINGBEAT_LOCAL char* scratch) const {
    const size number = group.index();
    slices += number / filters * bins();
    factors += number % filters * bins();
    const auto bin = [&](unsigned ky, unsigned kx) {
      const unsigned i = ky * columns() + kx;
      return filtered(copied_from(slices + i), factors + i);
    };
    complex<float> sums{0, 0};  // of squares, and of values at the edge
    for (unsigned i = group.thread(); i < bins(); i += n_threads) {
      const unsigned ky = i / columns(), kx = i % columns();
      const bool is_edge_column = kx == 0 || kx == n / 2;
      complex<float> t = bin(ky, kx);
      // A real transform takes the Hermitian part of these columns.
      if (is_edge_column) t = scaled(t + conj(bin(ky == 0 ? 0 : n - ky, kx)), 0.5f);
      // The transform of the edge is that of all places, which is 0 here, minus the inner places'.
      const complex<float> inside = copied_from(inner + ky) * copied_from(inner + kx);
      const float weight = is_edge_column ? 1.0f : 2.0f;
      sums.re += weight * (t.re * t.re + t.im * t.im);
      sums.im -= weight * (inside.re * t.re + inside.im * t.im);
    }
    const complex<float> total =
        over_threads(group, reinterpret_cast<WINGBEAT_LOCAL complex<float>*>(scratch), sums);
    if (group.thread() != 0) return;
    const float box = float(n) * float(n), rows = float(height), columns_of_image = float(width);
    const float mean = total.im / (box * float(4 * n - 4));
    const float part = box / (rows * columns_of_image), offset = -mean * part * part;
    const float variance = total.re / box + box * (mean + offset) * (mean + offset) +
                           (rows - float(n)) * (columns_of_image - float(n)) * offset * offset;
    scales[number] = {mean,
                      variance > 0 ? maths::square_root(rows * columns_of_image / variance) : 0.0f};
  }

  /// Returns a bin times its filter.
  WINGBEAT_FN static complex<float> filtered(complex<float> z,
                                             WINGBEAT_GLOBAL const float* factor) {
    return scaled(z, *factor);
  }
  WINGBEAT_FN static complex<float> filtered(complex<float> z,
                                             WINGBEAT_GLOBAL const complex<float>* factor) {
    return z * copied_from(factor);
  }

 private:
  /// The bin below a place along an axis, and the weight of the one after it.
  struct between {
    unsigned below;
    float after;
  };
  /// A place is inside if it is outside by no more than this.
  static constexpr float rounding = 1e-4f;
  /// Returns false for a place outside bins 0 .. last.
  WINGBEAT_FN static bool split(float place, unsigned last, between& result) {
    if (!(place >= -rounding && place <= float(last) + rounding)) return false;
    const unsigned low = place > 0 ? unsigned(place) : 0;
    result.below = low < last ? low : last - 1;
    result.after = maths::clamp(place - float(result.below), 0.0f, 1.0f);
    return true;
  }

  /// Returns the volume's bin at a place, counted from bin 0; its half with x < 0 is the conjugate
  /// of the opposite bin, as is what lies beyond the last y or z where x is 0.
  WINGBEAT_FN complex<float> sampled(WINGBEAT_GLOBAL const complex<Stored>* volume, float x,
                                     float y, float z) const {
    const float origin = float(n / 2), last = origin - 1 + rounding;
    const bool is_opposite = x < -rounding || (x <= rounding && (y > last || z > last));
    const float side = is_opposite ? -1.0f : 1.0f;
    between of_x, of_y, of_z;
    if (!split(side * x, n / 2, of_x) || !split(side * y + origin, n - 1, of_y) ||
        !split(side * z + origin, n - 1, of_z)) {
      return {0, 0};
    }
    volume += (size(of_z.below) * n + of_y.below) * columns() + of_x.below;
    complex<float> sum{0, 0};
    for (unsigned corner = 0; corner < 8; ++corner) {
      const unsigned up = corner / 4, down = corner / 2 % 2, right = corner % 2;
      const auto stored = copied_from(volume + (size(up) * n + down) * columns() + right);
      const float weight = (up != 0 ? of_z.after : 1 - of_z.after) *
                           (down != 0 ? of_y.after : 1 - of_y.after) *
                           (right != 0 ? of_x.after : 1 - of_x.after);
      sum = sum + scaled(complex<float>{float(stored.re), float(stored.im)}, weight);
    }
    return {sum.re, side * sum.im};
  }

  template <class Group>
  WINGBEAT_FN complex<float> over_threads(Group group, WINGBEAT_LOCAL complex<float>* sums,
                                          complex<float> of_thread) const {
    const unsigned thread = group.thread();
    copy_to(sums + thread, of_thread);
    for (unsigned reach = n_threads / 2; reach > 0; reach /= 2) {
      group.barrier();
      if (thread < reach) {
        copy_to(sums + thread, copied_from(sums + thread) + copied_from(sums + thread + reach));
      }
    }
    return copied_from(sums);  // as thread 0 sees it
  }
};

}  // namespace wingbeat::device::functors
