// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <optional>
#include <string>

#include "cli/choose.hpp"             // choose_device, add_mode, add_precision
#include "cli/image_files.hpp"        // read_finite, without_alpha, float_type_of
#include "cli/image_filter.hpp"       // image_filter
#include "cli/memory_limit.hpp"       // require_memory
#include "cli/messages.hpp"           // print_message, counted
#include "cli/option.hpp"             // add_choice, add_command, add_file
#include "cli/progress.hpp"           // rate_bar
#include "formats/images/reader.hpp"  // image_reader
#include "formats/images/writer.hpp"  // image_writer
#include "text/reject.hpp"            // reject

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat convolve photo.png blur.npy --mode same --border mirror --normalise sum -o soft.png
      a blur that keeps brightness, up to the edges
  wingbeat convolve IMAGE.npy KERNEL.npy --mode valid --output OUT.npy
      as scipy.signal.convolve(IMAGE, KERNEL, 'valid')
  wingbeat convolve stack.mrc kernel.tif --mode same -o filtered.mrc --precision fp64
      every image of the stack

Result: out[y, x] = sum over j, i of kernel[j, i] image[y - j, x - i], in the modes of
scipy.signal; --correlate takes image[y + j, x + i] instead. In mode same the kernel's centre is its
pixel ((h - 1) / 2, (w - 1) / 2), with --correlate (h / 2, w / 2), both rounded down. Colours are
convolved each by itself, with a grey kernel or each with its own colour of the kernel; alpha is not
convolved.
Borders of a row a b c d: zero (0 0 | a b c d | 0 0), mirror (b a | a b c d | d c),
reflect (c b | a b c d | c b), repeat (c d | a b c d | a b) or clamp (a a | a b c d | d d). In mode
valid there is none.
Files: PNG, JPEG, TIFF, FITS, MRC, .npy; numbers are those in the file, 0 to 255 of 8 bits. A PNG,
a JPEG and a TIFF of --bits are written from --black to --white: else from 0 to 255 or 65535 as the
image of 8 or 16 bits is, and of other images from the least to the largest value of the result.
Alpha keeps its own scale.)";

constexpr double max_value = 1e15;

struct options {
  std::string image_file, kernel_file, output, device;
  memory_limit max_memory;
  extent mode = extent::full;
  border outside = border::zero;
  precision real = precision::fp32, between = precision::fp32;
  normalisation divisor = normalisation::none;
  std::optional<double> black, white;
  std::optional<int> bits;
  bool correlates = false;
};

/// Returns what is black and white in numbers of 8 or 16 bits: what was asked for; else as in the
/// image, where it has unsigned samples.
std::optional<formats::value_range> range_of(const options& o, double full_scale, int bits) {
  if (!o.black && !o.white && full_scale == 0) return std::nullopt;
  const double white = full_scale != 0 ? full_scale : bits == 8 ? 255 : 65535;
  const formats::value_range range{o.black.value_or(0), o.white.value_or(white)};
  if (range.black < range.white) return range;
  reject("--black {:g} is not below --white {:g}; give a range", range.black, range.white);
}

/// Returns how numbers are stored: as the format has them; of 8 or 16 bits where that is asked for,
/// or the format has no others.
formats::image_write_options write_options_of(const options& o, double full_scale) {
  using enum formats::number_type;
  formats::image_write_options write{.type = float_type_of(o.output, o.real)};
  if (o.bits && o.bits != 8 && o.bits != 16) {
    reject("no image has {} bits here; choose 8 or 16", *o.bits);
  }
  const bool has_bits = formats::is_stored_as(o.output, uint8);
  reject_if(
      (!has_bits && o.bits) ||
          (formats::is_stored_as(o.output, float32) && !o.bits && (o.black || o.white)),
      "--black, --white and --bits are of a PNG or JPEG, or of a TIFF with --bits, and {} holds "
      "values as they are; drop them",
      o.output);
  if (formats::is_stored_as(o.output, float32) && !o.bits) return write;
  const bool is_wide = full_scale > 255 && formats::is_stored_as(o.output, uint16);
  const int bits = o.bits.value_or(is_wide ? 16 : 8);
  write.type = bits == 16 ? uint16 : uint8;
  write.range = range_of(o, full_scale, bits);
  return write;
}

/// Refuses a kernel of several images, or of colours that the images do not have.
void require_kernel(const options& o, const formats::image_stack& kernel,
                    std::size_t image_channels) {
  reject_if(kernel.n_images > 1,
            "{} holds {} images, and a kernel is one; write it to its own file", o.kernel_file,
            kernel.n_images);
  reject_if(kernel.n_channels > 2 && image_channels < 3,
            "{} has colours and {} has none; give a grey kernel", o.kernel_file, o.image_file);
}

/// Returns the kernel without alpha, divided and reversed as the options say.
formats::image_stack read_kernel(const options& o, formats::image_reader& file) {
  formats::image_stack kernel = without_alpha(read_finite(file, o.kernel_file, 0, 1, o.real));
  kernel = normalised(kernel, o.divisor, o.kernel_file);
  return o.correlates ? reversed(kernel) : kernel;
}

/// Refuses a border that no pixel of the result reaches.
void require_border_in_use(const options& o) {
  if (o.mode != extent::valid || o.outside == border::zero) return;
  reject(
      "--border {} is of no use with --mode valid, whose results lie within the image; leave it "
      "out, or choose --mode full or same",
      name_of(o.outside));
}

