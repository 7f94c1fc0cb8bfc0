// SPDX-License-Identifier: Apache-2.0
// A convolution as an operation with two kinds of run: one prepares spectra, one convolves with
// them. Convolutions of images and searches are built on it.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <string>
#include <vector>

#include "convolving/geometry.hpp"   // axis_geometry
#include "operations/operation.hpp"  // operation, run_kind
#include "wingbeat/convolution.hpp"  // convolution_spec

namespace wingbeat::convolving {

class prepared_convolution : public operations::operation {
 public:
  /// Validates the spec. `noun` is its name in messages.
  prepared_convolution(const queue& on, convolution_spec given, const char* noun = "convolution");

  [[nodiscard]] const operations::run_kind& running() const override { return running_; }
  [[nodiscard]] const operations::run_kind& preparing() const { return preparing_; }

  [[nodiscard]] const convolution_spec& spec() const { return spec_; }
  [[nodiscard]] const std::vector<std::size_t>& padded() const { return padded_; }
  [[nodiscard]] const std::vector<std::size_t>& result() const { return result_; }
  [[nodiscard]] std::size_t bytes_of(operand_role role) const;
  [[nodiscard]] std::size_t spectra_bytes() const { return preparing_.operands[1].bytes; }
  [[nodiscard]] std::size_t output_bytes() const { return running_.operands[2].bytes; }

  void prepare(queue& on, const buffer_view& signals, const buffer_view& spectra,
               const buffer_view& workspace = {}) const;
  /// `given`: operands of the store functor. If `awaited` is given, a mark of another queue,
  /// nothing is written to `out` before it.
  void enqueue(queue& on, const buffer_view& spectra, const buffer_view& signals,
               const buffer_view& out, std::span<const kernel_argument> given,
               const buffer_view& workspace = {}, const backend::mark* awaited = nullptr) const;

 protected:
  [[nodiscard]] std::string heading() const override;

  operations::run_kind preparing_, running_;

 private:
  void set_programs(const queue& on);
  void set_operands(std::size_t spectra_bytes, std::size_t out_bytes);

  convolution_spec spec_;
  std::vector<axis_geometry> axes_;
  std::vector<std::size_t> padded_, result_;
};

}  // namespace wingbeat::convolving
