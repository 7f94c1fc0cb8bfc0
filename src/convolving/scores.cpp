// SPDX-License-Identifier: Apache-2.0
#include "convolving/scores.hpp"

#include <algorithm>  // max, min
#include <array>
#include <atomic>
#include <bit>  // bit_cast
#include <limits>
#include <span>
#include <type_traits>  // is_same_v

#include "formatted.hpp"  // formatted

namespace wingbeat::convolving {
namespace {

constexpr std::uint32_t sign = 0x80000000U;

std::size_t bytes_of(precision real) {
  return real == precision::fp64 ? sizeof(double) : sizeof(float);
}

kernel_parameter value_of(precision real) {
  return real == precision::fp64 ? kernel_parameter::value<double>()
                                 : kernel_parameter::value<float>();
}

/// A member of the functor's operands.
struct score_operand {
  std::string_view declaration;
  kernel_parameter parameter;
  /// Elements of memory that the scores of one template reach, each once but for caches. Elements
  /// that are written are read before.
  std::size_t elements = 0;
  bool is_conditional = false;  ///< Whether it depends on a score whether it is reached.

  [[nodiscard]] std::size_t moved_bytes() const {
    return elements * parameter.bytes() * (parameter.is_written() ? 2 : 1);
  }
};

std::vector<score_operand> operands_of(const kept_scores& kept) {
  const auto sums = kernel_parameter::output(kept.has_fp64_sums ? sizeof(double) : sizeof(float));
  const auto counts = kernel_parameter::output(sizeof(std::uint32_t));
  const auto reals = kernel_parameter::input(bytes_of(kept.real));
  std::vector<score_operand> all{{"unsigned first", kernel_parameter::value<std::uint32_t>()}};
  if (kept.has_sums) all.push_back({"WINGBEAT_GLOBAL sum* moments", sums, 2 * kept.places()});
  if (kept.has_counts) {
    all.push_back({"WINGBEAT_GLOBAL unsigned* counts", counts, kept.places(), true});
    all.push_back({"real threshold", value_of(kept.real)});
  }
  if (kept.is_normalised) {
    all.push_back({"WINGBEAT_GLOBAL const real* inverse_norms", reals, kept.places()});
  }
  if (kept.has_rim()) {
    all.push_back({"WINGBEAT_GLOBAL const real* rim", reals, kept.rim_reals()});
    all.push_back({"real mean", value_of(kept.real)});
  }
  return all;
}

std::string operands_text(const kept_scores& kept) {
  std::string text;
  for (const score_operand& each : operands_of(kept)) {
    text += formatted("    {};\n", each.declaration);
  }
  return text;
}

std::vector<kernel_parameter> parameters_of(const kept_scores& kept) {
  std::vector<kernel_parameter> all;
  for (const score_operand& each : operands_of(kept)) all.push_back(each.parameter);
  return all;
}

/// Adds the image's mean times the template's sum over the part of the window inside the image.
std::string rim_text(const kept_scores& kept) {
  const axis_geometry &y = kept.axes[0], &x = kept.axes[1];
  return formatted(R"(    const size y = i / {0}, x = i % {0};
    const size top = y < {1} ? {1} - y : 0, bottom = y + {3} > {5} ? {5} - y : {3};
    const size left = x < {2} ? {2} - x : 0, right = x + {4} > {6} ? {6} - x : {4};
    if (bottom - top < {3} || right - left < {4}) {{
      WINGBEAT_GLOBAL const real* const sums = given.rim + row * {7};
      const real below = sums[bottom * ({4} + 1) + right] - sums[bottom * ({4} + 1) + left];
      const real above = sums[top * ({4} + 1) + right] - sums[top * ({4} + 1) + left];
      score += given.mean * (below - above);
    }}
)",
                   x.result(), y.image_at, x.image_at, y.kernel, x.kernel, y.image_at + y.image,
                   x.image_at + x.image, kept.rim_reals());
}

/// Returns the statement that adds a value to a place.
std::string add_text(const kept_scores& kept, std::string_view place, std::string_view value) {
  return kept.has_several_templates()
             ? formatted("    wingbeat::device::atomic_add(&{}, {});\n", place, value)
             : formatted("    {} += {};\n", place, value);
}

std::string text_of(const kept_scores& kept) {
  std::string text = formatted(R"(#include "wingbeat/device/atomic.hpp"
struct wingbeat_score_store {{
  using size = wingbeat::device::size;
  using real = {};
  using sum = {};
  using element = size;
  struct operands {{
{}  }};
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* keys, operands given, size row, size i,
                                real score) {{
)",
                               kept.real == precision::fp64 ? "double" : "float",
                               kept.has_fp64_sums ? "double" : "float", operands_text(kept));
  if (kept.has_rim()) text += rim_text(kept);
  if (kept.is_normalised) text += "    score *= given.inverse_norms[i];\n";
  text += R"(    const unsigned bits = __builtin_bit_cast(unsigned, float(score) + 0.0f);
    const unsigned ascending = bits >> 31 ? ~bits : bits | 0x80000000u;
    const size key = size(ascending) << 32 | (0xffffffffu - (given.first + unsigned(row)));
    if (score == score && key > keys[i]) )";
  text += kept.has_several_templates() ? "wingbeat::device::atomic_max(keys + i, key);\n"
                                       : "keys[i] = key;\n";
  if (kept.has_sums) {
    text += add_text(kept, "given.moments[i]", "sum(score)");
    text += add_text(kept, formatted("given.moments[{} + i]", kept.places()),
                     "sum(score) * sum(score)");
  }
  if (kept.has_counts) {
    text += "    if (score > given.threshold) {\n  " + add_text(kept, "given.counts[i]", "1u") +
            "    }\n";
  }
  return text + "  }\n};\n";
}

/// Updates places in this process.
template <bool HasSeveralTemplates>
struct updated {
  template <class Number>
  static void raise(Number& place, Number value) {
    if constexpr (HasSeveralTemplates) {
      std::atomic_ref shared{place};
      Number seen = shared.load(std::memory_order_relaxed);
      while (value > seen && !shared.compare_exchange_weak(seen, value)) continue;
    } else if (value > place) {
      place = value;
    }
  }
  template <class Number>
  static void add(Number& place, Number value) {
    if constexpr (HasSeveralTemplates) {
      std::atomic_ref{place}.fetch_add(value, std::memory_order_relaxed);
    } else {
      place += value;
    }
  }
};

/// The same functor in this process.
template <class Real, bool HasSeveralTemplates>
struct score_writer {
  kept_scores kept;
  using update = updated<HasSeveralTemplates>;
  static constexpr std::size_t block = 256;  // scores at once, which stay in the cache

  void operator()(void* out, const host_arguments& given, std::size_t row, std::size_t first,
                  std::span<const Real> values) const {
    std::array<Real, block> scores;
    for (std::size_t index = 0; index < values.size(); index += block) {
      const std::size_t count = std::min(block, values.size() - index);
      std::copy_n(values.data() + index, count, scores.data());
      keep(static_cast<std::uint64_t*>(out), given, row, first + index, {scores.data(), count});
    }
  }

  void keep(std::uint64_t* keys, const host_arguments& given, std::size_t row, std::size_t first,
            std::span<Real> scores) const {
    std::size_t next = 1;
    double* moments = kept.has_sums ? given.memory<double>(next++) + first : nullptr;
    std::uint32_t* counts = kept.has_counts ? given.memory<std::uint32_t>(next++) + first : nullptr;
    const Real threshold = kept.has_counts ? given.value<Real>(next++) : Real{0};
    if (kept.is_normalised) {
      const Real* const norms = given.memory<const Real>(next++) + first;
      if (kept.has_rim()) {
        const Real* const rim = given.memory<const Real>(next) + row * kept.rim_reals();
        add_rim(rim, given.value<Real>(next + 1), first, scores);
      }
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] *= norms[i];
    }
    const auto number = static_cast<std::uint32_t>(given.value<std::uint32_t>(0) + row);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const score_key key = score_key::of(static_cast<float>(scores[i]), number);
      if (scores[i] == scores[i]) update::raise(keys[first + i], key.key);
    }
    for (std::size_t i = 0; kept.has_sums && i < scores.size(); ++i) {
      const auto score = static_cast<double>(scores[i]);
      update::add(moments[i], score);
      update::add(moments[kept.places() + i], score * score);
    }
    for (std::size_t i = 0; kept.has_counts && i < scores.size(); ++i) {
      if (scores[i] > threshold) update::add(counts[i], 1U);
    }
  }

