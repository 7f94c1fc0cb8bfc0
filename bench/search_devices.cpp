// SPDX-License-Identifier: Apache-2.0
// How much quicker do several devices search an image for many templates than the first of them?
// Templates are in pinned memory of this process; each device takes the next batch when it has
// queued its last one, and copies it while it scores that one. What all keep, merged, has to be
// what one keeps, bit for bit, so they are of one kind.
//     search_devices results.json ENGINE:INDEX,ENGINE:INDEX.. [IMAGE TEMPLATE COUNT]
#include <fmt/format.h>

#include <algorithm>  // min
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>  // memcpy
#include <deque>
#include <exception>
#include <memory>  // shared_ptr, unique_ptr
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>  // istringstream
#include <string>
#include <thread>  // jthread
#include <vector>

#include "backend/backend.hpp"        // mark, queue
#include "bench/results.hpp"          // noise
#include "measure/document_text.hpp"  // write_document
#include "measure/rounds.hpp"         // timed_run, take_turns
#include "measure/wall_time.hpp"      // seconds_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t at_once = 8;
constexpr int n_rounds = 9;

struct problem {
  std::size_t image = 4096, part = 512, count = 1000;  ///< Both are squares.

  [[nodiscard]] search_spec spec() const {
    return {.image = {image, image}, .templates = {part, part}, .templates_at_once = at_once};
  }
  [[nodiscard]] std::size_t template_bytes() const { return part * part * sizeof(float); }
};

/// Hands out batches of templates to threads.
class dealer {
 public:
  explicit dealer(std::size_t count) : count_(count) {}

  /// Returns the first of the next `at_once` templates, as many as there are, or `count`.
  [[nodiscard]] std::size_t next() { return std::min(next_.fetch_add(at_once), count_); }

 private:
  std::size_t count_;
  std::atomic<std::size_t> next_ = 0;
};

/// A search on one device. A batch is copied on a queue of its own, to one of two buffers, once the
/// search has used what was there.
class searcher {
 public:
  searcher(const device_info& device, const problem& p, std::span<const float> image)
      : on_(device),
        beside_(on_.impl()->open_beside()),
        of_(p),
        image_{on_, image.size_bytes()},
        search_{on_, p.spec()} {
    image_.write(image.data(), image_.size_bytes());
    search_.begin(on_, image_.view());
    for (batch& each : batches_) each.templates = buffer{on_, at_once * p.template_bytes()};
  }

  void run(dealer& source, std::span<const std::byte> templates) {
    search_.restart(on_);
    std::size_t turn = 0;
    for (std::size_t first = source.next(); first < of_.count; first = source.next()) {
      const std::size_t count = std::min(at_once, of_.count - first);
      batch& target = batches_[turn++ % batches_.size()];
      backend::queue& copies = beside_ ? *beside_ : *on_.impl();
      // The thread must not run far ahead of its device, or it takes batches of others.
      if (target.used) target.used->wait();
      buffer_view view = target.templates.view();
      view.size_bytes = count * of_.template_bytes();
      copies.write_later(view, templates.data() + first * of_.template_bytes());
      if (beside_) on_.impl()->after(*copies.record());
      search_.add(on_, view, count, first);
      target.used = on_.impl()->record();
    }
    on_.wait();
  }

  [[nodiscard]] search_state state() { return search_.state(on_); }
  [[nodiscard]] const queue& on() const { return on_; }

 private:
  struct batch {
    buffer templates;
    std::unique_ptr<backend::mark> used;
  };

  queue on_;
  std::shared_ptr<backend::queue> beside_;
  problem of_;
  buffer image_;
  template_search search_;
  std::array<batch, 2> batches_;
};

/// Searches for all templates, each device in a thread of its own.
void search(std::span<searcher* const> devices, const problem& p,
            std::span<const std::byte> templates) {
  dealer source{p.count};
  std::vector<std::jthread> threads;
  for (searcher* const each : devices) {
    threads.emplace_back([&source, each, templates] { each->run(source, templates); });
  }
}

device_info device_of(const std::string& name) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::size_t index = colon < name.size() ? std::stoul(name.substr(colon + 1)) : 0;
  for (const engine each : {engine::host, engine::opencl, engine::cuda}) {
    const std::vector<device_info> found = devices(each);
    if (name.substr(0, colon) == name_of(each) && index < found.size()) return found[index];
  }
  throw plan_error(name + " is no device here; give ENGINE:INDEX of wingbeat devices");
}

std::vector<device_info> devices_of(const std::string& names) {
  std::vector<device_info> result;
  std::istringstream words{names};
  for (std::string name; std::getline(words, name, ',');) result.push_back(device_of(name));
  return result;
}

nlohmann::ordered_json measured(const std::vector<device_info>& devices, const problem& p) {
  const std::vector<float> image = bench::noise(p.image * p.image);
  std::deque<searcher> searchers;
  std::vector<searcher*> several;
  for (const device_info& each : devices) {
    several.push_back(&searchers.emplace_back(each, p, image));
  }
  const std::vector<searcher*> first{several.front()};
  const pinned_memory templates{searchers.front().on(), p.count * p.template_bytes()};
  const std::vector<float> values = bench::noise(p.count * p.part * p.part);
  std::memcpy(templates.bytes().data(), values.data(), templates.bytes().size());

  search(first, p, templates.bytes());
  const search_state alone = searchers.front().state();
  search(several, p, templates.bytes());
  search_state merged = searchers.front().state();
  for (std::size_t i = 1; i < searchers.size(); ++i) merged.merge(searchers[i].state());
  const bool is_same = merged.keys == alone.keys && merged.templates == p.count;

  const auto timed = [&](std::string name, const std::vector<searcher*>& group) {
    return measure::timed_run{std::move(name), [&](std::size_t n_runs) {
                                return measure::seconds_of([&] {
                                  for (std::size_t i = 0; i < n_runs; ++i) {
                                    search(group, p, templates.bytes());
                                  }
                                });
                              }};
  };
  std::vector<measure::timed_run> runs{timed("one", first), timed("several", several)};
  measure::take_turns(runs, n_rounds);
  const double one_s = runs[0].median_s(), several_s = runs[1].median_s();
  fmt::print("{} of {}^2 in {}^2: one {:.1f} ms, {} devices {:.1f} ms, {:.3f} times{}\n", p.count,
             p.part, p.image, 1e3 * one_s, devices.size(), 1e3 * several_s, one_s / several_s,
             is_same ? "" : "  WRONG");
  return {{"image", p.image},           {"template", p.part}, {"templates", p.count},
          {"at_once", at_once},         {"one_s", one_s},     {"several_s", several_s},
          {"times", one_s / several_s}, {"same", is_same}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3 && argc != 6) {
    std::fprintf(
        stderr, "search_devices results.json ENGINE:INDEX,ENGINE:INDEX.. [IMAGE TEMPLATE COUNT]\n");
    return 2;
  }
  problem p;
  if (argc == 6) p = {std::stoul(argv[3]), std::stoul(argv[4]), std::stoul(argv[5])};
  const std::vector<device_info> devices = devices_of(argv[2]);
  nlohmann::ordered_json document{{"schema", "wingbeat.search_devices/1"}};
  for (const device_info& each : devices) document["devices"].push_back(each.name);
  document["result"] = measured(devices, p);
  measure::write_document(argv[1], document);
  return document["result"]["same"] ? 0 : 1;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "search_devices: %s\n", failed.what());
  return 3;
}
