// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // find
#include <bit>        // has_single_bit
#include <cstddef>    // size_t
#include <optional>
#include <string>
#include <vector>

#include "cli/kinds.hpp"                           // axis_kind_named
#include "cli/messages.hpp"                        // print, counted
#include "cli/option.hpp"                          // add_count
#include "request/traits.hpp"                      // traits_of, count_of
#include "text/formatted.hpp"                      // formatted, joined
#include "text/reject.hpp"                         // reject
#include "wingbeat/device/factors.hpp"             // prime_factors
#include "wingbeat/device/index.hpp"               // log2_of, mirror
#include "wingbeat/device/nabla.hpp"               // index_map
#include "wingbeat/device/scrambled.hpp"           // digit_map
#include "wingbeat/device/workgroup/advise.hpp"    // advise, advised_elements
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule
#include "wingbeat/good_length.hpp"                // is_good_length

namespace wingbeat::cli {
namespace {

using device::log2_of;

constexpr const char* examples = R"(Examples:
  wingbeat order --order nabla --elements-log2 1 --workgroup-log2 3
      16 lines: the DFT bin that each element of 8 threads with 2 elements each holds; "3 6" says
      that element 3 holds bin 6
  wingbeat order --order nabla --elements-log2 1 --workgroup-log2 3 --inverse
      the element that holds each bin
  wingbeat order --order nabla --elements-log2 2 --workgroup-log2 9 --mirror
      the element that holds the opposite bin of each element's; with --inverse, of each bin the
      opposite one
  wingbeat order --order scrambled --length 4096 --elements-log2 3
      a kernel whose threads hold 8 elements each
  wingbeat order --order scrambled --length 1000 --elements 10
      the same of a length that is no power of two

Element l of thread t has index l T + t in a workgroup of T threads. The maps of nabla exist for
every workgroup of 2 threads and more, but a kernel needs at least one subgroup, which is 32 threads
on NVIDIA GPUs.)";

constexpr unsigned max_log2 = 24;

constexpr std::size_t max_points = std::size_t{1} << max_log2;

struct order_options {
  std::optional<device::order> order;
  std::optional<std::size_t> length, elements;
  std::optional<unsigned> elements_log2, workgroup_log2;
  bool is_mirror = false;
  bool is_inverse = false;
  std::string kind = "c2c";
};

/// Returns the kind of the request. A kind with a real side has natural order, and none of its bins
/// has an opposite in memory.
const request::traits& kind_of(const order_options& o) {
  const request::traits& kind = request::traits_of(axis_kind_named(o.kind));
  if (!kind.is_real() || (*o.order == device::order::natural && !o.is_mirror)) return kind;
  reject(
      "--kind {} has its elements in natural order alone, without opposite bins; give "
      "--order natural without --mirror, or leave --kind out",
      kind.short_name);
}

void refuse_long(std::string_view order_name, std::size_t elements_log2,
                 std::size_t workgroup_log2) {
  reject_if(elements_log2 + workgroup_log2 > max_log2,
            "--elements-log2 {} and --workgroup-log2 {} make 2^{} lines; order {} is printed up to "
            "2^{}, choose smaller ones",
            elements_log2, workgroup_log2, elements_log2 + workgroup_log2, order_name, max_log2);
}

device::nabla::index_map nabla_map(const order_options& o) {
  if (o.length && !std::has_single_bit(*o.length)) {
    reject(
        "--length is {} and order nabla is that of powers of two; choose scrambled or "
        "natural order",
        *o.length);
  }
  reject_if(o.length || o.elements,
            "order nabla depends on how many elements each thread holds; give --elements-log2 and "
            "--workgroup-log2 instead of --length or --elements");
  reject_if(!o.elements_log2 || !o.workgroup_log2,
            "order nabla needs both --elements-log2 and --workgroup-log2; give both");
  if (*o.elements_log2 < 1 || *o.workgroup_log2 < 1) {
    reject(
        "--elements-log2 {} and --workgroup-log2 {} make no nabla order, where 2 threads and more "
        "hold 2 elements and more; choose 1 or more for both",
        *o.elements_log2, *o.workgroup_log2);
  }
  refuse_long("nabla", *o.elements_log2, *o.workgroup_log2);
  return {*o.elements_log2, *o.workgroup_log2};
}

/// Returns the map of 2^E elements per thread and 2^W threads: its digits are bits.
device::scrambled::digit_map map_of_bits(unsigned elements_log2, unsigned workgroup_log2) {
  return {1U << elements_log2, 1U << workgroup_log2,
          device::prime_factors(1U << (elements_log2 + workgroup_log2))};
}

/// Returns the elements of a thread: those of the options, otherwise the advised ones for fp32, in
/// a workgroup of any size if no usual one fits.
unsigned scrambled_elements(const order_options& o, unsigned length) {
  using device::workgroup::limits;
  if (o.elements) return static_cast<unsigned>(*o.elements);
  if (o.elements_log2) return 1U << *o.elements_log2;
  if (std::has_single_bit(length)) {
    return device::workgroup::advised_elements(length, sizeof(float));
  }
  const auto advised = [&](const limits& within) {
    return device::workgroup::advise(length, sizeof(float), within, device::order::scrambled);
  };
  const auto usual = advised({});
  return (usual.is_valid() ? usual : advised({~0U, ~0U, 32, ~0U})).elements_per_thread;
}

/// Returns the elements per thread with which `length` has a scrambled order.
std::vector<unsigned> scrambled_choices(unsigned length) {
  std::vector<unsigned> choices;
  for (unsigned e = 2; e <= device::workgroup::max_held; ++e) {
    if (length % e != 0) continue;
    const device::workgroup::schedule stages{device::order::scrambled, length, e};
    if (stages.is_possible()) choices.push_back(e);
  }
  return choices;
}

[[noreturn]] void refuse_unscrambled(unsigned length) {
  const auto next = [&](int step) {
    unsigned n = length + step;
    while (!is_good_length(n) || scrambled_choices(n).empty()) n += step;
    return n;
  };
  reject(
      "no number of elements in a thread gives --length {} a scrambled order, which needs a radix "
      "with every prime factor of the number of threads; the nearest lengths that have one are {} "
      "and {}",
      length, next(-1), next(1));
}

device::scrambled::digit_map scrambled_map(const order_options& o) {
  reject_if(o.elements && o.elements_log2,
            "--elements and --elements-log2 both set a thread's elements; give one");
  if (!o.length) {
    reject_if(!o.elements_log2 || !o.workgroup_log2,
              "order scrambled needs --length, or both --elements-log2 and --workgroup-log2; give "
              "one or the other");
    refuse_long("scrambled", *o.elements_log2, *o.workgroup_log2);
    return map_of_bits(*o.elements_log2, *o.workgroup_log2);
  }
  reject_if(o.workgroup_log2.has_value(),
            "--length and --workgroup-log2 both set the length; give one of them");
  const auto length = static_cast<unsigned>(*o.length);
  reject_if(
      !device::is_product_of_radices(length),
      "--length {} is no product of primes up to {}, as those of scrambled order are; choose one",
      length, device::largest_prime_radix);
  const std::vector<unsigned> choices = scrambled_choices(length);
  if (length > 1 && choices.empty()) refuse_unscrambled(length);
  const unsigned elements = scrambled_elements(o, length);
  reject_if(elements > length,
            "{} elements in a thread are more than the {} there are; choose fewer", elements,
            length);
  if (std::has_single_bit(length) && std::has_single_bit(elements)) {
    return map_of_bits(log2_of(elements), log2_of(length / elements));
  }
  reject_if(std::find(choices.begin(), choices.end(), elements) == choices.end(),
            "--length {} with {} in a thread has no scrambled order; choose --elements from {}",
            length, counted(elements, "element"), joined(choices, ", "));
  const device::workgroup::schedule stages{device::order::scrambled, length, elements};
  return stages.scrambled_map();
}

unsigned natural_length(const order_options& o) {
  reject_if(o.elements || o.elements_log2 || o.workgroup_log2,
            "order natural is the same however many threads share it; give --length alone");
  if (!o.length) reject("order natural needs --length; give a length");
  if (const request::traits& kind = kind_of(o); *o.length < kind.min_length()) {
    reject("--length is {} and {} has {} points at least; give a longer one", *o.length,
           kind.short_name, kind.min_length());
  }
  return static_cast<unsigned>(*o.length);
}

template <class Map>
void print_lines(unsigned length, Map value_of) {
  constexpr std::size_t chunk_bytes = 1 << 16;
  std::string text;
  for (unsigned index = 0; index < length; ++index) {
    text += formatted("{} {}\n", index, value_of(index));
    if (text.size() >= chunk_bytes) {
      print(text);
      text.clear();
    }
  }
  print(text);
}

void print_nabla(const order_options& o) {
  const auto map = nabla_map(o);
  print_lines(map.length(), [&](unsigned i) {
    if (o.is_mirror) return o.is_inverse ? map.dft_mirror_index(i) : map.nabla_mirror_index(i);
    return o.is_inverse ? map.nabla_index(i) : map.dft_index(i);
  });
}

void print_scrambled(const order_options& o) {
  const auto map = scrambled_map(o);
  print_lines(map.length(), [&](unsigned i) {
    if (o.is_mirror) return o.is_inverse ? map.dft_mirror_index(i) : map.scrambled_mirror_index(i);
    return o.is_inverse ? map.scrambled_index(i) : map.dft_index(i);
  });
}

void print_natural(const order_options& o) {
  const unsigned length = natural_length(o);
  const auto count = static_cast<unsigned>(count_of(kind_of(o).out, length));
  print_lines(count, [&](unsigned i) { return o.is_mirror ? device::mirror(i, length) : i; });
}

int print_order(const order_options& o) {
  static_cast<void>(kind_of(o));
  switch (*o.order) {
    case device::order::natural: print_natural(o); break;
    case device::order::nabla: print_nabla(o); break;
    case device::order::scrambled: print_scrambled(o); break;
  }
  return exit_ok;
}

void add_exponent(CLI::App& command, const char* option, std::optional<unsigned>& target,
                  const char* about) {
  add_count(command, option, target, {0, max_log2}, about);
}

void add_options(CLI::App& command, order_options& o) {
  using device::order;
  add_choice(
      command, "--order", o.order,
      choices<order>{
          {"natural", order::natural}, {"nabla", order::nabla}, {"scrambled", order::scrambled}})
      ->required();
  add_exponent(command, "--elements-log2", o.elements_log2,
               "E: each thread holds 2^E elements, from 1 for nabla");
  add_exponent(command, "--workgroup-log2", o.workgroup_log2,
               "W: 2^W threads share the transform (nabla from 1)");
  add_count(command, "--length", o.length, {1, max_points}, "Length for natural and scrambled");
  add_count(
      command, "--elements", o.elements, {1, max_points},
      "Elements of a thread, for scrambled with --length; else those that are advised for fp32");
  add_text(command, "--kind", o.kind,
           "Kind of the transform, as of `plan`; those with a real side have natural order alone");
  add_switch(command, "--mirror", o.is_mirror, "Print where the opposite bin, -f mod L, lies");
  add_switch(command, "--inverse", o.is_inverse, "Count lines by DFT bin instead of by element");
}

}  // namespace

void add_order(CLI::App& program, int& exit_code) {
  add_command<order_options>(
      program, exit_code,
      {"order", "Prints which DFT bin lies where in a workgroup's spectrum", examples}, print_order,
      add_options);
}

}  // namespace wingbeat::cli
