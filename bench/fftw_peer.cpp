// SPDX-License-Identifier: Apache-2.0
// FFTW on the same job as wingbeat's host engine, in a process of its own: FFTW is GPL, and is
// linked into this program alone. Started by host_against_fftw, which asks on stdin
//     fp32|fp64 LOG2_LENGTH RUNS
// and reads "SECONDS" (of that many runs) on stdout; the first answer is FFTW's version.
#include <fftw3.h>

#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <utility>  // pair

namespace {

/// One measured plan and its arrays, kept until the process ends.
struct fp32_job {
  explicit fp32_job(int log2_length) {
    const int n = 1 << log2_length;
    auto* const in = fftwf_alloc_complex(static_cast<std::size_t>(n));
    auto* const out = fftwf_alloc_complex(static_cast<std::size_t>(n));
    plan = fftwf_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_MEASURE);
    for (int j = 0; j < n; ++j) in[j][0] = in[j][1] = 1.0F / static_cast<float>(j + 1);
  }
  void run() const { fftwf_execute(plan); }
  fftwf_plan plan;
};

struct fp64_job {
  explicit fp64_job(int log2_length) {
    const int n = 1 << log2_length;
    auto* const in = fftw_alloc_complex(static_cast<std::size_t>(n));
    auto* const out = fftw_alloc_complex(static_cast<std::size_t>(n));
    plan = fftw_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_MEASURE);
    for (int j = 0; j < n; ++j) in[j][0] = in[j][1] = 1.0 / (j + 1);
  }
  void run() const { fftw_execute(plan); }
  fftw_plan plan;
};

template <class Job>
double seconds_of(std::map<int, Job>& jobs, int log2_length, long runs) {
  const Job& job = jobs.try_emplace(log2_length, log2_length).first->second;
  const auto from = std::chrono::steady_clock::now();
  for (long i = 0; i < runs; ++i) job.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace

int main() {
  std::cout << fftwf_version << std::endl;
  std::map<int, fp32_job> fp32;
  std::map<int, fp64_job> fp64;
  std::cout.precision(12);
  std::string precision;
  int log2_length = 0;
  long runs = 0;
  while (std::cin >> precision >> log2_length >> runs) {
    const bool is_fp64 = precision == "fp64";
    std::cout << (is_fp64 ? seconds_of(fp64, log2_length, runs)
                          : seconds_of(fp32, log2_length, runs))
              << std::endl;
  }
}
