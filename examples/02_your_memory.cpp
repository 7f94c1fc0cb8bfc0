// SPDX-License-Identifier: Apache-2.0
// Transforms memory that wingbeat does not own, with one plan that four threads share.
//
// A buffer_view of the host engine holds a pointer of this process, as here. One of the cuda engine
// holds your device pointer, and queue::from_cuda_stream takes your stream; one of the opencl
// engine holds your cl_mem, and queue::from_opencl_queue takes your queue.
#include <algorithm>  // max
#include <cmath>      // abs
#include <complex>
#include <cstdio>  // printf
#include <thread>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using value = std::complex<double>;

constexpr std::size_t n = 4096, rows_of_thread = 16, n_threads = 4;

/// Returns the share of one thread: rows_of_thread rows of n values.
wingbeat::buffer_view share_of(std::size_t thread, std::vector<value>& values) {
  constexpr std::size_t share_bytes = rows_of_thread * n * sizeof(value);
  return {.handle = values.data(), .offset_bytes = thread * share_bytes, .size_bytes = share_bytes};
}

/// Transforms every row there and back, in place, each thread on a queue of its own.
void round_trip(std::vector<value>& values) {
  using namespace wingbeat;
  const device_info processor = first_device(engine::host);
  const queue planning{processor};
  const plan_spec rows{.lengths = {n}, .batch = rows_of_thread, .real = precision::fp64};
  plan_spec back = rows;
  back.kind = transform::inverse;
  back.scale = scaling::by_length;
  const plan forward{planning, rows}, inverse{planning, back};

  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < n_threads; ++thread) {
    threads.emplace_back([&, thread] {
      queue own{processor};
      const buffer_view mine = share_of(thread, values);
      forward.enqueue(own, mine, mine);
      inverse.enqueue(own, mine, mine);
      own.wait();
    });
  }
}

}  // namespace

int main() {
  std::vector<value> x(n_threads * rows_of_thread * n);  // [thread][row][sample]
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = {static_cast<double>(i % 97) / 97, static_cast<double>(i % 89) / 89};
  }
  const std::vector<value> original = x;

  round_trip(x);

  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(x[i] - original[i]));
  std::printf("%zu values there and back: the largest difference is %.1e\n", x.size(), largest);
  return largest < 1e-14 ? 0 : 1;
}
