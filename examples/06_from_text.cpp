// SPDX-License-Identifier: Apache-2.0
// The same kernels as text, compiled while the program runs: by NVRTC for an NVIDIA GPU, by an
// OpenCL driver for its device. The text includes wingbeat's headers from the library itself.
//     06_from_text DIRECTORY     DIRECTORY holds the kernels' files
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "kernels/jobs.hpp"
#include "wingbeat/kernel.hpp"  // kernel
#include "wingbeat/roots.hpp"   // roots_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// The kernel's file, and behind it an entry that calls its body.
std::string text_of(const std::string& folder, const std::string& name) {
  std::ifstream file{folder + "/" + name + ".hpp"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (text.empty()) throw file_error("cannot read " + folder + "/" + name + ".hpp");
  return text +
         "using namespace wingbeat::device;\n"
         "using body = example::" +
         name +
         ";\n"
         "static_assert(sizeof(body::in_type) + sizeof(body::out_type) > 0, \"complete types\");\n"
         "static_assert(sizeof(complex<float>) == 8, \"two adjacent reals\");\n"
         "WINGBEAT_KERNEL(body::fft::workgroup_threads)\n"
         "void entry(WINGBEAT_GLOBAL const body::in_type* in, WINGBEAT_GLOBAL body::out_type* "
         "out,\n"
         "           WINGBEAT_GLOBAL const complex<float>* roots, size in_first, size out_first,\n"
         "           size batch WINGBEAT_SCRATCH_PARAMETER) {\n"
         "  if (batch == 0) return;\n"
         "  body::run(group{}, in + in_first, out + out_first, roots, batch, WINGBEAT_SCRATCH);\n"
         "}\n";
}

template <class Value>
buffer filled(const queue& on, const std::vector<Value>& values) {
  buffer result{on, values.size() * sizeof(Value)};
  result.write(values.data(), result.size_bytes());
  return result;
}

int run_all(queue& on, const std::string& folder) {
  return example::check_all([&](auto body, const example::job& given) {
    using here = decltype(body);
    const kernel compiled{on,
                          {.text = text_of(folder, given.name),
                           .entry = "entry",
                           .threads = here::fft::workgroup_threads,
                           .scratch_bytes = here::fft::scratch_bytes,
                           .in_element_bytes = sizeof(typename here::in_type),
                           .out_element_bytes = sizeof(typename here::out_type)}};
    const buffer in = filled(on, given.in), roots = filled(on, roots_of<typename here::fft>());
    std::vector<float> result(given.expected.size());
    buffer out{on, result.size() * sizeof(float)};
    compiled.enqueue(on, given.workgroups, in.view(), out.view(), roots.view(), given.batch);
    out.read(result.data(), out.size_bytes());
    return result;
  });
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/kernels";
  int code = 77;  // CTest counts this as skipped: no device compiles kernels
  for (const device_info& device : devices()) {
    if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
    std::printf("%s\n", device.name.c_str());
    queue on{device};
    const int failures = run_all(on, folder);
    code = code == 77 ? failures : code | failures;
  }
  return code;
} catch (const error& failed) {
  std::fprintf(stderr, "%s\n", failed.what());
  return 1;
}
