// SPDX-License-Identifier: Apache-2.0
// Each CASE is one mistake that must not compile, and the sentence that says what to do.
// misuse.sh reads the sentences from the lines `// N: sentence`.
// 0: none
// 1: the scratch is too small: the transform needs fft::scratch_bytes
// 2: the accessor has no set(unsigned i, complex<Real> z)
// 3: the accessor has no get(unsigned i, complex<Real>& z)
// 4: each thread works on 2, 4, 8, 16 or 32 elements
// 5: order::nabla needs at least one subgroup of threads
// 6: load must be callable as load(unsigned i) const and return complex<Real>
// 7: store must be callable as store(unsigned i, complex<Real> z) const
// 8: the registers must be register_type x[elements_per_thread]
// 9: the team is of another shape than the transform
// 10: the length of a workgroup transform is a power of two
// 11: a thread holds at most 32 elements
// 12: so it needs a memory_barrier()
// 13: scratch is handed in as workgroup::scratch<Bytes>
// 14: mirrors are traded in nabla order
// 15: a workgroup holds a power of two of transforms
#include "wingbeat/device/workgroup/fft.hpp"
#include "wingbeat/device/workgroup/mirror.hpp"

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

}  // namespace

void mistake(char* memory, const value* table) {
  const team<shape> here;
  const fft::scratch_type scratch{memory};
  value x[4] = {};
#if CASE == 0
  fft::execute(here, load{}, store{}, scratch, table);
  fft::execute(here, x, scratch, table);
#elif CASE == 1
  fft::execute(here, x, wg::scratch<fft::scratch_bytes - 8>{memory}, table);
#elif CASE == 2
  only_get accessor;
  fft::execute(here, accessor, scratch, table);
#elif CASE == 3
  only_set accessor;
  fft::execute(here, accessor, scratch, table);
#elif CASE == 4
  using none = wg::shape<64, 0>;
  static_assert(none::length == 64);
#elif CASE == 5
  using small = wg::fft<wg::shape<16, 8>, float, direction::forward, order::nabla>;
  static_assert(small::length == 16);
#elif CASE == 6
  fft::execute(
      here, [](unsigned) { return "text"; }, store{}, scratch, table);
#elif CASE == 7
  fft::execute(
      here, load{}, [](unsigned) {}, scratch, table);
#elif CASE == 8
  value y[8] = {};
  fft::execute(here, y, scratch, table);
#elif CASE == 9
  fft::execute(team<wg::shape<64, 8> >{}, x, scratch, table);
#elif CASE == 10
  using odd = wg::shape<96, 4>;
  static_assert(odd::length == 96);
#elif CASE == 11
  using large = wg::fft<wg::shape<4096, 64>, float, direction::forward>;
  static_assert(large::length == 4096);
#elif CASE == 12
  using travels = wg::fft<wg::shape<4096, 64>, float, direction::forward, order::nabla>;
  row accessor;
  travels::execute(team<wg::shape<4096, 64> >{}, accessor, travels::scratch_type{memory}, table);
#elif CASE == 13
  fft::execute(here, x, memory, table);
#elif CASE == 14
  static_assert(wg::mirror_trade<fft>::e == 4);
#elif CASE == 15
  using three = wg::shape<64, 4, 3>;
  static_assert(three::length == 64);
#endif
  (void)x;
}
