// SPDX-License-Identifier: Apache-2.0
// Convolutions beside scipy.signal's, and scores beside scikit-image's match_template: the files
// that golden/write.py made with those packages. Every engine agrees with the same sums in
// convolution_test and template_search_test, so engines that compile take no part.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>  // istream_iterator
#include <sstream>

#include "arrays/address_space.hpp"   // product_of
#include "convolving/direct_sum.hpp"  // map_lengths
#include "support/memory.hpp"         // contents, filled
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr engine engines[] = {engine::reference, engine::host};

/// The integers from -9 to 9 of write.py.
std::vector<double> integers(std::size_t count, std::uint64_t state) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    state = (state * 1103515245 + 12345) % (std::uint64_t{1} << 31);
    values.push_back(static_cast<double>(state / 65536 % 19) - 9);
  }
  return values;
}

map_lengths lengths_of(const std::string& text) {
  map_lengths lengths;
  std::istringstream words{text};
  for (std::string word; std::getline(words, word, 'x');) lengths.push_back(std::stoul(word));
  return lengths;
}

extent mode_named(const std::string& name) {
  for (const extent mode : {extent::full, extent::same, extent::valid}) {
    if (name == name_of(mode)) return mode;
  }
  ADD_FAILURE() << "no mode has the name " << name;
  return extent::full;
}

/// Calls each(words of a line, numbers of the next) for a file's lines but the first.
template <class Each>
void read_golden(const std::string& name, Each each) {
  std::ifstream file{std::string{WINGBEAT_TESTS_FOLDER} + "/convolving/golden/" + name};
  std::string line, values;
  ASSERT_TRUE(std::getline(file, line)) << name;
  std::size_t n_cases = 0;
  while (std::getline(file, line) && std::getline(file, values)) {
    std::istringstream words{line}, numbers{values};
    std::vector<std::string> result{std::istream_iterator<std::string>{words}, {}};
    const std::vector<double> expected{std::istream_iterator<double>{numbers}, {}};
    SCOPED_TRACE(line);
    each(result, expected);
    if (::testing::Test::HasFatalFailure()) return;
    ++n_cases;
  }
  EXPECT_GE(n_cases, 20U);
}

template <class Real>
std::vector<Real> result_of(queue& on, const convolution_spec& spec, const std::vector<double>& f,
                            const std::vector<double>& t) {
  const convolution convolved{on, spec};
  const buffer image = filled(on, std::vector<Real>{f.begin(), f.end()});
  const buffer kernel = filled(on, std::vector<Real>{t.begin(), t.end()});
  const buffer spectra{on, convolved.spectra_bytes()}, out{on, convolved.output_bytes()};
  convolved.prepare(on, image.view(), spectra.view());
  convolved.enqueue(on, spectra.view(), kernel.view(), out.view());
  return contents<Real>(out);
}

TEST(golden, convolutions_are_those_of_scipy) {
  read_golden("scipy.txt", [](const auto& words, const std::vector<double>& expected) {
    convolution_spec spec{
        .image = lengths_of(words[2]),
        .kernel = lengths_of(words[3]),
        .kind = words[0] == "correlate" ? operation::correlate : operation::convolve,
        .mode = mode_named(words[1])};
    ASSERT_EQ(result_lengths(spec), lengths_of(words[4]));
    const auto f = integers(product_of(spec.image), 1), t = integers(product_of(spec.kernel), 2);
    for (const engine each : engines) {
      queue on{first_device(each)};
      const auto got = result_of<float>(on, spec, f, t);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], 1e-3) << name_of(each) << ", value " << i;
      }
    }
  });
}

template <class Real>
void expect_scores(engine on_engine, const search_spec& spec, const std::vector<double>& f,
                   const std::vector<double>& t, const std::vector<double>& expected) {
  queue on{first_device(on_engine)};
  template_search search{on, spec};
  const buffer image = filled(on, std::vector<Real>{f.begin(), f.end()});
  const buffer tile = filled(on, std::vector<Real>{t.begin(), t.end()});
  search.begin(on, image.view());
  search.add(on, tile.view(), 1);
  const auto scores = search.scores(on);
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ASSERT_NEAR(scores[i], expected[i], 1e-5) << name_of(on_engine) << ", score " << i;
  }
}

TEST(golden, normalised_scores_are_those_of_match_template) {
  read_golden("match_template.txt", [](const auto& words, const std::vector<double>& expected) {
    search_spec spec{.image = lengths_of(words[1]),
                     .templates = lengths_of(words[2]),
                     .mode = mode_named(words[0]),
                     .is_normalised = true};
    const double offset = std::stod(words[3]);
    auto f = integers(product_of(spec.image), 3), t = integers(product_of(spec.templates), 4);
    for (double& value : f) value += offset;
    for (double& value : t) value += 100;
    for (std::size_t y = 0; y < 5; ++y) {
      for (std::size_t x = 0; x < 6; ++x) f[y * spec.image[1] + x] = offset + 2;
    }
    for (const engine each : engines) {
      spec.real = precision::fp32;
      expect_scores<float>(each, spec, f, t, expected);
      if (::testing::Test::HasFatalFailure()) return;
      spec.real = precision::fp64;
      expect_scores<double>(each, spec, f, t, expected);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

}  // namespace
