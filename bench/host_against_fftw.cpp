// SPDX-License-Identifier: Apache-2.0
// How does one thread of the host engine compare with FFTW? Complex forward transforms, batch 1,
// out of place. FFTW (measured plans) runs in a process of its own; both take turns, round by
// round, and the quickest round of each counts, so that a busy machine spoils neither alone.
//     host_against_fftw [fp32|fp64] [first log2] [last log2] [file.json]
#include <fmt/core.h>
#include <unistd.h>  // fork, pipe, execl

#include <algorithm>  // min, max
#include <chrono>
#include <cstdio>
#include <cstdlib>  // setenv
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr int n_rounds = 60;
constexpr double seconds_of_round = 0.002;

/// FFTW's process, asked over two pipes.
class peer {
 public:
  explicit peer(const std::filesystem::path& program) {
    int to[2], from[2];
    if (!std::filesystem::exists(program) || pipe(to) != 0 || pipe(from) != 0) {
      throw absent_error(program.string() +
                         " was not built; install libfftw3-dev, configure and build again");
    }
    if (fork() == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      close(to[1]);
      close(from[0]);
      execl(program.c_str(), program.c_str(), nullptr);
      _exit(1);
    }
    close(to[0]);
    close(from[1]);
    ask_ = fdopen(to[1], "w");
    answer_ = fdopen(from[0], "r");
    version = line();
  }
  ~peer() {
    std::fclose(ask_);
    std::fclose(answer_);
  }
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  double seconds(const std::string& real, int log2_length, long runs) {
    fmt::print(ask_, "{} {} {}\n", real, log2_length, runs);
    std::fflush(ask_);
    return std::stod(line());
  }

  std::string version;

 private:
  std::string line() {
    char text[256] = "";
    if (std::fgets(text, sizeof text, answer_) == nullptr) {
      throw device_error("fftw_peer ended before it answered");
    }
    return std::string{text}.substr(0, std::string{text}.find('\n'));
  }
  FILE* ask_;
  FILE* answer_;
};

struct result {
  int log2_length;
  double ours_s;
  double fftw_s;
};

using timer = std::function<double(long runs)>;  // seconds of that many runs

/// Returns how many runs fill a round.
long runs_of_round(const timer& one) {
  long runs = 1;
  while (one(runs) < seconds_of_round) runs *= 2;
  return runs;
}

result compare(peer& fftw, precision real, int log2_length) {
  queue on{first_device(engine::host)};
  const plan_spec what{.lengths = {std::size_t{1} << log2_length}, .real = real};
  const plan made{on, what};
  buffer in{on, input_bytes(what)}, out{on, output_bytes(what)};
  in.write(std::vector<char>(in.size_bytes(), 0x3e).data(), in.size_bytes());  // 0.185..
  const timer ours = [&](long runs) {
    const auto from = std::chrono::steady_clock::now();
    for (long i = 0; i < runs; ++i) made.enqueue(on, in.view(), out.view());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  };
  const timer theirs = [&](long runs) {
    return fftw.seconds(std::string{name_of(real)}, log2_length, runs);
  };
  const long our_runs = runs_of_round(ours);
  const long their_runs = runs_of_round(theirs);
  result best{log2_length, 1e9, 1e9};
  for (int round = 0; round < n_rounds; ++round) {
    best.ours_s = std::min(best.ours_s, ours(our_runs) / static_cast<double>(our_runs));
    best.fftw_s = std::min(best.fftw_s, theirs(their_runs) / static_cast<double>(their_runs));
  }
  return best;
}

/// Returns the first line a command prints; empty if it fails.
std::string output_of(const char* command) {
  FILE* const from = popen(command, "r");
  if (from == nullptr) return {};
  char text[256] = "";
  const bool has_line = std::fgets(text, sizeof text, from) != nullptr;
  pclose(from);
  return has_line ? std::string{text}.substr(0, std::string{text}.find('\n')) : std::string{};
}

/// Says "-dirty" when what is measured here differs from the commit.
constexpr auto commit_command =
    "echo $(git rev-parse --short=12 HEAD)$(git diff --quiet HEAD -- src/backend/host include"
    " || echo -dirty)";

std::string json(const std::vector<result>& all, const std::string& command, const peer& fftw,
                 precision real) {
  const auto host = first_device(engine::host);
  std::string text = fmt::format(
      "{{\n  \"command\": \"{}\",\n  \"commit\": \"{}\",\n  \"cpu\": \"{}\",\n"
      "  \"kernels\": \"{}\",\n  \"threads\": {},\n  \"peer\": \"{}\",\n"
      "  \"precision\": \"{}\",\n  \"lengths\": [\n",
      command, output_of(commit_command), host.name, host.architecture, host.compute_units,
      fftw.version, name_of(real));
  for (const auto& [bits, ours_s, fftw_s] : all) {
    text += fmt::format(
        "    {{\"log2_length\": {}, \"ours_us\": {:.4g}, \"fftw_us\": {:.4g}, "
        "\"fftw_time_by_ours\": {:.3f}}}{}\n",
        bits, ours_s * 1e6, fftw_s * 1e6, fftw_s / ours_s,
        bits == all.back().log2_length ? "" : ",");
  }
  return text + "  ]\n}\n";
}

void print_row(const result& one) {
  const double flops =
      5.0 * one.log2_length * static_cast<double>(std::size_t{1} << one.log2_length);
  fmt::print("2^{:<5} {:>12.3f} {:>12.3f} {:>10.1f} {:>10.1f} {:>8.2f}\n", one.log2_length,
             one.ours_s * 1e6, one.fftw_s * 1e6, flops / one.ours_s * 1e-9,
             flops / one.fftw_s * 1e-9, one.fftw_s / one.ours_s);
  std::fflush(stdout);
}

void run(const std::vector<std::string>& words) {
  const precision real = words.size() > 1 && words[1] == "fp64" ? precision::fp64 : precision::fp32;
  const int first = words.size() > 2 ? std::stoi(words[2]) : 6;
  const int last = words.size() > 3 ? std::stoi(words[3]) : 20;
  peer fftw{std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fftw_peer"};
  fmt::print("{}, {}, one thread; {}\n{:<7} {:>12} {:>12} {:>10} {:>10} {:>8}\n",
             first_device(engine::host).name, name_of(real), fftw.version, "length", "ours us",
             "FFTW us", "GF/s", "FFTW GF/s", "ratio");
  std::vector<result> all;
  for (int bits = first; bits <= last; ++bits) {
    all.push_back(compare(fftw, real, bits));
    print_row(all.back());
  }
  if (words.size() <= 4) return;
  std::string command = "host_against_fftw";
  for (std::size_t i = 1; i < words.size(); ++i) command += " " + words[i];
  FILE* const file = std::fopen(words[4].c_str(), "w");
  if (file == nullptr) throw file_error("cannot write " + words[4] + "; name a file that can be");
  fmt::print(file, "{}", json(all, command, fftw, real));
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("WINGBEAT_THREADS", "1", 0);
  try {
    run({argv, argv + argc});
  } catch (const std::exception& problem) {
    fmt::print(stderr, "host_against_fftw: {}\n", problem.what());
    return 1;
  }
}
