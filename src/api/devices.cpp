// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/devices.hpp"

#include <array>
#include <utility>  // pair

#include "backend/backend.hpp"  // engine_of
#include "text/formatted.hpp"   // formatted
#include "text/reject.hpp"      // reject
#include "wingbeat/error.hpp"   // plan_error, absent_error

namespace wingbeat {
namespace {

constexpr std::array<std::pair<engine, std::string_view>, 4> names{{
    {engine::reference, "reference"},
    {engine::host, "host"},
    {engine::opencl, "opencl"},
    {engine::cuda, "cuda"},
}};

}  // namespace

std::string_view name_of(engine runs_on) noexcept {
  for (const auto& [value, name] : names) {
    if (value == runs_on) return name;
  }
  return "unknown";
}

engine engine_named(std::string_view name) {
  for (const auto& [value, known] : names) {
    if (known == name) return value;
  }
  reject("there is no engine '{}'; choose reference, host, opencl or cuda", name);
}

std::vector<device_info> devices() {
  std::vector<device_info> result;
  for (const auto& [value, name] : names) {
    for (auto& found : devices(value)) result.push_back(std::move(found));
  }
  return result;
}

std::vector<device_info> devices(engine runs_on) {
  return backend::engine_of(runs_on).devices();
}

std::string why_absent(engine runs_on) {
  return backend::engine_of(runs_on).why_absent();
}

device_info best_device() {
  const auto cuda = devices(engine::cuda);
  if (!cuda.empty()) return cuda.front();
  for (auto& found : devices(engine::opencl)) {
    if (found.is_gpu) return found;
  }
  return first_device(engine::host);
}

device_info first_device(engine runs_on) {
  auto found = devices(runs_on);
  if (found.empty()) {
    throw absent_error(
        formatted("engine {} is not available here: {}", name_of(runs_on), why_absent(runs_on)));
  }
  return found.front();
}

}  // namespace wingbeat
