// SPDX-License-Identifier: Apache-2.0
// How long does a bloom of a photograph take, compared with cuFFT's: split pixels into padded
// planes with mirrored borders, transform, multiply, transform back, join pixels? RGB in fp16, with
// fp32 and with fp16 between launches; the results are compared.
#include <random>  // mt19937

#include "bench/launches.hpp"  // launches
#include "bench/unfused_images.hpp"
#include "convolving/image_request.hpp"  // planes_of

namespace wingbeat::bench {
namespace {

constexpr std::size_t n_colours = 3;

constexpr const char* pixels_text = R"(
#include "wingbeat/device/half.hpp"
using namespace wingbeat::device;
/// Index n of an axis of `count`, mirrored at its ends.
WINGBEAT_FN int mirrored_in(int n, int count) {
  const int at = n < 0 ? -1 - n : n;
  return at < count ? at : 2 * count - 1 - at;
}
WINGBEAT_KERNEL(256)
void split(WINGBEAT_GLOBAL const half_float* pixels, size pixels_at, WINGBEAT_GLOBAL float* planes,
           size planes_at, unsigned h, unsigned w, unsigned p, unsigned q, unsigned taps
           WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= size(p) * q * 3) return;
  const int x = int(i % q), y = int(i / q % p);
  const size c = i / q / p;
  float value = 0.0f;
  const int before = int(taps / 2);
  if (y < int(h + taps - 1) && x < int(w + taps - 1)) {
    const int from_y = mirrored_in(y - before, int(h)), from_x = mirrored_in(x - before, int(w));
    value = float(pixels[pixels_at + (size(from_y) * w + from_x) * 3 + c]);
  }
  planes[planes_at + i] = value;
}
WINGBEAT_KERNEL(256)
void join(WINGBEAT_GLOBAL const float* planes, size planes_at, WINGBEAT_GLOBAL half_float* pixels,
          size pixels_at, unsigned h, unsigned w, unsigned p, unsigned q, unsigned first
          WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= size(h) * w * 3) return;
  const size c = i % 3, x = i / 3 % w, y = i / 3 / w;
  pixels[pixels_at + i] = half_float(planes[planes_at + (c * p + y + first) * q + x + first]);
}
)";

struct photograph {
  unsigned width = 1920, height = 1080, taps = 256;

  [[nodiscard]] std::size_t pixels() const { return std::size_t{width} * height * n_colours; }
};

/// The same with cuFFT, whose planes are padded to lengths that it transforms fast.
class unfused {
 public:
  unfused(const queue& on, const photograph& given)
      : given_(given),
        planes_{on,
                {smooth_length(given.height + given.taps - 1),
                 smooth_length(given.width + given.taps - 1)},
                n_colours},
        split_{on, pixels_text, "split", "i2 o4 u u u u u"},
        join_{on, pixels_text, "join", "i4 o2 u u u u u"} {}

  /// Takes a kernel whose values sum to 1.
  void prepare(const std::vector<float>& taps) {
    std::vector<float> padded(planes_.padded().area());
    for (std::size_t i = 0; i < taps.size(); ++i) {
      padded[i / given_.taps * planes_.padded().x + i % given_.taps] = taps[i];
    }
    planes_.values().write(padded.data(), padded.size() * 4);
    planes_.prepare();
  }
  void run(buffer_view pixels, buffer_view out) {
    const auto p = static_cast<unsigned>(planes_.padded().y);
    const auto q = static_cast<unsigned>(planes_.padded().x);
    split_.enqueue(n_colours * p * q, {pixels, planes_.values().view(), given_.height, given_.width,
                                       p, q, given_.taps});
    planes_.run(false);
    join_.enqueue(given_.pixels(), {planes_.values().view(), out, given_.height, given_.width, p, q,
                                    given_.taps - 1});
  }
  [[nodiscard]] std::vector<std::size_t> padded() const { return planes_.padded().list(); }

 private:
  photograph given_;
  unfused_planes planes_;
  number_kernel split_, join_;
};

