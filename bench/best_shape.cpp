// SPDX-License-Identifier: Apache-2.0
// Which shapes run a problem best? Plans it with many sets of tuning data, checks each against the
// built-in data, times all in alternation with a copy, and prints the best as lines for src/tuning.
//     best_shape FAMILY [fp32|fp64|fp16] [c2c|r2c|..] [of=N] [only=TEXT] [compile] LENGTHS..
//     lengths: as in 2^15 or 512x512; of: N transforms per call, by default as many as fill 1 GiB
//     only: candidates whose line contains TEXT, or one of several (A|B)
//     compile: measures nothing, but fills the kernel cache for the next call
//     families: rows, lines (clusters), columns (of the slowest axis), cuts, mirrored, planes,
//     convolutions (rows times a spectrum of ones and back, forward alone), real-lines, primes
//     (rows of a prime by a convolution of one less, or with a chirp: the best of each way),
//     built-in (launched early and spread, and not)
#include <atomic>
#include <random>  // mt19937
#include <set>
#include <thread>

#include "bench/question.hpp"
#include "bench/shape_families.hpp"       // candidates_of
#include "programs/convolved_rows.hpp"    // program_of_rows
#include "programs/prepared_program.hpp"  // prepared_program
#include "programs/real_transforms.hpp"   // transform_program
#include "programs/transforms.hpp"        // make_program
#include "request/resolved.hpp"           // points_of
#include "wingbeat/device/half.hpp"       // half_float, widen

namespace wingbeat::bench {
namespace {

constexpr std::size_t total_bytes = std::size_t{1} << 30;  // of input, and about as many of output

struct planned {
  const candidate* data;
  std::shared_ptr<const programs::prepared_program> program;
  std::string refusal;
  double difference = 0;
};

/// Fills memory with fp16 numbers between 1/32 and 1 of either sign, or with floats.
void fill_for(buffer& memory, precision real) {
  std::vector<float> block = noise(std::size_t{1} << 24);
  if (real == precision::fp16) {
    std::mt19937 bits{1};
    auto* halves = reinterpret_cast<std::uint16_t*>(block.data());
    for (std::size_t i = 0; i < 2 * block.size(); ++i) {
      halves[i] = static_cast<std::uint16_t>((bits() & 0x93ff) | 0x2800);
    }
  }
  fill(memory, block.data(), block.size() * 4);
}

/// Returns a few places of a buffer, including its end.
std::vector<char> sample(const buffer& array, std::size_t used) {
  const std::size_t piece = std::clamp<std::size_t>(used / 64 * 16, 16, std::size_t{1} << 18);
  std::vector<char> bytes(4 * piece);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t offset = (used - piece) / 3 * i / 16 * 16;
    array.read(bytes.data() + i * piece, piece, offset);
  }
  return bytes;
}

double value(float x) {
  return x;
}
double value(double x) {
  return x;
}
double value(device::half_float x) {
  return device::widen(device::complex<device::half_float>{x, x}).re;
}

template <class Real>
double difference(const std::vector<char>& a, const std::vector<char>& b) {
  const auto* x = reinterpret_cast<const Real*>(a.data());
  const auto* y = reinterpret_cast<const Real*>(b.data());
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < a.size() / sizeof(Real); ++i) {
    const double off = value(x[i]) - value(y[i]);
    error += off * off;
    energy += value(y[i]) * value(y[i]);
  }
  return std::sqrt(error / energy);
}

/// Returns a spectrum of ones, which is in every shape's order.
buffer ones(const queue& on, std::size_t bins, precision real) {
  if (real == precision::fp64) return filled(on, std::vector<std::complex<double>>(bins, 1));
  return filled(on, std::vector<std::complex<float>>(bins, 1));
}

/// Plans all candidates, as many at a time as there are cores.
std::vector<planned> plan_all(const queue& on, const plan_spec& spec,
                              const std::vector<candidate>& candidates, bool convolves) {
  const auto program_of = [&](const candidate& shapes) {
    if (request::traits_of(spec.kind).is_real_to_real()) {
      auto lines = programs::transform_program(backend::cuda_engine(), on.impl(),
                                               request::resolved_spec{spec});
      if (shapes.of_lines.length > 1) {
        reshape(std::get<planner::pass>(lines.steps.back().operation), shapes.of_lines);
      }
      return lines;
    }
    if (!convolves) return programs::make_program(spec, on.device(), shapes.data());
    const backend::convolution_of_rows rows{spec, {.stored = spec.real, .distances = {0}}};
    auto convolving = programs::program_of_rows(rows, on.device(), shapes.data());
    if (!convolving) throw plan_error("no workgroup takes these rows");
    return std::move(*convolving);
  };
  std::vector<planned> results(candidates.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < std::max(std::thread::hardware_concurrency(), 1u); ++t) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < candidates.size(); i = next++) {
        results[i].data = &candidates[i];
        try {
          results[i].program = std::make_shared<const programs::prepared_program>(
              backend::cuda_engine(), on.impl(), program_of(candidates[i]));
        } catch (const error& refused) {
          results[i].refusal = refused.what();
        }
      }
    });
  }
  workers.clear();
  return results;
}

