// SPDX-License-Identifier: Apache-2.0
#include "programs/program.hpp"

#include <algorithm>  // max
#include <utility>    // move

#include "backend/backend.hpp"  // call
#include "text/formatted.hpp"   // formatted

namespace wingbeat::programs {
namespace {

constexpr std::size_t alignment_bytes = 256;

std::size_t aligned_up(std::size_t bytes) {
  return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

}  // namespace

std::size_t step::traffic_bytes() const {
  if (const pass* const launched = launch()) return launched->traffic_bytes();
  if (const auto* const cleared = std::get_if<clear>(&operation)) return cleared->size_bytes;
  if (kernel() != nullptr) return kernel()->traffic_bytes;
  return std::get<call>(operation)->traffic_bytes();
}

void program::add(pass launch) {
  const array_ends arrays{launch.in.location, launch.out.location};
  steps.push_back({std::move(launch), arrays});
}

void program::add(call work) {
  reserve(place::workspace_a, work->workspace_bytes());
  steps.push_back({std::move(work)});
}

void program::add(clear cleared) {
  steps.push_back({cleared});
}

void program::add(kernel_launch launch) {
  steps.push_back({std::move(launch)});
}

void program::add(const program& part, const array_ends& ends) {
  for (std::size_t i = 0; i < arrays::n_places; ++i) {
    array_bytes[i] = std::max(array_bytes[i], part.array_bytes[i]);
  }
  for (step each : part.steps) {
    array_ends& own = each.arrays;
    if (!ends.load.empty() && own.in == place::input) own.load = ends.load;
    if (!ends.store.empty() && own.out == place::output) own.store = ends.store;
    for (auto [location, bytes] :
         {std::pair{&own.in, &own.in_bytes}, std::pair{&own.out, &own.out_bytes}}) {
      if (*location == place::input) {
        *location = ends.in;
        *bytes += ends.in_bytes;
      } else if (*location == place::output) {
        *location = ends.out;
        *bytes += ends.out_bytes;
      }
    }
    steps.push_back(std::move(each));
  }
}

void program::reserve(place location, std::size_t size_bytes) {
  std::size_t& room = array_bytes[static_cast<std::size_t>(location)];
  room = std::max(room, size_bytes);
}

std::size_t program::workspace_offset(std::size_t number) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < number; ++i) {
    if (array_bytes[i] > 0) bytes = aligned_up(bytes) + array_bytes[i];
  }
  return number == arrays::n_places ? bytes : aligned_up(bytes);
}

std::vector<pass> program::passes() const {
  std::vector<pass> launches;
  for (const step& each : steps) {
    if (each.launch() != nullptr) launches.push_back(*each.launch());
  }
  return launches;
}

std::size_t program::traffic_bytes() const {
  std::size_t sum = 0;
  for (const step& each : steps) sum += each.traffic_bytes();
  return sum;
}

std::vector<std::string> program::texts() const {
  std::vector<std::string> list;
  std::size_t number = 0;
  for (const step& each : steps) {
    if (const pass* const launched = each.launch()) {
      list.push_back(formatted("pass {}: {}", ++number, launched->describe()));
    } else if (const auto* const cleared = std::get_if<clear>(&each.operation)) {
      list.push_back(formatted("clears {} bytes", cleared->size_bytes));
    } else if (each.kernel() != nullptr) {
      list.push_back(each.kernel()->description);
    } else {
      list.push_back(std::get<call>(each.operation)->explain());
    }
  }
  return list;
}

std::string program::describe() const {
  std::string lines;
  const std::vector<std::string> list = texts();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!steps[i].title.empty()) lines += steps[i].title + '\n';
    lines += list[i] + '\n';
  }
  return lines;
}

double program::predicted_fraction(std::size_t copied_bytes) const {
  double copies = 0;  // bytes that a copy moves in the expected time
  for (const step& each : steps) {
    if (std::holds_alternative<clear>(each.operation)) continue;
    const pass* const launched = each.launch();
    if (launched == nullptr || launched->fraction == 0) return 0;
    copies += static_cast<double>(launched->traffic_bytes()) / launched->fraction;
  }
  return static_cast<double>(copied_bytes) / copies;
}

std::size_t program::bin_at(std::size_t place) const {
  for (const step& each : steps) {
    const pass* const columns = each.launch();
    const std::size_t spacing = columns == nullptr ? 1 : columns->in_place_spacing.value_or(1);
    if (spacing == 1) continue;
    return place / spacing + place % spacing * columns->shape().length;
  }
  return place;
}

}  // namespace wingbeat::programs
