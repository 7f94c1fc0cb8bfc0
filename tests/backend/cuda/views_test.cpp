// SPDX-License-Identifier: Apache-2.0
// Which memory a CUDA queue takes: its own device's and its own context's, on a fake driver.
#include "views/views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cuda/fake_driver.hpp"
#include "backend/cuda/queue.hpp"     // cuda::queue
#include "backend/reach.hpp"          // reaches
#include "backend/shared_memory.hpp"  // share, open_shared
#include "support/refusal.hpp"        // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

device_info gpu(int index) {
  device_info device;
  device.runs_on = engine::cuda;
  device.index = index;
  return device;
}

class cuda_views : public ::testing::Test {
 protected:
  cuda_views() { machine(/*fresh=*/true); }

  [[nodiscard]] cuda::queue queue_of(std::uintptr_t context, int index) const {
    return {driver_, handle_numbered<cuda::context_handle>(context), gpu(index)};
  }

  static std::string refusal_of(const backend::queue& owner, const backend::queue& on) {
    char byte = 0;
    const operand given{"input", {&byte, 0, 1, origin_of(owner)}, 1};
    return refusal([&] { require_memory(given, on); });
  }

  const cuda::driver_api driver_ = fake_driver();
};

TEST_F(cuda_views, are_of_the_queues_device_and_context) {
  const cuda::queue on = queue_of(100, 0), same = queue_of(100, 0), other = queue_of(101, 1),
                    adopted = queue_of(555, 0);
  EXPECT_EQ(refusal_of(same, on), nothing_refused);
  EXPECT_THAT(refusal_of(other, on),
              HasSubstr("the input is memory of cuda:1 and the queue is of cuda:0; give it"));
  EXPECT_THAT(refusal_of(on, adopted),
              HasSubstr("the input was allocated in another cuda context than the queue's"));
}

TEST_F(cuda_views, of_addresses_are_apart_whatever_their_handles) {
  char memory[64];
  const operand in{"input", {memory, 8, 32}, 32}, out{"output", {memory + 16, 16, 32}, 32};
  EXPECT_THAT(refusal([&] { require_apart(in, out, engine::cuda); }),
              HasSubstr("the output starts 24 bytes behind the start of the input"));
  EXPECT_EQ(refusal([&] { require_apart(in, out, engine::opencl); }), nothing_refused)
      << "handles of opencl are no addresses";
  EXPECT_TRUE(start_together(in.view, {memory + 8, 0, 1}, engine::cuda));
  EXPECT_FALSE(start_together(in.view, {memory + 8, 0, 1}, engine::opencl));
}

TEST_F(cuda_views, of_another_device_are_reached_with_peer_access) {
  const cuda::queue on = queue_of(100, 0), same = queue_of(100, 0), other = queue_of(101, 1);
  EXPECT_TRUE(backend::reaches(on, same));
  EXPECT_TRUE(machine().peers.empty()) << "one context needs none";
  EXPECT_TRUE(backend::reaches(on, other));
  EXPECT_TRUE(backend::reaches(on, other)) << "enabled already";
  ASSERT_EQ(machine().peers.size(), 1U);
  EXPECT_EQ(machine().peers[0], std::pair(on.context(), other.context()));
  constexpr cuda::result no_peer_access = 217;
  machine().peer_status = no_peer_access;
  EXPECT_FALSE(backend::reaches(other, on));
}

TEST_F(cuda_views, of_another_process_are_opened_and_closed) {
  const auto on =
      std::make_shared<cuda::queue>(driver_, handle_numbered<cuda::context_handle>(100), gpu(0));
  void* const memory = on->allocate(64);
  const std::string shared = backend::share(*on, memory);
  ASSERT_EQ(shared.size(), 64U);
  std::shared_ptr<void> opened = backend::open_shared(on, shared);
  EXPECT_EQ(opened.get(), memory);
  EXPECT_EQ(machine().n_opened, 1);
  opened.reset();
  EXPECT_EQ(machine().n_opened, 0);
  EXPECT_EQ(backend::open_shared(on, "of a host"), nullptr);
  machine().peer_status = 1;
  EXPECT_EQ(backend::open_shared(on, shared), nullptr) << "the driver refuses";
  on->release(memory);
}

}  // namespace
