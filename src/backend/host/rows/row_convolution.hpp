// SPDX-License-Identifier: Apache-2.0
// Rows that are transformed, multiplied by spectra and transformed back while they are in cache.
#pragma once

#include <memory>  // shared_ptr

#include "arrays/spectra.hpp"    // spectrum_array
#include "backend/backend.hpp"   // call
#include "backend/host/cpu.hpp"  // named_set

namespace wingbeat::backend::host {

/// Returns the call of a `convolution_of_rows`, or null where rows outgrow the cache of one thread,
/// because separate plans are then as quick. Spectra are in natural order, which costs Stockham
/// stages nothing.
[[nodiscard]] std::shared_ptr<const backend::call> make_row_convolution(
    const named_set& kernel_set, const plan_spec& rows, const spectrum_array& spectra);

}  // namespace wingbeat::backend::host
