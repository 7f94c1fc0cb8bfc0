// SPDX-License-Identifier: Apache-2.0
#include "formats/images/samples.hpp"

#include <algorithm>    // min
#include <cmath>        // isfinite
#include <cstdint>      // uint16_t
#include <type_traits>  // remove_reference_t
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
  const auto* const floats = std::get_if<std::vector<float>>(&samples);
  return floats != nullptr ? floats->size() : std::get_if<std::vector<double>>(&samples)->size();
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
    if (length == 0) {
      refuse(name, "has no samples ({}); it must hold at least one", joined(lengths, " x "));
    }
  }
  std::size_t n_samples = 1;
  for (const std::size_t length : lengths) {
    if (length > most / n_samples) {
      refuse(name,
             "claims {} samples of {} bytes in memory; at most {} bytes are allowed, so split or "
             "crop it",
             joined(lengths, " x "), sample_bytes, limit_bytes);
    }
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

double rounded_to(float_type type, double value) noexcept {
  if (type == float_type::float32) return static_cast<double>(static_cast<float>(value));
  return device::fp16::widened(nearest_half(value));
}

void write_samples(atomic_file& file, const image_samples& samples, float_type type,
                   std::size_t first, std::size_t n_samples) {
  const bool is_single = type == float_type::float32;
  const std::size_t number_bytes = is_single ? 4 : 2;
  std::vector<std::byte> bytes(std::min(n_samples, samples_per_write) * number_bytes);
  for (const std::size_t end = first + n_samples; first < end;) {
    const std::size_t n_numbers = std::min(samples_per_write, end - first);
    for (std::size_t i = 0; i < n_numbers; ++i) {
      const double value = sample_at(samples, first + i);
      if (std::isfinite(value) && !std::isfinite(rounded_to(type, value))) {
        refuse(file.path().string(),
               "cannot hold the sample {}: magnitudes up to {} are stored; {}", value,
               is_single ? "3.4e38" : "65504",
               is_single ? "scale the image" : "store fp32 or scale the image");
      }
      if (is_single) {
        store(&bytes[4 * i], static_cast<float>(value));
      } else {
        store(&bytes[2 * i], nearest_half(value));
      }
    }
    file.write(std::span<const std::byte>{bytes.data(), n_numbers * number_bytes});
    first += n_numbers;
  }
}

void write_samples(atomic_file& file, const image_samples& samples, float_type type) {
  write_samples(file, samples, type, 0, size_of(samples));
}

}  // namespace wingbeat::formats