/// Returns fp16 bits of values in [0, 1): multiples of 2^-10, hence exact.
std::vector<std::uint16_t> noisy_pixels(std::size_t count) {
  std::mt19937 bits{1};
  std::vector<std::uint16_t> pixels(count);
  for (std::uint16_t& each : pixels) each = static_cast<std::uint16_t>(0x3800 | (bits() & 0x3ff));
  return pixels;
}

/// Returns the largest difference of results in [0.5, 1), in units of the last place.
int units_apart(const buffer& a, const buffer& b) {
  std::vector<std::uint16_t> x(a.size_bytes() / 2), y(x.size());
  a.read(x.data(), a.size_bytes());
  b.read(y.data(), b.size_bytes());
  int worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(int(x[i]) - int(y[i])));
  }
  return worst;
}

void blur(session& asked, const photograph& given, precision between) {
  queue& on = asked.on();
  std::vector<float> kernel(std::size_t{given.taps} * given.taps);
  std::mt19937 bits{2};
  double sum = 0;
  for (float& each : kernel) sum += each = static_cast<float>(bits() >> 8) * 0x1p-24F;
  for (float& each : kernel) each = static_cast<float>(each / sum);
  const bool is_halved = between == precision::fp16;
  const image_convolution_spec spec{.height = given.height,
                                    .width = given.width,
                                    .channels = n_colours,
                                    .kernel_height = given.taps,
                                    .kernel_width = given.taps,
                                    .outside = border::mirror,
                                    .stored = precision::fp16,
                                    .between = between,
                                    .image_peak = is_halved ? 1.0 : 0,
                                    .kernel_peak = is_halved ? 1 / sum : 0};
  const image_convolution bloom{on, spec};
  const buffer in = filled(on, noisy_pixels(given.pixels())), weights = filled(on, kernel);
  const buffer spectra{on, bloom.spectra_bytes()}, out{on, bloom.output_bytes()};
  const buffer other{on, bloom.output_bytes()};
  const buffer workspace{on, std::max<std::size_t>(bloom.workspace_bytes(), 16)};
  bloom.prepare(on, weights.view(), spectra.view());
  unfused by_cufft{on, given};
  by_cufft.prepare(kernel);
  const std::size_t moved = bloom.traffic_bytes();
  const buffer copied{on, moved / 2}, target{on, moved / 2};
  std::vector<measure::timed_run> runs{
      copy_run(on, target, copied),
      measure::queued_run(
          on, "fused",
          [&] { bloom.enqueue(on, spectra.view(), in.view(), out.view(), workspace.view()); }),
      measure::queued_run(on, "cufft", [&] { by_cufft.run(in.view(), other.view()); })};
  const std::size_t n_whole = runs.size();
  const launches alone{
      on,
      convolving::planes_of(spec),
      n_colours,
      {.in = in.view(), .out = out.view(), .workspace = {}, .filter = spectra.view()}};
  alone.add(runs);
  measure::take_turns(runs, asked.n_rounds);
  const int difference = units_apart(out, other);
  json row{{"width", given.width},
           {"height", given.height},
           {"taps", given.taps},
           {"between", name_of(between)},
           {"padded", bloom.padded()},
           {"cufft_padded", by_cufft.padded()},
           {"bytes", moved},
           {"fused_us", 1e6 * runs[1].median_s()},
           {"cufft_us", 1e6 * runs[2].median_s()},
           {"ratio", runs[2].median_s() / runs[1].median_s()},
           {"copy_of_the_bytes_us", 1e6 * runs[0].median_s()},
           {"difference_units", difference}};
  alone.report(std::span{runs}.subspan(n_whole), row);
  asked.add(std::move(row), difference <= (is_halved ? 4 : 1));
}

void bloom(session& asked) {
  const auto given = asked.numbers({1920, 1080, 256});
  if (given.size() != 3) throw plan_error("give width, height and taps, or nothing");
  const auto number = [&](std::size_t i) { return static_cast<unsigned>(given[i]); };
  for (const precision between : {precision::fp32, precision::fp16}) {
    blur(asked, {number(0), number(1), number(2)}, between);
  }
}

const registration of_bloom{
    {"bloom", "[WIDTH HEIGHT TAPS]", "what a bloom of a photograph takes, beside cuFFT", bloom}};

}  // namespace
}  // namespace wingbeat::bench
