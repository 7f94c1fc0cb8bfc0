// SPDX-License-Identifier: Apache-2.0
// The two ends of a pass in plain memory; functor.hpp has those that call your functors. Places
// number complex elements: a load returns get(place), a store takes put(place, z). A place counts
// stored complex numbers or stored reals, as each end defines; with has_singles, each element is
// one real.
#pragma once

#include "wingbeat/device/bfloat.hpp"   // bfloat
#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/half.hpp"     // half_float
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::ends {

/// Whether data is used again soon; otherwise it leaves the caches first.
enum class use { again, once };

/// Reads complex numbers with adjacent parts. Stored: type of a part; Real: type of arithmetic.
template <class Stored, class Real, use Use = use::again>
class complex_load {
 public:
  using element = complex<Stored>;
  static constexpr bool has_parts = false, computes = false, has_singles = false;
  WINGBEAT_FN complex_load(WINGBEAT_GLOBAL const element* in,
                           WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : in_(in) {}
  WINGBEAT_FN complex<Real> get(size offset, size /*i*/) const {
    element z;
    if constexpr (Use == use::once) {
      z = load_once<element>(in_ + offset);
    } else {
      z = copied_from(in_ + offset);
    }
    return {static_cast<Real>(z.re), static_cast<Real>(z.im)};
  }
  WINGBEAT_FN void prefetch(size offset, size count) const {
    device::prefetch(in_ + offset, count);
  }

 private:
  WINGBEAT_GLOBAL const element* in_;
};

/// For passes without a product.
struct no_filter {};

/// Writes complex numbers with adjacent parts.
template <class Stored, class Real, use Use = use::again>
class complex_store {
 public:
  using element = complex<Stored>;
  static constexpr bool has_parts = false, reduces = false, computes = false, has_singles = false;
  static constexpr size gathered = 0;
  WINGBEAT_FN complex_store(WINGBEAT_GLOBAL element* out,
                            WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : out_(out) {}
  WINGBEAT_FN void put(size offset, size /*i*/, complex<Real> z) const {
    const element stored{static_cast<Stored>(z.re), static_cast<Stored>(z.im)};
    if constexpr (Use == use::once) {
      store_once<element>(out_ + offset, stored);
    } else {
      copy_to(out_ + offset, stored);
    }
  }

 private:
  WINGBEAT_GLOBAL element* out_;
};

/// Reads reals as complex numbers with imaginary part 0.
template <class Stored, class Real>
class real_load {
 public:
  using element = Stored;
  static constexpr bool has_parts = false, computes = false, has_singles = true;
  WINGBEAT_FN real_load(WINGBEAT_GLOBAL const element* in,
                        WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : in_(in) {}
  WINGBEAT_FN complex<Real> get(size offset, size /*i*/) const {
    return {static_cast<Real>(in_[offset]), Real(0)};
  }
  WINGBEAT_FN void prefetch(size offset, size count) const {
    device::prefetch(in_ + offset, count);
  }

 private:
  WINGBEAT_GLOBAL const element* in_;
};

/// Writes the real parts of complex numbers.
template <class Stored, class Real>
class real_store {
 public:
  using element = Stored;
  static constexpr bool has_parts = false, reduces = false, computes = false, has_singles = true;
  static constexpr size gathered = 0;
  WINGBEAT_FN real_store(WINGBEAT_GLOBAL element* out,
                         WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : out_(out) {}
  WINGBEAT_FN void put(size offset, size /*i*/, complex<Real> z) const {
    out_[offset] = static_cast<Stored>(z.re);
  }

 private:
  WINGBEAT_GLOBAL element* out_;
};

/// Returns whether the real at a place and its neighbour can be moved as one complex number.
template <class Stored>
WINGBEAT_FN bool starts_pair(WINGBEAT_GLOBAL const Stored* address) {
  return reinterpret_cast<size>(address) % sizeof(complex<Stored>) == 0;
}

/// Reads complex numbers whose parts are `Apart` reals apart: planar data, or two neighbours x[2j],
/// x[2j+1] of a real row with a stride.
template <class Stored, class Real, size Apart>
class parts_load {
 public:
  using element = Stored;
  static constexpr bool has_parts = true, computes = false, has_singles = false;
  WINGBEAT_FN parts_load(WINGBEAT_GLOBAL const element* in,
                         WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : in_(in) {}
  WINGBEAT_FN complex<Real> get(size offset, size /*i*/) const {
    if constexpr (Apart == 1) {  // in rows that begin anywhere, every other one has aligned pairs
      if (starts_pair(in_ + offset)) {
        const auto z =
            copied_from(reinterpret_cast<WINGBEAT_GLOBAL const complex<Stored>*>(in_ + offset));
        return {static_cast<Real>(z.re), static_cast<Real>(z.im)};
      }
    }
    return {re(offset), im(offset)};
  }
  WINGBEAT_FN Real re(size offset) const { return static_cast<Real>(in_[offset]); }
  WINGBEAT_FN Real im(size offset) const { return static_cast<Real>(in_[offset + Apart]); }
  WINGBEAT_FN void prefetch(size offset, size count) const {
    device::prefetch(in_ + offset, count);
    device::prefetch(in_ + offset + Apart, count);
  }

 private:
  WINGBEAT_GLOBAL const element* in_;
};

/// Writes complex numbers whose parts are `Apart` reals apart.
template <class Stored, class Real, size Apart>
class parts_store {
 public:
  using element = Stored;
  static constexpr bool has_parts = true, reduces = false, computes = false, has_singles = false;
  static constexpr size gathered = 0;
  WINGBEAT_FN parts_store(WINGBEAT_GLOBAL element* out,
                          WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : out_(out) {}
  WINGBEAT_FN void put(size offset, size /*i*/, complex<Real> z) const {
    if constexpr (Apart == 1) {
      if (starts_pair(out_ + offset)) {
        copy_to(reinterpret_cast<WINGBEAT_GLOBAL complex<Stored>*>(out_ + offset),
                complex<Stored>{static_cast<Stored>(z.re), static_cast<Stored>(z.im)});
        return;
      }
    }
    put_re(offset, z.re);
    put_im(offset, z.im);
  }
  WINGBEAT_FN void put_re(size offset, Real x) const { out_[offset] = static_cast<Stored>(x); }
  WINGBEAT_FN void put_im(size offset, Real x) const {
    out_[offset + Apart] = static_cast<Stored>(x);
  }

 private:
  WINGBEAT_GLOBAL element* out_;
};

}  // namespace wingbeat::device::ends
