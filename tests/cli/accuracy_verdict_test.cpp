// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 600
// The verdict of `bench` on transforms of several axes: healthy ones pass on every engine, damaged
// ones fail, however little of a transform is damaged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>  // copy_n
#include <cstring>    // memcpy
#include <functional>
#include <string>
#include <vector>

#include "cli/sweep.hpp"         // problems_of
#include "request/resolved.hpp"  // output_array
#include "support/full_run.hpp"  // cases_on
#include "verify/judge.hpp"      // judge
#include "wingbeat/buffer.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using namespace wingbeat::verify;
using bytes = std::vector<std::byte>;

struct request {
  std::string lengths, kind = "c2c", precision = "fp32";
  std::size_t batch = 3;
};

std::string name_of(const request& r) {
  return fmt::format("{} {} {} batch {}", r.lengths, r.kind, r.precision, r.batch);
}

plan_spec spec_of(const request& r, const device_info& device) {
  return problems_of(
             {.lengths = r.lengths, .kind = r.kind, .precision = r.precision, .batch = r.batch},
             device)
      .front();
}

/// Returns the output of the noise that the bench takes.
bytes output_of(const device_info& device, const plan_spec& spec, const bytes& block) {
  queue on{device};
  const plan planned{on, spec};
  buffer in{on, input_bytes(spec)}, out{on, output_bytes(spec)};
  bytes input(in.size_bytes()), output(out.size_bytes());
  reader_of(block)(0, input);
  in.write(input.data(), input.size());
  planned.enqueue(on, in.view(), out.view());
  out.read(output.data(), output.size());
  return output;
}

agreement verdict_on(const plan_spec& spec, const bytes& block, const bytes& output) {
  return judge{{spec, reader_of(block), spec.real}, check_extent::few}(reader_of(output));
}

const std::vector<std::string> kinds{"c2c", "c2c-inverse", "r2c", "c2r"};

void expect_healthy(const device_info& device, const request& r) {
  const plan_spec spec = spec_of(r, device);
  const bytes block = noise_block(spec);
  const agreement found = verdict_on(spec, block, output_of(device, spec, block));
  EXPECT_TRUE(found.is_within) << name_of(r) << ": relative L2 " << found.relative_l2 << " of "
                               << found.relative_l2_bound << ", largest error "
                               << found.largest_error / found.largest_value;
}

TEST(verdict, passes_healthy_transforms_of_the_host) {
  const device_info host = first_device(engine::host);
  for (const std::string lengths :
       {"2x2", "2x64", "64x2", "2x128", "128x2", "256x2", "1024x2", "16x16", "128x128", "2x1024",
        "2x2x2", "2x64x2", "64x2x2", "2x2x64", "64x4x2", "4x4x8", "2x128x16", "32x2x64"}) {
    for (const auto& kind : kinds) {
      for (const std::string precision : {"fp32", "fp64", "fp16", "bf16"}) {
        for (const std::size_t batch : {1, 2, 97}) {
          expect_healthy(host, {lengths, kind, precision, batch});
        }
      }
    }
  }
}

TEST(verdict, passes_healthy_transforms_of_the_reference) {
  const device_info reference = first_device(engine::reference);
  for (const std::string lengths : {"128x2", "2x64", "2x64x2", "16x16", "4x2x32"}) {
    for (const auto& kind : kinds) {
      for (const std::string precision : {"fp32", "fp64", "fp16", "bf16"}) {
        expect_healthy(reference, {lengths, kind, precision, 5});
      }
    }
  }
}

TEST(verdict, passes_healthy_transforms_of_compiled_engines) {
  for (const device_info& device : devices()) {
    if (device.runs_on == engine::host || device.runs_on == engine::reference) continue;
    for (const auto& lengths : test::cases_on<std::string>(
             device.runs_on, {"2x64x2"}, {"128x2", "2x128", "64x4x2", "256x64"})) {
      for (const auto& kind : kinds) expect_healthy(device, {lengths, kind, "fp32", 33});
    }
    for (const auto& precision :
         test::cases_on<std::string>(device.runs_on, {"fp16"}, {"fp64", "bf16"})) {
      expect_healthy(device, {"128x2", "c2r", precision, 33});
      expect_healthy(device, {"2x64x2", "c2c", precision, 33});
    }
  }
}

TEST(verdict, passes_healthy_transforms_of_which_it_sees_a_sample) {
  const device_info host = first_device(engine::host);
  for (const std::string lengths : {"2048x1024", "2^17x8", "2x2^20", "128x128x128"}) {
    for (const auto& kind : kinds) expect_healthy(host, {lengths, kind, "fp32", 1});
  }
}

/// Of long primes it sees an element of each transform, whose own size says little.
TEST(verdict, passes_healthy_transforms_of_long_primes) {
  const device_info host = first_device(engine::host);
  for (const std::string length : {"1048583", "1048589", "1048601"}) {
    for (const auto& kind : {"c2c", "r2c", "c2r"}) expect_healthy(host, {length, kind, "fp32", 1});
  }
  expect_healthy(host, {"1048589", "c2c", "fp64", 2});
  expect_healthy(host, {"1048601", "dct2", "fp32", 1});
}

