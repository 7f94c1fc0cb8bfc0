// SPDX-License-Identifier: Apache-2.0
// The loops of scores, for one instruction set. CMake compiles this file once per set, in its own
// namespace; hence no standard algorithms here.
#include "backend/score_rows.hpp"

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {
namespace {

using std::size_t;

/// Sums in eight parts, which do not wait for each other.
template <class Pixel>
score_statistics measure(const Pixel* values, size_t count) {
  typedef Pixel pixels __attribute__((vector_size(8 * sizeof(Pixel))));
  typedef float row __attribute__((vector_size(32)));
  typedef double terms __attribute__((vector_size(64)));
  terms sums{}, squares{}, fourth_powers{}, zeros{};
  row least{}, largest{};
  const auto add = [&](pixels given) __attribute__((always_inline)) {
    const row part = __builtin_convertvector(given, row);
    const terms value = __builtin_convertvector(part, terms), square = value * value;
    sums += value;
    squares += square;
    fourth_powers += square * square;
    zeros += 0 * value;
    least = part < least ? part : least;
    largest = part > largest ? part : largest;
  };
  pixels part;
  for (; count >= 8; count -= 8, values += 8) {
    __builtin_memcpy(&part, values, sizeof part);
    add(part);
  }
  part = pixels{};
  for (size_t l = 0; l < count; ++l) part[l] = values[l];
  add(part);
  score_statistics result;
  for (size_t l = 0; l < 8; ++l) {
    result.sum += sums[l];
    result.squares += squares[l];
    result.fourth_powers += fourth_powers[l];
    result.zero += zeros[l];
    const float magnitude = -least[l] > largest[l] ? -least[l] : largest[l];
    result.largest = magnitude > result.largest ? magnitude : result.largest;
  }
  return result;
}

template <class Pixel>
void load(const Pixel* __restrict pixels, float scale, float shift, float* __restrict row,
          size_t count) {
  for (size_t i = 0; i < count; ++i) row[i] = float(pixels[i]) * scale - shift;
}

template <class Real>
size_t store(const score_division& division, const double* __restrict numerators,
             Real* __restrict scores, size_t count) {
  const score_division constants = division;
  size_t n_unresolved = 0;
  for (size_t i = 0; i < count; ++i) {
    const double numerator = numerators[i];
    n_unresolved += numerator < constants.numerator;
    const double least = numerator < constants.smallest ? constants.smallest : numerator;
    scores[i] = Real(least * constants.factor);
  }
  return n_unresolved;
}

void add(double* sums, const double* terms, size_t count) {
#pragma GCC ivdep
  for (size_t i = 0; i < count; ++i) sums[i] += terms[i];
}

void subtract_squares(double* __restrict sums, const double* __restrict terms, double factor,
                      size_t count) {
  for (size_t i = 0; i < count; ++i) sums[i] -= factor * terms[i] * terms[i];
}

template <class Real>
void square(const Real* __restrict values, double* __restrict same, double* __restrict squares,
            size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double value = values[i];
    same[i] = value;
    squares[i] = value * value;
  }
}

template <class Real>
void begin(const Real* __restrict products, double factor, double offset,
           double* __restrict numerators, size_t count) {
  for (size_t i = 0; i < count; ++i) numerators[i] = factor * double(products[i]) + offset;
}

float root(float value) {
  return __builtin_sqrtf(value);
}
double root(double value) {
  return __builtin_sqrt(value);
}

template <class Real>
size_t divide(const score_division& division, const double* __restrict numerators,
              const double* __restrict denominators, const double* __restrict squares,
              Real* __restrict scores, size_t count) {
  const score_division constants = division;
  const Real smallest = Real(constants.smallest), of_flat = Real(constants.of_flat);
  size_t n_unresolved = 0;
  for (size_t i = 0; i < count; ++i) {
    const double by_squares = constants.rounding * squares[i], d = denominators[i];
    const bool is_flat = (d <= by_squares) | (d <= constants.least);
    const bool is_unresolved = (d < constants.resolved) |
                               (d < constants.resolved_part * squares[i]) |
                               (numerators[i] < constants.numerator);
    n_unresolved += !is_flat & is_unresolved;
    Real score = Real(constants.factor * numerators[i]) / root(is_flat ? Real(1) : Real(d));
    score = score < smallest ? smallest : score;
    score = score > Real(1) ? Real(1) : score;
    scores[i] = is_flat ? of_flat : score;
  }
  return n_unresolved;
}

}  // namespace

extern const score_rows scores_set;
const score_rows scores_set = {{measure<float>, load<float>},
                               {measure<std::uint8_t>, load<std::uint8_t>},
                               {square<float>, begin<float>, store<float>, divide<float>},
                               {square<double>, begin<double>, store<double>, divide<double>},
                               add,
                               subtract_squares};

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
