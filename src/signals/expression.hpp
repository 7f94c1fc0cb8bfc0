// SPDX-License-Identifier: Apache-2.0
// A test signal as text, parsed. Statements end with semicolons; all but the last name a value:
//
//     statements = { name "=" sum ";" } sum [ ";" ]
//     sum        = product { ( "+" | "-" ) product }
//     product    = factor { "*" factor }
//     factor     = ( "-" | "+" ) factor | "(" sum ")" | number | name
//                | name "(" sum { "," sum } ")"
//
// Functions: cw, multicw, comb, wgn, delay, nodither; see `signal_node`.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::signals {

/// A node of a parsed signal, with its parameters in `numbers`.
struct signal_node {
  enum class kind {
    constant,  ///< {value}: the same at every sample.
    sum,       ///< The sum of its parts.
    product,   ///< The product of its parts.
    cw,        ///< {amplitude, frequency}: a cosine.
    comb,      ///< {amplitude, frequency}: pulses of one sample, `frequency` per second.
    wgn,       ///< {standard deviation, seed}: white Gaussian noise.
    delay      ///< {samples}: its only part, delayed.
  };
  kind form = kind::constant;
  std::vector<double> numbers = {};
  std::vector<std::shared_ptr<const signal_node>> parts = {};
  std::size_t column = 1;  ///< Its first column in the text, counted from 1.
  std::size_t size = 1;    ///< Nodes, each counted as often as it is used.
  std::size_t depth = 1;
};

/// A parsed text.
struct signal_expression {
  std::shared_ptr<const signal_node> root;
  bool has_dither = true;  ///< False if `nodither` encloses the signal.
};

/// Parses the text. `multicw(n, amplitude, frequency, step)` becomes a sum of n tones. Throws
/// `plan_error` with the column of a fault.
[[nodiscard]] signal_expression parse_signal(std::string_view text);

/// Returns a text of the same signal, with its names replaced by their values.
[[nodiscard]] std::string text_of(const signal_expression& signal);

}  // namespace wingbeat::signals
