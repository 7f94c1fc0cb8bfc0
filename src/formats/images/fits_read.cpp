// SPDX-License-Identifier: Apache-2.0
#include <fitsio.h>

#include <cmath>   // abs, isfinite, NAN
#include <memory>  // unique_ptr
#include <string>
#include <string_view>
#include <utility>  // exchange, move
#include <vector>

#include "formats/files/refusal.hpp"       // refuse
#include "formats/files/unnamed_file.hpp"  // source_path
#include "formats/images/format.hpp"

namespace wingbeat::formats {
namespace {

/// cfitsio on the bytes of a file, at the header and data of an image.
class fits_images final : public image_source {
 public:
  /// cfitsio reads beyond content in memory where it is damaged, so that such content, as of a
  /// pipe, becomes a file.
  fits_images(const byte_source& source, std::size_t limit_bytes) : from_(source), named_(source) {
    fitsfile* opened = nullptr;
    fits_open_diskfile(&opened, named_.path().c_str(), READONLY, &status_);
    file_.reset(opened);
    require_success();
    read_header(limit_bytes);
  }

  [[nodiscard]] image_samples read(std::size_t first, std::size_t count) override {
    const std::size_t points = shape().height * shape().width;
    image_samples samples = zeros(type_, count * points);
    std::visit(
        [&](auto& values) {
          using sample = typename std::remove_reference_t<decltype(values)>::value_type;
          // With a number for those that are not there, cfitsio takes infinities for such.
          sample absent = NAN;
          int has_found_absent = 0;  // cfitsio writes it whether it is asked for or not
          fits_read_img(file_.get(), std::is_same_v<sample, float> ? TFLOAT : TDOUBLE,
                        static_cast<LONGLONG>(first * points + 1),
                        static_cast<LONGLONG>(count * points), has_absent_ ? &absent : nullptr,
                        values.data(), &has_found_absent, &status_);
        },
        samples);
    require_success();
    return samples;
  }

 private:
  struct closer {
    void operator()(fitsfile* file) const noexcept {
      int ignored = 0;
      fits_close_file(file, &ignored);
      fits_clear_errmsg();
    }
  };

  void require_success() {
    if (status_ == 0) return;
    char text[FLEN_STATUS] = "";
    fits_get_errstatus(std::exchange(status_, 0), text);
    fits_clear_errmsg();
    refuse(from_.name(), "is truncated or damaged as a FITS file ({}); copy or save it again",
           text);
  }

  /// Goes to the first image; returns its lengths, the fastest first.
  std::vector<LONGLONG> find_image() {
    int n_parts = 0;
    fits_get_num_hdus(file_.get(), &n_parts, &status_);
    for (int part = 1; part <= n_parts; ++part) {
      int kind = 0, n_axes = 0;
      fits_movabs_hdu(file_.get(), part, &kind, &status_);
      require_success();
      if (kind != IMAGE_HDU && fits_is_compressed_image(file_.get(), &status_) == 0) continue;
      fits_get_img_dim(file_.get(), &n_axes, &status_);
      require_success();
      if (n_axes < 2) continue;
      std::vector<LONGLONG> lengths(static_cast<std::size_t>(n_axes));
      fits_get_img_sizell(file_.get(), n_axes, lengths.data(), &status_);
      require_success();
      return lengths;
    }
    refuse(from_.name(),
           "is a FITS file without an image of two axes or more; astropy.io.fits reads its tables "
           "and rows, and numpy.save writes them as .npy");
  }

