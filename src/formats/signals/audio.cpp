// SPDX-License-Identifier: Apache-2.0
#include <sndfile.h>

#include <algorithm>  // copy_n, min
#include <array>
#include <cmath>    // isfinite, lrint, trunc
#include <cstdint>  // int32_t
#include <string>

#include "formats/files/atomic_file.hpp"    // atomic_file
#include "formats/files/extension.hpp"      // extension_of
#include "formats/files/refusal.hpp"        // printable, refuse
#include "formats/signals/format.hpp"       // open_audio, open_audio_writer
#include "formats/signals/wave_chunks.hpp"  // find_wave, is_wave
#include "text/reject.hpp"                  // reject

namespace wingbeat::formats {
namespace {

using sound_file = std::unique_ptr<SNDFILE, decltype(&sf_close)>;

/// What libsndfile reads: a header, and a range of a file behind it.
struct file_view {
  std::shared_ptr<const byte_source> source;
  wave_file bytes;
  sf_count_t position = 0;

  [[nodiscard]] sf_count_t size() const {
    return static_cast<sf_count_t>(bytes.header.size() + bytes.end - bytes.begin);
  }

  sf_count_t read(std::span<std::byte> target) {
    if (position < 0 || position >= size()) return 0;
    const auto offset = static_cast<std::size_t>(position);
    const std::size_t n_head = bytes.header.size();
    std::size_t count = std::min(target.size(), static_cast<std::size_t>(size()) - offset);
    if (offset < n_head) {
      count = std::min(count, n_head - offset);
      std::copy_n(std::as_bytes(std::span{bytes.header}).begin() + position, count, target.begin());
    } else {
      count = source->read_some(bytes.begin + offset - n_head, target.first(count));
    }
    position += static_cast<sf_count_t>(count);
    return static_cast<sf_count_t>(count);
  }
};

SF_VIRTUAL_IO functions_of_view() {
  return {
      .get_filelen = [](void* view) { return static_cast<file_view*>(view)->size(); },
      .seek =
          [](sf_count_t offset, int origin, void* user) {
            auto& view = *static_cast<file_view*>(user);
            if (origin == SEEK_CUR) offset += view.position;
            if (origin == SEEK_END) offset += view.size();
            return view.position = offset;
          },
      .read =
          [](void* target, sf_count_t count, void* view) {
            return static_cast<file_view*>(view)->read(
                {static_cast<std::byte*>(target), static_cast<std::size_t>(count)});
          },
      .write = nullptr,
      .tell = [](void* view) { return static_cast<file_view*>(view)->position; },
  };
}

class audio_reader final : public sample_reader {
 public:
  audio_reader(std::shared_ptr<const byte_source> source, wave_file bytes)
      : sample_reader(source->name(), {}), view_{std::move(source), std::move(bytes)} {
    const SF_INFO info = open();
    refuse_if(info.frames == SF_COUNT_MAX, name(), "is cut; copy or record it again");
    if (info.frames <= 0) refuse(name(), "holds no samples; record it again");
    if (info.samplerate <= 0) refuse(name(), "has a sample rate of 0 Hz; record it again");
    const int coding = info.format & SF_FORMAT_SUBMASK;
    signal& shape = own_shape();
    shape.n_rows = shape.n_channels = static_cast<std::size_t>(info.channels);
    shape.row_length = static_cast<std::size_t>(info.frames);
    shape.sample_rate_hz = info.samplerate;
    shape.is_single_precision =
        coding != SF_FORMAT_PCM_32 && coding != SF_FORMAT_DOUBLE && coding != SF_FORMAT_ALAC_32;
    if (!info.seekable) return;
    // The last frame tells whether the file is as long as it states.
    std::vector<double> frame(shape.n_rows);
    load(shape.row_length - 1, {}, frame);
  }

 private:
  /// Opens the sound at its beginning.
  SF_INFO open() {
    SF_VIRTUAL_IO functions = functions_of_view();
    SF_INFO info = {};
    view_.position = 0;
    file_.reset(sf_open_virtual(&functions, SFM_READ, &info, &view_));
    refuse_if(!file_, name(), "cannot be read as sound ({}); convert it to .wav by ffmpeg or sox",
              printable(sf_strerror(nullptr), 200));
    next_ = 0;
    is_seekable_ = info.seekable != 0;
    return info;
  }

  /// Moves to a frame; where the coding cannot, as GSM 6.10, by reading what lies before it.
  void move_to(std::size_t frame) {
    const auto begin = static_cast<sf_count_t>(frame);
    if (is_seekable_) {
      if (sf_seek(file_.get(), begin, SEEK_SET) != begin) refuse_cut(frame);
      return;
    }
    if (frame < next_) open();
    std::vector<double> skipped(skipped_frames * shape().n_rows);
    while (next_ < frame) {
      load(next_, {},
           std::span(skipped).first(std::min(skipped_frames, frame - next_) * shape().n_rows));
    }
  }

