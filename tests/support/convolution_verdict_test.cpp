// SPDX-License-Identifier: Apache-2.0
// The checker of convolutions: what is right passes, and each way to be wrong is caught. What
// pretends to be the convolution asked for is one for another request, or with a fault added.
#include "support/convolution_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>  // memcpy
#include <memory>   // make_shared
#include <utility>  // move

#include "wingbeat/error.hpp"  // plan_error
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

const convolution_spec plain{.image = {12, 17},
                             .kernel = {5, 4},
                             .kind = operation::correlate,
                             .mode = extent::same,
                             .images = 2,
                             .kernels = 3};

plan_verdict check(const convolution_spec& spec,
                   const convolution_maker& make = made_by_convolution) {
  queue on{first_device(engine::reference)};
  return verdict_of(on, {.spec = spec, .has_own_workspace = true, .shift = 1}, make);
}

/// Makes the convolution of another request in place of the one that is asked for.
template <class Change>
convolution_maker asking_for(Change change) {
  return [change](queue& on, convolution_spec spec) {
    change(spec);
    return made_by_convolution(on, spec);
  };
}

struct run_views {
  buffer_view spectra, signals, out, workspace;
};

/// Runs the request, then does something to the buffers.
template <class Fault>
convolution_maker followed_by(Fault fault) {
  return [fault](queue& on, const convolution_spec& spec) {
    planned_convolution planned = made_by_convolution(on, spec);
    planned.run = [fault, &on, run = std::move(planned.run)](buffer_view spectra,
                                                             buffer_view signals, buffer_view out,
                                                             buffer_view workspace) {
      run(spectra, signals, out, workspace);
      on.wait();
      fault(run_views{spectra, signals, out, workspace});
    };
    return planned;
  };
}

float* floats(buffer_view view) {
  return reinterpret_cast<float*>(static_cast<char*>(view.handle) + view.offset_bytes);
}

TEST(convolution_verdict, passes_what_is_right) {
  for (const values holds : {values::real, values::complex}) {
    for (const precision real : {precision::fp32, precision::fp64}) {
      for (const operand_role prepared : {operand_role::image, operand_role::kernel}) {
        convolution_spec spec = plain;
        spec.holds = holds;
        spec.real = real;
        spec.prepared = prepared;
        EXPECT_EQ(check(spec).why, "");
      }
    }
  }
}

/// Of 16x1x32 values within 32x2x64, where an eighth of the roundings would be a fourth too few.
TEST(convolution_verdict, knows_that_roundings_stay_out_of_the_padding_of_later_axes) {
  queue on{first_device(engine::host)};
  EXPECT_EQ(verdict_of(on, random_convolution(3294)).why, "");
}

TEST(convolution_verdict, catches_another_operation_and_pairs_that_changed_places) {
  const auto turned = asking_for([](convolution_spec& s) { s.kind = operation::convolve; });
  EXPECT_THAT(check(plain, turned).why, HasSubstr("was expected"));
  convolution_spec square = plain;
  square.images = 3;
  const auto swapped = asking_for([](convolution_spec& s) { s.pairs = pairing::pairwise; });
  EXPECT_EQ(check(square, swapped).is, plan_verdict::wrong);
}

TEST(convolution_verdict, catches_values_moved_by_one) {
  convolution_spec shifted = plain;
  shifted.image = shifted.kernel = {7, 7};
  shifted.mode = extent::full;
  EXPECT_EQ(check(shifted).is, plan_verdict::right);
  const auto moved = followed_by([](const run_views& views) {
    float* const out = floats(views.out);
    std::memmove(out, out + 1, 100 * sizeof(float));
  });
  EXPECT_THAT(check(shifted, moved).why, HasSubstr("was expected"));
}

TEST(convolution_verdict, catches_another_mode) {
  const auto wider = asking_for([](convolution_spec& s) { s.mode = extent::full; });
  EXPECT_EQ(check(plain, wider).is, plan_verdict::wrong);
}

TEST(convolution_verdict, catches_one_value_that_is_off) {
  const auto nudged = [](float factor) {
    return followed_by([factor](const run_views& views) { floats(views.out)[100] += factor; });
  };
  EXPECT_THAT(check(plain, nudged(1e-4F)).why, HasSubstr("pair 0: element 100 is"));
  EXPECT_EQ(check(plain, nudged(1e-7F)).why, "");  // a rounding error
}

TEST(convolution_verdict, catches_errors_too_small_for_any_one_value) {
  const auto spoilt = followed_by([](const run_views& views) {
    for (std::size_t i = 0; i < views.out.size_bytes / sizeof(float); ++i) {
      floats(views.out)[i] *= 1 + 3e-6F;
    }
  });
  EXPECT_THAT(check(plain, spoilt).why, HasSubstr("L2 error"));
}

TEST(convolution_verdict, catches_what_happens_to_other_memory) {
  const auto behind = followed_by(
      [](const run_views& views) { floats(views.out)[views.out.size_bytes / sizeof(float)] = 7; });
  EXPECT_THAT(check(plain, behind).why, HasSubstr("of the output"));
  const auto before = followed_by([](const run_views& views) { floats(views.out)[-1] = 7; });
  EXPECT_THAT(check(plain, before).why, HasSubstr("byte -4 of the output"));
  const auto signals = followed_by([](const run_views& views) { floats(views.signals)[5] = 7; });
  EXPECT_THAT(check(plain, signals).why, HasSubstr("byte 20 of the signals of the run"));
  const auto spectra = followed_by([](const run_views& views) { floats(views.spectra)[5] = 7; });
  EXPECT_THAT(check(plain, spectra).why, HasSubstr("changed the spectra"));
  const auto scratch = followed_by([](const run_views& views) {
    floats(views.workspace)[views.workspace.size_bytes / sizeof(float)] = 7;
  });
  EXPECT_THAT(check(plain, scratch).why, HasSubstr("of the workspace"));
}

TEST(convolution_verdict, catches_a_read_behind_the_signals) {
  const auto curious = followed_by([](const run_views& views) {
    const float beyond = floats(views.signals)[views.signals.size_bytes / sizeof(float)];
    floats(views.out)[3] += 0 * beyond;
  });
  EXPECT_THAT(check(plain, curious).why, HasSubstr("nan"));
}

TEST(convolution_verdict, catches_a_result_that_is_not_the_same_twice) {
  auto count = std::make_shared<int>(0);
  const auto fickle = followed_by([count](const run_views& views) {
    floats(views.out)[7] *= 1 + static_cast<float>(++*count) * 0x1p-23F;
  });
  EXPECT_THAT(check(plain, fickle).why, HasSubstr("different bits"));
}

TEST(convolution_verdict, catches_a_refusal) {
  const convolution_maker throwing = [](queue&, const convolution_spec&) -> planned_convolution {
    throw plan_error("the kernel is odd");
  };
  EXPECT_EQ(check(plain, throwing).why, "the kernel is odd");
  EXPECT_EQ(check(plain, throwing).is, plan_verdict::wrong);
}

}  // namespace