  void read_header(std::size_t limit_bytes) {
    const std::vector<LONGLONG> lengths = find_image();
    image_stack shape;
    shape.width = static_cast<std::size_t>(lengths[0]);
    shape.height = static_cast<std::size_t>(lengths[1]);
    for (std::size_t i = 2; i < lengths.size(); ++i) {
      const auto length = static_cast<std::size_t>(lengths[i]);
      if (length != 0 && shape.n_images > SIZE_MAX / length) shape.n_images = 0;
      shape.n_images *= length;
    }
    int stored_bits = 0, bits = 0;
    fits_get_img_type(file_.get(), &stored_bits, &status_);
    fits_get_img_equivtype(file_.get(), &bits, &status_);
    LONGLONG header = 0, data = 0, end = 0;
    fits_get_hduaddrll(file_.get(), &header, &data, &end, &status_);
    require_success();
    const bool is_packed = fits_is_compressed_image(file_.get(), &status_) != 0;
    has_absent_ = stored_bits > 0 || is_packed;
    type_ = std::abs(bits) <= 20 || bits == FLOAT_IMG ? number_type::float32 : number_type::float64;
    static_cast<void>(
        checked_n_samples({std::min<std::size_t>(shape.n_images, 1), shape.height, shape.width},
                          type_, limit_bytes, from_.name()));
    constexpr LONGLONG block_bytes = 2880;
    refuse_if(end - block_bytes >= static_cast<LONGLONG>(from_.size()), from_.name(),
              "is truncated: its FITS header claims {} x {} x {} samples up to byte {} of {}; copy "
              "it again",
              shape.n_images, shape.height, shape.width, end, from_.size());
    if (is_packed) require_tiles(lengths.size(), limit_bytes);
    shape.pixel_angstrom = {.y = pixel_angstrom(2), .x = pixel_angstrom(1)};
    shape.placement = file_placement{.fits_cards = kept_cards()};
    require_success();
    set_shape(std::move(shape));
  }

  /// Refuses tiles whose samples exceed the limit.
  void require_tiles(std::size_t n_axes, std::size_t limit_bytes) {
    double n_samples = 1;
    for (std::size_t i = 1; i <= n_axes; ++i) {
      n_samples *= number_of("ZTILE" + std::to_string(i), 1);
    }
    if (n_samples * sizeof(double) <= static_cast<double>(limit_bytes)) return;
    refuse(from_.name(), "has tiles of {:g} samples; at most {} bytes are allowed", n_samples,
           limit_bytes);
  }

  double number_of(const std::string& keyword, double otherwise) {
    double value = otherwise;
    int status = 0;
    fits_read_key(file_.get(), TDOUBLE, keyword.c_str(), &value, nullptr, &status);
    if (status != 0) fits_clear_errmsg();
    return status == 0 ? value : otherwise;
  }

  double pixel_angstrom(int axis) {
    struct length_unit {
      std::string_view name;
      double angstrom;
    };
    constexpr length_unit units[] = {
        {"Angstrom", 1}, {"nm", 10}, {"um", 1e4}, {"mm", 1e7}, {"m", 1e10}};
    char text[FLEN_VALUE] = "";
    int status = 0;
    fits_read_key(file_.get(), TSTRING, ("CUNIT" + std::to_string(axis)).c_str(), text, nullptr,
                  &status);
    if (status != 0) fits_clear_errmsg();
    for (const auto& [name, angstrom] : units) {
      if (name != text) continue;
      const double size = std::abs(number_of("CDELT" + std::to_string(axis), 0)) * angstrom;
      return std::isfinite(size) ? size : 0;
    }
    return 0;
  }

  /// Returns the cards of units, coordinates and observations.
  std::vector<std::string> kept_cards() {
    std::vector<std::string> cards;
    int n_cards = 0, n_free = 0;
    fits_get_hdrspace(file_.get(), &n_cards, &n_free, &status_);
    for (int i = 1; i <= n_cards && status_ == 0; ++i) {
      char card[FLEN_CARD] = "";
      fits_read_record(file_.get(), i, card, &status_);
      const int kind = fits_get_keyclass(card);
      if (kind == TYP_UNIT_KEY || kind == TYP_WCS_KEY || kind == TYP_REFSYS_KEY ||
          kind == TYP_USER_KEY) {
        cards.emplace_back(card);
      }
    }
    return cards;
  }

  const byte_source& from_;
  source_path named_;
  std::unique_ptr<fitsfile, closer> file_;
  int status_ = 0;
  number_type type_ = number_type::float64;
  bool has_absent_ = false;  ///< Numbers may stand for samples that are not there.
};

}  // namespace

bool has_cfitsio() noexcept {
  return true;
}

std::unique_ptr<image_source> open_fits(const byte_source& source, std::size_t limit_bytes) {
  return std::make_unique<fits_images>(source, limit_bytes);
}

}  // namespace wingbeat::formats
