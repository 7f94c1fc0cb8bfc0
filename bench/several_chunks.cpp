// SPDX-License-Identifier: Apache-2.0
// How large should the chunks be that ranks copy to others while they transform the next ones?
// Times one transform on several devices, wall times in turns, in chunks of each size that is given
// and without chunks (0), copied, or stored beside by so many workgroups (64@128); results are not
// looked at.
//     several_chunks results.json ENGINE INDEX,INDEX.. KIND LENGTHxLENGTH.. [WORKGROUPS@]MIB,..
// ENGINE: cuda or host. KIND: forward, inverse, forward_from_real or inverse_to_real.
#include <fmt/format.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <nlohmann/json.hpp>
#include <sstream>  // istringstream
#include <string>
#include <vector>

#include "distributing/cut_transform.hpp"  // cut_transform
#include "measure/document_text.hpp"       // write_document
#include "measure/rounds.hpp"              // timed_run, take_turns
#include "measure/wall_time.hpp"           // seconds_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using distributing::cut_transform;
using distributing::handover;
using distributing::phased_transform;

constexpr int n_rounds = 7;
constexpr double turn_s = 0.05;

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> result;
  std::istringstream words{text};
  for (std::string word; std::getline(words, word, separator);) result.push_back(word);
  return result;
}

std::vector<std::size_t> numbers_of(const std::string& text, char separator) {
  std::vector<std::size_t> result;
  for (const std::string& word : words_of(text, separator)) result.push_back(std::stoul(word));
  return result;
}

domain domain_of(const std::string& name, const std::string& indices) {
  const std::vector<device_info> found = devices(name == "cuda" ? engine::cuda : engine::host);
  std::vector<device_info> chosen;
  for (const std::size_t index : numbers_of(indices, ',')) chosen.push_back(found.at(index));
  return domain::of_devices(chosen);
}

transform kind_of(const std::string& name) {
  for (const transform kind : {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real}) {
    if (name == name_of(kind)) return kind;
  }
  throw plan_error(name + " is no kind here; see the first lines of several_chunks.cpp");
}

/// One way to time.
struct variant {
  std::string name;
  handover way = handover::stores;
  std::size_t workgroups = phased_transform::usual_workgroups;
  std::size_t chunk_bytes = ~std::size_t{0};

  explicit variant(const std::string& text) : name(text + " MiB") {
    const std::size_t sign = text.find('@');
    if (sign != std::string::npos) workgroups = std::stoul(text.substr(0, sign));
    const std::size_t mib = std::stoul(sign == std::string::npos ? text : text.substr(sign + 1));
    if (mib == 0) return;
    chunk_bytes = mib << 20;
    way = sign == std::string::npos ? handover::copies : handover::beside;
  }
};

/// Memory of all ranks, for chunks of any size.
struct arrays {
  std::vector<buffer> memory;
  std::vector<buffer_view> in, out;

  arrays(const domain& ranks, const phased_transform& steps) {
    const std::size_t last = steps.phases().size() - 1;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const index_range share = steps.share(0, rank);
      const plan_spec first = steps.transforms(0, rank, share.end - share.first, false);
      in.push_back(memory.emplace_back(ranks.at(rank), input_bytes(first)).view());
      out.push_back(memory.emplace_back(ranks.at(rank), steps.left_bytes(last, rank)).view());
    }
  }
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 7) {
    std::fprintf(stderr, "several_chunks results.json ENGINE INDEX,.. KIND LENGTHxLENGTH MIB,..\n");
    return 2;
  }
  const domain ranks = domain_of(argv[2], argv[3]);
  const plan_spec spec{.lengths = numbers_of(argv[5], 'x'), .kind = kind_of(argv[4])};
  const auto steps_of = [&](const variant& each) {
    return phased_transform{spec, bin_distribution::transposed, ranks.size(), each.way,
                            each.workgroups};
  };
  const arrays values{ranks, steps_of(variant{"0"})};
  std::deque<cut_transform> cuts;
  std::vector<measure::timed_run> runs;
  for (const std::string& text : words_of(argv[6], ',')) {
    const variant each{text};
    cut_transform& cut = cuts.emplace_back(ranks, steps_of(each), each.chunk_bytes);
    cut.prepare();
    runs.push_back({each.name, [&](std::size_t n_runs) {
                      return measure::seconds_of([&] {
                        for (std::size_t i = 0; i < n_runs; ++i) cut.run(values.in, values.out);
                        ranks.wait();
                      });
                    }});
  }
  measure::take_turns(runs, n_rounds, turn_s);
  nlohmann::ordered_json document{{"schema", "wingbeat.several_chunks/1"},
                                  {"device", ranks.at(0).device().name},
                                  {"ranks", ranks.size()},
                                  {"lengths", spec.lengths},
                                  {"kind", name_of(spec.kind)}};
  fmt::print("{} {}:", argv[5], argv[4]);
  for (const measure::timed_run& each : runs) {
    fmt::print(" {} {:.4g} ms;", each.name, 1e3 * each.median_s());
    document["results"].push_back({{"chunk", each.name}, {"s", each.median_s()}});
  }
  fmt::print("\n");
  measure::write_document(argv[1], document);
  return 0;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "several_chunks: %s\n", failed.what());
  return 3;
}
