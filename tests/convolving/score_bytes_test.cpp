// SPDX-License-Identifier: Apache-2.0
// Do the bytes that a search states for its scores agree with the elements that its functor reads
// and writes? Each element of its memory gets several values, one after another: it is written if
// a run leaves another value, and read if what a run leaves depends on it.
#include <gtest/gtest.h>

#include <functional>

#include "convolving/scores.hpp"
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using convolving::kept_scores;

/// As doubles they are numbers, and as sums of coefficients too.
constexpr std::uint64_t two_moments[] = {0x3fe0000000000000, 0x4000000000000000};

/// Arrays in the order of the functor's operands: keys first.
struct functor_memory {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> moments;  ///< Sums of coefficients, or the bits of doubles.
  std::vector<std::uint32_t> counts;
  std::vector<float> norms, rim;

  explicit functor_memory(const kept_scores& kept)
      : keys(kept.places(), 1),
        moments(kept.numbers.has_sums ? 2 * kept.places() : 0, two_moments[0]),
        counts(kept.numbers.has_counts ? kept.places() : 0, 1),
        norms(kept.numbers.is_normalised ? kept.places() : 0, 0.5F),
        rim(kept.numbers.has_rim ? kept.rim_reals() : 0) {
    for (std::size_t i = 0; i < rim.size(); ++i) rim[i] = static_cast<float>(i * i);
  }
  bool operator==(const functor_memory&) const = default;
};

/// Gives the functor every score of one template.
using functor_run = std::function<void(functor_memory&)>;

/// Returns the bytes of an array's elements that a run reads and writes.
template <class Value>
std::size_t touched(std::vector<Value> functor_memory::*array, const std::vector<Value>& tried,
                    const functor_memory& before, const functor_run& run) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < (before.*array).size(); ++i) {
    bool is_written = false, is_read = false;
    std::vector<functor_memory> left;
    for (const Value value : tried) {
      functor_memory memory = before;
      (memory.*array)[i] = value;
      run(memory);
      is_written |= (memory.*array)[i] != value;
      left.push_back(memory);
    }
    for (functor_memory& each : left) {
      const bool differs = (each.*array)[i] != (left.front().*array)[i];
      (each.*array)[i] = (left.front().*array)[i];
      is_read |= (is_written && differs) || each != left.front();
    }
    bytes += (std::size_t{is_written} + std::size_t{is_read}) * sizeof(Value);
  }
  return bytes;
}

constexpr std::uint64_t largest_key = ~std::uint64_t{0};

std::size_t touched_by(const functor_run& run, const functor_memory& before,
                       const std::vector<std::uint64_t>& keys) {
  return touched(&functor_memory::keys, keys, before, run) +
         touched(&functor_memory::moments, {two_moments[0], two_moments[1]}, before, run) +
         touched(&functor_memory::counts, {1U, 7U}, before, run) +
         touched(&functor_memory::norms, {0.5F, 2.0F}, before, run) +
         touched(&functor_memory::rim, {0.25F, 4.0F}, before, run);
}

std::vector<float> scores_of(const kept_scores& kept) {
  std::vector<float> scores(kept.places());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 0.125F + static_cast<float>(i) / 1024;
  return scores;
}

template <class Value>
buffer_view view_of(std::vector<Value>& values) {
  return {.handle = values.data(), .size_bytes = values.size() * sizeof(Value)};
}

/// The functor of the engines in this process.
functor_run in_this_process(const kept_scores& kept, double threshold) {
  return [kept, threshold, store = convolving::score_store(kept)](functor_memory& memory) {
    std::vector<buffer_view> arrays;
    if (!memory.moments.empty()) arrays.push_back(view_of(memory.moments));
    if (!memory.counts.empty()) arrays.push_back(view_of(memory.counts));
    const auto given = convolving::score_arguments(kept, 0, arrays,
                                                   {.inverse_norms = view_of(memory.norms),
                                                    .rim = view_of(memory.rim),
                                                    .threshold = threshold,
                                                    .mean = 2});
    const std::vector<float> scores = scores_of(kept);
    std::get<operand_writer<float>>(store.callable)(
        memory.keys.data(), host_arguments{store.operands, given}, 0, 0, scores);
  };
}

kept_scores selection(extent mode, unsigned bits) {
  return convolving::kept_of({.image = {6, 5},
                              .templates = {4, 3},
                              .mode = mode,
                              .is_normalised = (bits & 1U) != 0,
                              .keeps_sums = (bits & 2U) != 0,
                              .keeps_counts = (bits & 4U) != 0},
                             (bits & 8U) != 0 ? 3 : 1, /*has_fp64=*/true);
}
constexpr unsigned n_selections = 16;

TEST(score_bytes, are_those_of_the_elements_that_the_functor_reads_and_writes) {
  for (const extent mode : {extent::valid, extent::full}) {
    for (unsigned bits = 0; bits < n_selections; ++bits) {
      const kept_scores kept = selection(mode, bits);
      const auto run = in_this_process(kept, 0);
      EXPECT_EQ(convolving::bytes_of_template(kept).most,
                touched_by(run, functor_memory{kept}, {1, largest_key}));
    }
  }
}

