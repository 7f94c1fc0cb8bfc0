// SPDX-License-Identifier: Apache-2.0
// The shapes that run best on each architecture, as measured: data only, one file each.
#pragma once

#include <array>
#include <concepts>  // convertible_to
#include <cstddef>   // size_t
#include <limits>
#include <span>

#include "wingbeat/device/workgroup/schedule.hpp"  // twiddling
#include "wingbeat/devices.hpp"                    // device_info
#include "wingbeat/plan.hpp"                       // precision

namespace wingbeat::tuning {

/// For which calls a shape is: by how many transforms of its length one call makes, both bounds
/// included.
struct count_range {
  std::size_t from = 1;
  std::size_t up_to = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] constexpr bool contains(std::size_t count) const {
    return from <= count && count <= up_to;
  }
  [[nodiscard]] constexpr bool ends() const {
    return up_to != std::numeric_limits<std::size_t>::max();
  }
};

// Fields of a shape:
// `length`: complex elements of one transform.
// `elements`: of one thread, at most the length.
// `lanes`: transforms of one workgroup, or of one cluster, at once.
// `half_trade`: exchange real parts, then imaginary parts, through half as much local memory.
// `fraction`: of the speed of a copy, as measured; 0: not measured.
// `resident`: workgroups at once that a multiprocessor has registers for, a launch bound of
//   the kernel, and local memory; 0: as many as it can hold. The rest of that memory is the L1
//   cache, which joins accesses of neighbouring threads to rows that begin anywhere in a sector.
// `prefetch_mib`: how far ahead input is prefetched into L2; 0: not at all.
// `streams`: output is written by streaming stores, which leave the caches first.
// `across`: rows of primes that are staged: neighbouring threads take neighbouring rows, whose
//   elements in any order they find in banks of their own.
// `counts`: see above. Of the shapes of one length, the first for the call's count is taken.
// Lists are in any order, and may lack lengths.

/// How one workgroup transforms rows or columns of one length, columns being neighbours in memory;
/// or how a cluster of workgroups transforms a line of `length` elements as `first` times the rest,
/// or a plane of `first` rows. Of a cluster's shapes the first that fits the device is taken.
struct shape {
  std::size_t length = 1;
  std::size_t first = 1;
  unsigned elements = 1;
  unsigned workgroups = 1;  ///< Of one cluster.
  unsigned lanes = 1;
  bool half_trade = false;
  bool stage_in = false;   ///< Rows: load through local memory, contiguously.
  bool stage_out = false;  ///< Rows: store through local memory, contiguously.
  float fraction = 0;
  unsigned resident = 0;
  unsigned prefetch_mib = 0;
  bool streams = false;  ///< Columns: only over the input; those written elsewhere never stream.
  bool across = false;
  count_range counts = {};
};

/// The most passes that an axis is cut into: four of 128 make the longest length.
inline constexpr std::size_t most_parts = 4;

/// How an axis too long for one pass is cut: the length of each pass, whose product is `length`; 0
/// behind the last. A cut whose `counts` end, for few transforms, is taken even where a shape takes
/// the row whole.
struct cut {
  std::size_t length = 1;
  std::array<std::size_t, most_parts> parts = {};
  count_range counts = {};
};

/// Lists of shapes, or of cuts, as one, the first before the others. An architecture extends
/// another's lists by naming its own before them.
template <class Entry>
class table {
 public:
  constexpr table() = default;
  template <class... Lists>
  requires(sizeof...(Lists) > 0 && (std::convertible_to<const Lists&, std::span<const Entry>> &&
                                    ...)) constexpr table(const Lists&... lists)
      : lists_{std::span<const Entry>{lists}...} {}

  /// An entry of any list; clang 14 has no views of libstdc++.
  class iterator {
   public:
    constexpr iterator(const table& owner, std::size_t list) : lists_(&owner.lists_), list_(list) {
      skip_ends();
    }
    constexpr const Entry& operator*() const { return (*lists_)[list_][entry_]; }
    constexpr iterator& operator++() {
      ++entry_;
      skip_ends();
      return *this;
    }
    constexpr bool operator==(const iterator&) const = default;

