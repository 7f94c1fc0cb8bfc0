// SPDX-License-Identifier: Apache-2.0
// Mark 5B: frames of a header of 16 bytes and of 10,000 bytes of 32 bit streams, which are signs,
// or signs and magnitudes, of channels; the header does not state which.
#pragma once

#include <memory>  // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/voltages/voltages.hpp"  // voltage_file, voltage_options

namespace wingbeat::formats {

/// Opens a file of as many channels as the options say, of 1 bit or, unless they say so, of 2, as
/// `open_frames` does.
[[nodiscard]] std::unique_ptr<voltage_file> open_mark5b(const byte_source& source,
                                                        const voltage_options& options);

}  // namespace wingbeat::formats
