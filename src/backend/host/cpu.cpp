// SPDX-License-Identifier: Apache-2.0
#include "backend/host/cpu.hpp"

#include <unistd.h>  // sysconf

#include <cstdlib>  // getenv
#include <fstream>
#include <memory>  // make_unique

#include "backend/frame_rows.hpp"  // frame_rows
#include "backend/score_rows.hpp"  // score_rows
#include "text/reject.hpp"         // reject

namespace wingbeat::backend::host {

namespace baseline {
extern const instruction_set set;
extern const bank_kernels bank_set;
extern const line_set lines_set;
extern const score_rows scores_set;
extern const frame_rows frames_set;
extern const sum_kernels sums_set;
}  // namespace baseline
#ifdef WINGBEAT_HAS_avx2
namespace avx2 {
extern const instruction_set set;
extern const bank_kernels bank_set;
extern const line_set lines_set;
extern const score_rows scores_set;
extern const frame_rows frames_set;
extern const sum_kernels sums_set;
}  // namespace avx2
#endif
#ifdef WINGBEAT_HAS_avx512
namespace avx512 {
extern const instruction_set set;
extern const bank_kernels bank_set;
extern const line_set lines_set;
extern const score_rows scores_set;
extern const frame_rows frames_set;
extern const sum_kernels sums_set;
}  // namespace avx512
#endif

const std::vector<named_set>& supported_sets() {
  // Never destroyed, because plans may be made and run at exit.
  static const auto& found =
      *std::make_unique<const std::vector<named_set>>([] {
         std::vector<named_set> sets{{"baseline", "", &baseline::set, &baseline::bank_set,
                                      &baseline::lines_set, &baseline::sums_set,
                                      &baseline::scores_set, &baseline::frames_set}};
#ifdef WINGBEAT_HAS_avx2
         __builtin_cpu_init();
         if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
           sets.push_back({"avx2", "avx2 fma", &avx2::set, &avx2::bank_set, &avx2::lines_set,
                           &avx2::sums_set, &avx2::scores_set, &avx2::frames_set});
         }
#endif
#ifdef WINGBEAT_HAS_avx512
         __builtin_cpu_init();
         if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("fma")) {
           sets.push_back({"avx512", "avx512 f dq bw vl", &avx512::set, &avx512::bank_set,
                           &avx512::lines_set, &avx512::sums_set, &avx512::scores_set,
                           &avx512::frames_set});
         }
#endif
         return sets;
       }())
           .release();
  return found;
}

const named_set& chosen_set() {
  const auto& sets = supported_sets();
  const char* const wanted = std::getenv("WINGBEAT_HOST_ISA");
  if (wanted == nullptr || *wanted == '\0') return sets.back();
  std::string known;
  for (const auto& set : sets) {
    if (set.name == wanted) return set;
    known += (known.empty() ? "" : ", ") + set.name;
  }
  reject("WINGBEAT_HOST_ISA is '{}'; this processor runs {}: name one of these or unset it", wanted,
         known);
}

std::string cpu_name() {
  std::ifstream lines{"/proc/cpuinfo"};
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

std::size_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
}

}  // namespace wingbeat::backend::host

const wingbeat::backend::score_rows& wingbeat::backend::host_score_rows() {
  static const score_rows& chosen = *host::chosen_set().scores;
  return chosen;
}

const wingbeat::backend::frame_rows& wingbeat::backend::host_frame_rows() {
  static const frame_rows& chosen = *host::chosen_set().frames;
  return chosen;
}
