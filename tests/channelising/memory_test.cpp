// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// The memory that a channeliser is said to take bounds what this process takes for one, and is not
// much more. Each channeliser runs in a process of its own, whose resident memory is read.
#include "channelising/memory.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>  // waitpid
#include <unistd.h>    // _exit, fork, pipe

#include <cstdint>  // uintptr_t
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "channelising/spec.hpp"  // parts_of
#include "support/on_engine.hpp"  // engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// What the C++ library keeps for later, and stacks of threads.
constexpr std::size_t library_bytes = std::size_t{1} << 20;

/// Returns VmRSS or VmHWM of this process.
std::size_t status_bytes(const std::string& name) {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == name + ":" && status >> kib) return kib * 1024;
  }
  return 0;
}

/// Reads a byte of each page of the program and its libraries, because a process that was forked
/// has none of them, and code which few samples do not reach would count as memory.
void read_code() {
  constexpr std::uintptr_t page_bytes = 4096;
  std::ifstream maps{"/proc/self/maps"};
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words{line};  // 7f00-7f80 r-xp 00000000 08:01 1234 /lib/libc.so.6
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string rights;
    words >> std::hex >> begin >> dash >> end >> rights;
    const bool is_of_file = line.find(" /") != std::string::npos;
    if (!is_of_file || !rights.starts_with("r-")) continue;
    for (; begin < end; begin += page_bytes) {
      static_cast<void>(*reinterpret_cast<const volatile char*>(begin));
    }
  }
}

/// Returns by how much `work`, which follows `before_work`, makes the peak of the resident memory
/// grow, in a process of its own; 0 where it failed, or the system does not tell.
std::size_t peak_growth(const std::function<void()>& before_work,
                        const std::function<void()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t grown = 0;
    try {
      ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // huge pages round up
      before_work();
      read_code();
      std::ofstream{"/proc/self/clear_refs"} << "5";  // VmHWM begins at VmRSS again
      const std::size_t before = status_bytes("VmHWM");
      work();
      grown = before == 0 ? 0 : status_bytes("VmHWM") - before;
    } catch (...) {
      grown = 0;
    }
    const bool is_told = ::write(ends[1], &grown, sizeof grown) == sizeof grown;
    ::_exit(is_told ? 0 : 1);
  }
  ::close(ends[1]);
  std::size_t grown = 0;
  const bool is_told = ::read(ends[0], &grown, sizeof grown) == sizeof grown;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return is_told ? grown : 0;
}

struct measured_case {
  const char* name;
  channeliser_spec spec;
  std::size_t kept_samples = 0;
};

std::vector<measured_case> cases() {
  std::vector<measured_case> result;
  for (const std::size_t channels : {64, 1024, 8192}) {
    result.push_back(
        {"wideband", {.adc_rate_hz = 1e9, .channels = channels, .spectra_per_heap = 64}});
  }
  result.push_back(
      {"large heaps", {.adc_rate_hz = 1e9, .channels = 1024, .spectra_per_heap = 1024}});
  result.push_back(
      {"many spectra", {.adc_rate_hz = 1e9, .channels = 64, .spectra_per_heap = 16384}});
  result.push_back(
      {"one polarisation",
       {.adc_rate_hz = 1e9, .channels = 256, .polarisations = 1, .spectra_per_heap = 256},
       std::size_t{1} << 20});
  result.push_back(
      {"fp32",
       {.adc_rate_hz = 1e9, .channels = 256, .spectra_per_heap = 1024, .output = heap_sample::fp32},
       std::size_t{1} << 19});
  result.push_back({"narrowband",
                    {.adc_rate_hz = 1e9,
                     .channels = 1024,
                     .spectra_per_heap = 64,
                     .narrowband = narrowband_spec{.centre_hz = 2e8, .decimation = 8}}});
  result.push_back(
      {"complex samples",
       {.adc_rate_hz = 1e9, .channels = 1024, .complex_samples = true, .spectra_per_heap = 64},
       std::size_t{1} << 19});
  for (measured_case& each : result) {
    each.spec.dither = dither_kind::none;
    each.spec.taps = 4;
  }
  return result;
}

/// Tables of a spec, which the bound leaves out: weights, roots and filter taps, float and double.
std::size_t table_bytes(const channeliser_spec& spec) {
  const channeliser_sizes sizes = sizes_of(spec);
  return 2 * (spec.taps + 2) * sizes.transform * sizeof(double) +
         4 * sizes.filter_taps * sizeof(double);
}

class channeliser_memory : public ::testing::TestWithParam<engine> {};

TEST_P(channeliser_memory, is_within_its_bound) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  constexpr std::size_t n_samples = std::size_t{1} << 22, packet_samples = 4096;
  const std::vector<std::byte> samples(2 * n_samples / 8 * 10, std::byte{0x5a});
  // Of every second packet no heap is made, and the reference, which is slow, fills its stores.
  std::vector<bool> every_second(n_samples / packet_samples);
  for (std::size_t i = 0; i < every_second.size(); i += 2) every_second[i] = true;
  for (const measured_case& each : cases()) {
    const std::size_t bound = channelising::memory_bytes(each.spec, each.kept_samples, GetParam());
    const auto channelise = [&](std::size_t count, std::size_t n_more) {
      queue on{first_device(GetParam())};
      channeliser bank{on, each.spec, 0, each.kept_samples};
      const auto drop = [](const channelised_heap&) {};
      channeliser::samples next{.count = count, .packet_samples = packet_samples};
      next.packed.assign(each.spec.polarisations,
                         std::span(samples).first(count / 8 * each.spec.sample_bits *
                                                  channelising::parts_of(each.spec)));
      bank.push(on, next, drop);
      next.present.assign(each.spec.polarisations, every_second);
      for (std::size_t i = 0; i < n_more; ++i) bank.push(on, next, drop);
      bank.finish(drop);
    };
    // A few samples first: an engine's threads and code are no channeliser's.
    const std::size_t grown =
        peak_growth([&] { channelise(4096, 0); }, [&] { channelise(n_samples, 3); });
    RecordProperty(each.name, std::to_string(grown));
    EXPECT_LE(grown, bound + library_bytes + table_bytes(each.spec)) << each.name;
    EXPECT_GE(2 * grown, bound) << each.name << ": a bound that says little";
  }
}

INSTANTIATE_TEST_SUITE_P(engines, channeliser_memory,
                         ::testing::Values(engine::reference, engine::host), test::engine_name);

}  // namespace
