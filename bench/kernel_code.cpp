// SPDX-License-Identifier: Apache-2.0
// Does a change alter the machine code of any kernel that a plan compiles? Compiles all with NVRTC,
// without a GPU, and writes one line for each: a digest of the code, and the kernel's use.
//     kernel_code sm_80 sm_90 sm_100 > before.txt
//     kernel_code every=24 sm_90 > before.txt      a sample: every 24th request of the list
//     kernel_code convolutions sm_90 > before.txt  the convolutions that bench/ measures, instead
//     kernel_code banks sm_90 > before.txt         filter banks, instead
//     kernel_code short_times sm_90 > before.txt   short-time transforms, instead
//     kernel_code .. into=FOLDER                   keeps the machine code too, for a disassembler
//     kernel_code before.txt after.txt             compares; exit code 1 where they differ
#include <elf.h>
#include <fmt/ranges.h>

#include <array>
#include <atomic>
#include <cstring>  // memcpy
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "backend/argument_list.hpp"              // source_of
#include "backend/cuda/nvrtc.hpp"                 // compile_for
#include "backend/planning_engine.hpp"            // planning_engine
#include "backend/sha256.hpp"                     // sha256, hex
#include "bench/question.hpp"                     // session, registration
#include "bench/short_time_problems.hpp"          // short_time_problems
#include "channelising/banks/bank_programs.hpp"   // fused_bank, chained_bank
#include "channelising/stream/level_counter.hpp"  // histogram_for, histogram_kernel
#include "convolving/image_request.hpp"           // planes_of
#include "convolving/program.hpp"                 // preparing_program, running_program
#include "convolving/scores.hpp"                  // score_store, kept_of
#include "kernel_text/pass_text.hpp"              // pass_text, entry_name
#include "programs/catalogue.hpp"                 // every_request, sample_device
#include "programs/real_transforms.hpp"           // transform_program
#include "request/validation.hpp"                 // validated
#include "short_time/programs.hpp"                // short_time_programs

namespace wingbeat::bench {
namespace {

/// Functors that only copy; their ends compile to code of their own.
constexpr const char* functor_text = R"(
struct copies {
  using element = wingbeat::device::complex<float>;
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, wingbeat::device::size row,
                                  wingbeat::device::size i) {
    return in[row * 4096 + i];
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wingbeat::device::size row,
                                wingbeat::device::size i, element z) {
    out[row * 4096 + i] = z;
  }
};
)";

/// Returns requests whose elements are not packed in plain memory.
std::vector<plan_spec> placed_requests() {
  std::vector<plan_spec> requests;
  for (const std::size_t n : {64, 1024, 16384, 32768, 1 << 18}) {
    requests.push_back({.lengths = {n}, .batch = 16, .in = {.strides = {2}}});
    requests.push_back({.lengths = {n}, .batch = 16, .out = {.strides = {2}}});
    requests.push_back({.lengths = {n}, .batch = 16, .in = {.imaginary_at = 16 * n}});
    requests.push_back({.lengths = {n}, .batch = 16, .out = {.imaginary_at = 16 * n}});
    requests.push_back({.lengths = {n}, .batch = 16, .valid_in = {{{3, n / 2}}}});
    requests.push_back({.lengths = {n}, .batch = 16, .valid_out = {{{3, n / 2}}}});
    requests.push_back({.lengths = {n}, .batch = 16, .in = {{16}, {1}}, .out = {{16}, {1}}});
    requests.push_back({.lengths = {n}, .batch = 16, .real = precision::bf16});
    for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
      requests.push_back({.lengths = {n}, .batch = 16, .kind = kind, .in = {.strides = {3}}});
      requests.push_back({.lengths = {n}, .batch = 16, .kind = kind, .out = {.strides = {3}}});
      requests.push_back({.lengths = {n}, .batch = 16, .kind = kind, .where = placement::in_place});
    }
    const std::size_t bytes = 16 * n * 8;
    requests.push_back(
        {.lengths = {n},
         .batch = 16,
         .load = {.in_bytes = bytes, .element_bytes = 8, .source = {functor_text, "copies", {}}},
         .store = {
             .out_bytes = bytes, .element_bytes = 8, .source = {functor_text, "copies", {}}}});
  }
  return requests;
}

