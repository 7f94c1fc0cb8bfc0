// SPDX-License-Identifier: Apache-2.0
// Hear a chirp, see a line: the spectrogram kernel of examples/kernels on the first device that
// compiles kernels, its picture in a PNG file.
//     08_spectrogram DIRECTORY [FILE.png]     DIRECTORY holds the kernels' files
#include <cairo.h>

#include <algorithm>  // max_element
#include <cmath>      // sin
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "kernels/spectrogram.hpp"
#include "wingbeat/roots.hpp"  // roots_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using body = example::spectrogram;

constexpr double rate_hz = 8000, seconds = 4, first_hz = 200, last_hz = 3600, tone_hz = 1000;

/// A chirp from first_hz to last_hz, and a tone a tenth as strong.
std::vector<float> signal() {
  constexpr double pi = 3.14159265358979323846;
  std::vector<float> x(static_cast<std::size_t>(rate_hz * seconds));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = double(i) / rate_hz;
    const double turns = first_hz * t + (last_hz - first_hz) * t * t / (2 * seconds);
    x[i] = float(std::sin(2 * pi * turns) + 0.1 * std::sin(2 * pi * tone_hz * t));
  }
  return x;
}

std::string text_from(const std::string& file_name) {
  std::ifstream file{file_name};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (text.empty()) throw file_error("cannot read " + file_name + "; name the kernels' directory");
  return text + R"(
WINGBEAT_KERNEL(example::spectrogram::fft::workgroup_threads)
void entry(WINGBEAT_GLOBAL const float* in, WINGBEAT_GLOBAL float* out,
           WINGBEAT_GLOBAL const wingbeat::device::complex<float>* roots,
           wingbeat::device::size in_first, wingbeat::device::size out_first,
           wingbeat::device::size frames WINGBEAT_SCRATCH_PARAMETER) {
  if (frames == 0) return;
  example::spectrogram::run(wingbeat::device::group{}, in + in_first, out + out_first, roots,
                            frames, WINGBEAT_SCRATCH);
}
)";
}

/// Returns dB, [frame][bin].
std::vector<float> levels(queue& on, const std::string& folder, const std::vector<float>& x) {
  const std::size_t frames = (x.size() - body::n) / body::hop + 1;
  const kernel compiled{on,
                        {.text = text_from(folder + "/spectrogram.hpp"),
                         .entry = "entry",
                         .threads = body::fft::workgroup_threads,
                         .scratch_bytes = body::fft::scratch_bytes,
                         .in_element_bytes = sizeof(float),
                         .out_element_bytes = sizeof(float)}};
  const auto roots = roots_of<body::fft>();
  std::vector<float> result(frames * body::bins);
  buffer in{on, x.size() * sizeof(float)}, out{on, result.size() * sizeof(float)};
  buffer table{on, roots.size() * sizeof(roots[0])};
  in.write(x.data(), in.size_bytes());
  table.write(roots.data(), table.size_bytes());
  compiled.enqueue(on, (frames + 1) / 2, in.view(), out.view(), table.view(), frames);
  out.read(result.data(), out.size_bytes());
  return result;
}

/// Dark for quiet, bright for loud, over 80 dB below the loudest.
void draw(const std::vector<float>& db, const std::string& file_name) {
  const int frames = int(db.size() / body::bins), bins = int(body::bins);
  const float loudest = *std::max_element(db.begin(), db.end());
  const int left = 70, top = 40, bottom = 50, tall = 2 * bins;
  cairo_surface_t* const surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, left + 3 * frames + 40, top + tall + bottom);
  cairo_t* const canvas = cairo_create(surface);
  cairo_set_source_rgb(canvas, 1, 1, 1);
  cairo_paint(canvas);
  cairo_set_antialias(canvas, CAIRO_ANTIALIAS_NONE);
  for (int f = 0; f < frames; ++f) {
    for (int k = 0; k < bins; ++k) {
      const double level = std::max(0.0, 1 + double(db[std::size_t(f * bins + k)] - loudest) / 80);
      cairo_set_source_rgb(canvas, std::min(1.0, 2 * level * level), level * level * level,
                           0.3 * (1 - level) * level * 4 + 0.15);
      cairo_rectangle(canvas, left + 3 * f, top + tall - 2 * (k + 1), 3, 2);
      cairo_fill(canvas);
    }
  }
  cairo_set_source_rgb(canvas, 0, 0, 0);
  cairo_select_font_face(canvas, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(canvas, 14);
  const auto say = [&](double x, double y, const std::string& text) {
    cairo_move_to(canvas, x, y);
    cairo_show_text(canvas, text.c_str());
  };
  say(left, 25, "a chirp and a tone: power in dB, 512-point frames every 128 samples");
  for (int khz = 0; khz <= 4; ++khz) {
    say(8, top + tall - tall * khz / 4.0 + 5, std::to_string(khz) + " kHz");
  }
  for (int s = 0; s <= int(seconds); ++s) {
    say(left + 3 * s * rate_hz / body::hop - 4, top + tall + 22, std::to_string(s) + " s");
  }
  const cairo_status_t written = cairo_surface_write_to_png(surface, file_name.c_str());
  cairo_destroy(canvas);
  cairo_surface_destroy(surface);
  if (written != CAIRO_STATUS_SUCCESS) throw file_error("cannot write " + file_name);
}

/// Returns the most bins that the loudest bin of a frame is away from the chirp.
double worst_miss(const std::vector<float>& db) {
  double worst = 0;
  for (std::size_t f = 0; f < db.size() / body::bins; ++f) {
    const auto first = db.begin() + long(f * body::bins);
    const double loudest = double(std::max_element(first, first + body::bins) - first);
    const double t = (double(f) * body::hop + body::n / 2.0) / rate_hz;
    const double hz = first_hz + (last_hz - first_hz) * t / seconds;
    worst = std::max(worst, std::abs(loudest - hz * body::n / rate_hz));
  }
  return worst;
}

std::optional<device_info> compiling_device() {
  for (const engine kind : {engine::cuda, engine::opencl}) {
    if (const auto found = devices(kind); !found.empty()) return found.front();
  }
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto device = compiling_device();
  if (!device) {
    std::printf("no device here compiles kernels\n");
    return 77;  // CTest counts this as skipped
  }
  queue on{*device};
  const auto db = levels(on, argc > 1 ? argv[1] : "examples/kernels", signal());
  const std::string file_name = argc > 2 ? argv[2] : "spectrogram.png";
  draw(db, file_name);
  const double miss = worst_miss(db);
  std::printf("%s: %zu frames in %s, the chirp at most %.1f bins from its place\n",
              device->name.c_str(), db.size() / body::bins, file_name.c_str(), miss);
  return miss < 2 ? 0 : 1;
} catch (const error& failed) {
  std::fprintf(stderr, "%s\n", failed.what());
  return 1;
}
