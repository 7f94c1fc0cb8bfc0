// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.hpp"

#include <algorithm>  // count, find, min, ranges::find
#include <cmath>      // abs, floor, nearbyint
#include <string_view>

#include "channelising/arithmetic/packed_samples.hpp"  // packed_bytes, unpack_samples
#include "cli/messages.hpp"                            // counted, print_message
#include "cli/option.hpp"                              // refuse_choice
#include "formats/files/extension.hpp"                 // extension_of
#include "formats/files/refusal.hpp"                   // refuse
#include "formats/files/signature.hpp"                 // is_text, signed_content
#include "formats/files/whole_file.hpp"                // largest_file_bytes
#include "formats/signals/numbers.hpp"                 // raw_layout_of
#include "formats/signals/sigmf.hpp"                   // is_sigmf
#include "text/formatted.hpp"                          // formatted
#include "text/listed.hpp"                             // listed
#include "text/reject.hpp"                             // reject

namespace wingbeat::cli {
namespace {

using formats::refuse, formats::refuse_if;

constexpr std::size_t piece_samples = std::size_t{1} << 20, min_piece_samples = 4096;

/// Two integers whose ratio is 3.316505 within 2e-5: that of the levels that are best of 2 bits.
constexpr std::int16_t low_level = 139, high_level = 461;

/// Replaces integers of few bits by the levels that `choose_levels` has them stand for.
void set_levels(std::span<std::int16_t> samples, unsigned bits) {
  for (std::int16_t& x : samples) {
    if (bits == 8) x = static_cast<std::int16_t>(2 * x + 1);
    if (bits == 2 && x != 0) {
      const std::int16_t level = std::abs(x) == 1 ? low_level : high_level;
      x = x < 0 ? static_cast<std::int16_t>(-level) : level;
    }
  }
}

bool is_npy(std::span<const std::byte> head) {
  const std::string_view text{reinterpret_cast<const char*>(head.data()), head.size()};
  return text.starts_with("\x93NUMPY");
}

/// Whether a file is read as a signal: SigMF, I and Q, raw samples, arrays of complex numbers.
bool is_signal(const std::string& name, const std::string& format) {
  if (format != "auto") return format == "iq" || formats::raw_layout_of(format).has_value();
  return formats::is_sigmf(name);
}

/// Packed samples have no mark: a name says that a file holds them, or the user does.
bool has_raw_name(const byte_source& file) {
  const std::string extension = formats::extension_of(file.name());
  return extension == ".raw" || extension == ".bin" || extension == ".dat";
}

/// Throws `file_error` for what begins with the magic number of a format that holds no samples, and
/// for a text whose name does not say otherwise.
void require_samples(const byte_source& file, std::string_view way_out = "") {
  std::string_view content = formats::signed_content(file.head());
  if (content.empty() && !has_raw_name(file) && formats::is_text(file.head())) content = "a text";
  if (content.empty()) return;
  refuse(file.name(), "is {}, which holds no packed samples; name a recording of a digitiser{}",
         content, way_out);
}

/// Returns the format that the content has, or that the name says. Throws `file_error` for what
/// holds no samples, and `plan_error` where neither tells.
std::string format_of(const byte_source& file) {
  if (is_npy(file.head())) return "npy";
  for (const formats::voltage_format& format : formats::voltage_formats) {
    if (format.is_format_of(file.head(), file.size())) return std::string{format.name};
  }
  require_samples(file, ", or give --format raw if it holds them all the same");
  if (has_raw_name(file) || !file.has_own_name()) return "raw";
  reject(
      "{} does not say what it holds; give --format raw if that is packed samples, or a name that "
      "ends in .raw, .bin or .dat",
      file.name());
}

/// Returns "raw", the format of a pipe: others are read from several places of a file.
std::string require_raw(const byte_source& pipe, const std::string& format) {
  const std::string found = format == "auto" ? format_of(pipe) : format;
  if (found == "raw") return found;
  reject("{0} is to hold the format {1}, and raw samples alone come from {0}; name the file{2}",
         pipe.name(), found, format == "auto" ? ", or give --format raw" : "");
}

}  // namespace

void require_packed_samples(const std::string& name) {
  const byte_source file{name};
  require_samples(file);
  refuse_if(formats::is_guppi(file.head()), name,
            "is GUPPI raw, and packed samples are taken here; wingbeat channelise reads it");
}

recording::recording(const std::vector<std::string>& files, const recording_options& options)
    : options_(options),
      sample_bits_(options.stated.sample_bits.value_or(10)),
      stored_bits_(sample_bits_) {
  const std::string& format = options.format;
  reject_if(
      files.size() > 2 && !options.is_sequence,
      "{} files are given; give one for each of at most 2 polarisations, or --sequence if they "
      "follow each other in time",
      files.size());
  std::vector<std::string_view> known{"auto", "raw", "npy"};
  for (const formats::voltage_format& each : formats::voltage_formats) known.push_back(each.name);
  if (std::find(known.begin(), known.end(), format) == known.end() && !is_signal("", format)) {
    known.insert(known.end(), {"iq", "cf32", "ci16", "ci8", "cu8"});
    refuse_choice("--format", format, listed(known));
  }
  for (const std::string& name : files) {
    if (is_signal(name, format)) {
      open_samples(name, format);
      continue;
    }
    auto file = std::make_unique<byte_source>(name);
    std::string kind = format;
    if (name == "-" || !file->size()) kind = require_raw(*file, format);
    if (kind == "auto") kind = format_of(*file);
    is_assumed_ = is_assumed_ || (kind == "raw" && !options.stated.sample_bits);
    open(std::move(file), kind, options.is_sequence ? files : std::vector{name});
    if (options.is_sequence) break;
  }
  if (!is_measured_) n_samples_.reset();
  const auto refuse_where = [&](bool is_given, const char* option) {
    if (!voltages_.empty() || !is_given) return;
    reject("{} is given, and {} has no headers, and one channel; give it for {} alone", option,
           files[0], listed(std::vector(known.begin() + 3, known.end())));
  };
  refuse_where(!options.channels.empty(), "--coarse-channel");
  refuse_where(options.is_sequence, "--sequence");
  refuse_where(options.levels.has_value(), "--levels");
  if (!streams_.empty() + !voltages_.empty() + !samples_.empty() > 1) {
    reject("{} and {} are of different formats; convert one", files[0], files[1]);
  }
  reject_if(n_polarisations_ > 2,
            "{}: {} polarisations; give at most 2 at once, or --sequence if the files follow each "
            "other in time",
            joined(files, ", "), n_polarisations_);
}

recording::~recording() = default;

void recording::open(std::unique_ptr<byte_source> file, const std::string& format,
                     std::vector<std::string> files) {
  const auto* const voltages =
      std::ranges::find(formats::voltage_formats, format, &formats::voltage_format::name);
  const bool has_packets = voltages != std::end(formats::voltage_formats);
  const std::string name = file->name();
  reject_if(!options_.stated.threads.empty() && !(has_packets && voltages->has_threads),
            "--vdif-threads is given, and {} is no VDIF; leave it out", name);
  reject_if(options_.stated.n_channels && format != "mark5b",
            "--file-channels is given, and {} is no Mark 5B; leave it out", name);
  if (has_packets) return open_voltages(std::move(files), *voltages);
  if (format == "npy") return open_samples(name, "auto");
  std::optional<std::size_t> n_samples;
  if (file->size()) n_samples = *file->size() * 8 / sample_bits_;
  streams_.push_back({.source = std::move(file)});
  add_polarisations(1, n_samples, name);
}

void recording::open_samples(const std::string& name, const std::string& format) {
  constexpr unsigned bits = 16;
  sample_source source{formats::open_samples(name, {.format = format})};
  const formats::signal& held = source.reader->shape();
  // Real numbers without a scale are those of a digitiser.
  const bool has_integers = held.is_real && held.n_channels == 0;
  if (!has_integers) {
    source.full_scale = 1 << (bits - 1);
    sample_bits_ = stored_bits_ = bits;
  }
  reject_if(
      options_.stated.sample_bits.value_or(sample_bits_) != sample_bits_,
      "{} has samples of full scale 1, which become integers of 16 bits; leave --sample-bits out",
      name);
  if (!samples_.empty()) {
    const formats::signal& first = samples_.front().reader->shape();
    reject_if(first.is_real != held.is_real || first.sample_rate_hz != held.sample_rate_hz ||
                  first.centre_hz != held.centre_hz ||
                  samples_.front().full_scale != source.full_scale,
              "{} and {} differ in rate, frequency or kind; give files of one", first_name_, name);
  }
  add_polarisations(held.n_rows, held.row_length, name);
  samples_.push_back(std::move(source));
}

void recording::sample_source::read(std::size_t first, std::size_t count) {
  constexpr double most = 32767;
  const formats::signal& shape = reader->shape();
  const std::size_t parts = shape.is_real ? 1 : 2;
  const std::vector<double> numbers = reader->read(first, count);
  integers.assign(shape.n_rows, std::vector<std::int16_t>(count * parts));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t frame = i / parts / shape.n_rows;
    const double number = std::nearbyint(numbers[i] * full_scale);
    if (std::abs(number) > most + 1 || (full_scale == 1 && number != numbers[i])) {
      refuse(reader->name(),
             "has {:g} in sample {}; {}, so scale it by wingbeat filter, or save it as such",
             numbers[i], first + frame,
             full_scale == 1 ? "integers of 16 bits are channelised"
                             : "magnitudes up to 1 are channelised");
    }
    integers[i / parts % shape.n_rows][frame * parts + i % parts] =
        static_cast<std::int16_t>(std::min(number, most));
  }
}

