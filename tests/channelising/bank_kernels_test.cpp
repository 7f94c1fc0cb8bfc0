// SPDX-License-Identifier: Apache-2.0
// Timeout: 600
// Filter banks in one launch, those of complex samples, and histograms of samples, compiled for
// three architectures without a GPU: registers spill nothing, or little.
#include <gtest/gtest.h>

#include <cstdio>  // printf

#include "backend/argument_list.hpp"              // source_of
#include "backend/cuda/nvrtc.hpp"                 // process_nvrtc, compile_for
#include "backend/kernel.hpp"                     // kernel_source
#include "channelising/banks/bank_programs.hpp"   // fused_bank, row_filter, row_finish
#include "channelising/banks/tiles.hpp"           // numbers_of, tiles_of
#include "channelising/stream/level_counter.hpp"  // histogram_kernel, histogram_for
#include "programs/catalogue.hpp"                 // sample_device
#include "support/full_run.hpp"                   // sampled
#include "tuning/tuning.hpp"                      // for_device

namespace {

using namespace wingbeat;

backend::cuda::ptxas_figures figures_of(const kernel_spec& kernel, const std::string& device) {
  return backend::cuda::compile_for(backend::source_of(kernel), device).figures;
}

/// Of a program of one kernel.
backend::cuda::ptxas_figures figures_of(const programs::program& launched,
                                        const std::string& device) {
  EXPECT_EQ(launched.steps.size(), 1U);
  return figures_of(launched.steps.front().kernel()->kernel, device);
}

backend::cuda::ptxas_figures figures_of(const channeliser_spec& spec, const std::string& device) {
  const auto tiles = channelising::tiles_of(spec, programs::sample_device(device));
  EXPECT_TRUE(tiles) << spec.channels;
  return figures_of(channelising::fused_bank(*tiles, spec, {}), device);
}

/// Returns the bytes that these channels may spill: few, of few counts, and where windows have more
/// taps than a thread holds weights.
int spill_of(std::size_t channels, const std::string& device, std::size_t taps = 16) {
  if (taps > 16) return 68;
  return device == "sm_100" ? 4 : channels == 240 ? 40 : 8;
}

class bank_kernels : public ::testing::TestWithParam<std::string> {};

TEST_P(bank_kernels, compile_with_few_spills) {
  const auto& found = backend::cuda::process_nvrtc();
  if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  for (const std::size_t channels : test::sampled<std::size_t>({1024}, {64, 256})) {
    for (const std::size_t taps : test::sampled<std::size_t>({16}, {20})) {
      const auto figures = figures_of(
          {.adc_rate_hz = 1e9, .channels = channels, .taps = taps, .spectra_per_heap = 256},
          GetParam());
      std::printf("%s, %zu channels, %zu taps: %d registers, %d bytes spilled\n",
                  GetParam().c_str(), channels, taps, figures.registers, figures.spill_bytes);
      EXPECT_LE(figures.spill_bytes, spill_of(channels, GetParam(), taps))
          << channels << " channels, " << taps << " taps";
    }
  }
}

TEST_P(bank_kernels, of_other_counts_spill_nothing_or_little) {
  const auto& found = backend::cuda::process_nvrtc();
  if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  for (const std::size_t channels :
       test::sampled<std::size_t>({96, 240}, {360, 480, 600, 768, 960})) {
    const auto figures =
        figures_of({.adc_rate_hz = 1e9, .channels = channels, .spectra_per_heap = 256}, GetParam());
    std::printf("%s, %zu channels: %d registers, %d bytes spilled\n", GetParam().c_str(), channels,
                figures.registers, figures.spill_bytes);
    EXPECT_LE(figures.spill_bytes, spill_of(channels, GetParam())) << channels << " channels";
  }
}

/// Of three launches those around the plan.
void expect_no_spills(const channeliser_spec& spec, const std::string& device) {
  EXPECT_FALSE(channelising::tiles_of(spec, programs::sample_device(device))) << spec.channels;
  const auto& rules = tuning::for_device(programs::sample_device(device)).banks;
  EXPECT_EQ(channelising::numbers_of(spec).parts, spec.complex_samples ? 2U : 1U);
  EXPECT_EQ(figures_of(channelising::row_filter(spec, {}, rules), device).spill_bytes, 0)
      << spec.channels;
  EXPECT_EQ(figures_of(channelising::row_finish(spec), device).spill_bytes, 0) << spec.channels;
}

// Of complex samples the transform between these two is a plan.
TEST_P(bank_kernels, filter_and_finish_complex_samples_without_spills) {
  const auto& found = backend::cuda::process_nvrtc();
  if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  for (const std::size_t channels : test::sampled<std::size_t>({1001}, {1024})) {
    expect_no_spills({.adc_rate_hz = 1e9,
                      .channels = channels,
                      .sample_bits = 8,
                      .complex_samples = true,
                      .spectra_per_heap = 256},
                     GetParam());
  }
}

// Rows of 27 channels begin at any bit of a word.
TEST_P(bank_kernels, filter_and_finish_in_launches_of_their_own_without_spills) {
  const auto& found = backend::cuda::process_nvrtc();
  if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  for (const std::size_t channels : test::sampled<std::size_t>({27}, {1000, 1200, 1536, 6000})) {
    expect_no_spills({.adc_rate_hz = 1e9, .channels = channels, .spectra_per_heap = 256},
                     GetParam());
  }
}

TEST_P(bank_kernels, count_samples_without_spills) {
  const auto& found = backend::cuda::process_nvrtc();
  if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  for (const unsigned bits : test::sampled<unsigned>({10}, {2, 8, 12, 16})) {
    const auto numbers = channelising::histogram_for(bits, programs::sample_device(GetParam()));
    EXPECT_GE(numbers.threads, 128U);
    const auto figures = figures_of(channelising::histogram_kernel(numbers), GetParam());
    std::printf("%s, %u bits: %d registers, %d bytes spilled\n", GetParam().c_str(), bits,
                figures.registers, figures.spill_bytes);
    EXPECT_EQ(figures.spill_bytes, 0) << bits << " bits";
    // Four workgroups of 256 threads fit a multiprocessor, and wait for memory in turn.
    EXPECT_LE(figures.registers, 64) << bits << " bits";
  }
}

INSTANTIATE_TEST_SUITE_P(architectures, bank_kernels, ::testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& of) { return of.param; });

}  // namespace
