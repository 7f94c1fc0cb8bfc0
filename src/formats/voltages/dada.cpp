// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // min, ranges::sort
#include <chrono>     // sys_days
#include <cstdio>     // sscanf
#include <string>
#include <utility>  // move
#include <vector>

#include "formats/voltages/format.hpp"         // open_dada, signed_content
#include "formats/voltages/header_fields.hpp"  // header_fields
#include "formats/voltages/packets.hpp"        // packet_list, take_packets
#include "text/trimmed.hpp"                    // trimmed

namespace wingbeat::formats {
namespace {

constexpr std::size_t max_count = std::size_t{1} << 62;

/// What all files have in common.
struct dada_shape {
  std::size_t n_channels = 1, n_polarisations = 1, n_parts = 1, sample_bits = 8;
  packet_layout layout = {};
  std::optional<double> sample_us, centre_mhz, band_mhz;
  std::optional<day_time> start = {};  ///< Of the byte at offset 0.

  /// All channels at one time.
  [[nodiscard]] std::size_t time_bytes() const {
    return n_channels * n_polarisations * n_parts * sample_bits / 8;
  }
};

/// The samples of a file.
struct dada_file {
  std::size_t number = 0, data_at = 0, n_samples = 0;
  std::size_t begin = 0;  ///< In samples since the observation began.

