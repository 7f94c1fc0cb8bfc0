// SPDX-License-Identifier: Apache-2.0
#include <bit>      // countr_zero, has_single_bit
#include <chrono>   // sys_days
#include <cmath>    // abs, floor, lround
#include <numeric>  // gcd
#include <vector>

#include "formats/files/atomic_file.hpp"                // atomic_file
#include "formats/files/byte_order.hpp"                 // store
#include "formats/voltages/heap_file.hpp"               // heap_file
#include "text/reject.hpp"                              // reject
#include "wingbeat/device/channeliser/heap_sample.hpp"  // complex_bytes

namespace wingbeat::formats {
namespace {

constexpr std::size_t header_bytes = 32;

class vdif_writer final : public heap_file {
 public:
  vdif_writer(const std::string& file, const heap_file_spec& spec)
      : file_(file),
        spec_(spec),
        value_bytes_(device::channeliser::complex_bytes(spec.bank.output)) {
    constexpr std::size_t about_bytes = 32768, max_bytes = std::size_t{1} << 27;
    const double rate_hz = std::round(spec.spectrum_rate_hz);
    reject_if(
        !std::has_single_bit(spec.n_channels) ||
            std::abs(rate_hz - spec.spectrum_rate_hz) > 1e-9 * rate_hz,
        "{} cannot hold {} channels of {} samples a second: VDIF has a power of two of channels "
        "and a whole number of frames a second; give other --channels, or write .npy",
        file, spec.n_channels, spec.spectrum_rate_hz);
    rate_hz_ = static_cast<std::uint64_t>(rate_hz);
    const std::size_t time_bytes = spec.n_channels * value_bytes_;
    // Frames hold no part of a heap, and a second no part of a frame.
    n_ = static_cast<std::size_t>(std::gcd(rate_hz_, std::uint64_t{spec.spectra}));
    while (n_ % 2 == 0 && n_ * time_bytes > about_bytes) n_ /= 2;
    reject_if(n_ * time_bytes % 8 != 0 || n_ * time_bytes >= max_bytes,
              "{} cannot hold frames of {} bytes, which VDIF counts in eights; give other "
              "--channels, or write .npy",
              file, n_ * time_bytes);
    frame_.resize(header_bytes + n_ * time_bytes);
  }

  void add(const channelised_heap& heap) override {
    const day_time begin = spec_.time_of(heap.timestamp);
    const auto in_day = static_cast<std::uint64_t>(
        std::llround(begin.second * static_cast<double>(rate_hz_) / static_cast<double>(n_)));
    for (std::size_t s = 0; s + n_ <= heap.n_spectra; s += n_) {
      for (std::size_t p = 0; p < spec_.bank.polarisations; ++p) {
        write_header(begin.day_mjd, in_day + s / n_, p);
        write_samples(heap, s, p);
        file_.write(std::span<const std::byte>(frame_));
      }
    }
  }

  void commit() override { file_.commit(); }

 private:
  void write_header(std::int64_t day_mjd, std::uint64_t frame_of_day, std::size_t thread) {
    using namespace std::chrono;
    const sys_days day = sys_days{year{1858} / 11 / 17} + days{day_mjd};
    const year_month_day date{day};
    const bool is_second_half = date.month() >= July;
    const sys_days epoch = date.year() / (is_second_half ? July : January) / 1;
    const std::uint64_t frames_per_second = rate_hz_ / n_;
    const auto word = [&](std::size_t i, std::uint64_t value) {
      store(&frame_[4 * i], static_cast<std::uint32_t>(value));
    };
    const auto half_years = static_cast<unsigned>(2 * (int{date.year()} - 2000) + is_second_half);
    const auto bits = static_cast<unsigned>(value_bytes_ == 1 ? 4 : value_bytes_ * 4);
    word(0, static_cast<std::uint64_t>((day - epoch).count()) * 86400 +
                frame_of_day / frames_per_second);
    word(1, frame_of_day % frames_per_second | half_years % 64 << 24);
    word(2, frame_.size() / 8 | std::uint64_t(std::countr_zero(spec_.n_channels)) << 24 | 1u << 29);
    word(3, thread << 16 | (bits - 1) << 26 | 1u << 31);
    // Extended data 1 state the rate, in thousands a second.
    const bool has_rate = rate_hz_ % 1000 == 0 && rate_hz_ / 1000 < 1u << 23;
    word(4, has_rate ? 1u << 24 | rate_hz_ / 1000 : 0);
    word(5, has_rate ? 0xacabfeed : 0);
  }

  /// Codes of VDIF count from the lowest value up, and the first number is in the lower bits.
  void write_samples(const channelised_heap& heap, std::size_t first, std::size_t polarisation) {
    std::byte* target = &frame_[header_bytes];
    for (std::size_t s = first; s < first + n_; ++s) {
      for (std::size_t k = 0; k < spec_.n_channels; ++k) {
        const std::byte* value =
            &heap.bytes[((k * spec_.spectra + s) * spec_.bank.polarisations + polarisation) *
                        value_bytes_];
        if (value_bytes_ == 1) {
          *target++ = (*value << 4 | *value >> 4) ^ std::byte{0x88};
          continue;
        }
        for (std::size_t i = 0; i < value_bytes_; ++i) {
          const bool has_sign = value_bytes_ == 2 || i % 2 == 1;
          *target++ = value[i] ^ (has_sign ? std::byte{0x80} : std::byte{0});
        }
      }
    }
  }

  atomic_file file_;
  heap_file_spec spec_;
  std::size_t value_bytes_, n_ = 1;  ///< Spectra of a frame.
  std::uint64_t rate_hz_ = 0;
  std::vector<std::byte> frame_;
};

}  // namespace

std::unique_ptr<heap_file> create_vdif(const std::string& file, const heap_file_spec& spec) {
  return std::make_unique<vdif_writer>(file, spec);
}

}  // namespace wingbeat::formats
