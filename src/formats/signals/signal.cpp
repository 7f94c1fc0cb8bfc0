// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/signal.hpp"

#include <algorithm>  // ranges::copy
#include <array>
#include <new>  // bad_alloc
#include <string_view>
#include <utility>  // exchange, move

#include "formats/files/atomic_file.hpp"      // atomic_file, is_written_directly
#include "formats/files/extension.hpp"        // extension_of
#include "formats/files/refusal.hpp"          // refuse
#include "formats/files/signature.hpp"        // is_binary, signed_content
#include "formats/files/whole_file.hpp"       // largest_file_bytes, shown_name
#include "formats/signals/format.hpp"         // open_audio, open_npy, read_csv ..
#include "formats/signals/numbers.hpp"        // open_raw, raw_layout_of
#include "formats/signals/sample_reader.hpp"  // sample_reader, sample_writer
#include "formats/signals/sigmf.hpp"          // is_sigmf, open_sigmf, open_sigmf_writer
#include "text/counted.hpp"                   // counted
#include "text/reject.hpp"                    // reject
#include "wingbeat/error.hpp"                 // file_error

namespace wingbeat::formats {
namespace {

/// Rows that are in memory, because their file is a text.
class rows_in_memory final : public sample_reader {
 public:
  rows_in_memory(std::string name, signal rows)
      : sample_reader(std::move(name), rows, true), samples_(std::move(own_shape().samples)) {}

  signal read_all(std::optional<std::size_t> channel, std::size_t max_length) override {
    if (max_length < shape().row_length) return sample_reader::read_all(channel, max_length);
    signal rows = shape();
    rows.samples = std::move(samples_);
    return rows;
  }

 private:
  void load(std::size_t first, channel_range rows, std::span<double> frames) override {
    const std::size_t parts = shape().is_real ? 1 : 2;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::size_t sample = i / parts, row = rows.first + sample % rows.count;
      const auto& z = samples_[row * shape().row_length + first + sample / rows.count];
      frames[i] = i % parts == 0 ? z.real() : z.imag();
    }
  }

  std::vector<std::complex<double>> samples_;
};

/// Takes the two channels of a recording as the real and imaginary parts of one.
class paired_channels final : public sample_reader {
 public:
  explicit paired_channels(std::unique_ptr<sample_reader> channels)
      : sample_reader(channels->name(), channels->shape()), channels_(std::move(channels)) {
    signal& paired = own_shape();
    reject_if(!paired.is_real || paired.n_rows != 2,
              "{} has {} of {} samples, and I and Q are two of real ones; leave "
              "--format iq out",
              name(), counted(paired.n_rows, "channel"), paired.is_real ? "real" : "complex");
    paired.is_real = false;
    paired.n_rows = paired.n_channels = 1;
  }

 private:
  void load(std::size_t first, channel_range, std::span<double> frames) override {
    std::ranges::copy(channels_->read(first, frames.size() / 2), frames.begin());
  }

  std::unique_ptr<sample_reader> channels_;
};

/// Opens sound that has no mark we know, such as MP3 and VOC.
std::unique_ptr<sample_reader> open_unmarked(std::shared_ptr<const byte_source> source,
                                             std::string_view head) {
  const std::string name = source->name();
  refuse_if(head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"), name,
            "is a text in UTF-16; save it in UTF-8");
  if (has_audio_library()) {
    try {
      return open_audio(std::move(source));
    } catch (const file_error&) {
      // That it is no sound says less than what follows.
    }
  }
  refuse(name,
         "is binary, and of no format that is known; give --format if it holds raw samples, such "
         "as cf32, ci16 or ri16, or convert it");
}

std::unique_ptr<sample_reader> open_content(const std::filesystem::path& file,
                                            const read_options& options) {
  const std::string& format = options.format;
  if (format == "auto" && is_sigmf(file)) return open_sigmf(file);
  auto source = std::make_shared<const byte_source>(file, largest_file_bytes);
  if (const auto layout = raw_layout_of(format)) {
    const std::size_t size = source->size();
    return open_raw(std::move(source), *layout, size, {.n_channels = 1});
  }
  std::array<std::byte, 4096> bytes;
  const std::span<const std::byte> head{bytes.data(), source->read_some(0, bytes)};
  const std::string extension = extension_of(file);
  const std::string_view kind = signed_content(head), npy = "an array in .npy";
  const bool is_named = extension == ".wav" || extension == ".mp3";  // MP3 may begin anyhow
  if (kind != npy && extension != ".npy" && (kind.ends_with(" sound") || is_named)) {
    return open_audio(std::move(source));
  }
  if (kind == npy || extension == ".npy") {
    auto array = open_npy(std::move(source));
    refuse_if(array->shape().n_tables > 1 && !options.takes_tables, array->name(),
              "has 3 dimensions; give one, or two as rows of samples, or name an image of it to "
              "transform --axes 2 by --frame");
    return array;
  }
  if (kind == "an HDF5 file") return open_hdf5(std::move(source));
  const std::string& name = source->name();
  refuse_if(kind.ends_with(" image") || kind == "a FITS file", name,
            "is {}; convolve, match and transform --axes 2 read images", kind);
  refuse_if(!kind.empty(), name,
            "is {}; sound, .npy, SigMF, HDF5, .csv and text are read, so convert it", kind);
  if (is_binary(head)) {
    return open_unmarked(std::move(source),
                         {reinterpret_cast<const char*>(head.data()), head.size()});
  }
  const std::vector<std::byte> content = source->all(largest_file_bytes);
  const std::string_view text{reinterpret_cast<const char*>(content.data()), content.size()};
  const bool is_csv = !options.column.empty() || has_csv_heading(text);
  return std::make_unique<rows_in_memory>(
      name, is_csv ? read_csv(text, name, options.column) : read_text(text, name));
}

/// Adds a signal to a file of frames.
void write_frames(sample_writer& writer, const signal& recording) {
  std::vector<double> frame;
  for (std::size_t i = 0; i < recording.row_length; ++i) {
    frame.clear();
    for (std::size_t row = 0; row < recording.n_rows; ++row) {
      const auto& z = recording.samples[row * recording.row_length + i];
      frame.push_back(z.real());
      if (!recording.is_real) frame.push_back(z.imag());
    }
    writer.add(frame);
  }
  writer.commit();
}

}  // namespace