  void add_rim(const Real* sums, Real mean, std::size_t first, std::span<Real> scores) const {
    const axis_geometry &axis_y = kept.axes[0], &axis_x = kept.axes[1];
    const std::size_t pitch = axis_x.kernel + 1;
    const auto part = [](const axis_geometry& axis, std::size_t index) {
      return index_range{index < axis.image_at ? axis.image_at - index : 0,
                         std::min(axis.kernel, axis.image_at + axis.image - index)};
    };
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const index_range y = part(axis_y, (first + i) / axis_x.result());
      const index_range x = part(axis_x, (first + i) % axis_x.result());
      if (y.end - y.first == axis_y.kernel && x.end - x.first == axis_x.kernel) continue;
      const Real below = sums[y.end * pitch + x.end] - sums[y.end * pitch + x.first];
      const Real above = sums[y.first * pitch + x.end] - sums[y.first * pitch + x.first];
      scores[i] += mean * (below - above);
    }
  }
};

template <class Real>
host_store callable_of(const kept_scores& kept) {
  if (kept.has_several_templates()) return operand_writer<Real>{score_writer<Real, true>{kept}};
  return operand_writer<Real>{score_writer<Real, false>{kept}};
}

}  // namespace

score_key score_key::of(float score, std::uint32_t number) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 equals +0
  const std::uint32_t ascending = (bits & sign) != 0 ? ~bits : bits | sign;
  return {std::uint64_t{ascending} << 32 | (no_template - number)};
}

