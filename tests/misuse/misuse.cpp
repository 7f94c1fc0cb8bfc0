// SPDX-License-Identifier: Apache-2.0
// Each CASE is one mistake that must not compile, and the sentence that says what to do.
// misuse.sh reads the sentences from the lines `// N: sentence`.
// 0: none
// 1: the scratch is too small: the transform needs fft::scratch_bytes
// 2: the accessor has no set(unsigned i, complex<Real> z)
// 3: the accessor has no get(unsigned i, complex<Real>& z)
// 4: each thread works on 2 to 32 elements that divide the length
// 5: order::nabla needs at least one subgroup of threads
// 6: load must be callable as load(unsigned i) const and return complex<Real>
// 7: store must be callable as store(unsigned i, complex<Real> z) const
// 8: the registers must be register_type x[elements_per_thread]
// 9: the team is of another shape than the transform
// 10: the length of a workgroup transform is a product of primes up to 31
// 11: a thread holds at most 32 elements
// 12: so it needs a memory_barrier()
// 13: scratch is handed in as workgroup::scratch<Bytes>
// 14: mirrors are traded in nabla order
// 15: a workgroup holds a power of two of transforms
// 16: each thread works on 2 to 32 elements that divide the length
// 17: each thread works on 2 to 32 elements that divide the length
// 18: each thread works on 2 to 32 elements that divide the length
// 19: the length of a workgroup transform is a product of primes up to 31
// 20: Real is float, double, half_float or half_pair
// 21: scratch is handed in as workgroup::scratch<Bytes>
// 22: the registers must be register_type x[elements_per_thread]
// 23: scratch is handed in as workgroup::scratch<Bytes>
// 24: store must be callable as store(unsigned row, complex<Real> x, complex<Real> y)
// 25: both teams have the same lanes: call execute(team, x, scratch, table)
// 26: teams change at an exchange, and this transform has none
// 27: the kernel is launched with too little local memory: the transform needs fft::scratch_bytes
// 28: the kernel is launched with too little local memory: the transform needs real_fft
// 29: the kernel is launched with too little local memory: a trade needs mirror_trade
// 30: the kernel is launched with too little local memory: the transform needs fft::scratch_bytes
// 31: the registers are numbers of another kind, as float2 or std::complex
// 32: the registers are numbers of another kind, as float2 or std::complex
// 33: a thread has no register for bin N/2: registers hold spectrum::packed
// 34: the registers must be register_type x[elements_per_thread]
// 35: registers hold two spectra in natural order alone: name order::natural
// 36: both teams have the same lanes: call execute(team, x, scratch, table)
// 37: a thread has no register for bin N/2: registers hold spectrum::packed
// 38: atomic_add adds to int, unsigned, size, float or double
// 39: atomic_max compares int, unsigned, size, float or double
// 40: the registers must be register_type x[elements_per_thread]
// 41: the scratch is too small: the transform needs two_real_fft::scratch_bytes
// 42: the kernel is launched with too little local memory: the transform needs two_real_fft
// 43: each thread works on 2 to 32 elements that divide the length
// 44: order::scrambled needs elements per thread that are a radix
// 45: order::nabla is that of powers of two
// 46: opposite bins meet where each thread holds an even number of elements
// 47: members of kept have 1, 2, 4 or 8 bytes, larger ones first
#if CASE == 0 || (CASE >= 27 && CASE <= 30) || CASE == 42  // as wingbeat::kernel does
#define WINGBEAT_SCRATCH_BYTES (CASE == 0 ? 1024 : 256)
#endif
#include "wingbeat/device/atomic.hpp"
#include "wingbeat/device/ends/keep.hpp"
#include "wingbeat/device/workgroup/fft.hpp"
#include "wingbeat/device/workgroup/mirror.hpp"
#include "wingbeat/device/workgroup/real.hpp"
#include "wingbeat/device/workgroup/two_real.hpp"

namespace {

using namespace wingbeat::device;
namespace wg = wingbeat::device::workgroup;
using value = complex<float>;

struct one_thread {
  static unsigned thread() { return 0; }
  static size index() { return 0; }
  static void barrier() {}
  static void subgroup_barrier() {}
};
/// What CUDA and the standard library have, as far as arrays of it matter.
struct float2 {
  float x, y;
};
struct std_complex {
  float parts[2];
};
struct load {
  value operator()(unsigned) const { return {}; }
};
struct store {
  void operator()(unsigned, value) const {}
};
struct only_get {
  void get(unsigned, value& z) const { z = {}; }
};
struct only_set {
  void set(unsigned, value) const {}
};
struct row : only_get, only_set {};

using shape = wg::shape<64, 4>;
using fft = wg::fft<shape, float, direction::forward>;
template <class Shape>
using team = wg::team<Shape, wg::lanes::along_transform, one_thread>;

/// A whole kernel around a description, as a user writes it.
template <class Fft>
void run(const value* table) {
  typename Fft::storage_type memory;
  Fft::execute(team<typename Fft::shape_type>{}, load{}, store{}, memory.lent(), table);
}

}  // namespace

