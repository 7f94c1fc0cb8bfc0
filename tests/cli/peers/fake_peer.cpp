// SPDX-License-Identifier: Apache-2.0
// A peer whose program's name says how it behaves: honest, wrong, refuses, dies, tires (dies in the
// rounds), hangs, mute, nonsense, endless, idle, kills (the bench, at its second problem), nowhere,
// older (does not know the question `enqueue`), instant or quits (both when its calls are timed).
// The honest one sums one complex axis in fp32 by definition.
#include <unistd.h>  // getppid, pause, _exit

#include <chrono>  // steady_clock
#include <cmath>
#include <complex>
#include <csignal>  // kill
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "serve.hpp"  // library, job, server

namespace {

using namespace peers;

class fake_job final : public job {
 public:
  fake_job(const problem& request, std::string manner)
      : what_(request), manner_(std::move(manner)) {
    in_.resize(request.in.size_bytes);
    out_.resize(request.out.size_bytes);
  }

  void fill(const std::vector<char>& block) override {
    repeat(block, in_.data(), in_.size());
    out_.assign(out_.size(), char(0xff));
  }

  double run(std::size_t n_runs) override {
    if (manner_ == "dies") _exit(7);
    if (manner_ == "hangs") pause();
    if (manner_ == "idle") return 0;
    if (manner_ == "tires" && ++n_asked_ > 5) _exit(8);
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < n_runs; ++i) {
      for (std::size_t t = 0; t < what_.batch; ++t) transform(t);
    }
    return seconds_since(begin);
  }

  double enqueue(std::size_t n_calls) override {
    if (manner_ == "older") throw refusal("'enqueue' is no question");
    if (manner_ == "quits") _exit(9);
    return manner_ == "instant" ? 0 : run(n_calls);
  }

  void read(std::size_t offset_bytes, std::vector<char>& into) override {
    std::memcpy(into.data(), out_.data() + offset_bytes, into.size());
  }

 private:
  void transform(std::size_t t) {
    const std::size_t n = what_.lengths.front();
    std::vector<std::complex<float>> x(n), y(n);
    std::memcpy(x.data(), in_.data() + t * n * sizeof x[0], n * sizeof x[0]);
    const double sign = what_.is_inverse() != (manner_ == "wrong") ? 1 : -1;
    for (std::size_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double turn = sign * 2 * 3.14159265358979323846 * double(j * k % n) / double(n);
        sum += std::complex<double>{x[j]} * std::polar(1.0, turn);
      }
      y[k] = std::complex<float>{sum};
    }
    std::memcpy(out_.data() + t * n * sizeof y[0], y.data(), n * sizeof y[0]);
  }

  problem what_;
  std::string manner_;
  int n_asked_ = 0;
  std::vector<char> in_, out_;
};

class fake final : public library {
 public:
  explicit fake(std::string manner) : manner_(std::move(manner)) {}

  std::string open(int, int, const std::string& name) override {
    if (manner_ == "nowhere") throw refusal("it cannot use '" + name + "'");
    return "Fake 1.0";
  }

  std::unique_ptr<job> plan(const problem& request) override {
    if (manner_ == "refuses" || request.lengths.size() != 1 || request.real != precision::fp32) {
      throw refusal("it plans nothing like this");
    }
    if (manner_ == "kills" && ++n_planned_ > 1) kill(getppid(), SIGKILL);
    return std::make_unique<fake_job>(request, manner_);
  }

 private:
  std::string manner_;
  int n_planned_ = 0;
};

}  // namespace

int main(int, char** argv) {
  const std::string path = argv[0];
  const std::string manner = path.substr(path.rfind('/') + 1);
  if (manner == "mute") pause();
  if (manner == "nonsense")
    return std::printf("wingbeat-peer 1\nbananas\n"), std::fflush(stdout), pause();
  while (manner == "endless") std::printf("wingbeat");
  fake library{manner};
  return server{library}.run();
}
