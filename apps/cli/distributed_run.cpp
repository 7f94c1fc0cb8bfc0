// SPDX-License-Identifier: Apache-2.0
#include "cli/distributed_run.hpp"

#include <algorithm>  // max, min
#include <optional>
#include <string_view>
#include <type_traits>  // conditional_t, is_same_v
#include <utility>      // pair
#include <vector>

#include "distributing/whole_run.hpp"  // whole_lengths
#include "functors/stored_number.hpp"  // with_stored
#include "measure/rounds.hpp"          // timed_run, take_turns
#include "measure/wall_time.hpp"       // seconds_of
#include "processes/group.hpp"         // group
#include "request/traits.hpp"          // traits_of, reals_of
#include "text/formatted.hpp"          // formatted
#include "verify/distance.hpp"         // distance
#include "verify/elements.hpp"         // noise_at
#include "wingbeat/buffer.hpp"         // buffer
#include "wingbeat/error.hpp"          // memory_error

namespace wingbeat::cli {
namespace {

/// Calls visit(element of the part, element of the whole array, width) for every `step`-th row of a
/// box along its last axis, `step` such that about `n_most` rows are visited.
template <class Visit>
void each_row(const box& part, const std::vector<std::size_t>& lengths, std::size_t n_most,
              Visit visit) {
  const std::size_t last = lengths.size() - 1, width = part.length(last);
  const std::size_t n_rows = width == 0 ? 0 : part.count() / width;
  const std::size_t step = std::max<std::size_t>(n_rows / n_most, 1);
  for (std::size_t row = 0; row < n_rows; row += step) {
    std::size_t left = row, place = part.lower[last], stride = lengths[last];
    for (std::size_t axis = last; axis-- > 0;) {
      place += (left % part.length(axis) + part.lower[axis]) * stride;
      left /= part.length(axis);
      stride *= lengths[axis];
    }
    visit(row * width, place, width);
  }
}

/// Returns an element's place in the array of one device, given its place in the array of ranks.
/// Bins of one axis, which ranks hold as [batch][k1][k2], are bins k1 + N1 k2.
std::size_t place_alone(std::size_t place, const std::vector<std::size_t>& lengths,
                        bool are_bins_of_one_axis) {
  if (!are_bins_of_one_axis) return place;
  const std::size_t n1 = lengths[1], n2 = lengths[2], b = place / (n1 * n2);
  return b * n1 * n2 + place / n2 % n1 + n1 * (place % n2);
}

/// A plan with the memory of all its ranks, in reals stored as Real.
template <class Real>
class side_by_side {
 public:
  side_by_side(const domain& ranks, const distributed_spec& spec)
      : ranks_(ranks), transforms_(ranks, spec) {
    const request::traits& kind = request::traits_of(spec.transform.kind);
    in_reals_ = request::reals_of(kind.in);
    out_reals_ = request::reals_of(kind.out);
    const std::size_t n_axes = transforms_.in_boxes()[0].lower.size() - 1;
    is_one_axis_ = n_axes > spec.transform.lengths.size();
    is_forward_ = kind.is_forward;
    constexpr std::size_t least = 16;  // for ranks without elements
    in_.resize(ranks_.size());
    out_.resize(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_.has(rank)) {
        in_[rank] = buffer{ranks_.at(rank), std::max(transforms_.in_bytes(rank), least)};
        out_[rank] = buffer{ranks_.at(rank), std::max(transforms_.out_bytes(rank), least)};
        write_noise(rank);
      }
      in_views_.push_back(in_[rank].view());
      out_views_.push_back(out_[rank].view());
    }
  }

  [[nodiscard]] const distributed_plan& transforms() const { return transforms_; }

  void enqueue() { transforms_.enqueue(in_views_, out_views_); }

  [[nodiscard]] double seconds_of(std::size_t n_runs) {
    return measure::seconds_of([&] {
      for (std::size_t i = 0; i < n_runs; ++i) enqueue();
      ranks_.wait();
    });
  }

  /// Returns the difference of a sample of its results from those of one rank.
  [[nodiscard]] double difference_from(const side_by_side& alone) const {
    constexpr std::size_t n_rows = 64;
    const std::vector<std::size_t> lengths = distributing::whole_lengths(transforms_.out_boxes());
    verify::distance found;
    for (std::size_t rank = 0; rank < out_.size(); ++rank) {
      if (!ranks_.has(rank)) continue;
      each_row(transforms_.out_boxes()[rank], lengths, n_rows,
               [&](std::size_t element, std::size_t place, std::size_t width) {
                 const bool are_bins = is_one_axis_ && is_forward_;
                 if (are_bins) width = std::min(width, n_rows);
                 const std::vector<Real> x = read(out_[rank], element, width);
                 std::vector<Real> y;
                 for (std::size_t i = 0; i < width; i += are_bins ? 1 : width) {
                   const auto next = read(alone.out_[0], place_alone(place + i, lengths, are_bins),
                                          are_bins ? 1 : width);
                   y.insert(y.end(), next.begin(), next.end());
                 }
                 for (std::size_t i = 0; i < x.size(); ++i) {
                   found.add(static_cast<double>(x[i]), static_cast<double>(y[i]));
                 }
               });
    }
    return static_cast<double>(found.relative_largest());
  }

