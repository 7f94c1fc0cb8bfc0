// SPDX-License-Identifier: Apache-2.0
// TIFF 6.0:  header . (directory . its longer values . samples) of each page.
#include <cmath>    // floor
#include <cstdint>  // uint16_t, uint32_t, uint64_t
#include <limits>
#include <utility>  // move
#include <vector>

#include "formats/images/tiff.hpp"
#include "text/formatted.hpp"  // formatted
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
    byte_writer& written = is_inline ? directory : values;
    for (const std::uint64_t value : field.values) written.put(value, value_bytes);
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

void write_header(atomic_file& file, tiff_flavour flavour) {
  byte_writer header;
  header.put(0x4949, 2);  // little-endian
  header.put(flavour.is_big ? 43 : 42, 2);
  if (flavour.is_big) header.put(8, 4);  // bytes of an offset
  header.put(flavour.header_bytes(), flavour.offset_bytes());
  file.write(header.bytes());
}

/// The pages of a file. Only the shape of the stack is held.
class tiff_pages final : public image_sink {
 public:
  tiff_pages(atomic_file& file, image_stack shape, std::uint64_t largest_classic_bytes)
      : to_(file), shape_(std::move(shape)) {
    page_samples_ = shape_.height * shape_.width * shape_.n_channels;
    strip_bytes_ = 4 * std::uint64_t{page_samples_};
    const std::uint64_t classic_bytes = flavour_.header_bytes() + shape_.n_images * page_bytes();
    flavour_.is_big = classic_bytes > largest_classic_bytes;
    offset_ = flavour_.header_bytes();
    write_header(to_, flavour_);
  }

  void add(const image_samples& samples) override {
    const std::size_t n_pages = size_of(samples) / page_samples_;
    for (std::size_t page = 0; page < n_pages; ++page) add_page(samples, page * page_samples_);
  }

 private:
  [[nodiscard]] std::vector<directory_field> fields(std::uint64_t strip_offset) const {
    return fields_of(shape_, flavour_, strip_offset, strip_bytes_);
  }
  [[nodiscard]] std::size_t directory_bytes() const {
    return directory_of(fields(0), flavour_, 0, 0).size();
  }
  [[nodiscard]] std::uint64_t page_bytes() const {
    return directory_bytes() + aligned(strip_bytes_);
  }

  void add_page(const image_samples& samples, std::size_t first) {
    const bool is_last = ++n_written_ == shape_.n_images;
    const std::uint64_t next = offset_ + page_bytes();
    to_.write(
        directory_of(fields(offset_ + directory_bytes()), flavour_, offset_, is_last ? 0 : next));
    write_samples(to_, samples, float_type::float32, first, page_samples_);
    to_.write(std::vector<std::byte>(aligned(strip_bytes_) - strip_bytes_));
    offset_ = next;
  }

  atomic_file& to_;
  image_stack shape_;
  tiff_flavour flavour_ = {.is_big = false};
  std::size_t page_samples_ = 0, n_written_ = 0;
  std::uint64_t strip_bytes_ = 0, offset_ = 0;
};

}  // namespace

bool is_tiff(std::string_view head) {
  using namespace std::string_view_literals;
  const std::string_view magic = head.substr(0, 4);
  return magic == "II*\0"sv || magic == "MM\0*"sv || magic == "II+\0"sv || magic == "MM\0+"sv;
}

std::unique_ptr<image_sink> tiff_sink(atomic_file& file, const image_stack& stack,
                                      std::uint64_t largest_classic_bytes) {
  constexpr std::size_t longest = std::numeric_limits<std::uint32_t>::max();
  if (stack.height > longest || stack.width > longest) {
    throw plan_error(formatted("cannot write {} x {} pixels to {}; TIFF allows {} a side",
                               stack.height, stack.width, file.path().string(), longest));
  }
  return std::make_unique<tiff_pages>(file, shape_of(stack), largest_classic_bytes);
}

}  // namespace wingbeat::formats
