// SPDX-License-Identifier: Apache-2.0
// TIFF 6.0:  header . (directory . its longer values . samples) of each page.
#include <cmath>    // floor
#include <cstdint>  // uint16_t, uint32_t, uint64_t
#include <limits>
#include <vector>

#include "formats/byte_order.hpp"  // store
#include "formats/tiff.hpp"
#include "formatted.hpp"       // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {
namespace {

enum class field_type : std::uint16_t {
  short_number = 3,
  long_number = 4,
  rational = 5,
  long8 = 16
};

constexpr std::size_t bytes_of(field_type type) {
  switch (type) {
    case field_type::short_number: return 2;
    case field_type::long_number: return 4;
    default: return 8;
  }
}

/// An entry of a directory. A rational is numerator + 2^32 denominator: its bytes in that order.
struct directory_field {
  std::uint16_t tag;
  field_type type;
  std::vector<std::uint64_t> values;
};

/// Appends numbers, little-endian.
class byte_writer {
 public:
  void put(std::uint64_t value, std::size_t n_bytes) {
    for (std::size_t i = 0; i < n_bytes; ++i) {
      bytes_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFFu));
    }
  }
  void pad_to(std::size_t n_bytes) { bytes_.resize(n_bytes); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// The widths of numbers in classic TIFF and in BigTIFF, whose offsets have 64 bits.
struct tiff_flavour {
  bool is_big;

  [[nodiscard]] std::size_t header_bytes() const { return is_big ? 16 : 8; }
  [[nodiscard]] std::size_t offset_bytes() const { return is_big ? 8 : 4; }
  [[nodiscard]] std::size_t count_bytes() const { return is_big ? 8 : 2; }
  [[nodiscard]] field_type offset_type() const {
    return is_big ? field_type::long8 : field_type::long_number;
  }
  [[nodiscard]] std::size_t directory_bytes(std::size_t n_fields) const {
    return count_bytes() + n_fields * (4 + 2 * offset_bytes()) + offset_bytes();
  }
};

constexpr std::uint64_t alignment = 8;

std::uint64_t aligned(std::uint64_t n_bytes) {
  return (n_bytes + alignment - 1) / alignment * alignment;
}

/// Returns pixels per centimetre as a fraction of numbers of 32 bits, with all their precision.
std::uint64_t resolution_of(double pixel_angstrom) {
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  double numerator = std::min(1e8 / pixel_angstrom, most);
  std::uint64_t denominator = 1;
  while (2 * numerator < most && denominator < std::uint64_t{1} << 31) {
    numerator *= 2;
    denominator *= 2;
  }
  return static_cast<std::uint64_t>(std::floor(numerator + 0.5)) | denominator << 32;
}

/// Returns the fields in ascending order of their tags, as TIFF demands.
std::vector<directory_field> fields_of(const image_stack& stack, tiff_flavour flavour,
                                       std::uint64_t strip_offset, std::uint64_t strip_bytes) {
  using enum field_type;
  const std::size_t n_channels = stack.n_channels;
  const auto of_channels = [&](std::uint64_t value) {
    return std::vector<std::uint64_t>(n_channels, value);
  };
  std::vector<directory_field> fields = {
      {256, long_number, {stack.width}},
      {257, long_number, {stack.height}},
      {258, short_number, of_channels(32)},             // bits
      {259, short_number, {1}},                         // no compression
      {262, short_number, {n_channels > 2 ? 2u : 1u}},  // RGB, or grey where 0 is black
      {273, flavour.offset_type(), {strip_offset}},
      {277, short_number, {n_channels}},
      {278, long_number, {stack.height}},  // rows of a strip
      {279, flavour.offset_type(), {strip_bytes}}};
  const bool has_size = stack.pixel_angstrom.x > 0 && stack.pixel_angstrom.y > 0;
  if (has_size) {
    fields.push_back({282, rational, {resolution_of(stack.pixel_angstrom.x)}});
    fields.push_back({283, rational, {resolution_of(stack.pixel_angstrom.y)}});
  }
  fields.push_back({284, short_number, {1}});                           // channels interleaved
  if (has_size) fields.push_back({296, short_number, {3}});             // per centimetre
  if (n_channels % 2 == 0) fields.push_back({338, short_number, {2}});  // alpha, not premultiplied
  fields.push_back({339, short_number, of_channels(3)});                // IEEE floats
  return fields;
}

/// Returns a directory at `offset`, whose values that are longer than an offset follow it.
std::vector<std::byte> directory_of(const std::vector<directory_field>& fields,
                                    tiff_flavour flavour, std::uint64_t offset,
                                    std::uint64_t next_directory) {
  byte_writer directory;
  byte_writer values;
  const std::uint64_t values_offset = offset + aligned(flavour.directory_bytes(fields.size()));
  directory.put(fields.size(), flavour.count_bytes());
  for (const directory_field& field : fields) {
    const std::size_t value_bytes = bytes_of(field.type);
    const std::size_t n_bytes = value_bytes * field.values.size();
    directory.put(field.tag, 2);
    directory.put(static_cast<std::uint16_t>(field.type), 2);
    directory.put(field.values.size(), flavour.offset_bytes());
    const bool is_inline = n_bytes <= flavour.offset_bytes();
    if (!is_inline) directory.put(values_offset + values.bytes().size(), flavour.offset_bytes());
    byte_writer& to = is_inline ? directory : values;
    for (const std::uint64_t value : field.values) to.put(value, value_bytes);
    if (is_inline) {
      directory.put(0, flavour.offset_bytes() - n_bytes);
    } else {
      values.pad_to(aligned(values.bytes().size()));
    }
  }
  directory.put(next_directory, flavour.offset_bytes());
  directory.pad_to(aligned(directory.bytes().size()));
  std::vector<std::byte> bytes = directory.bytes();
  bytes.insert(bytes.end(), values.bytes().begin(), values.bytes().end());
  return bytes;
}

void write_header(atomic_file& to, tiff_flavour flavour) {
  byte_writer header;
  header.put(0x4949, 2);  // little-endian
  header.put(flavour.is_big ? 43 : 42, 2);
  if (flavour.is_big) header.put(8, 4);  // bytes of an offset
  header.put(flavour.header_bytes(), flavour.offset_bytes());
  to.write(header.bytes());
}

}  // namespace