void recording::open_voltages(std::vector<std::string> files,
                              const formats::voltage_format& format) {
  voltage_source source{files.size() == 1 ? std::make_unique<formats::byte_source>(
                                                files[0], formats::largest_file_bytes)
                                          : std::make_unique<formats::byte_source>(files),
                        nullptr};
  const std::string& name = files[0];
  formats::voltage_options stated = options_.stated;
  if (options_.channels.size() == 1) stated.channel = options_.channels[0];
  source.file = format.open(*source.content, stated);
  const formats::voltages& held = source.file->contents();
  for (const std::string& remark : held.remarks) {
    if (options_.is_strict) refuse(name, "{}", remark);
    print_message("{}: {}", name, remark);
  }
  choose_channels(held, name);
  if (options_.says_zeros) say_zeros(held, name);
  const unsigned bits = held.sample_bits;
  const auto& given = options_.stated.sample_bits;
  reject_if((given && *given != bits) || (n_polarisations_ > 0 && bits != stored_bits_),
            "{} holds integers of {} bits, not {}; leave out --sample-bits, and "
            "give files of one width",
            name, bits, stored_bits_);
  stored_bits_ = bits;
  sample_bits_ = bits <= 2 ? bits + 1 : std::min(bits, 16u);
  if (options_.levels == sample_levels::optimal) choose_levels(held, name);
  if (!voltages_.empty()) require_alike(held, name);
  add_polarisations(held.n_polarisations * channels_.size(), held.n_samples, name);
  voltages_.push_back(std::move(source));
}