/// Functors of reals, with parameters and operands.
constexpr const char* real_functor_text = R"(
struct weighs {
  using element = float;
  struct parameters { float gain; };
  struct operands { WINGBEAT_GLOBAL const float* weights; float level; };
  struct partial { float sum; };
  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in,
                                WINGBEAT_GLOBAL const parameters& fixed, operands given,
                                wingbeat::device::size row, wingbeat::device::size i) {
    const float weight = fixed.gain * given.weights[i] + given.level;
    return in == nullptr ? weight : weight * in[row * 64 + i];
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out,
                                WINGBEAT_GLOBAL const parameters& fixed, operands given,
                                wingbeat::device::size row, wingbeat::device::size i, float x) {
    out[row * 64 + i] = fixed.gain * given.weights[i] * x + given.level;
  }
  WINGBEAT_FN static partial start() { return {0}; }
  WINGBEAT_FN static void add(partial& sum, WINGBEAT_GLOBAL const parameters& fixed, operands given,
                              wingbeat::device::size, wingbeat::device::size i, float x) {
    sum.sum += fixed.gain * given.weights[i] * x;
  }
  WINGBEAT_FN static void combine(partial& sum, partial other) { sum.sum += other.sum; }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, WINGBEAT_GLOBAL const parameters&,
                                 operands given, wingbeat::device::size row, partial sum) {
    out[row] = sum.sum + given.level;
  }
};
)";

/// Returns requests from reals to reals, with lines in memory and with functors.
std::vector<plan_spec> real_requests() {
  const fused_source source{real_functor_text, "weighs", bytes_of(1.0F)};
  const std::vector<kernel_parameter> operands{kernel_parameter::input(sizeof(float)),
                                               kernel_parameter::value<float>()};
  const std::size_t rows = 16, bytes = rows * 64 * sizeof(float);
  const fused_load load{
      .in_bytes = bytes, .element_bytes = sizeof(float), .source = source, .operands = operands};
  const fused_store store{
      .out_bytes = bytes, .element_bytes = sizeof(float), .source = source, .operands = operands};
  fused_store reduction = store;
  reduction.out_bytes = rows * sizeof(float);
  reduction.partial_bytes = sizeof(float);
  std::vector<plan_spec> requests;
  for (const request::traits& kind : request::kinds) {
    if (!kind.is_real_to_real()) continue;
    for (const std::size_t n : {8, 64, 65, 256, 4096, 32768}) {
      requests.push_back({.lengths = {n}, .batch = rows, .kind = kind.kind});
    }
    requests.push_back(
        {.lengths = {64}, .batch = rows, .kind = kind.kind, .real = precision::fp64});
    requests.push_back({.lengths = {8, 8}, .batch = rows, .kind = kind.kind});
    requests.push_back({.lengths = {64, 80}, .batch = rows, .kind = kind.kind});
    for (const std::vector<std::size_t>& lengths : {std::vector<std::size_t>{64}, {8, 8}}) {
      requests.push_back(
          {.lengths = lengths, .batch = rows, .kind = kind.kind, .load = load, .store = store});
      requests.push_back(
          {.lengths = lengths, .batch = rows, .kind = kind.kind, .store = reduction});
      plan_spec between{.lengths = lengths, .batch = rows, .kind = kind.kind};
      between.multiplier = {.source = source, .operands = operands};
      requests.push_back(between);
    }
  }
  return requests;
}

std::string title_of(const plan_spec& spec) {
  const auto layout = [](const memory_layout& side) {
    return fmt::format("[{} {} {}]", fmt::join(side.strides, ","), fmt::join(side.distances, ","),
                       side.imaginary_at);
  };
  return fmt::format("{} {} {} {}{}{}{} in {}{} out {}{}", name_of(spec.real), name_of(spec.kind),
                     name_of(spec.bins), fmt::join(spec.lengths, "x"),
                     spec.where == placement::in_place ? " in place" : "",
                     spec.load.is_given() ? " load" : "", spec.store.is_given() ? " store" : "",
                     layout(spec.in), spec.valid_in.empty() ? "" : " padded", layout(spec.out),
                     spec.valid_out.empty() ? "" : " cropped");
}

/// Returns whether a section of a cubin holds code, or literals that code reads. Others hold names,
/// figures and addresses.
bool is_code(std::string_view section) {
  return section.starts_with(".text.") || section.starts_with(".nv.constant2") ||
         section.starts_with(".nv.constant3");
}

