// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Functors that weigh elements by their numbers, on ranks and on one device.
#include "distributing/part_functors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributing/ranks.hpp"  // difference, fill_numbers, parts_of, whole_of
#include "support/on_engine.hpp"   // on_engine, all_engines, engine_name
#include "support/refusal.hpp"     // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using complex = std::complex<float>;

/// Of images of 6 x 10. A rank has [row][y][x] from a row on, x from an index on.
struct place {
  std::size_t row, y, x;      ///< Where its part begins,
  std::size_t height, width;  ///< and how many it has.

  [[nodiscard]] std::size_t of(std::size_t at_row, std::size_t i) const {
    return ((at_row - row) * height + i / 10 - y) * width + i % 10 - x;
  }
  [[nodiscard]] std::vector<kernel_argument> arguments() const {
    return {row, y, x, height, width};
  }
  static place from(const host_arguments& given) {
    const auto value = [&](std::size_t i) { return given.value<std::size_t>(i); };
    return {value(0), value(1), value(2), value(3), value(4)};
  }
};

float weight_of(std::size_t row, std::size_t i) {
  return static_cast<float>(1 + (row * 3 + i) % 7);
}

constexpr const char* text = R"(
#include "wingbeat/device/complex.hpp"
struct weighs {
  using size = wingbeat::device::size;
  using element = wingbeat::device::complex<float>;
  struct operands { size row, y, x, height, width; };
  WINGBEAT_FN static size place(operands given, size row, size i) {
    return ((row - given.row) * given.height + i / 10 - given.y) * given.width + i % 10 - given.x;
  }
  WINGBEAT_FN static float weight(size row, size i) { return float(1 + (row * 3 + i) % 7); }
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                  size i) {
    const size at = place(given, row, i);
    return element{in[at].re * weight(row, i), in[at].im * weight(row, i)};
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, operands given, size row, size i,
                                element z) {
    const size at = place(given, row, i);
    out[at].re = z.re * weight(row, i);
    out[at].im = z.im * weight(row, i);
  }
};
)";

plan_spec weighed(std::size_t batch, transform kind) {
  plan_spec spec{.lengths = {6, 10}, .batch = batch, .kind = kind};
  spec.load.in_bytes = spec.store.out_bytes = batch * 60 * sizeof(complex);
  spec.load.element_bytes = spec.store.element_bytes = sizeof(complex);
  spec.load.source = spec.store.source = {.text = text, .type = "weighs"};
  spec.load.operands.assign(5, kernel_parameter::value<std::size_t>());
  spec.store.operands = spec.load.operands;
  spec.load.callable =
      operand_reader<complex>([](const void* in, const host_arguments& given, std::size_t row,
                                 std::size_t first, std::span<complex> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = static_cast<const complex*>(in)[place::from(given).of(row, first + i)] *
                      weight_of(row, first + i);
        }
      });
  spec.store.callable =
      operand_writer<complex>([](void* out, const host_arguments& given, std::size_t row,
                                 std::size_t first, std::span<const complex> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          static_cast<complex*>(out)[place::from(given).of(row, first + i)] =
              values[i] * weight_of(row, first + i);
        }
      });
  return spec;
}

place place_of(const box& part) {
  return {part.lower[0], part.lower[1], part.lower[2], part.length(1), part.length(2)};
}

class part_functors_on : public on_engine {
 protected:
  /// Returns how far weighed transforms on ranks are from those of one device.
  [[nodiscard]] double difference_on(std::size_t n_ranks, const plan_spec& spec) const {
    queue own = *on;
    std::vector<std::byte> in(spec.load.in_bytes), expected(spec.store.out_bytes);
    fill_numbers(in, spec.real);
    buffer alone_in{own, in.size()};
    const buffer alone_out{own, expected.size()};
    alone_in.write(in.data(), in.size());
    const std::vector<kernel_argument> whole = place{0, 0, 0, 6, 10}.arguments();
    plan{own, spec}.enqueue(own, alone_in.view(), alone_out.view(), {whole, whole, {}});
    alone_out.read(expected.data(), expected.size());

    const domain ranks = domain::of_devices(std::vector<device_info>(n_ranks, on->device()));
    distributed_plan cut{ranks, {spec, {}, false}};
    const auto given = distributing::parts_of(cut.in_boxes(), in);
    std::vector<buffer> memory;
    std::vector<buffer_view> in_views, out_views;
    std::vector<run_operands> operands;
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      EXPECT_EQ(cut.in_bytes(rank), given[rank].size());
      memory.emplace_back(own, given[rank].size() + sizeof(complex));
      if (!given[rank].empty()) memory.back().write(given[rank].data(), given[rank].size());
      in_views.push_back(memory.back().view());
      out_views.push_back(memory.emplace_back(own, cut.out_bytes(rank) + sizeof(complex)).view());
      operands.push_back({place_of(cut.in_boxes()[rank]).arguments(),
                          place_of(cut.out_boxes()[rank]).arguments(),
                          {}});
    }
    for (int repeat = 0; repeat < 2; ++repeat) cut.enqueue(in_views, out_views, operands);
    ranks.wait();
    std::vector<std::vector<std::byte>> results;
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      auto& bytes = results.emplace_back(cut.out_bytes(rank));
      if (!bytes.empty()) memory[2 * rank + 1].read(bytes.data(), bytes.size());
    }
    return difference<float>(distributing::whole_of(cut.out_boxes(), results), expected);
  }
};

TEST_P(part_functors_on, are_given_the_numbers_of_the_whole_array) {
  EXPECT_LT(difference_on(2, weighed(1, transform::forward)), 1e-6) << "cut along axes";
  if (leaves_out()) return;
  EXPECT_LT(difference_on(3, weighed(2, transform::forward)), 1e-6) << "of a batch";
  EXPECT_LT(difference_on(2, weighed(1, transform::inverse)), 1e-6);
  EXPECT_LT(difference_on(2, weighed(5, transform::forward)), 1e-6) << "whole transforms";
}

TEST_P(part_functors_on, are_refused_where_elements_are_moved_once_more) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const domain ranks = domain::of_devices({on->device(), on->device()});
  const auto refused = [&](const distributed_spec& spec) {
    return refusal([&] { (void)distributed_plan(ranks, spec); });
  };
  const plan_spec spec = weighed(1, transform::forward);
  EXPECT_THAT(refused({spec, bin_distribution::natural, false}),
              HasSubstr("choose bin_distribution"));
  EXPECT_THAT(refused({spec, {}, false, slabs({1, 6, 10}, 2, 2)}), HasSubstr("boxes were given"));
  plan_spec adds = spec;
  adds.store.clears_output = true;
  EXPECT_THAT(refused({adds, {}, false}), HasSubstr("it stores every element"));
}

INSTANTIATE_TEST_SUITE_P(engines, part_functors_on, all_engines(), engine_name);

}  // namespace
