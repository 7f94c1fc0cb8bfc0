// SPDX-License-Identifier: Apache-2.0
// A cube there and back over the processes of MPI; exit code 0 where it is the same on this rank.
#include <cmath>  // abs
#include <complex>
#include <vector>

#include "wingbeat/mpi/process_rank.hpp"  // process_rank_of_mpi
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

bool is_same() {
  const process_rank place = process_rank_of_mpi(MPI_COMM_WORLD);
  queue own{first_device(engine::host)};
  const domain ranks = domain::at(place, own);
  const plan_spec cube{.lengths = {12, 10, 8}};
  plan_spec inverse = cube;
  inverse.kind = transform::inverse;
  inverse.scale = scaling::by_length;
  distributed_plan forward{ranks, {cube, {}, false}}, back{ranks, {inverse, {}, false}};
  buffer values{own, forward.in_bytes(place.rank)}, bins{own, forward.out_bytes(place.rank)};
  std::vector<std::complex<float>> given(forward.in_boxes()[place.rank].count()), again(given);
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = {static_cast<float>((place.rank * 31 + i * 7) % 17), -1};
  }
  values.write(given.data(), values.size_bytes());
  forward.enqueue(values.view(), bins.view());
  back.enqueue(bins.view(), values.view());
  values.read(again.data(), values.size_bytes());
  bool is_close = forward.sent_bytes() > 0;
  for (std::size_t i = 0; i < given.size(); ++i) is_close &= std::abs(again[i] - given[i]) < 1e-4F;
  return is_close;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_right = is_same();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
