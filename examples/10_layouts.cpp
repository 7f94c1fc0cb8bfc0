// SPDX-License-Identifier: Apache-2.0
// Says where data lies, in nine ways: each request gives what a packed request gives of data
// that was copied together first, and spares the copy.
//
//     example_10_layouts [engine]      reference, host, opencl or cuda; otherwise the best
#include <algorithm>  // max
#include <cmath>      // abs
#include <complex>
#include <cstdint>  // uint16_t
#include <cstdio>   // printf
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using value = std::complex<float>;
using values = std::vector<value>;

constexpr std::size_t n_images = 2, n_channels = 3, rows = 8, columns = 16;

/// Returns any numbers, none of them twice in a row.
values samples(std::size_t count) {
  values x(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = {static_cast<float>(i * i % 97) / 97, static_cast<float>(i * 7 % 89) / 89};
  }
  return x;
}

/// Runs a plan of `spec` on `x`, from element `first` on, and returns the output; 0 where nothing
/// is written.
template <class In, class Out = In>
std::vector<Out> run(queue& on, const plan_spec& spec, const std::vector<In>& x,
                     std::size_t first = 0) {
  const plan prepared{on, spec};
  buffer in{on, x.size() * sizeof(In)}, out{on, output_bytes(spec)};
  std::vector<Out> y(out.size_bytes() / sizeof(Out));
  in.write(x.data(), in.size_bytes());
  out.write(y.data(), out.size_bytes());
  buffer_view input = in.view();
  input.offset_bytes += first * sizeof(In);
  input.size_bytes -= first * sizeof(In);
  prepared.enqueue(on, input, out.view());
  out.read(y.data(), out.size_bytes());
  return y;
}

bool agree(const char* name, const values& got, const values& expected) {
  float most = got.size() == expected.size() ? 0.0F : 1e9F;
  for (std::size_t i = 0; i < got.size() && i < expected.size(); ++i) {
    most = std::max(most, std::abs(got[i] - expected[i]));
  }
  std::printf("%-30s largest difference %.1e\n", name, static_cast<double>(most));
  return most < 1e-3F;
}

plan_spec packed_images() {
  return {.lengths = {rows, columns}, .batch = {n_images, n_channels}};
}

/// Pixels of three channels each, as files of images have them, give packed spectra.
bool interleaved_channels(queue& on) {
  plan_spec spec = packed_images();
  spec.in = {.strides = {columns * n_channels, n_channels},
             .distances = {rows * columns * n_channels, 1}};

  const values x =
      samples(n_images * rows * columns * n_channels);  // [image][row][column][channel]
  values apart;                                         // [image][channel][row][column]
  for (std::size_t image = 0; image < n_images; ++image) {
    for (std::size_t channel = 0; channel < n_channels; ++channel) {
      for (std::size_t pixel = 0; pixel < rows * columns; ++pixel) {
        apart.push_back(x[(image * rows * columns + pixel) * n_channels + channel]);
      }
    }
  }
  return agree("interleaved channels", run(on, spec, x), run(on, packed_images(), apart));
}

/// A window of a larger image: a pitch, and a buffer_view that starts at the window's corner.
bool embedded_window(queue& on) {
  constexpr std::size_t pitch = 40, top = 3, left = 5;
  const plan_spec spec{.lengths = {rows, columns}, .in = {.strides = {pitch, 1}}};

  const values image = samples(30 * pitch);  // [row][column]
  values window;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    window.push_back(image[(top + i / columns) * pitch + left + i % columns]);
  }
  return agree("embedded window", run(on, spec, image, top * pitch + left),
               run(on, {.lengths = {rows, columns}}, window));
}

/// Every column of a matrix, where it stands; the spectra are written as rows.
bool columns_to_rows(queue& on) {
  const plan_spec spec{
      .lengths = {rows}, .batch = columns, .in = {.strides = {columns}, .distances = {1}}};

  const values matrix = samples(rows * columns);  // [row][column]
  values turned;                                  // [column][row]
  for (std::size_t i = 0; i < rows * columns; ++i) {
    turned.push_back(matrix[i % rows * columns + i / rows]);
  }
  return agree("columns to rows", run(on, spec, matrix),
               run(on, {.lengths = {rows}, .batch = columns}, turned));
}

/// Real and imaginary parts in planes of their own; strides and distances then count reals.
bool planes(queue& on) {
  constexpr std::size_t n = 64, batch = 5;
  const plan_spec spec{.lengths = {n}, .batch = batch, .in = {.imaginary_at = batch * n}};

  const values x = samples(batch * n);
  std::vector<float> split(2 * batch * n);  // [plane][row][sample]
  for (std::size_t i = 0; i < x.size(); ++i) {
    split[i] = x[i].real();
    split[batch * n + i] = x[i].imag();
  }
  return agree("planes", run<float, value>(on, spec, split),
               run(on, {.lengths = {n}, .batch = batch}, x));
}

/// Frames that overlap by half, read where they lie: an input may give a place to several.
bool overlapping_frames(queue& on) {
  constexpr std::size_t n = 64, hop = n / 2, n_frames = 7;
  const plan_spec spec{.lengths = {n}, .batch = n_frames, .in = {.distances = {hop}}};

  const values x = samples((n_frames - 1) * hop + n);
  values frames;  // [frame][sample]
  for (std::size_t i = 0; i < n_frames * n; ++i) frames.push_back(x[i / n * hop + i % n]);
  return agree("overlapping frames", run(on, spec, x),
               run(on, {.lengths = {n}, .batch = n_frames}, frames));
}

