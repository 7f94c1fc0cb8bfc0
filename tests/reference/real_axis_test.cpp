// SPDX-License-Identifier: Apache-2.0
// Transforms from reals to reals beside scipy.fft's: the file that golden/write.py made with it, of
// every type, norm and orthogonalize. And the Hartley transform, which SciPy has not, by its sum.
#include "reference/real_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>  // istream_iterator
#include <numbers>   // pi_v
#include <sstream>
#include <string>
#include <vector>

#include "support/memory.hpp"  // transformed
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// The integers from -9 to 9 of write.py.
std::vector<double> integers(std::size_t count) {
  std::vector<double> values;
  std::uint64_t state = 7;
  for (std::size_t i = 0; i < count; ++i) {
    state = (state * 1103515245 + 12345) % (std::uint64_t{1} << 31);
    values.push_back(static_cast<double>(state / 65536 % 19) - 9);
  }
  return values;
}

transform kind_named(const std::string& name) {
  for (const request::traits& each : request::kinds) {
    if (name == each.name) return each.kind;
  }
  ADD_FAILURE() << "no kind has the name " << name;
  return transform::dct2;
}

/// Returns the request for what a line of the file says.
plan_spec request_of(std::istringstream words) {
  std::string name, type, norm;
  std::size_t length = 0;
  bool orthogonalizes = false;
  words >> name >> type >> length >> norm >> orthogonalizes;
  const bool is_inverse = name.front() == 'i';
  const transform kind = kind_named((is_inverse ? name.substr(1) : name) + type);
  const bool is_scaled = norm == (is_inverse ? "backward" : "forward");
  return {.lengths = {length},
          .kind = is_inverse ? request::traits_of(kind).opposite : kind,
          .real = precision::fp64,
          .scale = norm == "ortho" ? scaling::by_sqrt_length
                   : is_scaled     ? scaling::by_length
                                   : scaling::none,
          .orthogonalize = orthogonalizes};
}

TEST(real_axis, agrees_with_scipy_of_every_type_norm_and_orthogonalize) {
  std::ifstream file{std::string{WINGBEAT_TESTS_FOLDER} + "/reference/golden/scipy.txt"};
  std::string line, numbers;
  ASSERT_TRUE(std::getline(file, line));
  std::size_t n_cases = 0;
  while (std::getline(file, line) && std::getline(file, numbers)) {
    SCOPED_TRACE(line);
    ++n_cases;
    const plan_spec spec = request_of(std::istringstream{line});
    std::istringstream words{numbers};
    const std::vector<double> expected{std::istream_iterator<double>{words}, {}};
    ASSERT_EQ(expected.size(), spec.lengths.front());
    const std::vector<double> x = integers(expected.size());
    for (const engine each : {engine::reference, engine::host}) {
      const std::vector<double> y = test::transformed(each, spec, x);
      for (std::size_t k = 0; k < y.size(); ++k) {
        EXPECT_NEAR(y[k], expected[k], 8e-14) << name_of(each) << ", element " << k;
      }
    }
  }
  EXPECT_EQ(n_cases, 468U);
}

TEST(real_axis, of_hartley_is_the_sum_of_cosine_and_sine) {
  for (const std::size_t n : {1U, 2U, 5U, 8U, 150U}) {
    const std::vector<double> x = integers(n);
    const std::vector<double> y = test::transformed(
        engine::reference, {.lengths = {n}, .kind = transform::dht, .real = precision::fp64}, x);
    for (std::size_t k = 0; k < n; ++k) {
      long double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const long double angle = 2 * std::numbers::pi_v<long double> *
                                  static_cast<long double>(j * k % n) / static_cast<long double>(n);
        sum += x[j] * (std::cos(angle) + std::sin(angle));
      }
      EXPECT_NEAR(y[k], static_cast<double>(sum), 1e-12) << k << " of " << n;
    }
  }
}

TEST(real_axis, says_what_it_does) {
  queue on{first_device(engine::reference)};
  const plan planned{on,
                     {.lengths = {6, 8},
                      .kind = transform::dst1,
                      .axis_kinds = {transform::dct2, transform::dst1}}};
  EXPECT_NE(planned.explain().find("dct2 x dst1 of length 6x8"), std::string::npos)
      << planned.explain();
}

}  // namespace
