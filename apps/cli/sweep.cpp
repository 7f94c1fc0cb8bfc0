// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // max, min
#include <limits>     // numeric_limits
#include <optional>
#include <string_view>

#include "cli/choose.hpp"        // choose_device, short_name
#include "cli/kinds.hpp"         // kinds_named, set_kinds
#include "cli/option.hpp"        // add_text, add_count, choice_of
#include "request/resolved.hpp"  // resolved_spec
#include "text/formatted.hpp"    // formatted, joined
#include "text/number.hpp"       // number_from
#include "text/reject.hpp"       // reject
#include "wingbeat/error.hpp"    // plan_error

namespace wingbeat::cli {
namespace {

// More than an address space holds; the plan refuses what its device does not hold.
constexpr std::size_t max_batch = std::size_t{1} << 55;
constexpr std::size_t max_mib = std::size_t{1} << 30;

[[noreturn]] void refuse_word(std::string_view word) {
  reject("'{}' is not a length; write 1000, 2^10, 2^1..2^13, 480x640 or a list of those", word);
}

/// Returns the number that the digits represent, limited to the type's range.
std::size_t number_of(std::string_view digits, std::string_view word) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    refuse_word(word);
  }
  return number_from<std::size_t>(digits).value_or(std::numeric_limits<std::size_t>::max());
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
  reject("'{}' is too long; the longest length is {} = {}, choose up to it", in, max_length,
         count_text(max_length));
}

/// Takes the text up to the next `separator` off the front of `rest`.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

/// Reads "2^1..2^13", a range in powers of two, as one problem for each length.
void add_range(std::string_view part, std::size_t dots,
               std::vector<std::vector<std::size_t>>& target) {
  const std::size_t first = length_of(part.substr(0, dots), part);
  const std::size_t last = length_of(part.substr(dots + 2), part);
  reject_if(first > last, "'{}' is an empty range; write the shorter length first", part);
  for (std::size_t n = first; n <= last; n *= 2) target.push_back({n});
  if (const std::size_t end = target.back().front(); end != last) {
    reject("'{}' doubles from {} to {} and does not meet {}; end it at {}, or list the lengths",
           part, first, end, last, end);
  }
}

std::vector<std::vector<std::size_t>> lengths_of(std::string_view text) {
  if (text.empty()) reject("no length was given; write for example --lengths 2^1..2^13");
  if (text.ends_with(',')) refuse_word(text);
  std::vector<std::vector<std::size_t>> result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = next_part(rest, ',');
    if (const std::size_t dots = part.find(".."); dots != std::string_view::npos) {
      add_range(part, dots, result);
      continue;
    }
    std::vector<std::size_t> axes;
    const bool ends_early = part.empty() || part.back() == 'x';
    for (std::string_view left = part; !left.empty();) {
      axes.push_back(length_of(next_part(left, 'x'), part));
    }
    if (ends_early) refuse_word(part);
    result.push_back(axes);
  }
  return result;
}

precision precision_named(const std::string& name) {
  return choice_of(
      "--precision", name,
      named_choices({precision::fp32, precision::fp64, precision::fp16, precision::bf16}));
}

constexpr std::size_t max_spacing = std::size_t{1} << 20;

/// The name and the number of a layout, as in "strided=4".
struct layout_words {
  std::string_view name;
  std::size_t number = 1;
};

layout_words layout_of(std::string_view text) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest, '=');
  const bool has_number = name.size() < text.size();
  if (name == "strided" || name == "padded") {
    const auto number = has_number ? number_from<std::size_t>(rest) : std::nullopt;
    if (number && *number >= 1 && *number <= max_spacing) return {name, *number};
  } else if (!has_number) {
    for (const std::string_view known : {"packed", "in-place", "planar", "interleaved"}) {
      if (name == known) return {known};
    }
  }
  reject(
      "there is no layout '{}'; choose packed, in-place, planar, interleaved, "
      "strided=S (elements S apart) or padded=P (P elements behind each row), S and P "
      "from 1 to {}",
      text, count_text(max_spacing));
}

/// Returns the layout of one side; `packed` is that side without gaps.
memory_layout layout_of_side(const arrays::array& packed, const layout_words& words,
                             std::size_t batch) {
  memory_layout layout;
  const std::size_t distance = packed.batches.front().distance;
  for (const arrays::axis& axis : packed.axes) layout.strides.push_back(axis.stride);
  if (words.name == "planar") {
    return {{}, {}, packed.is_real() ? 0 : distance * batch};
  }
  if (words.name == "interleaved") {
    for (std::size_t& stride : layout.strides) stride *= batch;
    layout.distances = {1};
  } else if (words.name == "strided") {
    for (std::size_t& stride : layout.strides) stride *= words.number;
    layout.distances = {distance * words.number};
  } else {
    const std::size_t row = packed.axes.back().length;
    for (std::size_t a = 0; a + 1 < layout.strides.size(); ++a) {
      layout.strides[a] = layout.strides[a] / row * (row + words.number);
    }
    layout.distances = {distance / row * (row + words.number)};
  }
  return layout;
}

