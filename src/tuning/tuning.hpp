// SPDX-License-Identifier: Apache-2.0
// The best measured shapes of each architecture: data only, one file each.
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

/// The calls that a shape is for: the number of transforms of its length in one call, both bounds
/// included.
struct count_range {
  std::size_t min = 1;
  std::size_t max = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] constexpr bool contains(std::size_t count) const {
    return min <= count && count <= max;
  }
  [[nodiscard]] constexpr bool ends() const {
    return max != std::numeric_limits<std::size_t>::max();
  }
};

// Fields of a shape:
// `length`: complex elements of one transform.
// `elements`: elements of one thread, at most the length.
// `lanes`: transforms of one workgroup, or of one cluster, at once.
// `half_trade`: exchange real parts, then imaginary parts, through half as much local memory.
// `fraction`: measured speed as a fraction of a copy's; 0: not measured.
// `resident`: workgroups at once for which a multiprocessor has registers (a launch bound of the
//   kernel) and local memory; 0: as many as it can hold. The rest of that memory is the L1 cache,
//   which joins accesses of neighbouring threads to rows that begin within a sector.
// `prefetch_mib`: how far ahead input is prefetched into L2; 0: not at all.
// `streams`: output is written by streaming stores, which leave the caches first.
// `across`: for staged rows of primes: neighbouring threads take neighbouring rows, whose elements
//   lie in banks of their own in any order.
// `counts`: see above. The first shape of a length that fits the call's count is taken.
// Lists are in any order, and may lack lengths.

/// How one workgroup transforms rows or columns of one length, where columns are neighbours in
/// memory; or how a cluster of workgroups transforms a line of `length` elements as `first` times
/// the rest, or a plane of `first` rows. A cluster's first shape that fits the device is taken.
struct shape {
  std::size_t length = 1;
  std::size_t first = 1;
  unsigned elements = 1;
  unsigned workgroups = 1;  ///< In one cluster.
  unsigned lanes = 1;
  bool half_trade = false;
  bool stage_in = false;   ///< Rows: load through local memory, contiguously.
  bool stage_out = false;  ///< Rows: store through local memory, contiguously.
  float fraction = 0;
  unsigned resident = 0;
  unsigned prefetch_mib = 0;
  bool streams = false;  ///< Columns: only if they overwrite their input; otherwise they never
                         ///< stream.
  bool across = false;
  count_range counts = {};
};

/// The most passes that an axis is cut into: four of 128 make the longest length.
inline constexpr std::size_t most_parts = 4;

/// How an axis too long for one pass is cut: the length of each pass, whose product is `length`; 0
/// after the last. A cut whose `counts` are bounded, for few transforms, takes precedence over a
/// shape for the whole row.
struct cut {
  std::size_t length = 1;
  std::array<std::size_t, most_parts> parts = {};
  count_range counts = {};
};

/// Several lists of shapes or cuts as one, earlier lists first. An architecture extends another's
/// lists by naming its own before them.
template <class Entry>
class table {
 public:
  constexpr table() = default;
  template <class... Lists>
  requires(sizeof...(Lists) > 0 && (std::convertible_to<const Lists&, std::span<const Entry>> &&
                                    ...)) constexpr table(const Lists&... lists)
      : lists_{std::span<const Entry>{lists}...} {}