/// A packed output whose elements can be spoilt.
struct spoilt_output {
  arrays::array out;
  bytes memory;

  [[nodiscard]] std::size_t unit() const { return out.unit_bytes(); }
  [[nodiscard]] std::size_t points() const { return out.batches.front().distance; }

  /// Puts element `from` of transform `t` in the place of element `to`.
  void copy(std::size_t t, std::size_t to, std::size_t from, const bytes& source) {
    std::memcpy(memory.data() + (t * points() + to) * unit(),
                source.data() + (t * points() + from) * unit(), unit());
  }
};

using damage = std::function<void(spoilt_output&, const bytes& healthy)>;

/// Exchanges neighbours along axis `a` in the last of its lines of transform t: a wrong line.
damage wrong_line(std::size_t t, std::size_t a) {
  return [t, a](spoilt_output& o, const bytes& healthy) {
    const std::size_t stride = o.out.axes[a].stride, n = o.out.axes[a].length;
    const std::size_t last = o.points() - 1 - (n - 1) * stride;
    for (std::size_t i = 0; i < n; ++i) {
      o.copy(t, last + i * stride, last + (i + 1) % n * stride, healthy);
    }
  };
}

/// Puts the transform before t in its place.
damage wrong_transform(std::size_t t) {
  return [t](spoilt_output& o, const bytes& healthy) {
    const std::size_t bytes_each = o.points() * o.unit();
    std::copy_n(healthy.data() + (t - 1) * bytes_each, bytes_each,
                o.memory.data() + t * bytes_each);
  };
}

/// Exchanges the first two axes, equally long, of every transform.
void swapped_axes(spoilt_output& o, const bytes& healthy) {
  const std::size_t n = o.out.axes[0].length;
  const std::size_t s0 = o.out.axes[0].stride, s1 = o.out.axes[1].stride;
  for (std::size_t t = 0; t < o.out.batches.front().count; ++t) {
    for (std::size_t i = 0; i < o.points(); ++i) {
      const std::size_t k0 = i / s0 % n, k1 = i / s1 % n;
      o.copy(t, i, i - k0 * s0 - k1 * s1 + k1 * s0 + k0 * s1, healthy);
    }
  }
}

void expect_wrong(const request& r, const std::string& name, const damage& spoil) {
  const device_info host = first_device(engine::host);
  const plan_spec spec = spec_of(r, host);
  const bytes block = noise_block(spec), healthy = output_of(host, spec, block);
  spoilt_output o{wingbeat::request::output_array(spec), healthy};
  spoil(o, healthy);
  ASSERT_TRUE(verdict_on(spec, block, healthy).is_within) << name_of(r);
  EXPECT_FALSE(verdict_on(spec, block, o.memory).is_within) << name_of(r) << ": " << name;
}

TEST(verdict, fails_a_transform_with_a_single_wrong_line) {
  for (const auto& kind : kinds) {
    for (const std::string precision : {"fp32", "fp64", "fp16", "bf16"}) {
      for (const std::string lengths : {"128x4", "32x16", "8x16x4", "16x4x64"}) {
        const request r{lengths, kind, precision, 3};
        const std::size_t n_axes = lengths.find('x') == lengths.rfind('x') ? 2 : 3;
        for (std::size_t a = 0; a < n_axes; ++a) {
          for (const std::size_t t : {0, 1, 2}) {
            expect_wrong(r, fmt::format("line along axis {} of {}", a, t), wrong_line(t, a));
          }
        }
      }
    }
  }
}

TEST(verdict, fails_a_wrong_transform_of_the_batch_and_swapped_axes) {
  for (const auto& kind : kinds) {
    for (const std::string lengths : {"128x2", "2x128", "2x64x2"}) {
      for (const std::size_t batch : {3, 64}) {
        expect_wrong({lengths, kind, "fp32", batch}, "transform", wrong_transform(batch - 1));
        expect_wrong({lengths, kind, "fp32", batch}, "transform", wrong_transform((batch - 1) / 2));
      }
    }
    expect_wrong({"16x16x2", kind, "fp32", 3}, "swapped axes", swapped_axes);
    if (kind != "r2c") expect_wrong({"16x16", kind}, "swapped axes", swapped_axes);
  }
}

TEST(verdict, fails_a_single_wrong_element) {
  for (const std::size_t t : {0, 1, 2}) {
    for (const std::size_t i : {0, 1, 17, 255}) {
      expect_wrong({"128x2"}, "element", [&](spoilt_output& o, const bytes& healthy) {
        o.copy(t, i, (i + 1) % 256, healthy);
      });
    }
  }
}

TEST(verdict, fails_a_wrong_transform_of_a_long_prime) {
  for (const auto& kind : {"c2c", "r2c", "c2r"}) {
    expect_wrong({"1048583", kind, "fp32", 1}, "line", wrong_line(0, 0));
  }
}

TEST(verdict, fails_swapped_axes_of_which_it_sees_a_sample) {
  expect_wrong({"2048x2048", "c2c", "fp32", 1}, "swapped axes", swapped_axes);
  expect_wrong({"128x128x128", "r2c", "fp32", 1}, "swapped axes", swapped_axes);
}

}  // namespace
