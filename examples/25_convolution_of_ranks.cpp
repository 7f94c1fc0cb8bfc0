// SPDX-License-Identifier: Apache-2.0
// A volume convolved over several devices: forward, times the kernel's spectrum where the last pass
// stores, and back from bins as they are cut then. Two exchanges in all, none to restore an order.
// Without several GPUs, three ranks of the best device show the same.
#include <algorithm>  // max
#include <cmath>      // abs
#include <complex>
#include <cstdio>
#include <functional>  // function
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using complex = std::complex<float>;

constexpr std::size_t nx = 20, ny = 18, nz = 16, bins_z = nz / 2 + 1;

/// A rank has bins [x][y][z] from its first y on, n_y of them; rows and elements are numbered as in
/// the whole array.
constexpr const char* device_text = R"(
#include "wingbeat/device/complex.hpp"
struct times_spectrum {
  using size = wingbeat::device::size;
  using element = wingbeat::device::complex<float>;
  struct operands { WINGBEAT_GLOBAL const element* spectrum; size first_y, n_y; };
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* bins, operands given, size, size i,
                                element value) {
    const size z = i % 9, y = i / 9 % 18, x = i / (9 * 18);
    const size place = (x * given.n_y + y - given.first_y) * 9 + z;
    bins[place] = value * wingbeat::device::copied_from(given.spectrum + place);
  }
};
)";

fused_store times_spectrum() {
  fused_store store{
      .out_bytes = nx * ny * bins_z * sizeof(complex),
      .element_bytes = sizeof(complex),
      .source = {device_text, "times_spectrum"},
      .operands = {kernel_parameter::input(sizeof(complex)), kernel_parameter::value<std::size_t>(),
                   kernel_parameter::value<std::size_t>()}};
  store.callable = operand_writer<complex>([](void* bins, const host_arguments& given, std::size_t,
                                              std::size_t first, std::span<const complex> values) {
    const auto* const spectrum = given.memory<const complex>(0);
    const auto first_y = given.value<std::size_t>(1), n_y = given.value<std::size_t>(2);
    for (std::size_t i = first; i < first + values.size(); ++i) {
      const std::size_t z = i % bins_z, y = i / bins_z % ny, x = i / (bins_z * ny);
      const std::size_t place = (x * n_y + y - first_y) * bins_z + z;
      static_cast<complex*>(bins)[place] = values[i - first] * spectrum[place];
    }
  });
  return store;
}

/// Memory of every rank.
struct rank_memory {
  std::vector<buffer> owned = {};
  std::vector<buffer_view> views = {};

  rank_memory(domain& ranks, const std::function<std::size_t(std::size_t)>& bytes) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      owned.emplace_back(ranks.at(rank), bytes(rank));
      views.push_back(owned.back().view());
    }
  }
};

/// Gives each rank its part of a volume [x][y][z], which is cut along x.
void deal(rank_memory& memory, const std::vector<box>& parts, const std::vector<float>& volume) {
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    buffer& part = memory.owned[rank];
    part.write(&volume[parts[rank].lower[1] * ny * nz], part.size_bytes());
  }
}

/// Returns a volume convolved with a kernel, both periodic.
std::vector<float> convolved(domain ranks, const std::vector<float>& volume,
                             const std::vector<float>& kernel) {
  const plan_spec forward{.lengths = {nx, ny, nz}, .kind = transform::forward_from_real};
  plan_spec multiplied = forward;
  multiplied.store = times_spectrum();
  const plan_spec inverse{
      .lengths = {nx, ny, nz}, .kind = transform::inverse_to_real, .scale = scaling::by_length};
  distributed_plan to_bins{ranks, {.transform = forward, .may_use_one_device = false}};
  distributed_plan to_product{ranks, {.transform = multiplied, .may_use_one_device = false}};
  distributed_plan back{ranks, {.transform = inverse, .may_use_one_device = false}};

  const auto in_bytes = [&](std::size_t rank) { return to_bins.in_bytes(rank); };
  const auto out_bytes = [&](std::size_t rank) { return to_bins.out_bytes(rank); };
  rank_memory values{ranks, in_bytes}, taps{ranks, in_bytes}, result{ranks, in_bytes};
  rank_memory spectrum{ranks, out_bytes}, product{ranks, out_bytes};
  deal(values, to_bins.in_boxes(), volume);
  deal(taps, to_bins.in_boxes(), kernel);

  std::vector<run_operands> operands(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const box& bins = to_product.out_boxes()[rank];  // [batch][x][y][z], cut along y
    operands[rank].store = {spectrum.views[rank], bins.lower[2], bins.length(2)};
  }
  to_bins.enqueue(taps.views, spectrum.views);  // once for all volumes
  to_product.enqueue(values.views, product.views, operands);
  back.enqueue(product.views, result.views);
  ranks.wait();
  std::printf("%zu ranks: %zu bytes over links there and %zu back\n", ranks.size(),
              to_product.sent_bytes(), back.sent_bytes());

  std::vector<float> whole(volume.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    result.owned[rank].read(&whole[back.out_boxes()[rank].lower[1] * ny * nz],
                            result.owned[rank].size_bytes());
  }
  return whole;
}

}  // namespace

int main() {
  std::vector<device_info> chosen = devices(engine::cuda);
  if (chosen.size() < 2) chosen.assign(3, best_device());
  std::vector<float> volume(nx * ny * nz), kernel(volume.size());
  for (std::size_t i = 0; i < volume.size(); ++i)
    volume[i] = float((i * 31 + i / 7) % 100) / 50 - 1;
  kernel[0] = 0.5F;                   // half of each element,
  kernel[(2 * ny + 3) * nz + 5] = 2;  // and twice the one at (x - 2, y - 3, z - 5)

  const auto several = convolved(domain::of_devices(chosen), volume, kernel);
  const auto alone = convolved(domain::of_devices({chosen.front()}), volume, kernel);
  double apart = 0, wrong = 0;
  for (std::size_t i = 0; i < volume.size(); ++i) {
    const std::size_t z = (i + nz - 5) % nz, y = (i / nz + ny - 3) % ny;
    const std::size_t x = (i / (nz * ny) + nx - 2) % nx;
    const float wanted = volume[i] / 2 + 2 * volume[(x * ny + y) * nz + z];
    apart = std::max(apart, double{std::abs(several[i] - alone[i])});
    wrong = std::max(wrong, double{std::abs(several[i] - wanted)});
  }
  std::printf("several devices and one differ by %.1e, from the sum by %.1e\n", apart, wrong);
  return apart < 1e-5 && wrong < 1e-5 ? 0 : 1;
}
