// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.hpp"

#include <fcntl.h>     // open
#include <sys/stat.h>  // fstat
#include <unistd.h>    // close, lseek, read

#include <algorithm>  // count, find, min, ranges::find
#include <cerrno>
#include <cmath>    // abs, nearbyint
#include <cstring>  // strerror
#include <string_view>

#include "channelising/arithmetic/packed_samples.hpp"  // packed_bytes, unpack_samples
#include "cli/messages.hpp"                            // counted, print_message
#include "cli/option.hpp"                              // refuse_choice
#include "formats/files/atomic_file.hpp"               // is_written_directly
#include "formats/files/extension.hpp"                 // extension_of
#include "formats/files/refusal.hpp"                   // refuse
#include "formats/files/signature.hpp"                 // is_text, signed_content
#include "formats/files/whole_file.hpp"                // largest_file_bytes
#include "formats/signals/numbers.hpp"                 // raw_layout_of
#include "formats/signals/sigmf.hpp"                   // is_sigmf
#include "text/formatted.hpp"                          // formatted
#include "text/listed.hpp"                             // listed
#include "wingbeat/error.hpp"                          // plan_error

namespace wingbeat::cli {
namespace {

using formats::refuse;

constexpr std::size_t head_bytes = std::size_t{1} << 17, piece_samples = std::size_t{1} << 20;

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
  if (formats::signed_content(file.head()).empty()) {
    for (const formats::voltage_format& format : formats::voltage_formats) {
      if (format.is_format_of(file.head(), file.size())) return std::string{format.name};
    }
  }
  require_samples(file, ", or give --format raw if it holds them all the same");
  if (has_raw_name(file) || !file.has_own_name()) return "raw";
  throw plan_error(formatted(
      "{} does not say what it holds; give --format raw if that is packed samples, or a name that "
      "ends in .raw, .bin or .dat",
      file.name()));
}

/// Returns "raw", the format of a pipe: others are read from several places of a file.
std::string require_raw(const byte_source& pipe, const std::string& format) {
  const std::string found = format == "auto" ? format_of(pipe) : format;
  if (found == "raw") return found;
  throw plan_error(formatted(
      "{0} is to hold the format {1}, and raw samples alone come from {0}; name the file{2}",
      pipe.name(), found, format == "auto" ? ", or give --format raw" : ""));
}

}  // namespace

void require_packed_samples(const std::string& name) {
  const byte_source file{name};
  require_samples(file);
  if (formats::is_guppi(file.head())) {
    refuse(name, "is GUPPI raw, and packed samples are taken here; wingbeat channelise reads it");
  }
}

byte_source::byte_source(std::string name) : name_(std::move(name)) {
  has_own_name_ = name_ != "-" && !formats::is_written_directly(name_);
  if (name_ == "-") {
    name_ = "stdin";
    descriptor_ = ::dup(STDIN_FILENO);
  } else {
    descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (descriptor_ < 0) refuse(name_, "cannot be opened: {}", std::strerror(errno));
  struct stat status = {};
  if (::fstat(descriptor_, &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(name_, "is a directory; name a file of samples");
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  }
  std::vector<std::byte> head(head_bytes);
  head.resize(read(head));
  if (head.empty()) refuse(name_, "is empty; it must hold at least one sample");
  head_ = std::move(head);
}

byte_source::~byte_source() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t byte_source::read(std::span<std::byte> target) {
  std::size_t done = std::min(target.size(), head_.size() - position_);
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(position_), done, target.begin());
  position_ += done;
  while (done < target.size()) {
    const auto got = ::read(descriptor_, target.data() + done, target.size() - done);
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      refuse(name_, "cannot be read: {}", std::strerror(errno));
    }
  }
  return done;
}

