// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // copy, count_if, min
#include <array>
#include <atomic>
#include <cmath>   // isfinite
#include <cstdio>  // FILE
#include <filesystem>

#include "channelising/arithmetic/packed_samples.hpp"  // unpack_samples
#include "receive/source.hpp"
#include "spead/digitiser_packet.hpp"  // preamble_of
#include "text/counted.hpp"            // counted
#include "text/formatted.hpp"
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // file_error, plan_error

namespace wingbeat::receive {
namespace {

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, close_file>;

/// Throws `file_error` for a file without a packet.
file_handle opened(const std::filesystem::path& name, std::size_t packet_bytes) {
  file_handle file{std::fopen(name.c_str(), "rb")};
  std::error_code failed;
  if (!file || std::filesystem::is_directory(name, failed)) {
    throw file_error(
        formatted("{}: cannot be opened; give a file of packed samples", name.string()));
  }
  const auto size = std::filesystem::file_size(name, failed);  // unknown for a pipe
  if (!failed && std::filesystem::is_regular_file(name) && size < packet_bytes) {
    throw file_error(formatted("{} has {} bytes; give a file of one packet, {} bytes, or more",
                               name.string(), size, packet_bytes));
  }
  return file;
}

class recording_feed : public datagram_feed {
 public:
  recording_feed(const recording_source& recording, const chunk_geometry& geometry)
      : first_timestamp_(recording.first_timestamp),
        speed_(recording.speed),
        adc_rate_hz_(recording.adc_rate_hz),
        geometry_(geometry),
        datagram_(spead::digitiser_preamble_bytes + geometry.packet_bytes()),
        integers_(geometry.packet_samples) {
    for (const auto& name : recording.files)
      files_.push_back(opened(name, geometry.packet_bytes()));
    names_ = recording.files;
  }

  void run(datagram_sink& sink, stop_request& stop) override {
    const auto start = std::chrono::steady_clock::now();
    std::size_t n_open = files_.size();
    for (std::int64_t sample = 0; n_open > 0;) {
      if (speed_ == replay_speed::real) {
        const std::chrono::duration<double> due(static_cast<double>(sample) / adc_rate_hz_);
        const auto time =
            start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(due);
        if (!stop.wait_until(time)) return;
      } else if (stop.is_set()) {
        return;
      }
      sink.begin();
      for (unsigned p = 0; p < files_.size(); ++p) {
        if (files_[p] && !send_next(sink, p, first_timestamp_ + sample)) --n_open;
      }
      sink.end();
      for (unsigned p = 0; p < files_.size() && n_open < files_.size(); ++p) {
        if (files_[p]) n_alone_[p] += geometry_.packet_samples;
      }
      sample += static_cast<std::int64_t>(geometry_.packet_samples);
    }
  }

  receive_counts counts() const override {
    receive_counts result;
    for (std::size_t p = 0; p < n_alone_.size(); ++p) {
      result.polarisations[p].samples_alone = n_alone_[p];
    }
    return result;
  }

 private:
  /// Passes on the next samples as a digitiser's packet; returns false, after fewer samples, at the
  /// end of the file.
  bool send_next(datagram_sink& sink, unsigned polarisation, std::int64_t timestamp) {
    const auto samples = std::span(datagram_).subspan(spead::digitiser_preamble_bytes);
    std::FILE* const file = files_[polarisation].get();
    const std::size_t count = std::fread(samples.data(), 1, samples.size(), file);
    const bool is_whole = count == samples.size();
    if (!is_whole && std::ferror(file) != 0) {
      throw file_error(formatted("{}: cannot be read to its end; give a file of packed samples",
                                 names_[polarisation].string()));
    }
    if (count > 0) {
      const auto preamble = spead::preamble_of(
          {.timestamp = static_cast<std::uint64_t>(timestamp) & spead::max_address,
           .polarisation = polarisation,
           .saturated = is_whole ? n_saturated(samples) : std::uint16_t{0},
           .samples = samples.first(count)});
      std::copy(preamble.begin(), preamble.end(), datagram_.begin());
      sink.add(std::span(datagram_).first(preamble.size() + count), false);
    }
    if (!is_whole) files_[polarisation].reset();
    return is_whole;
  }

  [[nodiscard]] std::uint16_t n_saturated(std::span<const std::byte> samples) {
    channelising::unpack_samples(samples, geometry_.sample_bits, 0, integers_);
    const int full_scale = (1 << (geometry_.sample_bits - 1)) - 1;
    const auto count = std::count_if(integers_.begin(), integers_.end(),
                                     [&](int x) { return x >= full_scale || x <= -full_scale; });
    return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(count, 0xffff));
  }

  std::vector<file_handle> files_;
  std::vector<std::filesystem::path> names_;
  std::array<std::atomic<std::uint64_t>, 2> n_alone_{};  ///< See `samples_alone`.
  std::int64_t first_timestamp_;
  replay_speed speed_;
  double adc_rate_hz_;
  chunk_geometry geometry_;
  std::vector<std::byte> datagram_;  ///< Preamble and samples.
  std::vector<std::int16_t> integers_;
};

}  // namespace

std::unique_ptr<datagram_feed> open_recording(const recording_source& recording,
                                              const chunk_geometry& geometry) {
  reject_if(recording.files.size() != geometry.polarisations,
            "{} cannot be the samples of {}; give one file for each",
            counted(recording.files.size(), "file"),
            counted(geometry.polarisations, "polarisation"));
  reject_if(recording.first_timestamp < 0 ||
                recording.first_timestamp % static_cast<std::int64_t>(geometry.packet_samples) != 0,
            "a recording's first timestamp {} was given; give a multiple of {}, the samples "
            "of a packet",
            recording.first_timestamp, geometry.packet_samples);
  reject_if(recording.speed == replay_speed::real &&
                !(std::isfinite(recording.adc_rate_hz) && recording.adc_rate_hz > 0),
            "an ADC rate of {} Hz was given; real speed takes a rate above 0",
            recording.adc_rate_hz);
  return std::make_unique<recording_feed>(recording, geometry);
}

}  // namespace wingbeat::receive
