// SPDX-License-Identifier: Apache-2.0
// What does a convolution in one launch save? Times, in turns with a copy: rows that a program
// transforms, multiplies by a spectrum and transforms back in one launch, and the same by a plan, a
// kernel that multiplies, and a plan. Their results are compared.
//     convolve_rows FILE.json     commit from WINGBEAT_COMMIT
#include <fmt/core.h>

#include <algorithm>  // max
#include <cmath>      // abs
#include <complex>
#include <nlohmann/json.hpp>

#include "bench/results.hpp"              // document_of, noise, times_of
#include "measure/document_text.hpp"      // write_document
#include "measure/rounds.hpp"             // queued_run, take_turns
#include "programs/convolved_rows.hpp"    // program_of_rows
#include "programs/prepared_program.hpp"  // prepared_program
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using complexes = std::vector<std::complex<float>>;

constexpr std::size_t n_points = std::size_t{1} << 27;  // of all rows together
constexpr int n_rounds = 15;

/// Times each row by one spectrum; a thread takes four pairs of numbers.
constexpr const char* multiply_text = R"(
#include "wingbeat/device/complex.hpp"
using namespace wingbeat::device;
struct alignas(16) pair { complex<float> at[2]; };
WINGBEAT_KERNEL(256)
void multiply(WINGBEAT_GLOBAL pair* rows, size rows_first, WINGBEAT_GLOBAL const pair* filter,
              size filter_first, unsigned row_pairs WINGBEAT_SCRATCH_PARAMETER) {
  const size first = group::index() * 1024 + group::thread();
  pair z[4];
  for (unsigned r = 0; r < 4; ++r) z[r] = rows[rows_first + first + r * 256];
  for (unsigned r = 0; r < 4; ++r) {
    const pair h = filter[filter_first + (first + r * 256) % row_pairs];
    rows[rows_first + first + r * 256] = {{z[r].at[0] * h.at[0], z[r].at[1] * h.at[1]}};
  }
}
)";

struct buffers {
  buffer in, out, other;
};

/// Returns the largest difference of the first rows, as a part of the largest number.
double difference_of(const buffer& a, const buffer& b) {
  constexpr std::size_t count = std::size_t{1} << 20;
  complexes first(count), second(count);
  a.read(first.data(), count * sizeof first[0]);
  b.read(second.data(), count * sizeof second[0]);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max<double>(largest, std::abs(first[i]));
    const double off = std::abs(first[i] - second[i]);
    if (!(off <= difference)) difference = off;  // what is no number stays
  }
  return difference / largest;
}

nlohmann::ordered_json times_of(queue& on, std::size_t n, const buffers& memory) {
  const auto made = [&](const auto& step) {
    return programs::prepared_program{backend::cuda_engine(), on.impl(),
                                      programs::program_of_rows(step, on.device()).value()};
  };
  const std::vector<float> taps = bench::noise(2 * n);
  buffer filter{on, n * 8};
  const buffer spectrum{on, n * 8}, scrambled{on, n * 8};
  filter.write(taps.data(), filter.size_bytes());
  const plan_spec one_row{.lengths = {n}}, rows{.lengths = {n}, .batch = n_points / n};
  made(backend::spectra_of_rows{one_row})
      .enqueue(*on.impl(), {filter.view(), scrambled.view(), {}});
  plan{on, one_row}.enqueue(on, filter.view(), spectrum.view());

  plan_spec scaled = rows;
  scaled.scale = scaling::by_length;
  const auto fused = made(backend::convolution_of_rows{scaled, {.distances = {0}}});
  const plan forward{on, rows};
  scaled.kind = transform::inverse;
  const plan inverse{on, scaled};
  const kernel multiply{on,
                        {.text = multiply_text,
                         .entry = "multiply",
                         .threads = 256,
                         .parameters = {kernel_parameter::output(16), kernel_parameter::input(16),
                                        kernel_parameter::value<unsigned>()}}};
  const auto in_one = [&] {
    fused.enqueue(*on.impl(), {memory.in.view(), memory.out.view(), {}, scrambled.view(), {}, {}});
  };
  const auto in_three = [&] {
    forward.enqueue(on, memory.in.view(), memory.other.view());
    multiply.enqueue(on, n_points / 2048,
                     {memory.other.view(), spectrum.view(), static_cast<unsigned>(n / 2)});
    inverse.enqueue(on, memory.other.view(), memory.other.view());
  };
  in_one();
  in_three();
  const double difference = difference_of(memory.out, memory.other);
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy",
                          [&] { on.impl()->copy(memory.out.view(), memory.in.view()); }),
      measure::queued_run(on, "one", in_one), measure::queued_run(on, "three", in_three)};
  measure::take_turns(runs, n_rounds);
  nlohmann::ordered_json row{{"length", n}, {"batch", n_points / n}, {"difference", difference}};
  for (const measure::timed_run& run : runs) row[run.name + "_s"] = bench::times_of(run);
  const kernel_resources takes = fused.resources().front();
  row["registers"] = takes.registers;
  row["spill_bytes"] = takes.spill_bytes;
  row["three_over_one"] = runs[2].median_s() / runs[1].median_s();
  fmt::print("{:>6}  one launch {:.3f} of the copy, {:.2f} times three; off {:.1e}{}; {}", n,
             runs[0].median_s() / runs[1].median_s(), runs[2].median_s() / runs[1].median_s(),
             difference, difference < 1e-5 ? "" : "  WRONG", fused.program().describe());
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine::cuda)};
  buffers memory{{on, n_points * 8}, {on, n_points * 8}, {on, n_points * 8}};
  const std::vector<float> samples = bench::noise(std::size_t{1} << 21);
  for (std::size_t offset = 0; offset < memory.in.size_bytes(); offset += samples.size() * 4) {
    memory.in.write(samples.data(), samples.size() * 4, offset);
  }
  auto document = bench::document_of("wingbeat.convolve_rows/1", on.device(),
                                     {{"version", on.device().version}, {"rounds", n_rounds}});
  bool is_right = true;
  for (unsigned bits = 6; bits <= 13; ++bits) {
    document["results"].push_back(times_of(on, std::size_t{1} << bits, memory));
    is_right = is_right && document["results"].back()["difference"] < 1e-5;
  }
  if (argc > 1) measure::write_document(argv[1], document);
  return is_right ? 0 : 1;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "convolve_rows: {}\n", failed.what());
  return 3;
}
