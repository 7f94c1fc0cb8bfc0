// SPDX-License-Identifier: Apache-2.0
// A short-time transform's runs as programs: transforms of all frames, whose load takes frames from
// rows of samples, and whose store makes features; sums over bands; sums of frames that overlap.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <string>
#include <vector>

#include "backend/backend.hpp"                    // queue, engine
#include "programs/program.hpp"                   // program, argument_source
#include "wingbeat/device/functors/bin_load.hpp"  // bin_load_numbers
#include "wingbeat/short_time.hpp"                // short_time_spec

namespace wingbeat::short_times {

/// Makes the programs of a valid spec. The first operands of every run's load are the window and
/// the lengths, those that runs are given; the gradient of results is the filter.
class short_time_programs {
 public:
  short_time_programs(const std::shared_ptr<backend::queue>& on, const backend::engine& engine,
                      const short_time_spec& spec);

  [[nodiscard]] programs::program run() const;
  [[nodiscard]] programs::program inverse() const;
  [[nodiscard]] programs::program gradient() const;
  [[nodiscard]] programs::program window_gradient() const;
  [[nodiscard]] programs::program inverse_gradient() const;

 private:
  using place = programs::place;
  using sources = std::vector<programs::argument_source>;

  [[nodiscard]] sources load_sources(bool has_window, bool has_means) const;

  void add(programs::program& steps, plan_spec spec, const programs::array_ends& ends) const;
  /// Adds rows that `load`, a device_functor, makes.
  template <class Stored, class Functor>
  void add_rows(programs::program& steps, const Functor& functor, std::size_t rows,
                std::size_t elements, std::string title, std::size_t read_bytes,
                const programs::array_ends& ends) const;
  template <class Work>
  auto with_samples(const Work& work) const;
  template <class Work>
  auto with_values(const Work& work) const;

  template <class Work>
  auto with_real(const Work& work) const;

  /// Return the transform of all frames and its inverse; the former of frames of the input.
  [[nodiscard]] plan_spec transform_of_frames() const;
  [[nodiscard]] plan_spec inverse_of_frames() const;
  [[nodiscard]] plan_spec frames_of_input() const;
  /// Return the store of bins or of what is made of them, and the load of bins or gradients.
  [[nodiscard]] fused_store store_of(const device::functors::bin_numbers& numbers) const;
  [[nodiscard]] fused_load load_of(const device::functors::bin_load_numbers& numbers) const;

  void add_means(programs::program& steps) const;
  /// Adds the transform of frames of the input, to bins or quantities, or to levels.
  void add_frames(programs::program& steps, place out, const spectrum_features& features) const;
  /// Adds frames and bands as one launch, if a workgroup holds whole rows of bins; returns whether
  /// it does.
  bool add_bands_at_once(programs::program& steps, place out) const;
  void add_average(programs::program& steps) const;
  void add_bands(programs::program& steps, place out) const;
  void add_limit(programs::program& steps) const;
  /// Adds the elements of frames, in between_b, by which weights multiply in a gradient.
  void add_frame_gradient(programs::program& steps) const;
  void add_overlap(programs::program& steps, bool is_divided) const;
  /// Adds the inverse of bins as one launch, if a workgroup holds a frame; returns whether it does.
  bool add_overlap_at_once(programs::program& steps) const;
  template <class Real>
  bool add_overlap_of(programs::program& steps) const;
  /// Returns how many frames of its own a run of consecutive ones has.
  [[nodiscard]] std::size_t frames_of_run(std::size_t overlapping, std::size_t lanes) const;

  const std::shared_ptr<backend::queue>& on_;
  const backend::engine& engine_;
  const short_time_spec& spec_;
  std::size_t n_frames_, n_bins_, frame_bytes_, bin_bytes_;
};

}  // namespace wingbeat::short_times
