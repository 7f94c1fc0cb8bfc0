// SPDX-License-Identifier: Apache-2.0
#include "bench_problem.hpp"

#include <algorithm>  // clamp, min
#include <chrono>     // steady_clock
#include <memory>     // unique_ptr
#include <random>     // mt19937_64

#include "backend/backend.hpp"  // queue
#include "peer_cufft.hpp"       // cufft_peer
#include "rounds.hpp"           // take_turns
#include "wingbeat/error.hpp"   // plan_error

namespace wingbeat::cli {
namespace {

/// Fills the input with noise, a block of whole rows over and over. The bins 0 and N/2 of half a
/// spectrum are real, since not every library ignores their imaginary parts.
template <class Real>
void fill_noise(const plan_spec& what, buffer& to) {
  const std::size_t row_reals = input_bytes(what) / what.batch / sizeof(Real);
  const std::size_t rows =
      std::clamp<std::size_t>((std::size_t{1} << 22) / row_reals, 1, what.batch);
  std::mt19937_64 bits{20};
  std::vector<Real> block(rows * row_reals);
  for (Real& x : block) x = static_cast<Real>(static_cast<double>(bits() >> 11) / 0x1p52 - 1);
  for (std::size_t row = 0; row < rows && what.kind == transform::inverse_to_real; ++row) {
    block[row * row_reals + 1] = block[(row + 1) * row_reals - 1] = 0;
  }
  const std::size_t block_bytes = block.size() * sizeof(Real);
  for (std::size_t at = 0; at < to.size_bytes(); at += block_bytes) {
    to.write(block.data(), std::min(block_bytes, to.size_bytes() - at), at);
  }
}

void fill_input(const plan_spec& what, buffer& to) {
  what.real == precision::fp32 ? fill_noise<float>(what, to) : fill_noise<double>(what, to);
}

/// Reads one row of numbers and widens them.
std::vector<double> row_of(const buffer& from, std::size_t row_bytes, std::size_t row,
                           precision real) {
  if (real == precision::fp64) {
    std::vector<double> values(row_bytes / sizeof(double));
    from.read(values.data(), row_bytes, row * row_bytes);
    return values;
  }
  std::vector<float> values(row_bytes / sizeof(float));
  from.read(values.data(), row_bytes, row * row_bytes);
  return {values.begin(), values.end()};
}

std::vector<double> reference_row(const plan_spec& what, const std::vector<double>& input) {
  plan_spec one = what;
  one.batch = 1;
  one.real = precision::fp64;
  queue on{first_device(engine::reference)};
  buffer in{on, input_bytes(one)}, out{on, output_bytes(one)};
  in.write(input.data(), in.size_bytes());
  plan{on, one}.enqueue(on, in.view(), out.view());
  return row_of(out, out.size_bytes(), 0, precision::fp64);
}

void poison(buffer& out, std::size_t size_bytes) {
  const std::vector<unsigned char> block(std::size_t{1} << 24, 0xff);  // NaN in either precision
  for (std::size_t at = 0; at < size_bytes; at += block.size()) {
    out.write(block.data(), std::min(block.size(), size_bytes - at), at);
  }
}

/// Compares the first, the middle and the last row of a run on poisoned output. The input is made
/// anew before and after: cuFFT may overwrite it.
agreement check(const plan_spec& what, bench_buffers& memory, const std::function<void()>& run) {
  fill_input(what, memory.in);
  poison(memory.out, output_bytes(what));
  run();
  fill_input(what, memory.in);
  const element kind = what.kind == transform::inverse_to_real ? element::real : element::complex;
  agreement worst;
  bool is_first = true;
  for (const std::size_t row : {std::size_t{0}, what.batch / 2, what.batch - 1}) {
    const auto input = row_of(memory.in, input_bytes(what) / what.batch, row, what.real);
    const auto got = row_of(memory.out, output_bytes(what) / what.batch, row, what.real);
    const auto found =
        compare(got, reference_row(what, input), kind, what.lengths.front(), what.real);
    if (is_first || !found.is_within || found.relative_l2 > worst.relative_l2) worst = found;
    if (!found.is_within) break;
    is_first = false;
  }
  return worst;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void take_figures(const entrant& from, bench_figures& to) {
  to.median_s = from.median_s();
  to.min_s = from.min_s();
  to.max_s = from.max_s();
}

}  // namespace

bench_buffers::bench_buffers(const queue& on, std::size_t size_bytes)
    : in(on, size_bytes), out(on, size_bytes) {}

bench_result run_problem(queue& on, const plan_spec& what, bench_buffers& memory,
                         const bench_method& how) {
  bench_result result;
  result.what = what;
  result.copied_bytes = (input_bytes(what) + output_bytes(what)) / 2;

  auto start = std::chrono::steady_clock::now();
  const plan ours{on, what};
  result.ours.plan_s = seconds_since(start);
  result.plan_text = ours.explain();
  result.traffic_bytes = ours.traffic_bytes();
  result.kernels = ours.resources();

  buffer_view from = memory.in.view(), to = memory.out.view();
  from.size_bytes = to.size_bytes = result.copied_bytes;
  std::vector<entrant> entrants;
  entrants.push_back({"copy", [&, from, to] { on.impl()->copy(to, from); }, {}});
  entrants.push_back(
      {"wingbeat", [&] { ours.enqueue(on, memory.in.view(), memory.out.view()); }, {}});
  result.ours.accuracy = check(what, memory, entrants.back().run);

  std::unique_ptr<cufft_peer> cufft;
  if (how.peer == "cufft") {
    start = std::chrono::steady_clock::now();
    cufft = std::make_unique<cufft_peer>(on, what);
    result.peer.plan_s = seconds_since(start);
    entrants.push_back({"cufft", [&] { cufft->run(memory.in.view(), memory.out.view()); }, {}});
    result.peer.accuracy = check(what, memory, entrants.back().run);
  }
  take_turns(on, entrants, how.n_rounds);
  result.copy_s = entrants[0].median_s();
  take_figures(entrants[1], result.ours);
  if (entrants.size() > 2) take_figures(entrants[2], result.peer);
  return result;
}

}  // namespace wingbeat::cli
