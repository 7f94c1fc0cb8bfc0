// SPDX-License-Identifier: Apache-2.0
// Tables of roots: as long as `pass_numbers` states and, at the offsets and by the formulas that
// kernels read them with, exp(-2 pi i e / M).
#include "planner/roots.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // min
#include <complex>
#include <limits>  // numeric_limits
#include <set>
#include <string>

#include "planner/devices.hpp"                     // hopper, ampere, opencl
#include "programs/catalogue.hpp"                  // every_request, mixed_requests
#include "wingbeat/device/twiddle.hpp"             // root_tables, rows, row_exponent
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule
#include "wingbeat/roots.hpp"                      // root

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using device::grid::twiddle_row;
using device::twiddle::root_tables;
using device::workgroup::schedule;
using namespace planner;

/// Reads a pass's table as its kernel does.
template <class Real>
class table_reader {
 public:
  explicit table_reader(const pass_numbers& numbers) : table_(table_of<Real>(numbers)) {}

  [[nodiscard]] std::size_t size() const { return table_.size(); }

  /// Roots of a transform's stages: [row][k] of each stage with a prior length.
  void expect_stages(std::size_t offset, std::size_t length, unsigned elements_per_thread) const {
    const schedule stages{device::order::natural, static_cast<unsigned>(length),
                          elements_per_thread};
    for (unsigned stage = 0; stage < stages.count(); ++stage) {
      const std::size_t prior = stages.place_value(stage), radix = stages.radix(stage);
      if (prior == 1) continue;
      for (unsigned row = 0; row < device::twiddle::rows(stages.radix(stage)); ++row) {
        const std::size_t e = device::twiddle::row_exponent(row);
        for (const std::size_t k : samples(prior)) {
          expect(table_.at(offset + stages.table_offset(stage) + row * prior + k), e * k,
                 prior * radix);
        }
      }
    }
  }

  /// One row of roots for each exponent of a stage of radix E, w^(e k) of order P E, k < P.
  void expect_rows(std::size_t offset, unsigned radix, std::size_t prior,
                   root_tables row_tables) const {
    for (unsigned row = 0; row < device::twiddle::rows(radix); ++row) {
      const std::size_t e = device::twiddle::row_exponent(row);
      for (const std::size_t k : samples(prior)) {
        expect(read(offset + row * row_tables.entries(), row_tables, k), e * k, prior * radix);
      }
    }
  }

  /// All roots of order m.
  void expect_all(std::size_t offset, std::size_t m) const {
    for (const std::size_t e : samples(m)) expect(read(offset, root_tables{m}, e), e, m);
  }

  /// The first `count` roots of order m, one by one.
  void expect_first(std::size_t offset, std::size_t count, std::size_t m) const {
    for (std::size_t e = 0; e < count; ++e) expect(table_.at(offset + e), e, m);
  }

 private:
  using number = std::complex<long double>;

  /// As `device::twiddle::roots` reads.
  [[nodiscard]] number read(std::size_t offset, root_tables tables, std::size_t e) const {
    if (tables.is_direct()) return table_.at(offset + e);
    const std::size_t fine = tables.fine_length();
    return number{table_.at(offset + e % fine)} * number{table_.at(offset + fine + e / fine)};
  }

  /// The first indices, the last, and some between.
  static std::set<std::size_t> samples(std::size_t count) {
    std::set<std::size_t> sampled;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 5); ++i) {
      sampled.insert(i);
      sampled.insert(count - 1 - i);
    }
    for (std::size_t i = 1; i < count; i = 3 * i + 1) sampled.insert(i);
    return sampled;
  }

  /// A root rounded once is off by up to eps / (2 sqrt 2), a product of two by twice as much.
  static void expect(number w, std::size_t e, std::size_t m) {
    EXPECT_LE(std::abs(w - root(e, m)), 0.75L * std::numeric_limits<Real>::epsilon())
        << "root " << e << " of order " << m;
  }

  std::vector<std::complex<Real>> table_;
};

template <class Real>
void check(const pass_numbers& numbers) {
  const table_reader<Real> table{numbers};
  const tile_shape& shape = numbers.shape;
  ASSERT_EQ(table.size(), numbers.table_entries());
  const unsigned e = shape.elements_per_thread;
  std::size_t end = 0;  // of what was read, at its documented place
  if (shape.is_cluster()) {
    const auto cluster = shape.as_cluster();
    table.expect_stages(0, shape.first, e);
    table.expect_stages(cluster.second_roots_at(), shape.second, e);
    end = cluster.twiddles_at();
    if (shape.makes == body::line) {
      table.expect_rows(end, e, shape.second, {shape.second, shape.second});
      end += cluster.twiddle_rows();
      table.expect_all(end, shape.length);
      end += root_tables{shape.length}.entries();
    }
  } else {
    table.expect_stages(0, shape.length, e);
    end = schedule{device::order::natural, static_cast<unsigned>(shape.length), e}.table_entries();
    if (shape.makes == body::real_row) {
      // Threads make the others of their own where their elements are a power of two; else all
      // that are used, of pairs or of odd elements.
      const bool is_power_of_two = (e & (e - 1)) == 0;
      const std::size_t n = shape.length / (is_power_of_two ? e : e % 2 == 0 ? 2 : 1);
      table.expect_first(end, n, 2 * shape.length);
      end += n;
    }
  }
  EXPECT_EQ(numbers.twiddle_roots_at(), end);
  if (numbers.prior > 1) {
    table.expect_rows(end, e, numbers.prior, twiddle_row(numbers.prior));
    end += device::twiddle::rows(e) * twiddle_row(numbers.prior).entries();
    table.expect_all(end, numbers.prior * shape.length);
    end += root_tables{numbers.prior * shape.length}.entries();
  }
  EXPECT_EQ(numbers.real_roots_at(), end);
  if (shape.has_half_spectrum() && shape.makes != body::real_row) {
    const std::size_t bins = shape.makes == body::plane ? shape.second : numbers.total;
    table.expect_all(end, 2 * bins);
    end += root_tables{2 * bins}.entries();
  }
  EXPECT_EQ(table.size(), end);
}

