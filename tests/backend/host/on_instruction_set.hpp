// SPDX-License-Identifier: Apache-2.0
// Tests that run on the host with each instruction set of this machine.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>  // getenv, setenv, unsetenv
#include <string>
#include <utility>  // move
#include <vector>

#include "backend/host/cpu.hpp"  // supported_sets, named_set
#include "wingbeat/devices.hpp"  // first_device
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::test {

/// Names an instruction set in the environment while it lives.
class chosen_instruction_set {
 public:
  explicit chosen_instruction_set(const std::string& name) {
    if (const char* const given = std::getenv(variable)) before_ = given;
    ::setenv(variable, name.c_str(), 1);
  }
  chosen_instruction_set(const chosen_instruction_set&) = delete;
  chosen_instruction_set& operator=(const chosen_instruction_set&) = delete;
  ~chosen_instruction_set() { ::setenv(variable, before_.c_str(), 1); }  // empty: the widest

 private:
  static constexpr const char* variable = "WINGBEAT_HOST_ISA";
  std::string before_;
};

class on_instruction_set : public ::testing::TestWithParam<backend::host::named_set> {
  const chosen_instruction_set chosen_{GetParam().name};

 protected:
  queue on{first_device(engine::host)};
};

inline auto every_instruction_set() {
  return ::testing::ValuesIn(backend::host::supported_sets());
}
inline std::string name_of_set(const ::testing::TestParamInfo<backend::host::named_set>& set) {
  return set.param.name;
}

}  // namespace wingbeat::test