/// Has integers stand for levels that have fractions: of 2 bits those of 10 whose ratio is nearest.
void recording::choose_levels(const formats::voltages& held, const std::string& name) {
  const unsigned bits = held.sample_bits;
  reject_if(bits != 1 && bits != 2 && bits != 4 && bits != 8,
            "--levels optimal is given, and {} has samples of {} bits; leave it out", name, bits);
  if (bits == 2) sample_bits_ = 10;
  if (bits == 8) sample_bits_ = 9;
  unit_ = bits == 2 ? 1.0 / low_level : bits == 4 ? 1 / 2.95 : bits == 8 ? 1.0 / 71 : 1;
}

void recording::say_zeros(const formats::voltages& held, const std::string& name) {
  std::size_t n_missing = 0, n_packets = 0;
  for (const std::vector<bool>& present : held.present) {
    n_packets += present.size();
    n_missing += static_cast<std::size_t>(std::count(present.begin(), present.end(), false));
  }
  if (n_missing == 0) return;
  print_message("{}: {} of {} of {} are missing, and zeros in their place", name, n_missing,
                counted(n_packets, "packet"), counted(held.packet_samples, "sample"));
}

void recording::choose_channels(const formats::voltages& held, const std::string& name) {
  const auto& given = options_.channels;
  channels_ = given.empty() ? std::vector<std::size_t>{0} : given;
  const bool is_beyond =
      std::ranges::any_of(given, [&](std::size_t c) { return c >= held.n_channels; });
  if (given.empty() && held.n_channels > 1 && held.n_antennas == 1 && held.frequencies) {
    // Channels that adjoin each other are one band.
    const double width_hz = held.sample_rate_hz / (held.is_complex ? 1 : 2);
    if (std::abs(std::abs(held.frequencies->step_hz) - width_hz) < 1e-4 * width_hz) {
      n_channels_ = held.n_channels;
      return;
    }
  }
  if (is_beyond || (given.empty() && held.n_channels > 1)) {
    const std::size_t last = held.n_channels - 1;
    const std::string antennas =
        held.n_antennas == 1 ? ""
                             : formatted(" ({} of each of {} antennas)",
                                         held.n_channels / held.n_antennas, held.n_antennas);
    reject("{} holds {}{}{}; give --coarse-channel 0{}", name, counted(held.n_channels, "channel"),
           antennas, is_beyond ? "" : ", and does not say that they adjoin in the sky",
           last == 0 ? "" : formatted(" to {}", last));
  }
}

