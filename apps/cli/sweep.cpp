// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // max, min
#include <limits>     // numeric_limits
#include <optional>
#include <string_view>
#include <utility>  // pair

#include "cli/choose.hpp"      // choose_devices, short_name
#include "cli/option.hpp"      // add_text, add_count, whole_number
#include "formatted.hpp"       // formatted, joined
#include "side.hpp"            // input_side, output_side
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::cli {
namespace {

// More than an address space holds: what a device holds is for its plan to say.
constexpr std::size_t most_batch = std::size_t{1} << 55;
constexpr std::size_t most_mib = std::size_t{1} << 30;

[[noreturn]] void refuse_word(std::string_view in) {
  throw plan_error(formatted(
      "'{}' is not a length; write 1024, 2^10, 2^1..2^13, 4096x4096 or a list of those", in));
}

/// Returns the number of the digits, or the largest of its type for a larger number.
std::size_t number_of(std::string_view digits, std::string_view in) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    refuse_word(in);
  }
  return whole_number(digits).value_or(std::numeric_limits<std::size_t>::max());
}

std::size_t power_of_two(std::size_t exponent) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::digits - 1;
  return std::size_t{1} << std::min(exponent, most);
}

/// Reads "1024" or "2^10", up to the longest length.
std::size_t length_of(std::string_view word, std::string_view in) {
  const std::size_t length =
      word.starts_with("2^") ? power_of_two(number_of(word.substr(2), in)) : number_of(word, in);
  if (length == 0) refuse_word(in);
  if (length <= max_length) return length;
  throw plan_error(formatted("'{}' is too long; the longest length is {} = {}, choose up to it", in,
                             max_length, count_text(max_length)));
}

/// Takes the text up to the next `separator` off the front of `rest`.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

/// Reads "2^1..2^13", a range in powers of two, as one problem for each length.
void add_range(std::string_view part, std::size_t dots, std::vector<std::vector<std::size_t>>& to) {
  const std::size_t first = length_of(part.substr(0, dots), part);
  const std::size_t last = length_of(part.substr(dots + 2), part);
  if (first > last) {
    throw plan_error(formatted("'{}' is an empty range; write the shorter length first", part));
  }
  for (std::size_t n = first; n <= last; n *= 2) to.push_back({n});
}

std::vector<std::vector<std::size_t>> lengths_of(std::string_view text) {
  if (text.empty()) throw plan_error("no length was given; write for example --lengths 2^1..2^13");
  if (text.ends_with(',')) refuse_word(text);
  std::vector<std::vector<std::size_t>> all;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = next_part(rest, ',');
    if (const std::size_t dots = part.find(".."); dots != std::string_view::npos) {
      add_range(part, dots, all);
      continue;
    }
    std::vector<std::size_t> axes;
    const bool ends_early = part.empty() || part.back() == 'x';
    for (std::string_view left = part; !left.empty();) {
      axes.push_back(length_of(next_part(left, 'x'), part));
    }
    if (ends_early) refuse_word(part);
    all.push_back(axes);
  }
  return all;
}

transform kind_named(const std::string& name) {
  constexpr std::pair<std::string_view, transform> short_names[] = {
      {"c2c", transform::forward},
      {"c2c-inverse", transform::inverse},
      {"r2c", transform::forward_from_real},
      {"c2r", transform::inverse_to_real}};
  for (const auto& [word, kind] : short_names) {
    if (name == word || name == name_of(kind)) return kind;
  }
  throw plan_error(formatted(
      "there is no kind '{}'; choose c2c, c2c-inverse, r2c or c2r, or by wingbeat's names forward, "
      "inverse, forward_from_real or inverse_to_real",
      name));
}

precision scalar_named(const std::string& name) {
  for (const precision real :
       {precision::fp32, precision::fp64, precision::fp16, precision::bf16}) {
    if (name == name_of(real)) return real;
  }
  throw plan_error(formatted("there is no precision '{}'; choose fp32, fp64, fp16 or bf16", name));
}

constexpr std::size_t most_spacing = std::size_t{1} << 20;

/// A layout's word and its number: "strided=4".
struct layout_words {
  std::string_view name;
  std::size_t number = 1;
};

layout_words layout_of(std::string_view text) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest, '=');
  const bool has_number = name.size() < text.size();
  if (name == "strided" || name == "padded") {
    const auto number = has_number ? whole_number(rest) : std::nullopt;
    if (number && *number >= 1 && *number <= most_spacing) return {name, *number};
  } else if (!has_number) {
    for (const std::string_view known : {"packed", "in-place", "planar", "interleaved"}) {
      if (name == known) return {known};
    }
  }
  throw plan_error(
      formatted("there is no layout '{}'; choose packed, in-place, planar, interleaved, "
                "strided=S (elements S apart) or padded=P (P elements behind each row), S and P "
                "from 1 to {}",
                text, count_text(most_spacing)));
}

bin_order bins_named(const std::string& name) {
  for (const bin_order bins : {bin_order::natural, bin_order::scrambled}) {
    if (name == name_of(bins)) return bins;
  }
  throw plan_error(formatted("there is no order of bins '{}'; choose natural or scrambled", name));
}

