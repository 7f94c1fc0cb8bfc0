// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // min
#include <string>
#include <vector>

#include "cli/match_run.hpp"        // match_request, complete
#include "cli/messages.hpp"         // print_message, counted
#include "cli/option.hpp"           // add_command, add_file, add_inputs
#include "cli/reports/matches.hpp"  // match_outputs, report_matches
#include "cli/search_part.hpp"      // search_part, read_part, write_part
#include "text/formatted.hpp"       // formatted, joined
#include "text/reject.hpp"          // reject

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat match-merge part-* --top 20 --star found.star --projection best.npy
      what one wingbeat match of all templates would have written
  wingbeat match-merge part-0 part-1 --state left
      two parts as one, of which others are merged later

A part is a file of wingbeat match --shard I/N --state PART. Results are the same bits however the
templates were cut and the parts merged, on devices of one kind; --mean and --variance need parts
that were made with --moments. All parts must be there, unless --state is written alone.)";

struct options {
  std::vector<std::string> parts;
  std::string state;
  match_outputs outputs;
};

searching::search_part merged(const std::vector<std::string>& files) {
  searching::search_part part = read_part(files.front());
  for (std::size_t i = 1; i < files.size(); ++i) {
    part.merge(read_part(files[i]), files.front(), files[i],
               {.parts = "one command that differ in --shard only",
                .min_valid = "--min-valid",
                .moments = "--moments"});
  }
  return part;
}

void require_complete(const searching::search_part& part) {
  std::vector<std::string> missing;
  for (const auto& [begin, end] : part.missing()) {
    missing.push_back(begin + 1 == end ? formatted("{}", begin)
                                       : formatted("{} to {}", begin, end - 1));
  }
  if (missing.empty()) return;
  reject(
      "of {} templates {} are missing; merge their parts too, or write "
      "what there is with --state alone",
      part.n_templates, joined(missing, ", "));
}

void report(const options& o, searching::search_part part) {
  require_complete(part);
  match_request request;
  request_outputs(o.outputs, request);
  reject_if(!request.maps.empty() && part.kept.unit_sums.empty(),
            "these parts keep no sums for --mean and --variance; make them with --moments");
  match_result found{.height = part.kept.height,
                     .width = part.kept.width,
                     .n_templates = part.kept.templates,
                     .kept = std::move(part.kept)};
  complete(request, std::min(part.source.template_height, part.source.template_width), found);
  report_matches(o.outputs, part.source, request, found);
}

int run(const options& o) {
  require_outputs(o.outputs);
  searching::search_part part = merged(o.parts);
  if (part.devices.size() > 1) {
    print_message("parts were made on {}, which may round scores differently",
                  joined(part.devices, " and "));
  }
  if (!o.state.empty()) {
    write_part(o.state, part);
    print_message("wrote {}: {} of {}", o.state, counted(part.kept.templates, "template"),
                  part.n_templates);
  }
  if (o.state.empty() || has_outputs(o.outputs)) report(o, std::move(part));
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_inputs(command, "PART", o.parts, "Files that wingbeat match --state wrote")->required();
  add_file(command, file_use::output, "--state", o.state,
           "Write what was merged, to be merged with other parts");
  add_match_outputs(command, o.outputs);
}

}  // namespace

void add_match_merge(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code,
                       {"match-merge", "Merges parts of a search for many templates", examples},
                       run, add_options);
}

}  // namespace wingbeat::cli
