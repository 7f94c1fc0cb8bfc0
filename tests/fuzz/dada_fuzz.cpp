// SPDX-License-Identifier: Apache-2.0
// Any bytes give voltages of the promised sizes or an error; nothing else may come out.
#include "formats/voltages/read.hpp"  // read_dada
#include "fuzz/voltages_reader.hpp"   // check_voltage_reader

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  const std::span content{reinterpret_cast<const std::byte*>(data), n_bytes};
  wingbeat::fuzz::check_voltage_reader(
      [&] { return wingbeat::test::read_dada(content, "fuzz.dada"); }, n_bytes);
  return 0;
}