void write_tiff(atomic_file& to, const image_stack& stack, std::uint64_t largest_classic_bytes) {
  constexpr std::size_t longest = std::numeric_limits<std::uint32_t>::max();
  if (stack.height > longest || stack.width > longest) {
    throw plan_error(formatted("cannot write {} x {} pixels to {}; TIFF allows {} a side",
                               stack.height, stack.width, to.path().string(), longest));
  }
  const std::uint64_t page_samples = stack.height * stack.width * stack.n_channels;
  const std::uint64_t strip_bytes = 4 * page_samples;
  const auto directory_bytes = [&](tiff_flavour flavour) {
    return directory_of(fields_of(stack, flavour, 0, 0), flavour, 0, 0).size();
  };
  const auto page_bytes = [&](tiff_flavour flavour) {
    return directory_bytes(flavour) + aligned(strip_bytes);
  };
  tiff_flavour flavour = {.is_big = false};
  const std::uint64_t classic_bytes = flavour.header_bytes() + stack.n_images * page_bytes(flavour);
  flavour.is_big = classic_bytes > largest_classic_bytes;

  write_header(to, flavour);
  std::uint64_t offset = flavour.header_bytes();
  for (std::size_t image = 0; image < stack.n_images; ++image) {
    const bool is_last = image + 1 == stack.n_images;
    const auto fields = fields_of(stack, flavour, offset + directory_bytes(flavour), strip_bytes);
    const std::uint64_t next = offset + page_bytes(flavour);
    to.write(directory_of(fields, flavour, offset, is_last ? 0 : next));
    write_samples(to, stack.samples, float_type::float32, image * page_samples, page_samples);
    to.write(std::vector<std::byte>(aligned(strip_bytes) - strip_bytes));
    offset = next;
  }
}

}  // namespace wingbeat::formats
