// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.hpp"

#include <algorithm>  // count, find, min, ranges::find
#include <cmath>      // abs, floor
#include <string_view>
#include <typeinfo>  // typeid
#include <utility>   // move

#include "cli/byte_source.hpp"                // byte_source
#include "cli/messages.hpp"                   // counted, print_message
#include "cli/option.hpp"                     // refuse_choice
#include "cli/recorded_source.hpp"            // packed_source_of, signal_source_of
#include "formats/files/atomic_file.hpp"      // is_written_directly
#include "formats/files/extension.hpp"        // extension_of
#include "formats/files/hdf5.hpp"             // hdf5_name_of
#include "formats/files/refusal.hpp"          // refuse
#include "formats/files/signature.hpp"        // is_text, signed_content
#include "formats/signals/numbers.hpp"        // raw_layout_of
#include "formats/signals/sample_reader.hpp"  // open_samples
#include "formats/signals/sigmf.hpp"          // is_sigmf
#include "text/formatted.hpp"                 // formatted
#include "text/listed.hpp"                    // listed
#include "text/reject.hpp"                    // reject

namespace wingbeat::cli {
namespace {

using formats::refuse, formats::refuse_if;

constexpr std::size_t piece_samples = std::size_t{1} << 20, min_piece_samples = 4096;

/// Whether a file is read as a signal: SigMF, HDF5, I and Q, raw samples.
bool is_signal(const std::string& name, const std::string& format) {
  if (format != "auto") return format == "iq" || formats::raw_layout_of(format).has_value();
  return formats::is_sigmf(name) || !formats::hdf5_name_of(name).dataset.empty();
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
  const std::string content{formats::signed_content(file.head())};
  if (content == "an array in .npy") return "npy";
  if (content == "an HDF5 file" || content.ends_with(" sound")) return content;
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

void say_zeros(const formats::voltages& held, const std::string& name) {
  std::size_t n_missing = 0, n_packets = 0;
  for (const std::vector<bool>& present : held.present) {
    n_packets += present.size();
    n_missing += static_cast<std::size_t>(std::count(present.begin(), present.end(), false));
  }
  if (n_missing == 0) return;
  print_message("{}: {} of {} of {} are missing, and zeros in their place", name, n_missing,
                counted(n_packets, "packet"), counted(held.packet_samples, "sample"));
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
    add(open(name, options.is_sequence ? files : std::vector{name}));
    if (options.is_sequence) break;
  }
  // A pipe's end is not known, and the other file is read as far.
  const auto is_open = [](const auto& each) { return each->held.n_samples == 0; };
  if (std::ranges::any_of(sources_, is_open)) n_samples_.reset();
  const auto refuse_where = [&](bool is_given, const char* option) {
    if (has_packets() || !is_given) return;
    reject("{} is given, and {} has no headers, and one channel; give it for {} alone", option,
           files[0], listed(std::vector(known.begin() + 3, known.end())));
  };
  refuse_where(!options.channels.empty(), "--coarse-channel");
  refuse_where(options.is_sequence, "--sequence");
  refuse_where(options.levels.has_value(), "--levels");
  reject_if(n_polarisations_ > 2,
            "{}: {} polarisations; give at most 2 at once, or --sequence if the files follow each "
            "other in time",
            joined(files, ", "), n_polarisations_);
}

recording::~recording() = default;

const formats::voltages& recording::held() const {
  return sources_.front()->held;
}

std::unique_ptr<recorded_source> recording::open(const std::string& name,
                                                 const std::vector<std::string>& files) {
  std::string format = options_.format;
  if (is_signal(name, format)) return open_samples(name);
  auto file = std::make_unique<byte_source>(name);
  if (name == "-" || !file->size()) format = require_raw(*file, format);
  if (format == "auto") format = format_of(*file);
  const auto* const voltages =
      std::ranges::find(formats::voltage_formats, format, &formats::voltage_format::name);
  const bool has_packets = voltages != std::end(formats::voltage_formats);
  reject_if(!options_.stated.threads.empty() && !(has_packets && voltages->has_threads),
            "--vdif-threads is given, and {} is no VDIF; leave it out", file->name());
  reject_if(options_.stated.n_channels && format != "mark5b",
            "--file-channels is given, and {} is no Mark 5B; leave it out", file->name());
  if (has_packets) return open_voltages(files, *voltages);
  if (format != "raw") return open_samples(file->name());
  is_assumed_ = !options_.stated.sample_bits;
  return packed_source_of(std::move(file), sample_bits_);
}

std::unique_ptr<recorded_source> recording::open_samples(const std::string& name) {
  const bool is_stated = is_signal("", options_.format);
  const auto layout = formats::raw_layout_of(options_.format);
  auto source = layout && (name == "-" || formats::is_written_directly(name))
                    ? signal_source_of(std::make_unique<byte_source>(name), *layout)
                    : signal_source_of(formats::open_samples(
                          name, {.format = is_stated ? options_.format : "auto"}));
  if (source->full_scale > 1) sample_bits_ = stored_bits_ = 16;
  reject_if(
      options_.stated.sample_bits.value_or(sample_bits_) != sample_bits_,
      "{} has samples of full scale 1, which become integers of 16 bits; leave --sample-bits out",
      name);
  return source;
}

std::unique_ptr<recorded_source> recording::open_voltages(const std::vector<std::string>& files,
                                                          const formats::voltage_format& format) {
  auto source = voltage_source_of(files, format, options_);
  const std::string& name = source->name;
  const formats::voltages& held = source->held;
  choose_channels(held, name);
  if (options_.says_zeros) say_zeros(held, name);
  const unsigned bits = held.sample_bits;
  const auto& given = options_.stated.sample_bits;
  reject_if((given && *given != bits) || (!sources_.empty() && bits != stored_bits_),
            "{} holds integers of {} bits, not {}; leave out --sample-bits, and "
            "give files of one width",
            name, bits, stored_bits_);
  stored_bits_ = bits;
  sample_bits_ = bits <= 2 ? bits + 1 : std::min(bits, 16u);
  if (options_.levels == sample_levels::optimal) choose_levels(name);
  return source;
}

/// Has integers stand for levels that have fractions: of 2 bits those of 10 whose ratio is nearest.
void recording::choose_levels(const std::string& name) {
  const unsigned bits = stored_bits_;
  reject_if(bits != 1 && bits != 2 && bits != 4 && bits != 8,
            "--levels optimal is given, and {} has samples of {} bits; leave it out", name, bits);
  if (bits == 2) sample_bits_ = 10;
  if (bits == 8) sample_bits_ = 9;
  unit_ = bits == 2 ? 1.0 / low_level : bits == 4 ? 1 / 2.95 : bits == 8 ? 1.0 / 71 : 1;
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

void recording::require_alike(const recorded_source& other) const {
  const recorded_source& front = *sources_.front();
  const formats::voltages &first = front.held, &held = other.held;
  const std::string &first_name = front.name, &name = other.name;
  reject_if(typeid(front) != typeid(other), "{} and {} are of different formats; convert one",
            first_name, name);
  reject_if(front.full_scale != other.full_scale, "{} and {} differ in kind; give files of one",
            first_name, name);
  const auto kind = [](const formats::voltages& of) { return of.is_complex ? "complex" : "real"; };
  reject_if(first.is_complex != held.is_complex || first.n_channels != held.n_channels,
            "{} holds {} samples of {} and {} {} ones of {}; give files of one kind", first_name,
            kind(first), counted(first.n_channels, "channel"), name, kind(held),
            counted(held.n_channels, "channel"));
  reject_if(first.packet_samples != held.packet_samples,
            "frames of {} hold {} samples and those of {} {}; give files of one kind", first_name,
            first.packet_samples, name, held.packet_samples);
  if (first.first_packet && held.first_packet && *first.first_packet != *held.first_packet) {
    reject(
        "the first packet of {} is number {}, and that of {} {}; cut them to one start, "
        "or give --sequence if they follow each other in time",
        first_name, *first.first_packet, name, *held.first_packet);
  }
  reject_if(first.frequencies && held.frequencies && *first.frequencies != *held.frequencies,
            "{} and {} are of different bands; give files of one band", first_name, name);
  reject_if(first.sample_rate_hz != held.sample_rate_hz,
            "{} has {} samples a second and {} has {}; give files of one rate", first_name,
            first.sample_rate_hz, name, held.sample_rate_hz);
}

void recording::add(std::unique_ptr<recorded_source> opened) {
  if (!sources_.empty()) require_alike(*opened);
  const std::size_t n_samples = opened->held.n_samples;
  if (n_samples_ && n_samples > 0 && *n_samples_ != n_samples) {
    reject("{} holds {} samples and {} holds {}; give equally many of both polarisations",
           sources_.front()->name, *n_samples_, opened->name, n_samples);
  }
  if (n_samples > 0) n_samples_ = n_samples;
  n_polarisations_ += opened->held.n_polarisations * channels_.size();
  sources_.push_back(std::move(opened));
}

std::optional<formats::channel_frequencies> recording::frequencies() const {
  const auto& stated = held().frequencies;
  if (options_.sky_hz) return {{*options_.sky_hz, stated ? stated->step_hz : sample_rate_hz()}};
  if (!stated) return std::nullopt;
  const std::size_t of_antenna = channels_[0] % (held().n_channels / held().n_antennas);
  return {{stated->at(static_cast<double>(of_antenna)), stated->step_hz}};
}

std::optional<formats::day_time> recording::start() const {
  const auto& stated = held().start;
  if (stated || !options_.stated.near_mjd) return stated;
  const double day = std::floor(*options_.stated.near_mjd);
  return {{static_cast<std::int64_t>(day), 86400 * (*options_.stated.near_mjd - day)}};
}

channeliser::samples recording::next(std::size_t channel) {
  channeliser::samples piece;
  const std::size_t packet = held().packet_samples;
  const std::size_t about = std::max(piece_samples / n_channels_, min_piece_samples);
  // Whole packets, or a part of one.
  const std::size_t most = packet == 0      ? about
                           : packet < about ? about / packet * packet
                                            : std::min(about, packet - position_ % packet);
  const std::size_t wanted = n_samples_ ? std::min(most, *n_samples_ - position_) : most;
  std::vector<std::size_t> channels = channels_;
  channels[0] += channel;
  for (const auto& each : sources_) {
    const std::size_t count = each->read(channels, position_, wanted);
    if (n_samples_ && count < wanted) {
      refuse(each->name, "ends after {} samples of {}; another program shortened it",
             position_ + count, *n_samples_);
    }
    if (each != sources_.front() && count != piece.count) {
      refuse((count < piece.count ? each : sources_.front())->name,
             "ends after {} samples, before the other polarisation does",
             position_ + std::min(count, piece.count));
    }
    piece.count = count;
    const std::size_t row = count * (each->held.is_complex ? 2 : 1);
    for (std::size_t i = 0; i < each->held.n_polarisations * channels.size(); ++i) {
      piece.integers.push_back(std::span(each->integers).subspan(i * row, row));
    }
  }
  if (packet > 0) add_packets(piece, std::min(packet, most));
  if (channel + 1 == n_channels_) position_ += piece.count;
  return piece;
}

/// States which packets of a piece are there.
void recording::add_packets(channeliser::samples& piece, std::size_t packet_samples) const {
  piece.packet_samples = packet_samples;
  const auto first = static_cast<std::ptrdiff_t>(position_ / held().packet_samples);
  const auto count =
      static_cast<std::ptrdiff_t>((piece.count + packet_samples - 1) / packet_samples);
  for (const auto& each : sources_) {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      for (const auto& present : each->held.present) {
        piece.present.emplace_back(present.begin() + first, present.begin() + first + count);
      }
    }
  }
}

}  // namespace wingbeat::cli