void require_storage(const options& o) {
  if (o.real == precision::fp32 || o.between == precision::fp32) return;
  reject(
      "--storage {} does not go with --precision fp64, which is stored as fp64; leave "
      "out one of the two",
      name_of(o.between));
}

void require_within(const options& o, const formats::image_stack& images,
                    const formats::image_stack& kernel) {
  if (o.mode != extent::valid) return;
  if (kernel.height <= images.height && kernel.width <= images.width) return;
  reject(
      "the kernel of {} does not lie within the {} of {}; use --mode full "
      "or same",
      size_text(kernel.height, kernel.width), size_text(images.height, images.width), o.image_file);
}

/// Returns the bytes of the arrays for one image: as read, padded with its spectra, and as written.
double needed_bytes(const image_filter_spec& spec, const formats::image_stack& kernel,
                    const formats::image_stack& result) {
  const auto height = static_cast<double>(spec.height), width = static_cast<double>(spec.width);
  const auto kernel_height = static_cast<double>(kernel.height);
  const auto kernel_width = static_cast<double>(kernel.width);
  const double image = height * width;
  const double padded = (height + kernel_height) * (width + kernel_width);
  const auto written = static_cast<double>(result.height * result.width);
  const double arrays = 3 * image + 3.5 * padded + 3 * written;
  const double kernel_numbers =
      4 * kernel_height * kernel_width * static_cast<double>(kernel.n_channels);
  return (spec.real == precision::fp64 ? sizeof(double) : sizeof(float)) *
             static_cast<double>(spec.channels) * arrays +
         sizeof(double) * kernel_numbers;
}

/// Convolves the images one by one and writes them to the file.
void convolve_images(const options& o, formats::image_reader& images, const image_filter& filter,
                     formats::image_writer& target) {
  const std::size_t n_images = images.shape().n_images;
  rate_bar bar{"convolve", "image"};
  for (std::size_t n = 0; n < n_images; ++n) {
    bar.show(n, static_cast<double>(n) / static_cast<double>(n_images));
    target.add(filter(read_finite(images, o.image_file, n, 1, o.real).samples));
  }
}

int run(const options& o) {
  require_border_in_use(o);
  require_storage(o);
  const device_info device = choose_device(o.device, o.real);
  formats::image_reader images{o.image_file};
  const formats::image_stack& shape = images.shape();
  formats::require_holds(o.output, shape.n_images, shape.n_channels);
  const formats::image_write_options write = write_options_of(o, shape.full_scale);
  formats::image_reader kernel_file{o.kernel_file};
  require_kernel(o, kernel_file.shape(), shape.n_channels);
  require_within(o, shape, kernel_file.shape());
  const image_filter_spec spec{.height = shape.height,
                               .width = shape.width,
                               .channels = shape.n_channels,
                               .mode = o.mode,
                               .outside = o.outside,
                               .real = o.real,
                               .between = o.between};
  const formats::image_stack result = result_shape(spec, kernel_file.shape(), shape);
  const double image_bytes = needed_bytes(spec, kernel_file.shape(), result);
  const std::string memory =
      require_memory("convolving " + size_text(shape.height, shape.width),
                     image_bytes + static_cast<double>(images.kept_bytes()), o.max_memory);
  const image_filter filter = filter_of(queue{device}, spec, read_kernel(o, kernel_file));
  formats::image_writer target{o.output, result, write};
  convolve_images(o, images, filter, target);
  static_cast<void>(target.commit());
  print_message("wrote {}: {} of {} by {}, within {}", o.output, counted(result.n_images, "image"),
                size_text(result.height, result.width), short_name(device), memory);
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_file(command, file_use::input, "IMAGE", o.image_file,
           "PNG, JPEG, TIFF, FITS, MRC or .npy, one image or a stack; '-' is stdin")
      ->required();
  add_file(command, file_use::input, "KERNEL", o.kernel_file,
           "PNG, JPEG, TIFF, FITS, MRC or .npy, one image")
      ->required();
  add_file_or_stdout(command, "-o,--output", o.output,
                     "FILE.npy, .mrc, .tif, .fits, .png or .jpg; - prints .npy")
      ->required();
  add_mode(command, o.mode);
  add_choice(command, "--border", o.outside,
             named_choices(
                 {border::zero, border::mirror, border::reflect, border::repeat, border::clamp}));
  add_switch(command, "--correlate", o.correlates, "Correlate instead: the kernel reversed");
  add_choice(
      command, "--normalise,--normalize", o.divisor,
      named_choices({normalisation::none, normalisation::by_sum, normalisation::by_luminance}),
      "Divide the kernel by (sum: each colour its own): ");
  add_precision(command, o.real);
  add_choice(command, "--storage", o.between,
             named_choices({precision::fp32, precision::fp16, precision::bf16}),
             "What is stored between launches, of --precision fp32: ");
  add_real(command, "--black", o.black, {-max_value, max_value},
           "Value that is black in 8 or 16 bits; see below");
  add_real(command, "--white", o.white, {-max_value, max_value},
           "Value that is white in 8 or 16 bits; see below");
  add_count(command, "--bits", o.bits, {8, 16},
            "Bits a sample of a PNG or TIFF, 8 or 16; when not given, those of the image, or 8; "
            "of a TIFF fp32");
  add_memory_limit(command, o.max_memory);
  add_device(command, o.device);
}

}  // namespace

void add_convolve(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code,
                       {"convolve", "Convolves images with a kernel image", examples}, run,
                       add_options);
}

}  // namespace wingbeat::cli
