// SPDX-License-Identifier: Apache-2.0
// A transform of an array that is cut along one axis after another. In each phase ranks transform
// axes that they have whole; between two phases the cut moves. Arithmetic alone.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <vector>

#include "request/traits.hpp"                           // domain
#include "wingbeat/device/ends/array_part.hpp"          // array_part
#include "wingbeat/device/functors/exchange_store.hpp"  // exchange_numbers
#include "wingbeat/distributed_plan.hpp"                // bin_distribution
#include "wingbeat/plan.hpp"                            // plan_spec, index_range

namespace wingbeat::distributing {

/// How ranks hand data to each other.
enum class handover {
  stores,  ///< The last pass before an exchange stores it there, and waits for links.
  copies,  ///< The last pass stages chunks, which are copied while the next ones are transformed.
  /// A few workgroups store a chunk of rows, while others make the first of two passes over columns
  /// of the previous chunk.
  beside
};

struct phase {
  std::vector<std::size_t> axes;             ///< The axes that are transformed.
  std::size_t cut = 0;                       ///< The axis that is cut meanwhile.
  std::optional<std::size_t> next_cut = {};  ///< The axis that is cut afterwards, if it differs.
  transform kind = transform::forward;
  /// The axis that is cut into chunks, if it differs from `cut`.
  std::optional<std::size_t> chunked = {};
  /// Bins k1 of a column [n1][n2] are multiplied by w^(k1 n2), w = exp(-+ 2 pi i / (N1 N2)), in
  /// the first of its passes; the last one leaves [k2][k1].
  bool begins_column = false, ends_column = false;
  /// Elements in memory along all axes, before and after; and the index of the first of each.
  std::vector<std::size_t> in = {}, out = {}, in_first = {}, out_first = {};

  /// Returns the axis along which the output of the phase is cut.
  [[nodiscard]] std::size_t left_cut() const { return next_cut.value_or(cut); }
  /// Returns the axis that is cut into chunks.
  [[nodiscard]] std::size_t chunk_axis() const { return chunked.value_or(cut); }
};

/// Returns the phases of a transform of two or three axes, or of one axis. One axis is taken as two
/// axes of N1 and N2 elements, `lengths`: value n1 N2 + n2 is [n1][n2], bin k1 + N1 k2 is [k1][k2].
/// Not for specs that `uncut_reason` refuses. With copies, as many axes as possible are transformed
/// during an exchange, however scattered its stores. `lengths` of three axes for a spec of two are
/// `column_lengths` and the length of rows.
[[nodiscard]] std::vector<phase> phases_of(const plan_spec& spec,
                                           const std::vector<std::size_t>& lengths,
                                           bin_distribution bins, handover way);

/// Returns the two lengths as which columns of two axes are transformed for `handover::beside`: N1,
/// the divisor nearest to the root of the first length that is a multiple of `ranks`, and N2. Empty
/// if there is none, or if one pass makes the columns.
[[nodiscard]] std::vector<std::size_t> column_lengths(const plan_spec& spec, bin_distribution bins,
                                                      std::size_t ranks);

/// Returns the lengths of the axes that phases transform. For one axis they are N1 and N2, where N1
/// is the largest divisor up to 1,024 and the root of the length. Empty if the spec cannot be cut:
/// kinds from reals to reals, scrambled bins, one axis of reals, or a length without such a
/// divisor.
[[nodiscard]] std::vector<std::size_t> cut_lengths(const plan_spec& spec);

/// Returns the elements along all axes, the last one as that side of a kind has it; and the indices
/// of those in memory, which are all if no range is given.
[[nodiscard]] std::vector<std::size_t> elements_of(std::vector<std::size_t> lengths,
                                                   request::domain side);
[[nodiscard]] std::vector<index_range> ranges_of(const std::vector<std::size_t>& lengths,
                                                 const std::vector<index_range>& valid,
                                                 request::domain side);

struct byte_range {
  std::size_t first = 0, size = 0;
};

/// Ranges of equal size.
struct byte_rows {
  std::size_t first = 0, size = 0, count = 0;
  std::size_t stride = 0;  ///< From one to the next.
};

/// A transform in phases on `ranks` ranks. Phases are numbered from 0.
class phased_transform {
 public:
  /// Default number of a GPU's workgroups that store while others compute.
  static constexpr std::size_t usual_workgroups = 64;

  /// `uncut_reason` must not refuse the spec. `workgroups`: how many store if `way` is `beside`;
  /// `way` becomes `copies` if there are no `column_lengths`.
  phased_transform(plan_spec spec, bin_distribution bins, std::size_t ranks,
                   handover way = handover::stores, std::size_t workgroups = usual_workgroups);

