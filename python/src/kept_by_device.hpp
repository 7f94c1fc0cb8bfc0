// SPDX-License-Identifier: Apache-2.0
// A cache of objects that calls planned, by device and description.
#pragma once

#include <memory>  // make_shared

#include "latest_used.hpp"       // latest_used
#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::python {

/// Objects made from a queue and a `Spec`, whose comparison covers all that distinguishes them.
template <class Spec, class Object>
class kept_by_device {
 public:
  [[nodiscard]] std::shared_ptr<const Object> get(const queue& on, const Spec& spec) {
    const key wanted{on.device().runs_on, on.device().index, spec};
    return kept_.get(wanted, [&] { return std::make_shared<const Object>(on, spec); });
  }

 private:
  struct key {
    engine runs_on;
    int device_index;
    Spec spec;

    friend bool operator==(const key&, const key&) = default;
  };

  latest_used<key, Object> kept_{32};
};

}  // namespace wingbeat::python
