// SPDX-License-Identifier: Apache-2.0
// One OpenCL device with a profiling queue, for the peers that run on OpenCL.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "problem.hpp"  // refusal

namespace peers {

inline void check(cl_int status, const char* doing) {
  if (status == CL_SUCCESS) return;
  throw refusal(std::string{"OpenCL could not "} + doing + " (error " + std::to_string(status) +
                ")");
}

class opencl_device {
 public:
  using memory = cl_mem;

  opencl_device() = default;
  opencl_device(const opencl_device&) = delete;
  opencl_device& operator=(const opencl_device&) = delete;
  ~opencl_device() {
    if (queue != nullptr) clReleaseCommandQueue(queue);
    if (context != nullptr) clReleaseContext(context);
  }

  /// Opens the device with that name; among several, the one with that index.
  void open(int index, const std::string& name) {
    const auto found = devices();
    const auto has_name = [&](cl_device_id one) { return name_of(one) == name; };
    const auto position = static_cast<std::size_t>(index);
    if (position < found.size() && has_name(found[position])) id = found[position];
    for (std::size_t i = 0; i < found.size() && id == nullptr; ++i) {
      if (has_name(found[i])) id = found[i];
    }
    if (id == nullptr) throw refusal("no OpenCL device is called '" + name + "'");
    check(clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr), "ask");
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status);
    check(status, "make a context");
    queue = clCreateCommandQueue(context, id, CL_QUEUE_PROFILING_ENABLE, &status);
    check(status, "make a queue");
  }

  [[nodiscard]] memory allocate(std::size_t size_bytes) const {
    cl_int status = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size_bytes, nullptr, &status);
    check(status, "allocate memory");
    return buffer;
  }

  static void release(memory released) { clReleaseMemObject(released); }

  void write(memory to, std::size_t offset, const char* from, std::size_t size_bytes) const {
    check(clEnqueueWriteBuffer(queue, to, CL_TRUE, offset, size_bytes, from, 0, nullptr, nullptr),
          "write memory");
  }

  void read(memory from, std::size_t offset, char* to, std::size_t size_bytes) const {
    check(clEnqueueReadBuffer(queue, from, CL_TRUE, offset, size_bytes, to, 0, nullptr, nullptr),
          "read memory");
  }

  void copy(memory to, memory from, std::size_t size_bytes) const {
    check(clEnqueueCopyBuffer(queue, from, to, 0, 0, size_bytes, 0, nullptr, nullptr), "copy");
  }

  /// Returns once all that was queued has finished.
  void wait() const { check(clFinish(queue), "finish"); }

  /// Returns the device's seconds for all that `work` queues.
  template <class Work>
  double timed(const Work& work) const {
    const cl_event begin = mark();
    work();
    const cl_event end = mark();
    const double seconds = 1e-9 * (double(end_of(end)) - double(end_of(begin)));
    clReleaseEvent(begin);
    clReleaseEvent(end);
    return seconds;
  }

  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

 private:
  static std::string name_of(cl_device_id device) {
    char text[512] = "";
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, nullptr), "name a device");
    return text;
  }

  static std::vector<cl_device_id> devices() {
    cl_uint n = 0;
    check(clGetPlatformIDs(0, nullptr, &n), "count platforms");
    std::vector<cl_platform_id> platforms(n);
    check(clGetPlatformIDs(n, platforms.data(), nullptr), "list platforms");
    std::vector<cl_device_id> result;
    for (const cl_platform_id each : platforms) {
      constexpr cl_device_type type = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU;
      if (clGetDeviceIDs(each, type, 0, nullptr, &n) != CL_SUCCESS) continue;
      std::vector<cl_device_id> some(n);
      check(clGetDeviceIDs(each, type, n, some.data(), nullptr), "list devices");
      result.insert(result.end(), some.begin(), some.end());
    }
    return result;
  }

  [[nodiscard]] cl_event mark() const {
    cl_event event = nullptr;
    check(clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event), "mark the queue");
    return event;
  }

  static cl_ulong end_of(cl_event event) {
    check(clWaitForEvents(1, &event), "finish");
    cl_ulong ns = 0;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, nullptr),
          "tell the time");
    return ns;
  }
};

}  // namespace peers
