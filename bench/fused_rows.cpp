// SPDX-License-Identifier: Apache-2.0
// How much time does fusion save for rows? Plans with functors that only copy, and with functors
// that read int16 pairs and store powers, compared with the plain plan; and a convolution in one
// launch compared with a plan, a multiplying kernel and a plan.
#include "bench/question.hpp"
#include "programs/convolved_rows.hpp"    // program_of_rows
#include "programs/prepared_program.hpp"  // prepared_program

namespace wingbeat::bench {
namespace {

constexpr std::size_t n_points = std::size_t{1} << 27;  // in all rows

constexpr const char* functors_text = R"(
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

plan_spec rows_of(std::size_t n) {
  return {.lengths = {n}, .batch = n_points / n};
}

plan_spec with_functors(std::size_t n, const char* load, std::size_t load_bytes, const char* store,
                        std::size_t store_bytes) {
  plan_spec spec = rows_of(n);
  const std::string text =
      fmt::format("constexpr unsigned long long n = {};\n{}", n, functors_text);
  spec.load = {
      .in_bytes = n_points * load_bytes, .element_bytes = load_bytes, .source = {text, load, {}}};
  spec.store = {.out_bytes = n_points * store_bytes,
                .element_bytes = store_bytes,
                .source = {text, store, {}}};
  return spec;
}

void functors(session& asked) {
  queue& on = asked.on();
  buffer in{on, n_points * 8}, out{on, n_points * 8};
  const std::vector<float> ones(std::size_t{1} << 22, 1.0F);  // floats, also read as int16 pairs
  fill(in, ones.data(), ones.size() * 4);
  for (const std::size_t n : asked.numbers({64, 256, 1024, 4096, 8192, 65536, 1 << 20})) {
    const plan plain{on, rows_of(n)}, copying{on, with_functors(n, "copies", 8, "copies", 8)},
        converting{on, with_functors(n, "converts", 4, "powers", 4)};
    const auto run = [&](const char* name, const plan& timed) {
      return measure::queued_run(on, name, [&] { timed.enqueue(on, in.view(), out.view()); });
    };
    std::vector<measure::timed_run> runs{copy_run(on, out, in), run("plain", plain),
                                         run("copying", copying), run("converting", converting)};
    json row{{"length", n}, {"batch", n_points / n}};
    asked.time(runs, row);
    asked.add(std::move(row));
  }
}

/// Multiplies each row by one spectrum; a thread takes four pairs of numbers.
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

void convolve(session& asked, std::size_t n, const buffers& memory) {
  queue& on = asked.on();
  const auto prepared = [&](const auto& step) {
    return programs::prepared_program{backend::engine_of(on.device().runs_on), on.impl(),
                                      programs::program_of_rows(step, on.device()).value()};
  };
  const buffer filter = filled(on, noise(2 * n)), spectrum{on, n * 8}, scrambled{on, n * 8};
  const plan_spec one_row{.lengths = {n}};
  prepared(backend::spectra_of_rows{one_row})
      .enqueue(*on.impl(), {filter.view(), scrambled.view(), {}});
  plan{on, one_row}.enqueue(on, filter.view(), spectrum.view());
  plan_spec scaled = rows_of(n);
  scaled.scale = scaling::by_length;
  const auto fused = prepared(backend::convolution_of_rows{scaled, {.distances = {0}}});
  const plan forward{on, rows_of(n)};
  scaled.kind = transform::inverse;
  const plan inverse{on, scaled};
  const kernel multiply{on,
                        {.text = multiply_text,
                         .entry = "multiply",
                         .threads = 256,
                         .parameters = parameters_of("o16 i16 u")}};
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
  std::vector<measure::timed_run> runs{copy_run(on, memory.out, memory.in),
                                       measure::queued_run(on, "one", in_one),
                                       measure::queued_run(on, "three", in_three)};
  json row{{"length", n}, {"batch", n_points / n}, {"difference", difference}};
  asked.time(runs, row);
  row["registers"] = fused.resources().front().registers;
  row["spill_bytes"] = fused.resources().front().spill_bytes;
  row["three_over_one"] = runs[2].median_s() / runs[1].median_s();
  asked.add(std::move(row), difference < 1e-5);
}

void convolved_rows(session& asked) {
  const queue& on = asked.on();
  buffers memory{{on, n_points * 8}, {on, n_points * 8}, {on, n_points * 8}};
  const std::vector<float> samples = noise(std::size_t{1} << 21);
  fill(memory.in, samples.data(), samples.size() * 4);
  for (const std::size_t n : asked.numbers({64, 128, 256, 512, 1024, 2048, 4096, 8192})) {
    convolve(asked, n, memory);
  }
}

const registration of_functors{
    {"fused_plan", "[LENGTH..]", "what a functor costs a plan", functors}};
const registration of_rows{{"convolved_rows", "[LENGTH..]",
                            "what a convolution of rows in one launch saves", convolved_rows}};

}  // namespace
}  // namespace wingbeat::bench
