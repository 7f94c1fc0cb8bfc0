// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/nvrtc.hpp"

#include <algorithm>  // copy, sort
#include <array>
#include <charconv>  // from_chars
#include <cstring>   // memcpy
#include <type_traits>

#include "text/formatted.hpp"  // formatted, joined
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // device_error, plan_error, absent_error

namespace wingbeat::backend::cuda {
namespace {

constexpr result compilation_failed = 6;  // NVRTC_ERROR_COMPILATION: a fault of the text

void check(const nvrtc_api& nvrtc, result status, std::string_view doing) {
  if (status == success) return;
  throw device_error(formatted("NVRTC could not {}: {}", doing, nvrtc.error_text(status)));
}

/// Returns the options other than the target. `-v` prints the assembler's figures to the log.
std::vector<const char*> options_for(const nvrtc_api& nvrtc) {
  std::vector<const char*> options{"--std=c++17", "--fmad=true", "--ptxas-options=-v"};
  // From 12.9 on NVRTC has its own cache, which returns code without that log.
  int major = 0;
  int minor = 0;
  check(nvrtc, nvrtc.version(&major, &minor), "report its version");
  if (major > 12 || (major == 12 && minor >= 9)) options.push_back("--no-cache");
  return options;
}

/// An NVRTC program, destroyed at the end of the scope.
class program {
 public:
  program(const nvrtc_api& nvrtc, const kernel_source& source) : nvrtc_(nvrtc) {
    const auto name = source.entry + ".cu";
    const auto text = source.full_text();
    check(nvrtc_, nvrtc_.create(&handle_, text.c_str(), name.c_str(), 0, nullptr, nullptr),
          "read a kernel's text");
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() { nvrtc_.destroy(&handle_); }

  [[nodiscard]] result compile(const std::string& target) {
    const auto architecture = "--gpu-architecture=" + target;
    auto options = options_for(nvrtc_);
    options.push_back(architecture.c_str());
    return nvrtc_.compile(handle_, static_cast<int>(options.size()), options.data());
  }

  [[nodiscard]] std::string log() const {
    const auto bytes = fetch(nvrtc_.log_size, nvrtc_.log);
    const std::string text{bytes.begin(), bytes.end()};
    return text.substr(0, text.find('\0'));
  }
  [[nodiscard]] std::vector<char> cubin() const { return fetch(nvrtc_.cubin_size, nvrtc_.cubin); }
  [[nodiscard]] std::vector<char> ptx() const { return fetch(nvrtc_.ptx_size, nvrtc_.ptx); }

 private:
  std::vector<char> fetch(result (*size_of)(program_handle, std::size_t*),
                          result (*get)(program_handle, char*)) const {
    std::size_t size_bytes = 0;
    check(nvrtc_, size_of(handle_, &size_bytes), "report the size of its output");
    std::vector<char> bytes(size_bytes);
    check(nvrtc_, get(handle_, bytes.data()), "hand over its output");
    return bytes;
  }

  const nvrtc_api& nvrtc_;
  program_handle handle_ = nullptr;
};

/// Returns 90 for "sm_90" and "sm_90a".
int capability_of(std::string_view architecture) {
  constexpr std::string_view prefix = "sm_";
  int number = 0;
  if (architecture.starts_with(prefix)) {
    const auto digits = architecture.substr(prefix.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  if (number > 0) return number;
  reject("'{}' is no CUDA architecture; write one as in sm_90", architecture);
}

/// Returns the machine code to compile, or PTX of the nearest architecture for an older NVRTC.
std::string target_for(const nvrtc_api& nvrtc, std::string_view architecture) {
  const int wanted = capability_of(architecture);
  int n_known = 0;
  check(nvrtc, nvrtc.n_architectures(&n_known), "count its architectures");
  std::vector<int> known(static_cast<std::size_t>(n_known));
  check(nvrtc, nvrtc.architectures(known.data()), "list its architectures");
  std::sort(known.begin(), known.end());

  int nearest = 0;
  for (const int candidate : known) {
    if (candidate == wanted) return std::string{architecture};
    if (candidate < wanted) nearest = candidate;
  }
  if (nearest != 0) return formatted("compute_{}", nearest);
  throw device_error(
      formatted("NVRTC {} compiles for sm_{} and later, not for {}; install an earlier NVRTC",
                version_of(nvrtc), known.empty() ? 0 : known.front(), architecture));
}

bool is_machine_code(std::string_view target) {
  return target.starts_with("sm_");
}

/// The header of a cache entry, before the target's name and the binary.
struct packed_head {
  std::array<char, 8> magic{'w', 'b', 'c', 'u', 'd', 'a', '0', '1'};
  std::uint64_t target_bytes = 0;
  std::uint64_t binary_bytes = 0;
  ptxas_figures figures;
};
static_assert(std::is_trivially_copyable_v<packed_head>, "a cache entry is copied byte by byte");

}  // namespace

compile_report compile_for(const nvrtc_api& nvrtc, const kernel_source& source,
                           std::string_view architecture) {
  compile_report report;
  report.target = target_for(nvrtc, architecture);
  program text{nvrtc, source};
  const result compiled = text.compile(report.target);
  const auto log = text.log();
  if (compiled != success) {
    const auto sentence =
        formatted("NVRTC {} could not compile the kernel '{}' for {}: {}\n{}", version_of(nvrtc),
                  source.entry, report.target, nvrtc.error_text(compiled), log);
    if (compiled == compilation_failed) throw compile_error(sentence);
    throw device_error(sentence);
  }
  if (is_machine_code(report.target)) {
    report.figures = read_ptxas_log(log, source.entry);
    report.binary = text.cubin();
  } else {
    report.binary = text.ptx();
  }
  return report;
}

compile_report compile_for(const kernel_source& source, std::string_view architecture) {
  const auto& found = process_nvrtc();
  if (!found.problem.empty()) {
    throw absent_error(formatted("kernels cannot be compiled without NVRTC: {}", found.problem));
  }
  return compile_for(found.api, source, architecture);
}

std::string version_of(const nvrtc_api& nvrtc) {
  int major = 0;
  int minor = 0;
  check(nvrtc, nvrtc.version(&major, &minor), "report its version");
  return formatted("{}.{}", major, minor);
}

kernel_key key_of(const nvrtc_api& nvrtc, const kernel_source& source,
                  std::string_view architecture, std::string_view driver) {
  // The figures beside the binary belong to one entry point, so its name is in the key.
  return {.source = source.key_text(),
          .options = formatted("{} --gpu-architecture={} entry={}", joined(options_for(nvrtc), " "),
                               target_for(nvrtc, architecture), source.entry),
          .compiler = "nvrtc " + version_of(nvrtc),
          .driver = std::string{driver},
          .architecture = std::string{architecture}};
}

std::vector<char> packed(const compile_report& report) {
  packed_head head;
  head.target_bytes = report.target.size();
  head.binary_bytes = report.binary.size();
  head.figures = report.figures;
  std::vector<char> bytes(sizeof head + report.target.size() + report.binary.size());
  std::memcpy(bytes.data(), &head, sizeof head);
  const auto behind =
      std::copy(report.target.begin(), report.target.end(), bytes.begin() + sizeof head);
  std::copy(report.binary.begin(), report.binary.end(), behind);
  return bytes;
}

std::optional<compile_report> unpacked(const std::vector<char>& bytes) {
  packed_head head;
  const auto magic = head.magic;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t rest = bytes.size() - sizeof head;
  if (head.magic != magic || head.target_bytes > rest || head.binary_bytes == 0 ||
      head.binary_bytes != rest - head.target_bytes) {
    return std::nullopt;
  }
  const auto target = bytes.begin() + sizeof head;
  const auto binary = target + static_cast<std::ptrdiff_t>(head.target_bytes);
  return compile_report{{target, binary}, head.figures, {binary, bytes.end()}};
}

}  // namespace wingbeat::backend::cuda
