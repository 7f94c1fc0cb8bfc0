// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_limit.hpp"

#include <unistd.h>  // sysconf

#include <algorithm>  // min
#include <cmath>      // ceil, floor
#include <fstream>

#include "cli/option.hpp"      // add_text, real_of
#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::cli {
namespace {

constexpr double max_bytes = 0x1p63;
constexpr double mebibyte = 0x1p20;

/// Memory is more than arrays: the program's code, its libraries, threads and tables.
constexpr double program_bytes = 72 * mebibyte;

/// Returns half of the machine's memory, or of what a control group leaves.
double default_limit_bytes() {
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  double bytes = pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
  double group_bytes = 0;
  if (std::ifstream{"/sys/fs/cgroup/memory.max"} >> group_bytes) {  // "max" is no number
    bytes = std::min(bytes, group_bytes);
  }
  return bytes / 2;
}

double bytes_of(const std::string& text) {
  constexpr std::string_view suffixes = "KMGT";
  std::string digits = text;
  double unit = 1;
  if (const auto suffix = suffixes.find(text.back()); suffix != std::string_view::npos) {
    digits.pop_back();
    for (std::size_t i = 0; i <= suffix; ++i) unit *= 1024;
  }
  try {
    return real_of("--max-memory", digits, {.least = 1 / unit, .most = max_bytes / unit}) * unit;
  } catch (const plan_error&) {
    reject("--max-memory takes bytes such as 1500000, 512M or 3.5G, and was given '{}'", text);
  }
}

std::string text_of(double bytes) {
  if (bytes >= mebibyte) return formatted("{:.0f} MiB", std::floor(bytes / mebibyte));
  return formatted("{:.0f} KiB", std::floor(bytes / 1024));
}

}  // namespace

void add_memory_limit(CLI::App& command, memory_limit& target) {
  add_text(command, "--max-memory",
           "Refuse to take more memory, as 512M or 3.5G; else half of the machine's", "",
           [&target](const std::string& text) { target.bytes = bytes_of(text); });
}

std::string require_memory(std::string_view work, double array_bytes, const memory_limit& limit) {
  const double needed_mib = std::ceil((array_bytes + program_bytes) / mebibyte);
  const double limit_bytes = limit.bytes ? *limit.bytes : default_limit_bytes();
  if (needed_mib * mebibyte <= limit_bytes) {
    return formatted("{:.0f} MiB of memory", needed_mib);
  }
  const std::string sentence = formatted(
      "{} needs up to {:.0f} MiB of memory, and {} are allowed{}; give --max-memory "
      "{:.0f}M if the machine has them, or take less at once",
      work, needed_mib, text_of(limit_bytes), limit.bytes ? "" : ", half of the machine's",
      needed_mib);
  if (limit.bytes) throw plan_error(sentence);
  throw memory_error(sentence);
}

}  // namespace wingbeat::cli
