// SPDX-License-Identifier: Apache-2.0
// What a template search's request may ask for.
#pragma once

#include "wingbeat/template_search.hpp"  // search_spec

namespace wingbeat::convolving {

/// Throws `plan_error`, naming the field at fault, for what no device can search.
void require_valid(const search_spec& spec);

}  // namespace wingbeat::convolving
