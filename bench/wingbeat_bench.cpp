// SPDX-License-Identifier: Apache-2.0
// Asks one of the questions of bench/ and writes the answer. Without words it lists the questions.
#include <CLI/CLI.hpp>  // App
#include <cstdlib>      // getenv
#include <random>       // mt19937, normal_distribution
#include <sstream>

#include "bench/question.hpp"
#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "measure/document_text.hpp"                   // write_document

namespace wingbeat::bench {

std::vector<question>& questions() {
  static std::vector<question> list;
  return list;
}

queue& session::on() {
  if (queue_) return *queue_;
  const std::size_t colon = std::min(device.find(':'), device.size());
  const std::size_t index = colon < device.size() ? std::stoul(device.substr(colon + 1)) : 0;
  const std::vector<device_info> found = devices(engine_named(device.substr(0, colon)));
  if (index >= found.size()) throw plan_error(device + " is no device here: wingbeat devices");
  queue_.emplace(found[index]);
  head_["device"] = fmt::format("{}, {}", found[index].name, found[index].version);
  return *queue_;
}

std::vector<std::size_t> session::numbers(std::vector<std::size_t> otherwise) const {
  if (words.empty()) return otherwise;
  std::vector<std::size_t> result;
  for (const std::string& word : words) result.push_back(std::stoul(word));
  return result;
}

void session::time(std::vector<measure::timed_run>& runs, json& row) const {
  measure::take_turns(runs, n_rounds);
  for (const measure::timed_run& run : runs) row[run.name + "_us"] = 1e6 * run.median_s();
}

void session::add(json row, bool is_right) {
  is_right_ = is_right_ && is_right;
  fmt::print("{}{}\n", row.dump(), is_right ? "" : "  WRONG");
  std::fflush(stdout);
  rows_.push_back(std::move(row));
  if (file.empty()) return;
  json document = head_;  // written after each row, in case the program is ended
  document["rounds"] = n_rounds;
  document["rows"] = rows_;
  measure::write_document(file, document);
}

std::vector<float> noise(std::size_t count, unsigned seed) {
  std::mt19937 bits{seed};
  std::vector<float> values(count);
  for (float& each : values) each = static_cast<float>(bits() >> 8) * 0x1p-23F - 1;
  return values;
}

std::vector<std::byte> packed_noise(std::size_t count, unsigned bits) {
  std::mt19937 engine{17};
  const double full_scale = static_cast<double>((1U << (bits - 1)) - 1);
  std::normal_distribution<double> normal{0, 0.1 * full_scale / std::sqrt(2.0)};
  std::vector<std::int16_t> samples(count);
  for (auto& each : samples) each = static_cast<std::int16_t>(std::lrint(normal(engine)));
  std::vector<std::byte> packed(count / 8 * bits);
  channelising::pack_samples(samples, bits, 0, packed);
  return packed;
}

void fill(buffer& memory, const void* values, std::size_t size_bytes) {
  for (std::size_t offset = 0; offset < memory.size_bytes(); offset += size_bytes) {
    memory.write(values, std::min(size_bytes, memory.size_bytes() - offset), offset);
  }
}

double difference_of(const buffer& a, const buffer& b) {
  const std::size_t bytes =
      std::min({a.size_bytes(), b.size_bytes(), sizeof(float) << 21U}) / 4 * 4;
  std::vector<float> first(bytes / 4), second(bytes / 4);
  a.read(first.data(), bytes);
  b.read(second.data(), bytes);
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double off = static_cast<double>(first[i]) - second[i];
    error += off * off;
    energy += static_cast<double>(second[i]) * second[i];
  }
  return std::sqrt(error / energy);
}

measure::timed_run copy_run(const queue& on, const buffer& to, const buffer& from) {
  buffer_view target = to.view(), source = from.view();
  target.size_bytes = source.size_bytes = std::min(to.size_bytes(), from.size_bytes());
  return measure::queued_run(on, "copy", [=] { on.impl()->copy(target, source); });
}

std::vector<kernel_parameter> parameters_of(const std::string& letters) {
  std::vector<kernel_parameter> result;
  std::istringstream words{letters};
  for (std::string word; words >> word;) {
    const std::size_t bytes = word.size() > 1 ? std::stoul(word.substr(1)) : 0;
    result.push_back(word[0] == 'i'   ? kernel_parameter::input(bytes)
                     : word[0] == 'o' ? kernel_parameter::output(bytes)
                     : word[0] == 'u' ? kernel_parameter::value<unsigned>()
                     : word[0] == 'z' ? kernel_parameter::value<std::size_t>()
                                      : kernel_parameter::value<float>());
  }
  return result;
}

namespace {

void list_questions() {
  auto list = questions();
  std::ranges::sort(list, {}, &question::name);
  for (const question& each : list) fmt::print("{} {}\n    {}\n", each.name, each.words, each.asks);
}

int answer(session& asked, const std::string& name) {
  const auto found = std::ranges::find(questions(), name, &question::name);
  if (found == questions().end()) {
    list_questions();
    return name.empty() ? 0 : 2;
  }
  const char* const commit = std::getenv("WINGBEAT_COMMIT");
  asked.head("question", name);
  asked.head("commit", commit == nullptr ? "unknown" : commit);
  found->answer(asked);
  return asked.is_right() ? 0 : 1;
}

}  // namespace
}  // namespace wingbeat::bench

int main(int argc, char** argv) try {
  wingbeat::bench::session asked;
  std::string name;
  CLI::App program{"Asks a question of bench/, in turns with a copy; without one it lists them."};
  program.add_option("question", name, "its name");
  program.add_option("words", asked.words, "what the question takes");
  program.add_option("--device", asked.device, "ENGINE or ENGINE:INDEX")->capture_default_str();
  program.add_option("--rounds", asked.n_rounds, "turns of each run")->check(CLI::Range(1, 999));
  program.add_option("--json", asked.file, "the document; $WINGBEAT_COMMIT names its commit");
  CLI11_PARSE(program, argc, argv);
  return wingbeat::bench::answer(asked, name);
} catch (const std::exception& failed) {
  fmt::print(stderr, "wingbeat_bench: {}\n", failed.what());
  return 3;
}
