// SPDX-License-Identifier: Apache-2.0
// A receiver's count for each reason of `control::input_losses`, in their order.
#pragma once

#include "control/input_loss.hpp"  // n_input_losses
#include "receive/counts.hpp"      // polarisation_counts

namespace wingbeat::fengine {

inline constexpr std::array input_loss_counts{
    &receive::polarisation_counts::missing_packets, &receive::polarisation_counts::late,
    &receive::polarisation_counts::misaligned,      &receive::polarisation_counts::duplicates,
    &receive::polarisation_counts::implausible,     &receive::polarisation_counts::starved};
static_assert(input_loss_counts.size() == control::n_input_losses);

}  // namespace wingbeat::fengine
