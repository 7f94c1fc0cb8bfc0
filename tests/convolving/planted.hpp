// SPDX-License-Identifier: Apache-2.0
// Templates planted in noise and searched for: the highest score is where sums in fp64 have theirs.
//
// An image is noise of variance 1 with one of several templates t added at a random place, scaled
// so that its signal-to-noise ratio a |t| is from 8 to 12. Plain searches are of fp32 around 0;
// normalised ones have a background of 100. One variable of the environment says how many:
//
//     WINGBEAT_PLANTED_TRIALS=10000 build/test/tests/convolving_planted_test
#pragma once

#include <gtest/gtest.h>

#include <cmath>    // cos, log, sqrt
#include <cstdint>  // uint64_t
#include <limits>
#include <numbers>  // pi
#include <vector>

#include "support/dice.hpp"         // dice
#include "support/environment.hpp"  // from_environment
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

/// A template's number and a place of the map of mode valid.
struct found_place {
  std::size_t number = 0, y = 0, x = 0;
  bool operator==(const found_place&) const = default;
};

class planted_trial {
 public:
  planted_trial(const search_spec& spec, std::size_t n_templates, std::uint64_t seed)
      : height_(spec.image[0]),
        width_(spec.image[1]),
        h_(spec.templates[0]),
        w_(spec.templates[1]),
        is_normalised_(spec.is_normalised),
        roll_(seed) {
    const float background = is_normalised_ ? 100 : 0;
    for (std::size_t i = 0; i < height_ * width_; ++i) image_.push_back(background + noise());
    for (std::size_t i = 0; i < n_templates * h_ * w_; ++i) templates_.push_back(noise());
    planted_ = {roll_.below(n_templates), roll_.below(height_ - h_ + 1),
                roll_.below(width_ - w_ + 1)};
    const float* const t = &templates_[planted_.number * h_ * w_];
    double energy = 0;
    for (std::size_t i = 0; i < h_ * w_; ++i) energy += double{t[i]} * t[i];
    const double ratio = 8 + static_cast<double>(roll_.below(1000)) / 250;
    for (std::size_t i = 0; i < h_ * w_; ++i) {
      image_[(planted_.y + i / w_) * width_ + planted_.x + i % w_] +=
          static_cast<float>(ratio / std::sqrt(energy) * t[i]);
    }
  }

  [[nodiscard]] const std::vector<float>& image() const { return image_; }
  [[nodiscard]] const std::vector<float>& templates() const { return templates_; }
  [[nodiscard]] const found_place& planted() const { return planted_; }

  /// Returns where the highest score is, by its definition in fp64; of equals the first.
  [[nodiscard]] found_place highest() const {
    found_place best;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < templates_.size() / h_ / w_; ++t) {
      for (std::size_t y = 0; y + h_ <= height_; ++y) {
        for (std::size_t x = 0; x + w_ <= width_; ++x) {
          const double score = score_at(t, y, x);
          if (score > most) {
            most = score;
            best = {t, y, x};
          }
        }
      }
    }
    return best;
  }

 private:
  /// Returns a normal deviate, by the formula of Box and Muller.
  float noise() {
    const double radius =
        std::sqrt(-2 * std::log((1.0 + static_cast<double>(roll_.below(1 << 30))) / (1 << 30)));
    const double angle =
        2 * std::numbers::pi * static_cast<double>(roll_.below(1 << 30)) / (1 << 30);
    return static_cast<float>(radius * std::cos(angle));
  }

  [[nodiscard]] double score_at(std::size_t number, std::size_t y, std::size_t x) const {
    double product = 0, f_sum = 0, f_squares = 0, t_sum = 0, t_squares = 0;
    for (std::size_t j = 0; j < h_; ++j) {
      const float* const t = &templates_[(number * h_ + j) * w_];
      const float* const f = &image_[(y + j) * width_ + x];
      for (std::size_t i = 0; i < w_; ++i) {
        product += double{t[i]} * f[i];
        if (!is_normalised_) continue;
        f_sum += f[i];
        t_sum += t[i];
        f_squares += double{f[i]} * f[i];
        t_squares += double{t[i]} * t[i];
      }
    }
    if (!is_normalised_) return product;
    const auto n = static_cast<double>(h_ * w_);
    return (product - f_sum * t_sum / n) /
           std::sqrt((f_squares - f_sum * f_sum / n) * (t_squares - t_sum * t_sum / n));
  }

  std::size_t height_, width_, h_, w_;
  bool is_normalised_;
  dice roll_;
  std::vector<float> image_, templates_;  // [y][x], [template][y][x]
  found_place planted_;
};

/// Searches `count` images for three templates each, in as many sizes as given.
inline void expect_planted_found(queue& on, std::size_t count,
                                 const std::vector<std::vector<std::size_t>>& sizes) {
  constexpr std::size_t n_templates = 3;
  // Devices of opencl may have no atomic operations on 64 bits, which several at once need.
  const std::size_t at_once = on.device().runs_on == engine::opencl ? 1 : 2;
  const std::size_t n_trials = from_environment("WINGBEAT_PLANTED_TRIALS", count);
  std::size_t n_planted = 0, n_wrong = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const search_spec spec{.image = {64, 64 + s % 3},
                           .templates = sizes[s],
                           .is_normalised = s % 2 == 1,
                           .templates_at_once = at_once};
    template_search search{on, spec};
    for (std::uint64_t seed = s; seed < n_trials && n_wrong < 5; seed += sizes.size()) {
      const planted_trial trial{spec, n_templates, seed};
      buffer in{on, trial.image().size() * sizeof(float)};
      buffer batch{on, trial.templates().size() * sizeof(float)};
      in.write(trial.image().data(), in.size_bytes());
      batch.write(trial.templates().data(), batch.size_bytes());
      search.begin(on, in.view());
      search.add(on, batch.view(), n_templates);
      const auto peaks = search.peaks(on, 1, -1, 1);
      const found_place expected = trial.highest();
      const bool is_right =
          peaks.size() == 1 && found_place{peaks[0].number, peaks[0].y, peaks[0].x} == expected;
      n_planted += expected == trial.planted();
      n_wrong += !is_right;
      EXPECT_TRUE(is_right) << "seed " << seed << ", templates of " << sizes[s][0] << "x"
                            << sizes[s][1] << (spec.is_normalised ? ", normalised" : "")
                            << ": the highest score in fp64 is of template " << expected.number
                            << " at (" << expected.y << ", " << expected.x << ")";
    }
  }
  EXPECT_GE(n_planted, n_trials - n_trials / 1000) << "in fp64, of " << n_trials;
}

}  // namespace wingbeat::test
