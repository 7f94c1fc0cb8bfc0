// SPDX-License-Identifier: Apache-2.0
// The peer's end of bench/peers/protocol.md: reads questions, asks the library, answers.
#pragma once

#include <signal.h>     // SIGKILL
#include <sys/prctl.h>  // prctl
#include <unistd.h>     // dup, dup2, pread, pwrite

#include <algorithm>  // min
#include <chrono>     // steady_clock
#include <cstdio>     // fdopen, fprintf
#include <iostream>
#include <memory>  // unique_ptr
#include <sstream>
#include <string>
#include <vector>

#include "problem.hpp"  // problem, problem_of, refusal

namespace peers {

/// One problem planned by a library.
class job {
 public:
  virtual ~job() = default;
  [[nodiscard]] virtual long long workspace_bytes() const { return -1; }
  /// Fills the input with repetitions of `block`; keeps it if runs overwrite the input.
  virtual void fill(const std::vector<char>& block) = 0;
  /// Runs `n_runs` times; returns the device's seconds.
  virtual double run(std::size_t n_runs) = 0;
  /// Makes `n_calls` calls back to back, starting on an idle device, then waits. Returns the wall
  /// time that the calls took this thread, in seconds.
  virtual double enqueue(std::size_t /*n_calls*/) { throw refusal("it does not time its calls"); }
  /// Copies a part of the output.
  virtual void read(std::size_t offset_bytes, std::vector<char>& into) = 0;
};

/// A library. `open` is called first, and once.
class library {
 public:
  virtual ~library() = default;
  /// Returns "name version".
  virtual std::string open(int index, int threads, const std::string& device_name) = 0;
  virtual std::unique_ptr<job> plan(const problem& spec) = 0;
};

/// Fills memory with repetitions of `block`.
inline void repeat(const std::vector<char>& block, char* target, std::size_t size_bytes) {
  for (std::size_t offset = 0; offset < size_bytes; offset += block.size()) {
    std::copy_n(block.data(), std::min(block.size(), size_bytes - offset), target + offset);
  }
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Answers the questions of a program.
class server {
 public:
  explicit server(library& served) : library_(served) {}

  /// Answers until there are no more questions. The library's output goes to stderr.
  int run() {
    // Ends with the asking program, even within a library's call that never returns.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::FILE* const answers = fdopen(dup(1), "w");
    dup2(2, 1);
    std::fprintf(answers, "wingbeat-peer 1\n");
    std::fflush(answers);
    for (std::string line; std::getline(std::cin, line);) {
      std::fprintf(answers, "%s\n", answer(line).c_str());
      std::fflush(answers);
    }
    return 0;
  }

 private:
  std::string answer(const std::string& line) {
    try {
      std::istringstream words{line};
      std::string verb;
      words >> verb >> std::ws;
      return answer(verb, words);
    } catch (const std::exception& failed) {
      std::string sentence = failed.what();
      for (char& c : sentence) {
        if (c == '\n') c = ' ';
      }
      return "refused " + sentence.substr(0, 2000);
    }
  }

  std::string answer(const std::string& verb, std::istringstream& words) {
    if (verb == "open") return open(words);
    if (verb == "plan") return plan(words);
    if (verb == "forget") return job_.reset(), "forgot";
    if (!job_) throw refusal("nothing is planned");
    if (verb == "fill") return job_->fill(lent(number(words))), "filled";
    if (verb == "run") return "ran " + text_of(job_->run(number(words)));
    if (verb == "enqueue") return "enqueued " + text_of(job_->enqueue(number(words)));
    if (verb == "read") return read(words);
    throw refusal("'" + verb + "' is no question");
  }

  std::string open(std::istringstream& words) {
    std::string index, threads, name;
    words >> index >> threads >> std::ws;
    std::getline(words, name);
    const auto value = [](const std::string& word) { return word.substr(word.find('=') + 1); };
    return "opened " +
           library_.open(std::stoi(value(index)), std::stoi(value(threads)), value(name));
  }

  std::string plan(std::istringstream& words) {
    std::string line;
    std::getline(words, line);
    job_.reset();
    const problem spec = problem_of(line);
    const auto begin = std::chrono::steady_clock::now();
    job_ = library_.plan(spec);
    const double seconds = seconds_since(begin);
    return "planned " + text_of(seconds) + " " + std::to_string(job_->workspace_bytes());
  }

  std::string read(std::istringstream& words) {
    const std::size_t offset_bytes = number(words);
    std::vector<char> bytes(number(words));
    job_->read(offset_bytes, bytes);
    for (std::size_t done = 0; done < bytes.size();) {
      const auto written = pwrite(3, bytes.data() + done, bytes.size() - done, off_t(done));
      if (written <= 0) throw refusal("the shared file cannot be written");
      done += std::size_t(written);
    }
    return "read";
  }

  static std::vector<char> lent(std::size_t size_bytes) {
    std::vector<char> bytes(size_bytes);
    for (std::size_t done = 0; done < size_bytes;) {
      const auto taken = pread(3, bytes.data() + done, size_bytes - done, off_t(done));
      if (taken <= 0) throw refusal("the shared file is shorter than was said");
      done += std::size_t(taken);
    }
    if (bytes.empty()) throw refusal("a fill of nothing");
    return bytes;
  }

  static std::size_t number(std::istringstream& words) {
    std::size_t value = 0;
    if (words >> value) return value;
    throw refusal("a number is missing");
  }

  static std::string text_of(double seconds) {
    std::ostringstream text;
    text.precision(12);
    text << seconds;
    return text.str();
  }

  library& library_;
  std::unique_ptr<job> job_;
};

}  // namespace peers
