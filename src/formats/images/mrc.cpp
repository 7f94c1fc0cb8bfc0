// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include <algorithm>  // max, min
#include <array>
#include <bit>      // endian
#include <cmath>    // isfinite, sqrt
#include <cstdint>  // int32_t
#include <limits>
#include <optional>
#include <string>
#include <utility>  // move
#include <vector>

#include "formats/files/byte_order.hpp"  // load, store
#include "formats/files/refusal.hpp"     // refuse
#include "formats/images/packed.hpp"     // packed_images
#include "text/reject.hpp"               // reject

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t header_bytes = 1024;
constexpr std::int32_t format_version = 20141;

/// Offsets of the header's fields.
namespace field {
constexpr std::size_t n_columns = 0, n_rows = 4, n_sections = 8, mode = 12;
constexpr std::size_t starts = 16, intervals = 28, cell_lengths = 40, cell_angles = 52,
                      axis_order = 64;
constexpr std::size_t least = 76, largest = 80, mean = 84, space_group = 88, extended_bytes = 92;
constexpr std::size_t version = 108, imod_stamp = 152, imod_flags = 156, origin = 196;
constexpr std::size_t map = 208, stamp = 212, deviation = 216, n_labels = 220;
constexpr std::size_t labels = 224, label_bytes = 80;
}  // namespace field

/// The words of a placement: starts, intervals, the cell's lengths and angles, the order of axes,
/// the space group, IMOD's flags, of which one is the origin's sign, and the origin.
constexpr auto placing = [] {
  std::array<std::size_t, 21> offsets = {};
  for (std::size_t i = 0; i < 15; ++i) offsets[i] = field::starts + 4 * i;
  offsets[15] = field::space_group;
  offsets[16] = field::imod_stamp;
  offsets[17] = field::imod_flags;
  for (std::size_t i = 0; i < 3; ++i) offsets[18 + i] = field::origin + 4 * i;
  return offsets;
}();

/// IMOD marks its flags by a stamp.
constexpr std::uint32_t imod_mark = 1146047817;
enum imod_flag : std::uint32_t {
  bytes_are_signed = 1,
  origin_is_of_mrc = 4,
  has_two_in_a_byte = 16
};

struct mrc_header {
  std::endian order;
  std::int32_t n_columns, n_rows, n_sections, mode, extended_bytes;
};

mrc_header load_header(bytes content, std::endian order) {
  const auto word = [&](std::size_t offset) { return load<std::int32_t>(&content[offset], order); };
  return {order,
          word(field::n_columns),
          word(field::n_rows),
          word(field::n_sections),
          word(field::mode),
          word(field::extended_bytes)};
}

/// Returns IMOD's flags where the header has them.
std::optional<std::uint32_t> imod_flags_of(bytes content, std::endian order) {
  if (load<std::uint32_t>(&content[field::imod_stamp], order) != imod_mark) return std::nullopt;
  return load<std::uint32_t>(&content[field::imod_flags], order);
}

/// Returns whether bytes are unsigned, which MRC2014 does not know: IMOD's flags say so, or else
/// statistics that no signed bytes have.
bool has_unsigned_bytes(bytes content, std::endian order) {
  if (const auto flags = imod_flags_of(content, order)) return (*flags & bytes_are_signed) == 0;
  const auto least = load<float>(&content[field::least], order);
  const auto largest = load<float>(&content[field::largest], order);
  return least >= 0 && largest > 127 && largest <= 255;
}

/// Returns how a mode stores numbers, two of them a sample in the complex modes 3 and 4.
std::optional<packed_numbers> numbers_of(const mrc_header& header) {
  switch (header.mode) {
    case 0: return packed_numbers{number_type::int8, header.order};
    case 1:
    case 3: return packed_numbers{number_type::int16, header.order};
    case 2:
    case 4: return packed_numbers{number_type::float32, header.order};
    case 6: return packed_numbers{number_type::uint16, header.order};
    case 12: return packed_numbers{number_type::float16, header.order};
    case 101: return packed_numbers{number_type::uint8, header.order, /*is_halved=*/true};
    default: return std::nullopt;
  }
}