void require_signal_format(const std::string& format) {
  if (format == "auto" || format == "iq" || raw_layout_of(format)) return;
  reject(
      "--format {} is not known; give auto, iq for a recording whose two channels are I "
      "and Q, or the type of raw samples: c or r (complex, real), then f32, f64, i8, u8, "
      "i16, u16, i32 or u32, such as cf32 or ci16_be",
      format);
}

std::unique_ptr<sample_reader> open_samples(const std::filesystem::path& file,
                                            const read_options& options) {
  require_signal_format(options.format);
  auto opened = open_content(file, options);
  if (options.format == "iq") opened = std::make_unique<paired_channels>(std::move(opened));
  reject_if(!options.column.empty() && dynamic_cast<const rows_in_memory*>(opened.get()) == nullptr,
            "{} is no table of text, so --column {} means nothing there; leave it out",
            opened->name(), options.column);
  const std::size_t n_channels = opened->shape().n_channels;
  if (options.channel && n_channels == 0) {
    reject(
        "{} has rows and no channels, so channel {} means nothing there; leave the "
        "channel out",
        opened->name(), *options.channel);
  }
  if (options.channel && *options.channel >= n_channels) {
    reject("{} has no channel {}; choose one from 0 to {}", opened->name(), *options.channel,
           n_channels - 1);
  }
  return opened;
}

std::unique_ptr<sample_writer> open_writer(const std::filesystem::path& file, const signal& shape) {
  switch (output_format_of(file)) {
    case output_format::sound: return open_audio_writer(file, shape);
    case output_format::sigmf: return open_sigmf_writer(file, shape);
    default: return nullptr;
  }
}

signal read_signal(const std::filesystem::path& file, const read_options& options) try {
  const auto opened = open_samples(file, options);
  const bool is_one = opened->shape().n_channels > 0 && !options.has_channels_as_rows;
  return opened->read_all(is_one ? std::optional{options.channel.value_or(0)} : std::nullopt);
} catch (const std::bad_alloc&) {
  refuse(shown_name(file), "does not fit into memory; split the file");
}

output_format output_format_of(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  if (extension == ".txt") return output_format::text;
  if (extension == ".csv") return output_format::csv;
  if (extension == ".npy") return output_format::npy;
  if (extension == ".wav" || extension == ".flac") return output_format::sound;
  if (extension == ".h5" || extension == ".hdf5") return output_format::hdf5;
  if (is_sigmf(file) && extension != ".sigmf-collection") return output_format::sigmf;
  if (extension.empty() && is_written_directly(file)) return output_format::text;
  reject(
      "cannot tell how to write {}; its name must end in .txt, .csv, .npy, .wav, .flac, "
      ".sigmf-meta, .sigmf or .h5",
      file.string());
}

void write_signal(const std::filesystem::path& file, const signal& recording) {
  if (const auto writer = open_writer(file, recording)) return write_frames(*writer, recording);
  const output_format format = output_format_of(file);
  atomic_file to(file);
  if (format == output_format::hdf5) write_hdf5(to, recording);
  if (format == output_format::text) write_text(to, recording);
  if (format == output_format::csv) write_csv(to, recording);
  if (format == output_format::npy) write_npy(to, recording);
  to.commit();
}

}  // namespace wingbeat::formats
