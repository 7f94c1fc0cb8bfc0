// SPDX-License-Identifier: Apache-2.0
// Remembers where libgcc found the description of a stack frame. Static programs search for it in
// all of their descriptions, for each frame of each exception: half of the time of some fuzzers.
// Linked with --wrap=_Unwind_Find_FDE; for programs of one thread.
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t, uintptr_t

extern "C" {

/// As in unwind-dw2-fde.h of GCC.
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};

const void* __real__Unwind_Find_FDE(void* address, dwarf_eh_bases* bases);

const void* __wrap__Unwind_Find_FDE(void* address, dwarf_eh_bases* bases) {
  struct entry {
    void* address;
    const void* description;
    dwarf_eh_bases bases;
  };
  constexpr unsigned log2_entries = 13;
  static entry entries[std::size_t{1} << log2_entries];
  const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u;
  entry& known = entries[hash >> (64 - log2_entries)];
  if (known.address != address) {
    known.description = __real__Unwind_Find_FDE(address, &known.bases);
    known.address = address;
  }
  *bases = known.bases;
  return known.description;
}
}
