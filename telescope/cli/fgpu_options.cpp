// SPDX-License-Identifier: Apache-2.0
#include "cli/fgpu_options.hpp"

#include <CLI/CLI.hpp>  // App

#include "text/formatted.hpp"  // formatted
#include "text/number.hpp"     // number_from
#include "text/reject.hpp"     // reject

namespace wingbeat::cli {
namespace {

struct fgpu_option {
  const char* name;
  bool has_value;
};

// Options of ibverbs, of GPU memory that a network card writes, of Python, and of absent chunks.
constexpr fgpu_option fgpu_options[] = {{"--recv-ibv", false},
                                        {"--send-ibv", false},
                                        {"--recv-comp-vector", true},
                                        {"--send-comp-vector", true},
                                        {"--use-vkgdr", false},
                                        {"--use-peerdirect", false},
                                        {"--send-chunk-jones", true},
                                        {"--jones-per-batch", true},
                                        {"--monitor-log", true},
                                        {"--aiomonitor", false},
                                        {"--aiomonitor-host", true},
                                        {"--aiomonitor-port", true},
                                        {"--aiomonitor-webui-port", true},
                                        {"--aioconsole-port", true}};
constexpr const char* ignored_key = "weight_pass";

}  // namespace

void add_fgpu_options(CLI::App& command, std::vector<std::string>& ignored) {
  for (const fgpu_option& each : fgpu_options) {
    const auto ignore = [&ignored, name = each.name] { ignored.emplace_back(name); };
    // CLI11's message does not name an option of an unlisted group, so a missing value is refused
    // here.
    const auto take = [ignore, name = each.name](const std::string& value) {
      if (value.empty()) reject("{} has no value; write {} VALUE", name, name);
      ignore();
    };
    CLI::Option* const option =
        each.has_value ? command.add_option_function<std::string>(each.name, take)->expected(0, 1)
                       : command.add_flag_callback(each.name, ignore);
    option->group("");  // hides it from the list of options
  }
}

bool has_ignored_key(const std::string& words) {
  return ("," + words).find(formatted(",{}=", ignored_key)) != std::string::npos;
}

std::string fgpu_options_text() {
  std::string text = "Ignored with a warning, because katgpucbf's fgpu has them:";
  std::size_t width = text.size();
  const auto add = [&](const std::string& word) {
    const bool fits = width + 1 + word.size() <= 100;
    text += (fits ? " " : "\n    ") + word;
    width = fits ? width + 1 + word.size() : 4 + word.size();
  };
  for (const fgpu_option& each : fgpu_options) add(formatted("{},", each.name));
  add(formatted("and {}= of an output.\n", ignored_key));
  return text;
}

std::vector<std::string> with_number_lists(const std::vector<std::string>& words) {
  const auto names_list = [](const std::string& name) {
    return name == "--recv-affinity" || name == "--recv-comp-vector";
  };
  std::vector<std::string> result;
  bool is_list = false;
  for (const std::string& word : words) {
    const bool is_number = word == "-1" || number_from<std::size_t>(word);
    if (is_list && is_number) {
      result.back() += "," + word;
      continue;
    }
    const bool is_value = !result.empty() && names_list(result.back());
    const std::size_t equals = word.find('=');
    is_list = is_value || (equals != std::string::npos && names_list(word.substr(0, equals)));
    result.push_back(word);
  }
  return result;
}

}  // namespace wingbeat::cli
