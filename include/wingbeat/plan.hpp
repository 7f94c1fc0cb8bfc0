// SPDX-License-Identifier: Apache-2.0
// Transforms from the host: describe one (plan_spec), prepare it once (plan), run it often
// (enqueue).
#pragma once

#include <cstddef>  // size_t
#include <initializer_list>
#include <memory>  // unique_ptr
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // move
#include <vector>

#include "wingbeat/buffer.hpp"              // buffer_view
#include "wingbeat/fusion.hpp"              // fused_load, fused_store
#include "wingbeat/prepared_operation.hpp"  // prepared_operation
#include "wingbeat/queue.hpp"               // queue

namespace wingbeat {

/// The kind of a transform. Forward uses exp(-2 pi i jk/N), inverse exp(+2 pi i jk/N).
enum class transform {
  forward,            ///< N complex to N complex.
  inverse,            ///< N complex to N complex.
  forward_from_real,  ///< N real to N/2+1 complex: the upper half is the mirror image. N/2 is
                      ///< rounded down where N is odd, here and everywhere.
  /// N/2+1 complex to N real. The other axes, if any, are inverted first, in each of the N/2+1
  /// columns, then every row along the last axis. There, Im of bin 0 and, if N is even, of bin N/2
  /// counts as 0, and the upper half is the mirror image. With one axis, Im of those bins is
  /// therefore not read.
  inverse_to_real,
  // N real to N real, unscaled as SciPy and FFTW define them. The brackets hold the logical length
  // and the kind that undoes the transform up to that length. Sums run over j = 0 .. N-1 unless
  // stated.
  dct1,  ///< x[0] + (-1)^k x[N-1] + 2 sum_{0<j<N-1} x[j] cos(pi j k / (N-1)), N > 1.  [2N-2: dct1]
  dct2,  ///< 2 sum x[j] cos(pi (j+1/2) k / N).  [2N: dct3]
  dct3,  ///< x[0] + 2 sum_{j>0} x[j] cos(pi j (k+1/2) / N).  [2N: dct2]
  dct4,  ///< 2 sum x[j] cos(pi (j+1/2) (k+1/2) / N).  [2N: dct4]
  dst1,  ///< 2 sum x[j] sin(pi (j+1) (k+1) / (N+1)).  [2N+2: dst1]
  dst2,  ///< 2 sum x[j] sin(pi (j+1/2) (k+1) / N).  [2N: dst3]
  dst3,  ///< (-1)^k x[N-1] + 2 sum_{j<N-1} x[j] sin(pi (j+1) (k+1/2) / N).  [2N: dst2]
  dst4,  ///< 2 sum x[j] sin(pi (j+1/2) (k+1/2) / N).  [2N: dst4]
  dht    ///< sum x[j] (cos + sin)(2 pi j k / N).  [N: dht]
};
/// The type that numbers are stored in. fp16 and bf16 are computed in fp32, and stored in fp32
/// between passes. Only the output can overflow, so keep N max|x| times the scale below 65504 in
/// fp16.
enum class precision { fp32, fp64, fp16, bf16 };
enum class scaling { none, by_length, by_sqrt_length };

/// Where the bins of a complex transform lie along its axis.
enum class bin_order {
  natural,   ///< Bin k is element k.
  scrambled  ///< The device's native order: element p is bin `plan::bin_at(p)`.
};

/// Whether the output replaces the input. Only transforms between reals and bins have another
/// layout in place: each real row is padded to N+2 reals (N+1 if N is odd), so that its N/2+1 bins
/// fit. The padding is unspecified after a run.
enum class placement { out_of_place, in_place };

[[nodiscard]] std::string_view name_of(transform kind) noexcept;
[[nodiscard]] std::string_view name_of(precision real) noexcept;
[[nodiscard]] std::string_view name_of(scaling scale) noexcept;
[[nodiscard]] std::string_view name_of(bin_order bins) noexcept;
[[nodiscard]] std::string_view name_of(placement placed) noexcept;

/// The number of transforms in one run: one count, or one for each batch dimension, slowest first.
///
///     .batch = 64                // 64 transforms
///     .batch = {8, 3}            // 8 of 3, such as the three channels of 8 images
class batch_shape {
 public:
  batch_shape(std::size_t count) : counts_{count} {}
  batch_shape(std::initializer_list<std::size_t> counts) : counts_(counts) {}
  explicit batch_shape(std::vector<std::size_t> counts) : counts_(std::move(counts)) {}

