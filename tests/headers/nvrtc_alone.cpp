// SPDX-License-Identifier: Apache-2.0
// nvrtc_alone INCLUDE_DIR: compiles each device header as the only include of a program, with
// NVRTC, which has no standard library to lean on. Exit code 77 where NVRTC is absent.
#include <dlfcn.h>

#include <algorithm>  // sort
#include <cstdio>     // printf
#include <filesystem>
#include <string>
#include <vector>

namespace {

/// The five functions of nvrtc.h this program calls; an nvrtcResult of 0 is success.
struct nvrtc {
  using program = void*;
  int (*create)(program*, const char* text, const char* name, int, const char* const*,
                const char* const*);
  int (*compile)(program, int n_options, const char* const* options);
  int (*log_size)(program, std::size_t*);
  int (*log)(program, char*);
  int (*destroy)(program*);
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool open(nvrtc& compiler) {
  for (const char* name :
       {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"}) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    return find(library, "nvrtcCreateProgram", compiler.create) &&
           find(library, "nvrtcCompileProgram", compiler.compile) &&
           find(library, "nvrtcGetProgramLogSize", compiler.log_size) &&
           find(library, "nvrtcGetProgramLog", compiler.log) &&
           find(library, "nvrtcDestroyProgram", compiler.destroy);
  }
  return false;
}

/// Returns whether `header` compiles alone; prints the compiler's log where it does not.
bool compiles(const nvrtc& compiler, const std::string& include, const std::string& header) {
  const std::string text = "#include \"" + header + "\"\n";
  const std::string include_option = "-I" + include;
  const char* const options[] = {"-std=c++17", "-arch=sm_90", include_option.c_str()};
  nvrtc::program program = nullptr;
  if (compiler.create(&program, text.c_str(), "alone.cu", 0, nullptr, nullptr) != 0) return false;
  const bool is_good = compiler.compile(program, std::size(options), options) == 0;
  if (!is_good) {
    std::size_t size = 0;
    compiler.log_size(program, &size);
    std::string log(size, '\0');
    compiler.log(program, log.data());
    std::fprintf(stderr, "FAILED: %s does not compile alone with NVRTC\n%s\n", header.c_str(),
                 log.c_str());
  }
  compiler.destroy(&program);
  return is_good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  nvrtc compiler{};
  if (!open(compiler)) {
    std::printf("SKIP: this machine has no NVRTC\n");
    return 77;
  }
  const std::filesystem::path include = argv[1];
  std::vector<std::string> headers;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(include / "wingbeat" / "device")) {
    if (entry.path().extension() != ".hpp") continue;
    headers.push_back(entry.path().lexically_relative(include).string());
  }
  std::sort(headers.begin(), headers.end());

  std::size_t n_good = 0;
  for (const auto& header : headers) n_good += compiles(compiler, include.string(), header);
  std::printf("NVRTC: %zu of %zu headers compile alone\n", n_good, headers.size());
  return n_good == headers.size() && !headers.empty() ? 0 : 1;
}