/// Returns whether the numbers could be a header's. In the other byte order they could not, unless
/// the mode is 0: any other below 256 becomes one of at least 2^24.
bool is_plausible(const mrc_header& header) {
  constexpr std::int32_t largest_mode = 255;
  return header.n_columns > 0 && header.n_rows > 0 && header.n_sections > 0 && header.mode >= 0 &&
         header.mode <= largest_mode && header.extended_bytes >= 0;
}

/// Returns the byte order of the machine stamp: 44 44 or 44 41 little, 11 11 big.
std::optional<std::endian> stamped_order(bytes content) {
  const auto first = std::to_integer<int>(content[field::stamp]);
  const auto second = std::to_integer<int>(content[field::stamp + 1]);
  if (first == 0x44 && (second == 0x44 || second == 0x41)) return std::endian::little;
  if (first == 0x11 && second == 0x11) return std::endian::big;
  return std::nullopt;
}

/// Returns whether the file has as many rows as the header claims, if a sample is one byte.
bool has_rows(const mrc_header& header, std::size_t file_bytes) {
  const std::size_t rest = file_bytes - header_bytes;
  const auto n_columns = static_cast<std::size_t>(header.n_columns);
  return n_columns <= rest && static_cast<std::size_t>(header.n_rows) <= rest / n_columns;
}

/// Returns the byte order in which the header makes sense. Mode 0 does in both: then it is that in
/// which the file has the rows that it claims.
std::optional<std::endian> plausible_order(bytes content, std::size_t file_bytes) {
  std::optional<std::endian> found;
  for (const auto order : {std::endian::little, std::endian::big}) {
    const mrc_header header = load_header(content, order);
    if (!is_plausible(header)) continue;
    if (has_rows(header, file_bytes)) return order;
    if (!found) found = order;
  }
  return found;
}

bool has_map_mark(bytes content) {
  const auto* const text = reinterpret_cast<const char*>(content.data());
  return content.size() >= field::map + 4 && std::string_view(text + field::map, 3) == "MAP";
}

mrc_header parse_header(bytes content, std::size_t file_bytes, std::string_view name) {
  refuse_if(content.size() < header_bytes, name,
            "is truncated: it has {} bytes, fewer than the {} of an MRC header; copy it again",
            content.size(), header_bytes);
  const auto stamped = stamped_order(content);
  const auto order = stamped ? stamped : plausible_order(content, file_bytes);
  refuse_if(!order, name,
            "has an MRC header without a machine stamp that makes sense in neither byte order;"
            " save it again");
  const mrc_header header = load_header(content, *order);
  refuse_if(header.n_columns <= 0 || header.n_rows <= 0 || header.n_sections <= 0, name,
            "claims {} x {} x {} samples in its MRC header; each must be at least 1",
            header.n_sections, header.n_rows, header.n_columns);
  refuse_if(header.extended_bytes < 0, name,
            "claims an extended MRC header of {} bytes; it is damaged, so copy it again",
            header.extended_bytes);
  return header;
}

double positive(float value) {
  return std::isfinite(value) && value > 0 ? static_cast<double>(value) : 0;
}

/// Returns the cell's axes along which columns, rows and sections lie, 0, 1 and 2 where the header
/// has zeros; nothing where it names no three axes.
std::optional<std::array<std::size_t, 3>> axes_of(bytes content, std::endian order) {
  std::array<std::size_t, 3> axes = {0, 1, 2};
  std::array<std::uint32_t, 3> named;
  for (std::size_t i = 0; i < 3; ++i) {
    named[i] = load<std::uint32_t>(&content[field::axis_order + 4 * i], order);
  }
  if (named == std::array<std::uint32_t, 3>{0, 0, 0}) return axes;
  unsigned seen = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (named[i] < 1 || named[i] > 3) return std::nullopt;
    axes[i] = named[i] - 1;
    seen |= 1u << axes[i];
  }
  return seen == 7u ? std::optional{axes} : std::nullopt;
}