   private:
    constexpr void skip_ends() {
      for (; list_ < lists_->size() && entry_ == (*lists_)[list_].size(); ++list_) entry_ = 0;
    }
    const std::array<std::span<const Entry>, 4>* lists_;
    std::size_t list_, entry_ = 0;
  };

  [[nodiscard]] constexpr iterator begin() const { return {*this, 0}; }
  [[nodiscard]] constexpr iterator end() const { return {*this, lists_.size()}; }
  [[nodiscard]] constexpr bool is_empty() const { return begin() == end(); }

  /// Returns the first entry for `count` transforms of this length in a call, or nullptr.
  [[nodiscard]] constexpr const Entry* find(std::size_t length, std::size_t count) const {
    for (const Entry& each : *this) {
      if (each.length == length && each.counts.contains(count)) return &each;
    }
    return nullptr;
  }

 private:
  std::array<std::span<const Entry>, 4> lists_ = {};
};

/// How rows are transformed: in one workgroup, in one cluster, or cut; and planes of rows at once.
struct row_shapes {
  table<shape> whole = {};
  table<shape> lines = {};
  table<cut> cuts = {};  ///< Other lengths are cut evenly.
  table<shape> planes = {};
  table<shape> mirrored = {};  ///< Columns whose opposite bins meet.
};

/// The shape of rows that are no powers of two and that no data describes, and how those that are
/// longer are cut; chosen to fit any device, not measured.
struct row_defaults {
  std::size_t longest = std::size_t{1} << 15;       ///< Longer ones are cut.
  std::size_t longest_part = std::size_t{1} << 12;  ///< So that no pass is longer, if that can be.
  /// Of a thread; of fp64 on GPUs half of them, or the length's greatest prime factor.
  unsigned max_elements = 32;
  unsigned threads_of_workgroup = 128;  ///< Rows of fewer threads share a workgroup.
  /// Rows of primes lie across threads where a workgroup has so many; more of few threads each.
  unsigned min_rows_across = 4, max_rows_across = 16;
  /// Rows of a prime number of reals that a call has, where they are convolved as such; those of
  /// fewer wait for each of their steps.
  std::size_t fewest_prime_rows = 4096;
  /// One thread takes longer for more points than several for a chirp, where there are few rows: 31
  /// 3.5 us alone, 61 with a chirp 2.4 (H200, section 40).
  unsigned longest_of_one = 23;
  /// Of reals that are padded, so many bytes of numbers are in registers of a multiprocessor at
  /// once: 80 registers a thread for 83, and three rows of 4,093 for two.
  std::size_t padded_bytes = std::size_t{96} << 10;
  std::size_t shortest_prefetched = 64;        ///< 4 MiB ahead,
  std::size_t shortest_far_prefetched = 2048;  ///< and 8 MiB from here on.
};

/// The shape of columns that no data describes; chosen to fit any GPU, not measured.
struct column_defaults {
  std::size_t longest = 4096;                 ///< Longer ones are cut into more passes.
  std::size_t elements_per_workgroup = 4096;  ///< 32 KiB of fp32.
  unsigned max_columns = 64;
  std::size_t short_length = 64;              ///< Up to this length,
  unsigned elements_per_thread_of_short = 8;  ///< a thread has so many elements,
  unsigned elements_per_thread = 16;          ///< and so many beyond.
};

