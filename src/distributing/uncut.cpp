// SPDX-License-Identifier: Apache-2.0
#include "distributing/uncut.hpp"

#include "distributing/phases.hpp"  // cut_lengths
#include "request/traits.hpp"       // traits_of
#include "text/counted.hpp"         // counted
#include "text/formatted.hpp"       // formatted

namespace wingbeat::distributing {
namespace {

std::string of_one_axis(const distributed_spec& spec) {
  constexpr const char* way = "set may_use_one_device, or give as many transforms as ranks";
  const plan_spec& asked = spec.transform;
  if (!asked.valid_in.empty() || !asked.valid_out.empty()) {
    return formatted("a range of one axis was given, which ranks have as two; leave it out, {}",
                     way);
  }
  if (!spec.in_boxes.empty() || !spec.out_boxes.empty()) {
    return formatted(
        "boxes were given of one axis that is cut, which ranks have as two; leave them out, {}",
        way);
  }
  if (spec.bins == bin_distribution::natural) {
    return formatted(
        "bins of one axis are cut in natural distribution; choose bin_distribution::transposed, {}",
        way);
  }
  return {};
}

std::string of_natural_bins(const distributed_spec& spec) {
  const plan_spec& asked = spec.transform;
  const bool is_to_reals = request::traits_of(asked.kind).out == request::domain::real;
  if (is_to_reals && asked.lengths.size() == 2) {
    return "bins in natural distribution of a transform of two axes to reals are cut along the "
           "axis that comes first; choose bin_distribution::transposed, or set may_use_one_device";
  }
  if (asked.store.is_given()) {
    return "a store functor was given with bins in natural distribution, which are moved once "
           "more; choose bin_distribution::transposed, or set may_use_one_device";
  }
  const precision computed = asked.real == precision::fp64 ? precision::fp64 : precision::fp32;
  const precision stored = asked.out.stored.value_or(asked.real);
  if (is_to_reals || stored == computed) return {};
  return formatted(
      "outputs in natural distribution are stored as {}, and {} was requested; choose "
      "bin_distribution::transposed, or set may_use_one_device",
      name_of(computed), name_of(stored));
}

}  // namespace

std::string uncut_reason(const distributed_spec& spec, std::size_t ranks) {
  const plan_spec& asked = spec.transform;
  if (cut_lengths(asked).empty()) {
    return formatted(
        "{} {} not cut, of one axis of reals or of a prime length, of scrambled bins or from reals "
        "to reals, so that some of {} ranks have no work; set may_use_one_device, or give as many "
        "transforms as ranks",
        counted(asked.batch, "transform"), asked.batch == 1 ? "is" : "are", ranks);
  }
  if (asked.lengths.size() == 1) return of_one_axis(spec);
  return spec.bins == bin_distribution::natural ? of_natural_bins(spec) : std::string{};
}

}  // namespace wingbeat::distributing
