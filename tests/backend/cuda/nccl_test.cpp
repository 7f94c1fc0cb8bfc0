// SPDX-License-Identifier: Apache-2.0
// NCCL itself needs GPUs: what is refused without one.
#include "backend/cuda/nccl.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "backend/nccl.hpp"     // nccl_problem
#include "support/refusal.hpp"  // refusal
#include "wingbeat/domain.hpp"  // domain

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(nccl, says_where_it_was_looked_for) {
  const std::array<std::string, 2> absent{"/nowhere/libnccl.so.2", "libnccl-of-nobody.so.2"};
  EXPECT_EQ(backend::cuda::open_nccl(absent).problem,
            "none of libnccl.so.2, libnccl-of-nobody.so.2 could be opened from /nowhere, the "
            "loader's path");
  const std::array<std::string, 1> another{"libc.so.6"};
  EXPECT_EQ(backend::cuda::open_nccl(another).problem,
            "libc.so.6 lacks ncclGetErrorString; install a later one");
}

TEST(nccl, is_of_cuda) {
  const queue host{first_device(engine::host)};
  EXPECT_EQ(backend::nccl_problem(*host.impl()), "NCCL is of cuda");
  EXPECT_THAT(refusal([&] { (void)domain::from_nccl(nullptr, host); }),
              HasSubstr("from_nccl was given a queue of host; give it one of cuda"));
}

}  // namespace