void recording::require_alike(const formats::voltages& held, const std::string& name) const {
  const formats::voltages& first = voltages_.front().file->contents();
  const auto kind = [](const formats::voltages& of) { return of.is_complex ? "complex" : "real"; };
  reject_if(first.is_complex != held.is_complex || first.n_channels != held.n_channels,
            "{} holds {} samples of {} and {} {} ones of {}; give files of one kind", first_name_,
            kind(first), counted(first.n_channels, "channel"), name, kind(held),
            counted(held.n_channels, "channel"));
  reject_if(first.packet_samples != held.packet_samples,
            "frames of {} hold {} samples and those of {} {}; give files of one kind", first_name_,
            first.packet_samples, name, held.packet_samples);
  if (first.first_packet && held.first_packet && *first.first_packet != *held.first_packet) {
    reject(
        "the first packet of {} is number {}, and that of {} {}; cut them to one start, "
        "or give --sequence if they follow each other in time",
        first_name_, *first.first_packet, name, *held.first_packet);
  }
  reject_if(first.frequencies && held.frequencies && *first.frequencies != *held.frequencies,
            "{} and {} are of different bands; give files of one band", first_name_, name);
  reject_if(first.sample_rate_hz != held.sample_rate_hz,
            "{} has {} samples a second and {} has {}; give files of one rate", first_name_,
            first.sample_rate_hz, name, held.sample_rate_hz);
}

bool recording::is_complex() const {
  if (!samples_.empty()) return !samples_.front().reader->shape().is_real;
  return !voltages_.empty() && voltages_.front().file->contents().is_complex;
}

double recording::sample_rate_hz() const {
  if (!samples_.empty()) return samples_.front().reader->shape().sample_rate_hz;
  return voltages_.empty() ? 0 : voltages_.front().file->contents().sample_rate_hz;
}

std::optional<formats::channel_frequencies> recording::frequencies() const {
  if (!samples_.empty() && samples_.front().reader->shape().centre_hz > 0 && !options_.sky_hz) {
    return formats::channel_frequencies{samples_.front().reader->shape().centre_hz};
  }
  const auto stated =
      voltages_.empty() ? std::nullopt : voltages_.front().file->contents().frequencies;
  if (options_.sky_hz) return {{*options_.sky_hz, stated ? stated->step_hz : sample_rate_hz()}};
  if (!stated) return std::nullopt;
  const formats::voltages& held = voltages_.front().file->contents();
  const std::size_t of_antenna = channels_[0] % (held.n_channels / held.n_antennas);
  return {{stated->at(static_cast<double>(of_antenna)), stated->step_hz}};
}

std::optional<formats::day_time> recording::start() const {
  const auto stated = voltages_.empty() ? std::nullopt : voltages_.front().file->contents().start;
  if (stated || !options_.stated.near_mjd) return stated;
  const double day = std::floor(*options_.stated.near_mjd);
  return {{static_cast<std::int64_t>(day), 86400 * (*options_.stated.near_mjd - day)}};
}

std::string recording::target() const {
  return voltages_.empty() ? "" : voltages_.front().file->contents().target;
}

