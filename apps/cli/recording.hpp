// SPDX-License-Identifier: Apache-2.0
// Recordings of samples in files, read piece by piece: packed samples and `.npy` of integers, which
// are real, formats of packets, which have headers, and I and Q of radios.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int16_t
#include <memory>   // unique_ptr
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/byte_source.hpp"                // byte_source
#include "formats/files/byte_source.hpp"      // formats::byte_source
#include "formats/signals/sample_reader.hpp"  // sample_reader
#include "formats/voltages/format.hpp"        // voltage_format, voltage_file
#include "wingbeat/channeliser.hpp"           // channeliser

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
  [[nodiscard]] bool is_complex() const;

  /// Returns whether neither a mark nor an option says how many bits samples have.
  [[nodiscard]] bool is_assumed() const { return is_assumed_; }

  /// Returns whether the files hold packets, some of which may be missing.
  [[nodiscard]] bool has_packets() const { return !voltages_.empty(); }

  /// Returns the sample rate that the files state; 0 where they state none.
  [[nodiscard]] double sample_rate_hz() const;

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
  [[nodiscard]] std::string target() const;

  /// Returns the samples of a polarisation; none where a pipe's end is not known yet.
  [[nodiscard]] std::optional<std::size_t> n_samples() const { return n_samples_; }

  /// Returns the samples that follow of a channel, at most 2^20 of each polarisation and 0 at the
  /// end; they are valid until the next call. Each channel is asked in turn.
  [[nodiscard]] channeliser::samples next(std::size_t channel = 0);

 private:
  void open(std::unique_ptr<byte_source> file, const std::string& format,
            std::vector<std::string> files);
  void open_samples(const std::string& name, const std::string& format);

  /// Samples that become integers of 16 bits.
  struct sample_source {
    std::unique_ptr<formats::sample_reader> reader;
    double full_scale = 1;                                 ///< The integer of a sample that is 1.
    std::vector<std::vector<std::int16_t>> integers = {};  ///< The last piece.

    void read(std::size_t first, std::size_t count);
  };
  struct voltage_source {
    std::unique_ptr<formats::byte_source> content;
    std::unique_ptr<formats::voltage_file> file;
    std::vector<std::int16_t> samples = {};  ///< The last piece.

    /// Returns samples `first` to `first + count` of channels, those of one behind another.
    /// [polarisation][sample][part]
    std::vector<std::span<std::int16_t>> read(std::span<const std::size_t> channels,
                                              std::size_t first, std::size_t count);
  };
  void open_voltages(std::vector<std::string> files, const formats::voltage_format& format);
  void choose_levels(const formats::voltages& held, const std::string& name);
  static void say_zeros(const formats::voltages& held, const std::string& name);
  void choose_channels(const formats::voltages& held, const std::string& name);
  /// Throws `plan_error` unless these voltages go with those of the other file.
  void require_alike(const formats::voltages& held, const std::string& name) const;
  void add_polarisations(std::size_t count, std::optional<std::size_t> n_samples,
                         const std::string& name);
  [[nodiscard]] channeliser::samples next_of_streams();
  [[nodiscard]] channeliser::samples next_of_voltages(std::size_t channel);
  [[nodiscard]] channeliser::samples next_of_samples();

  struct stream {
    std::unique_ptr<byte_source> source;
    std::vector<std::byte> bytes = {};
    std::vector<std::int16_t> integers = {};
    std::size_t count = 0;

    void read(std::size_t n_samples, unsigned sample_bits);
  };

  recording_options options_;
  unsigned sample_bits_ = 10, stored_bits_ = 10;
  std::size_t n_polarisations_ = 0;
  std::optional<std::size_t> n_samples_;
  bool is_assumed_ = false;
  bool is_measured_ = true;  ///< Every file's length is known.
  std::vector<stream> streams_;
  std::vector<voltage_source> voltages_;
  std::vector<sample_source> samples_;
  std::vector<std::size_t> channels_;  ///< Of `voltages_`: the first, and one that is another
                                       ///< polarisation.
  std::size_t n_channels_ = 1;
  double unit_ = 1;
  std::size_t position_ = 0;
  std::string first_name_;
};

}  // namespace wingbeat::cli