/// What shapes by rule are compared by, in units of `estimated_cost` (device/workgroup/advise.hpp).
/// Measured on an H200 (bench/NOTES.md, section 21).
struct rule_costs {
  unsigned staged_row = 512;
  /// Rows whose threads read beyond the ends of sectors: times sectors for each run of neighbours,
  unsigned cut_sector = 6144;
  unsigned max_cut_sectors = 2500;  ///< and up to this.
  unsigned column_element = 32;     ///< Of each element that a thread of columns holds,
  unsigned convolved_element = 16;  ///< or one of convolved rows.
  /// Of convolved rows of up to so many points, a thread holds at most so many in a stage: 520 in
  /// 20s (of 26) 0.41 of a copy, in 10s 0.49; 576 in 24s 0.75, in 8s 0.54 (section 31).
  unsigned short_convolved = 2048, max_held_of_convolved = 24;
  /// From this prime factor on, a thread has as many elements: fp64 of 51, 57, 69 by 3 elements
  /// 0.4 of a copy, 95 and 119 by 19 and 17 0.94 and 0.97 (sections 38, 44).
  unsigned least_whole_radix = 17;
  /// Opposite bins meet in pairs where a thread's elements are even; else both are loaded twice.
  unsigned unpaired_quarters = 5;
  unsigned register_quarters = 5;  ///< Of the estimate, so that few kernels spill.
  /// Of a multiprocessor, for all threads of a workgroup. Processors spill to their caches instead.
  std::size_t registers_of_workgroup = 65536;
};

/// Columns whose bins meet and that no data describes: bounds within which registers do not spill
/// (compiled for sm_80, sm_90 and sm_100), since opposite bins are in registers at once.
struct mirrored_limits {
  std::size_t longest = std::numeric_limits<std::size_t>::max();
  unsigned most_threads = std::numeric_limits<unsigned>::max();  ///< Of a workgroup.
  unsigned most_resident = 1;
};

/// One precision's shapes. Rows of reals and of bins are listed by the length of the complex
/// transform between them.
struct shapes {
  row_shapes rows = {};                 ///< Of complex numbers.
  row_shapes rows_of_reals = {};        ///< That become bins; if nothing is whole, rows as `rows`.
  row_shapes rows_of_bins = {};         ///< That become reals; the same.
  table<shape> odd_rows_of_reals = {};  ///< That become bins; lengths that are missing as `rows`.
  /// Rows that are convolved in one launch; lengths that are missing as those of `rows`. They
  /// decide where spectra have their bins, so `counts` is not looked at.
  table<shape> convolutions = {};
  /// Rows of p points, a prime, that are convolved within p - 1, by the latter; others by the rule.
  table<shape> primes = {};
  /// Rows of p reals, a prime, or of their bins, by (p - 1) / 2.
  table<shape> primes_of_reals = {};
  /// Rows that are convolved with a chirp, by the length M that they are convolved within; others
  /// as `convolutions`, or by the rule. Fractions are of the longest rows, of (M + 1) / 2 points.
  table<shape> chirps = {};
  table<shape> columns = {};
  table<shape> column_lines = {};
  mirrored_limits unmeasured_mirrored = {};
};

/// How long passes take that were not measured, or not in their place: in copies of what they move.
/// Measured on an H200; sections are of bench/NOTES.md.
struct time_model {
  /// Rows that one workgroup convolves, in copies for each point: of powers of two so long for up
  /// to 512 points, and so many times as long for each doubling beyond; of others `stage_cost` over
  /// this, at least as long, and so many times as long for each doubling beyond 2,048. Rader's
  /// order of rows takes as much more, which grows as that of powers of two. bench/NOTES.md,
  /// section 31.
  double convolved_power = 0.55, convolved_power_growth = 1.12;
  double convolved_stages = 3300, convolved_least = 0.57, convolved_growth = 1.2;
  double rader_point = 0.3;
  double rader_point_across = 0.1;  ///< Where neighbouring threads take neighbouring rows.
  /// Rows that are full of points, convolved between columns, take so many times as long as ones
  /// that are half of padding: 4,096 and 8,192 points 0.88 and 0.80 of a copy (section 53).
  double convolved_full = 1.45;
  double convolved_full_mixed = 1.9;  ///< Of others: 9,216 points 138 instructions each, for 106.
  /// Columns of which fewer bytes lie side by side take so many times as long for each halving:
  /// 1,024 points in 128 bytes 0.93, 2,048 in 64 0.74, 4,096 in 32 0.57 of a copy (section 8).
  double wide_columns = 128, narrower = 1.28;
  double unmeasured = 1.25;  ///< Of a pass of no measured speed: an estimate.
  /// Rows with twiddles take (1 + this / elements per thread) times as long, because they read rows
  /// of roots: 0.92, 0.88 and 0.73 of a copy with 32, 16 and 8 elements, for 0.98 (section 9).
  double twiddle_elements = 2.2;
  /// Long rows of a workgroup take so many times as long without the prefetches that they were
  /// measured with: 0.95 for 0.82 of a copy (section 12).
  double without_prefetch = 1.16;
  /// Scrambled bins have to take less than this share of natural order's time: a gain of less is
  /// within what measurements differ by.
  double least_gain = 0.98;
  /// Columns of no measured speed are at most so many times longer than in natural order.
  std::size_t unmeasured_growth = 2;
};

