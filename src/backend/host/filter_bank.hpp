// SPDX-License-Identifier: Apache-2.0
// Filter banks in which each thread takes some spectra of all polarisations from samples to their
// place in the output, while they are in its cache.
#pragma once

#include <memory>  // unique_ptr

#include "backend/bank.hpp"      // bank, bank_request
#include "backend/host/cpu.hpp"  // named_set

namespace wingbeat::backend::host {

[[nodiscard]] std::unique_ptr<backend::bank> make_filter_bank(const named_set& kernel_set,
                                                              const bank_request& request);

}  // namespace wingbeat::backend::host
