// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/row_convolution.hpp"

#include <algorithm>  // min
#include <cstring>    // memset
#include <vector>

#include "backend/host/aligned.hpp"          // aligned_up, start_of
#include "backend/host/axes/ends.hpp"        // tile_end, rows_of_tile
#include "backend/host/axes/passes.hpp"      // passes_of, distances_of
#include "backend/host/rows/row_method.hpp"  // complex_rows
#include "backend/host/thresholds.hpp"       // limits
#include "request/resolved.hpp"              // resolved_spec, factor_of
#include "text/formatted.hpp"                // formatted

namespace wingbeat::backend::host {
namespace {

/// The batch of a convolution. Each row of `rows` is transformed once and meets one spectrum for
/// every combination of `shared` dimensions, which all read the same rows.
struct row_loops {
  std::vector<arrays::dimension> rows;  ///< Slowest first; never empty, nor the next.
  std::vector<arrays::dimension> shared;

  static std::size_t count(const std::vector<arrays::dimension>& dimensions) {
    std::size_t n = 1;
    for (const arrays::dimension& each : dimensions) n *= each.count;
    return n;
  }
};

row_loops loops_of(const request::resolved_spec& rows, const spectrum_array& spectra) {
  const auto in = distances_of(rows.in, rows.spec.load.is_given());
  const auto out = distances_of(rows.out, rows.spec.store.is_given());
  const std::vector<std::size_t>& counts = rows.spec.batch.counts();
  row_loops loops;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const arrays::dimension each{counts[b], in[b], out[b], spectra.distances[b]};
    if (each.count == 1) continue;
    (each.in == 0 ? loops.shared : loops.rows).push_back(each);
  }
  if (loops.rows.empty()) loops.rows.emplace_back();
  if (loops.shared.empty()) loops.shared.emplace_back();
  return loops;
}

/// Where column `index` of some dimensions lies in each array.
arrays::dimension place_of_column(const std::vector<arrays::dimension>& dimensions,
                                  std::size_t index) {
  arrays::dimension offsets{1, 0, 0, 0};
  for (std::size_t d = dimensions.size(); d-- > 0; index /= dimensions[d].count) {
    const std::size_t i = index % dimensions[d].count;
    offsets.in += i * dimensions[d].in;
    offsets.out += i * dimensions[d].out;
    offsets.filter += i * dimensions[d].filter;
  }
  return offsets;
}

/// Returns whole spectra of complex numbers in natural order.
pass_end end_of_spectra(std::size_t length, precision stored) {
  pass_end end;
  end.type = stored_as(stored);
  end.imaginary_at = 1;
  end.length = length;
  end.valid = {0, length};
  end.stride = 2;
  end.points = length;
  return end;
}

std::vector<std::size_t> one_row(const plan_spec& rows) {
  return std::vector<std::size_t>(rows.batch.counts().size(), 1);
}

template <class Real>
class row_convolution final : public backend::call {
 public:
  row_convolution(const kernels<Real>& kernel_set, const plan_spec& rows,
                  const spectrum_array& spectra)
      : kernels_(kernel_set),
        request_(rows),
        spectra_(spectra),
        loops_(loops_of(request_, spectra)),
        n_rows_(row_loops::count(loops_.rows)),
        n_shared_(row_loops::count(loops_.shared)),
        ends_(passes_of(request_, one_row(rows)).passes.front()),
        filter_end_(end_of_spectra(rows.lengths[0], spectra.stored)),
        in_(kernel_set, ends_.in, loops_.rows.back().in,
            request_.spec.load.is_given() ? &request_.spec.load.callable : nullptr, nullptr),
        out_(kernel_set, ends_.out, loops_.rows.back().out, nullptr,
             request_.spec.store.is_given() ? &request_.spec.store.callable : nullptr),
        filter_(kernel_set, filter_end_, 2 * loops_.rows.back().filter, nullptr, nullptr),
        rows_(complex_rows(kernel_set, rows.lengths[0], 1)),
        pitch_(tile_pitch_of(rows.lengths[0])) {
    const std::size_t n = rows.lengths[0];
    const bool is_strided =
        ends_.in.stride != ends_.in.unit() || ends_.out.stride != ends_.out.unit();
    tile_rows_ =
        rows_of_tile<Real>(n, rows_->rows_together(), is_strided, loops_.rows.back().count);
    const thread_pool& pool = thread_pool::shared();
    const double work = 2.0 * static_cast<double>(n_rows_ * n_shared_ * n);
    n_threads_ = pool.is_worth_sharing(work * 10) ? pool.n_threads() : 1;
  }

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    return n_slots() * slot_bytes() + alignment_bytes;
  }
  [[nodiscard]] std::size_t traffic_bytes() const noexcept override {
    const std::size_t bins = 2 * bytes_of_real(spectra_.stored) * request_.spec.lengths[0];
    std::size_t n_spectra = 1;
    for (const auto* dimensions : {&loops_.rows, &loops_.shared}) {
      for (const arrays::dimension& each : *dimensions) {
        if (each.filter != 0) n_spectra *= each.count;
      }
    }
    return request_.moved_in() + request_.moved_out() + n_spectra * bins;
  }