TEST(score_bytes, are_fewer_where_no_score_is_the_largest_or_counted) {
  for (unsigned bits = 0; bits < n_selections; ++bits) {
    const kept_scores kept = selection(extent::valid, bits);
    if (!kept.numbers.has_sums) continue;  // they show that norms are read
    functor_memory before{kept};
    for (std::uint64_t& key : before.keys) key = largest_key;
    const auto run = in_this_process(kept, 1e9);
    const std::size_t touched = touched_by(run, before, {largest_key});
    // Keys are read, which shows only where one is written.
    EXPECT_EQ(convolving::bytes_of_template(kept).always, touched + kept.places() * 8);
  }
}

TEST(score_bytes, count_what_a_run_keeps_once_and_what_each_template_reads) {
  kept_scores kept = selection(extent::full, 7);
  const auto moved = [&] { return convolving::score_store(kept).kept_moved_bytes; };
  const std::size_t alone = moved();
  EXPECT_EQ(alone, convolving::bytes_of_template(kept).most);
  kept.templates = 7;
  EXPECT_EQ(moved(), alone + 6 * 4 * (kept.places() + kept.rim_reals()));
  EXPECT_EQ(convolving::score_store(kept).kept_bytes, 4U + 1 + 2 * 8 + 1);
  kept.templates = 256;
  EXPECT_EQ(convolving::score_store(kept).kept_bytes, 0U) << "more than a byte counts";
}

TEST(score_bytes, count_what_one_run_states_for_each_of_its_templates) {
  kept_scores kept = selection(extent::valid, 0);
  const std::size_t bytes = convolving::score_store(kept).moved_bytes;
  EXPECT_EQ(bytes, convolving::bytes_of_template(kept).most);
  kept.templates = 7;
  EXPECT_EQ(convolving::score_store(kept).moved_bytes, 7 * bytes);
}

/// The functor that is compiled, on one place a thread.
class compiled_functor {
 public:
  compiled_functor(const queue& on, const kept_scores& kept)
      : on_(on), kept_(kept), store_(convolving::score_store(kept)), entry_(on, entry_spec()) {}

  void operator()(functor_memory& memory) {
    std::vector<float> scores = scores_of(kept_);
    const buffer keys = on_device(memory.keys), moments = on_device(memory.moments);
    const buffer counts = on_device(memory.counts), norms = on_device(memory.norms);
    const buffer rim = on_device(memory.rim), given = on_device(scores);
    entry_.enqueue(on_, kept_.places(),
                   {keys.view(), 0U, moments.view(), counts.view(), 0.0F, norms.view(), rim.view(),
                    2.0F, given.view()});
    keys.read(memory.keys.data(), keys.size_bytes());
    moments.read(memory.moments.data(), moments.size_bytes());
    counts.read(memory.counts.data(), counts.size_bytes());
    norms.read(memory.norms.data(), norms.size_bytes());
    rim.read(memory.rim.data(), rim.size_bytes());
  }

 private:
  template <class Value>
  [[nodiscard]] buffer on_device(const std::vector<Value>& values) const {
    buffer memory{on_, values.size() * sizeof(Value)};
    memory.write(values.data(), memory.size_bytes());
    return memory;
  }
  [[nodiscard]] kernel_spec entry_spec() const {
    std::vector<kernel_parameter> parameters{kernel_parameter::output(8)};
    for (const kernel_parameter& each : store_.operands) parameters.push_back(each);
    parameters.push_back(kernel_parameter::input(4));
    return {.text = store_.source.text + "using functor = " + store_.source.type + R"(;
using wingbeat::device::size;
WINGBEAT_KERNEL(1)
void entry(WINGBEAT_GLOBAL size* keys, size keys_first, unsigned first,
           WINGBEAT_GLOBAL size* moments, size moments_first, WINGBEAT_GLOBAL unsigned* counts,
           size counts_first, float threshold, WINGBEAT_GLOBAL const float* norms,
           size norms_first, WINGBEAT_GLOBAL const float* rim, size rim_first, float mean,
           WINGBEAT_GLOBAL const float* scores, size scores_first WINGBEAT_SCRATCH_PARAMETER) {
  const size i = wingbeat::device::group::index();
  functor::of_row(keys + keys_first,
                  {first, moments + moments_first, counts + counts_first, threshold,
                   norms + norms_first, rim + rim_first, mean}, 0)
      .store(i, scores[scores_first + i]);
}
)",
            .entry = "entry",
            .threads = 1,
            .parameters = std::move(parameters)};
  }

  queue on_;
  kept_scores kept_;
  fused_store store_;
  kernel entry_;
};

TEST(score_bytes, are_those_of_the_compiled_functor) {
  const kept_scores kept = selection(extent::full, 7);
  const std::vector<device_info> result = devices(engine::opencl);
  if (result.empty() || !result.front().has_fp64)
    GTEST_SKIP() << "needs an OpenCL device with fp64";
  const queue on{result.front()};
  compiled_functor run{on, kept};
  EXPECT_EQ(convolving::bytes_of_template(kept).most,
            touched_by(std::ref(run), functor_memory{kept}, {1, largest_key}));
}

}  // namespace
