// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/transform.hpp"

#include <cmath>  // log10
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"          // short_name
#include "cli/kinds.hpp"           // kinds_text
#include "cli/messages.hpp"        // print_message
#include "cli/reports/ranks.hpp"   // ranks_text
#include "cli/reports/table.hpp"   // table, seconds_text
#include "measure/statistics.hpp"  // quartiles_of
#include "text/counted.hpp"        // counted
#include "text/formatted.hpp"      // formatted, joined

namespace wingbeat::cli {
namespace {

std::vector<std::string> line_of(const engine_result& r, std::size_t length) {
  std::vector<std::string> cells{short_name(r.device),
                                 ranks_text(r.n_ranks, r.device.name),
                                 formatted("{}", length),
                                 seconds_text(r.times.plan_s),
                                 seconds_text(r.times.first_run_s),
                                 seconds_text(measure::quartiles_of(r.times.execution_s).median),
                                 seconds_text(measure::quartiles_of(r.times.transfer_s).median)};
  if (r.against_definition) {
    const verify::agreement& a = *r.against_definition;
    for (const double error : {a.largest_error, a.relative_l2, a.relative_l2_bound}) {
      cells.push_back(formatted("{:.2e}", error));
    }
    cells.push_back(formatted("{}", a.n_off));
    cells.emplace_back(a.is_within ? "agrees" : "DISAGREES");
  } else {
    cells.insert(cells.end(), {"-", "-", "-", "-", "not checked"});
  }
  return cells;
}

nlohmann::ordered_json json_of(const engine_result& r) {
  nlohmann::ordered_json j;
  j["engine"] = name_of(r.device.runs_on);
  j["index"] = r.device.index;
  j["device"] = r.device.name;
  j["ranks"] = r.n_ranks;
  j["plan_s"] = r.times.plan_s;
  j["first_run_s"] = r.times.first_run_s;
  j["runs"] = r.times.execution_s.size();
  j["execution_s"] = measure::quartiles_of(r.times.execution_s).median;
  j["transfer_s"] = measure::quartiles_of(r.times.transfer_s).median;
  j["agrees"] = nullptr;
  if (r.against_definition) {
    const verify::agreement& a = *r.against_definition;
    j["largest_value"] = a.largest_value;
    j["largest_error"] = a.largest_error;
    j["largest_bound"] = a.largest_bound;
    j["relative_l2"] = a.relative_l2;
    j["relative_l2_bound"] = a.relative_l2_bound;
    j["norm_error"] = a.norm_error;
    j["n_values"] = a.n_values;
    j["n_off"] = a.n_off;
    j["agrees"] = a.is_within;
  }
  j["plan"] = r.times.explanation;
  return j;
}

}  // namespace

std::string heading(const std::string& file, const problem& solved) {
  const plan_spec& spec = solved.spec;
  return formatted("{}: {} of length {}, {}, {}, scale {}\n", file, kinds_text(spec),
                   joined(spec.lengths, " x "), counted(spec.batch, "row"), name_of(spec.real),
                   name_of(spec.scale));
}

std::string engines_text(std::size_t length, const std::vector<engine_result>& results,
                         const check_summary& check) {
  table engines{{{"engine", align::left},
                 {"device", align::left},
                 {"length"},
                 {"plan"},
                 {"first run"},
                 {"execution"},
                 {"transfer"},
                 {"largest error"},
                 {"relative L2"},
                 {"allowed L2"},
                 {"off"},
                 {"verdict", align::left}}};
  for (const engine_result& r : results) engines.add(line_of(r, length));
  const std::string checked = formatted("checked: {}\n", check.description);
  if (results.empty() || !results.front().against_definition) return engines.text() + checked;
  const verify::agreement& any = *results.front().against_definition;
  return engines.text() + checked +
         formatted("off: of {} values, those further than 1e-4 of the largest ({:.6g}) from it\n",
                   any.n_values, any.largest_value);
}

std::string peaks_text(const spectrum& shown, const std::vector<peak>& peaks) {
  const bool has_rows = shown.bins.n_rows > 1, has_rate = shown.sample_rate_hz > 0;
  std::vector<column> columns;
  if (has_rows) columns.push_back({"row"});
  columns.push_back({"bin"});
  if (has_rate) columns.push_back({"frequency (Hz)"});
  for (const char* const title : {"magnitude", "dB", "phase (rad)"}) columns.push_back({title});
  table strong{columns};
  for (const peak& p : peaks) {
    std::vector<std::string> cells;
    if (has_rows) cells.push_back(formatted("{}", p.row));
    cells.push_back(formatted("{}", p.bin));
    if (has_rate) cells.push_back(formatted("{:.3f}", shown.frequency_hz(p.bin)));
    cells.push_back(formatted("{:.6g}", p.magnitude));
    cells.push_back(formatted("{:.1f}", 20 * std::log10(p.magnitude)));
    cells.push_back(formatted("{:.4f}", p.phase_rad));
    strong.add(std::move(cells));
  }
  return formatted("strongest bins{}:\n",
                   shown.is_of_real ? " of 0..N/2 (the others mirror them)" : "") +
         strong.text();
}

nlohmann::ordered_json transform_json(const std::string& file, const problem& solved,
                                      double sample_rate_hz) {
  nlohmann::ordered_json document{{"schema", "wingbeat.transform/1"}};
  document["file"] = file;
  document["rows"] = std::size_t{solved.spec.batch};
  document["row_length"] = solved.row_length;
  document["kept_samples"] = solved.kept_samples;
  document["length"] = solved.length();
  document["kind"] = kinds_text(solved.spec);
  document["precision"] = name_of(solved.spec.real);
  document["scale"] = name_of(solved.spec.scale);
  document["sample_rate_hz"] = nullptr;
  if (sample_rate_hz > 0) document["sample_rate_hz"] = sample_rate_hz;
  if (solved.spec.lengths.size() > 1) document["lengths"] = solved.spec.lengths;
  return document;
}

void add_engines(nlohmann::ordered_json& document, const std::vector<engine_result>& results,
                 const check_summary& check) {
  constexpr const char* names[] = {"full", "sample", "none", "few"};
  document["check"] = names[static_cast<std::size_t>(check.extent)];
  document["checked"] = check.description;
  document["engines"] = nlohmann::ordered_json::array();
  for (const engine_result& r : results) document["engines"].push_back(json_of(r));
}

int report_verdicts(const engine_outcome& outcome, bool wants_files) {
  int code = outcome.failure;
  for (const engine_result& r : outcome.results) {
    if (!r.is_wrong()) continue;
    print_message("{} disagrees with the definition: {}", short_name(r.device),
                  breach_text(*r.against_definition));
    code = exit_check_failed;
  }
  if (outcome.best == nullptr && wants_files) {
    print_message("no engine agrees with the definition, so no file was written");
  }
  return code;
}

nlohmann::ordered_json peaks_json(const spectrum& shown, const std::vector<peak>& peaks) {
  auto list = nlohmann::ordered_json::array();
  for (const peak& p : peaks) {
    nlohmann::ordered_json j;
    j["row"] = p.row;
    j["bin"] = p.bin;
    if (shown.sample_rate_hz > 0) j["frequency_hz"] = shown.frequency_hz(p.bin);
    j["magnitude"] = p.magnitude;
    j["phase_rad"] = p.phase_rad;
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace wingbeat::cli