void recording::add_polarisations(std::size_t count, std::optional<std::size_t> n_samples,
                                  const std::string& name) {
  refuse_if(n_samples == std::size_t{0}, name, "holds less than one sample of {} bits",
            sample_bits_);
  if (n_samples_ && n_samples && *n_samples_ != *n_samples) {
    reject(
        "{} holds {} samples and {} holds {}; give equally many of both "
        "polarisations",
        first_name_, *n_samples_, name, *n_samples);
  }
  if (first_name_.empty()) first_name_ = name;
  if (n_samples) n_samples_ = n_samples;
  is_measured_ = is_measured_ && n_samples;
  n_polarisations_ += count;
}

channeliser::samples recording::next(std::size_t channel) {
  if (!samples_.empty()) return next_of_samples();
  return streams_.empty() ? next_of_voltages(channel) : next_of_streams();
}

channeliser::samples recording::next_of_samples() {
  channeliser::samples piece{.count = std::min(piece_samples, *n_samples_ - position_)};
  for (sample_source& source : samples_) {
    source.read(position_, piece.count);
    for (const auto& row : source.integers) piece.integers.emplace_back(row);
  }
  position_ += piece.count;
  return piece;
}

void recording::stream::read(std::size_t n_samples, unsigned sample_bits) {
  bytes.resize(channelising::packed_bytes(n_samples, sample_bits));
  count = std::min(n_samples, source->read(bytes) * 8 / sample_bits);
  integers.resize(count);
  channelising::unpack_samples(bytes, sample_bits, 0, integers);
}

channeliser::samples recording::next_of_streams() {
  channeliser::samples piece;
  const std::size_t wanted =
      n_samples_ ? std::min(piece_samples, *n_samples_ - position_) : piece_samples;
  for (stream& each : streams_) {
    each.read(wanted, sample_bits_);
    piece.integers.emplace_back(each.integers);
  }
  piece.count = streams_.front().count;
  if (n_samples_ && piece.count < wanted) {
    refuse(first_name_, "ends after {} samples of {}; another program shortened it",
           position_ + piece.count, *n_samples_);
  }
  if (streams_.back().count != piece.count) {
    const bool is_first = piece.count < streams_.back().count;
    const stream& shorter = is_first ? streams_.front() : streams_.back();
    refuse(shorter.source->name(), "ends after {} samples, before the other polarisation does",
           position_ + shorter.count);
  }
  position_ += piece.count;
  return piece;
}

std::vector<std::span<std::int16_t>> recording::voltage_source::read(
    std::span<const std::size_t> channels, std::size_t first, std::size_t count) {
  const formats::voltages& held = file->contents();
  const std::size_t row = count * (held.is_complex ? 2 : 1), n_pols = held.n_polarisations;
  samples.resize(channels.size() * n_pols * row);
  std::vector<std::span<std::int16_t>> rows;
  for (std::size_t i = 0; i < channels.size() * n_pols; ++i) {
    rows.push_back(std::span(samples).subspan(i * row, row));
  }
  for (std::size_t i = 0; i < channels.size(); ++i) {
    file->read(channels[i], first, count, std::span(rows).subspan(i * n_pols, n_pols));
  }
  return rows;
}

channeliser::samples recording::next_of_voltages(std::size_t channel) {
  channeliser::samples piece;
  const std::size_t packet = voltages_.front().file->contents().packet_samples;
  const std::size_t about = std::max(piece_samples / n_channels_, min_piece_samples);
  // Whole packets, or a part of one.
  const std::size_t most =
      packet < about ? about / packet * packet : std::min(about, packet - position_ % packet);
  piece.count = std::min(most, *n_samples_ - position_);
  piece.packet_samples = std::min(packet, most);
  const std::size_t first_packet = position_ / packet,
                    n_packets = (piece.count + piece.packet_samples - 1) / piece.packet_samples;
  std::vector<std::size_t> channels = channels_;
  channels[0] += channel;
  for (voltage_source& source : voltages_) {
    for (const auto& samples : source.read(channels, position_, piece.count)) {
      if (options_.levels == sample_levels::optimal) set_levels(samples, stored_bits_);
      piece.integers.push_back(samples);
    }
    for (std::size_t i = 0; i < channels.size(); ++i) {
      for (const auto& present : source.file->contents().present) {
        const auto flags = present.begin() + static_cast<std::ptrdiff_t>(first_packet);
        piece.present.emplace_back(flags, flags + static_cast<std::ptrdiff_t>(n_packets));
      }
    }
  }
  if (channel + 1 == n_channels_) position_ += piece.count;
  return piece;
}

}  // namespace wingbeat::cli