/// How passes are laid over memory. Measured on an H200; sections are of bench/NOTES.md.
struct placement_rules {
  /// A butterfly of more bytes fills a multiprocessor. With twiddles such butterflies lose by
  /// prefetches and by streaming: 0.37 for 0.395 of a copy at 2^24 (section 13).
  std::size_t long_bytes = std::size_t{1} << 16;
  /// Lanes go on in the next row of columns where one lane in so many, or more, would be left over
  /// at the end of each: 512 x 512 real to complex 0.44 for 0.43 (section 10).
  std::size_t flat_lanes = 20;
  /// Rows that begin on multiples of so many elements, whole sectors of fp32, keep their tiles:
  /// 512 x 512 complex to real 0.46 for 0.35 (section 10).
  std::size_t sector_elements = 4;
  /// The smallest unit of memory traffic: rows that alternate by element move so many bytes at
  /// once.
  std::size_t sector_bytes = 32;
  /// Columns that are convolved leave so many neighbours together, or a sector of them, for the
  /// rows that go through next: 3,584 rows of 4,096 reals took 60 us for 90 (section 16). 0: whole
  /// columns.
  std::size_t result_block = 4;
  /// Arrays of fewer bytes are read from the cache, in blocks or not: an estimate.
  std::size_t min_blocked_bytes = std::size_t{16} << 20;
  /// Arrays between the passes of a convolution that are larger leave the caches, 50 MB on an H200;
  /// signals then go one after another.
  std::size_t cached_bytes = std::size_t{48} << 20;
  /// Between two axes rows of an odd length begin on multiples of so many bytes: 256 x 256 complex
  /// to real gains 3 % over 64, 256 cubed 4 % (section 13).
  std::size_t line_bytes = 128;
  /// A call of so few transforms that a launch has less than so many workgroups for each
  /// multiprocessor takes fewer lanes a workgroup; 0: it does not. And columns leave so many bytes
  /// side by side: requests count, not bytes, where all is in L2 (section 23).
  double least_workgroups_per_unit = 0.25;
  std::size_t least_side_by_side = 64;
  std::size_t threads_of_subgroup = 32;  ///< And no fewer than these have work.
  /// Lines of reals from which functors make rows are prefetched so far ahead, at least: their
  /// loads alternate with products, and few are under way.
  std::size_t line_prefetch_bytes = std::size_t{4} << 20;
  /// If they have so many bytes; of those whose bins are combined (dct3) neither of more than the
  /// second nor of fewer than the third: 8 reals 0.70 for 0.92 of a copy, dct3 of 1,024 0.72 for
  /// 0.92, but of 256 0.87 for 0.80, of 8,192 0.77 for 0.59 (H100, section 44).
  std::size_t least_line_bytes = 256, max_short_bins = 1024, min_long_bins = 32768;
  /// Many lines of reals, of powers of two, have at least so many elements a thread, where a launch
  /// has so many workgroups for each multiprocessor: fewer instructions, 55 a real of dct1 of 1,025
  /// for 69. Not shorter ones than these, by a real or by a complex transform, nor dct2, which
  /// memory binds: dct1 of 1,025 0.99 of a copy for 0.86, dct3 of 1,024 0.94 for 0.92, dct4 of 256
  /// 0.97 for 0.95, but dct1 of 257 0.88 for 0.99, dct2 of 256 0.75 for 0.99 (H100).
  unsigned elements_of_lines = 16;
  std::size_t shortest_pairs = 512, shortest_complex = 128, workgroups_of_many_lines = 8;
  /// Of complex rows of so many points each is a thread's, so many side by side: dct4 of 8 0.88 of
  /// a copy for 0.80 (H200, section 60).
  unsigned points_of_one_thread = 4, rows_of_single_threads = 128;
  /// Long lines of bins have 32 rather than more threads, because all of a thread's loads are under
  /// way at once: dct3 of 16,384 0.87 for 0.57, of 32,768 0.67 for 0.41 (H100).
  unsigned max_threads_of_bins = 256;
  /// Threads of a multiprocessor whose lines are exchanged whole, if they fit.
  std::size_t threads_of_lines = 1024;
  /// On a processor columns go in fewer lanes where fewer are left over, but fill its vectors.
  unsigned least_lanes_of_processor = 16;
  /// Launches that move no more begin early: what it saves, about 1 us, shows.
  std::size_t max_early_bytes = std::size_t{64} << 20;
  /// The most bytes that a call of one launch, or of several, moves if it is repeated as a graph.
  /// Longer calls lose more by the graph, whose launches do not begin before the call before has
  /// ended, than the calling thread gains. If no launch of a call begins early, it has no such
  /// limit (section 24).
  std::size_t max_graph_bytes_of_one = std::size_t{32} << 10;
  std::size_t max_graph_bytes_of_several = std::size_t{8} << 20;
  /// Of what one workgroup convolves, of powers of two, which instructions bind (section 43).
  device::workgroup::twiddling convolved_twiddles = device::workgroup::twiddling::apart;
  /// Shorter rows are not padded, because it would add more than an eighth (section 10).
  std::size_t shortest_padded = 128;
};