/// Returns the digest of a cubin's code.
std::string digest_of(const std::vector<char>& cubin) {
  Elf64_Ehdr head;
  std::memcpy(&head, cubin.data(), sizeof head);
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  std::memcpy(sections.data(), cubin.data() + head.e_shoff, sections.size() * sizeof sections[0]);
  const char* const names = cubin.data() + sections.at(head.e_shstrndx).sh_offset;
  backend::sha256 hash;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_NOBITS || !is_code(names + section.sh_name)) continue;
    hash.add({cubin.data() + section.sh_offset, section.sh_size});
  }
  return backend::hex(hash.finish()).substr(0, 32);
}

/// One text and its uses.
struct unit {
  std::string architecture;
  backend::kernel_source source;
  std::vector<std::string> titles;
  std::string digest;
};

/// Kernels by their texts.
class unit_list {
 public:
  explicit unit_list(std::string architecture) : architecture_(std::move(architecture)) {}

  void add(const std::vector<planner::pass>& passes, const std::string& title) {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      add({.text = kernel_text::pass_text(passes[i]),
           .entry = std::string{kernel_text::entry_name},
           .threads = passes[i].shape().threads(),
           .scratch_bytes = passes[i].shape().scratch_bytes(),
           .path = "pass.cpp"},
          fmt::format("{} pass {} of {}", title, i + 1, passes.size()));
    }
  }

  void add(const programs::program& steps, const std::string& title) {
    add(steps.passes(), title);
    for (const programs::step& each : steps.steps) {
      if (each.kernel() == nullptr) continue;
      const kernel_spec& kernel = each.kernel()->kernel;
      add(backend::source_of(kernel), title + " " + kernel.entry);
    }
  }

  void add(const backend::kernel_source& source, const std::string& title) {
    unit& compiled = by_text_[source.text];
    compiled.architecture = architecture_;
    compiled.source = source;
    compiled.titles.push_back(architecture_ + " " + title);
  }

  [[nodiscard]] std::vector<unit> take() {
    std::vector<unit> units;
    for (auto& [text, each] : by_text_) units.push_back(std::move(each));
    return units;
  }

 private:
  std::string architecture_;
  std::map<std::string, unit> by_text_;
};

std::vector<unit> units_for(const std::string& architecture, std::size_t every) {
  unit_list units{architecture};
  std::vector<plan_spec> requests = programs::every_request();
  for (plan_spec& spec : placed_requests()) requests.push_back(std::move(spec));
  for (std::size_t number = 0; number < requests.size(); number += every) {
    const plan_spec& spec = requests[number];
    units.add(programs::make_program(spec, programs::sample_device(architecture)).passes(),
              title_of(spec));
  }
  return units.take();
}

/// Returns the kernels of requests from reals to reals.
std::vector<unit> units_of_lines(const std::string& architecture) {
  unit_list units{architecture};
  const backend::planning_engine engine{architecture};
  const auto on = engine.open(engine.devices().front());
  std::size_t number = 0;
  for (const plan_spec& spec : real_requests()) {
    units.add(programs::transform_program(engine, on, request::validated(spec, on->device())),
              fmt::format("{} {}{}", number++, title_of(spec),
                          spec.multiplier.is_given() ? " multiplied" : ""));
  }
  return units.take();
}

/// A convolution that a program of bench/ measures.
struct measured_convolution {
  std::string title;
  convolution_spec spec;
};

/// Adds those of `match_templates`: maps, and searches that keep the largest score.
void add_matches(std::vector<measured_convolution>& cases) {
  using sizes = std::array<std::size_t, 5>;  // image, template, templates at once
  for (const auto [y, x, h, w, most] : {sizes{4096, 4096, 512, 512, 8},
                                        {5760, 4092, 480, 480, 1},
                                        {3838, 3710, 480, 480, 1},
                                        {64, 64, 16, 16, 8},
                                        {128, 128, 96, 96, 8},
                                        {512, 256, 128, 64, 4}}) {
    for (const std::size_t count : std::set{std::size_t{1}, most}) {
      const std::string title = fmt::format("{}x{} in {}x{}, {} at once", h, w, y, x, count);
      convolution_spec spec{.image = {y, x},
                            .kernel = {h, w},
                            .kind = operation::correlate,
                            .mode = extent::valid,
                            .kernels = count};
      cases.push_back({"correlate " + title, spec});
      if (y != 4096) continue;
      const search_spec search{.image = spec.image, .templates = spec.kernel};
      spec.store = convolving::score_store(convolving::kept_of(search, count, true));
      cases.push_back({"search " + title, spec});
      spec.between = precision::fp16;
      spec.image_peak = spec.kernel_peak = 1;
      cases.push_back({"search in fp16 " + title, spec});
    }
  }
}

