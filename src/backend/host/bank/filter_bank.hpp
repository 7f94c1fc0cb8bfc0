// SPDX-License-Identifier: Apache-2.0
// Filter banks in which each thread computes some spectra of all polarisations, from samples to the
// output, while they are in its cache.
#pragma once

#include <memory>  // shared_ptr

#include "backend/backend.hpp"   // call, bank_request
#include "backend/host/cpu.hpp"  // named_set

namespace wingbeat::backend::host {

[[nodiscard]] std::shared_ptr<const backend::call> make_filter_bank(const named_set& kernel_set,
                                                                    const bank_request& request);

}  // namespace wingbeat::backend::host
