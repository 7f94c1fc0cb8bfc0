// SPDX-License-Identifier: Apache-2.0
// Recordings of samples in files, read piece by piece: packed samples and `.npy` of integers, which
// are real, formats of packets, which have headers, and I and Q of radios.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "formats/voltages/format.hpp"  // voltage_format, voltage_options
#include "wingbeat/channeliser.hpp"     // channeliser

namespace wingbeat::cli {

/// Throws `file_error` for a file that holds no packed samples, as its first bytes tell: those of
/// another format, or of a text unless the name ends in .raw, .bin or .dat.
void require_packed_samples(const std::string& name);

/// Numbers for the codes of few bits.
enum class sample_levels {
  integers,  ///< Of 2 bits -3, -1, 1 and 3; others count around 0.
  optimal    ///< As of baseband: of 2 bits -3.3165, -1, 1 and 3.3165, of 8 without a 0.
};

struct recording_options {
  /// Or "raw", "npy", a name of `formats::voltage_formats`, or as `formats::read_options` has it.
  /// "auto" is what the content tells; packed samples, which have no mark, where the name ends in
  /// .raw, .bin or .dat, and of a pipe.
  std::string format = "auto";
  bool is_sequence = false;  ///< The files follow each other in time.
  /// What the files may leave open. Bits of packed samples and of integers; unset: 10.
  formats::voltage_options stated = {};
  /// The channel that is read, or two that are polarisations. Empty: all.
  std::vector<std::size_t> channels = {};
  std::optional<double> sky_hz = {};  ///< Of 0 Hz in the first channel that is read.
  std::optional<sample_levels> levels = {};
  /// Refuses files of which anything is left out, contradictory or assumed; else it is said.
  bool is_strict = false;
  /// Says how many packets are missing, because zeros stand for them.
  bool says_zeros = false;
};

/// A file, or several that follow each other.
class recorded_source;

/// One or two polarisations, in one file or two.
class recording {
 public:
  /// Opens the files, and says what is left out of them. Throws `file_error` for files that cannot
  /// be read as the format, and `plan_error` for files that do not go together.
  recording(const std::vector<std::string>& files, const recording_options& options);
  ~recording();

  [[nodiscard]] std::size_t n_polarisations() const { return n_polarisations_; }
  /// Returns the bits of the integers that are read, and of the samples in the files: 2 bits are
  /// read as -3, -1, 1 and 3, which take 3, and 32 as their upper 16.
  [[nodiscard]] unsigned sample_bits() const { return sample_bits_; }
  [[nodiscard]] unsigned stored_bits() const { return stored_bits_; }
  [[nodiscard]] bool is_complex() const { return held().is_complex; }

  /// Returns whether neither a mark nor an option says how many bits samples have.
  [[nodiscard]] bool is_assumed() const { return is_assumed_; }

  /// Returns whether the files hold packets, some of which may be missing.
  [[nodiscard]] bool has_packets() const { return held().packet_samples > 0; }

  /// Returns the sample rate that the files state; 0 where they state none.
  [[nodiscard]] double sample_rate_hz() const { return held().sample_rate_hz; }

  /// Returns what the integers are multiplied by to be samples.
  [[nodiscard]] double unit() const { return unit_; }

  /// Returns the channels that are read at once; adjacent ones in the sky where there are several.
  [[nodiscard]] std::size_t n_channels() const { return n_channels_; }

  /// Returns the sky frequency of 0 Hz in the first channel that is read, and the sign of the
  /// frequencies in it, that of `step_hz`; none where neither the files nor the options say.
  [[nodiscard]] std::optional<formats::channel_frequencies> frequencies() const;

  /// Returns when the first sample was taken; none where neither the files nor the options say.
  [[nodiscard]] std::optional<formats::day_time> start() const;

  /// Returns what the telescope looked at; an empty text where the files do not say.
  [[nodiscard]] const std::string& target() const { return held().target; }

  /// Returns the samples of a polarisation; none where a pipe's end is not known yet.
  [[nodiscard]] std::optional<std::size_t> n_samples() const { return n_samples_; }

  /// Returns the samples that follow of a channel, at most 2^20 of each polarisation and 0 at the
  /// end; they are valid until the next call. Each channel is asked in turn.
  [[nodiscard]] channeliser::samples next(std::size_t channel = 0);

 private:
  [[nodiscard]] std::unique_ptr<recorded_source> open(const std::string& name,
                                                      const std::vector<std::string>& files);
  [[nodiscard]] std::unique_ptr<recorded_source> open_samples(const std::string& name);
  [[nodiscard]] std::unique_ptr<recorded_source> open_voltages(
      const std::vector<std::string>& files, const formats::voltage_format& format);
  void choose_levels(const std::string& name);
  void choose_channels(const formats::voltages& held, const std::string& name);
  /// Throws `plan_error` unless a file goes with the first one.
  void require_alike(const recorded_source& other) const;
  void add(std::unique_ptr<recorded_source> opened);

  void add_packets(channeliser::samples& piece, std::size_t packet_samples) const;

  /// Returns what the first file states.
  [[nodiscard]] const formats::voltages& held() const;

  recording_options options_;
  unsigned sample_bits_ = 10, stored_bits_ = 10;
  std::size_t n_polarisations_ = 0;
  std::optional<std::size_t> n_samples_;
  bool is_assumed_ = false;
  std::vector<std::unique_ptr<recorded_source>> sources_;
  /// Of each file: the first that is read, and one that is another polarisation.
  std::vector<std::size_t> channels_{0};
  std::size_t n_channels_ = 1;
  double unit_ = 1;
  std::size_t position_ = 0;
};

}  // namespace wingbeat::cli
