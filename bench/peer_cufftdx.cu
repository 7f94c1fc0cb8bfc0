// SPDX-License-Identifier: Apache-2.0
// How quick is cuFFTDx inside a kernel? Times each linked block FFT, forward and as a convolution,
// in turn with a copy of the same bytes. One JSON line each on stdout.
//     peer_cufftdx [fp32|fp64|fp16|all] [MiB of input] [rounds]
#include <cuda_fp16.h>  // __half

#include <algorithm>  // sort, min
#include <complex>
#include <cstdint>  // uint64_t
#include <cstdio>
#include <cstdlib>  // exit, strtoul
#include <string>
#include <vector>

#include "peer_cufftdx.hpp"  // block_fft

namespace {

using peer::block_fft;
using spectrum = std::vector<std::complex<double>>;

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "peer_cufftdx could not %s: %s\n", doing, cudaGetErrorString(status));
  std::exit(3);
}

/// Returns real number `at` of the input: noise in [-1, 1), the same on host and device.
__host__ __device__ double noise(std::uint64_t index) {
  std::uint64_t z = index * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
}

template <class Real>
__global__ void fill_noise(Real* to, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = static_cast<Real>(noise(i));
  }
}

/// Replaces x by its DFT (sign -1) or unscaled inverse (sign 1): radix 2, decimation in time.
void transform(spectrum& x, int sign) {
  const std::size_t n = x.size();
  if (n == 1) return;
  spectrum even(n / 2), odd(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
  transform(even, sign);
  transform(odd, sign);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const double turns = static_cast<double>(k) / static_cast<double>(n);
    const auto w = std::polar(1.0, sign * 2 * 3.14159265358979323846 * turns);
    x[k] = even[k] + w * odd[k];
    x[k + n / 2] = even[k] - w * odd[k];
  }
}

template <class Real>
double rounded(double x) {
  return static_cast<double>(static_cast<Real>(x));
}

/// Frequency response: unit gain, random phase, and the 1/N of the inverse.
template <class Real>
std::vector<Real> filter_of(unsigned length) {
  std::vector<Real> values;
  for (unsigned f = 0; f < length; ++f) {
    const auto h = std::polar(1.0 / length, 3.14159265358979323846 * noise(f));
    values.push_back(static_cast<Real>(h.real()));
    values.push_back(static_cast<Real>(h.imag()));
  }
  return values;
}

enum class work { forward, convolve };

template <class Real>
double relative_l2_of_row(const block_fft& one, work what, const std::vector<Real>& filter,
                          std::size_t row, const void* out) {
  const unsigned n = one.length;
  spectrum expected(n);
  for (unsigned i = 0; i < n; ++i) {
    const std::uint64_t index = 2 * (row * n + i);
    expected[i] = {rounded<Real>(noise(index)), rounded<Real>(noise(index + 1))};
  }
  transform(expected, -1);
  if (what == work::convolve) {
    for (unsigned f = 0; f < n; ++f) {
      expected[f] *= std::complex<double>(static_cast<double>(filter[2 * f]),
                                          static_cast<double>(filter[2 * f + 1]));
    }
    transform(expected, 1);
  }
  std::vector<Real> got(2 * n);
  check(cudaMemcpy(got.data(), static_cast<const Real*>(out) + 2 * row * n, n * one.element_bytes,
                   cudaMemcpyDeviceToHost),
        "read a row");
  double error = 0, energy = 0;
  for (unsigned i = 0; i < n; ++i) {
    const std::complex<double> z(static_cast<double>(got[2 * i]),
                                 static_cast<double>(got[2 * i + 1]));
    error += std::norm(z - expected[i]);
    energy += std::norm(expected[i]);
  }
  return std::sqrt(error / energy);
}

struct memory {
  void* in = nullptr;
  void* out = nullptr;
  void* filter = nullptr;
  std::size_t size_bytes = 0;
  cudaStream_t stream = nullptr;
};

struct entrant {
  void (*run)(const block_fft&, const memory&, std::size_t batch);
  std::vector<double> seconds;

  double median() const {
    auto sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void run_copy(const block_fft& one, const memory& buffers, std::size_t batch) {
  check(cudaMemcpyAsync(buffers.out, buffers.in, batch * one.length * one.element_bytes,
                        cudaMemcpyDeviceToDevice, buffers.stream),
        "queue a copy");
}
void run_forward(const block_fft& one, const memory& buffers, std::size_t batch) {
  one.forward(buffers.in, buffers.out, batch, buffers.stream);
}
void run_convolve(const block_fft& one, const memory& buffers, std::size_t batch) {
  one.convolve(buffers.in, buffers.out, buffers.filter, batch, buffers.stream);
}

/// Copy, forward and convolution take turns of about 2 ms, as `wingbeat bench` does it.
void take_turns(const block_fft& one, const memory& buffers, std::size_t batch,
                std::vector<entrant>& entrants, int n_rounds) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "make an event");
  check(cudaEventCreate(&end), "make an event");
  const auto timed = [&](const entrant& each, int repeats) {
    check(cudaEventRecord(begin, buffers.stream), "record an event");
    for (int i = 0; i < repeats; ++i) each.run(one, buffers, batch);
    check(cudaEventRecord(end, buffers.stream), "record an event");
    check(cudaEventSynchronize(end), "finish a turn");
    check(cudaGetLastError(), "launch a kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "read the clock");
    return 1e-3 * ms / repeats;
  };
  std::vector<int> repeats;
  for (const entrant& each : entrants) {
    timed(each, 2);
    repeats.push_back(std::clamp(static_cast<int>(2e-3 / timed(each, 1)), 1, 1000));
  }
  for (int round = 0; round < n_rounds; ++round) {
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      entrants[e].seconds.push_back(timed(entrants[e], repeats[e]));
    }
  }
  check(cudaEventDestroy(begin), "discard an event");
  check(cudaEventDestroy(end), "discard an event");
}