  void load(std::size_t first, channel_range, std::span<double> frames) override {
    const std::size_t count = frames.size() / shape().n_rows;
    if (next_ != first) move_to(first);
    const auto got = static_cast<std::size_t>(
        sf_readf_double(file_.get(), frames.data(), static_cast<sf_count_t>(count)));
    if (got != count) refuse_cut(first + got);
    next_ = first + count;
  }

  [[noreturn]] void refuse_cut(std::size_t frame) {
    refuse(name(), "promises {} samples and is cut or damaged at {}; copy or record it again",
           shape().row_length, frame);
  }

  file_view view_;
  static constexpr std::size_t skipped_frames = 4096;
  sound_file file_{nullptr, sf_close};
  std::size_t next_ = 0;
  bool is_seekable_ = true;
};

constexpr double full_scale_24 = 8388608, largest_rate_hz = 2147483647;

class audio_writer final : public sample_writer {
 public:
  audio_writer(const std::filesystem::path& path, const signal& shape)
      : is_flac_(extension_of(path) == ".flac"), to_(path) {
    const std::string name = path.string();
    reject_if(!shape.is_real, "cannot write complex samples to {}; write .npy or .txt", name);
    const double rate = shape.sample_rate_hz;
    reject_if(rate < 1 || rate > largest_rate_hz || rate != std::trunc(rate),
              "cannot write a sample rate of {:g} Hz to {}; it has a whole number of Hz from "
              "1, so state one or write .npy or .txt",
              rate, name);
    refuse_if(!to_.can_rewrite(), name,
              "is a pipe, and the header is written last; write a file, or text");
    constexpr std::size_t sample_bytes = 4, most_bytes = 0xFFFFF000;
    const bool is_long = shape.n_rows * shape.row_length > most_bytes / sample_bytes;
    SF_INFO info = {};
    info.samplerate = static_cast<int>(rate);
    info.channels = static_cast<int>(std::min<std::size_t>(shape.n_rows, 1 << 20));
    info.format = is_flac_  ? SF_FORMAT_FLAC | SF_FORMAT_PCM_24
                  : is_long ? SF_FORMAT_RF64 | SF_FORMAT_FLOAT
                            : SF_FORMAT_WAV | SF_FORMAT_FLOAT;
    if (sf_format_check(&info) != 0) {
      file_.reset(sf_open(to_.written_path().c_str(), SFM_WRITE, &info));
    }
    reject_if(!file_,
              "cannot write {} channels at {:g} Hz to {}, which does not hold so many; write "
              ".npy or .txt",
              shape.n_rows, rate, name);
    sf_command(file_.get(), SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);  // it has the time of day
  }

  void add(std::span<const double> frames) override {
    const auto count = static_cast<sf_count_t>(frames.size());
    sf_count_t written = 0;
    if (is_flac_) {
      std::vector<std::int32_t> numbers(frames.size());
      for (std::size_t i = 0; i < frames.size(); ++i) numbers[i] = integer_of(frames[i]);
      written = sf_write_int(file_.get(), numbers.data(), count);
    } else {
      std::vector<float> numbers(frames.size());
      for (std::size_t i = 0; i < frames.size(); ++i) numbers[i] = float_of(frames[i]);
      written = sf_write_float(file_.get(), numbers.data(), count);
    }
    if (written != count) refuse(name(), "cannot be written: {}", sf_strerror(file_.get()));
  }

  void commit() override {
    const int failure = sf_close(file_.release());
    if (failure != 0) refuse(name(), "cannot be written: {}", sf_error_number(failure));
    to_.commit();
  }

 private:
  [[nodiscard]] std::string name() const { return to_.path().string(); }

  [[nodiscard]] float float_of(double value) const {
    const auto number = static_cast<float>(value);
    if (std::isfinite(number)) return number;
    refuse(name(), "cannot hold the sample {:g}: magnitudes up to 3.4e38 are stored; scale it",
           value);
  }

  /// Returns 24 bits, the upper ones of 32.
  [[nodiscard]] std::int32_t integer_of(double value) const {
    const double number = std::nearbyint(value * full_scale_24);
    if (number >= -full_scale_24 && number < full_scale_24) {
      return static_cast<std::int32_t>(number) * 256;
    }
    refuse(name(),
           "cannot hold the sample {:g}: -1 to 1 - 2^-23 are stored; scale it, or write .wav",
           value);
  }

  bool is_flac_;
  atomic_file to_;
  sound_file file_{nullptr, sf_close};
};

}  // namespace

bool has_audio_library() noexcept {
  return true;
}

std::unique_ptr<sample_reader> open_audio(std::shared_ptr<const byte_source> source) {
  std::array<std::byte, 4> head{};
  static_cast<void>(source->read_some(0, head));
  const bool is_riff = is_wave({reinterpret_cast<const char*>(head.data()), head.size()}) ||
                       extension_of(source->name()) == ".wav";
  wave_file bytes = is_riff ? find_wave(*source) : wave_file{.end = source->size()};
  return std::make_unique<audio_reader>(std::move(source), std::move(bytes));
}

std::unique_ptr<sample_writer> open_audio_writer(const std::filesystem::path& file,
                                                 const signal& shape) {
  return std::make_unique<audio_writer>(file, shape);
}

}  // namespace wingbeat::formats
