// SPDX-License-Identifier: Apache-2.0
// Which shape runs each length best? Compiles the candidates of every length for the first CUDA
// device, checks each against the planner's own choice, times them in turn with a plain copy, and
// prints the best as lines for src/tuning.
//     best_shape [fp32|fp64] [first log2] [last log2]
#include <fmt/format.h>

#include <algorithm>  // sort
#include <complex>
#include <cstdio>
#include <random>

#include "apps/cli/rounds.hpp"         // queued, take_turns
#include "backend/backend.hpp"         // queue
#include "backend/cuda/engine.hpp"     // compiler
#include "backend/device_sources.hpp"  // flatten
#include "backend/kernel.hpp"          // kernel
#include "planner/recipe.hpp"          // make_recipe
#include "planner/roots.hpp"           // table_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using planner::pass;

constexpr std::size_t total_bytes = std::size_t{1} << 31;  // in, and as much out

struct candidate {
  pass shape;
  std::shared_ptr<const backend::kernel> made;
  buffer table;
  double seconds = 0;
};

template <class Real>
buffer upload(const queue& on, const pass& one) {
  std::vector<std::complex<Real>> rounded;
  for (const auto& w : planner::table_of(one)) {
    rounded.emplace_back(static_cast<Real>(w.real()), static_cast<Real>(w.imag()));
  }
  rounded.emplace_back();
  buffer made{on, rounded.size() * sizeof(rounded[0])};
  made.write(rounded.data(), made.size_bytes());
  return made;
}

std::vector<pass> shapes_of(const plan_spec& what, const device_info& where) {
  const pass known = planner::make_recipe(what, where).passes.front();
  std::vector<pass> all;
  for (unsigned e = 2; e <= 32; e *= 2) {
    if (e > known.total || known.total / e > 1024) continue;
    for (unsigned transforms = 1; transforms <= 512; transforms *= 2) {
      for (const bool staged : {false, true}) {
        for (const bool halves : {false, true}) {
          pass one = known;
          one.elements_per_thread = e;
          one.transforms = transforms;
          one.stage_in = one.stage_out = staged;
          one.half_trade = halves;
          const bool is_tiny = known.total <= 32;
          if (halves && (staged || known.total < 4096)) continue;
          if (staged && !is_tiny) continue;
          if (one.threads() < 64 || one.threads() > 1024) continue;
          if (one.threads() > 512 && transforms > 1) continue;
          if (one.scratch_bytes() > where.local_memory_bytes) continue;
          all.push_back(one);
        }
      }
    }
  }
  return all;
}

void fill(buffer& to) {
  std::mt19937 bits{1};
  std::vector<float> block(std::size_t{1} << 24);
  for (float& x : block) x = static_cast<float>(bits()) / 2147483648.0f - 1;
  for (std::size_t at = 0; at < to.size_bytes(); at += block.size() * 4) {
    to.write(block.data(), std::min(block.size() * 4, to.size_bytes() - at), at);
  }
}

std::vector<char> sample(const buffer& from) {
  std::vector<char> bytes(std::size_t{1} << 20);
  from.read(bytes.data(), bytes.size(), from.size_bytes() - bytes.size());
  return bytes;
}

template <class Real>
double difference(const std::vector<char>& a, const std::vector<char>& b) {
  const auto* x = reinterpret_cast<const Real*>(a.data());
  const auto* y = reinterpret_cast<const Real*>(b.data());
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < a.size() / sizeof(Real); ++i) {
    error += (double(x[i]) - double(y[i])) * (double(x[i]) - double(y[i]));
    energy += double(y[i]) * double(y[i]);
  }
  return std::sqrt(error / energy);
}

template <class Real>
void search(queue& on, precision real, unsigned log2_length, buffer& in, buffer& out) {
  const auto& compiler =
      static_cast<const backend::cuda::engine&>(backend::cuda_engine()).compiler();
  plan_spec what{.lengths = {std::size_t{1} << log2_length}, .real = real};
  what.batch = total_bytes / (2 * sizeof(Real)) >> log2_length;

  const plan known{on, what};
  known.enqueue(on, in.view(), out.view());
  const auto expected = sample(out);

  std::vector<candidate> candidates;
  std::vector<cli::entrant> entrants;
  entrants.push_back(cli::queued(on, "copy", [&] { on.impl()->copy(out.view(), in.view()); }));
  for (const pass& one : shapes_of(what, on.device())) {
    try {
      candidates.push_back(
          {one,
           compiler.compile(on.impl(), {backend::flatten(one.source_text(), "pass"), one.entry(),
                                        one.threads(), one.scratch_bytes()}),
           upload<Real>(on, one)});
    } catch (const error& refused) {
      std::fprintf(stderr, "%s\n", refused.what());
    }
  }
  for (const candidate& each : candidates) {
    entrants.push_back(cli::queued(on, "", [&] {
      each.made->launch(*on.impl(), each.shape.workgroups(what.batch),
                        {in.view(), out.view(), each.table.view(), 0, 0, what.batch});
    }));
  }
  std::vector<double> off;
  for (std::size_t i = 1; i < entrants.size(); ++i) {
    std::vector<char> poison(std::size_t{1} << 20, char(0xff));
    out.write(poison.data(), poison.size(), out.size_bytes() - poison.size());
    entrants[i].time(1);
    off.push_back(difference<Real>(sample(out), expected));
  }
  cli::take_turns(entrants, 7);
  const double copy_s = entrants[0].median_s();
  std::vector<std::size_t> order(candidates.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return entrants[a + 1].median_s() < entrants[b + 1].median_s();
  });
  fmt::print("2^{} copy {:.4f} ms\n", log2_length, 1e3 * copy_s);
  for (std::size_t rank = 0; rank < std::min<std::size_t>(6, order.size()); ++rank) {
    const candidate& each = candidates[order[rank]];
    const auto took = each.made->resources();
    fmt::print(
        "  {:.3f}  {{{}, {}, {}, {}, {}, {}}},  {} threads {} registers {} spilled, off {:.1e}\n",
        copy_s / entrants[order[rank] + 1].median_s(), log2_length, each.shape.elements_per_thread,
        each.shape.transforms, each.shape.half_trade, each.shape.stage_in, each.shape.stage_out,
        each.shape.threads(), took.registers, took.spill_bytes, off[order[rank]]);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const bool is_double = argc > 1 && std::string_view(argv[1]) == "fp64";
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1;
  const unsigned last = argc > 3 ? static_cast<unsigned>(std::stoul(argv[3])) : is_double ? 12 : 13;
  queue on{first_device(engine::cuda)};
  buffer in{on, total_bytes}, out{on, total_bytes};
  fill(in);
  for (unsigned bits = first; bits <= last; ++bits) {
    if (is_double) {
      search<double>(on, precision::fp64, bits, in, out);
    } else {
      search<float>(on, precision::fp32, bits, in, out);
    }
  }
  return 0;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "best_shape: %s\n", failed.what());
  return 3;
}
