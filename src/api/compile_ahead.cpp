// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/compile_ahead.hpp"

#include "backend/backend.hpp"            // engine_of
#include "backend/concurrent_work.hpp"    // each_concurrently
#include "programs/prepared_program.hpp"  // compile_transforms

namespace wingbeat {

void compile_ahead(const queue& on, std::span<const plan_spec> specs) {
  programs::compile_transforms(backend::engine_of(on.device().runs_on), on.impl(), specs);
}

void compile_ahead(const queue& on, std::span<const convolution_spec> specs) {
  backend::each_concurrently(specs.size(), [&](std::size_t i) {
    const convolution planned{on, specs[i]};
  });
}

}  // namespace wingbeat
