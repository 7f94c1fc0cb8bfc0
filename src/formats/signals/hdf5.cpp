// SPDX-License-Identifier: Apache-2.0
#include <utility>  // move

#include "formats/files/hdf5.hpp"      // hdf5_dataset, hdf5_writer
#include "formats/files/refusal.hpp"   // refuse
#include "formats/signals/format.hpp"  // open_hdf5, write_hdf5

namespace wingbeat::formats {
namespace {

class dataset_reader final : public sample_reader {
 public:
  dataset_reader(std::shared_ptr<const byte_source> source, std::unique_ptr<hdf5_dataset> dataset)
      : sample_reader(dataset->name(), {}, /*has_rows=*/true),
        source_(std::move(source)),
        dataset_(std::move(dataset)) {
    const std::vector<std::size_t>& lengths = dataset_->lengths();
    for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
      if (lengths[axis] > 1) axes_.push_back(axis);
    }
    refuse_if(axes_.size() > 2, name(), "has {} axes; one is read, or two as rows of samples",
              axes_.size());
    constexpr const char* rates[] = {"sample_rate",
                                     "sample_rate_hz",
                                     "sampling_rate",
                                     "sampling_freq",
                                     "samples_per_second",
                                     "samplerate",
                                     "fs"};
    signal& shape = own_shape();
    shape.is_table = axes_.size() == 2;
    shape.n_rows = shape.is_table ? lengths[axes_.front()] : 1;
    shape.row_length = axes_.empty() ? 1 : lengths[axes_.back()];
    shape.is_real = !dataset_->is_complex();
    shape.has_integers = dataset_->has_integers();
    shape.is_single_precision = dataset_->is_held_by_floats();
    shape.sample_rate_hz = dataset_->attribute(rates);
    if (!(shape.sample_rate_hz > 0)) shape.sample_rate_hz = 0;
  }

 private:
  void load(std::size_t first, channel_range rows, std::span<double> frames) override {
    const std::size_t parts = shape().is_real ? 1 : 2;
    std::vector<std::size_t> begin(dataset_->lengths().size()), counts(begin.size(), 1);
    const std::size_t count = frames.size() / parts / rows.count;
    if (axes_.size() == 2) {
      begin[axes_.front()] = rows.first;
      counts[axes_.front()] = rows.count;
    }
    if (!axes_.empty()) {
      begin[axes_.back()] = first;
      counts[axes_.back()] = count;
    }
    std::vector<double> numbers(frames.size());
    dataset_->read(begin, counts, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t sample = i / parts;
      frames[(sample % count * rows.count + sample / count) * parts + i % parts] = numbers[i];
    }
  }

  std::shared_ptr<const byte_source> source_;
  std::unique_ptr<hdf5_dataset> dataset_;
  std::vector<std::size_t> axes_;  ///< Those longer than 1.
};

}  // namespace

std::unique_ptr<sample_reader> open_hdf5(std::shared_ptr<const byte_source> source) {
  auto dataset = std::make_unique<hdf5_dataset>(*source);
  return std::make_unique<dataset_reader>(std::move(source), std::move(dataset));
}

namespace {

hdf5_axis axis_of(const signal& recording) {
  if (!recording.frequencies_hz.empty()) return {"frequency", "Hz", recording.frequencies_hz};
  const double rate = recording.sample_rate_hz;
  if (rate > 0) return even_axis("time", "s", recording.row_length, 1 / rate);
  return even_axis("sample", "", recording.row_length);
}

}  // namespace

void write_hdf5(const atomic_file& file, const signal& recording) {
  hdf5_layout layout{.name = "values",
                     .is_complex = !recording.is_real,
                     .is_single_precision = recording.is_single_precision};
  if (recording.has_row_axis()) layout.axes.push_back(even_axis("row", "", recording.n_rows));
  layout.axes.push_back(axis_of(recording));
  if (recording.sample_rate_hz > 0) layout.attributes = {{"sample_rate", recording.sample_rate_hz}};
  hdf5_writer writer{file, layout};
  std::vector<double> numbers;
  for (std::size_t row = 0; row < recording.n_rows; ++row) {
    numbers.clear();
    for (std::size_t i = 0; i < recording.row_length; ++i) {
      const auto& z = recording.samples[row * recording.row_length + i];
      numbers.push_back(z.real());
      if (!recording.is_real) numbers.push_back(z.imag());
    }
    std::vector<std::size_t> first{row, 0}, counts{1, recording.row_length};
    if (!recording.has_row_axis()) first = {0}, counts = {recording.row_length};
    writer.write(first, counts, numbers);
  }
  writer.finish();
}

}  // namespace wingbeat::formats
