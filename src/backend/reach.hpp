// SPDX-License-Identifier: Apache-2.0
// Whether kernels of one device write to memory of another.
#pragma once

namespace wingbeat::backend {

class queue;

/// Lets kernels of `on` write to memory that `other` allocates, and returns whether they can: in
/// one context, in this process, or on cuda with peer access. Throws `device_error`.
[[nodiscard]] bool reaches(const queue& on, const queue& other);

/// Same for two queues of cuda.
[[nodiscard]] bool cuda_reaches(const queue& on, const queue& other);

}  // namespace wingbeat::backend
