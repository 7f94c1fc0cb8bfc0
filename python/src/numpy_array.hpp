// SPDX-License-Identifier: Apache-2.0
// numpy's arrays, through numpy's own C interface: an order of magnitude less per call than a
// protocol.
#pragma once

#include <optional>

#include "array.hpp"
#include "bindings.hpp"  // nb

namespace wingbeat::python {

/// Imports numpy. Throws the exception of the import.
void load_numpy();

[[nodiscard]] bool is_numpy(nb::handle object) noexcept;
[[nodiscard]] bool is_writeable_numpy(nb::handle object) noexcept;

/// Returns the view of a numpy array whose elements are of a type with a name, in native byte
/// order; nothing for other objects and types.
[[nodiscard]] std::optional<array> numpy_view(nb::handle object);

/// Returns the view of such an array, or of what Python described as an `Array`. Throws TypeError
/// for anything else.
[[nodiscard]] array described(nb::handle object);

/// Returns a packed array of this shape, not initialised; None where numpy has no such elements.
/// `view` has shape and element, and gets memory and strides. Throws MemoryError.
[[nodiscard]] nb::object empty_numpy(array& view);

}  // namespace wingbeat::python