/// 40 samples a row, transformed as 64, and the 10 lowest bins kept: neither the zeros nor the
/// other bins are ever in memory.
bool padded_and_cropped(queue& on) {
  constexpr std::size_t n = 64, n_given = 40, n_kept = 10, batch = 3;
  const plan_spec spec{.lengths = {n},
                       .batch = batch,
                       .in = {.distances = {n_given}},
                       .out = {.distances = {n_kept}},
                       .valid_in = {{0, n_given}},
                       .valid_out = {{0, n_kept}}};

  const values x = samples(batch * n_given);
  values padded(batch * n), kept;
  for (std::size_t i = 0; i < x.size(); ++i) padded[i / n_given * n + i % n_given] = x[i];
  const values whole = run(on, {.lengths = {n}, .batch = batch}, padded);
  for (std::size_t i = 0; i < batch * n_kept; ++i) {
    kept.push_back(whole[i / n_kept * n + i % n_kept]);
  }
  return agree("padded and cropped", run(on, spec, x), kept);
}

/// A real image becomes bins where it stands: each row has room for two reals more.
bool real_in_place(queue& on) {
  const plan_spec spec{.lengths = {rows, columns},
                       .kind = transform::forward_from_real,
                       .where = placement::in_place};

  std::vector<float> image, padded(rows * (columns + 2));
  for (const value z : samples(rows * columns)) {
    const std::size_t i = image.size();
    padded[i / columns * (columns + 2) + i % columns] = z.real();
    image.push_back(z.real());
  }
  const plan prepared{on, spec};
  buffer memory{on, input_bytes(spec)};  // output_bytes are as many
  memory.write(padded.data(), memory.size_bytes());
  prepared.enqueue(on, memory.view(), memory.view());
  values bins(rows * (columns / 2 + 1));  // [row][bin]
  memory.read(bins.data(), memory.size_bytes());

  const plan_spec apart{.lengths = spec.lengths, .kind = spec.kind};
  return agree("real in place", bins, run<float, value>(on, apart, image));
}

/// In fp16 the largest output must stay below 65504: of 2^16 ones, bin 0 is 2^16 unless scaled.
/// bf16 has the range of fp32 and needs no care, but has 8 significant bits where fp16 has 11.
bool sixteen_bits(queue& on) {
  constexpr std::size_t n = std::size_t{1} << 16;
  constexpr std::uint16_t one_fp16 = 0x3c00, infinity_fp16 = 0x7c00;
  constexpr std::uint16_t one_bf16 = 0x3f80, n_bf16 = 0x4780;
  const auto bin_0_of_ones = [&on](precision real, scaling scale, std::uint16_t unit) {
    std::vector<std::uint16_t> x(2 * n);  // real, imaginary, ..
    for (std::size_t i = 0; i < n; ++i) x[2 * i] = unit;
    const plan_spec spec{.lengths = {n}, .real = real, .scale = scale};
    return run(on, spec, x).front();
  };
  const bool is_right = bin_0_of_ones(precision::fp16, scaling::none, one_fp16) == infinity_fp16 &&
                        bin_0_of_ones(precision::fp16, scaling::by_length, one_fp16) == one_fp16 &&
                        bin_0_of_ones(precision::bf16, scaling::none, one_bf16) == n_bf16;
  std::printf("%-30s %s\n", "sixteen bits", is_right ? "as scaled" : "WRONG");
  return is_right;
}

/// Spectra that are multiplied and transformed back need no natural order. Here the factors
/// exp(-2 pi i k s/N) delay by s samples.
bool scrambled_bins(queue& on) {
  constexpr std::size_t n = std::size_t{1} << 17, delay = 5;
  const plan forward{on, {.lengths = {n}, .bins = bin_order::scrambled}};
  const plan inverse{on,
                     {.lengths = {n},
                      .kind = transform::inverse,
                      .scale = scaling::by_length,
                      .bins = bin_order::scrambled}};

  const values x = samples(n);
  buffer memory{on, n * sizeof(value)};
  memory.write(x.data(), memory.size_bytes());
  forward.enqueue(on, memory.view(), memory.view());
  values y(n), delayed(n);
  memory.read(y.data(), memory.size_bytes());
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t k = forward.bin_at(place);  // of both plans
    y[place] *= std::polar(1.0F, -6.2831853F * static_cast<float>(k * delay % n) / n);
  }
  memory.write(y.data(), memory.size_bytes());
  inverse.enqueue(on, memory.view(), memory.view());
  memory.read(y.data(), memory.size_bytes());
  for (std::size_t i = 0; i < n; ++i) delayed[(i + delay) % n] = x[i];
  return agree("scrambled bins", y, delayed);
}

}  // namespace

int main(int argc, char** argv) {
  queue on{argc > 1 ? first_device(engine_named(argv[1])) : best_device()};
  bool is_right = true;
  for (const auto shown :
       {interleaved_channels, embedded_window, columns_to_rows, planes, overlapping_frames,
        padded_and_cropped, real_in_place, sixteen_bits, scrambled_bins}) {
    is_right = shown(on) && is_right;
  }
  return is_right ? 0 : 1;
}
