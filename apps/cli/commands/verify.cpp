// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // max
#include <iterator>   // move_iterator

#include "cli/choose.hpp"              // choose_devices, listed_devices, add_devices
#include "cli/kinds.hpp"               // kinds_named
#include "cli/messages.hpp"            // print_message, print
#include "cli/option.hpp"              // add_list, add_count
#include "cli/progress.hpp"            // progress
#include "cli/reports/print_json.hpp"  // print_json
#include "cli/reports/ranks.hpp"       // ranks_text
#include "cli/reports/verify.hpp"      // verify_text, verify_json
#include "request/traits.hpp"          // traits_of
#include "text/formatted.hpp"          // formatted
#include "verify/laws.hpp"             // laws
#include "verify/verify.hpp"           // check

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat verify
      every engine, 2^1 .. 2^12 points on one to three axes, complex and real, both ways, cosines
      and sines, fp32 and fp64
  wingbeat verify --engine opencl --max-log2 18 --precision fp32
  wingbeat verify --engine host --lengths 60,1000,3600
      lengths that are no powers of two
  wingbeat verify --engine host --kind dct2,dct3
      transforms from reals to reals
  wingbeat verify --devices 0,1 --max-log2 20
      transforms cut among two GPUs, wherever they can be cut
  wingbeat verify --json > verdicts.json

Each check compares with an identity, the definition or the reference engine, and allows rounding
errors of u sqrt(log2 N) in relative L2 for one transform (1.25 times that in fp64), with u = 2^-24
in fp32 and 2^-53 in fp64. The table shows the trial of each check that came nearest
to its bound; --json shows every trial. Exit code 1 if a check fails.)";

constexpr std::size_t max_sentences = 20;

struct verify_options {
  std::vector<std::string> engines{"all"}, devices;
  std::optional<precision> real = {};  ///< Unset: both.
  std::vector<std::string> listed, kinds{"all"};
  verify::lengths over;
  bool is_json = false;
};

/// A device, or several that share transforms, and the precision in which they are checked.
struct subject {
  std::vector<device_info> ranks;
  precision real;

  [[nodiscard]] std::string name() const {
    return ranks_text(ranks.size(), short_name(ranks.front()));
  }
};

std::vector<subject> subjects_of(const verify_options& o) {
  std::vector<subject> subjects;
  for (const precision real : {precision::fp32, precision::fp64}) {
    if (o.real && *o.real != real) continue;
    if (!o.devices.empty()) {
      subjects.push_back({listed_devices(o.devices, real), real});
      continue;
    }
    for (const auto& device : choose_devices(o.engines, real)) subjects.push_back({{device}, real});
  }
  return subjects;
}

/// Returns the kinds to check; empty: each that exists for a length.
std::vector<transform> kinds_of(const verify_options& o) {
  std::vector<std::string> names = o.kinds;
  const bool is_all = std::erase(names, "all") > 0;
  std::vector<transform> kinds;
  if (!names.empty()) {
    kinds = kinds_named(joined(names, ","), formatted("all, or some of {}", all_kinds));
  }
  if (!is_all) return kinds;
  if (o.devices.size() < 2) return {};
  kinds = verify::every_kind();
  std::erase_if(kinds, [](transform each) { return request::traits_of(each).is_real_to_real(); });
  return kinds;
}

std::vector<verify::verdict> check_all(const verify_options& o) {
  const auto subjects = subjects_of(o);
  const std::vector<transform> kinds = kinds_of(o);
  verify::lengths over = o.over;
  over.listed = listed_lengths(o.listed);
  progress bar{"verify", subjects.size() * verify::points_of(over).size()};
  std::vector<verify::verdict> verdicts;
  for (const subject& checked : subjects) {
    auto found = verify::check(
        checked.ranks, checked.real, over,
        [&](std::size_t length) {
          bar.step(formatted("{}, {}, length {}", checked.name(), name_of(checked.real), length));
        },
        kinds);
    verdicts.insert(verdicts.end(), std::move_iterator(found.begin()),
                    std::move_iterator(found.end()));
  }
  return verdicts;
}

int run(const verify_options& o) {
  const auto verdicts = check_all(o);
  o.is_json ? print_json(verify_json(verdicts)) : print(verify_text(verdicts));

  std::size_t n_wrong = 0;
  for (const auto& v : verdicts) {
    if (!v.is_right() && n_wrong++ < max_sentences) print_message("{}", sentence_of(v));
  }
  if (n_wrong > max_sentences) {
    print_message("and {} more; --json lists them all", n_wrong - max_sentences);
  }
  if (!o.is_json) print(formatted("{} checks, {} wrong\n", verdicts.size(), n_wrong));
  return n_wrong == 0 ? exit_ok : exit_check_failed;
}

std::string checks_in_words() {
  std::string words = "\nChecks:\n";
  for (const auto& law : verify::laws()) {
    words += formatted("  {:<12} {}\n", law.name, law.statement);
  }
  return words;
}

void add_options(CLI::App& command, verify_options& o) {
  add_list(command, "--engine", o.engines, "all, or some of reference, host, opencl, cuda, ...");
  add_devices(command, o.devices, "Transforms over several devices, as 0,1 or host,host,host");
  add_choice(command, "--precision", o.real,
             choices<std::optional<precision>>{
                 {"fp32", precision::fp32}, {"fp64", precision::fp64}, {"all", std::nullopt}});
  const count_range exponents{1, max_length_log2()};
  add_count(command, "--min-log2", o.over.min_log2, exponents, "First length is 2^this");
  add_count(command, "--max-log2", o.over.max_log2, exponents, "Last length is 2^this");
  add_listed_lengths(command, o.listed);
  add_list(command, "--kind", o.kinds, "all, or some of c2c, c2c-inverse, r2c, c2r, dct1, .., dht");
  add_switch(command, "--json", o.is_json, "Print every trial as JSON instead of a table");
}

}  // namespace

void add_verify(CLI::App& program, int& exit_code) {
  add_command<verify_options>(
      program, exit_code,
      {"verify", "Checks every engine and length against the laws a transform obeys",
       examples + checks_in_words()},
      run, add_options);
}

}  // namespace wingbeat::cli