  [[nodiscard]] const std::vector<phase>& phases() const { return phases_; }
  [[nodiscard]] handover way() const { return way_; }
  /// Returns whether the next phase takes chunks of what this phase stores, at the same time.
  [[nodiscard]] bool has_follower(std::size_t number) const;
  /// Returns the lengths of the axes of phases.
  [[nodiscard]] const std::vector<std::size_t>& inner_lengths() const { return inner_; }
  /// Returns whether columns of two axes are taken as two axes of phases.
  [[nodiscard]] bool has_columns_of_two() const { return inner_.size() > lengths_.size(); }
  /// Return the axes along which the array is cut before and after.
  [[nodiscard]] std::size_t first_cut() const { return phases_.front().cut; }
  [[nodiscard]] std::size_t last_cut() const {
    return has_columns_of_two() ? 1 : phases_.back().left_cut();
  }
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<std::size_t>& lengths() const { return lengths_; }

  /// Returns the complex roots that stores multiply by, empty if they do not; and whether the
  /// stores of a phase do.
  [[nodiscard]] std::vector<std::byte> roots() const;
  [[nodiscard]] bool has_twiddles(std::size_t number) const;

  /// Returns the indices of the cut axis that a rank has in a phase.
  [[nodiscard]] index_range share(std::size_t number, std::size_t rank) const;

  /// Returns the transforms that a rank makes for `count` indices of the chunk axis, with the store
  /// that moves the cut: to memory of others, or packed for each of them. Numbers of the rows and
  /// operands: see `exchange_store`.
  [[nodiscard]] plan_spec transforms(std::size_t number, std::size_t rank, std::size_t count,
                                     bool is_packed) const;

  /// Returns whether a functor of the spec loads the input of a phase.
  [[nodiscard]] bool has_load(std::size_t number) const {
    return number == 0 && spec_.load.is_given();
  }

  /// Returns the indices that are cut into chunks: those that a rank has of the axis that is cut,
  /// or all of another axis.
  [[nodiscard]] index_range chunk_range(std::size_t number, std::size_t rank) const;

  /// Returns the numbers that the store of a phase is given before the memory of others: the rank,
  /// and where a chunk begins in its own memory and in that of others; empty if it takes none.
  [[nodiscard]] std::vector<std::size_t> store_numbers(std::size_t number, std::size_t rank,
                                                       const index_range& chunk,
                                                       bool is_packed) const;

  /// Returns the bytes from one index of the chunk axis to the next in a phase's input.
  [[nodiscard]] std::size_t stride_bytes(std::size_t number, std::size_t rank) const;

  /// Returns whether the output holds what a phase leaves: after the last phase, and after the
  /// phase before it if the last phase works in place.
  [[nodiscard]] bool leaves_in_output(std::size_t number) const;

  /// Returns whether neighbours along the axis that is cut next, which one tile stores, are so far
  /// apart on other ranks that links may be slow, or were measured to be slow.
  [[nodiscard]] bool is_scattered(std::size_t number) const;

  /// Returns whether rows of the last axis, which other ranks receive, begin at any number, not at
  /// multiples of a link's transfer.
  [[nodiscard]] bool is_unaligned(std::size_t number) const;

  /// Returns the bytes that a rank has after a phase; and the bytes that it sends to others in it.
  [[nodiscard]] std::size_t left_bytes(std::size_t number, std::size_t rank) const;
  [[nodiscard]] std::size_t sent_bytes(std::size_t number, std::size_t rank) const;
  /// Describes what a rank sends to another in a phase: its range in the packed memory of the
  /// sender; and its rows, or those of a chunk, in the receiver's memory after the phase.
  [[nodiscard]] byte_range sent_range(std::size_t number, std::size_t rank, std::size_t peer) const;
  [[nodiscard]] byte_rows received_rows(std::size_t number, std::size_t rank,
                                        std::size_t peer) const;
  [[nodiscard]] byte_rows received_rows(std::size_t number, std::size_t rank, std::size_t peer,
                                        const index_range& chunk) const;
  /// Returns the bytes that a rank receives for one index of the axis that was cut before, over all
  /// transforms of the batch.
  [[nodiscard]] std::size_t received_bytes(std::size_t number, std::size_t rank) const;
  /// Returns the bytes that all ranks send, in a phase and in all phases.
  [[nodiscard]] std::size_t sent_bytes(std::size_t number) const;
  [[nodiscard]] std::size_t sent_bytes() const;

 private:
  [[nodiscard]] device::functors::exchange_numbers exchange(const phase& part, std::size_t count,
                                                            bool is_packed) const;
  [[nodiscard]] device::functors::exchange_numbers exchange_in_columns(std::size_t number,
                                                                       std::size_t rank,
                                                                       std::size_t count) const;
  /// Returns the part of the whole array that a plan of a phase numbers on one of its sides, within
  /// the valid ranges.
  [[nodiscard]] device::ends::array_part part_of(std::size_t number, std::size_t rank,
                                                 bool is_in) const;
  /// Return the precision, and the bytes of a complex number, between phases.
  [[nodiscard]] precision computed() const;
  [[nodiscard]] std::size_t complex_bytes() const;

  plan_spec spec_;
  std::vector<std::size_t> lengths_;
  std::size_t ranks_;
  std::vector<std::size_t> inner_;  ///< Lengths of the axes of phases.
  handover way_;
  std::size_t workgroups_;
  std::vector<phase> phases_;
};

}  // namespace wingbeat::distributing
