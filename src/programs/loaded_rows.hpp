// SPDX-License-Identifier: Apache-2.0
// Steps of a load functor alone: a functor of device/functors makes rows, which are written as they
// are. On engines that compile kernels one launch, with a thread for each element.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <string>

#include "functors/device_functor.hpp"  // device_functor
#include "programs/program.hpp"         // program, array_ends
#include "wingbeat/devices.hpp"         // device_info
#include "wingbeat/fusion.hpp"          // fused_load

namespace wingbeat::programs {

/// The type that elements are written as, and how in this process.
struct written_element {
  std::string name;  ///< "float"
  std::size_t bytes = 0;
  /// Calls a load for elements `first` .. of a row, and writes `count` of them.
  void (*write)(const host_load& load, const void* in, const host_arguments& given, std::size_t row,
                std::size_t first, std::size_t count, void* out) = nullptr;
};

struct loaded_rows {
  fused_load load;
  std::size_t rows = 1, elements = 1;  ///< Elements of a row.
  written_element written = {};
  std::string title = {};  ///< "means of frames", in explain().
};

/// Returns how what Functor loads is written as Stored: that type, or a narrower real.
template <class Functor, class Stored>
[[nodiscard]] written_element written_as() {
  using value = decltype(in_process(std::declval<Functor>().load(0)));
  const auto write = [](const host_load& load, const void* in, const host_arguments& given,
                        std::size_t row, std::size_t first, std::size_t count, void* out) {
    constexpr std::size_t most = 256;
    value values[most];
    auto* place = static_cast<Stored*>(out);
    for (std::size_t done = 0; done < count;) {
      const std::span<value> into{values, std::min(most, count - done)};
      if (const auto* const plain = std::get_if<run_reader<value>>(&load)) {
        (*plain)(in, row, first + done, into);
      } else {
        std::get<operand_reader<value>>(load)(in, given, row, first + done, into);
      }
      for (const value& each : into) *place++ = static_cast<Stored>(on_device(each));
      done += into.size();
    }
  };
  return {kernel_text::type_name(typeid(Stored).name()), sizeof(Stored), write};
}

/// Adds the step that makes rows for a device; `ends.load` are the sources of the load's operands.
void add(program& steps, const device_info& device, loaded_rows rows, const array_ends& ends);

}  // namespace wingbeat::programs