 private:
  void write_noise(std::size_t rank) {
    constexpr std::size_t piece_reals = std::size_t{1} << 23;
    using number = std::conditional_t<std::is_same_v<Real, double>, double, float>;
    const box& part = transforms_.in_boxes()[rank];
    std::vector<Real> values;
    std::size_t n_written = 0;
    const auto write = [&] {
      in_[rank].write(values.data(), values.size() * sizeof(Real), n_written * sizeof(Real));
      n_written += values.size();
      values.clear();
    };
    const bool are_apart = is_one_axis_ && !is_forward_;
    const std::vector<std::size_t> lengths = distributing::whole_lengths(transforms_.in_boxes());
    each_row(part, lengths, part.count() + 1,
             [&](std::size_t, std::size_t place, std::size_t width) {
               for (std::size_t i = 0; i < width * in_reals_; ++i) {
                 const std::size_t element = place_alone(place + i / in_reals_, lengths, are_apart);
                 const double noise = verify::noise_at(element * in_reals_ + i % in_reals_);
                 values.push_back(static_cast<Real>(static_cast<number>(noise)));
                 if (values.size() == piece_reals) write();
               }
             });
    if (!values.empty()) write();
  }

  [[nodiscard]] std::vector<Real> read(const buffer& memory, std::size_t element,
                                       std::size_t width) const {
    std::vector<Real> values(width * out_reals_);
    memory.read(values.data(), values.size() * sizeof(Real), element * out_reals_ * sizeof(Real));
    return values;
  }

  domain ranks_;
  distributed_plan transforms_;
  std::size_t in_reals_ = 1, out_reals_ = 1;
  bool is_one_axis_ = false, is_forward_ = true;  ///< One axis, held by ranks as two.
  std::vector<buffer> in_, out_;
  std::vector<buffer_view> in_views_, out_views_;
};

/// Returns rank 0's number, or without other processes this one's.
double of_first(const domain& ranks, double number) {
  return ranks.group() ? std::stod(ranks.group()->gather(formatted("{:e}", number))[0]) : number;
}

/// Returns the largest number of all processes.
double largest_of(const domain& ranks, double number) {
  if (!ranks.group()) return number;
  for (const std::string& each : ranks.group()->gather(formatted("{:e}", number))) {
    number = std::max(number, std::stod(each));
  }
  return number;
}

/// Returns the plan on one device; nothing if a process has no memory for it.
template <class Real>
std::optional<side_by_side<Real>> one_device(const domain& ranks, const distributed_spec& spec) {
  std::optional<side_by_side<Real>> alone;
  try {
    alone.emplace(domain::of_queues({ranks.at(ranks.first())}), spec);
    alone->enqueue();
    ranks.wait();
  } catch (const memory_error&) {
    alone.reset();
  }
  if (largest_of(ranks, alone ? 0 : 1) > 0) alone.reset();
  return alone;
}

template <class Real>
distributed_run run_as(domain& ranks, const distributed_spec& spec,
                       const measure::stop_rule& rule) {
  side_by_side<Real> several{ranks, spec};
  several.enqueue();
  ranks.wait();
  std::optional<side_by_side<Real>> alone = one_device<Real>(ranks, spec);
  distributed_run result{.uses_one_device = several.transforms().uses_one_device(),
                         .sent_bytes = several.transforms().sent_bytes(),
                         .explained = several.transforms().explain()};
  // All take rank 0's time, so that all make the same runs.
  const auto agreed = [&](double seconds) { return of_first(ranks, seconds); };
  std::vector<measure::timed_run> runs{
      {"several", [&](std::size_t n_runs) { return agreed(several.seconds_of(n_runs)); }}};
  if (alone) {
    result.difference = largest_of(ranks, several.difference_from(*alone));
    runs.push_back({"one", [&](std::size_t n_runs) {
                      return agreed(ranks.has(0) ? alone->seconds_of(n_runs) : 0);
                    }});
  }
  measure::take_turns(runs, rule, 0.02, {}, agreed);
  result.several_s = runs[0].median_s();
  if (alone) result.one_s = runs[1].median_s();
  return result;
}

}  // namespace

std::string in_options(std::string refusal) {
  constexpr std::pair<std::string_view, std::string_view> terms[] = {
      {"choose bin_distribution::transposed", "leave out --natural-bins"},
      {"set may_use_one_device", "leave out --all-devices"},
  };
  for (const auto& [field, option] : terms) {
    const std::size_t begin = refusal.find(field);
    if (begin != std::string::npos) refusal.replace(begin, field.size(), option);
  }
  return refusal;
}

distributed_run run_distributed(domain& ranks, const distributed_spec& spec,
                                const measure::stop_rule& rule) {
  const precision real = spec.transform.real;
  if (real == precision::fp64) return run_as<double>(ranks, spec, rule);
  return with_stored<float>(
      real, [&](auto stored) { return run_as<decltype(stored)>(ranks, spec, rule); });
}

}  // namespace wingbeat::cli
