// SPDX-License-Identifier: Apache-2.0
#include "backend/kernel.hpp"

#include <fmt/core.h>

#include "backend/device_sources.hpp"  // device_sources_digest, flatten

namespace wingbeat::backend {

std::string kernel_source::full_text() const {
  return path.empty() ? text : flatten(text, path);
}

std::string kernel_source::key_text() const {
  return path.empty() ? text : fmt::format("{}\n{}\n{}", path, device_sources_digest(), text);
}

}  // namespace wingbeat::backend
