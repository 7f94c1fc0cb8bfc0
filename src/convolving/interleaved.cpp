// SPDX-License-Identifier: Apache-2.0
#include "convolving/interleaved.hpp"

#include <algorithm>  // clamp, max, min
#include <memory>     // make_shared
#include <span>
#include <string>
#include <type_traits>  // integral_constant
#include <utility>      // move
#include <vector>

#include "formatted.hpp"             // formatted
#include "wingbeat/device/half.hpp"  // half_float

namespace wingbeat::convolving {
namespace {

using device::half_float;

float widened(float x) {
  return x;
}
float widened(half_float x) {
  return x;
}

std::size_t element_bytes(precision stored) {
  return stored == precision::fp16 ? sizeof(half_float) : sizeof(float);
}

/// Calls `run` with a constant of the number of channels, so that its loops have constant strides.
template <class Run>
void with_channels(std::size_t channels, const Run& run) {
  switch (channels) {
    case 1: return run(std::integral_constant<std::size_t, 1>{});
    case 2: return run(std::integral_constant<std::size_t, 2>{});
    case 3: return run(std::integral_constant<std::size_t, 3>{});
    default: return run(std::integral_constant<std::size_t, 4>{});
  }
}

/// The pixels of every row and column of a continued image, computed once.
struct pixel_table {
  std::size_t image_height, image_width, width;
  std::vector<std::size_t> rows, columns;
  std::size_t inside_begin = 0, inside_end = 0;  ///< Columns that are neighbours in the image too.

  pixel_table(std::size_t image_width_, const continued_axis& y, const continued_axis& x)
      : image_height(y.image), image_width(image_width_), width(x.length) {
    for (std::size_t e = 0; e < y.length; ++e) rows.push_back(pixel_of(y, e));
    for (std::size_t e = 0; e < x.length; ++e) columns.push_back(pixel_of(x, e));
    const auto begin = [&](std::ptrdiff_t n) {  // clamped to the columns
      const auto end = static_cast<std::ptrdiff_t>(x.length);
      return static_cast<std::size_t>(std::clamp(n, std::ptrdiff_t{0}, end));
    };
    inside_begin = begin(-x.begin);
    inside_end = begin(static_cast<std::ptrdiff_t>(x.image) - x.begin);
  }

