// SPDX-License-Identifier: Apache-2.0
// Solves Poisson's equation, laplacian u = f, in a box whose walls hold the value of u (Dirichlet),
// its slope (Neumann), or one of each: every axis has the cosine or sine transform under which
// second differences of cells, continued behind its walls, are diagonal.
#include <algorithm>  // max
#include <cmath>      // abs, exp, sin
#include <cstdio>     // printf
#include <numbers>    // pi
#include <span>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using wingbeat::transform;

/// Two walls at 0 and 1, and a function that obeys them, with its second derivative.
struct walls {
  const char* name;
  transform kind;
  double first;  ///< Frequencies are first, first + 1, .. half periods between the walls.
  double (*value)(double x);
  double (*curvature)(double x);
};
constexpr walls neumann{"Neumann", transform::dct2, 0, [](double x) { return x * x * (3 - 2 * x); },
                        [](double x) { return 6 - 12 * x; }};
constexpr walls dirichlet{"Dirichlet", transform::dst2, 1,
                          [](double x) { return x * (1 - x) * std::exp(x); },
                          [](double x) { return -x * (x + 3) * std::exp(x); }};
constexpr walls mixed{"Neumann, then Dirichlet", transform::dct4, 0.5,
                      [](double x) { return 1 - x * x * x; }, [](double x) { return -6 * x; }};

using axes = std::vector<walls>;

/// Calls each(cell, indices) for the cells of a box with n cells along every axis.
template <class Each>
void for_cells(std::size_t n_axes, std::size_t n, Each each) {
  std::vector<std::size_t> indices(n_axes);
  std::size_t count = 1;
  for (std::size_t a = 0; a < n_axes; ++a) count *= n;
  for (std::size_t cell = 0; cell < count; ++cell) {
    std::size_t rest = cell;
    for (std::size_t a = n_axes; a-- > 0; rest /= n) indices[a] = rest % n;
    each(cell, indices);
  }
}

/// 1 over the sum of one eigenvalue of each axis; where that is 0, between walls of Neumann alone,
/// the mean of u is free: 0.
constexpr const char* device_text = R"(
struct inverse_laplacian {
  using element = double;
  struct parameters { unsigned axes, cells; };
  struct operands { WINGBEAT_GLOBAL const double* eigenvalues; };  // [axis][coefficient]
  WINGBEAT_FN static double load(WINGBEAT_GLOBAL const double*,
                                 WINGBEAT_GLOBAL const parameters& box, operands given,
                                 wingbeat::device::size, wingbeat::device::size i) {
    double sum = 0;
    for (unsigned a = box.axes; a-- > 0; i /= box.cells) {
      sum += given.eigenvalues[a * box.cells + i % box.cells];
    }
    return sum == 0 ? 0 : 1 / sum;
  }
};
)";

/// The same for the engines that compile no kernels.
wingbeat::fused_load inverse_laplacian(std::size_t n_axes, std::size_t n) {
  using namespace wingbeat;
  struct {
    unsigned axes, cells;
  } const box{static_cast<unsigned>(n_axes), static_cast<unsigned>(n)};
  return {
      .source = {device_text, "inverse_laplacian", bytes_of(box)},
      .callable = operand_reader<double>([=](const void*, const host_arguments& given, std::size_t,
                                             std::size_t first, std::span<double> into) {
        const auto* const eigenvalues = given.memory<const double>(0);
        for (std::size_t k = 0; k < into.size(); ++k) {
          double sum = 0;
          std::size_t rest = first + k;
          for (std::size_t a = n_axes; a-- > 0; rest /= n) sum += eigenvalues[a * n + rest % n];
          into[k] = sum == 0 ? 0 : 1 / sum;
        }
      }),
      .operands = {kernel_parameter::input(sizeof(double))}};
}

/// Returns what second differences of cells multiply each coefficient of each axis by.
std::vector<double> eigenvalues_of(const axes& box, std::size_t n) {
  std::vector<double> eigenvalues;  // [axis][coefficient]
  for (const walls& each : box) {
    for (std::size_t k = 0; k < n; ++k) {
      const double half_periods = static_cast<double>(k) + each.first;
      const double sine =
          std::sin(std::numbers::pi * half_periods / (2.0 * static_cast<double>(n)));
      eigenvalues.push_back(-4 * sine * sine * static_cast<double>(n * n));
    }
  }
  return eigenvalues;
}

/// Returns u of f: forward, divided by eigenvalues, and back. On a GPU the last axis is all of that
/// in one launch, so that a plane crosses memory three times and a box five times.
std::vector<double> solution_of(const axes& box, std::size_t n, std::vector<double> f) {
  using namespace wingbeat;
  queue on{first_device(engine::host)};
  plan_spec solved{.lengths = std::vector<std::size_t>(box.size(), n),
                   .real = precision::fp64,
                   .scale = scaling::by_length,
                   .where = placement::in_place,
                   .multiplier = inverse_laplacian(box.size(), n)};
  for (const walls& each : box) solved.axis_kinds.push_back(each.kind);
  solved.kind = solved.axis_kinds.back();
  const plan solver{on, solved};
  const std::vector<double> eigenvalues = eigenvalues_of(box, n);
  buffer cells{on, f.size() * sizeof(double)}, factors{on, eigenvalues.size() * sizeof(double)};
  factors.write(eigenvalues.data(), factors.size_bytes());
  cells.write(f.data(), cells.size_bytes());
  solver.enqueue(on, cells.view(), cells.view(), {.multiplier = {factors.view()}});
  cells.read(f.data(), cells.size_bytes());
  return f;
}

/// Returns the largest error of a box with n cells along every axis, whose u is the product of the
/// axes' functions.
double error_of(const axes& box, std::size_t n) {
  std::vector<double> f, expected;
  for_cells(box.size(), n, [&](std::size_t, const std::vector<std::size_t>& i) {
    double product = 1, laplacian = 0;
    for (std::size_t a = 0; a < box.size(); ++a) {
      const double x = (static_cast<double>(i[a]) + 0.5) / static_cast<double>(n);
      const double value = box[a].value(x);
      laplacian = laplacian * value + product * box[a].curvature(x);
      product *= value;
    }
    f.push_back(laplacian);
    expected.push_back(product);
  });
  const std::vector<double> u = solution_of(box, n, f);
  double mean = 0, largest = 0;
  for (std::size_t cell = 0; cell < u.size(); ++cell) mean += u[cell] - expected[cell];
  mean /= static_cast<double>(u.size());
  const bool is_free = std::all_of(box.begin(), box.end(),
                                   [](const walls& each) { return each.kind == transform::dct2; });
  for (std::size_t cell = 0; cell < u.size(); ++cell) {
    largest = std::max(largest, std::abs(u[cell] - expected[cell] - (is_free ? mean : 0)));
  }
  return largest;
}

}  // namespace

int main() {
  const std::vector<axes> boxes{{neumann, neumann},          {dirichlet, dirichlet},
                                {neumann, dirichlet},        {mixed, neumann},
                                {neumann, neumann, neumann}, {dirichlet, mixed, neumann}};
  bool is_right = true;
  for (const axes& box : boxes) {
    const double coarse = error_of(box, 20), fine = error_of(box, 40);
    for (const walls& each : box) std::printf("%s%s", &each == box.data() ? "" : " x ", each.name);
    std::printf(": error %.1e with 20 cells an axis, %.1e with 40\n", coarse, fine);
    is_right = is_right && coarse < 5e-3 && fine < 0.3 * coarse;  // as the cell's area: a quarter
  }
  return is_right ? 0 : 1;
}
