// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded_source.hpp"

#include <algorithm>  // min
#include <cmath>      // abs, nearbyint

#include "channelising/arithmetic/packed_samples.hpp"  // packed_bytes, unpack_samples
#include "cli/messages.hpp"                            // print_message
#include "formats/files/byte_source.hpp"               // formats::byte_source
#include "formats/files/refusal.hpp"                   // refuse
#include "formats/files/whole_file.hpp"                // largest_file_bytes

namespace wingbeat::cli {
namespace {

using formats::refuse, formats::refuse_if;

/// Replaces integers of few bits by the levels that `choose_levels` has them stand for.
void set_levels(std::span<std::int16_t> samples, unsigned bits) {
  for (std::int16_t& x : samples) {
    if (bits == 8) x = static_cast<std::int16_t>(2 * x + 1);
    if (bits == 2 && x != 0) {
      const std::int16_t level = std::abs(x) == 1 ? low_level : high_level;
      x = x < 0 ? static_cast<std::int16_t>(-level) : level;
    }
  }
}

/// Packed samples of one polarisation.
class packed_source final : public recorded_source {
 public:
  packed_source(std::unique_ptr<byte_source> file, unsigned sample_bits)
      : recorded_source(file->name(), {.n_samples = file->size().value_or(0) * 8 / sample_bits,
                                       .sample_bits = sample_bits}),
        file_(std::move(file)) {
    refuse_if(file_->size() && held.n_samples == 0, name, "holds less than one sample of {} bits",
              sample_bits);
  }

  std::size_t read(std::span<const std::size_t>, std::size_t, std::size_t count) override {
    bytes_.resize(channelising::packed_bytes(count, held.sample_bits));
    count = std::min(count, file_->read(bytes_) * 8 / held.sample_bits);
    integers.resize(count);
    channelising::unpack_samples(bytes_, held.sample_bits, 0, integers);
    return count;
  }

 private:
  std::unique_ptr<byte_source> file_;
  std::vector<std::byte> bytes_;
};

/// Samples that become integers of 16 bits.
class signal_source final : public recorded_source {
 public:
  explicit signal_source(std::unique_ptr<formats::sample_reader> reader)
      : recorded_source(reader->name(), stated_by(reader->shape())), reader_(std::move(reader)) {
    // Real numbers without a scale are those of a digitiser.
    const formats::signal& shape = reader_->shape();
    const bool is_unscaled = shape.has_integers || (shape.is_real && shape.n_channels == 0);
    full_scale = is_unscaled ? 1 : full_scale_of_fractions;
  }

  /// Takes raw samples of a pipe, in pieces.
  signal_source(std::unique_ptr<byte_source> pipe, const formats::number_layout& layout)
      : recorded_source(pipe->name(), {.is_complex = layout.type.is_complex}),
        pipe_(std::move(pipe)),
        layout_(layout) {
    full_scale = full_scale_of_fractions;
  }

  std::size_t read(std::span<const std::size_t>, std::size_t first, std::size_t count) override {
    constexpr double most = 32767;
    if (pipe_) open_piece(first, count);
    count = std::min(count, reader_->shape().row_length - first);
    const std::size_t n_rows = held.n_polarisations, parts = held.is_complex ? 2 : 1;
    const std::vector<double> numbers = reader_->read(first, count);
    integers.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t frame = i / parts / n_rows;
      const double number = std::nearbyint(numbers[i] * full_scale);
      if (std::abs(number) > most + 1 || (full_scale == 1 && number != numbers[i])) {
        refuse(name,
               "has {:g} in sample {}; {}, so scale it by wingbeat filter, or save it as such",
               numbers[i], first + frame,
               full_scale == 1 ? "integers of 16 bits are channelised"
                               : "magnitudes up to 1 are channelised");
      }
      integers[((i / parts % n_rows) * count + frame) * parts + i % parts] =
          static_cast<std::int16_t>(std::min(number, most));
    }
    return count;
  }