  [[nodiscard]] const std::vector<std::size_t>& counts() const noexcept { return counts_; }

  /// Returns the number of all transforms: the product of the counts.
  operator std::size_t() const noexcept {
    std::size_t product = 1;
    for (const std::size_t count : counts_) product *= count;
    return product;
  }

 private:
  std::vector<std::size_t> counts_;
};

/// The memory layout of one side. An element is a complex number, or a real one on the real side of
/// a real transform. Element (i0, i1, ..) of transform (b0, b1, ..) is element number
///     (i0 - origin[0]) strides[0] + (i1 - origin[1]) strides[1] + ..
///                                                       + b0 distances[0] + b1 distances[1] + ..
/// from the start of the buffer. No two elements of an output may share a place.
struct memory_layout {
  std::vector<std::size_t> strides = {};    ///< One per axis. Empty: packed, the last axis densest.
  std::vector<std::size_t> distances = {};  ///< One per batch dimension. Empty: one behind another.
  /// For planar complex numbers: the distance in reals from a number's real part to its imaginary
  /// part; strides and distances then count reals. 0: the two are neighbours.
  std::size_t imaginary_at = 0;
  /// One per axis: the index whose element lies at the start of the buffer. Lower indices are not
  /// in memory, so `valid_in` or `valid_out` begins there or later. Empty: 0.
  std::vector<std::size_t> origin = {};
  /// The type that numbers of this side are stored in; empty: the plan's `real`. fp32, fp16 and
  /// bf16 may differ between the sides, because all three are computed in fp32; fp64 takes no
  /// other. Nothing else depends on it: a side in fp16 is rounded once. Not allowed with a functor,
  /// which reads or writes any type, nor in place with a real transform.
  std::optional<precision> stored = {};

  [[nodiscard]] bool is_packed() const noexcept {
    return strides.empty() && distances.empty() && imaginary_at == 0 && origin.empty();
  }
};

/// The indices first <= i < end of an axis.
struct index_range {
  std::size_t first = 0;
  std::size_t end = 0;

  friend bool operator==(const index_range&, const index_range&) = default;
};

/// The description of a transform. An aggregate, so that a call site names every choice:
///
///     plan spectra{queue, {.lengths = {4096}, .batch = 64, .kind = transform::forward_from_real}};
struct plan_spec {
  /// One per axis, slowest axis first; 1 to 3 axes. Each is 1 to `max_length`; good lengths, see
  /// good_length.hpp, are the fastest. A transform between reals and bins has N/2+1 bins on its
  /// last axis. dst1 ends one below `max_length`.
  std::vector<std::size_t> lengths;
  batch_shape batch = 1;  ///< Independent transforms per run.
  transform kind = transform::forward;
  /// One per axis, for kinds from reals to reals, if they differ: Neumann walls in one direction,
  /// Dirichlet walls in another. `kind` is then that of the last axis. Empty: `kind`.
  std::vector<transform> axis_kinds = {};
  precision real = precision::fp32;
  /// Applied on the way out, by the product of the lengths; for cosine and sine transforms, by the
  /// product of their logical lengths, so that `by_sqrt_length` is SciPy's "ortho".
  scaling scale = scaling::none;
  /// For cosine and sine transforms: multiplies end elements by sqrt 2 or 1/sqrt 2, so that the
  /// transforms are orthogonal matrices under `by_sqrt_length`, as in SciPy. dct1: both ends, x by
  /// sqrt 2 and y by 1/sqrt 2. First element: y of dct2 by 1/sqrt 2, x of dct3 by sqrt 2. Last
  /// element: y of dst2 and x of dst3, likewise. No effect on dct4, dst1 and dst4.
  bool orthogonalize = false;
  double factor = 1;  ///< Applied on the way out, too. Finite.
  /// The order of bins in the output of `forward` and in the input of `inverse`. Scrambled is for
  /// spectra that are multiplied and transformed back; it requires one axis, packed layouts and all
  /// bins in memory.
  bin_order bins = bin_order::natural;
  placement where = placement::out_of_place;
  fused_load load = {};    ///< Your functor, in place of plain memory.
  fused_store store = {};  ///< Your functor, in place of plain memory.
  /// Your load of factors, for kinds from reals to reals. The transform is then followed by its
  /// inverse: forward, coefficient i of a row times the factor that the load returns for it, and
  /// back by the kinds that undo it (dct2 by dct3); with `scale` by_length, a factor 1 leaves the
  /// input unchanged. The load has no buffer: `in` is null, and it reads its operands. Input and
  /// output have the same layout.
  fused_load multiplier = {};
  memory_layout in = {};   ///< The input's layout.
  memory_layout out = {};  ///< The output's layout.
  /// Which indices of each axis are in memory, one range per axis; empty: all. Input elements
  /// outside count as 0 and are not read (zero padding); output elements outside are not written
  /// (cropping). On a half spectrum's last axis the indices are bins 0 .. N/2. Indices do not move:
  /// index i lies where the layout puts it. Functors get the numbers of the elements within the
  /// ranges only, as if those were packed rows.
  std::vector<index_range> valid_in = {};
  std::vector<index_range> valid_out = {};
};

/// Longest axis, and most axes, that this version plans.
inline constexpr std::size_t max_length = std::size_t{1} << 28;
inline constexpr std::size_t max_axes = 3;

/// Returns the bytes of one run's input (or output), from the buffer's start to the end of its last
/// element in memory: the bytes that a functor states, or the extent of the layout; for a real
/// transform in place, all padded rows. Throws `plan_error` for lengths, batches, layouts or ranges
/// that no plan can have.
[[nodiscard]] std::size_t input_bytes(const plan_spec& spec);
[[nodiscard]] std::size_t output_bytes(const plan_spec& spec);

/// The arguments of one run for the operands of a plan's functors, in their order.
struct run_operands {
  std::vector<kernel_argument> load = {};
  std::vector<kernel_argument> store = {};
  std::vector<kernel_argument> multiplier = {};
};

/// A planned transform: kernels compiled, twiddles on the device. `traffic_bytes` is the sum of its
/// passes' traffic, plus the output if a functor's spec clears it.
class plan : public prepared_operation {
 public:
  /// Validates `spec` and prepares it for the device behind `on`.
  /// Throws `plan_error`, naming the field at fault, or `device_error`. A functor's text that does
  /// not compile is a `plan_error` that quotes the compiler; line 1 is the first of your text.
  plan(const queue& on, plan_spec spec);