/// Returns the distance of neighbours along an axis: the cell's length over its intervals.
double distance_of(bytes content, std::endian order, std::size_t axis) {
  const auto n_intervals = load<std::int32_t>(&content[field::intervals + 4 * axis], order);
  const double length = positive(load<float>(&content[field::cell_lengths + 4 * axis], order));
  return n_intervals > 0 ? length / n_intervals : 0;
}

/// Fills what the header says of distances and places; nothing without three axes.
void read_placement(bytes content, std::endian order, image_stack& shape) {
  const auto axes = axes_of(content, order);
  if (!axes) return;
  const auto distance = [&](std::size_t i) { return distance_of(content, order, (*axes)[i]); };
  shape.pixel_angstrom = {.z = distance(2), .y = distance(1), .x = distance(0)};
  file_placement placement{.lengths = {shape.width, shape.height, shape.n_images}};
  for (std::size_t i = 0; i < placing.size(); ++i) {
    const bool is_old = placing[i] >= field::origin && !has_map_mark(content);  // no origin there
    placement.words[i] = is_old ? 0 : load<std::uint32_t>(&content[placing[i]], order);
  }
  shape.placement = placement;
}

std::vector<std::byte> head_of(const byte_source& source) {
  std::vector<std::byte> head(std::min(source.size(), header_bytes));
  source.read(0, head);
  return head;
}

/// Statistics of samples as they are stored. Where they do not exist, the header has the numbers of
/// MRC2014 for "not determined": largest < least, mean < both, deviation < 0.
class statistics {
 public:
  void add(const image_samples& samples, number_type type) {
    const auto n_added = static_cast<double>(size_of(samples));
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < size_of(samples); ++i) {
      const double value = rounded_to(type, sample_at(samples, i));
      is_finite_ = is_finite_ && std::isfinite(value);
      least_ = std::min(least_, value);
      largest_ = std::max(largest_, value);
      mean += value / n_added;
    }
    for (std::size_t i = 0; i < size_of(samples); ++i) {
      const double distance = rounded_to(type, sample_at(samples, i)) - mean;
      squares += distance * distance;
    }
    const double apart = mean - mean_, n_all = n_samples_ + n_added;
    squares_ += squares + apart * apart * n_samples_ * n_added / n_all;
    mean_ += apart * n_added / n_all;
    n_samples_ = n_all;
  }

  /// Returns least, largest, mean and deviation.
  [[nodiscard]] std::array<double, 4> numbers() const {
    if (!is_finite_ || n_samples_ == 0) return {0, -1, -2, -1};
    return {least_, largest_, mean_, std::sqrt(squares_ / n_samples_)};
  }

 private:
  bool is_finite_ = true;
  double n_samples_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
  double mean_ = 0, squares_ = 0;  ///< The latter of distances from the mean.
};

std::int32_t checked_length(std::size_t length, const std::string& name) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  reject_if(length > most, "{} cannot hold a length of {}; MRC allows up to {}, so split it", name,
            length, most);
  return static_cast<std::int32_t>(length);
}

using header_content = std::array<std::byte, header_bytes>;

template <class Number>
void increase(header_content& header, std::size_t offset, Number step) {
  store(&header[offset], static_cast<Number>(load<Number>(&header[offset]) + step));
}

/// Moves the starts, and the origin unless only starts say where the file is, to the first sample
/// of an axis of the file, which lies along `axis` of the cell.
void move_first(header_content& header, std::size_t i, std::size_t axis, std::ptrdiff_t first) {
  const auto starts_at = [&](std::size_t at) { return load<std::int32_t>(&header[at]) != 0; };
  bool has_starts = false, has_origin = false;
  for (std::size_t a = 0; a < 3; ++a) {
    has_starts = has_starts || starts_at(field::starts + 4 * a);
    has_origin = has_origin || load<float>(&header[field::origin + 4 * a]) != 0;
  }
  const auto imod = imod_flags_of(header, std::endian::little);
  const double sign = imod && (*imod & origin_is_of_mrc) == 0 ? -1 : 1;
  const double distance = distance_of(header, std::endian::little, axis);
  increase(header, field::starts + 4 * i, static_cast<std::int32_t>(first));
  if (has_origin || !has_starts) {
    increase(header, field::origin + 4 * axis,
             static_cast<float>(sign * distance * static_cast<double>(first)));
  }
}

