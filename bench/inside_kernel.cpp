// SPDX-License-Identifier: Apache-2.0
// What does the FFT inside a kernel reach? Kernels around workgroup::fft, compiled by NVRTC: plain
// transforms, a convolution in one kernel and in three, in each order, timed in turn with a copy of
// the same bytes and with cuFFT.
#include <fmt/format.h>
#include <CLI/CLI.hpp>  // App
#include <nlohmann/json.hpp>

#include <algorithm>  // min
#include <cstdio>     // popen
#include <cstdlib>    // getenv
#include <memory>     // unique_ptr

#include "inside_kernel_problem.hpp"
#include "measure/document_text.hpp"  // write_document
#include "peers/cufft.hpp"            // cufft
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::bench;
using nlohmann::ordered_json;

struct options {
  unsigned first_log2 = 6;
  unsigned last_log2 = 14;  ///< 13 unless fp32.
  std::vector<std::string> precisions{"fp32", "fp64", "fp16", "fp16_pair"};
  std::vector<std::string> orders{"natural", "nabla", "scrambled"};
  std::size_t mib = 1024;
  int n_rounds = 9;
  bool searches = false;
  std::string json_path;
};

/// Returns the first line a program prints; empty without it.
std::string first_line_of(const char* command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> from{popen(command, "r"), pclose};
  char line[256] = "";
  if (!from || std::fgets(line, sizeof line, from.get()) == nullptr) return "";
  std::string text = line;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string clocks() {
  return first_line_of(
      "nvidia-smi --query-gpu=clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.draw "
      "--format=csv,noheader 2>/dev/null");
}

std::string commit() {
  const char* given = std::getenv("WINGBEAT_COMMIT");  // a copy of the tree without its history
  if (given != nullptr && *given != '\0') return given;
  return first_line_of("git describe --always --dirty --abbrev=12 2>/dev/null");
}

template <class Value>
Value named(const std::string& word, std::initializer_list<Value> all) {
  for (const Value one : all) {
    if (word == name_of(one)) return one;
  }
  throw plan_error(fmt::format("there is no '{}'; see --help for the words", word));
}

ordered_json json_of(const contestant& one, const problem_result& result) {
  ordered_json j{{"what", one.name}};
  if (one.name != "cufft") {
    j["order"] = name_of(one.shape.spectrum_order);
    j["elements_per_thread"] = one.shape.elements_per_thread;
    j["transforms"] = one.shape.transforms;
    j["threads"] = one.shape.workgroup_threads();
    j["trade"] = one.shape.trades == device::workgroup::trade::whole ? "whole" : "halves";
    j["scratch_bytes"] = one.shape.scratch_bytes();
    j["exchanges"] = one.shape.exchanges();
    j["workgroup_exchanges"] = one.shape.workgroup_exchanges();
    j["registers"] = one.takes.registers;
    j["spill_bytes"] = one.takes.spill_bytes;
    j["stack_bytes"] = one.takes.stack_bytes;
    j["workgroups_at_once"] = one.workgroups_at_once;
  }
  j["median_s"] = one.median_s;
  j["min_s"] = one.min_s;
  j["max_s"] = one.max_s;
  j["fraction"] = result.copy_s / one.median_s;
  if (one.name == "convolve") j["ratio_to_three"] = result.three_s() / one.median_s;
  const contestant* cufft = result.find("cufft", device::order::natural);
  if (one.name == "forward" && cufft != nullptr) {
    j["ratio_to_cufft"] = cufft->median_s / one.median_s;
  }
  j["relative_l2"] = one.relative_l2;  // infinite becomes null
  j["relative_l2_bound"] = one.relative_l2_bound;
  j["is_identical"] = one.is_identical;
  j["is_complete"] = one.is_complete;
  return j;
}

ordered_json json_of(const problem_result& result) {
  ordered_json j{
      {"length", result.length},
      {"precision", name_of(result.real)},
      {"batch", result.batch},
      {"copied_bytes", result.copied_bytes},
      {"copy_s", result.copy_s},
      {"copy_bytes_per_s", 2 * static_cast<double>(result.copied_bytes) / result.copy_s}};
  for (const contestant& one : result.all) j["contestants"].push_back(json_of(one, result));
  return j;
}

void print_row(const problem_result& result, device::order how) {
  const contestant* plain = result.find("forward", how);
  const contestant* fused = result.find("convolve", how);
  const contestant* cufft = result.find("cufft", how);
  if (plain == nullptr || fused == nullptr) return;
  const auto shape = [](const contestant& one) {
    return fmt::format("{}x{}{}", one.shape.elements_per_thread, one.shape.transforms,
                       one.shape.trades == device::workgroup::trade::whole ? "" : "h");
  };
  fmt::print(
      "{:>6} {:<10} {:<10} {:>7.3f} {:>7.3f} {:>7} {:>7.2f}  {}({}) {:>7} {:>4} {:>7} {:>4} {:>6} "
      "{:.1e} {:.1e}{}\n",
      result.length, name_of(result.real), name_of(how), result.copy_s / plain->median_s,
      result.copy_s / fused->median_s,
      cufft == nullptr ? "-" : fmt::format("{:.2f}", cufft->median_s / plain->median_s),
      result.three_s() / fused->median_s, plain->shape.exchanges(),
      plain->shape.workgroup_exchanges(), shape(*plain), plain->takes.registers, shape(*fused),
      fused->takes.registers, plain->takes.spill_bytes + fused->takes.spill_bytes,
      plain->relative_l2, fused->relative_l2,
      plain->is_right() && fused->is_right() ? "" : "  WRONG");
  std::fflush(stdout);
}

void print_head() {
  fmt::print(
      "fraction of the copy, forward and convolution; cuFFT's time / ours; three kernels' / one; "
      "exchanges (of the workgroup);\nelements per thread x transforms, registers (forward, then "
      "convolution); spilled bytes; relative L2 error\n{:>6} {:<10} {:<10} {:>7} {:>7} {:>7} "
      "{:>7}  {:<4} {:>7} {:>4} {:>7} {:>4} {:>6}\n",
      "length", "precision", "order", "forward", "convolv", "/cuFFT", "/three", "exch", "shape",
      "regs", "shape", "regs", "spill");
}

ordered_json heading(const options& chosen, const queue& on, const std::string& command) {
  ordered_json j{{"schema", "wingbeat.inside_kernel/1"}};
  j["version"] = fmt::format("{}.{}.{}", WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR,
                             WINGBEAT_VERSION_PATCH);
  j["commit"] = commit();
  j["command"] = command;
  j["device"] = {{"name", on.device().name},
                 {"architecture", on.device().architecture},
                 {"version", on.device().version}};
  j["rounds"] = chosen.n_rounds;
  const std::string absent = peers::cufft::why_absent();
  j["cufft"] = absent.empty() ? peers::cufft::version() : absent;
  j["clocks_before"] = clocks();
  return j;
}

int run(const options& chosen, const std::string& command) {
  queue on{first_device(engine::cuda)};
  method how;
  how.n_rounds = chosen.n_rounds;
  how.searches = chosen.searches;
  how.has_cufft = peers::cufft::why_absent().empty();
  for (const std::string& word : chosen.orders) {
    how.orders.push_back(
        named(word, {device::order::natural, device::order::nabla, device::order::scrambled}));
  }
  ordered_json document = heading(chosen, on, command);
  bool is_right = true;
  print_head();
  for (const std::string& word : chosen.precisions) {
    const scalar real = named(word, {scalar::fp32, scalar::fp64, scalar::fp16, scalar::fp16_pair});
    memory data{on, real, chosen.mib << 20};
    const unsigned last = std::min(chosen.last_log2, real == scalar::fp32 ? 14U : 13U);
    for (unsigned bits = chosen.first_log2; bits <= last; ++bits) {
      const auto result = run_problem(on, 1U << bits, real, data, how);
      for (const auto order : how.orders) print_row(result, order);
      for (const contestant& one : result.all) {
        is_right = is_right && (one.name == "cufft" || one.is_right());  // a peer may be less exact
      }
      document["results"].push_back(json_of(result));
    }
  }
  document["clocks_after"] = clocks();
  if (!chosen.json_path.empty()) measure::write_document(chosen.json_path, document);
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  options chosen;
  CLI::App program{"what the FFT inside a kernel reaches"};
  program.add_option("--first", chosen.first_log2, "log2 of the first length, 6 at least")
      ->check(CLI::Range(6, 14));
  program.add_option("--last", chosen.last_log2, "log2 of the last; all but fp32 end at 13")
      ->check(CLI::Range(6, 14));
  program.add_option("--precision", chosen.precisions, "fp32, fp64, fp16, fp16_pair")
      ->delimiter(',');
  program.add_option("--order", chosen.orders, "natural, nabla, scrambled")->delimiter(',');
  program.add_option("--mib", chosen.mib, "MiB of input, a power of two")
      ->check(CLI::Range(16, 65536));
  program.add_option("--rounds", chosen.n_rounds, "turns of each run")->check(CLI::Range(1, 999));
  program.add_flag("--search", chosen.searches, "try shapes; the advised ones otherwise");
  program.add_option("--json", chosen.json_path, "a file to write");
  CLI11_PARSE(program, argc, argv);
  std::string command = "inside_kernel";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  return run(chosen, command);
} catch (const std::exception& failed) {
  std::fprintf(stderr, "inside_kernel: %s\n", failed.what());
  return 3;
}
