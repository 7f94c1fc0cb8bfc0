// SPDX-License-Identifier: Apache-2.0
// The filter bank of `backend/bank.hpp` in double precision, spectrum by spectrum.
#pragma once

#include "backend/backend.hpp"          // call, bank_request
#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

class filter_bank final : public backend::call {
 public:
  explicit filter_bank(const backend::bank_request& request);

  [[nodiscard]] std::size_t traffic_bytes() const noexcept override;
  [[nodiscard]] std::string explain() const override;
  void enqueue(backend::queue& on, const backend::run& given) const override;

 private:
  [[nodiscard]] row<double> bins_of(const float* window) const;
  /// Returns the bin of a channel.
  [[nodiscard]] std::size_t bin_of(std::size_t channel) const;

  backend::bank_request request_;
  row<double> roots_;
};

}  // namespace wingbeat::reference
