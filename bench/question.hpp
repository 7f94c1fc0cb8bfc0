// SPDX-License-Identifier: Apache-2.0
// A question of bench/: its arguments, the timing of its runs, and the document of its answer. The
// rows of a document are those of a run in bench/evidence.
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

/// A question with its options and its document.
class session {
 public:
  std::string device = "cuda";     ///< ENGINE or ENGINE:INDEX.
  std::string file;                ///< The document's; empty: none is written.
  int n_rounds = 9;                ///< Rounds of all runs.
  std::vector<std::string> words;  ///< The words after the question's name.

  /// Returns the queue of the device, opened at the first call.
  [[nodiscard]] queue& on();

  /// Returns the words as numbers; `otherwise` if there are none.
  [[nodiscard]] std::vector<std::size_t> numbers(std::vector<std::size_t> otherwise) const;

  /// Sets a value for all rows: the peer, for example.
  void head(const std::string& name, json value) { head_[name] = std::move(value); }

  /// Times runs in alternation and adds the median of each to the row, as NAME_us.
  void time(std::vector<measure::timed_run>& runs, json& row) const;

  /// Prints a row, and writes the document with it. If a row is wrong, the program reports it and
  /// returns 1.
  void add(json row, bool is_right = true);

  [[nodiscard]] bool is_right() const { return is_right_; }

 private:
  std::optional<queue> queue_;
  json head_, rows_ = json::array();
  bool is_right_ = true;
};

/// A question; each file adds its own to the program.
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

/// Fills a buffer with repetitions of values.
void fill(buffer& memory, const void* values, std::size_t size_bytes);

template <class T>
[[nodiscard]] buffer filled(const queue& on, const std::vector<T>& values) {
  buffer memory{on, values.size() * sizeof(T)};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

/// Returns the relative L2 difference of the first floats of two buffers: as many as the shorter
/// has, at most 2^21.
[[nodiscard]] double difference_of(const buffer& a, const buffer& b);

/// Returns a run that copies the bytes of the shorter buffer.
[[nodiscard]] measure::timed_run copy_run(const queue& on, const buffer& to, const buffer& from);

/// Returns a kernel's parameters, given by letters: "i8 o8 u z f" are an input and an output of
/// 8-byte elements, an unsigned, a size_t and a float.
[[nodiscard]] std::vector<kernel_parameter> parameters_of(const std::string& letters);

/// A kernel of 256 threads per workgroup, one number each.
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
