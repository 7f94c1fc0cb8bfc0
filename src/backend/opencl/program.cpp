// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/program.hpp"

#include <algorithm>  // min
#include <optional>
#include <utility>  // move
#include <vector>

#include "backend/compilation.hpp"  // compilation
#include "text/formatted.hpp"       // formatted
#include "wingbeat/error.hpp"       // device_error

namespace wingbeat::backend::opencl {
namespace {

using bytes = std::vector<char>;

// The build options of each driver.
const char* build_options(route takes) {
  switch (takes) {
    case route::source: return "-cl-std=CLC++2021";
    case route::bitcode: return "-x spir -spir-std=1.2";
    case route::spirv: return "";
  }
  return "";
}

const char* name_of(route takes) {
  switch (takes) {
    case route::source: return "source";
    case route::bitcode: return "bitcode";
    case route::spirv: return "spirv";
  }
  return "";
}

// The key of the device's machine code, valid for this driver and this device only.
kernel_key binary_key(const device& on, const kernel_source& source) {
  return {.source = source.key_text(),
          .options = formatted("{}: {}; {}", name_of(on.takes), toolchain::options(),
                               build_options(on.takes)),
          .compiler = on.takes == route::source ? "" : on.tools->version(),
          .driver = on.driver,
          .architecture = on.info.architecture + "; " + on.info.name};
}

// Returns clang's output, which is independent of driver and device.
bytes portable_code_of(const device& on, const kernel_source& source, kernel_cache& cache) {
  const kernel_key key{.source = source.key_text(),
                       .options = formatted("{}: {}", name_of(on.takes), toolchain::options()),
                       .compiler = on.tools->version(),
                       .driver = "",
                       .architecture = "spir64"};
  if (auto known = cache.find(key)) return std::move(*known);
  const kernel_cache::turn turn{cache, key};
  if (turn.has_waited()) {
    if (auto known = cache.find(key)) return std::move(*known);
  }
  const compilation running;
  bytes code = on.tools->bitcode_of(source.full_text());
  if (on.takes == route::spirv) code = on.tools->spirv_of(code);
  cache.store(key, code);
  return code;
}

class builder {
 public:
  builder(const driver_api& api, const device& device, context_handle context,
          const kernel_source& source, kernel_cache& cache, std::optional<bytes> code)
      : api_(api),
        device_(device),
        context_(context),
        source_(source),
        cache_(cache),
        code_(std::move(code)) {}

  owned<program_handle> build() {
    if (device_.is_pocl) return build_afresh();
    const kernel_key key = binary_key(device_, source_);
    if (const auto known = cache_.find(key)) {
      if (auto program = loaded(*known)) return std::move(*program);
    }
    auto program = build_afresh();
    if (const bytes binary = binary_of(program.get()); !binary.empty()) cache_.store(key, binary);
    return program;
  }

 private:
  bytes portable_code() {
    return code_ ? std::move(*code_) : portable_code_of(device_, source_, cache_);
  }

  owned<program_handle> build_afresh() {
    const compilation running;
    auto program = unbuilt();
    const status built = run_build(program.get(), build_options(device_.takes));
    if (built == success) return program;
    const auto sentence = formatted("OpenCL device {} could not compile a kernel: {}\n{}",
                                    device_.info.name, describe(built), log_of(program.get()));
    if (built == build_program_failure) throw compile_error(sentence);
    throw device_error(sentence);
  }

  owned<program_handle> unbuilt() {
    if (device_.takes == route::bitcode) return from_binary(portable_code());
    status created = success;
    program_handle created_program = nullptr;
    if (device_.takes == route::source) {
      const std::string text = source_.full_text();
      const char* begin = text.c_str();
      const std::size_t size_bytes = text.size();
      created_program = api_.program_with_source(context_, 1, &begin, &size_bytes, &created);
    } else {
      const bytes code = portable_code();
      created_program = api_.program_with_il(context_, code.data(), code.size(), &created);
    }
    owned<program_handle> program{created_program, api_.release_program};
    check(created, "take a kernel");
    return program;
  }

  owned<program_handle> from_binary(const bytes& code) const {
    const auto* data = reinterpret_cast<const unsigned char*>(code.data());
    const std::size_t size_bytes = code.size();
    status each = success, created = success;
    owned<program_handle> program{
        api_.program_with_binary(context_, 1, &device_.id, &size_bytes, &data, &each, &created),
        api_.release_program};
    check(created, "take a compiled kernel");
    check(each, "take a compiled kernel");
    return program;
  }

  // An updated driver may refuse its own older binary; the kernel is then compiled again.
  std::optional<owned<program_handle>> loaded(const bytes& binary) const {
    try {
      auto program = from_binary(binary);
      if (run_build(program.get(), "") == success) return program;
    } catch (const device_error&) {
      // Likewise: the kernel is compiled again.
    }
    return std::nullopt;
  }

  status run_build(program_handle program, const char* options) const {
    return api_.build_program(program, 1, &device_.id, options, nullptr, nullptr);
  }

  // Empty if the driver does not return it; then nothing is cached.
  bytes binary_of(program_handle program) const {
    std::size_t size_bytes = 0;
    const status sized =
        api_.program_info(program, program_binary_sizes, sizeof size_bytes, &size_bytes, nullptr);
    if (sized != success || size_bytes == 0) return {};
    bytes binary(size_bytes);
    auto* target = reinterpret_cast<unsigned char*>(binary.data());
    const status copied =
        api_.program_info(program, program_binaries, sizeof target, &target, nullptr);
    return copied == success ? binary : bytes{};
  }

  std::string log_of(program_handle program) const {
    std::size_t size_bytes = 0;
    if (api_.build_info(program, device_.id, build_log, 0, nullptr, &size_bytes) != success) {
      return "";
    }
    std::string log(size_bytes, '\0');
    api_.build_info(program, device_.id, build_log, log.size(), log.data(), nullptr);
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
  }

  const driver_api& api_;
  const device& device_;
  context_handle context_;
  const kernel_source& source_;
  kernel_cache& cache_;
  std::optional<bytes> code_;
};

}  // namespace

std::optional<bytes> translated(const device& device, const kernel_source& source,
                                kernel_cache& cache) {
  if (device.takes == route::source) return std::nullopt;
  if (!device.is_pocl && cache.find(binary_key(device, source))) return std::nullopt;
  return portable_code_of(device, source, cache);
}

owned<program_handle> build_program(const driver_api& api, const device& device,
                                    context_handle context, const kernel_source& source,
                                    kernel_cache& cache, std::optional<bytes> code) {
  return builder{api, device, context, source, cache, std::move(code)}.build();
}

}  // namespace wingbeat::backend::opencl
