// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/voltages.hpp"

#include <algorithm>  // fill, min
#include <utility>    // move

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // refuse

namespace wingbeat::formats {
namespace {

/// Returns the number whose bits begin at `bit`.
std::int16_t number_at(std::span<const std::byte> data, std::size_t bit, unsigned n_bits,
                       sample_coding coding) {
  constexpr unsigned most_bits = 16;
  const bool is_twos_complement = coding == sample_coding::twos_complement;
  unsigned code = 0;
  if (n_bits >= most_bits) {
    code = load<std::uint16_t>(&data[(bit + n_bits - most_bits) / 8]);
    n_bits = most_bits;
  } else {
    const auto place = static_cast<unsigned>(bit % 8);
    const unsigned shift = is_twos_complement ? 8 - n_bits - place : place;
    code = std::to_integer<unsigned>(data[bit / 8]) >> shift & ((1u << n_bits) - 1);
  }
  if (coding == sample_coding::sign_magnitude)
    code = n_bits == 1 ? code ^ 1 : code % 2 * 2 + code / 2;
  const int steps = 1 << n_bits;
  // Two's complement is the same code with the sign bit inverted.
  const int value = static_cast<int>(is_twos_complement ? code ^ (1u << (n_bits - 1)) : code);
  // One and two bits have no 0 in their middle.
  return static_cast<std::int16_t>(n_bits <= 2 ? 2 * value + 1 - steps : value - steps / 2);
}

}  // namespace

voltage_file::voltage_file(const byte_source& source, voltages contents, packet_layout layout,
                           packet_offsets offsets)
    : contents_(std::move(contents)),
      layout_(layout),
      offsets_(std::move(offsets)),
      name_(source.name()),
      reader_(source, layout.window_bytes) {
  const std::size_t packet_samples = contents_.packet_samples;
  for (const auto& row : offsets_) {
    std::vector<bool>& present = contents_.present.emplace_back(
        (contents_.n_samples + packet_samples - 1) / packet_samples, true);
    for (std::size_t i = 0; i < row.size(); ++i) present[i] = row[i] != no_packet;
  }
}

void voltage_file::read(std::size_t channel, std::size_t first, std::size_t count,
                        std::span<const std::span<std::int16_t>> rows) const {
  const std::size_t packet_samples = contents_.packet_samples, last = offsets_[0].size() - 1;
  const std::size_t parts = contents_.is_complex ? 2 : 1;
  for (std::size_t done = 0; done < count;) {
    const std::size_t sample = first + done, packet = std::min(sample / packet_samples, last);
    const std::size_t begin = packet * packet_samples;
    const std::size_t end = packet == last ? contents_.n_samples : begin + packet_samples;
    const std::size_t n = std::min(count - done, end - sample);
    for (std::size_t p = 0; p < rows.size(); ++p) {
      read_packet(offsets_[p][packet], channel, p, sample - begin,
                  rows[p].subspan(done * parts, n * parts));
    }
    done += n;
  }
}

/// Reads samples of a packet from sample `first` on.
void voltage_file::read_packet(std::size_t offset, std::size_t channel, std::size_t polarisation,
                               std::size_t first, std::span<std::int16_t> row) const {
  if (offset == no_packet) return std::fill(row.begin(), row.end(), std::int16_t{0});
  const std::size_t parts = contents_.is_complex ? 2 : 1, n = row.size() / parts;
  const unsigned bits = contents_.sample_bits;
  // Polarisations that lie together are read together.
  const std::size_t begin = channel * layout_.channel_bits + first * layout_.time_bits;
  const std::size_t end = begin + (n - 1) * layout_.time_bits + parts * bits +
                          (offsets_.size() - 1) * layout_.polarisation_bits;
  const std::size_t n_bytes = (end + 7) / 8 - begin / 8;
  const auto data = reader_.at(offset + begin / 8, n_bytes);
  refuse_if(data.size() < n_bytes, name_, "ends within a {}; another program shortened it",
            layout_.noun);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t bit =
        begin % 8 + i * layout_.time_bits + polarisation * layout_.polarisation_bits;
    for (std::size_t part = 0; part < parts; ++part) {
      row[i * parts + part] = number_at(data, bit + part * bits, bits, layout_.coding);
    }
  }
}

}  // namespace wingbeat::formats
