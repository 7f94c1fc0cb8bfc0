// SPDX-License-Identifier: Apache-2.0
// Values to buffers and back, and by way of a plan.
#pragma once

#include <vector>

#include "wingbeat/buffer.hpp"   // buffer
#include "wingbeat/devices.hpp"  // engine, first_device
#include "wingbeat/plan.hpp"     // plan, plan_spec, output_bytes
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::test {

template <class Value>
[[nodiscard]] buffer filled(const queue& on, const std::vector<Value>& values) {
  buffer memory{on, values.size() * sizeof(Value)};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

template <class Value>
[[nodiscard]] std::vector<Value> contents(const buffer& memory) {
  std::vector<Value> values(memory.size_bytes() / sizeof(Value));
  memory.read(values.data(), memory.size_bytes());
  return values;
}

/// Returns the output of a plan that is run once. Between its elements is what was there: `rest`.
template <class Value>
[[nodiscard]] std::vector<Value> transformed(queue& on, const plan_spec& spec,
                                             const std::vector<Value>& x, Value rest = {}) {
  const buffer in = filled(on, x);
  const buffer out = filled(on, std::vector<Value>(output_bytes(spec) / sizeof(Value), rest));
  plan{on, spec}.enqueue(on, in.view(), out.view());
  return contents<Value>(out);
}
template <class Value>
[[nodiscard]] std::vector<Value> transformed(engine runs_on, const plan_spec& spec,
                                             const std::vector<Value>& x, Value rest = {}) {
  queue on{first_device(runs_on)};
  return transformed(on, spec, x, rest);
}

}  // namespace wingbeat::test
