// SPDX-License-Identifier: Apache-2.0
// Recordings of any format that are read, or written, a few frames at a time. A frame is one sample
// of every channel.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <optional>
#include <span>
#include <string>
#include <utility>  // move
#include <vector>

#include "formats/signals/signal.hpp"  // signal

namespace wingbeat::formats {

struct channel_range {
  std::size_t first = 0, count = 1;
};

class sample_reader {
 public:
  sample_reader(const sample_reader&) = delete;
  sample_reader& operator=(const sample_reader&) = delete;
  virtual ~sample_reader() = default;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Returns the recording without its samples; each channel is a row.
  [[nodiscard]] const signal& shape() const noexcept { return shape_; }

  /// Returns whether the samples of a channel lie together; else those of a frame do.
  [[nodiscard]] bool has_rows() const noexcept { return has_rows_; }

  /// Returns `count` frames from `first` on, which must exist, as [frame][channel][re, im if
  /// complex], or those of one channel. Throws `file_error` for a sample that is NaN or infinite.
  [[nodiscard]] std::vector<double> read(std::size_t first, std::size_t count,
                                         std::optional<std::size_t> channel = {});

  /// Returns the recording, or one channel of it; of each row at most the first `max_length`
  /// samples.
  [[nodiscard]] virtual signal read_all(std::optional<std::size_t> channel, std::size_t max_length);
  [[nodiscard]] signal read_all(std::optional<std::size_t> channel) {
    return read_all(channel, shape_.row_length);
  }

 protected:
  sample_reader(std::string name, signal shape, bool has_rows = false)
      : name_(std::move(name)), shape_(std::move(shape)), has_rows_(has_rows) {}

  [[nodiscard]] signal& own_shape() noexcept { return shape_; }

 private:
  /// Fills [frame][channel of the range][part] from frame `first` on. The range is all channels,
  /// unless there are rows.
  virtual void load(std::size_t first, channel_range channels, std::span<double> frames) = 0;

  std::string name_;
  signal shape_;
  bool has_rows_;
};

/// Takes a recording whose shape it was made with; the file appears when it is committed.
class sample_writer {
 public:
  sample_writer() = default;
  sample_writer(const sample_writer&) = delete;
  sample_writer& operator=(const sample_writer&) = delete;
  virtual ~sample_writer() = default;

  /// Appends [frame][channel][re, im if complex]. Throws `file_error` for samples that the format
  /// cannot hold.
  virtual void add(std::span<const double> frames) = 0;
  virtual void commit() = 0;
};

/// Opens the signal in a file, as `read_signal` does.
[[nodiscard]] std::unique_ptr<sample_reader> open_samples(const std::filesystem::path& file,
                                                          const read_options& options = {});

/// Opens a file of a format that is written frame by frame; returns nothing for another format.
/// Throws `plan_error` for a shape that the format cannot hold.
[[nodiscard]] std::unique_ptr<sample_writer> open_writer(const std::filesystem::path& file,
                                                         const signal& shape);

}  // namespace wingbeat::formats