/// Returns the worst of the first row, the last and six random ones, each on poisoned output.
template <class Real>
double accuracy_of(const block_fft& one, const memory& buffers, std::size_t batch, work what,
                   const std::vector<Real>& filter, const entrant& run) {
  check(cudaMemset(buffers.out, 0xff, buffers.size_bytes),
        "poison the output");  // NaN in each precision
  run.run(one, buffers, batch);
  check(cudaStreamSynchronize(buffers.stream), "finish a run");
  double worst = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const auto random = static_cast<std::size_t>((noise(i + one.length) + 1) / 2 * double(batch));
    const std::size_t row = i == 0 ? 0 : i == 1 ? batch - 1 : std::min(random, batch - 1);
    const double found = relative_l2_of_row(one, what, filter, row, buffers.out);
    if (!(found <= worst)) worst = found;  // so that NaN is kept
  }
  return worst;
}

void print_line(const block_fft& one, work what, std::size_t batch, const entrant& run,
                double copy_s, double relative_l2) {
  const double median_s = run.median();
  std::printf(
      "{\"peer\":\"cufftdx\",\"n\":%u,\"precision\":\"%s\",\"what\":\"%s\",\"batch\":%zu,"
      "\"seconds_median\":%.9g,\"seconds_min\":%.9g,\"copy_seconds\":%.9g,\"fraction\":%.4f,",
      one.length, one.precision, what == work::forward ? "forward" : "convolve", batch, median_s,
      *std::min_element(run.seconds.begin(), run.seconds.end()), copy_s, copy_s / median_s);
  // JSON has no NaN; a result that is none is a null.
  std::printf(relative_l2 == relative_l2 ? "\"relative_l2\":%.3g," : "\"relative_l2\":null,",
              relative_l2);
  std::printf(
      "\"elements_per_thread\":%u,\"transforms\":%u,\"threads\":%u,\"scratch_bytes\":%u,"
      "\"registers\":%d,\"stack_bytes\":%d,\"blocks_at_once\":%d}\n",
      one.elements_per_thread, one.transforms, one.threads, one.scratch_bytes, one.registers,
      one.stack_bytes, one.blocks_at_once);
  std::fflush(stdout);
}

template <class Real>
void measure(block_fft one, const memory& buffers, int n_rounds) {
  check(one.prepare(one), "prepare a block FFT");
  const std::size_t row_bytes = one.length * one.element_bytes;
  const std::size_t batch = buffers.size_bytes / row_bytes / one.transforms * one.transforms;
  fill_noise<<<4096, 256, 0, buffers.stream>>>(static_cast<Real*>(buffers.in),
                                               buffers.size_bytes / sizeof(Real));
  const auto filter = filter_of<Real>(one.length);
  check(cudaMemcpyAsync(buffers.filter, filter.data(), row_bytes, cudaMemcpyHostToDevice,
                        buffers.stream),
        "write the filter");
  std::vector<entrant> entrants{{run_copy, {}}, {run_forward, {}}, {run_convolve, {}}};
  const double forward_off = accuracy_of(one, buffers, batch, work::forward, filter, entrants[1]);
  const double convolve_off = accuracy_of(one, buffers, batch, work::convolve, filter, entrants[2]);
  take_turns(one, buffers, batch, entrants, n_rounds);
  const double copy_s = entrants[0].median();
  print_line(one, work::forward, batch, entrants[1], copy_s, forward_off);
  print_line(one, work::convolve, batch, entrants[2], copy_s, convolve_off);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "all";
  const std::size_t mib = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1024;
  const int n_rounds = argc > 3 ? static_cast<int>(std::strtoul(argv[3], nullptr, 10)) : 9;
  auto all = peer::all_block_ffts();
  std::sort(all.begin(), all.end(), [](const block_fft& a, const block_fft& b) {
    const int order = std::string(a.precision).compare(b.precision);
    return order != 0 ? order < 0 : a.length < b.length;
  });
  memory buffers;
  buffers.size_bytes = mib << 20;
  if (buffers.size_bytes == 0 || n_rounds < 1) {
    std::fprintf(stderr, "peer_cufftdx: the MiB of input and the rounds are 1 at least\n");
    return 2;
  }
  check(cudaMalloc(&buffers.in, buffers.size_bytes), "allocate the input");
  check(cudaMalloc(&buffers.out, buffers.size_bytes), "allocate the output");
  check(cudaMalloc(&buffers.filter, std::size_t{1} << 20), "allocate the filter");
  check(cudaStreamCreate(&buffers.stream), "make a stream");
  for (const block_fft& one : all) {
    const std::string precision = one.precision;
    if (wanted != "all" && wanted != precision) continue;
    if (precision == "fp32") measure<float>(one, buffers, n_rounds);
    if (precision == "fp64") measure<double>(one, buffers, n_rounds);
    if (precision == "fp16") measure<__half>(one, buffers, n_rounds);
  }
  return 0;
}
