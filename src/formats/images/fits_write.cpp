// SPDX-License-Identifier: Apache-2.0
// FITS 4.0:  cards of 80 characters . blanks . samples, big-endian . zeros; blocks of 2,880 bytes.
#include <algorithm>  // min
#include <string>
#include <string_view>

#include "formats/images/format.hpp"
#include "formats/images/packed.hpp"  // packed_sink
#include "text/formatted.hpp"         // formatted
#include "text/number.hpp"            // number_from

namespace wingbeat::formats {
namespace {

constexpr std::size_t block_bytes = 2880, card_bytes = 80, keyword_bytes = 10;

/// Appends a card; of numbers they end at column 30, as the fixed format has them.
void put(std::string& header, std::string_view keyword, std::string_view value) {
  std::string card = formatted("{:<8}= {:>20}", keyword, value);
  card.resize(card_bytes, ' ');
  header += card;
}

/// Appends a card of the file that the images are from. The pixel of reference moves with the first
/// sample.
void put_kept(std::string& header, const file_placement& placement, std::string card) {
  const std::string_view keyword = std::string_view{card}.substr(0, card.find_first_of(" ="));
  for (std::size_t i = 0; i < placement.first.size(); ++i) {
    if (placement.first[i] == 0 || keyword != formatted("CRPIX{}", i + 1)) continue;
    std::string_view value = std::string_view{card}.substr(keyword_bytes);
    value.remove_prefix(std::min(value.find_first_not_of(" +"), value.size()));
    const auto reference = number_from<double>(value.substr(0, value.find_first_of(" /")));
    if (!reference) continue;
    return put(header, keyword,
               formatted("{:.17G}", *reference - static_cast<double>(placement.first[i])));
  }
  card.resize(card_bytes, ' ');
  header += card;
}

std::string header_of(const image_stack& stack, number_type type) {
  const bool is_cube = stack.n_images > 1 || stack.is_stack;
  const auto bits = static_cast<int>(8 * bytes_of(type));
  std::string header;
  put(header, "SIMPLE", "T");
  put(header, "BITPIX", formatted("{}", type == number_type::int32 ? bits : -bits));
  put(header, "NAXIS", is_cube ? "3" : "2");
  put(header, "NAXIS1", formatted("{}", stack.width));
  put(header, "NAXIS2", formatted("{}", stack.height));
  if (is_cube) put(header, "NAXIS3", formatted("{}", stack.n_images));
  const bool is_kept = stack.placement && !stack.placement->fits_cards.empty();
  if (is_kept) {
    for (const std::string& card : stack.placement->fits_cards) {
      put_kept(header, *stack.placement, card);
    }
  }
  const double pixel[3] = {stack.pixel_angstrom.x, stack.pixel_angstrom.y, stack.pixel_angstrom.z};
  for (int i = 0; i < (is_cube ? 3 : 2); ++i) {
    if (is_kept || !(pixel[i] > 0)) continue;
    put(header, formatted("CDELT{}", i + 1), formatted("{:.10G}", pixel[i]));
    put(header, formatted("CUNIT{}", i + 1), formatted("{:<20}", "'Angstrom'"));
  }
  header += "END";
  header.resize((header.size() + block_bytes - 1) / block_bytes * block_bytes, ' ');
  return header;
}

class fits_images final : public packed_sink {
 public:
  fits_images(atomic_file& file, packed_numbers stored, std::size_t n_bytes)
      : packed_sink(file, stored), to_(file), n_bytes_(n_bytes) {}

  std::optional<value_range> finish() override {
    to_.write(std::string((block_bytes - n_bytes_ % block_bytes) % block_bytes, '\0'));
    return {};
  }

 private:
  atomic_file& to_;
  std::size_t n_bytes_;
};

}  // namespace

std::unique_ptr<image_sink> fits_sink(atomic_file& file, const image_stack& stack,
                                      const image_write_options& options) {
  const number_type type = options.type.value_or(number_type::float32);
  file.write(header_of(stack, type));
  return std::make_unique<fits_images>(
      file, packed_numbers{type, std::endian::big},
      stack.n_images * stack.height * stack.width * bytes_of(type));
}

}  // namespace wingbeat::formats