recording::recording(const std::vector<std::string>& files, const recording_options& options)
    : options_(options),
      sample_bits_(options.sample_bits.value_or(10)),
      stored_bits_(sample_bits_) {
  const std::string& format = options.format;
  if (files.size() > 2) {
    throw plan_error(formatted("{} files are given; give one for each of at most 2 polarisations",
                               files.size()));
  }
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
    is_assumed_ = is_assumed_ || (kind == "raw" && !options.sample_bits);
    open(std::move(file), kind);
  }
  if (!is_measured_) n_samples_.reset();
  if (voltages_.empty() && options.coarse_channel) {
    throw plan_error(formatted(
        "--coarse-channel {} is given, and {} has one channel; give it for VDIF and GUPPI "
        "raw alone",
        *options.coarse_channel, files[0]));
  }
  if (!streams_.empty() + !voltages_.empty() + !samples_.empty() > 1) {
    throw plan_error(
        formatted("{} and {} are of different formats; convert one", files[0], files[1]));
  }
  if (n_polarisations_ > 2) {
    throw plan_error(formatted("{}: {} polarisations; give at most 2 at once", joined(files, ", "),
                               n_polarisations_));
  }
}

recording::~recording() = default;

void recording::open(std::unique_ptr<byte_source> file, const std::string& format) {
  const auto* const voltages =
      std::ranges::find(formats::voltage_formats, format, &formats::voltage_format::name);
  const bool has_packets = voltages != std::end(formats::voltage_formats);
  const std::string name = file->name();
  if (!options_.threads.empty() && !(has_packets && voltages->has_threads)) {
    throw plan_error(formatted("--vdif-threads is given, and {} is no VDIF; leave it out", name));
  }
  if (has_packets) return open_voltages(name, *voltages);
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
  if (options_.sample_bits.value_or(sample_bits_) != sample_bits_) {
    throw plan_error(formatted(
        "{} has samples of full scale 1, which become integers of 16 bits; leave --sample-bits out",
        name));
  }
  if (!samples_.empty()) {
    const formats::signal& first = samples_.front().reader->shape();
    if (first.is_real != held.is_real || first.sample_rate_hz != held.sample_rate_hz ||
        first.centre_hz != held.centre_hz || samples_.front().full_scale != source.full_scale) {
      throw plan_error(formatted("{} and {} differ in rate, frequency or kind; give files of one",
                                 first_name_, name));
    }
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

void recording::open_voltages(const std::string& name, const formats::voltage_format& format) {
  voltage_source source{std::make_unique<formats::byte_source>(name, formats::largest_file_bytes),
                        nullptr};
  source.file = format.open(*source.content, {.sample_rate_hz = options_.sample_rate_hz,
                                              .channel = options_.coarse_channel,
                                              .threads = options_.threads});
  const formats::voltages& held = source.file->contents();
  for (const std::string& remark : held.remarks) {
    if (options_.is_strict) refuse(name, "{}", remark);
    print_message("{}: {}", name, remark);
  }
  choose_channel(held, name);
  if (options_.says_zeros) say_zeros(held, name);
  const unsigned bits = held.sample_bits;
  const auto& given = options_.sample_bits;
  if ((given && *given != bits) || (n_polarisations_ > 0 && bits != stored_bits_)) {
    throw plan_error(
        formatted("{} holds integers of {} bits, not {}; leave out --sample-bits, and "
                  "give files of one width",
                  name, bits, stored_bits_));
  }
  stored_bits_ = bits;
  sample_bits_ = bits <= 2 ? bits + 1 : bits;
  if (!voltages_.empty()) require_alike(held, name);
  add_polarisations(held.n_polarisations, held.n_samples, name);
  voltages_.push_back(std::move(source));
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

void recording::choose_channel(const formats::voltages& held, const std::string& name) {
  const auto& channel = options_.coarse_channel;
  if (channel ? *channel >= held.n_channels : held.n_channels > 1) {
    const std::size_t last = held.n_channels - 1;
    const std::string antennas =
        held.n_antennas == 1 ? ""
                             : formatted(" ({} of each of {} antennas)",
                                         held.n_channels / held.n_antennas, held.n_antennas);
    throw plan_error(formatted("{} holds {}{}; give --coarse-channel 0{}", name,
                               counted(held.n_channels, "channel"), antennas,
                               last == 0 ? "" : formatted(" to {}", last)));
  }
  channel_ = channel.value_or(0);
}

void recording::require_alike(const formats::voltages& held, const std::string& name) const {
  const formats::voltages& first = voltages_.front().file->contents();
  const auto kind = [](const formats::voltages& of) { return of.is_complex ? "complex" : "real"; };
  if (first.is_complex != held.is_complex || first.n_channels != held.n_channels) {
    throw plan_error(
        formatted("{} holds {} samples of {} and {} {} ones of {}; give files of one kind",
                  first_name_, kind(first), counted(first.n_channels, "channel"), name, kind(held),
                  counted(held.n_channels, "channel")));
  }
  if (first.packet_samples != held.packet_samples) {
    throw plan_error(
        formatted("frames of {} hold {} samples and those of {} {}; give files of one kind",
                  first_name_, first.packet_samples, name, held.packet_samples));
  }
  if (first.first_packet && held.first_packet && *first.first_packet != *held.first_packet) {
    throw plan_error(
        formatted("the first packet of {} is number {}, and that of {} {}; cut them to one start",
                  first_name_, *first.first_packet, name, *held.first_packet));
  }
  if (first.frequencies && held.frequencies &&
      (first.frequencies->first_hz != held.frequencies->first_hz ||
       first.frequencies->step_hz != held.frequencies->step_hz)) {
    throw plan_error(
        formatted("{} and {} are of different bands; give files of one band", first_name_, name));
  }
  if (first.sample_rate_hz != held.sample_rate_hz) {
    throw plan_error(formatted("{} has {} samples a second and {} has {}; give files of one rate",
                               first_name_, first.sample_rate_hz, name, held.sample_rate_hz));
  }
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
  if (!samples_.empty() && samples_.front().reader->shape().centre_hz > 0) {
    return formats::channel_frequencies{samples_.front().reader->shape().centre_hz};
  }
  if (voltages_.empty() || !voltages_.front().file->contents().frequencies) return std::nullopt;
  const formats::voltages& held = voltages_.front().file->contents();
  formats::channel_frequencies found = *held.frequencies;
  const std::size_t of_antenna = channel_ % (held.n_channels / held.n_antennas);
  found.first_hz += static_cast<double>(of_antenna) * found.step_hz;
  return found;
}

void recording::add_polarisations(std::size_t count, std::optional<std::size_t> n_samples,
                                  const std::string& name) {
  if (n_samples == std::size_t{0}) {
    refuse(name, "holds less than one sample of {} bits", sample_bits_);
  }
  if (n_samples_ && n_samples && *n_samples_ != *n_samples) {
    throw plan_error(
        formatted("{} holds {} samples and {} holds {}; give equally many of both "
                  "polarisations",
                  first_name_, *n_samples_, name, *n_samples));
  }
  if (first_name_.empty()) first_name_ = name;
  if (n_samples) n_samples_ = n_samples;
  is_measured_ = is_measured_ && n_samples;
  n_polarisations_ += count;
}

channeliser::samples recording::next() {
  if (!samples_.empty()) return next_of_samples();
  return streams_.empty() ? next_of_voltages() : next_of_streams();
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

std::vector<std::span<std::int16_t>> recording::voltage_source::read(std::size_t channel,
                                                                     std::size_t first,
                                                                     std::size_t count) {
  const formats::voltages& held = file->contents();
  const std::size_t row = count * (held.is_complex ? 2 : 1);
  samples.resize(held.n_polarisations * row);
  std::vector<std::span<std::int16_t>> rows;
  for (std::size_t p = 0; p < held.n_polarisations; ++p) {
    rows.push_back(std::span(samples).subspan(p * row, row));
  }
  file->read(channel, first, count, rows);
  return rows;
}

channeliser::samples recording::next_of_voltages() {
  channeliser::samples piece;
  const std::size_t packet = voltages_.front().file->contents().packet_samples;
  // Whole packets, or a part of one.
  const std::size_t most = packet < piece_samples
                               ? piece_samples / packet * packet
                               : std::min(piece_samples, packet - position_ % packet);
  piece.count = std::min(most, *n_samples_ - position_);
  piece.packet_samples = std::min(packet, most);
  const std::size_t first_packet = position_ / packet,
                    n_packets = (piece.count + piece.packet_samples - 1) / piece.packet_samples;
  for (voltage_source& source : voltages_) {
    for (const auto& samples : source.read(channel_, position_, piece.count)) {
      piece.integers.push_back(samples);
    }
    for (const auto& present : source.file->contents().present) {
      const auto flags = present.begin() + static_cast<std::ptrdiff_t>(first_packet);
      piece.present.emplace_back(flags, flags + static_cast<std::ptrdiff_t>(n_packets));
    }
  }
  position_ += piece.count;
  return piece;
}

}  // namespace wingbeat::cli