  /// Calls `run` for each run of elements in one row: with its number in the run that was asked
  /// for, its row in the image, its column here, and its length.
  template <class Run>
  void each_row(std::size_t first, std::size_t count, const Run& run) const {
    for (std::size_t done = 0; done < count;) {
      const std::size_t y = (first + done) / width, x = (first + done) % width;
      const std::size_t length = std::min(width - x, count - done);
      run(done, rows[y], x, length);
      done += length;
    }
  }
};

/// Reads columns x, x + 1, .. of one row of one channel.
template <std::size_t Channels, class Element>
void read_row(const pixel_table& lookup, const Element* row, std::size_t x, std::span<float> into) {
  std::size_t i = 0;
  const auto border = [&](std::size_t end) {
    for (; i < into.size() && x + i < end; ++i) {
      into[i] = widened(row[lookup.columns[x + i] * Channels]);
    }
  };
  border(lookup.inside_begin);
  if (i < into.size() && x + i < lookup.inside_end) {
    const std::size_t count = std::min(lookup.inside_end - x, into.size()) - i;
    const Element* const from = row + lookup.columns[x + i] * Channels;
    float* const to = into.data() + i;
    for (std::size_t k = 0; k < count; ++k) to[k] = widened(from[k * Channels]);
    i += count;
  }
  border(lookup.width);
}

template <class Element>
host_load callable_of_load(std::size_t channels, std::shared_ptr<const pixel_table> lookup) {
  return run_reader<float>{
      [channels, lookup = std::move(lookup)](const void* in, std::size_t channel, std::size_t first,
                                             std::span<float> into) {
        with_channels(channels, [&](auto n) {
          const auto* const pixels = static_cast<const Element*>(in) + channel;
          lookup->each_row(first, into.size(),
                           [&](std::size_t done, std::size_t y, std::size_t x, std::size_t length) {
                             read_row<n()>(*lookup, pixels + y * lookup->image_width * n(), x,
                                           into.subspan(done, length));
                           });
        });
      }};
}

template <class Element>
void write_channel(void* out, std::size_t channels, std::size_t channel, std::size_t first,
                   std::span<const float> values) {
  with_channels(channels, [&](auto n) {
    Element* const to = static_cast<Element*>(out) + first * n() + channel;
    for (std::size_t i = 0; i < values.size(); ++i) to[i * n()] = Element(values[i]);
  });
}

/// Copies the alpha of elements first, first + 1, .. from the image; outside it there is none.
template <class Element>
void copy_alpha(const pixel_table& lookup, const Element* image, Element* out, std::size_t channels,
                std::size_t first, std::size_t count) {
  const std::size_t alpha = channels - 1;
  lookup.each_row(first, count, [&](std::size_t done, std::size_t y, std::size_t x, std::size_t n) {
    Element* const to = out + (first + done) * channels + alpha;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t column = lookup.columns[x + i];
      const bool is_inside = y < lookup.image_height && column < lookup.image_width;
      to[i * channels] =
          is_inside ? image[(y * lookup.image_width + column) * channels + alpha] : Element(0.0F);
    }
  });
}

template <class Element>
host_store callable_of_store(std::size_t channels, std::shared_ptr<const pixel_table> lookup) {
  if (channels % 2 != 0) {
    return run_writer<float>{[channels](void* out, std::size_t channel, std::size_t first,
                                        std::span<const float> values) {
      write_channel<Element>(out, channels, channel, first, values);
    }};
  }
  return operand_writer<float>{[channels, lookup = std::move(lookup)](
                                   void* out, const host_arguments& given, std::size_t channel,
                                   std::size_t first, std::span<const float> values) {
    write_channel<Element>(out, channels, channel, first, values);
    if (channel > 0) return;
    copy_alpha(*lookup, given.memory<const Element>(0), static_cast<Element*>(out), channels, first,
               values.size());
  }};
}

/// Returns the type of indices of so many elements: 64-bit divisions take GPUs several times as
/// long.
std::string_view index_type(std::size_t elements) {
  return elements <= 0xffffffffU ? "unsigned" : "wingbeat::device::size";
}

/// Returns the beginning of a functor's struct, with the functions row_of and column_of.
std::string head_of(std::string_view name, precision stored, std::string_view index,
                    const continued_axis& rows, const continued_axis& columns) {
  return formatted(
      "#include \"wingbeat/device/half.hpp\"\n"
      "struct {} {{\n"
      "  using size = wingbeat::device::size;\n"
      "  using index = {};\n"
      "  using element = {};\n"
      "  WINGBEAT_FN static index row_of(index e) {{ return {}; }}\n"
      "  WINGBEAT_FN static index column_of(index e) {{ return {}; }}\n",
      name, index, stored == precision::fp16 ? "unsigned short" : "float", pixel_text(rows),
      pixel_text(columns));
}

/// Returns the statements that define `y` and `x`, the pixel of element i, and its number `pixel`.
std::string pixel_lines(std::size_t image_width, const continued_axis& rows,
                        const continued_axis& columns) {
  if (rows.is_image() && columns.is_image()) return "    const index pixel = index(i);\n";
  return formatted(
      "    const index y = row_of(index(i) / {0}), x = column_of(index(i) % {0});\n"
      "    const index pixel = y * {1} + x;\n",
      columns.length, image_width);
}

constexpr std::string_view load_name = "wingbeat_pixel_load", store_name = "wingbeat_pixel_store";

std::string load_text(const pixel_array& image, const continued_axis& rows,
                      const continued_axis& columns) {
  const bool is_half = image.stored == precision::fp16;
  const std::size_t elements =
      std::max(image.bytes() / element_bytes(image.stored), rows.length * columns.length);
  return head_of(load_name, image.stored, index_type(elements), rows, columns) +
         formatted(
             "  static constexpr bool in_order = false;\n"
             "  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in, size row, "
             "size i) {{\n{}"
             "    const element stored = in[pixel * {} + index(row)];\n"
             "    return {};\n  }}\n}};\n",
             pixel_lines(image.width, rows, columns), image.channels,
             is_half ? "float(wingbeat::device::half_float::of_bits(stored))" : "stored");
}

/// Returns the statements that copy the image's alpha.
std::string alpha_lines(const pixel_array& result, std::size_t image_width,
                        const continued_axis& rows, const continued_axis& columns) {
  const bool is_always_inside =
      rows.outside != border::zero || (rows.is_inside() && columns.is_inside());
  const std::string from =
      formatted("given.image[pixel * {} + {}]", result.channels, result.channels - 1);
  return formatted("    if (row > 0) return;\n{}    out[index(i) * {} + {}] = {};\n",
                   pixel_lines(image_width, rows, columns), result.channels, result.channels - 1,
                   is_always_inside ? from
                                    : formatted("y < {} && x < {} ? {} : element(0)", rows.image,
                                                columns.image, from));
}

std::string store_text(const pixel_array& result, std::size_t image_width,
                       const continued_axis& rows, const continued_axis& columns) {
  const bool has_alpha = result.channels % 2 == 0;
  const std::size_t pixels = std::max(result.height * result.width, rows.image * columns.image);
  return head_of(store_name, result.stored, index_type(pixels * result.channels), rows, columns) +
         formatted(
             "{}  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, {}size row, size i, "
             "float z) {{\n"
             "    out[index(i) * {} + index(row)] = {};\n{}  }}\n}};\n",
             has_alpha ? "  struct operands { WINGBEAT_GLOBAL const element* image; };\n" : "",
             has_alpha ? "operands given, " : "", result.channels,
             result.stored == precision::fp16 ? "wingbeat::device::half_float(z).bits" : "z",
             has_alpha ? alpha_lines(result, image_width, rows, columns) : std::string{});
}

}  // namespace

std::size_t pixel_array::bytes() const {
  return height * width * channels * element_bytes(stored);
}

fused_load load_of_pixels(const pixel_array& image, const continued_axis& rows,
                          const continued_axis& columns) {
  const auto table = std::make_shared<const pixel_table>(image.width, rows, columns);
  const bool is_half = image.stored == precision::fp16;
  return {.in_bytes = image.bytes(),
          .element_bytes = element_bytes(image.stored),
          .source = {.text = load_text(image, rows, columns), .type = std::string{load_name}},
          .callable = is_half ? callable_of_load<half_float>(image.channels, table)
                              : callable_of_load<float>(image.channels, table)};
}

fused_store store_of_pixels(const pixel_array& result, std::size_t image_width,
                            const continued_axis& rows, const continued_axis& columns) {
  const auto table = std::make_shared<const pixel_table>(image_width, rows, columns);
  const bool is_half = result.stored == precision::fp16;
  fused_store store{.out_bytes = result.bytes(),
                    .element_bytes = element_bytes(result.stored),
                    .source = {.text = store_text(result, image_width, rows, columns),
                               .type = std::string{store_name}},
                    .callable = is_half ? callable_of_store<half_float>(result.channels, table)
                                        : callable_of_store<float>(result.channels, table)};
  if (result.channels % 2 == 0) {
    store.operands = {kernel_parameter::input(element_bytes(result.stored))};
  }
  return store;
}

}  // namespace wingbeat::convolving