void mistake(char* memory, const value* table) {
  const team<shape> threads;
  const fft::scratch_type scratch{memory};
  value x[4] = {};
#if CASE == 0
  fft::execute(threads, load{}, store{}, scratch, table);
  fft::execute(threads, x, scratch, table);
  fft::execute(threads, row{}, scratch, table);  // an accessor may be made in the call
  // Memory that the kernel declares itself may be more than the launch provides.
  run<wg::fft<wg::shape<256, 4>, float, direction::forward>>(table);
  run<wg::real_fft<wg::shape<256, 4>, float, direction::forward>>(table);
  static_assert(fft::scratch_bytes <= WINGBEAT_SCRATCH_BYTES);
  static_assert(wg::fft<wg::shape<256, 4>, float, direction::forward>::scratch_bytes >
                WINGBEAT_SCRATCH_BYTES);
#elif CASE == 1
  fft::execute(threads, x, wg::scratch<fft::scratch_bytes - 8>{memory}, table);
#elif CASE == 2
  only_get accessor;
  fft::execute(threads, accessor, scratch, table);
#elif CASE == 3
  only_set accessor;
  fft::execute(threads, accessor, scratch, table);
#elif CASE == 4
  run<wg::fft<wg::shape<64, 0>, float, direction::forward>>(table);
#elif CASE == 5
  using small = wg::fft<wg::shape<16, 8>, float, direction::forward, order::nabla>;
  static_assert(small::length == 16);
#elif CASE == 6
  fft::execute(
      threads, [](unsigned) { return "text"; }, store{}, scratch, table);
#elif CASE == 7
  fft::execute(
      threads, load{}, [](unsigned) {}, scratch, table);
#elif CASE == 8
  value y[8] = {};
  fft::execute(threads, y, scratch, table);
#elif CASE == 9
  fft::execute(team<wg::shape<64, 8>>{}, x, scratch, table);
#elif CASE == 10
  run<wg::fft<wg::shape<74, 2>, float, direction::forward>>(table);
#elif CASE == 11
  using large = wg::fft<wg::shape<4096, 64>, float, direction::forward>;
  static_assert(large::length == 4096);
#elif CASE == 12
  using travels = wg::fft<wg::shape<4096, 64>, float, direction::forward, order::nabla>;
  row accessor;
  travels::execute(team<wg::shape<4096, 64>>{}, accessor, travels::scratch_type{memory}, table);
#endif
  (void)x;
}

void another_mistake(char* memory, const value* table) {
  const team<shape> threads;
  value x[4] = {};
#if CASE == 13
  fft::execute(threads, x, memory, table);
#elif CASE == 14
  static_assert(wg::mirror_trade<fft>::e == 4);
#elif CASE == 15
  run<wg::fft<wg::shape<64, 4, 3>, float, direction::forward>>(table);
#elif CASE == 16
  run<wg::fft<wg::shape<64, 1>, float, direction::forward, order::scrambled>>(table);
#elif CASE == 17
  run<wg::real_fft<wg::shape<64, 0>, float, direction::forward>>(table);
#elif CASE == 18
  using two = wg::two_real_fft<wg::shape<64, 256>, float, direction::inverse>;
  static_assert(two::rows == 1);
#elif CASE == 19
  run<wg::fft<wg::shape<0, 4>, float, direction::inverse>>(table);
#elif CASE == 20
  using integers = wg::fft<shape, int, direction::forward>;
  static_assert(integers::length == 64);
#elif CASE == 21
  using trades = wg::mirror_trade<wg::fft<shape, float, direction::forward, order::nabla>>;
  x[0] = trades::of(threads, x, 0, memory);
#elif CASE == 22
  using trades = wg::mirror_trade<wg::fft<shape, float, direction::forward, order::nabla>>;
  value y[2] = {};
  x[0] = trades::of(threads, y, 0, trades::scratch_type{memory});
#elif CASE == 23
  using bins = wg::real_fft<shape, float, direction::forward>;
  bins::execute(threads, load{}, store{}, memory, table);
#elif CASE == 24
  using pairs = wg::two_real_fft<shape, float, direction::forward>;
  pairs::execute(threads, load{}, store{}, pairs::scratch_type{memory}, table);
#elif CASE == 25
  using plain = wg::fft<shape, float, direction::forward>;
  plain::execute_between(threads, threads, x, plain::scratch_type{memory}, table);
#elif CASE == 26
  using short_shape = wg::shape<4, 4, 2>;
  using plain = wg::fft<short_shape, float, direction::forward>;
  const wg::team<short_shape, wg::lanes::across_transforms, one_thread> before;
  const wg::team<short_shape, wg::lanes::along_transform, one_thread> after;
  plain::execute_between(before, after, x, plain::scratch_type{memory}, table);
#elif CASE == 27
  fft::execute(threads, x, fft::scratch_type{memory}, table);
#elif CASE == 28
  using bins = wg::real_fft<wg::shape<64, 4>, float, direction::inverse>;
  bins::execute(threads, load{}, store{}, bins::scratch_type{memory}, table);
#elif CASE == 29
  using trades =
      wg::mirror_trade<wg::fft<wg::shape<64, 4, 4>, float, direction::forward, order::nabla>>;
  x[0] = trades::of(team<wg::shape<64, 4, 4>>{}, x, 0, trades::scratch_type{memory});
#elif CASE == 30
  using plain = wg::fft<wg::shape<64, 4, 2>, float, direction::forward>;
  const wg::team<wg::shape<64, 4, 2>, wg::lanes::across_transforms, one_thread> before;
  plain::execute_between(before, team<wg::shape<64, 4, 2>>{}, x, plain::scratch_type{memory},
                         table);
#endif
  (void)x;
}