  [[nodiscard]] const plan_spec& spec() const;

  /// Returns the bin, 0 .. N-1, that element `place` of the axis holds. It is `place` in natural
  /// order, and also in scrambled order if the device's native order is natural. It depends only on
  /// device, precision and length, so forward and inverse plans agree. Throws `plan_error` beyond
  /// the axis.
  [[nodiscard]] std::size_t bin_at(std::size_t place) const;

  /// Returns the expected speed of one run as a fraction of the speed of a plain copy of the same
  /// input and output; 0 if no measurement predicts it.
  [[nodiscard]] double predicted_fraction() const;

  /// Queues one run and returns. `in` and `out` are the same place, or the `input_bytes` and
  /// `output_bytes` from their starts do not overlap. The same place is allowed for a real
  /// transform only if it was planned `in_place`, and never with a functor, different layouts or
  /// different ranges. `on` is a queue of the device the plan was made for, and buffers are of its
  /// context. Without a workspace, the queue's own is used, see `queue::reserve`; one of yours
  /// overlaps neither `in` nor `out`, and must serve no other run at the same time. No buffer is
  /// allocated and nothing is waited for, so a CUDA stream that is being captured into a graph
  /// records the run. An out-of-place run leaves `in` as it was. The plan must live until the runs
  /// it queued, or the graphs that hold them, are done. Throws `plan_error` if a view is null, too
  /// small, starts within a number, overlaps another in part or is of another device, or if the
  /// queue is; `device_error` if the driver refuses.
  void enqueue(queue& on, const buffer_view& in, const buffer_view& out,
               const buffer_view& workspace = {}) const;

  /// Queues one run of a plan whose functors have operands. Views that are written overlap no other
  /// view; other views may overlap each other. Throws as above, and `plan_error` for arguments that
  /// do not match the operands.
  ///
  ///     spectra.enqueue(queue, in.view(), out.view(), {.load = {weights.view(), 0.5f}});
  ///
  /// It is a template so that a fourth argument `{}`, which can initialise either type, is an empty
  /// workspace: overload resolution prefers a function that is not a template.
  template <class = void>
  void enqueue(queue& on, const buffer_view& in, const buffer_view& out, const run_operands& given,
               const buffer_view& workspace = {}) const {
    enqueue_with(on, in, out, given, workspace);
  }

 private:
  void enqueue_with(queue& on, const buffer_view& in, const buffer_view& out,
                    const run_operands& given, const buffer_view& workspace) const;

  struct impl;
  [[nodiscard]] const impl& own() const;
};

}  // namespace wingbeat
