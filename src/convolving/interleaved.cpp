// SPDX-License-Identifier: Apache-2.0
#include "convolving/interleaved.hpp"

#include <algorithm>  // max, min
#include <span>
#include <type_traits>  // conditional_t, integral_constant, is_same_v

#include "arrays/array.hpp"                          // bytes_of_real
#include "functors/device_functor.hpp"               // device_functor
#include "wingbeat/device/functors/pixel_load.hpp"   // pixel_load
#include "wingbeat/device/functors/pixel_store.hpp"  // pixel_store
#include "wingbeat/device/half.hpp"                  // half_float

namespace wingbeat::convolving {
namespace {

using device::half_float;
using device::functors::pixel_numbers;

/// The type of arithmetic for an element.
template <class Element>
using real_of = std::conditional_t<std::is_same_v<Element, double>, double, float>;

/// Calls `call` with an element of the stored type.
template <class Call>
auto with_element(precision stored, const Call& call) {
  if (stored == precision::fp16) return call(half_float{});
  return stored == precision::fp64 ? call(double{}) : call(float{});
}

/// Calls `run` with the number of channels as a constant, so that its loops have constant strides.
template <class Run>
void with_channels(std::size_t channels, const Run& run) {
  switch (channels) {
    case 1: return run(std::integral_constant<std::size_t, 1>{});
    case 2: return run(std::integral_constant<std::size_t, 2>{});
    case 3: return run(std::integral_constant<std::size_t, 3>{});
    default: return run(std::integral_constant<std::size_t, 4>{});
  }
}

/// Calls `run` for each part of the `count` elements that lies in one row: with the number of its
/// first element among them, its row in the image, its column here, and its length.
template <class Run>
void each_row(const pixel_numbers& plane, std::size_t first, std::size_t count, const Run& run) {
  const std::size_t width = plane.columns.length;
  for (std::size_t done = 0; done < count;) {
    const std::size_t y = (first + done) / width, x = (first + done) % width;
    const std::size_t length = std::min(width - x, count - done);
    run(done, pixel_of(plane.rows, y), x, length);
    done += length;
  }
}

/// Reads columns x, x + 1, .. of one row of one channel.
template <std::size_t Channels, class Element>
void read_row(const continued_axis& columns, const Element* row, std::size_t x,
              std::span<real_of<Element>> into) {
  // columns that are neighbours in the image too
  const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(-columns.begin, 0));
  const std::size_t end =
      std::min(columns.image - static_cast<std::size_t>(columns.begin), columns.length);
  for (std::size_t i = 0; i < into.size();) {
    const bool is_inside = x + i >= begin && x + i < end;
    const std::size_t count = is_inside ? std::min(end - x, into.size()) - i : 1;
    const Element* const source = row + pixel_of(columns, x + i) * Channels;
    auto* const target = into.data() + i;
    for (std::size_t k = 0; k < count; ++k) target[k] = source[k * Channels];
    i += count;
  }
}

template <class Element>
host_load callable_of_load(const pixel_numbers& plane) {
  using real = real_of<Element>;
  return run_reader<real>{
      [plane](const void* in, std::size_t channel, std::size_t first, std::span<real> into) {
        with_channels(plane.channels, [&](auto n) {
          const auto* const pixels = static_cast<const Element*>(in) + channel;
          each_row(plane, first, into.size(),
                   [&](std::size_t done, std::size_t y, std::size_t x, std::size_t length) {
                     read_row<n()>(plane.columns, pixels + y * plane.width * n(), x,
                                   into.subspan(done, length));
                   });
        });
      }};
}

template <class Element>
void write_channel(void* out, std::size_t channels, std::size_t channel, std::size_t first,
                   std::span<const real_of<Element>> values) {
  with_channels(channels, [&](auto n) {
    Element* const target = static_cast<Element*>(out) + first * n() + channel;
    for (std::size_t i = 0; i < values.size(); ++i) target[i * n()] = Element(values[i]);
  });
}

/// Copies the alpha of elements first, first + 1, .. from the image; it is 0 outside.
template <class Element>
void copy_alpha(const pixel_numbers& plane, const Element* image, Element* out, std::size_t first,
                std::size_t count) {
  const std::size_t alpha = plane.channels - 1;
  each_row(plane, first, count, [&](std::size_t done, std::size_t y, std::size_t x, std::size_t n) {
    Element* const target = out + (first + done) * plane.channels + alpha;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t column = pixel_of(plane.columns, x + i);
      const bool is_inside = y < plane.rows.image && column < plane.columns.image;
      target[i * plane.channels] = is_inside
                                       ? image[(y * plane.width + column) * plane.channels + alpha]
                                       : Element(real_of<Element>{0});
    }
  });
}

template <class Element>
host_store callable_of_store(const pixel_numbers& plane) {
  using real = real_of<Element>;
  const auto write = [plane](void* out, std::size_t channel, std::size_t first,
                             std::span<const real> values) {
    write_channel<Element>(out, plane.channels, channel, first, values);
  };
  if (plane.channels % 2 != 0) return run_writer<real>{write};
  return operand_writer<real>{[plane, write](void* out, const host_arguments& given,
                                             std::size_t channel, std::size_t first,
                                             std::span<const real> values) {
    write(out, channel, first, values);
    if (channel > 0) return;
    copy_alpha(plane, given.memory<const Element>(0), static_cast<Element*>(out), first,
               values.size());
  }};
}

/// Returns a load or a store with the text and the operands of a functor whose indices count up to
/// `count`.
template <template <class, class> class Functor, class Fused>
Fused compiled(const pixel_numbers& numbers, precision stored, std::size_t count) {
  const auto of_types = [&]<class Stored, class Index>() {
    const device_functor<Functor<Stored, Index>> functor{numbers};
    return Fused{.element_bytes = sizeof(Stored),
                 .source = functor.source(),
                 .operands = functor.parameters()};
  };
  return with_element(stored, [&](auto element) {
    using number = decltype(element);
    using bits = std::conditional_t<std::is_same_v<number, half_float>, unsigned short, number>;
    return count <= 0xffffffffU ? of_types.template operator()<bits, unsigned>()
                                : of_types.template operator()<bits, device::size>();
  });
}

}  // namespace

std::size_t pixel_array::bytes() const {
  return height * width * channels * bytes_of_real(stored);
}

fused_load load_of_pixels(const pixel_array& image, const continued_axis& rows,
                          const continued_axis& columns) {
  const pixel_numbers plane{image.width, image.channels, rows, columns};
  const std::size_t count =
      std::max(image.height * image.width * image.channels, rows.length * columns.length);
  auto load = compiled<device::functors::pixel_load, fused_load>(plane, image.stored, count);
  load.in_bytes = image.bytes();
  load.callable = with_element(
      image.stored, [&](auto element) { return callable_of_load<decltype(element)>(plane); });
  return load;
}

fused_store store_of_pixels(const pixel_array& result, std::size_t image_width,
                            const continued_axis& rows, const continued_axis& columns) {
  const pixel_numbers plane{image_width, result.channels, rows, columns};
  const std::size_t pixels = std::max(result.height * result.width, rows.image * columns.image);
  auto store = compiled<device::functors::pixel_store, fused_store>(plane, result.stored,
                                                                    pixels * result.channels);
  store.out_bytes = result.bytes();
  store.callable = with_element(
      result.stored, [&](auto element) { return callable_of_store<decltype(element)>(plane); });
  return store;
}

}  // namespace wingbeat::convolving
