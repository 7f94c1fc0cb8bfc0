// SPDX-License-Identifier: Apache-2.0
#include <cmath>    // isfinite, trunc
#include <cstdint>  // uint16_t, uint32_t
#include <string>

#include "formats/files/byte_order.hpp"  // store
#include "formats/files/refusal.hpp"     // refuse
#include "formats/signals/wav.hpp"
#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {
namespace {

constexpr std::size_t sample_bytes = 4;
constexpr std::size_t head_bytes = 58;  // all before the samples
constexpr double largest_u32 = 4294967295.0;

void check(const std::string& name, const signal& recording) {
  if (!recording.is_real) {
    throw plan_error(formatted("cannot write complex samples to {}; write .npy or .txt", name));
  }
  const double rate = recording.sample_rate_hz;
  if (rate < 1 || rate > largest_u32 || rate != std::trunc(rate)) {
    throw plan_error(
        formatted("cannot write a sample rate of {:g} Hz to {}; a .wav file has a whole number of "
                  "Hz from 1, so state one or write .npy or .txt",
                  rate, name));
  }
  if (recording.n_rows > 65535) {
    throw plan_error(
        formatted("cannot write {} channels to {}; a .wav file holds 65535, so write "
                  ".npy or .txt",
                  recording.n_rows, name));
  }
  const double bytes = static_cast<double>(recording.n_rows) *
                       static_cast<double>(recording.row_length) * sample_bytes;
  if (bytes > largest_u32 - head_bytes) {
    throw plan_error(formatted(
        "cannot write {:.3g} bytes of samples to {}; a .wav file holds 4 GiB, so write .npy", bytes,
        name));
  }
}

template <class Number>
void put(std::string& head, Number number) {
  std::byte bytes[sizeof(Number)];
  store(bytes, number);
  head.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

/// The chunks RIFF, fmt of floats, fact, and the beginning of data.
std::string head_of(const signal& recording) {
  const auto data_bytes =
      static_cast<std::uint32_t>(recording.n_rows * recording.row_length * sample_bytes);
  const auto rate = static_cast<std::uint32_t>(recording.sample_rate_hz);
  const auto frame_bytes = static_cast<std::uint16_t>(recording.n_rows * sample_bytes);
  std::string head = "RIFF";
  put<std::uint32_t>(head, data_bytes + head_bytes - 8);
  head += "WAVEfmt ";
  put<std::uint32_t>(head, 18);
  put<std::uint16_t>(head, 3);  // IEEE float
  put<std::uint16_t>(head, static_cast<std::uint16_t>(recording.n_rows));
  put<std::uint32_t>(head, rate);
  put<std::uint32_t>(head, rate * frame_bytes);
  put<std::uint16_t>(head, frame_bytes);
  put<std::uint16_t>(head, 8 * sample_bytes);
  put<std::uint16_t>(head, 0);  // bytes of an extension
  head += "fact";
  put<std::uint32_t>(head, 4);
  put<std::uint32_t>(head, static_cast<std::uint32_t>(recording.row_length));
  head += "data";
  put<std::uint32_t>(head, data_bytes);
  return head;
}

}  // namespace

wav_writer::wav_writer(atomic_file& file, const signal& shape) : to_(file) {
  check(file.path().string(), shape);
  to_.write(head_of(shape));
}

void wav_writer::add(std::span<const double> frames) {
  std::string bytes;
  bytes.reserve(frames.size() * sample_bytes);
  for (const double value : frames) {
    const auto number = static_cast<float>(value);
    if (!std::isfinite(number)) {
      refuse(to_.path().string(),
             "cannot hold the sample {:g}: magnitudes up to 3.4e38 are stored; scale it", value);
    }
    put(bytes, number);
  }
  to_.write(bytes);
}

void write_wav(atomic_file& file, const signal& recording) {
  wav_writer writer{file, recording};
  std::vector<double> frame(recording.n_rows);
  for (std::size_t i = 0; i < recording.row_length; ++i) {
    for (std::size_t row = 0; row < recording.n_rows; ++row) {
      frame[row] = recording.samples[row * recording.row_length + i].real();
    }
    writer.add(frame);
  }
}

}  // namespace wingbeat::formats
