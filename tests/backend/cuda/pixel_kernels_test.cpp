// SPDX-License-Identifier: Apache-2.0
// Timeout: 600
// The first and the last pass of an image convolution, compiled for three architectures without a
// GPU: no register may spill.
#include <gtest/gtest.h>

#include "backend/cuda/on_architecture.hpp"  // on_architecture
#include "convolving/image_request.hpp"      // planes_of
#include "convolving/renumbered.hpp"         // load_of_rows, store_of_rows
#include "support/full_run.hpp"              // sampled

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class pixel_kernels : public on_architecture {};

TEST_P(pixel_kernels, compile_without_spills) {
  for (const border outside :
       sampled<border>({border::mirror}, {border::zero, border::repeat, border::clamp})) {
    for (const precision stored : sampled<precision>({precision::fp16}, {precision::fp32})) {
      SCOPED_TRACE(std::string{name_of(outside)} + " " + std::string{name_of(stored)});
      const image_convolution_spec image{.height = 1080,
                                         .width = 1920,
                                         .channels = 4,
                                         .kernel_height = 256,
                                         .kernel_width = 256,
                                         .mode = extent::full,
                                         .outside = outside,
                                         .stored = stored};
      const convolution_spec planes = convolving::planes_of(image);
      const std::size_t rows = planes.image[0], columns = planes.image[1];
      plan_spec first{.lengths = {4096}, .batch = {3, rows}, .kind = transform::forward_from_real};
      first.valid_in = {{0, columns}};
      first.load = convolving::load_of_rows(planes.image_load, {rows, columns});
      expect_no_spills(first);
      const auto result = result_lengths(planes);
      plan_spec last{
          .lengths = {4096}, .batch = {3, result[0]}, .kind = transform::inverse_to_real};
      last.valid_out = {{255, 255 + result[1]}};
      last.store = convolving::store_of_rows(planes.store, {result[0], result[1]});
      expect_no_spills(last);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(architectures, pixel_kernels, architectures(), architecture_name);

}  // namespace
