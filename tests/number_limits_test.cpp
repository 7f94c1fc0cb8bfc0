// SPDX-License-Identifier: Apache-2.0
// Every number of every request, set to the ends of its type and to where products overflow: the
// request is refused in words, or memory is, or the object has the bytes that exact arithmetic
// gives. Sanitizers see what the arithmetic of validation does meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>  // SIZE_MAX

#include "support/memory.hpp"       // filled
#include "support/number_ends.hpp"  // number_ends
#include "support/refusal.hpp"      // refusal
#include "wingbeat/wingbeat.hpp"
#include "wingbeat/workgroup_fft.hpp"

namespace {

using namespace wingbeat;
using namespace test;
using ::testing::HasSubstr;

/// Exact below 2^64, and above it never equal to a count of bytes.
long double product_of(const std::vector<std::size_t>& counts) {
  long double product = 1;
  for (const std::size_t count : counts) product *= static_cast<long double>(count);
  return product;
}

/// Runs `check`, which may be refused.
template <class Check>
void accepted_or_refused(std::size_t number, Check check) {
  SCOPED_TRACE(::testing::Message() << "number " << number);
  try {
    check();
  } catch (const plan_error& refused) {
    EXPECT_NE(std::string{refused.what()}, "");
  } catch (const device_error& refused) {
    EXPECT_NE(std::string{refused.what()}, "");
  }
}

/// Checks requests in which one of the numbers that `fields` returns has each of the ends.
template <class Spec, class Fields, class Check>
void check_all(const Spec& plain, Fields fields, Check check) {
  const std::size_t n_fields = fields(const_cast<Spec&>(plain)).size();
  for (std::size_t i = 0; i < n_fields; ++i) {
    SCOPED_TRACE(::testing::Message() << "field " << i);
    for (const std::size_t number : number_ends) {
      Spec spec = plain;
      *fields(spec)[i] = number;
      accepted_or_refused(number, [&] { check(spec); });
    }
  }
}

class number_limits : public ::testing::Test {
 protected:
  queue on{first_device(engine::host)};
};

/// Returns the bytes from the first element to the last one.
long double extent_of(const memory_layout& layout, const std::vector<index_range>& valid,
                      std::size_t count, std::size_t unit_bytes) {
  long double last =
      static_cast<long double>(layout.imaginary_at) + product_of({count - 1, layout.distances[0]});
  for (std::size_t a = 0; a < layout.strides.size(); ++a) {
    last += product_of({valid[a].end - 1 - layout.origin[a], layout.strides[a]});
  }
  return (last + 1) * static_cast<long double>(unit_bytes);
}

TEST_F(number_limits, plans_have_the_bytes_of_their_layouts) {
  const memory_layout packed{.strides = {8, 1}, .distances = {32}, .origin = {0, 0}};
  const std::vector<index_range> whole{{0, 4}, {0, 8}};
  for (const bool is_planar : {false, true}) {
    plan_spec plain{.lengths = {4, 8}, .batch = {2}, .valid_in = whole, .valid_out = whole};
    plain.in = plain.out = packed;
    if (is_planar) plain.in.imaginary_at = plain.out.imaginary_at = 64;
    const auto check = [&](const plan_spec& spec) {
      const plan planned{on, spec};
      const std::size_t count = spec.batch.counts()[0];
      const auto unit_bytes = [](const memory_layout& layout) {
        return layout.imaginary_at == 0 ? sizeof(std::complex<float>) : sizeof(float);
      };
      const auto bytes = [](std::size_t n) { return static_cast<long double>(n); };
      EXPECT_EQ(bytes(input_bytes(spec)),
                extent_of(spec.in, spec.valid_in, count, unit_bytes(spec.in)));
      EXPECT_EQ(bytes(output_bytes(spec)),
                extent_of(spec.out, spec.valid_out, count, unit_bytes(spec.out)));
    };
    check(plain);
    const auto fields = [](plan_spec& spec) {
      std::vector<std::size_t*> result{&spec.lengths[0], &spec.lengths[1]};
      for (memory_layout* layout : {&spec.in, &spec.out}) {
        for (std::size_t& each : layout->strides) result.push_back(&each);
        for (std::size_t& each : layout->origin) result.push_back(&each);
        result.insert(result.end(), {&layout->distances[0], &layout->imaginary_at});
      }
      for (auto* ranges : {&spec.valid_in, &spec.valid_out}) {
        for (index_range& each : *ranges) result.insert(result.end(), {&each.first, &each.end});
      }
      return result;
    };
    check_all(plain, fields, check);
    for (const std::size_t count : number_ends) {
      plan_spec spec = plain;
      spec.batch = {count};
      accepted_or_refused(count, [&] { check(spec); });
    }
  }
}

TEST_F(number_limits, functors_state_bytes_of_the_address_space) {
  const host_load ones = run_reader<std::complex<float>>{
      [](const void*, std::size_t, std::size_t, std::span<std::complex<float>>) {}};
  const host_store nothing = run_writer<std::complex<float>>{
      [](void*, std::size_t, std::size_t, std::span<const std::complex<float>>) {}};
  const plan_spec plain{
      .lengths = {16},
      .load = {.in_bytes = 128, .element_bytes = 8, .callable = ones, .moved_bytes = 128},
      .store = {.out_bytes = 128, .element_bytes = 8, .callable = nothing, .moved_bytes = 128}};
  const auto check = [&](const plan_spec& spec) {
    const plan planned{on, spec};
    EXPECT_EQ(static_cast<long double>(planned.traffic_bytes()),
              static_cast<long double>(spec.load.moved_bytes == 0 ? spec.load.in_bytes
                                                                  : spec.load.moved_bytes) +
                  static_cast<long double>(spec.store.moved_bytes == 0 ? spec.store.out_bytes
                                                                       : spec.store.moved_bytes));
  };
  check(plain);
  check_all(
      plain,
      [](plan_spec& spec) {
        return std::vector{&spec.load.in_bytes,       &spec.load.element_bytes,
                           &spec.load.moved_bytes,    &spec.store.out_bytes,
                           &spec.store.element_bytes, &spec.store.moved_bytes,
                           &spec.store.partial_bytes, &spec.store.row_outputs};
      },
      check);
}

TEST_F(number_limits, convolutions_have_the_bytes_of_their_signals) {
  const auto check = [&](const convolution_spec& spec) {
    const convolution planned{on, spec};
    const std::size_t n_pairs_of_image = spec.pairs == pairing::pairwise ? 1 : spec.kernels;
    const std::size_t bytes = spec.holds == values::real ? 4 : 8;
    EXPECT_EQ(static_cast<long double>(planned.image_bytes()),
              product_of(spec.image) * product_of({spec.images, bytes}));
    EXPECT_EQ(static_cast<long double>(planned.kernel_bytes()),
              product_of(spec.kernel) * product_of({spec.kernels, bytes}));
    EXPECT_EQ(static_cast<long double>(planned.output_bytes()),
              product_of(planned.result()) * product_of({spec.images, n_pairs_of_image, bytes}));
    EXPECT_GE(static_cast<long double>(planned.spectra_bytes()),
              product_of({spec.prepared == operand_role::image ? spec.images : spec.kernels, 8}));
  };
  const auto fields = [](convolution_spec& spec) {
    std::vector<std::size_t*> result{&spec.images, &spec.kernels, &spec.block};
    for (auto* lengths : {&spec.image, &spec.kernel}) {
      for (std::size_t& each : *lengths) result.push_back(&each);
    }
    return result;
  };
  for (const operand_role prepared : {operand_role::image, operand_role::kernel}) {
    const convolution_spec plain{.image = {3}, .kernel = {2}, .prepared = prepared};
    check(plain);
    check_all(plain, fields, check);
    convolution_spec volume{
        .image = {3, 4, 5}, .kernel = {2, 2, 3}, .holds = values::complex, .prepared = prepared};
    check_all(volume, fields, check);
    for (const std::size_t number : number_ends) {
      volume.images = volume.kernels = number;
      volume.pairs = pairing::pairwise;
      accepted_or_refused(number, [&] { check(volume); });
    }
  }
  EXPECT_THAT(
      refusal([&] {
        convolution{on, {.image = {3}, .kernel = {2}, .kernels = (std::size_t{1} << 61) + 1}};
      }),
      HasSubstr("1 images of 3 and 2305843009213693953 kernels of 2 have results beyond the "
                "address space; choose fewer or smaller ones"));
}

TEST_F(number_limits, searches_are_refused_before_their_axes_are_padded) {
  const auto check = [&](const search_spec& spec) {
    const template_search planned{on, spec};
    EXPECT_EQ(planned.result()[0], spec.image[0] + 1 - spec.templates[0]);
    EXPECT_EQ(planned.result()[1], spec.image[1] + 1 - spec.templates[1]);
    EXPECT_GT(planned.traffic_bytes(), 0u);
  };
  for (const bool is_normalised : {false, true}) {
    const search_spec plain{.image = {4, 6}, .templates = {2, 2}, .is_normalised = is_normalised};
    check(plain);
    check_all(
        plain,
        [](search_spec& spec) {
          return std::vector{&spec.image[0], &spec.image[1], &spec.templates[0], &spec.templates[1],
                             &spec.templates_at_once};
        },
        check);
    accepted_or_refused(SIZE_MAX, [&] {
      check({.image = {SIZE_MAX, SIZE_MAX}, .templates = {SIZE_MAX, SIZE_MAX}});
    });
  }
}

TEST_F(number_limits, searches_add_no_more_templates_than_their_memory_holds) {
  template_search search{on, {.image = {4, 6}, .templates = {2, 2}}};
  const buffer image = test::filled(on, std::vector<float>(24)),
               templates{on, 2 * 2 * sizeof(float)};
  search.begin(on, image.view());
  for (const std::size_t count : number_ends) {
    if (count == 1) continue;
    EXPECT_NE(refusal([&] { search.add(on, templates.view(), count); }), test::nothing_refused);
  }
  for (const std::size_t number : number_ends) {
    accepted_or_refused(number, [&] {
      EXPECT_LE(search.peaks(on, number, -1, 1).size(), 15u);
      EXPECT_LE(search.peaks(on, 15, -1, number).size(), 15u);
      static_cast<void>(peaks_of({1.0F, 2.0F}, {0, 0}, number, 2, 0, 1));
    });
  }
}

TEST_F(number_limits, image_convolutions_have_the_bytes_of_their_pixels) {
  const auto check = [&](const image_convolution_spec& spec) {
    const image_convolution planned{on, spec};
    const std::size_t bytes = spec.stored == precision::fp16 ? 2 : 4;
    EXPECT_EQ(static_cast<long double>(planned.image_bytes()),
              product_of({spec.height, spec.width, spec.channels, bytes}));
    EXPECT_EQ(static_cast<long double>(planned.output_bytes()),
              product_of(planned.result()) * product_of({spec.channels, bytes}));
    EXPECT_EQ(static_cast<long double>(planned.kernel_bytes()),
              product_of({spec.kernel_height, spec.kernel_width, spec.kernel_channels, 4}));
  };
  for (const border outside : {border::zero, border::mirror}) {
    const image_convolution_spec plain{
        .height = 6, .width = 8, .kernel_height = 3, .kernel_width = 3, .outside = outside};
    check(plain);
    check_all(
        plain,
        [](image_convolution_spec& spec) {
          return std::vector{&spec.height,        &spec.width,        &spec.channels,
                             &spec.kernel_height, &spec.kernel_width, &spec.kernel_channels};
        },
        check);
  }
  constexpr std::size_t long_axis = (std::size_t{1} << 28) - 2;
  EXPECT_THAT(
      refusal([&] {
        image_convolution{
            on, {.height = long_axis, .width = long_axis, .kernel_height = 1, .kernel_width = 1}};
      }),
      HasSubstr("beyond the address space"));
}

TEST_F(number_limits, filters_give_no_fewer_outputs_at_once_than_asked) {
  const std::vector<float> taps{1, 2, 3};
  for (const std::size_t min_step : number_ends) {
    accepted_or_refused(min_step, [&] {
      const stream_filter filter{on, taps, min_step};
      EXPECT_GE(filter.step(), min_step);
    });
  }
  EXPECT_THAT(refusal([&] {
                stream_filter{on, taps, SIZE_MAX};
              }),
              HasSubstr("min_step is 18446744073709551615; with 3 taps, give at most 268"));
}

TEST_F(number_limits, memory_is_refused_or_is_there) {
  for (const engine runs_on : {engine::host, engine::reference}) {
    const queue host{first_device(runs_on)};
    for (const std::size_t size_bytes : {std::size_t{1} << 63, SIZE_MAX - 63, SIZE_MAX}) {
      EXPECT_THROW((buffer{host, size_bytes}), device_error) << size_bytes;
      EXPECT_THROW((pinned_memory{host, size_bytes}), device_error) << size_bytes;
    }
  }
  buffer memory{on, 8};
  float value = 0;
  for (const std::size_t number : number_ends) {
    if (number < 2) continue;
    EXPECT_THROW(memory.write(&value, number, 8), plan_error);
    EXPECT_THROW(memory.read(&value, 4, number), plan_error);
  }
}

TEST_F(number_limits, workgroups_have_no_more_threads_than_the_device) {
  constexpr unsigned limits[] = {0, 1, 2, 1u << 16, 1u << 31, ~0u};
  for (const unsigned number : limits) {
    for (const unsigned other : limits) {
      for (const workgroup_fft& shape :
           {workgroup_fft{.length = number, .elements_per_thread = other},
            workgroup_fft{.length = number, .elements_per_thread = 2, .transforms = other},
            workgroup_fft{.length = 64, .elements_per_thread = number, .transforms = other},
            workgroup_fft{.length = 64,
            .elements_per_thread = 4,
            .transforms = number,
            .bank_bytes = other}}) {
        accepted_or_refused(number, [&] {
          shape.validate();
          EXPECT_LE(product_of({shape.length / shape.elements_per_thread, shape.transforms}), 1024);
        });
      }
      static_cast<void>(refusal([&] {
        static_cast<void>(workgroup_fft::advised(number, scalar::fp32, {other, other, other}));
      }));
    }
    static_cast<void>(refusal([&] { static_cast<void>(good_length(number)); }));
  }
}

}  // namespace
