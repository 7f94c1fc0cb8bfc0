// SPDX-License-Identifier: Apache-2.0
// Graphs of the CUDA driver, as a user's program makes them.
#pragma once

#include <dlfcn.h>  // dlopen

#include <type_traits>  // remove_reference_t

namespace wingbeat::test {

/// The few driver functions that a user of graphs calls.
struct graphs {
  int (*create_stream)(void**, unsigned);
  int (*begin)(void*, int mode);
  int (*end)(void*, void** graph);
  int (*instantiate)(void** runnable, void* graph, unsigned long long flags);
  int (*launch)(void* runnable, void* stream);
  int (*synchronize)(void* stream);
  int (*retain)(void** context, int device);
  int (*make_current)(void* context);

  static graphs opened() {
    void* const lib = dlopen("libcuda.so.1", RTLD_NOW);
    graphs found{};
    const auto bind = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(lib, name));
    };
    bind(found.create_stream, "cuStreamCreate");
    bind(found.begin, "cuStreamBeginCapture_v2");
    bind(found.end, "cuStreamEndCapture");
    bind(found.instantiate, "cuGraphInstantiateWithFlags");
    bind(found.launch, "cuGraphLaunch");
    bind(found.synchronize, "cuStreamSynchronize");
    bind(found.retain, "cuDevicePrimaryCtxRetain");
    bind(found.make_current, "cuCtxSetCurrent");
    return found;
  }
};

}  // namespace wingbeat::test