/// Returns where the elements of one side lie; `packed` is that side without gaps.
memory_layout placed(const side& packed, const layout_words& as, std::size_t batch) {
  memory_layout made;
  const std::size_t distance = packed.batches.front().distance;
  for (const side_axis& axis : packed.axes) made.strides.push_back(axis.stride);
  if (as.name == "planar") {
    return {{}, {}, packed.is_real ? 0 : distance * batch};
  }
  if (as.name == "interleaved") {
    for (std::size_t& stride : made.strides) stride *= batch;
    made.distances = {1};
  } else if (as.name == "strided") {
    for (std::size_t& stride : made.strides) stride *= as.number;
    made.distances = {distance * as.number};
  } else {
    const std::size_t row = packed.axes.back().length;
    for (std::size_t a = 0; a + 1 < made.strides.size(); ++a) {
      made.strides[a] = made.strides[a] / row * (row + as.number);
    }
    made.distances = {distance / row * (row + as.number)};
  }
  return made;
}

void place(plan_spec& what, const layout_words& as) {
  if (as.name == "packed") return;
  if (as.name == "in-place") {
    what.where = placement::in_place;
    return;
  }
  const side in = input_side(what), out = output_side(what);
  what.in = placed(in, as, what.batch);
  what.out = placed(out, as, what.batch);
}

/// Returns how many transforms fill the bytes, one at least; of a request that has no size, one:
/// the engine will say what is wrong with it.
std::size_t batch_that_fills(const plan_spec& one, std::size_t mib) {
  try {
    return std::max<std::size_t>((mib << 20) / std::max<std::size_t>(bytes_in_flight(one), 1), 1);
  } catch (const plan_error&) {
    return 1;
  }
}

plan_spec problem_of(const sweep_options& asked, const std::vector<std::size_t>& lengths,
                     std::size_t mib) {
  plan_spec what{.lengths = lengths};
  what.kind = kind_named(asked.kind);
  what.real = scalar_named(asked.precision);
  what.bins = bins_named(asked.bins);
  const layout_words as = layout_of(asked.layout);
  plan_spec one = what;
  place(one, as);
  what.batch = asked.batch ? *asked.batch : batch_that_fills(one, mib);
  place(what, as);
  return what;
}

}  // namespace

void add_sweep_options(CLI::App& command, sweep_options& into) {
  add_text(command, "--lengths", into.lengths,
           formatted("a range 2^1..2^{}, a list 256,4096, several axes 4096x4096,64x64x64",
                     max_length_log2()));
  add_text(command, "--kind", into.kind, "c2c, c2c-inverse, r2c or c2r");
  add_text(command, "--precision", into.precision, "fp32, fp64, fp16 or bf16");
  add_text(command, "--layout", into.layout,
           "packed, in-place, planar, interleaved (transforms alternate element by element), "
           "strided=S or padded=P");
  add_text(command, "--bins", into.bins,
           "natural, or scrambled: in whatever order the device is quickest");
  CLI::Option* const batch = add_count(command, "--batch", into.batch, {1, most_batch},
                                       "transforms of one run; else as many as fill --mib");
  add_count(command, "--mib", into.mib, {1, most_mib},
            "MiB of input and output together; else 4096 on a GPU and 64 elsewhere")
      ->excludes(batch);
  add_text(command, "--device,--engine", into.device, "one device; the best one when not given");
}

device_info device_of(const sweep_options& asked) {
  if (asked.device.empty()) return best_device();
  if (asked.device == "all") {
    throw plan_error(
        "--device all means several devices, and this command takes one; name it, such as cuda, "
        "opencl:1, host or reference");
  }
  const precision real = scalar_named(asked.precision);
  const auto found = choose_devices({asked.device}, real);
  return found.front();
}

std::vector<plan_spec> problems_of(const sweep_options& asked, const device_info& where) {
  const std::size_t mib = asked.mib.value_or(where.is_gpu ? 4096 : 64);
  std::vector<plan_spec> problems;
  for (const auto& lengths : lengths_of(asked.lengths)) {
    problems.push_back(problem_of(asked, lengths, mib));
  }
  return problems;
}

std::string axes_text(const plan_spec& what) {
  return joined(what.lengths, "x");
}

std::size_t bytes_in_flight(const plan_spec& what) {
  const std::size_t in = input_bytes(what), out = output_bytes(what);
  return what.where == placement::in_place ? std::max(in, out) : in + out;
}

std::string words_of(const sweep_options& asked, const device_info& where) {
  std::string words =
      formatted("--device {} --lengths {} --kind {} --precision {} --layout {}", short_name(where),
                asked.lengths, asked.kind, asked.precision, asked.layout);
  if (asked.bins != "natural") words += formatted(" --bins {}", asked.bins);
  if (asked.batch) words += formatted(" --batch {}", *asked.batch);
  if (asked.mib) words += formatted(" --mib {}", *asked.mib);
  return words;
}

}  // namespace wingbeat::cli