 private:
  static formats::voltages stated_by(const formats::signal& shape) {
    formats::voltages stated{.n_polarisations = shape.n_rows,
                             .n_samples = shape.row_length,
                             .is_complex = !shape.is_real,
                             .sample_rate_hz = shape.sample_rate_hz};
    if (shape.centre_hz > 0) stated.frequencies = {shape.centre_hz, shape.sample_rate_hz};
    return stated;
  }

  /// Reads `count` samples of the pipe, fewer at its end; the reader has all up to them, of which
  /// those before `first` cannot be read again.
  void open_piece(std::size_t first, std::size_t count) {
    const std::size_t sample_bytes = layout_.type.sample_bytes();
    bytes_.resize(count * sample_bytes);
    bytes_.resize(pipe_->read(bytes_));
    layout_.begin = 0 - first * sample_bytes;  // modulo 2^64, so that `first` is at byte 0
    const std::span<const std::byte> piece{bytes_};
    reader_ = formats::open_raw(std::make_shared<const formats::byte_source>(piece, name), layout_,
                                piece.size(), {.n_channels = 1});
  }

  static constexpr double full_scale_of_fractions = 32768;
  std::unique_ptr<byte_source> pipe_;
  formats::number_layout layout_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<formats::sample_reader> reader_;
};

class voltage_source final : public recorded_source {
 public:
  voltage_source(const std::vector<std::string>& files, const formats::voltage_format& format,
                 const recording_options& options)
      : recorded_source(files[0], {}),
        has_levels_(options.levels == sample_levels::optimal),
        content_(files.size() == 1
                     ? std::make_unique<formats::byte_source>(files[0], formats::largest_file_bytes)
                     : std::make_unique<formats::byte_source>(files)) {
    formats::voltage_options stated = options.stated;
    if (options.channels.size() == 1) stated.channel = options.channels[0];
    file_ = format.open(*content_, stated);
    held = file_->contents();
    for (const std::string& remark : held.remarks) {
      if (options.is_strict) refuse(name, "{}", remark);
      print_message("{}: {}", name, remark);
    }
  }

  std::size_t read(std::span<const std::size_t> channels, std::size_t first,
                   std::size_t count) override {
    const std::size_t row = count * (held.is_complex ? 2 : 1), n_pols = held.n_polarisations;
    integers.resize(channels.size() * n_pols * row);
    std::vector<std::span<std::int16_t>> rows;
    for (std::size_t i = 0; i < channels.size() * n_pols; ++i) {
      rows.push_back(std::span(integers).subspan(i * row, row));
    }
    for (std::size_t i = 0; i < channels.size(); ++i) {
      file_->read(channels[i], first, count, std::span(rows).subspan(i * n_pols, n_pols));
    }
    if (has_levels_) set_levels(integers, held.sample_bits);
    return count;
  }

 private:
  bool has_levels_;
  std::unique_ptr<formats::byte_source> content_;
  std::unique_ptr<formats::voltage_file> file_;
};

}  // namespace

std::unique_ptr<recorded_source> packed_source_of(std::unique_ptr<byte_source> file,
                                                  unsigned sample_bits) {
  return std::make_unique<packed_source>(std::move(file), sample_bits);
}

std::unique_ptr<recorded_source> signal_source_of(std::unique_ptr<formats::sample_reader> reader) {
  return std::make_unique<signal_source>(std::move(reader));
}

std::unique_ptr<recorded_source> signal_source_of(std::unique_ptr<byte_source> pipe,
                                                  const formats::number_layout& layout) {
  return std::make_unique<signal_source>(std::move(pipe), layout);
}

std::unique_ptr<recorded_source> voltage_source_of(const std::vector<std::string>& files,
                                                   const formats::voltage_format& format,
                                                   const recording_options& options) {
  return std::make_unique<voltage_source>(files, format, options);
}

}  // namespace wingbeat::cli
