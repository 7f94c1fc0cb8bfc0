// SPDX-License-Identifier: Apache-2.0
// Any bytes from a client give messages that are the same when written and read again, or one
// sentence; any argument gives numbers that requests may use, or one sentence.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "control/complex_text.hpp"
#include "control/engine_arguments.hpp"
#include "control/message.hpp"
#include "control/sampling.hpp"
#include "fuzz/reader.hpp"  // require

namespace {

using namespace wingbeat::control;
using wingbeat::fuzz::require;

template <class Parse>
void check_argument(Parse&& parse) {
  try {
    parse();
  } catch (const std::runtime_error& refused) {
    require(*refused.what() != '\0');
  } catch (const std::invalid_argument& refused) {
    require(*refused.what() != '\0');
  }
}

void check_arguments(const message& read) {
  for (std::size_t i = 0; i < read.arguments.size(); ++i) {
    const std::string& argument = read.arguments[i];
    // An exception takes longer than all else here, and most arguments are no delay.
    if (i < 2) check_argument([&] { (void)parse_delay(argument); });
    if (const auto value = parse_real(argument); value && std::isfinite(*value)) {
      require(parse_real(real_text(*value)) == value);
    }
  }
  check_argument([&] {
    const auto gains = parse_gains(read.arguments, 4);
    require(gains.size() == 4);
    for (const std::complex<float> gain : gains) {
      const auto again = parse_complex(complex_text(gain));
      require(again && std::complex<float>(*again) == gain);
    }
  });
  if (read.arguments.empty()) return;
  check_argument([&] {
    const sampling request({.name = "x", .kind = sensor_kind::real}, read.arguments[0],
                           std::span(read.arguments).subspan(1));
    require(request.shortest_s() >= 0.0 && std::isfinite(request.shortest_s()));
    require(!request.longest_s() || *request.longest_s() >= 1e-3);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  constexpr std::size_t max_line_bytes = 256;
  if (n_bytes == 0) return 0;
  std::string_view bytes{reinterpret_cast<const char*>(data), n_bytes};
  const std::size_t piece = 1 + data[0];
  bytes.remove_prefix(1);
  line_buffer lines(max_line_bytes);
  while (!bytes.empty()) {
    lines.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (const auto line = lines.next()) {
      require(line->text.size() <= max_line_bytes);
      try {
        const message read = parse_message(line->text);
        const std::string written = line_of(read);
        require(written.find_first_of("\r\n") == written.size() - 1);
        require(parse_message(std::string_view(written).substr(0, written.size() - 1)) == read);
        check_arguments(read);
      } catch (const message_error& refused) {
        require(*refused.what() != '\0');
      }
    }
    require(lines.size_bytes() <= max_line_bytes);
  }
  return 0;
}
