// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>  // App

#include <bit>       // bit_floor, countr_zero
#include <charconv>  // from_chars
#include <memory>    // make_shared

#include "bench_problem.hpp"     // run_problem
#include "choose.hpp"            // choose_devices, precision_named
#include "peer_cufft.hpp"        // cufft_peer
#include "print_json.hpp"        // print_json
#include "progress.hpp"          // progress
#include "report.hpp"            // print
#include "table.hpp"             // table
#include "wingbeat/error.hpp"    // plan_error
#include "wingbeat/version.hpp"  // WINGBEAT_VERSION_MAJOR

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat bench                                  2^1..2^13, complex fp32, on the best device
  wingbeat bench --engine cuda --peer cufft       cuFFT takes turns with us in the same run
  wingbeat bench --lengths 256,4096 --precision fp64 --kind forward_from_real
  wingbeat bench --engine host --mib 64 --json    figures for a program

Each length runs as one batch that fills --mib of input. A fraction is the time of a plain copy
of the same bytes over the time of the transform: 1 is the limit of a transform that crosses
memory once. Exit code 1 if a checked row is outside the accuracy table.)";

struct options {
  std::string lengths = "2^1..2^13";
  std::string kind = "forward";
  std::string precision = "fp32";
  std::string engine;
  std::string peer;
  std::size_t mib = 2048;
  int n_rounds = 15;
  bool is_json = false;
};

/// Reads "1024" or "2^10".
std::size_t length_of(std::string_view word) {
  const bool is_power = word.starts_with("2^");
  const std::string_view digits = is_power ? word.substr(2) : word;
  std::size_t value = 0;
  const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = fault == std::errc{} && stop == digits.data() + digits.size();
  if (!is_number || (is_power && value > 62)) {
    throw plan_error(fmt::format("'{}' is not a length; write 1024, 2^10 or 2^1..2^13", word));
  }
  return is_power ? std::size_t{1} << value : value;
}

/// Reads "2^1..2^13", a range in powers of two, or "256,4096", a list.
std::vector<std::size_t> lengths_of(std::string_view text) {
  std::vector<std::size_t> all;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t dots = part.find("..");
    const std::size_t first = length_of(part.substr(0, dots));
    const std::size_t last =
        dots == std::string_view::npos ? first : length_of(part.substr(dots + 2));
    if (first == 0 || first > last) {
      throw plan_error(fmt::format("'{}' is an empty range; write the shorter length first", part));
    }
    for (std::size_t n = first; n <= last; n *= 2) all.push_back(n);
  }
  if (all.empty()) throw plan_error("no length was given; write for example --lengths 2^1..2^13");
  return all;
}

transform kind_named(const std::string& name) {
  for (const transform kind : {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real}) {
    if (name == name_of(kind)) return kind;
  }
  throw plan_error(
      fmt::format("there is no kind '{}'; choose forward, inverse, forward_from_real "
                  "or inverse_to_real",
                  name));
}

/// One row of every problem must fit: the batch is what fills the bytes, one at least.
plan_spec problem_of(const options& chosen, std::size_t length) {
  plan_spec what{.lengths = {length}};
  what.kind = kind_named(chosen.kind);
  what.real = precision_named(chosen.precision);
  const std::size_t row_bytes = std::max(input_bytes(what), output_bytes(what));
  what.batch = std::max<std::size_t>((chosen.mib << 20) / row_bytes, 1);
  return what;
}

nlohmann::ordered_json json_of(const bench_figures& of, double copy_s) {
  return {{"median_s", of.median_s},
          {"min_s", of.min_s},
          {"max_s", of.max_s},
          {"fraction", copy_s / of.median_s},
          {"plan_s", of.plan_s},
          {"relative_l2", of.accuracy.relative_l2},
          {"relative_l2_bound", of.accuracy.relative_l2_bound},
          {"largest_error", of.accuracy.largest_error / of.accuracy.largest_value},
          {"is_accurate", of.accuracy.is_within}};
}

nlohmann::ordered_json json_of(const bench_result& of) {
  nlohmann::ordered_json j;
  j["length"] = of.what.lengths.front();
  j["batch"] = std::size_t{of.what.batch};
  j["copied_bytes"] = of.copied_bytes;
  j["copy_s"] = of.copy_s;
  j["copy_bytes_per_s"] = 2 * static_cast<double>(of.copied_bytes) / of.copy_s;
  j["wingbeat"] = json_of(of.ours, of.copy_s);
  if (of.peer.median_s > 0) {
    j["peer"] = json_of(of.peer, of.copy_s);
    j["ratio"] = of.peer.median_s / of.ours.median_s;
  }
  j["traffic_bytes"] = of.traffic_bytes;
  j["plan"] = of.plan_text;
  for (const kernel_resources& k : of.kernels) {
    j["kernels"].push_back({{"name", k.name},
                            {"threads", k.threads},
                            {"registers", k.registers},
                            {"spill_bytes", k.spill_bytes},
                            {"stack_bytes", k.stack_bytes},
                            {"scratch_bytes", k.scratch_bytes}});
  }
  return j;
}

