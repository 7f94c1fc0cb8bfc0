// SPDX-License-Identifier: Apache-2.0
// The cache of plans of this process.
#include <algorithm>  // min

#include "bindings.hpp"
#include "transform.hpp"             // shared_plans
#include "wingbeat/good_length.hpp"  // good_length

namespace wingbeat::python {
namespace {

std::size_t next_good_length(std::size_t n, bool is_real) {
  if (n == 1) return 1;
  return good_length(n, is_real ? transform::forward_from_real : transform::forward);
}

std::size_t previous_good_length(std::size_t n, bool is_real) {
  if (n == 1) return 1;
  return good_lengths::largest_up_to(std::min(n, max_length), is_real ? 2 : 1, 0, 1);
}

}  // namespace

void bind_plans(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("next_good_length", &next_good_length, "target"_a, "is_real"_a);
  module.def("previous_good_length", &previous_good_length, "target"_a, "is_real"_a);
  module.def("plan_cache_size", [] { return shared_plans().size(); });
  module.def("plan_cache_capacity", [] { return shared_plans().capacity(); });
  module.def("plan_cache_hits", [] { return shared_plans().n_hits(); });
  module.def("plan_cache_misses", [] { return shared_plans().n_misses(); });
  module.def(
      "plan_cache_clear", [] { shared_plans().clear(); }, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "plan_cache_resize", [](std::size_t capacity) { shared_plans().resize(capacity); },
      "capacity"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace wingbeat::python