  [[nodiscard]] std::string explain() const override {
    return formatted("{} rows forward, times {} spectra each, and back, {} at once in cache: {}",
                     n_rows_, n_shared_, tile_rows_, rows_->explain());
  }

  void enqueue(queue&, const backend::run& given) const override {
    std::byte* const scratch = aligned_start_of(given.workspace);
    const run_ends ends{
        {start_of(given.in), 0, host_arguments{request_.spec.load.operands, given.load}},
        {start_of(given.out), 0, host_arguments{request_.spec.store.operands, given.store}},
        {start_of(given.filter), 0}};
    if (request_.spec.store.clears_output)
      std::memset(ends.out.memory, 0, request_.spec.store.out_bytes);
    const std::size_t run = loops_.rows.back().count;
    const auto share = [&](std::size_t begin, std::size_t end, unsigned index) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t in_run = i % tiles_of_run() * tile_rows_;
        run_tile(ends, i / tiles_of_run() * run + in_run, std::min(tile_rows_, run - in_run),
                 slot_at(scratch, index));
      }
    };
    thread_pool::shared().share(n_tiles(), limits.tiles_per_thread * n_threads_, n_slots(), share);
  }

 private:
  /// What one thread works with: rows in, products on their way back, and spectra of 16 bits
  /// widened.
  struct slot {
    Real* bins;
    Real* products;
    Real* widened;
    Real* scratch;
  };
  /// The memory of one run.
  struct run_ends {
    begin_of_end in, out, spectra;
  };
  /// Spectra one behind another, as they are stored.
  struct spectrum_rows {
    begin_of_end first;
    std::size_t stride;  ///< Complex numbers from one to the next.
  };

  [[nodiscard]] bool has_shared() const { return n_shared_ > 1; }
  [[nodiscard]] bool is_narrow() const { return filter_end_.type != stored::own; }
  [[nodiscard]] std::size_t n_tiles_of_slot() const {
    return 1 + (has_shared() ? 1 : 0) + (is_narrow() ? 1 : 0);
  }
  [[nodiscard]] std::size_t tile_bytes() const {
    return aligned_up(2 * tile_rows_ * pitch_ * sizeof(Real));
  }
  [[nodiscard]] std::size_t slot_bytes() const {
    return tile_bytes() * n_tiles_of_slot() + aligned_up(rows_->workspace_bytes());
  }
  [[nodiscard]] unsigned n_slots() const {
    return static_cast<unsigned>(std::min<std::size_t>(n_tiles(), n_threads_));
  }
  /// No tile crosses from one run of the fastest dimension to the next.
  [[nodiscard]] std::size_t tiles_of_run() const {
    return (loops_.rows.back().count + tile_rows_ - 1) / tile_rows_;
  }
  [[nodiscard]] std::size_t n_tiles() const {
    return n_rows_ / loops_.rows.back().count * tiles_of_run();
  }
  [[nodiscard]] slot slot_at(std::byte* scratch, unsigned index) const {
    std::byte* const begin = scratch + slot_bytes() * index;
    slot own{};
    own.bins = reinterpret_cast<Real*>(begin);
    own.products = has_shared() ? reinterpret_cast<Real*>(begin + tile_bytes()) : own.bins;
    own.scratch = reinterpret_cast<Real*>(begin + tile_bytes() * n_tiles_of_slot());
    own.widened = reinterpret_cast<Real*>(begin + tile_bytes() * (n_tiles_of_slot() - 1));
    return own;
  }

  void run_tile(const run_ends& ends, std::size_t first, std::size_t count, const slot& own) const {
    const arrays::dimension place = place_of_column(loops_.rows, first);
    const tile_shape shape{2, 2 * pitch_};
    in_.fetch(ends.in.advanced(ends_.in.first + place.in), count, shape, own.bins, 1);
    rows<Real> work;
    work.in = work.out = own.bins;
    work.in_pitch = work.out_pitch = 2 * pitch_;
    work.count = count;
    rows_->run(work, own.scratch, 1);
    work.in = work.out = own.products;
    work.is_swapped = true;
    work.scale = static_cast<Real>(request::factor_of(request_.spec));
    for (std::size_t i = 0; i < n_shared_; ++i) {
      const arrays::dimension meets = place_of_column(loops_.shared, i);
      multiply(
          {ends.spectra.advanced(2 * (place.filter + meets.filter)), loops_.rows.back().filter},
          count, own);
      rows_->run(work, own.scratch, 1);
      out_.put(own.products, shape, count,
               ends.out.advanced(ends_.out.first + place.out + meets.out), 1);
    }
  }

  /// Multiplies rows of a tile by spectra.
  void multiply(const spectrum_rows& spectra, std::size_t count, const slot& own) const {
    const Real* first = nullptr;
    std::size_t stride = spectra.stride;
    if (is_narrow()) {
      const std::size_t n_rows = stride == 0 ? 1 : count;
      filter_.fetch(spectra.first, n_rows, {2, 2 * pitch_}, own.widened, 1);
      first = own.widened;
      if (stride != 0) stride = pitch_;
    } else {
      first = reinterpret_cast<const Real*>(spectra.first.memory) + spectra.first.offset;
    }
    bin_product<Real> row;
    row.count = request_.spec.lengths[0];
    row.conjugates_x = spectra_.times == product::conjugate_row;
    row.conjugates_spectrum = spectra_.times == product::conjugate_spectrum;
    for (std::size_t i = 0; i < count; ++i) {
      row.x = own.bins + 2 * pitch_ * i;
      row.spectrum = first + 2 * stride * i;
      row.out = own.products + 2 * pitch_ * i;
      kernels_.multiply(row);
    }
  }

  kernels<Real> kernels_;
  request::resolved_spec request_;
  spectrum_array spectra_;
  row_loops loops_;
  std::size_t n_rows_, n_shared_;
  pass ends_;
  pass_end filter_end_;
  tile_end<Real> in_, out_, filter_;
  row_method_pointer<Real> rows_;
  std::size_t pitch_, tile_rows_;
  unsigned n_threads_;
};

template <class Real>
std::shared_ptr<const backend::call> made_for(const kernels<Real>& kernel_set,
                                              const plan_spec& rows,
                                              const spectrum_array& spectra) {
  const std::size_t row_bytes = 2 * sizeof(Real) * rows.lengths[0];
  const bool is_crowded =
      is_long<Real>(rows.lengths[0]) && rows.batch < thread_pool::shared().n_threads();
  const bool is_blocked = spectra.blocks.length != 0;  // `result_block` asks for none
  if (row_bytes > limits.own_row_bytes || is_crowded || is_blocked) return nullptr;
  return std::make_shared<row_convolution<Real>>(kernel_set, rows, spectra);
}

}  // namespace

std::shared_ptr<const backend::call> make_row_convolution(const named_set& kernel_set,
                                                          const plan_spec& rows,
                                                          const spectrum_array& spectra) {
  if (rows.real == precision::fp64) return made_for(kernel_set.kernels->fp64, rows, spectra);
  return made_for(kernel_set.kernels->fp32, rows, spectra);
}

}  // namespace wingbeat::backend::host
