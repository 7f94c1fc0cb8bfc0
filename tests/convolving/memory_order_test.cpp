// SPDX-License-Identifier: Apache-2.0
// Signals and results in other orders of memory: reversed or transposed by functors.
#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name
#include "support/signal.hpp"     // fill_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t height = 37, width = 50, h = 9, w = 6, n_templates = 3;
constexpr std::size_t map_height = height - h + 1, map_width = width - w + 1;

/// Where element i of a row of values lies.
struct order {
  std::string text;
  std::function<std::size_t(std::size_t)> place;
};

order reversed(std::size_t n) {
  return {std::to_string(n - 1) + " - i", [n](std::size_t i) { return n - 1 - i; }};
}
order transposed(std::size_t rows, std::size_t columns) {
  return {"i % " + std::to_string(columns) + " * " + std::to_string(rows) + " + i / " +
              std::to_string(columns),
          [=](std::size_t i) { return i % columns * rows + i / columns; }};
}

fused_load load_in(const order& order_) {
  return {.in_bytes = n_templates * h * w * sizeof(float),
          .element_bytes = sizeof(float),
          .source = {.text = "struct ordered { using element = float; using size = "
                             "wingbeat::device::size; static constexpr bool in_order = false;\n"
                             "WINGBEAT_FN static float load(WINGBEAT_GLOBAL const float* in, size "
                             "row, size i) { return in[row * " +
                             std::to_string(h * w) + " + " + order_.text + "]; } };",
                     .type = "ordered"},
          .callable =
              run_reader<float>{[place = order_.place](const void* in, std::size_t row,
                                                       std::size_t first, std::span<float> into) {
                const float* const source = static_cast<const float*>(in) + row * h * w;
                for (std::size_t i = 0; i < into.size(); ++i) into[i] = source[place(first + i)];
              }}};
}

fused_store store_in(const order& order_) {
  return {
      .out_bytes = n_templates * map_height * map_width * sizeof(float),
      .element_bytes = sizeof(float),
      .source = {.text = "struct ordered { using element = float; using size = "
                         "wingbeat::device::size;\n"
                         "WINGBEAT_FN static void store(WINGBEAT_GLOBAL float* out, size row, size "
                         "i, float value) { out[row * " +
                         std::to_string(map_height * map_width) + " + " + order_.text +
                         "] = value; } };",
                 .type = "ordered"},
      .callable =
          run_writer<float>{[place = order_.place](void* out, std::size_t row, std::size_t first,
                                                   std::span<const float> values) {
            float* const map = static_cast<float*>(out) + row * map_height * map_width;
            for (std::size_t i = 0; i < values.size(); ++i) map[place(first + i)] = values[i];
          }}};
}

std::vector<float> in_order(const std::vector<float>& x, std::size_t n, const order& order_) {
  std::vector<float> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i / n * n + order_.place(i % n)] = x[i];
  return result;
}

class memory_order : public test::on_engine {
 protected:
  void SetUp() override {
    on_engine::SetUp();
    if (IsSkipped()) return;
    test::fill_noise(image.data(), image.size(), 1);
    test::fill_noise(templates.data(), templates.size(), 2);
  }

  static convolution_spec plain() {
    return {.image = {height, width},
            .kernel = {h, w},
            .kind = operation::correlate,
            .mode = extent::valid,
            .kernels = n_templates};
  }

  [[nodiscard]] std::vector<float> run(const convolution_spec& spec, const std::vector<float>& t) {
    const convolution find{*on, spec};
    buffer in{*on, find.image_bytes()}, batch{*on, find.kernel_bytes()};
    const buffer spectra{*on, find.spectra_bytes()}, out{*on, find.output_bytes()};
    in.write(image.data(), in.size_bytes());
    batch.write(t.data(), batch.size_bytes());
    find.prepare(*on, in.view(), spectra.view());
    find.enqueue(*on, spectra.view(), batch.view(), out.view());
    std::vector<float> maps(n_templates * map_height * map_width);
    out.read(maps.data(), out.size_bytes());
    return maps;
  }

  static void expect_near(const std::vector<float>& maps, const std::vector<float>& expected) {
    ASSERT_EQ(maps.size(), expected.size());
    for (std::size_t i = 0; i < maps.size(); ++i) ASSERT_NEAR(maps[i], expected[i], 1e-5) << i;
  }

  std::vector<float> image = std::vector<float>(height * width);
  std::vector<float> templates = std::vector<float>(n_templates * h * w);
};

TEST_P(memory_order, a_correlation_is_a_convolution_with_templates_reversed_in_their_load) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  convolution_spec spec = plain();
  spec.kind = operation::convolve;
  spec.kernel_load = load_in(reversed(h * w));
  expect_near(run(spec, templates), run(plain(), templates));
}

TEST_P(memory_order, templates_may_be_handed_in_and_maps_out_transposed) {
  convolution_spec spec = plain();
  spec.kernel_load = load_in(transposed(h, w));
  const order columns = transposed(map_height, map_width);
  spec.store = store_in(columns);
  expect_near(run(spec, in_order(templates, h * w, transposed(h, w))),
              in_order(run(plain(), templates), map_height * map_width, columns));
}

INSTANTIATE_TEST_SUITE_P(engines, memory_order, test::all_engines(), test::engine_name);

}  // namespace