/// Sets the layout of both sides of `spec`.
void set_layout(plan_spec& spec, const layout_words& words) {
  if (words.name == "packed") return;
  if (words.name == "in-place") {
    spec.where = placement::in_place;
    return;
  }
  const request::resolved_spec packed = spec;
  spec.in = layout_of_side(packed.in, words, spec.batch);
  spec.out = layout_of_side(packed.out, words, spec.batch);
}

/// Returns the bytes of input and output together; one buffer in place counts once.
std::size_t bytes_in_flight(const plan_spec& spec) {
  const std::size_t in = input_bytes(spec), out = output_bytes(spec);
  return spec.where == placement::in_place ? std::max(in, out) : in + out;
}

/// Returns how many transforms like `single` fill the bytes, at least one; one for a request
/// without a valid size, which the engine refuses.
std::size_t batch_that_fills(const plan_spec& single, std::size_t mib) {
  try {
    return std::max<std::size_t>((mib << 20) / std::max<std::size_t>(bytes_in_flight(single), 1),
                                 1);
  } catch (const plan_error&) {
    return 1;
  }
}

plan_spec problem_of(const sweep_options& options, const std::vector<std::size_t>& lengths,
                     std::size_t mib) {
  plan_spec spec{.lengths = lengths};
  const std::vector<transform> kinds = kinds_named(
      options.kind, formatted("{}, of several axes one for each: dct2,dst1", all_kinds));
  reject_if(kinds.size() > 1 && kinds.size() != lengths.size(),
            "--kind names {} kinds and --lengths {} has not as many axes; give one kind, or "
            "one for each axis",
            kinds.size(), joined(lengths, "x"));
  set_kinds(spec, kinds);
  spec.real = precision_named(options.precision);
  spec.bins =
      choice_of("--bins", options.bins, named_choices({bin_order::natural, bin_order::scrambled}));
  const layout_words words = layout_of(options.layout);
  reject_if(words.name == "planar" && request::traits_of(spec.kind).is_real_to_real(),
            "--layout planar sets imaginary parts apart, and --kind {} has none; choose "
            "packed, in-place, interleaved, strided=S or padded=P",
            options.kind);
  plan_spec single = spec;
  set_layout(single, words);
  spec.batch = options.batch ? *options.batch : batch_that_fills(single, mib);
  set_layout(spec, words);
  return spec;
}

}  // namespace

void add_sweep_options(CLI::App& command, sweep_options& into) {
  add_text(command, "--lengths", into.lengths,
           formatted("a range 2^1..2^{}, a list 256,3601, several axes 480x640,64x64x64",
                     max_length_log2()));
  add_text(
      command, "--kind", into.kind,
      "c2c, c2c-inverse, r2c or c2r; dct1 to dct4, dst1 to dst4 or dht, of several axes one for "
      "each: dct2,dst1");
  add_text(command, "--precision", into.precision, "fp32, fp64, fp16 or bf16");
  add_text(command, "--layout", into.layout,
           "packed, in-place, planar, interleaved (transforms alternate element by element), "
           "strided=S or padded=P");
  add_text(command, "--bins", into.bins,
           "natural, or scrambled: in whatever order the device is quickest");
  CLI::Option* const batch = add_count(command, "--batch", into.batch, {1, max_batch},
                                       "transforms of one run; else as many as fill --mib");
  add_count(command, "--mib", into.mib, {1, max_mib},
            "MiB of input and output together; else 4096 on a GPU and 64 elsewhere")
      ->excludes(batch);
  add_text(command, "--device,--engine", into.device, "one device; the best one when not given");
}

device_info device_of(const sweep_options& options) {
  return options.device.empty() ? best_device()
                                : choose_device(options.device, precision_named(options.precision));
}

std::vector<plan_spec> problems_of(const sweep_options& options, const device_info& device) {
  const std::size_t mib = options.mib.value_or(device.is_gpu ? 4096 : 64);
  std::vector<plan_spec> problems;
  for (const auto& lengths : lengths_of(options.lengths)) {
    problems.push_back(problem_of(options, lengths, mib));
  }
  return problems;
}

std::string axes_text(const plan_spec& spec) {
  return joined(spec.lengths, "x");
}

std::string words_of(const sweep_options& options, const device_info& device) {
  std::string words =
      formatted("--device {} --lengths {} --kind {} --precision {} --layout {}", short_name(device),
                options.lengths, options.kind, options.precision, options.layout);
  if (options.bins != "natural") words += formatted(" --bins {}", options.bins);
  if (options.batch) words += formatted(" --batch {}", *options.batch);
  if (options.mib) words += formatted(" --mib {}", *options.mib);
  return words;
}

}  // namespace wingbeat::cli