std::vector<measured_convolution> measured_convolutions() {
  std::vector<measured_convolution> cases;
  add_matches(cases);
  using blocks = std::array<std::size_t, 2>;
  for (const auto [taps, block] : {blocks{255, 512}, {255, 1024}, {255, 4096}, {4095, 16384}}) {
    cases.push_back({fmt::format("filter {} taps, blocks of {}", taps, block),
                     {.image = {std::size_t{1} << 26},
                      .kernel = {taps},
                      .mode = extent::same,
                      .prepared = operand_role::kernel,
                      .block = block}});
  }
  cases.push_back({"blur 1920x1080, 256 taps", convolving::planes_of({.height = 1080,
                                                                      .width = 1920,
                                                                      .channels = 3,
                                                                      .kernel_height = 256,
                                                                      .kernel_width = 256,
                                                                      .outside = border::mirror,
                                                                      .stored = precision::fp16})});
  return cases;
}

/// Returns the kernels of both programs of each convolution.
std::vector<unit> units_of_convolutions(const std::string& architecture) {
  unit_list units{architecture};
  const backend::planning_engine engine{architecture};
  const auto on = engine.open(engine.devices().front());
  for (const auto& [title, spec] : measured_convolutions()) {
    const auto axes = convolving::geometry_of(spec);
    const bool is_of_images = spec.prepared == operand_role::image;
    const std::size_t met = is_of_images ? spec.images : spec.kernels;
    const std::size_t run = is_of_images ? spec.kernels : spec.images;
    const convolving::program_request preparing{spec, axes, met, met, &engine};
    const convolving::program_request running{spec, axes, run, met, &engine};
    units.add(convolving::preparing_program(on, preparing).passes(), title + " prepared");
    units.add(convolving::running_program(on, running).passes(), title);
  }
  return units.take();
}

std::vector<channeliser_spec> bank_requests() {
  std::vector<channeliser_spec> requests;
  for (const std::size_t channels : {27, 64, 96, 480, 1000, 1024, 4096, 32768}) {
    requests.push_back({.adc_rate_hz = 1e9, .channels = channels, .spectra_per_heap = 256});
  }
  channeliser_spec plain = requests.front();
  plain.channels = 1024;
  for (const heap_sample output : {heap_sample::int4, heap_sample::int16, heap_sample::fp16}) {
    requests.push_back(plain);
    requests.back().output = output;
    requests.back().sample_bits = 13;
    requests.back().polarisations = 1;
  }
  requests.push_back(plain);
  requests.back().complex_samples = true;
  requests.push_back(plain);
  requests.back().narrowband = {.centre_hz = 1e8, .decimation = 8};
  return requests;
}

/// Returns the kernels of banks, and those that count their input samples.
std::vector<unit> units_of_banks(const std::string& architecture) {
  using namespace channelising;
  unit_list units{architecture};
  const backend::planning_engine engine{architecture};
  const auto on = engine.open(engine.devices().front());
  for (const channeliser_spec& spec : bank_requests()) {
    const std::string title =
        fmt::format("bank of {} {}channels, {} x {} bits to kind {}", spec.channels,
                    spec.narrowband        ? "narrow "
                    : spec.complex_samples ? "complex "
                                           : "",
                    spec.polarisations, spec.sample_bits, static_cast<int>(spec.output));
    const sample_planes planes{spec.narrowband ? sample_form::complex : sample_form::packed,
                               std::size_t{1} << 20};
    const auto tiles = tiles_of(spec, on->device());
    units.add(tiles ? fused_bank(*tiles, spec, planes) : chained_bank(engine, on, spec, planes),
              title);
    units.add(backend::source_of(histogram_kernel(histogram_for(spec.sample_bits, on->device()))),
              title + " levels");
  }
  return units.take();
}

