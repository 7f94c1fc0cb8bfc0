// SPDX-License-Identifier: Apache-2.0
// One transform over several processes, as torchrun or srun starts them; without a launcher, this
// program is two of them.
#include <sys/wait.h>  // wait
#include <unistd.h>    // fork, getpid

#include <algorithm>  // max
#include <cmath>      // abs
#include <complex>
#include <cstdio>
#include <cstdlib>  // getenv, setenv
#include <string>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// Returns 0 where there and back is the same on this rank.
int run() {
  const process_rank place = process_rank_of_environment();
  const std::vector<device_info> gpus = devices(engine::cuda);
  queue own{gpus.empty() ? first_device(engine::host) : gpus[place.local % gpus.size()]};
  const domain ranks = domain::at(place, own);
  distributed_plan forward{ranks,
                           {.transform = {.lengths = {32, 24, 20}}, .may_use_one_device = false}};
  distributed_plan back{ranks,
                        {.transform = {.lengths = {32, 24, 20},
                                       .kind = transform::inverse,
                                       .scale = scaling::by_length},
                         .may_use_one_device = false}};
  const box& part = forward.in_boxes()[place.rank];  // [batch][x][y][z]
  buffer values{own, forward.in_bytes(place.rank)}, bins{own, forward.out_bytes(place.rank)};
  std::vector<std::complex<float>> given(part.count()), again(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = {static_cast<float>((part.lower[1] * 7919 + i * 31) % 100) / 50 - 1, 0.25F};
  }
  values.write(given.data(), values.size_bytes());
  forward.enqueue(values.view(), bins.view());
  back.enqueue(bins.view(), values.view());
  values.read(again.data(), values.size_bytes());

  double most = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    most = std::max(most, double{std::abs(again[i] - given[i])});
  }
  std::printf("rank %zu of %zu has x %zu .. %zu; there and back differ by %.1e\n", place.rank,
              place.size, part.lower[1], part.upper[1], most);
  return most < 1e-5 ? 0 : 1;
}

}  // namespace

int main() {
  if (std::getenv("RANK") != nullptr || std::getenv("SLURM_PROCID") != nullptr) return run();
  const std::string port = std::to_string(20000 + ::getpid() % 20000);
  ::setenv("MASTER_PORT", port.c_str(), 1);
  ::setenv("WORLD_SIZE", "2", 1);
  const pid_t child = ::fork();
  ::setenv("RANK", child == 0 ? "1" : "0", 1);
  const int own = run();
  int status = 0;
  if (child != 0 && ::waitpid(child, &status, 0) == child && status != 0) return 1;
  return own;
}