/// Passes that read the same table have one key.
std::string table_key(const planner::pass& planned) {
  const tile_shape& shape = planned.shape();
  std::string key;
  for (const std::size_t part :
       {std::size_t(shape.makes), std::size_t{shape.length}, std::size_t{shape.first},
        std::size_t{shape.elements_per_thread}, std::size_t{planned.numbers.prior},
        std::size_t{planned.numbers.has_real_roots() ? planned.numbers.total : 0},
        std::size_t{planned.real == precision::fp64}}) {
    key += std::to_string(part) + " ";
  }
  return key;
}

TEST(roots, are_what_every_pass_reads) {
  std::set<std::string> keys;
  std::set<body> bodies;
  for (const device_info& device :
       {hopper(), ampere(), opencl(true, 32 << 10, 256), opencl(false, 2 << 20, 4096)}) {
    auto passes = programs::passes_of(programs::every_request(), device);
    for (auto& each : programs::passes_of(programs::mixed_requests(), device)) {
      passes.push_back(std::move(each));
    }
    for (const planner::pass& each : passes) {
      if (!keys.insert(table_key(each)).second) continue;
      SCOPED_TRACE(each.describe());
      bodies.insert(each.shape().makes);
      if (each.real == precision::fp64) {
        check<double>(each.numbers);
      } else {
        check<float>(each.numbers);
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(bodies.size(), 4U) << "transform, real_row, line and plane";
  EXPECT_GT(keys.size(), 100U);
}

TEST(roots, begin_with_the_first_of_their_order) {
  // One stage has no roots of its own: the table is the twiddles' alone.
  pass_numbers numbers;
  numbers.shape.length = numbers.shape.elements_per_thread = 4;
  numbers.prior = 8;
  numbers.total = 32;
  const auto table = table_of<double>(numbers);
  ASSERT_EQ(table.size(), 3 * 8 + 32U) << "rows e = 1, 2, 3 of k < 8, then all of order 32";
  for (std::size_t k = 0; k < 8; ++k) {
    for (std::size_t e = 1; e <= 3; ++e) {
      EXPECT_EQ(table[(e - 1) * 8 + k], std::complex<double>(root(e * k, 32)));
    }
  }
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(table[24 + i], std::complex<double>(root(i, 32)));
  }
}

/// In scrambled order fused butterflies want roots of k with its bits reversed forward, of k back.
TEST(roots, of_fused_convolved_rows_are_each_directions_own) {
  pass_numbers numbers;
  numbers.shape.makes = body::convolve;
  numbers.shape.length = numbers.total = 64;
  numbers.shape.elements_per_thread = 8;
  numbers.shape.twiddles = device::workgroup::twiddling::fused;
  const auto table = table_of<double>(numbers);
  // A stage of radix 8 after 8: rows e = 1, 2, 4 of k < 8.
  ASSERT_EQ(table.size(), 2 * 3 * 8U);
  ASSERT_EQ(numbers.shape.roots_back_at(), 3 * 8U);
  constexpr std::size_t reversed[] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (std::size_t row = 0; row < 3; ++row) {
    const std::size_t e = std::size_t{1} << row;
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(table[row * 8 + k], std::complex<double>(root(e * reversed[k], 64)));
      EXPECT_EQ(table[(3 + row) * 8 + k], std::complex<double>(root(e * k, 64)));
    }
  }
}

TEST(roots, of_a_real_row_follow_its_stages) {
  pass_numbers numbers;
  numbers.shape.makes = body::real_row;
  numbers.shape.sink = planner::row::half_spectrum;
  numbers.shape.length = numbers.total = 16;
  numbers.shape.elements_per_thread = 4;
  const auto table = table_of<float>(numbers);
  // A stage of radix 4 after 4: rows e = 1, 2, 3 of k < 4; then k < 16 / 4 of order 32.
  ASSERT_EQ(table.size(), 3 * 4 + 4U);
  EXPECT_EQ(table[5], std::complex<float>(root(2, 16)));
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(table[12 + k], std::complex<float>(root(k, 32)));
  }
}

TEST(roots, are_none_of_a_transform_in_registers) {
  pass_numbers numbers;
  numbers.shape.length = numbers.shape.elements_per_thread = numbers.total = 8;
  EXPECT_EQ(numbers.table_entries(), 0U);
  EXPECT_TRUE(table_of<double>(numbers).empty());
}

}  // namespace
