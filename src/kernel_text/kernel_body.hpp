// SPDX-License-Identifier: Apache-2.0
// Kernels of device headers: the text is an include, a struct of numbers and one entry, whose
// parameters are stated once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/kernel.hpp"  // kernel_spec, kernel_parameter

namespace wingbeat::kernel_text {

/// A class of wingbeat::device, and what it is compiled with. Its parameter is a struct `policy`
/// whose numbers() are constants; it is made of an aggregate of the kernel's arguments and of local
/// memory, and all threads call its run().
struct kernel_body {
  std::string_view header;     ///< "wingbeat/device/channeliser/bank.hpp"
  std::string_view type;       ///< "channeliser::bank"
  std::string numbers_type;    ///< Of what policy::numbers() returns: "channeliser::bank_numbers"
  std::string constants;       ///< The assignments to its members.
  std::string entry;           ///< The kernel's name.
  unsigned threads = 1;        ///< Threads of a workgroup.
  unsigned resident = 0;       ///< Workgroups that a multiprocessor has registers for; 0: any.
  unsigned scratch_bytes = 0;  ///< Local memory of a workgroup.
};

/// Returns the kernel of a body; `parameters` are the members of its aggregate, in order: memory,
/// and numbers of 8 bytes.
[[nodiscard]] kernel_spec kernel_of(const kernel_body& body,
                                    std::vector<kernel_parameter> parameters);

}  // namespace wingbeat::kernel_text
