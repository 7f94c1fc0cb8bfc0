// SPDX-License-Identifier: Apache-2.0
#include "chirp.hpp"

#include "backend/backend.hpp"            // host_engine
#include "plain_transform.hpp"            // plain_transform
#include "programs/prepared_program.hpp"  // prepared_transform
#include "root_products.hpp"              // root_products

namespace wingbeat {
namespace {

/// Calls take(n, c[n]) for n < N.
template <class Work, class Take>
void each_factor(std::size_t points, bool is_forward, const Take& take) {
  const root_products<Work> root_of{2 * points};
  std::size_t square = 0;  // n^2 mod 2 N
  for (std::size_t n = 0; n < points; ++n) {
    const auto root = root_of(square);
    take(n, is_forward ? root : std::conj(root));
    square += 2 * n + 1;
    if (square >= 2 * points) square -= 2 * points;
  }
}

/// Returns the conjugates of c[n], n < N, around 0 within M points, those of outputs from 0 on,
/// ready to be transformed.
template <class Work>
std::vector<std::complex<Work>> conjugates_around_0(const std::vector<std::complex<Work>>& factors,
                                                    const chirp& whole) {
  const std::size_t total = whole.total;
  std::vector<std::complex<Work>> row(total);
  for (std::size_t n = 0; n < factors.size(); ++n) {
    const auto factor = std::conj(factors[n]) / static_cast<Work>(total);
    if (n < whole.inputs) row[(total - n) % total] = factor;
    if (n < whole.outputs) row[n] = factor;
  }
  return row;
}

std::vector<std::complex<double>> spectrum_in_long_double(const chirp& whole, bool is_forward) {
  std::vector<std::complex<long double>> factors(whole.points), bins(whole.total);
  each_factor<long double>(whole.points, is_forward,
                           [&](std::size_t n, const auto& factor) { factors[n] = factor; });
  plain_transform<long double>{whole.total}(conjugates_around_0(factors, whole).data(), 1,
                                            whole.total, bins.data());
  return {bins.begin(), bins.end()};
}

/// Transforms a row of a good length forward, which takes the engine `host` no chirp. Its bins take
/// the place of its elements.
void transform_forward(std::vector<std::complex<double>>& row) {
  const backend::engine& host = backend::host_engine();
  const auto queue = host.open(host.devices().front());
  const auto prepared = programs::prepared_transform(
      queue, request::resolved_spec{{.lengths = {row.size()}, .real = precision::fp64}});
  const std::size_t workspace_bytes = prepared->program().workspace_bytes();
  queue->reserve(workspace_bytes);
  const auto held = queue->lock();
  const buffer_view whole{row.data(), 0, row.size() * sizeof(row.front())};
  prepared->enqueue(*queue,
                    {.in = whole, .out = whole, .workspace = queue->workspace(workspace_bytes)});
}

}  // namespace

chirp::chirp(std::size_t points_given, std::size_t total_given, bool is_forward, precision real,
             std::size_t bins)
    : points(points_given),
      total(total_given),
      inputs(bins == 0 || is_forward ? points : bins),
      outputs(bins == 0 || !is_forward ? points : bins),
      factors(points_given) {
  const std::size_t most_in_long_double = std::size_t{1} << (real == precision::fp64 ? 20 : 12);
  each_factor<double>(points, is_forward,
                      [&](std::size_t n, const auto& factor) { factors[n] = factor; });
  if (total <= most_in_long_double) {
    spectrum = spectrum_in_long_double(*this, is_forward);
  } else {
    spectrum = conjugates_around_0(factors, *this);
    transform_forward(spectrum);
  }
}

}  // namespace wingbeat
