// SPDX-License-Identifier: Apache-2.0
// The kernels of examples/kernels on this machine's processor, one thread of the operating system
// for each of theirs: to step through with a debugger, to run under a sanitizer. Nothing but
// headers is needed.
//     g++ -std=c++20 -g -I include -I examples examples/05_in_a_debugger.cpp -o kernels
//     gdb -ex 'break example::convolve::run' -ex run ./kernels
#include <vector>

#include "kernels/jobs.hpp"
#include "wingbeat/emulate.hpp"  // run_grid
#include "wingbeat/roots.hpp"    // roots_of

int main() {
  return example::check_all([](auto kernel, const example::job& given) {
    using here = decltype(kernel);
    using fft = typename here::fft;
    const auto roots = wingbeat::roots_of<fft>();
    typename fft::storage_type memory;
    std::vector<float> out(given.expected.size());
    wingbeat::run_grid(
        given.workgroups, fft::workgroup_threads, [&](wingbeat::emulated_group group) {
          here::run(group, reinterpret_cast<const typename here::in_type*>(given.in.data()),
                    reinterpret_cast<typename here::out_type*>(out.data()), roots.data(),
                    given.batch, memory.bytes);
        });
    return out;
  });
}
