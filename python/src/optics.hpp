// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings.hpp"           // nb
#include "microscopy/optics.hpp"  // optics

namespace wingbeat::python {

/// Returns the parameters that an object has as attributes, by the names of `microscopy.Optics`.
[[nodiscard]] microscopy::optics optics_of(nb::handle given);

}  // namespace wingbeat::python