  [[nodiscard]] std::string name() const { return formatted("file {} of the sequence", number); }
};

struct file_list : packet_list<dada_file> {
  std::string header = {};  ///< That of the first file.
  dada_shape shape = {};
  std::string target = {};
};

/// Returns the lines of the header at `offset`, and moves the offset behind it.
std::string take_header(const byte_source& source, std::size_t& offset) {
  constexpr std::size_t usual_bytes = 4096, max_bytes = std::size_t{1} << 20;
  const std::size_t rest = source.file_end(offset) - offset;
  std::string text = source.text(offset, std::min(usual_bytes, rest));
  const std::size_t key = text.find("HDR_SIZE");
  const auto stated = key == text.npos ? std::nullopt
                                       : number_from<std::size_t>(trimmed(text.substr(
                                             key + 8, text.find_first_of("\n#", key) - key - 8)));
  const std::size_t n_bytes = stated.value_or(0);
  refuse_if(n_bytes < 64 || n_bytes > max_bytes, source.name(),
            "has a header without an HDR_SIZE from 64 to {}; it is no DADA file", max_bytes);
  // A header that is a file of its own need not be padded.
  text = source.text(offset, std::min(n_bytes, rest));
  offset += text.size();
  return text.substr(0, text.find('\0'));
}

header_fields fields_of(std::string_view text, const std::string& name) {
  header_fields fields{name, "DADA file"};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, std::min(text.find('#'), end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t key = std::min(line.find_first_of(" \t"), line.size());
    if (key > 0) fields.add(line.substr(0, key), trimmed(line.substr(key)));
  }
  return fields;
}

/// Returns the time that UTC_START, "yyyy-mm-dd-hh:mm:ss[.s]", or else MJD_START says.
std::optional<day_time> start_of(const header_fields& fields, std::string_view name) {
  using namespace std::chrono;
  constexpr sys_days mjd_0 = year{1858} / 11 / 17;
  if (const auto utc = fields.text_of("UTC_START")) {
    int y = 0, hour = 0, minute = 0;
    unsigned m = 0, d = 0;
    double second = 0;
    const int n = std::sscanf(std::string(*utc).c_str(), "%4d-%2u-%2u-%2d:%2d:%lf", &y, &m, &d,
                              &hour, &minute, &second);
    const year_month_day date{year{y}, month{m}, day{d}};
    if (n == 6 && date.ok() && hour >= 0 && minute >= 0 && second >= 0 && second < 61) {
      return day_time{(sys_days{date} - mjd_0).count()}.after(hour * 3600 + minute * 60 + second);
    }
    refuse_if(*utc != "unset" && *utc != "UNKNOWN", name,
              "has UTC_START '{}' in a header, which is no time as 2026-11-29-21:40:00",
              printable(*utc));
  }
  // As two numbers, because days of one have digits for microseconds alone.
  const auto mjd = fields.text_of("MJD_START").value_or("");
  const std::size_t point = std::min(mjd.find('.'), mjd.size());
  const auto days = number_from<std::int64_t>(mjd.substr(0, point));
  const auto part = number_from<double>("0" + std::string(mjd.substr(point)));
  if (!days || *days < 0 || *days > 1000000) return std::nullopt;
  return day_time{*days}.after(part.value_or(0) * 86400);
}

/// Sets the strides of a layout, by the letters of ORDER from the last one on.
void set_strides(dada_shape& shape, std::string_view order, std::string_view name) {
  std::size_t bits = shape.n_parts * shape.sample_bits, n_known = 0;
  packet_layout& layout = shape.layout;
  for (std::size_t i = order.size(); i-- > 0;) {
    const char letter = order[i];
    n_known += std::size_t{1} << 8 * (letter == 'T'   ? 0
                                      : letter == 'F' ? 1
                                      : letter == 'P' ? 2
                                                      : 3);
    if (letter == 'T') layout.time_bits = bits;
    if (letter == 'F') layout.channel_bits = std::exchange(bits, bits * shape.n_channels);
    if (letter == 'P') layout.polarisation_bits = std::exchange(bits, bits * shape.n_polarisations);
  }
  refuse_if(n_known != 0x010101 || layout.time_bits != shape.time_bytes() * 8, name,
            "has samples in ORDER '{}'; TFP and TPF are read, so convert it, as by dspsr's digifil",
            printable(order));
}

dada_shape shape_of(const header_fields& fields, std::string_view name) {
  constexpr std::size_t max_channels = std::size_t{1} << 20;
  dada_shape shape{.n_channels = fields.count_of("NCHAN", 1, max_channels).value_or(1),
                   .n_polarisations = fields.count_of("NPOL", 1, 2).value_or(1),
                   .n_parts = fields.required_count("NDIM", 2),
                   .layout = {.noun = "file", .coding = sample_coding::twos_complement},
                   .sample_us = fields.real_of("TSAMP", 1e-15),
                   .centre_mhz = fields.real_of("FREQ"),
                   .band_mhz = fields.real_of("BW")};
  const auto bits = fields.number_of<int>("NBIT", -64, 64, "number of bits");
  refuse_if(bits != 8 && bits != 16, name,
            "has samples of NBIT {}; 8 and 16 bits are read, so convert it, as by dspsr's digifil",
            bits.value_or(0));
  shape.sample_bits = static_cast<std::size_t>(*bits);
  refuse_if(fields.count_of("NANT", 1, max_count).value_or(1) != 1 ||
                fields.count_of("OBS_OVERLAP", 0, max_count).value_or(0) != 0,
            name, "has several antennas or files that overlap; convert it to a file of each");
  set_strides(shape, fields.text_of("ORDER").value_or("TFP"), name);
  shape.start = start_of(fields, name);
  return shape;
}

/// Takes the file at `offset`, and returns where the next one begins.
std::size_t take_file(const byte_source& source, std::size_t offset, std::size_t number,
                      file_list& list) {
  const std::string& name = source.name();
  std::byte head[4096];
  const bool has_header =
      signed_content({head, source.read_some(offset, head)}) == "a DADA recording";
  if (!has_header && list.header.empty()) refuse(name, "has no header; it is no DADA file");
  std::optional<std::size_t> stated;
  if (has_header) {
    const std::string header = take_header(source, offset);
    const header_fields fields = fields_of(header, name);
    const dada_shape shape = shape_of(fields, name);
    if (list.header.empty()) {
      list.header = header;
      list.shape = shape;
      list.target = fields.text_of("SOURCE").value_or("");
    }
    refuse_if(
        shape.layout.time_bits != list.shape.layout.time_bits ||
            shape.layout.channel_bits != list.shape.layout.channel_bits ||
            shape.n_parts != list.shape.n_parts || shape.sample_us != list.shape.sample_us ||
            shape.centre_mhz != list.shape.centre_mhz || shape.band_mhz != list.shape.band_mhz,
        name, "has another header in file {} than in the first; give files of one observation",
        number);
    stated = fields.count_of("OBS_OFFSET", 0, max_count);
  }
  const std::size_t end = source.file_end(offset), time_bytes = list.shape.time_bytes();
  const std::size_t follows =
      list.packets.empty() ? 0 : list.packets.back().begin + list.packets.back().n_samples;
  const std::size_t n_samples = (end - offset) / time_bytes;
  refuse_if(n_samples == 0, name,
            "is a DADA header without samples; give it with --sequence and their file");
  list.packets.push_back({number, offset, n_samples, stated ? *stated / time_bytes : follows});
  return end;
}

/// Returns where the samples of each file begin, and leaves out files at no place of their own: all
/// but the last have as many samples as the first.
std::vector<std::size_t> take_places(file_list& list, std::string_view name) {
  std::ranges::sort(list.packets, {}, &dada_file::begin);
  const dada_file first = list.packets[0], last = list.packets.back();
  const std::size_t step = first.n_samples;
  std::vector<std::size_t> data;
  list.leave_out("is at no place of its own", [&](const dada_file& file) {
    const std::size_t distance = file.begin - first.begin, place = distance / step;
    const bool is_short = file.number != last.number && file.n_samples != step;
    if (distance % step != 0 || is_short || place > max_lost_share * (list.packets.size() + 1) ||
        (place < data.size() && data[place] != no_packet)) {
      return true;
    }
    data.resize(std::max(data.size(), place + 1), no_packet);
    data[place] = file.data_at;
    return false;
  });
  list.left_out.require_fewer(list.packets.size(), name);
  return data;
}

}  // namespace

std::unique_ptr<voltage_file> open_dada(const byte_source& source, const voltage_options&) {
  file_list list;
  list.left_out = take_packets(
      source, "file",
      [&](std::size_t offset, std::size_t number) {
        return take_file(source, offset, number, list);
      },
      [&](std::size_t begin, std::size_t) { return source.file_end(begin); },
      [](std::size_t) { return true; });
  const dada_shape& shape = list.shape;
  const std::vector<std::size_t> data = take_places(list, source.name());
  const dada_file& first = list.packets.front();
  voltages contents{.n_polarisations = shape.n_polarisations,
                    .n_channels = shape.n_channels,
                    .is_complex = shape.n_parts == 2,
                    .sample_bits = static_cast<unsigned>(shape.sample_bits),
                    .packet_samples = first.n_samples,
                    .first_packet = first.begin / first.n_samples,
                    .sample_rate_hz = shape.sample_us ? 1e6 / *shape.sample_us : 0,
                    .start = shape.start,
                    .target = list.target};
  contents.n_samples = (data.size() - 1) * first.n_samples + list.packets.back().n_samples;
  if (list.left_out.count() > 0) contents.remarks.push_back(list.left_out.sentence("file"));
  if (shape.centre_mhz && shape.band_mhz && *shape.band_mhz != 0) {
    contents.frequencies = channels_of_band(*shape.centre_mhz * 1e6, *shape.band_mhz * 1e6,
                                            shape.n_channels, shape.n_parts == 2);
  }
  if (contents.start && first.begin > 0) {
    contents.start = contents.start->after(static_cast<double>(first.begin) *
                                           shape.sample_us.value_or(0) * 1e-6);
    if (!shape.sample_us) contents.start.reset();
  }
  return std::make_unique<voltage_file>(source, std::move(contents), shape.layout,
                                        packet_offsets(shape.n_polarisations, data));
}

}  // namespace wingbeat::formats
