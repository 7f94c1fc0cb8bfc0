// SPDX-License-Identifier: Apache-2.0
#include "backend/kernel.hpp"

#include "backend/device_sources.hpp"  // device_sources_digest, flatten, may_read_files
#include "text/formatted.hpp"          // formatted

namespace wingbeat::backend {
namespace {

std::string scratch_text(const kernel_source& source) {
  if (!source.states_scratch) return "";
  return formatted("#define WINGBEAT_SCRATCH_BYTES {}\n", source.scratch_bytes);
}

}  // namespace

std::string kernel_source::full_text() const {
  if (path.empty()) return text;
  // Users' kernels may deduce types from constants, and an enumerator is not an `unsigned`.
  return scratch_text(*this) +
         flatten(text, path, states_scratch ? constants_as::variables : constants_as::enumerators);
}

std::string kernel_source::key_text() const {
  if (may_read_files(text)) return {};
  if (path.empty()) return text;
  return formatted("{}{}\n{}\n{}", scratch_text(*this), path, device_sources_digest(), text);
}

}  // namespace wingbeat::backend
