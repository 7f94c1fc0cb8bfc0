// SPDX-License-Identifier: Apache-2.0
#include "formats/images/samples.hpp"

#include <algorithm>  // min
#include <cmath>      // isfinite
#include <cstdint>    // uint16_t
#include <string>
#include <type_traits>  // is_same_v, remove_reference_t
#include <utility>      // move

#include "formats/files/byte_order.hpp"  // load, store
#include "formats/files/refusal.hpp"     // refuse
#include "text/formatted.hpp"            // joined

#include "wingbeat/device/half.hpp"  // fp16

namespace wingbeat::formats {
namespace {

constexpr std::size_t samples_per_write = std::size_t{1} << 16;

template <class To>
std::vector<To> converted(image_samples&& samples) {
  if (auto* const same = std::get_if<std::vector<To>>(&samples)) return std::move(*same);
  return std::visit(
      [](const auto& values) {
        std::vector<To> result(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) result[i] = static_cast<To>(values[i]);
        return result;
      },
      samples);
}

std::uint16_t nearest_half(double value) {
  return static_cast<std::uint16_t>(device::fp16::nearest(device::fp16::to_odd(value)));
}

}  // namespace

std::vector<float> to_floats(image_samples samples) {
  return converted<float>(std::move(samples));
}

std::vector<double> to_doubles(image_samples samples) {
  return converted<double>(std::move(samples));
}

std::size_t size_of(const image_samples& samples) noexcept {
  return std::visit([](const auto& values) { return values.size(); }, samples);
}

double sample_at(const image_samples& samples, std::size_t i) {
  const auto* const floats = std::get_if<std::vector<float>>(&samples);
  return floats != nullptr ? (*floats)[i] : std::get<std::vector<double>>(samples)[i];
}

std::size_t checked_n_samples(std::initializer_list<std::size_t> lengths, number_type type,
                              std::size_t limit_bytes, std::string_view name) {
  const std::size_t sample_bytes = is_held_by_floats(type) ? sizeof(float) : sizeof(double);
  const std::size_t most = limit_bytes / sample_bytes;
  for (const std::size_t length : lengths) {
    refuse_if(length == 0, name, "has no samples ({}); it must hold at least one",
              joined(lengths, " x "));
  }
  std::size_t n_samples = 1;
  for (const std::size_t length : lengths) {
    refuse_if(length > most / n_samples, name,
              "claims {} samples of {} bytes in memory; at most {} bytes are allowed, so split or "
              "crop it",
              joined(lengths, " x "), sample_bytes, limit_bytes);
    n_samples *= length;
  }
  return n_samples;
}

image_samples zeros(number_type type, std::size_t n_samples) {
  if (is_held_by_floats(type)) return std::vector<float>(n_samples);
  return std::vector<double>(n_samples);
}

void decode(std::span<const std::byte> content, number_type type, std::endian order,
            image_samples& samples, sample_place place) {
  const auto decode_as = [&](auto number, auto& values) {
    using sample = typename std::remove_reference_t<decltype(values)>::value_type;
    for (std::size_t i = 0; i < content.size() / sizeof number; ++i) {
      values[place.first + i * place.stride] =
          static_cast<sample>(load<decltype(number)>(&content[i * sizeof number], order));
    }
  };
  std::visit(
      [&](auto& values) { with_number(type, [&](auto number) { decode_as(number, values); }); },
      samples);
}

double rounded_to(number_type type, double value) noexcept {
  if (type == number_type::float16) return half_bits{nearest_half(value)};
  return type == number_type::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

std::vector<std::byte> stored(const image_samples& samples, std::size_t first,
                              std::size_t n_samples, number_type type, std::endian order,
                              const std::string& name) {
  const bool is_float = type == number_type::float32 || type == number_type::float16;
  std::vector<std::byte> bytes(n_samples * bytes_of(type));
  for (std::size_t i = 0; i < n_samples; ++i) {
    const double value = sample_at(samples, first + i);
    if (is_float && std::isfinite(value) && !std::isfinite(rounded_to(type, value))) {
      const bool is_single = type == number_type::float32;
      refuse(name, "cannot hold the sample {}: magnitudes up to {} are stored; {}", value,
             is_single ? "3.4e38" : "65504",
             is_single ? "scale the image" : "store fp32 or scale the image");
    }
    with_number(type, [&](auto number) {
      std::byte* const place = &bytes[i * bytes_of(type)];
      if constexpr (std::is_same_v<decltype(number), half_bits>) {
        store(place, nearest_half(value), order);
      } else {
        store(place, static_cast<decltype(number)>(value), order);
      }
    });
  }
  return bytes;
}

void write_samples(atomic_file& file, const image_samples& samples, number_type type,
                   std::endian order) {
  for (std::size_t first = 0; first < size_of(samples); first += samples_per_write) {
    file.write(stored(samples, first, std::min(samples_per_write, size_of(samples) - first), type,
                      order, file.path().string()));
  }
}

}  // namespace wingbeat::formats
