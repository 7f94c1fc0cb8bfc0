// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/heap_file.hpp"

#include <filesystem>
#include <utility>  // move
#include <vector>

#include "formats/files/atomic_file.hpp"                // atomic_file
#include "formats/files/npy_header.hpp"                 // npy_prefix
#include "text/formatted.hpp"                           // formatted
#include "wingbeat/device/channeliser/heap_sample.hpp"  // complex_bytes
#include "wingbeat/error.hpp"                           // plan_error

namespace wingbeat::formats {
namespace {

/// Heaps one behind another, as they are sent. Heaps of fewer spectra are left out.
class raw_heaps final : public heap_file {
 public:
  raw_heaps(const std::string& file, const heap_file_spec& spec)
      : file_(file), spectra_(spec.spectra) {}

  void add(const channelised_heap& heap) override {
    if (heap.n_spectra == spectra_) file_.write(heap.bytes);
  }
  void commit() override { file_.commit(); }

 private:
  atomic_file file_;
  std::size_t spectra_;
};

/// One array of `.npy`, [channel][spectrum][polarisation][re, im], in memory until it is whole.
class array_of_heaps final : public heap_file {
 public:
  array_of_heaps(std::string file, const heap_file_spec& spec)
      : file_(std::move(file)),
        spectra_(spec.spectra),
        polarisations_(spec.bank.polarisations),
        samples_(spec.bank.output),
        channels_(spec.n_channels) {}

  void add(const channelised_heap& heap) override {
    const std::size_t spectrum_bytes =
        polarisations_ * device::channeliser::complex_bytes(samples_);
    for (std::size_t k = 0; k < channels_.size(); ++k) {
      const auto row =
          heap.bytes.subspan(k * spectra_ * spectrum_bytes, heap.n_spectra * spectrum_bytes);
      channels_[k].insert(channels_[k].end(), row.begin(), row.end());
    }
    n_spectra_ += heap.n_spectra;
  }

  void commit() override {
    constexpr const char* types[] = {"", "|i1", "<i2", "<f2", "<f4"};
    atomic_file output{file_};
    output.write(npy_prefix(types[static_cast<std::size_t>(samples_)],
                            {channels_.size(), n_spectra_, polarisations_, 2}));
    for (const auto& row : channels_) output.write(std::span<const std::byte>(row));
    output.commit();
  }

 private:
  std::string file_;
  std::size_t spectra_, polarisations_, n_spectra_ = 0;
  heap_sample samples_;
  std::vector<std::vector<std::byte>> channels_;  // [channel], of all spectra
};

template <class File>
std::unique_ptr<heap_file> create(const std::string& file, const heap_file_spec& spec) {
  return std::make_unique<File>(file, spec);
}

bool is_no_4_bits(heap_sample samples) {
  return samples != heap_sample::int4;
}
bool is_integer(heap_sample samples) {
  return samples <= heap_sample::int16;
}
bool is_power(heap_sample samples) {
  return is_no_4_bits(samples) && samples != heap_sample::fp16;
}

constexpr heap_format heap_formats[] = {
    {".npy", true, false, false,
     "numbers of 4 bits, which .npy does not know; use --output-bits 8, or write raw heaps to a "
     "file of another name",
     is_no_4_bits, create<array_of_heaps>},
    {".h5", true, false, true, "numbers of 4 bits; give --output-bits 8, 16, fp16 or fp32",
     is_no_4_bits, create_hdf5},
    {".fil", true, true, true, "such numbers; give --output-bits 8, 16 or fp32", is_power,
     create_filterbank},
    {".vdif", true, false, true, "floats; give --output-bits 4, 8 or 16", is_integer, create_vdif},
    {.ending = "", .has_part_heaps = false, .create = create<raw_heaps>},
};

}  // namespace

const heap_format& heap_format_of(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".hdf5") ending = ".h5";
  const heap_format* format = heap_formats;
  while (!format->ending.empty() && format->ending != ending) ++format;
  return *format;
}

void require_heap_file(const std::string& file, heap_sample samples) {
  const heap_format& format = heap_format_of(file);
  if (!format.holds(samples)) throw plan_error(formatted("{} cannot hold {}", file, format.lacks));
}

day_time heap_file_spec::time_of(std::int64_t timestamp) const {
  constexpr std::int64_t day_of_2000 = 51544;
  return origin.value_or(day_time{.day_mjd = day_of_2000})
      .after(static_cast<double>(timestamp) / bank.adc_rate_hz);
}

}  // namespace wingbeat::formats
