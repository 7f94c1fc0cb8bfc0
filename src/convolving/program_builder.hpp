// SPDX-License-Identifier: Apache-2.0
// Builds a convolution's program and its workspace between the transforms.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr

#include "backend/backend.hpp"          // queue, engine
#include "convolving/program.hpp"       // program_request
#include "convolving/stored_scale.hpp"  // stored_between
#include "programs/program.hpp"         // program, array_ends

namespace wingbeat::convolving {

using programs::array_ends;
using programs::place;

/// Beside a `convolution_of_rows`: describes the rows if two transforms convolve them.
struct row_factors {
  double forward = 1;           ///< Factor of the transform before the product.
  bool are_real = false;        ///< The rows are real, not their spectra.
  bool has_one_column = false;  ///< Each spectrum has one column, which multiplies all columns of
                                ///< the rows.
};

class program_builder {
 public:
  /// `between` is the type of spectra and workspace.
  program_builder(const std::shared_ptr<backend::queue>& on, const backend::engine& engine,
                  precision between, pairing pairs)
      : on_(on), engine_(engine), between_(between), pairs_(pairs) {}
  program_builder(const std::shared_ptr<backend::queue>& on, const program_request& request)
      : program_builder(on, request.engine_for(*on), stored_between(request.spec),
                        request.spec.pairs) {}

  /// Adds a transform, whose last dimension of the batch may read blocks. Spectra and workspace
  /// have their own stored type.
  void add(const plan_spec& spec, const array_ends& ends, const result_blocks& blocks = {});

  /// Adds a step for rows that are convolved in one crossing: one that makes their spectra, or one
  /// that convolves. Returns false, and adds nothing, if the engine cannot.
  [[nodiscard]] bool add_spectra(backend::spectra_of_rows request, const array_ends& ends);
  [[nodiscard]] bool add_in_one(backend::convolution_of_rows request, const array_ends& ends);
  /// The same for sums of correlations.
  [[nodiscard]] bool add_correlations(const backend::correlation_of_rows& request,
                                      const array_ends& ends) {
    return add_realised(request, ends);
  }

  /// Adds two transforms with the product between them; the batch is [run][prepared][column].
  void add_in_two(const backend::convolution_of_rows& request, const row_factors& factors,
                  const array_ends& ends);

  /// Returns the workspace that is not `used`, with room for `n_numbers` complex numbers.
  place workspace_beside(place used, std::size_t n_numbers);

  [[nodiscard]] programs::program take() { return std::move(program_); }

 private:
  [[nodiscard]] plan_spec with_stored_types(plan_spec spec, const array_ends& ends) const;
  [[nodiscard]] bool add_realised(const backend::step_request& step, const array_ends& ends);

  const std::shared_ptr<backend::queue>& on_;
  const backend::engine& engine_;
  precision between_;
  pairing pairs_;
  programs::program program_;
};

}  // namespace wingbeat::convolving