/// Puts the words of a file whose images the stack was made of. Intervals that were the samples of
/// an axis become those of the stack, at the same distance.
void put_placement(header_content& header, const file_placement& source, const image_stack& stack) {
  for (std::size_t i = 0; i < placing.size(); ++i) store(&header[placing[i]], source.words[i]);
  const auto axes = axes_of(header, std::endian::little).value();
  const std::size_t lengths[3] = {stack.width, stack.height, stack.n_images};
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_placed = i < 2 || load<std::uint32_t>(&header[field::space_group]) != 0;
    if (is_placed && source.first[i] != 0) move_first(header, i, axes[i], source.first[i]);
    const auto length = static_cast<std::int32_t>(lengths[i]);
    const std::size_t offset = field::intervals + 4 * axes[i];
    if (load<std::uint32_t>(&header[offset]) != source.lengths[i] ||
        lengths[i] == source.lengths[i])
      continue;
    const double distance = distance_of(header, std::endian::little, axes[i]);
    store(&header[offset], length);
    store(&header[field::cell_lengths + 4 * axes[i]], static_cast<float>(distance * length));
  }
  // Other sections than the file's are no volume. Bytes are not what is written.
  if (stack.n_images != source.lengths[2]) store(&header[field::space_group], std::int32_t{0});
  const std::uint32_t flags = load<std::uint32_t>(&header[field::imod_flags]) & origin_is_of_mrc;
  const bool is_imod = imod_flags_of(header, std::endian::little).has_value();
  store(&header[field::imod_stamp], is_imod ? imod_mark : 0u);
  store(&header[field::imod_flags], is_imod ? flags : 0u);
}

void put_text(header_content& header, std::size_t offset, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    header[offset + i] = static_cast<std::byte>(text[i]);
  }
}

void put_statistics(header_content& header, const statistics& found) {
  const auto [least, largest, mean, deviation] = found.numbers();
  store(&header[field::least], static_cast<float>(least));
  store(&header[field::largest], static_cast<float>(largest));
  store(&header[field::mean], static_cast<float>(mean));
  store(&header[field::deviation], static_cast<float>(deviation));
}

/// Returns the header of a stack without its statistics.
header_content header_of(const image_stack& stack, number_type type, const std::string& name) {
  header_content header = {};
  const auto put = [&](std::size_t offset, auto value) { store(&header[offset], value); };
  const std::int32_t shape[3] = {checked_length(stack.width, name),
                                 checked_length(stack.height, name),
                                 checked_length(stack.n_images, name)};
  const std::int32_t intervals[3] = {shape[0], shape[1], 1};  // of a stack, one along z
  const double pixel[3] = {stack.pixel_angstrom.x, stack.pixel_angstrom.y, stack.pixel_angstrom.z};
  for (std::size_t i = 0; i < 3; ++i) {
    put(field::n_columns + 4 * i, shape[i]);
    put(field::intervals + 4 * i, intervals[i]);
    put(field::cell_lengths + 4 * i, static_cast<float>(pixel[i] * intervals[i]));
    put(field::cell_angles + 4 * i, 90.0f);
    put(field::axis_order + 4 * i, static_cast<std::int32_t>(i + 1));
  }
  if (stack.placement && stack.placement->lengths[0] != 0) {
    put_placement(header, *stack.placement, stack);
  }
  put(field::mode, std::int32_t{type == number_type::float32 ? 2 : 12});
  put(field::version, format_version);
  put_text(header, field::map, "MAP DD");  // the stamp of a little-endian machine: 44 44 00 00
  put(field::n_labels, std::int32_t{1});
  put_text(header, field::labels, std::string(field::label_bytes, ' '));
  put_text(header, field::labels, "wingbeat");
  return header;
}

/// The sections of a file. Its header comes first, with the statistics of the first images, which
/// are complete if those are all; else they are written over at the end.
class mrc_sections final : public image_sink {
 public:
  mrc_sections(atomic_file& file, const header_content& header, std::size_t n_samples,
               number_type type)
      : to_(file), header_(header), n_left_(n_samples), type_(type) {}