  /// Iterates over the entries of all lists; clang 14 does not compile libstdc++'s views.
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

/// The shape of rows that are not powers of two and that no data describes, and how longer rows are
/// cut; chosen to fit any device, not measured.
struct row_defaults {
  std::size_t longest = std::size_t{1} << 15;       ///< Longer rows are cut.
  std::size_t longest_part = std::size_t{1} << 12;  ///< Longest pass, if possible.
  /// Per thread; for fp64 on GPUs half as many, or the length's greatest prime factor.
  unsigned max_elements = 32;
  unsigned threads_of_workgroup = 128;  ///< Rows of fewer threads share a workgroup.
  /// Rows of primes lie across threads if a workgroup has this many; more rows if they have few
  /// threads.
  unsigned min_rows_across = 4, max_rows_across = 16;
  /// Fewest rows of a call that convolve a prime number of reals as reals; fewer rows wait in each
  /// step.
  std::size_t fewest_prime_rows = 4096;
  /// The longest prime of one thread. With few rows, several threads and a chirp are faster for
  /// more: 31 took 3.5 us alone, 61 with a chirp 2.4 us (H200).
  unsigned longest_of_one = 23;
  /// Padded reals: bytes of numbers that a multiprocessor's registers hold at once: 80 registers
  /// per thread instead of 83, and three rows of 4,093 instead of two.
  std::size_t padded_bytes = std::size_t{96} << 10;
  std::size_t shortest_prefetched = 64;        ///< Prefetched 4 MiB ahead,
  std::size_t shortest_far_prefetched = 2048;  ///< or 8 MiB ahead from this length on.
};

/// The shape of columns that no data describes; chosen to fit any GPU, not measured.
struct column_defaults {
  std::size_t longest = 4096;                 ///< Longer columns are cut into more passes.
  std::size_t elements_per_workgroup = 4096;  ///< 32 KiB of fp32.
  unsigned max_columns = 64;
  std::size_t short_length = 64;              ///< Up to this length,
  unsigned elements_per_thread_of_short = 8;  ///< a thread has this many elements,
  unsigned elements_per_thread = 16;          ///< and this many beyond.
};

/// Costs that compare shapes chosen by rule, in units of `estimated_cost`
/// (device/workgroup/advise.hpp). Measured on an H200
/// (bench/lessons/lengths.md#shapes-of-mixed-lengths).
struct rule_costs {
  unsigned staged_row = 512;
  /// Rows whose threads read beyond the ends of sectors: times sectors per run of neighbours,
  unsigned cut_sector = 6144;
  unsigned max_cut_sectors = 2500;  ///< and up to this.
  unsigned column_element = 32;     ///< Per element that a thread of columns holds,
  unsigned convolved_element = 16;  ///< and per element of convolved rows.
  /// For convolved rows of up to `short_convolved` points: maximum elements of a thread in a stage.
  /// 520 reached 0.41 of a copy in 20s (of 26), 0.49 in 10s; 576 reached 0.75 in 24s, 0.54 in 8s.
  unsigned short_convolved = 2048, max_held_of_convolved = 24;
  /// From this prime factor on, a thread has as many elements: in fp64, 51, 57 and 69 reached 0.4
  /// of a copy by 3 elements; 95 and 119 reached 0.94 and 0.97 by 19 and 17.
  unsigned least_whole_radix = 17;
  /// Opposite bins meet in pairs if a thread's elements are even; otherwise both are loaded twice.
  unsigned unpaired_quarters = 5;
  unsigned register_quarters = 5;  ///< 5/4 of the estimate must fit, so that few kernels spill.
  /// Registers of a multiprocessor, for all threads of a workgroup. Processors spill to caches
  /// instead.
  std::size_t registers_of_workgroup = 65536;
};

/// Limits of columns whose bins meet and that no data describes. Opposite bins are in registers at
/// once; within the limits they do not spill (compiled for sm_80, sm_90 and sm_100).
struct mirrored_limits {
  std::size_t longest = std::numeric_limits<std::size_t>::max();
  unsigned most_threads = std::numeric_limits<unsigned>::max();  ///< In one workgroup.
  unsigned most_resident = 1;
};

/// One precision's shapes. Rows of reals and of bins are listed by the length of the complex
/// transform between them.
struct shapes {
  row_shapes rows = {};                 ///< Rows of complex numbers.
  row_shapes rows_of_reals = {};        ///< They become bins; without whole shapes, as `rows`.
  row_shapes rows_of_bins = {};         ///< They become reals; without whole shapes, as `rows`.
  table<shape> odd_rows_of_reals = {};  ///< They become bins; missing lengths as `rows`.
  /// Rows that are convolved in one launch; missing lengths as `rows`. They decide the order of a
  /// spectrum's bins, so `counts` is ignored.
  table<shape> convolutions = {};
  /// Rows of p points, a prime, that are convolved within p - 1, listed by p - 1; others by the
  /// rule.
  table<shape> primes = {};
  /// Rows of p reals, a prime, or of their bins, listed by (p - 1) / 2.
  table<shape> primes_of_reals = {};
  /// Rows that are convolved with a chirp, listed by the length M that they are convolved within;
  /// others as `convolutions`, or by the rule. Fractions are of the longest rows, (M + 1) / 2
  /// points.
  table<shape> chirps = {};
  table<shape> columns = {};
  table<shape> column_lines = {};
  mirrored_limits unmeasured_mirrored = {};
};

/// The time of passes that were not measured, or not in their place, in copies of what they move.
/// Measured on an H200; sections are of bench/lessons/lengths.md.
struct time_model {
  /// Rows that one workgroup convolves, in copies per point. Powers of two up to 512 points take
  /// `convolved_power`, times `convolved_power_growth` for each doubling beyond. Others take
  /// `stage_cost` over `convolved_stages`, at least `convolved_least`, times `convolved_growth` for
  /// each doubling beyond 2,048. Staged rows in Rader's order take `rader_point` more, which grows
  /// as for powers of two.
  double convolved_power = 0.55, convolved_power_growth = 1.12;
  double convolved_stages = 3300, convolved_least = 0.57, convolved_growth = 1.2;
  double rader_point = 0.3;
  double rader_point_across = 0.1;  ///< If neighbouring threads take neighbouring rows.
  /// Full rows, convolved between columns, take this many times as long as rows that are half
  /// padding: 4,096 and 8,192 points reached 0.88 and 0.80 of a copy.
  double convolved_full = 1.45;
  double convolved_full_mixed = 1.9;  ///< Other lengths: 9,216 points took 138 instructions each,
                                      ///< not 106.
  /// Columns with fewer neighbouring bytes take `narrower` times as long per halving: 1,024 points
  /// in 128 bytes reached 0.93 of a copy, 2,048 in 64 0.74, 4,096 in 32 0.57.
  double wide_columns = 128, narrower = 1.28;
  double unmeasured = 1.25;  ///< A pass that was not measured; an estimate.
  /// Rows with twiddles take (1 + this / elements per thread) times as long, because they read rows
  /// of roots: 0.92, 0.88 and 0.73 of a copy with 32, 16 and 8 elements, not 0.98.
  double twiddle_elements = 2.2;
  /// Long rows of a workgroup take this many times as long without the prefetches that they were
  /// measured with: 0.82 of a copy, not 0.95.
  double without_prefetch = 1.16;
  /// Scrambled bins must take less than this share of natural order's time, because measurements
  /// differ by as much.
  double least_gain = 0.98;
  /// Columns of unmeasured speed are at most this many times longer than in natural order.
  std::size_t unmeasured_growth = 2;
};

/// How passes are laid over memory. Measured on an H200:
/// bench/lessons/memory.md, bench/lessons/calls.md.
struct placement_rules {
  /// A butterfly of more bytes fills a multiprocessor. With twiddles, such butterflies lose by
  /// prefetches and by streaming: 0.37 of a copy, not 0.395, at 2^24.
  std::size_t long_bytes = std::size_t{1} << 16;
  /// Lanes continue in the next row of columns if one lane in this many, or more, would be left
  /// over at the end of each row: 512 x 512 real to complex reached 0.44, not 0.43.
  std::size_t flat_lanes = 20;
  /// Rows that begin on multiples of this many elements, whole sectors of fp32, keep their tiles:
  /// 512 x 512 complex to real reached 0.46, not 0.35.
  std::size_t sector_elements = 4;
  /// The smallest unit of memory traffic; rows that alternate by element move this many bytes at
  /// once.
  std::size_t sector_bytes = 32;
  /// Convolved columns leave this many neighbours together, or a sector of them, for the rows that
  /// are transformed next: 3,584 rows of 4,096 reals took 60 us, not 90. 0: whole
  /// columns.
  std::size_t result_block = 4;
  /// Smaller arrays are read from the cache, in blocks or not: an estimate.
  std::size_t min_blocked_bytes = std::size_t{16} << 20;
  /// Larger arrays between the passes of a convolution leave the caches, 50 MB on an H200; signals
  /// then go one after another.
  std::size_t cached_bytes = std::size_t{48} << 20;
  /// Between two axes, rows of an odd length begin on multiples of this many bytes: 256 x 256
  /// complex to real gains 3 % over 64 bytes, 256 cubed 4 %.
  std::size_t line_bytes = 128;
  /// If a launch has fewer workgroups per multiprocessor than this (0: never), the call takes fewer
  /// lanes per workgroup. Columns keep `least_side_by_side` bytes side by side: requests count, not
  /// bytes, if all is in L2.
  double least_workgroups_per_unit = 0.25;
  std::size_t least_side_by_side = 64;
  std::size_t threads_of_subgroup = 32;   ///< Fewest threads with work.
  std::size_t most_threads_filled = 256;  ///< Of a workgroup that takes more rows for that.
  /// Minimum prefetch distance for lines of reals from which functors make rows: their loads
  /// alternate with products, and few are under way.
  std::size_t line_prefetch_bytes = std::size_t{4} << 20;
  /// Prefetched lines have at least `least_line_bytes`; those whose bins are combined (dct3) also
  /// have at most `max_short_bins` or at least `min_long_bins` bytes. Fractions of a copy with and
  /// without prefetch: 8 reals 0.70 and 0.92, dct3 of 1,024 0.72 and 0.92, but of 256 0.87 and
  /// 0.80, of 8,192 0.77 and 0.59 (H100).
  std::size_t least_line_bytes = 256, max_short_bins = 1024, min_long_bins = 32768;
  /// Elements per thread of many lines of reals, of powers of two, if a launch has
  /// `workgroups_of_many_lines` per multiprocessor: fewer instructions, 55 instead of 69 per real
  /// of dct1 of 1,025. Not for lines shorter than `shortest_pairs` (real transforms) or
  /// `shortest_complex` (complex ones), nor for dct2, which memory binds. Fractions of a copy with
  /// and without it (H100): dct1 of 1,025 0.99 and 0.86, dct3 of 1,024 0.94 and 0.92, dct4 of 256
  /// 0.97 and 0.95, but dct1 of 257 0.88 and 0.99, dct2 of 256 0.75 and 0.99.
  unsigned elements_of_lines = 16;
  std::size_t shortest_pairs = 512, shortest_complex = 128, workgroups_of_many_lines = 8;
  /// Complex rows of this many points have one thread each, and this many rows lie side by side:
  /// dct4 of 8 reached 0.88 of a copy, not 0.80 (H200).
  unsigned points_of_one_thread = 4, rows_of_single_threads = 128;
  /// Beyond this many threads, lines of bins take 32 elements per thread, because all loads of a
  /// thread are under way at once: dct3 of 16,384 reached 0.87 of a copy, not 0.57; of 32,768 0.67,
  /// not 0.41 (H100).
  unsigned max_threads_of_bins = 256;
  /// Threads per multiprocessor of lines that are exchanged whole, if they fit.
  std::size_t threads_of_lines = 1024;
  /// On a processor, columns take fewer lanes if fewer are left over, but enough to fill its
  /// vectors.
  unsigned least_lanes_of_processor = 16;
  /// Launches that move at most this begin early, because the gain of about 1 us then shows.
  std::size_t max_early_bytes = std::size_t{64} << 20;
  /// The most bytes that a call of one launch, or of several, moves if it is repeated as a graph.
  /// The launches of a graph do not begin before the previous call has ended, which costs longer
  /// calls more than the calling thread gains. Calls without early launches have no such limit.
  std::size_t max_graph_bytes_of_one = std::size_t{32} << 10;
  std::size_t max_graph_bytes_of_several = std::size_t{8} << 20;
  /// For powers of two that one workgroup convolves; instructions bind them.
  device::workgroup::twiddling convolved_twiddles = device::workgroup::twiddling::apart;
  /// Shorter rows are not padded, because it would add more than an eighth.
  std::size_t shortest_padded = 128;
};

/// How filter banks are cut. Measured on an H200: bench/lessons/channeliser.md.
struct bank_rules {
  /// Complex numbers of the rows of a workgroup, in one launch: 64 KiB, so that two or three
  /// workgroups are resident.
  unsigned numbers_of_workgroup = 8192;
  unsigned max_sliding = 8;  ///< Spectra that a thread slides over.
  /// For a bank's transforms in one launch; instructions bind them.
  device::workgroup::twiddling twiddles = device::workgroup::twiddling::apart;
  /// Numbers per thread. Compilers for processors take long over long unrolled transforms.
  unsigned elements = 32;
  /// Subgroups per multiprocessor for lengths other than powers of two: 128 registers per thread;
  /// with fewer, and with some more, filters spill. The minimum has four in one of its four parts.
  unsigned max_subgroups = 16, min_subgroups = 13;
  /// Fewer channels gain little, and have rows of a thread or two to transform.
  std::size_t min_fused_channels = 64;
  /// From here on three launches are faster for lengths other than powers of two: 1,000, 1,200 and
  /// 1,536 channels took 5.9, 5.9 and 5.7 ps per sample, not 7.6, 7.0 and 6.4.
  std::size_t min_chained_channels = 1000;
  /// Workgroups of separate filters per multiprocessor, whose threads have 16 spectra: 4,096
  /// channels took 1.66 ps per sample with 4, 1.57 with 5, which spill at other counts.
  unsigned resident_filters = 4;
};

struct architecture {
  const char* name = "";
  unsigned bank_bytes = 0;  ///< Width of all banks of local memory together; 0 on a CPU.
  shapes fp32 = {};
  shapes fp64 = {};
  shapes stored_in_16_bits = {};  ///< Computed in fp32; without whole rows, as `fp32`.
  row_defaults other_rows = {};
  column_defaults other_columns = {};
  rule_costs costs = {};
  time_model times = {};
  placement_rules placing = {};
  bank_rules banks = {};
};

/// Returns the shapes for plans that store this precision.
[[nodiscard]] const shapes& shapes_for(const architecture& data, precision stored);

/// Returns the data of a device's architecture, or of the nearest in kind.
[[nodiscard]] const architecture& for_device(const device_info& device);

[[nodiscard]] const architecture& hopper();
[[nodiscard]] const architecture& ampere();
[[nodiscard]] const architecture& opencl_gpu();
[[nodiscard]] const architecture& opencl_cpu();

}  // namespace wingbeat::tuning
