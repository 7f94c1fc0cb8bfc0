// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/ptxas_log.hpp"

#include <algorithm>  // max
#include <optional>
#include <string>

#include "text/number.hpp"  // number_from

namespace wingbeat::backend::cuda {
namespace {

constexpr std::string_view section_start = "Compiling entry function '";

/// Returns the lines about one entry point; empty if there are none.
std::string_view section_of(std::string_view log, std::string_view entry) {
  const auto start = log.find(std::string{section_start} + std::string{entry} + "'");
  if (start == std::string_view::npos) return {};
  const auto rest = log.substr(start);
  return rest.substr(0, rest.find(section_start, section_start.size()));
}

/// Returns the number before `unit`: 96 in "96 bytes spill stores".
std::optional<int> number_before(std::string_view line, std::string_view unit) {
  const auto end = line.find(unit);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const auto last = line.find_last_of("0123456789", end);
  if (last == std::string_view::npos || last + 2 != end) return std::nullopt;
  const auto before = line.find_last_not_of("0123456789", last);
  const auto first = before == std::string_view::npos ? 0 : before + 1;
  return number_from<int>(line.substr(first, last + 1 - first));
}

void raise(int& figure, std::optional<int> found) {
  if (found) figure = std::max(figure, *found);
}

}  // namespace

ptxas_figures read_ptxas_log(std::string_view log, std::string_view entry) {
  ptxas_figures found;
  auto rest = section_of(log, entry);
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    raise(found.registers, number_before(line, "registers"));
    raise(found.spill_bytes, number_before(line, "bytes spill stores"));
    raise(found.spill_bytes, number_before(line, "bytes spill loads"));
    raise(found.stack_bytes, number_before(line, "bytes stack frame"));
    raise(found.stack_bytes, number_before(line, "bytes cumulative stack size"));
    raise(found.static_scratch_bytes, number_before(line, "bytes smem"));
  }
  return found;
}

}  // namespace wingbeat::backend::cuda