/// Returns the kernels of short-time transforms, their gradients and inverses.
std::vector<unit> units_of_short_times(const std::string& architecture) {
  unit_list units{architecture};
  const backend::planning_engine engine{architecture};
  const auto on = engine.open(engine.devices().front());
  for (const auto& [name, spec] : short_time_problems(false)) {
    const short_times::short_time_programs programs{on, engine, spec};
    units.add(programs.run(), name);
    if (spec.has_gradients) units.add(programs.gradient(), name + " gradient");
    if (spec.has_inverse) units.add(programs.inverse(), name + " inverse");
  }
  return units.take();
}

void compile_all(std::vector<unit>& units, const std::string& folder) {
  std::atomic<std::size_t> next = 0, done = 0;
  std::vector<std::jthread> threads(std::max(2U, std::thread::hardware_concurrency()));
  for (auto& thread : threads) {
    thread = std::jthread{[&] {
      for (std::size_t i = next++; i < units.size(); i = next++) {
        const auto compiled = backend::cuda::compile_for(units[i].source, units[i].architecture);
        units[i].digest = fmt::format("{} {} registers {} spilled", digest_of(compiled.binary),
                                      compiled.figures.registers, compiled.figures.spill_bytes);
        if (!folder.empty()) {
          std::ofstream{fmt::format("{}/{}.cubin", folder, i)}.write(
              compiled.binary.data(), static_cast<std::streamsize>(compiled.binary.size()));
          std::ofstream{fmt::format("{}/{}.cpp", folder, i)} << units[i].titles.front() << "\n"
                                                             << units[i].source.text;
        }
        if (++done % 100 == 0) fmt::print(stderr, "{} of {}\n", done.load(), units.size());
      }
    }};
  }
}

void write(std::vector<unit> units, const std::string& folder) {
  compile_all(units, folder);
  std::vector<std::string> lines;
  for (const unit& compiled : units) {
    for (const std::string& title : compiled.titles) {
      lines.push_back(fmt::format("{}: {}", title, compiled.digest));
    }
  }
  std::sort(lines.begin(), lines.end());
  fmt::print("{}\n", fmt::join(lines, "\n"));
  fmt::print(stderr, "{} kernels of {} passes\n", units.size(), lines.size());
}

std::map<std::string, std::string> read(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> digests;
  for (std::string line; std::getline(file, line);) {
    const auto end = line.rfind(": ");
    if (end != std::string::npos) digests[line.substr(0, end)] = line.substr(end + 2);
  }
  if (digests.empty()) throw file_error(fmt::format("{} holds no digests of kernels", path));
  return digests;
}

void compare(session& asked) {
  const auto before = read(asked.words[0]), after = read(asked.words[1]);
  std::map<std::string, std::string> titles = before;
  titles.insert(after.begin(), after.end());
  std::size_t same = 0;
  const auto digest = [](const auto& digests, const std::string& title) {
    const auto found = digests.find(title);
    return found == digests.end() ? std::string{"not planned"} : found->second;
  };
  for (const auto& [title, any] : titles) {
    const std::string first = digest(before, title), second = digest(after, title);
    same += first == second ? 1 : 0;
    if (first != second) fmt::print("{}\n  before {}\n  after  {}\n", title, first, second);
  }
  asked.add({{"same", same}, {"differing", titles.size() - same}}, same == titles.size());
}

void kernel_code(session& asked) {
  if (asked.words.size() == 2 && !asked.words[1].starts_with("sm_")) return compare(asked);
  std::size_t every = 1;
  std::string list, folder;
  std::vector<unit> units;
  for (const std::string& word : asked.words) {
    if (word.starts_with("into=")) folder = word.substr(5);
    if (!word.starts_with("sm_") && !word.starts_with("into=")) list = word;
    if (word.starts_with("every=")) every = std::stoul(word.substr(6));
    if (!word.starts_with("sm_")) continue;
    auto more = list == "convolutions"  ? units_of_convolutions(word)
                : list == "banks"       ? units_of_banks(word)
                : list == "lines"       ? units_of_lines(word)
                : list == "short_times" ? units_of_short_times(word)
                                        : units_for(word, std::max<std::size_t>(every, 1));
    for (unit& each : more) units.push_back(std::move(each));
  }
  if (units.empty()) throw plan_error("give an architecture, as sm_90, or two files to compare");
  write(std::move(units), folder);
}

const registration of_kernel_code{
    {"kernel_code",
     "[every=N | convolutions | banks | lines | short_times] [into=FOLDER] sm_90.. | FILE FILE",
     "which kernels a change alters, by digests of machine code", kernel_code}};

}  // namespace
}  // namespace wingbeat::bench