void mistakes_with_registers(char* memory, const value* table) {
  const team<shape> threads;
  using bins = wg::real_fft<shape, float, direction::forward>;
  using packed = wg::real_fft<shape, float, direction::forward, wg::spectrum::packed>;
  using signals = wg::two_real_fft<shape, float, direction::forward, wg::memory<>, order::natural>;
  [[maybe_unused]] const packed::scratch_type scratch{memory};
  value x[4] = {};
#if CASE == 0
  packed::execute(threads, x, scratch, table);
  signals::execute(threads, x, signals::scratch_type{memory}, table);
  float sum = 0;
  atomic_add(&sum, 1);
  atomic_max(&sum, 2);
#elif CASE == 31
  float2 y[4] = {};
  fft::execute(threads, y, scratch, table);
#elif CASE == 32
  std_complex y[4] = {};
  fft::execute(threads, y, scratch, table);
#elif CASE == 33
  bins::execute(threads, x, scratch, table);
#elif CASE == 34
  float2 y[4] = {};
  packed::execute(threads, y, scratch, table);
#elif CASE == 35
  using pairs = wg::two_real_fft<shape, float, direction::forward>;
  pairs::execute(threads, x, pairs::scratch_type{memory}, table);
#elif CASE == 36
  packed::execute_between(threads, threads, x, scratch, table);
#elif CASE == 37
  const wg::team<shape, wg::lanes::across_transforms, one_thread> after;
  bins::execute_between(threads, after, x, scratch, table);
#elif CASE == 38
  short sum = 0;
  atomic_add(&sum, 1);
#elif CASE == 39
  short most = 0;
  atomic_max(&most, 1);
#elif CASE == 40
  value y[8] = {};
  signals::execute(threads, y, signals::scratch_type{memory}, table);
#elif CASE == 41
  signals::execute(threads, x, wg::scratch<signals::scratch_bytes - 8>{memory}, table);
#elif CASE == 42
  signals::execute(threads, x, signals::scratch_type{memory}, table);
#endif
  (void)threads;
  (void)x;
}

void mistakes_with_lengths([[maybe_unused]] const value* table) {
#if CASE == 0
  run<wg::fft<wg::shape<96, 6>, float, direction::forward>>(table);
  run<wg::real_fft<wg::shape<45, 15>, float, direction::forward>>(table);
  run<wg::fft<wg::shape<96, 6>, float, direction::forward, order::scrambled>>(table);
#elif CASE == 43
  run<wg::fft<wg::shape<96, 5>, float, direction::forward>>(table);
#elif CASE == 44
  using scrambled = wg::fft<wg::shape<96, 4>, float, direction::forward, order::scrambled>;
  static_assert(scrambled::length == 96);
#elif CASE == 45
  using nabla = wg::fft<wg::shape<96, 2>, float, direction::inverse, order::nabla>;
  static_assert(nabla::length == 96);
#elif CASE == 46
  using odd =
      wg::two_real_fft<wg::shape<90, 15>, float, direction::forward, wg::memory<>, order::natural>;
  static_assert(odd::scratch_bytes > 0);
#endif
}

/// A functor that keeps one member.
template <class Member>
struct keeps {
  struct kept {
    Member sum;
  };
  template <class Kept, class Visit>
  static void each_member(Kept& state, Visit visit) {
    visit(state.sum);
  }
};

void mistakes_with_functors([[maybe_unused]] WINGBEAT_LOCAL char* memory) {
#if CASE == 0
  keeps<double>::kept state{};
  ends::kept_memory<keeps<double>, 4, 0>{memory}.get(1, state);
#elif CASE == 47
  struct three {
    float values[3];
  };
  keeps<three>::kept state{};
  ends::kept_memory<keeps<three>, 4, 0>{memory}.get(1, state);
#endif
}
