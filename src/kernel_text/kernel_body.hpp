// SPDX-License-Identifier: Apache-2.0
// Kernels of device headers: the text is an include, a struct of numbers and one entry, whose
// parameters are stated once.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/fusion.hpp"  // fused_load
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

/// An aggregate of wingbeat::device, of which all threads call one function, with a group, the
/// kernel's arguments and local memory.
struct member_call {
  std::string_view header;  ///< "wingbeat/device/functors/unit_templates.hpp"
  std::string object;       ///< "functors::unit_templates<float, double>{512, 512, 256, 1}"
  std::string function;     ///< Also the kernel's name.
  unsigned threads = 1;
  std::size_t scratch_bytes = 0;
};

/// Returns the kernel of a call; `parameters` are the function's, in order, as above.
[[nodiscard]] kernel_spec kernel_of(const member_call& call,
                                    std::vector<kernel_parameter> parameters);

/// Rows that a load functor of device/functors makes, written one after another as they are; a
/// thread writes one element.
struct row_copy {
  const fused_load& load;
  std::size_t rows = 1, elements = 1;  ///< Elements of a row.
  std::string stored;                  ///< "float": what an element is written as.
  std::size_t stored_bytes = 4;
  unsigned threads = 1;
};

/// Returns the kernel of a copy; its parameters are the input, the output, and the load's operands.
[[nodiscard]] kernel_spec kernel_of(const row_copy& copy);

}  // namespace wingbeat::kernel_text
