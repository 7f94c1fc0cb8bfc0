// SPDX-License-Identifier: Apache-2.0
// What does a functor cost a plan, and what does it save? Times, in turns with a copy: a plan, the
// same plan with functors that only copy, and one that reads int16 pairs and stores powers.
//     fused_plan FILE.json     commit from WINGBEAT_COMMIT
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "backend/backend.hpp"        // queue
#include "bench/results.hpp"          // document_of, times_of
#include "measure/document_text.hpp"  // write_document
#include "measure/rounds.hpp"         // queued_run, take_turns
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t n_points = std::size_t{1} << 27;  // of all rows together
constexpr int n_rounds = 15;

constexpr const char* text = R"(
namespace wd = wingbeat::device;
struct copies {
  using element = wd::complex<float>;
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, wd::size row, wd::size i) {
    return in[row * n + i];
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wd::size row, wd::size i,
                                element z) {
    out[row * n + i] = z;
  }
};
struct converts {
  struct alignas(4) pair { short re, im; };
  using element = pair;
  WINGBEAT_FN static wd::complex<float> load(WINGBEAT_GLOBAL const pair* in, wd::size row,
                                             wd::size i) {
    const pair z = in[row * n + i];
    return {float(z.re), float(z.im)};
  }
};
struct powers {
  using element = float;
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL float* out, wd::size row, wd::size i,
                                wd::complex<float> z) {
    out[row * n + i] = z.re * z.re + z.im * z.im;
  }
};
)";

plan_spec plain(std::size_t n) {
  return {.lengths = {n}, .batch = n_points / n};
}

plan_spec fused(std::size_t n, const char* load, std::size_t load_bytes, const char* store,
                std::size_t store_bytes) {
  plan_spec what = plain(n);
  const std::string both = fmt::format("constexpr unsigned long long n = {};\n{}", n, text);
  what.load = {
      .in_bytes = n_points * load_bytes, .element_bytes = load_bytes, .source = {both, load, {}}};
  what.store = {.out_bytes = n_points * store_bytes,
                .element_bytes = store_bytes,
                .source = {both, store, {}}};
  return what;
}

nlohmann::ordered_json times_of(queue& on, std::size_t n, buffer& in, buffer& out) {
  const plan bare{on, plain(n)};
  const plan copying{on, fused(n, "copies", 8, "copies", 8)};
  const plan converting{on, fused(n, "converts", 4, "powers", 4)};
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy", [&] { on.impl()->copy(out.view(), in.view()); }),
      measure::queued_run(on, "plain", [&] { bare.enqueue(on, in.view(), out.view()); }),
      measure::queued_run(on, "copying", [&] { copying.enqueue(on, in.view(), out.view()); }),
      measure::queued_run(on, "converting",
                          [&] { converting.enqueue(on, in.view(), out.view()); })};
  measure::take_turns(runs, n_rounds);
  nlohmann::ordered_json row{{"length", n}, {"batch", n_points / n}};
  for (const measure::timed_run& run : runs) row[run.name + "_s"] = bench::times_of(run);
  fmt::print(
      "{:>9}  plain {:.3f} of the copy, functors that copy {:.3f} of plain's time, int16 to "
      "powers {:.3f}\n",
      n, runs[0].median_s() / runs[1].median_s(), runs[2].median_s() / runs[1].median_s(),
      runs[3].median_s() / runs[1].median_s());
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine::cuda)};
  buffer in{on, n_points * 8}, out{on, n_points * 8};
  const std::vector<float> ones(std::size_t{1} << 22, 1.0F);  // numbers, as int16 pairs too
  for (std::size_t offset = 0; offset < in.size_bytes(); offset += ones.size() * 4) {
    in.write(ones.data(), ones.size() * 4, offset);
  }
  auto document = bench::document_of("wingbeat.fused_plan/1", on.device(),
                                     {{"version", on.device().version}, {"rounds", n_rounds}});
  for (const unsigned bits : {6U, 8U, 10U, 12U, 13U, 16U, 20U}) {
    document["results"].push_back(times_of(on, std::size_t{1} << bits, in, out));
  }
  if (argc > 1) measure::write_document(argv[1], document);
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "fused_plan: {}\n", failed.what());
  return 3;
}
