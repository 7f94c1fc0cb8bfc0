// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/numbers.hpp"

#include <cmath>  // ldexp
#include <utility>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // refuse

namespace wingbeat::formats {
namespace {

class number_reader final : public sample_reader {
 public:
  number_reader(std::shared_ptr<const byte_source> source, const number_layout& layout,
                signal shape)
      : sample_reader(source->name(), std::move(shape), layout.frame_bytes < layout.channel_bytes),
        from_(std::move(source)),
        layout_(layout) {}

 private:
  void load(std::size_t first, channel_range channels, std::span<double> frames) override {
    const std::size_t parts = layout_.type.is_complex ? 2 : 1;
    const std::size_t sample_bytes = layout_.type.sample_bytes();
    const std::size_t together = has_rows() ? 1 : channels.count;
    const std::size_t count = frames.size() / parts / channels.count;
    for (std::size_t c = 0; c < channels.count; c += together) {
      const auto take = [&](std::span<const std::byte> piece, std::size_t offset) {
        for (std::size_t i = 0; i < piece.size() / sample_bytes; ++i) {
          const std::size_t n = offset / sample_bytes + i;
          decode(&piece[i * sample_bytes],
                 &frames[(n / together * channels.count + n % together + c) * parts]);
        }
      };
      read_pieces(*from_,
                  layout_.begin + first * layout_.frame_bytes +
                      (channels.first + c) * layout_.channel_bytes,
                  count * together * sample_bytes, together * sample_bytes, take);
    }
  }

  void decode(const std::byte* source, double* parts) const {
    with_number(layout_.type.part, [&](auto number) {
      for (std::size_t i = 0; i < (layout_.type.is_complex ? 2 : 1); ++i) {
        const double value = static_cast<double>(
            formats::load<decltype(number)>(source + i * sizeof number, layout_.type.order));
        parts[i] = (value - layout_.zero) * layout_.scale;
      }
    });
  }

  std::shared_ptr<const byte_source> from_;
  number_layout layout_;
};

}  // namespace

std::unique_ptr<sample_reader> open_numbers(std::shared_ptr<const byte_source> source,
                                            const number_layout& layout, signal shape) {
  return std::make_unique<number_reader>(std::move(source), layout, std::move(shape));
}

std::optional<number_layout> raw_layout_of(std::string_view name) {
  using enum number_type;
  constexpr std::pair<std::string_view, number_type> known[] = {
      {"f64", float64}, {"f32", float32}, {"i32", int32}, {"u32", uint32},
      {"i16", int16},   {"u16", uint16},  {"i8", int8},   {"u8", uint8}};
  const bool is_big = name.ends_with("_be");
  if (is_big || name.ends_with("_le")) name.remove_suffix(3);
  if (!name.starts_with('c') && !name.starts_with('r')) return std::nullopt;
  for (const auto& [number, part] : known) {
    if (name.substr(1) != number) continue;
    number_layout layout{
        .type = {part, is_big ? std::endian::big : std::endian::little, name.front() == 'c'}};
    if (number.front() == 'f') return layout;
    const int half = static_cast<int>(8 * bytes_of(part)) - 1;
    layout.scale = std::ldexp(1.0, -half);
    if (number.front() == 'u') layout.zero = std::ldexp(1.0, half);
    return layout;
  }
  return std::nullopt;
}

std::unique_ptr<sample_reader> open_raw(std::shared_ptr<const byte_source> source,
                                        number_layout layout, std::size_t end, signal shape) {
  layout.channel_bytes = layout.type.sample_bytes();
  layout.frame_bytes = shape.n_channels * layout.channel_bytes;
  const std::size_t n_bytes = end - layout.begin;
  refuse_if(n_bytes == 0 || n_bytes % layout.frame_bytes != 0, source->name(),
            "has {} bytes of samples, which are not one or more frames of {} bytes; cut it to "
            "whole ones, or give their --format",
            n_bytes, layout.frame_bytes);
  shape.n_rows = shape.n_channels;
  shape.row_length = n_bytes / layout.frame_bytes;
  shape.is_real = !layout.type.is_complex;
  shape.is_single_precision = is_held_by_floats(layout.type.part);
  return open_numbers(std::move(source), layout, std::move(shape));
}

}  // namespace wingbeat::formats