  void add(const image_samples& samples) override {
    const bool is_first = !has_header_, is_last = size_of(samples) == n_left_;
    n_left_ -= size_of(samples);
    if (to_.can_rewrite() || (is_first && is_last)) found_.add(samples, type_);
    if (is_first) {
      put_statistics(header_, is_last ? found_ : statistics{});
      to_.write(std::span<const std::byte>{header_});
      has_header_ = true;
    }
    write_samples(to_, samples, type_);
    is_complete_ = is_first && is_last;
  }

  std::optional<value_range> finish() override {
    if (!is_complete_ && to_.can_rewrite()) {
      put_statistics(header_, found_);
      to_.rewrite(0, header_);
    }
    return {};
  }

 private:
  atomic_file& to_;
  header_content header_;
  std::size_t n_left_;
  number_type type_;
  statistics found_;
  bool has_header_ = false, is_complete_ = false;
};

}  // namespace

bool is_mrc(const byte_source& source) {
  const std::vector<std::byte> head = head_of(source);
  if (has_map_mark(head)) return true;
  if (head.size() < header_bytes) return false;
  const auto order = plausible_order(head, source.size());
  if (!order) return false;
  const mrc_header header = load_header(head, *order);
  return numbers_of(header) && has_rows(header, source.size());
}

std::unique_ptr<image_source> open_mrc(const byte_source& source, std::size_t limit_bytes) {
  const std::string& name = source.name();
  const std::vector<std::byte> head = head_of(source);
  const mrc_header header = parse_header(head, source.size(), name);
  auto numbers = numbers_of(header);
  refuse_if(
      !numbers, name,
      "has samples of MRC mode {}; modes 0 (bytes), 1 (int16), 2 (fp32), 3 and 4 (complex), 6 "
      "(uint16), 12 (fp16) and 101 (4 bits) are read, so convert it, as IMOD does: newstack "
      "-mode 2 IN OUT",
      header.mode);
  image_stack shape;
  if (header.mode == 0) {
    refuse_if((imod_flags_of(head, header.order).value_or(0) & has_two_in_a_byte) != 0, name,
              "has two numbers of 4 bits in each byte of mode 0; save it as bytes, as IMOD does: "
              "newstack -mode 0 IN OUT");
    if (has_unsigned_bytes(head, header.order)) numbers->type = number_type::uint8;
  }
  if (numbers->type == number_type::uint8) shape.full_scale = numbers->is_halved ? 15 : 255;
  shape.is_complex = header.mode == 3 || header.mode == 4;
  if (shape.is_complex) shape.n_channels = 2;
  shape.n_images = static_cast<std::size_t>(header.n_sections);
  shape.height = static_cast<std::size_t>(header.n_rows);
  shape.width = static_cast<std::size_t>(header.n_columns);
  read_placement(head, header.order, shape);
  static_cast<void>(checked_n_samples({1, shape.height, shape.width, shape.n_channels},
                                      numbers->type, limit_bytes, name));
  const std::size_t image_bytes = shape.height * numbers->row_bytes(shape.width * shape.n_channels);
  const std::size_t start = header_bytes + static_cast<std::size_t>(header.extended_bytes);
  const std::size_t actual = source.size() - std::min(start, source.size());
  refuse_if(actual / image_bytes < shape.n_images, name,
            "is truncated: its MRC header claims {} x {} x {} samples in images of {} bytes but {} "
            "bytes follow; copy it again",
            shape.n_images, shape.height, shape.width, image_bytes, actual);
  return std::make_unique<packed_images>(source, start, *numbers, std::move(shape));
}

std::unique_ptr<image_sink> mrc_sink(atomic_file& file, const image_stack& stack,
                                     const image_write_options& options) {
  const number_type type = options.type.value_or(number_type::float32);
  return std::make_unique<mrc_sections>(file, header_of(stack, type, file.path().string()),
                                        stack.n_images * stack.height * stack.width, type);
}

}  // namespace wingbeat::formats
