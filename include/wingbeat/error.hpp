// SPDX-License-Identifier: Apache-2.0
// Exceptions. Every message is one sentence: what was given, what is allowed, what to do.
#pragma once

#include <stdexcept>  // runtime_error

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// The base of everything wingbeat throws.
class error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Your request cannot be planned or run as it stands.
class plan_error : public error {
  using error::error;
};

/// The requested engine or device is not on this machine.
class absent_error : public error {
  using error::error;
};

/// The driver refused: a failed launch, a failed compilation.
class device_error : public error {
  using error::error;
};

/// Memory of the device, or of this process, ran out.
class memory_error : public device_error {
  using device_error::device_error;
};

/// A file or stream could not be read or written, or does not hold what its format promises.
class file_error : public error {
  using error::error;
};

}  // namespace wingbeat
