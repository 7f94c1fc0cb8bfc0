// SPDX-License-Identifier: Apache-2.0
// A question of bench/: what it is asked with, how its runs are timed, the document of its answer.
// The rows of a document are those of a run in bench/evidence.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>  // byte, size_t
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.hpp"  // queue::copy
#include "measure/rounds.hpp"   // queued_run, timed_run
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::bench {

using json = nlohmann::ordered_json;

/// A question while it is answered.
class session {
 public:
  std::string device = "cuda";     ///< ENGINE or ENGINE:INDEX.
  std::string file;                ///< Of the document; empty: none is written.
  int n_rounds = 9;                ///< Turns of each run.
  std::vector<std::string> words;  ///< Those behind the question.

  /// Returns the queue of the device, opened at the first call.
  [[nodiscard]] queue& on();

  /// Returns the words as numbers, or others where there are none.
  [[nodiscard]] std::vector<std::size_t> numbers(std::vector<std::size_t> otherwise) const;

  /// Says of all rows: the peer, for example.
  void head(const std::string& name, json value) { head_[name] = std::move(value); }

  /// Times runs in turns and adds the median of each to the row, as NAME_us.
  void time(std::vector<measure::timed_run>& runs, json& row) const;

  /// Prints a row, and writes the document with it. Of a row that is wrong the program says so, and
  /// returns 1.
  void add(json row, bool is_right = true);

  [[nodiscard]] bool is_right() const { return is_right_; }

 private:
  std::optional<queue> queue_;
  json head_, rows_ = json::array();
  bool is_right_ = true;
};

/// A question, which its own file adds to those of the program.
struct question {
  std::string name, words, asks;
  std::function<void(session&)> answer;
};

[[nodiscard]] std::vector<question>& questions();

struct registration {
  explicit registration(question added) { questions().push_back(std::move(added)); }
};

/// Returns noise in [-1, 1).
[[nodiscard]] std::vector<float> noise(std::size_t count, unsigned seed = 1);

/// Returns samples of noise at -20 dBFS, packed.
[[nodiscard]] std::vector<std::byte> packed_noise(std::size_t count, unsigned bits);

/// Writes values over all of a buffer, again and again.
void fill(buffer& memory, const void* values, std::size_t size_bytes);

template <class T>
[[nodiscard]] buffer filled(const queue& on, const std::vector<T>& values) {
  buffer memory{on, values.size() * sizeof(T)};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

/// Returns the relative L2 difference of the floats that two buffers begin with, as many as the
/// shorter has and no more than 2^21.
[[nodiscard]] double difference_of(const buffer& a, const buffer& b);

/// Returns a run that copies as many bytes as the shorter buffer has.
[[nodiscard]] measure::timed_run copy_run(const queue& on, const buffer& to, const buffer& from);

/// Returns a kernel's parameters by letters: "i8 o8 u z f" are an input and an output of elements
/// of 8 bytes, an unsigned, a size_t and a float.
[[nodiscard]] std::vector<kernel_parameter> parameters_of(const std::string& letters);

/// A kernel of 256 threads, each of which takes one number.
class number_kernel {
 public:
  number_kernel(const queue& on, const char* text, const char* entry, const std::string& letters)
      : on_(on),
        kernel_{
            on,
            {.text = text, .entry = entry, .threads = 256, .parameters = parameters_of(letters)}} {}

  void enqueue(std::size_t count, const std::vector<kernel_argument>& arguments) {
    kernel_.enqueue(on_, (count + 255) / 256, arguments);
  }

 private:
  queue on_;
  kernel kernel_;
};

}  // namespace wingbeat::bench