float score_key::score() const {
  if (key == 0) return -std::numeric_limits<float>::infinity();
  const auto ascending = static_cast<std::uint32_t>(key >> 32);
  return std::bit_cast<float>((ascending & sign) != 0 ? ascending & ~sign : ~ascending);
}

std::uint32_t score_key::number() const {
  return no_template - static_cast<std::uint32_t>(key);
}

bool kept_scores::has_rim() const {
  if (!is_normalised) return false;
  for (const axis_geometry& axis : axes) {
    if (axis.image_at > 0 || axis.result() + axis.kernel - 1 > axis.image) return true;
  }
  return false;
}

std::size_t kept_scores::rim_reals() const {
  return (axes[0].kernel + 1) * (axes[1].kernel + 1);
}

score_bytes bytes_of_template(const kept_scores& kept) {
  // A key is read, and written where a score is larger.
  const std::size_t keys = kept.places() * sizeof(std::uint64_t);
  score_bytes bytes{.most = 2 * keys, .always = keys};
  for (const score_operand& each : operands_of(kept)) {
    bytes.most += each.moved_bytes();
    if (!each.is_conditional) bytes.always += each.moved_bytes();
  }
  return bytes;
}

fused_store score_store(const kept_scores& kept) {
  return {.out_bytes = kept.places() * sizeof(std::uint64_t),
          .element_bytes = sizeof(std::uint64_t),
          .source = {.text = text_of(kept), .type = "wingbeat_score_store"},
          .callable =
              kept.real == precision::fp64 ? callable_of<double>(kept) : callable_of<float>(kept),
          .operands = parameters_of(kept),
          .moved_bytes = kept.templates * bytes_of_template(kept).most};
}

std::vector<kernel_argument> score_arguments(const kept_scores& kept, std::uint32_t first,
                                             const score_memory& memory) {
  const auto real = [&](double value) {
    return kept.real == precision::fp64 ? kernel_argument{value}
                                        : kernel_argument{static_cast<float>(value)};
  };
  std::vector<kernel_argument> all{first};
  if (kept.has_sums) all.emplace_back(memory.moments);
  if (kept.has_counts) {
    all.emplace_back(memory.counts);
    all.push_back(real(memory.threshold));
  }
  if (kept.is_normalised) all.emplace_back(memory.inverse_norms);
  if (kept.has_rim()) {
    all.emplace_back(memory.rim);
    all.push_back(real(memory.mean));
  }
  return all;
}

}  // namespace wingbeat::convolving
