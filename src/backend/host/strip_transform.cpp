// SPDX-License-Identifier: Apache-2.0
#include "backend/host/strip_transform.hpp"

#include <fmt/core.h>

#include "backend/host/chain_tables.hpp"  // factorised, table_writer, write_chain

namespace wingbeat::backend::host {
namespace {

/// Returns the widest strip that neighbours fill. No vector is narrower than `least` lanes: fewer
/// neighbours go through a tile, which any vector fills.
std::size_t width_for(std::size_t neighbours, int widest, std::size_t least) {
  auto width = static_cast<std::size_t>(widest);
  while (width > neighbours && width > least) width /= 2;
  return width > neighbours ? static_cast<std::size_t>(widest) : width;
}

}  // namespace

template <class Real>
strip_transform<Real>::strip_transform(const kernels<Real>& with, std::size_t length,
                                       std::size_t neighbours)
    : with_(with),
      width_(width_for(neighbours, with.width, 16 / sizeof(Real))),
      chain_(factorised(length, 1, with.max_radix, 1)),
      table_(make_aligned<Real>(chain_reals(length))) {
  table_writer<Real> to{table_.get()};
  write_chain(to, chain_, 0);
}

template <class Real>
std::size_t strip_transform<Real>::scratch_reals() const noexcept {
  return chain_.n_stages == 1 ? 0 : 4 * chain_.length * width();
}

template <class Real>
std::string strip_transform<Real>::explain() const {
  return fmt::format("columns of {} points, radices {}, {} lanes", chain_.length, words(chain_),
                     width());
}

template class strip_transform<float>;
template class strip_transform<double>;

}  // namespace wingbeat::backend::host
