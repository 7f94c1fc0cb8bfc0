// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ends.hpp"

#include <algorithm>  // min

#include "backend/host/thread_pool.hpp"  // thread_pool

namespace wingbeat::backend::host {
namespace {

/// A row longer than this is handed out in several runs, so that threads share it.
constexpr std::size_t longest_run = std::size_t{1} << 14;

/// Calls `work` with (row of the block, first value, count) for all runs of all rows.
template <class Value, class Work>
void by_runs(const block<Value>& rows, unsigned n_threads, Work work) {
  const std::size_t n_runs = (rows.length + longest_run - 1) / longest_run;
  const std::size_t n_pieces = rows.count * n_runs;
  const std::size_t n_shares = std::min<std::size_t>(n_pieces, 4 * std::size_t{n_threads});
  thread_pool::shared().run(n_shares, n_threads, [&](std::size_t share, unsigned) {
    const std::size_t end = n_pieces * (share + 1) / n_shares;
    for (std::size_t piece = n_pieces * share / n_shares; piece < end; ++piece) {
      const std::size_t first = piece % n_runs * longest_run;
      work(piece / n_runs, first, std::min(longest_run, rows.length - first));
    }
  });
}

}  // namespace

template <class Value>
void load_rows(const host_load& load, const void* in, const block<Value>& to, unsigned n_threads) {
  const auto& call = std::get<run_reader<Value>>(load);
  by_runs(to, n_threads, [&](std::size_t row, std::size_t first, std::size_t count) {
    call(in, to.first + row, first, {to.memory + row * to.pitch + first, count});
  });
}

template <class Value>
void store_rows(const host_store& store, const block<const Value>& from, void* out,
                unsigned n_threads) {
  const auto& call = std::get<run_writer<Value>>(store);
  by_runs(from, n_threads, [&](std::size_t row, std::size_t first, std::size_t count) {
    call(out, from.first + row, first, {from.memory + row * from.pitch + first, count});
  });
}

template void load_rows(const host_load&, const void*, const block<float>&, unsigned);
template void load_rows(const host_load&, const void*, const block<double>&, unsigned);
template void load_rows(const host_load&, const void*, const block<std::complex<float>>&, unsigned);
template void load_rows(const host_load&, const void*, const block<std::complex<double>>&,
                        unsigned);
template void store_rows(const host_store&, const block<const float>&, void*, unsigned);
template void store_rows(const host_store&, const block<const double>&, void*, unsigned);
template void store_rows(const host_store&, const block<const std::complex<float>>&, void*,
                         unsigned);
template void store_rows(const host_store&, const block<const std::complex<double>>&, void*,
                         unsigned);

}  // namespace wingbeat::backend::host