void report(std::vector<planned>& results, std::vector<measure::timed_run>& runs,
            const plan_spec& spec) {
  const double copy_s = runs[0].median_s();
  std::vector<std::size_t> order(results.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return runs[a + 1].median_s() < runs[b + 1].median_s();
  });
  fmt::print("{} {} {} x {}, copy {:.2f} us, built in {:.2f} us\n", fmt::join(spec.lengths, "x"),
             name_of(spec.kind), name_of(spec.real), std::size_t{spec.batch}, 1e6 * copy_s,
             1e6 * runs[1].median_s());
  std::set<std::string> ways;  // printed after their shapes
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const planned& each = results[order[rank]];
    const std::string& label = each.data->label;
    const bool is_first =
        ways.insert(label.substr(std::min(label.rfind('}'), label.size()))).second;
    if (rank >= 4 && !is_first) continue;
    std::string took;
    for (const auto& kernel : each.program->resources()) {
      took += fmt::format(" {}r/{}s/{}t", kernel.registers, kernel.spill_bytes, kernel.threads);
    }
    const double run_s = runs[order[rank] + 1].median_s();
    fmt::print("  {:.3f} {:8.2f} us  {}  off {:.1e}{}\n", copy_s / run_s, 1e6 * run_s,
               each.data->label, each.difference, took);
  }
  std::fflush(stdout);
}

/// The candidates to try.
struct choice {
  std::string family, only = {};
  bool compiles_alone = false;

  [[nodiscard]] std::vector<candidate> candidates(const plan_spec& spec,
                                                  const device_info& device) const {
    auto candidates = candidates_of(family, spec, device);
    std::erase_if(candidates, [&](const candidate& each) { return !has(each.label); });
    return candidates;
  }

 private:
  [[nodiscard]] bool has(const std::string& label) const {
    if (label == "built in") return true;
    for (std::size_t first = 0; first <= only.size();) {
      const std::size_t end = std::min(only.find('|', first), only.size());
      if (label.find(only.substr(first, end - first)) != std::string::npos) return true;
      first = end + 1;
    }
    return false;
  }
};

template <class Real>
void search(queue& on, const choice& chosen, plan_spec spec, buffer& in, buffer& out,
            int n_rounds) {
  const std::size_t points = request::points_of(spec);
  const bool is_real = request::traits_of(spec.kind).is_real();
  const std::size_t row_bytes = points * sizeof(Real) * (is_real ? 1 : 2);
  if (spec.batch == 0) {
    spec.batch = std::max<std::size_t>((total_bytes - total_bytes / 8) / row_bytes, 1);
  }
  const std::size_t used = output_bytes(spec);

  const bool convolves = chosen.family == "convolutions";
  if (chosen.compiles_alone) {
    plan_all(on, spec, chosen.candidates(spec, on.device()), convolves);
    return;
  }
  if (!convolves) plan{on, spec}.enqueue(on, in.view(), out.view());
  const auto expected = sample(convolves ? in : out, used);
  if (convolves) spec.scale = scaling::by_length;
  const buffer spectrum = ones(on, points, spec.real);

  const auto candidates = chosen.candidates(spec, on.device());
  auto results = plan_all(on, spec, candidates, convolves);
  std::size_t workspace_bytes = 0;
  for (const planned& each : results) {
    if (!each.refusal.empty()) fmt::print("  {}: {:.200}\n", each.data->label, each.refusal);
    if (each.program)
      workspace_bytes = std::max(workspace_bytes, each.program->program().workspace_bytes());
  }
  std::erase_if(results, [](const planned& each) { return !each.program; });
  buffer workspace{on, workspace_bytes + 256};
  std::vector<measure::timed_run> runs{measure::queued_run(on, "copy", [&] {
    on.impl()->copy({out.view().handle, 0, used}, {in.view().handle, 0, used});
  })};
  std::vector<char> poison(std::min(std::size_t{1} << 20, used), char(0xff));
  for (planned& each : results) {
    const auto run = [&, program = each.program] {
      program->enqueue(*on.impl(), {in.view(), out.view(), workspace.view(), spectrum.view()});
    };
    runs.push_back(measure::queued_run(on, "", run));
    out.write(poison.data(), poison.size(), (used - poison.size()) / 16 * 16);
    run();
    each.difference = difference<Real>(sample(out, used), expected);
  }
  measure::take_turns(runs, n_rounds);
  report(results, runs, spec);
}

void best_shape(session& asked) {
  if (asked.words.empty()) throw plan_error("give a family and lengths");
  choice chosen{.family = asked.words.front()};
  precision real = precision::fp32;
  transform kind = transform::forward;
  std::size_t count = 0;  // transforms per call; 0: 1 GiB of them
  queue& on = asked.on();
  buffer in{on, 2 * total_bytes}, out{on, 2 * total_bytes};
  fill_for(in, real);
  for (std::size_t i = 1; i < asked.words.size(); ++i) {
    const std::string& word = asked.words[i];
    const auto* const named = std::ranges::find(request::kinds, word, &request::traits::short_name);
    if (word == "fp32" || word == "fp64" || word == "fp16") {
      real = word == "fp32" ? precision::fp32 : word == "fp64" ? precision::fp64 : precision::fp16;
      fill_for(in, real);
    } else if (named != std::ranges::end(request::kinds)) {
      kind = named->kind;
    } else if (word.starts_with("of=")) {
      count = std::stoul(word.substr(3));
    } else if (word.starts_with("only=")) {
      chosen.only = word.substr(5);
    } else if (word == "compile") {
      chosen.compiles_alone = true;
    } else {
      const plan_spec spec{.lengths = lengths_of(word), .batch = count, .kind = kind, .real = real};
      if (real == precision::fp64) {
        search<double>(on, chosen, spec, in, out, asked.n_rounds);
      } else if (real == precision::fp16) {
        search<device::half_float>(on, chosen, spec, in, out, asked.n_rounds);
      } else {
        search<float>(on, chosen, spec, in, out, asked.n_rounds);
      }
    }
  }
}

const registration of_best_shape{
    {"best_shape", "FAMILY [fp32] [c2c] [of=N] [only=TEXT] [compile] LENGTHS..",
     "which shapes run a length best: bench/best_shape.cpp", best_shape}};

}  // namespace
}  // namespace wingbeat::bench
