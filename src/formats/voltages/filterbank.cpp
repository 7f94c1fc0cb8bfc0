// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // clamp, fill
#include <cmath>      // abs, lround, sqrt
#include <limits>
#include <vector>

#include "formats/files/atomic_file.hpp"   // atomic_file
#include "formats/files/byte_order.hpp"    // load, store
#include "formats/voltages/heap_file.hpp"  // heap_file
#include "text/reject.hpp"                 // reject

namespace wingbeat::formats {
namespace {

/// Appends the bytes of a number, little-endian.
template <class Number>
void append(std::string& bytes, Number value) {
  std::byte stored[sizeof value];
  store(stored, value);
  bytes.append(reinterpret_cast<const char*>(stored), sizeof value);
}

/// Keywords of a header, each behind its length.
class sigproc_header {
 public:
  sigproc_header() { add("HEADER_START"); }
  void add(std::string_view word) {
    add_number(static_cast<std::int32_t>(word.size()));
    text_ += word;
  }
  template <class Number>
  void add(std::string_view key, Number value) {
    add(key);
    add_number(value);
  }
  [[nodiscard]] const std::string& text() {
    add("HEADER_END");
    return text_;
  }

 private:
  template <class Number>
  void add_number(Number value) {
    append(text_, value);
  }
  std::string text_;
};

class filterbank final : public heap_file {
 public:
  filterbank(const std::string& file, const heap_file_spec& spec)
      : file_(file),
        spec_(spec),
        row_(spec.n_channels),
        mean_(row_),
        scale_(row_),
        most_rows_(std::clamp<std::size_t>((std::size_t{1} << 22) / spec.n_channels, 16, 1024)) {
    if (spec.bank.output == heap_sample::fp32) return;
    reject("{} has powers of fp32 values alone; write .npy", file);
  }

  void add(const channelised_heap& heap) override {
    const double hop = spec_.bank.adc_rate_hz / spec_.spectrum_rate_hz;
    if (!first_) file_.write(header(*(first_ = heap.timestamp)));
    const auto begin =
        static_cast<std::size_t>(std::lround(static_cast<double>(heap.timestamp - *first_) / hop));
    const std::size_t n_pols = spec_.bank.polarisations;
    for (std::size_t s = 0; s < heap.n_spectra; ++s) {
      while ((begin + s) / spec_.summed_spectra > n_rows_) end_row();
      for (std::size_t k = 0; k < row_.size(); ++k) {
        const std::byte* values = &heap.bytes[(k * spec_.spectra + s) * n_pols * 2 * sizeof(float)];
        for (std::size_t i = 0; i < 2 * n_pols; ++i) {
          const double part = load<float>(values + i * sizeof(float));
          row_[k] += part * part;
        }
      }
      ++n_summed_;
    }
  }

  void commit() override {
    if (n_summed_ == spec_.summed_spectra) end_row();  // one of fewer spectra is left out
    flush();
    file_.commit();
  }

 private:
  [[nodiscard]] std::string header(std::int64_t timestamp) const {
    const bool is_rising = spec_.axis.step_hz > 0;
    const double last = static_cast<double>(row_.size() - 1);
    sigproc_header header;
    header.add("source_name");
    header.add(spec_.target.empty() ? "unknown" : spec_.target);
    header.add("machine_id", std::int32_t{0});
    header.add("telescope_id", std::int32_t{0});
    header.add("data_type", std::int32_t{1});
    header.add("fch1", spec_.axis.at(is_rising ? last : 0) / 1e6);
    header.add("foff", -std::abs(spec_.axis.step_hz) / 1e6);
    header.add("nchans", static_cast<std::int32_t>(row_.size()));
    header.add("nifs", std::int32_t{1});
    header.add("nbits", std::int32_t{bits()});
    header.add("tstart", spec_.time_of(timestamp).mjd());
    header.add("tsamp", static_cast<double>(spec_.summed_spectra) / spec_.spectrum_rate_hz);
    return header.text();
  }

  [[nodiscard]] int bits() const {
    return spec_.stored == heap_sample::int8 ? 8 : spec_.stored == heap_sample::int16 ? 16 : 32;
  }

  /// Ends a row: its powers are scaled to all of its spectra where some are missing.
  void end_row() {
    if (n_summed_ > 0 && n_summed_ < spec_.summed_spectra) {
      for (double& power : row_) power *= static_cast<double>(spec_.summed_spectra) / n_summed_;
    }
    if (n_summed_ == 0) {
      is_blank_.push_back(true);
    } else {
      rows_.insert(rows_.end(), row_.begin(), row_.end());
      is_blank_.push_back(false);
    }
    std::fill(row_.begin(), row_.end(), 0.0);
    n_summed_ = 0;
    if (++n_rows_ % most_rows_ == 0) flush();
  }

  /// Finds the scale of every channel from the rows that there are.
  void find_scales() {
    const bool is_8_bits = bits() == 8;
    const std::size_t n = row_.size(), n_rows = rows_.size() / n;
    for (std::size_t k = 0; k < n && n_rows > 0; ++k) {
      double squares = 0;
      for (std::size_t i = 0; i < n_rows; ++i) mean_[k] += rows_[i * n + k] / n_rows;
      for (std::size_t i = 0; i < n_rows; ++i) {
        squares += (rows_[i * n + k] - mean_[k]) * (rows_[i * n + k] - mean_[k]) / n_rows;
      }
      scale_[k] = squares > 0 ? (is_8_bits ? 16 : 512) / std::sqrt(squares) : 0;
    }
    has_scales_ = n_rows > 0;
  }

  /// Writes the rows that there are.
  void flush() {
    if (!has_scales_) find_scales();
    const std::size_t n = row_.size();
    const double* next = rows_.data();
    std::string bytes;
    for (const bool is_blank : is_blank_) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t k = spec_.axis.step_hz > 0 ? n - 1 - i : i;
        const double power = is_blank ? mean_[k] : next[k];
        if (bits() == 32) {
          append(bytes, static_cast<float>(power));
        } else if (bits() == 16) {
          append(bytes, code_of<std::uint16_t>(4096 + scale_[k] * (power - mean_[k])));
        } else {
          append(bytes, code_of<std::uint8_t>(64 + scale_[k] * (power - mean_[k])));
        }
      }
      if (!is_blank) next += n;
    }
    file_.write(bytes);
    rows_.clear();
    is_blank_.clear();
  }

  template <class Code>
  static Code code_of(double value) {
    return static_cast<Code>(
        std::lround(std::clamp<double>(value, 0, std::numeric_limits<Code>::max())));
  }

  atomic_file file_;
  heap_file_spec spec_;
  std::vector<double> row_, mean_, scale_;  // [channel]
  std::vector<double> rows_;                // [row][channel] to be written
  std::vector<bool> is_blank_;
  std::optional<std::int64_t> first_;
  std::size_t most_rows_, n_rows_ = 0, n_summed_ = 0;
  bool has_scales_ = false;
};

}  // namespace

std::unique_ptr<heap_file> create_filterbank(const std::string& file, const heap_file_spec& spec) {
  return std::make_unique<filterbank>(file, spec);
}

}  // namespace wingbeat::formats