/// How filter banks are cut. Measured on an H200; sections are of bench/NOTES.md.
struct bank_rules {
  /// Complex numbers of a workgroup's rows, in one launch: 64 KiB, so that two or three are
  /// resident.
  unsigned numbers_of_workgroup = 8192;
  unsigned max_sliding = 8;  ///< Spectra that a thread slides over.
  /// Of the transforms of a bank in one launch, which instructions bind (section 43).
  device::workgroup::twiddling twiddles = device::workgroup::twiddling::apart;
  /// Numbers of a thread. Compilers for processors take their time over long unrolled transforms.
  unsigned elements = 32;
  /// Subgroups of a multiprocessor, of lengths that are no powers of two: 128 registers a thread;
  /// with fewer, and with some more, filters spill. The fewest: four in one of its four parts.
  unsigned max_subgroups = 16, min_subgroups = 13;
  /// With fewer channels there is little to win, and rows of a thread or two to transform.
  std::size_t min_fused_channels = 64;
  /// From here on three launches are quicker where the length is no power of two: 1,000, 1,200 and
  /// 1,536 channels took 7.6, 7.0 and 6.4 ps a sample, for 5.9, 5.9 and 5.7.
  std::size_t min_chained_channels = 1000;
  /// Workgroups of filters alone that a multiprocessor is to hold, whose threads have 16 spectra:
  /// 4,096 channels took 1.66 ps a sample with 4, 1.57 with 5, which spill at other counts.
  unsigned resident_filters = 4;
};

struct architecture {
  const char* name = "";
  unsigned bank_bytes = 0;  ///< Width of all banks of local memory together; 0 on a CPU.
  shapes fp32 = {};
  shapes fp64 = {};
  shapes stored_in_16_bits = {};  ///< Computed in fp32; if no row is whole, as `fp32`.
  row_defaults other_rows = {};
  column_defaults other_columns = {};
  rule_costs costs = {};
  time_model times = {};
  placement_rules placing = {};
  bank_rules banks = {};
};

/// Returns the shapes for plans that store this precision.
[[nodiscard]] const shapes& shapes_for(const architecture& data, precision stored);

/// Returns the data for a device: its own architecture's, or the nearest in kind.
[[nodiscard]] const architecture& for_device(const device_info& device);

[[nodiscard]] const architecture& hopper();
[[nodiscard]] const architecture& ampere();
[[nodiscard]] const architecture& opencl_gpu();
[[nodiscard]] const architecture& opencl_cpu();

}  // namespace wingbeat::tuning