void print_document(const options& chosen, const device_info& where,
                    const std::vector<bench_result>& results) {
  nlohmann::ordered_json j{{"schema", "wingbeat.bench/1"}};
  j["version"] = fmt::format("{}.{}.{}", WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR,
                             WINGBEAT_VERSION_PATCH);
  j["commit"] = WINGBEAT_COMMIT;
  j["command"] = fmt::format(
      "wingbeat bench --engine {} --lengths {} --kind {} --precision {} --mib {} --rounds {}{}{}",
      short_name(where), chosen.lengths, chosen.kind, chosen.precision, chosen.mib, chosen.n_rounds,
      chosen.peer.empty() ? "" : " --peer ", chosen.peer);
  j["device"] = {{"engine", name_of(where.runs_on)},
                 {"name", where.name},
                 {"architecture", where.architecture},
                 {"version", where.version}};
  if (!chosen.peer.empty()) j["peer"] = {{"name", chosen.peer}, {"version", cufft_peer::version()}};
  j["kind"] = chosen.kind;
  j["precision"] = chosen.precision;
  for (const bench_result& one : results) j["results"].push_back(json_of(one));
  print_json(j);
}

void print_table(const std::vector<bench_result>& results, bool has_peer) {
  std::vector<column> columns{{"length"},   {"batch"},         {"copy"}, {"wingbeat"},
                              {"fraction"}, {"error / bound"}, {"plan"}};
  if (has_peer)
    columns.insert(columns.end(), {{"peer"}, {"fraction"}, {"error / bound"}, {"ratio"}});
  table listed{columns};
  const auto error_text = [](const bench_figures& of) {
    return fmt::format("{:.2f}{}", of.accuracy.relative_l2 / of.accuracy.relative_l2_bound,
                       of.accuracy.is_within ? "" : " WRONG");
  };
  for (const bench_result& r : results) {
    std::vector<std::string> cells{fmt::format("{}", r.what.lengths.front()),
                                   fmt::format("{}", r.what.batch),
                                   seconds_text(r.copy_s),
                                   seconds_text(r.ours.median_s),
                                   fmt::format("{:.3f}", r.fraction()),
                                   error_text(r.ours),
                                   seconds_text(r.ours.plan_s)};
    if (has_peer) {
      cells.insert(cells.end(),
                   {seconds_text(r.peer.median_s), fmt::format("{:.3f}", r.peer_fraction()),
                    error_text(r.peer), fmt::format("{:.2f}", r.peer.median_s / r.ours.median_s)});
    }
    listed.add(cells);
  }
  print(listed.text());
}

void validate(const options& chosen, const device_info& where) {
  if (chosen.mib == 0) throw plan_error("--mib is 0; give the input at least 1 MiB");
  if (chosen.n_rounds < 1) throw plan_error("--rounds is below 1; one round is the least");
  if (chosen.peer.empty()) return;
  if (chosen.peer != "cufft") {
    throw plan_error(fmt::format("there is no peer '{}'; this version knows cufft", chosen.peer));
  }
  if (where.runs_on != engine::cuda) {
    throw plan_error(
        fmt::format("cufft takes turns on engine cuda alone; {} was chosen", short_name(where)));
  }
  if (const std::string why = cufft_peer::why_absent(); !why.empty()) throw absent_error(why);
}

int bench(const options& chosen) {
  const precision real = precision_named(chosen.precision);
  const device_info where =
      chosen.engine.empty() ? best_device() : choose_devices({chosen.engine}, real).front();
  validate(chosen, where);
  std::vector<plan_spec> problems;
  std::size_t most_bytes = 0;
  for (const std::size_t length : lengths_of(chosen.lengths)) {
    problems.push_back(problem_of(chosen, length));
    most_bytes =
        std::max({most_bytes, input_bytes(problems.back()), output_bytes(problems.back())});
  }
  queue on{where};
  bench_buffers memory{on, most_bytes};
  progress bar{"bench", problems.size()};
  std::vector<bench_result> results;
  bool is_accurate = true;
  for (const plan_spec& what : problems) {
    bar.step(fmt::format("length {}", what.lengths.front()));
    results.push_back(run_problem(on, what, memory, {chosen.n_rounds, chosen.peer}));
    is_accurate = is_accurate && results.back().ours.accuracy.is_within;
  }
  chosen.is_json ? print_document(chosen, where, results)
                 : print_table(results, !chosen.peer.empty());
  return is_accurate ? exit_ok : exit_check_failed;
}

}  // namespace

void add_bench(CLI::App& program, int& exit_code) {
  auto chosen = std::make_shared<options>();
  CLI::App* command =
      program.add_subcommand("bench", "time transforms as a fraction of a plain copy");
  command->footer(examples);
  command->add_option("--lengths", chosen->lengths, "lengths: a list or a range in powers of two")
      ->capture_default_str();
  command
      ->add_option("--kind", chosen->kind, "forward, inverse, forward_from_real, inverse_to_real")
      ->capture_default_str();
  command->add_option("--precision", chosen->precision, "fp32 or fp64")->capture_default_str();
  command->add_option("--engine", chosen->engine, "one device; the best one when not given");
  command->add_option("--peer", chosen->peer, "a library to measure beside: cufft");
  command->add_option("--mib", chosen->mib, "MiB of input (or output, if larger) of each batch")
      ->capture_default_str();
  command->add_option("--rounds", chosen->n_rounds, "turns of each entrant")->capture_default_str();
  command->add_flag("--json", chosen->is_json, "print JSON instead of a table");
  command->callback([chosen, &exit_code] { exit_code = bench(*chosen); });
}

}  // namespace wingbeat::cli
