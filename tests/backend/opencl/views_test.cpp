// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Memory of one OpenCL context on an adopted queue of another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/opencl/here.hpp"  // opencl_here
#include "backend/opencl/queue.hpp"
#include "support/refusal.hpp"  // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
namespace opencl = backend::opencl;

class opencl_views : public opencl_here {
 protected:
  /// Returns a queue of wingbeat's on a native one in a context of its own.
  [[nodiscard]] wingbeat::queue adopted() const {
    const opencl::driver_api& api = opened.api;
    const auto id = dynamic_cast<opencl::queue&>(*queue).driver_device().id;
    opencl::status status = 0;
    const opencl::owned<opencl::context_handle> context{
        api.create_context(nullptr, 1, &id, nullptr, nullptr, &status), api.release_context};
    const opencl::owned<opencl::queue_handle> native{
        api.create_queue(context.get(), id, 0, &status), api.release_queue};
    return wingbeat::queue::from_opencl_queue(native.get());
  }
};

TEST_F(opencl_views, are_of_the_queues_context) {
  wingbeat::queue own{first_device(engine::opencl)}, theirs = adopted();
  const buffer own_memory{own, 512}, their_memory{theirs, 512};
  const plan of_own{own, {.lengths = {64}}}, of_theirs{theirs, {.lengths = {64}}};
  const auto run = [](const plan& planned, wingbeat::queue& on, buffer_view in, buffer_view out) {
    return refusal([&] {
      planned.enqueue(on, in, out);
      on.wait();
    });
  };
  const auto sentence = HasSubstr("was allocated in another opencl context than the queue's; give");
  EXPECT_EQ(run(of_own, own, own_memory.view(), own_memory.view()), nothing_refused);
  EXPECT_EQ(run(of_theirs, theirs, their_memory.view(), their_memory.view()), nothing_refused);
  EXPECT_THAT(run(of_theirs, theirs, own_memory.view(), their_memory.view()), sentence);
  EXPECT_THAT(run(of_theirs, theirs, their_memory.view(), own_memory.view()), sentence);
  EXPECT_THAT(run(of_own, own, their_memory.view(), own_memory.view()), sentence);
}

}  // namespace
