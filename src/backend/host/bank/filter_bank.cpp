// SPDX-License-Identifier: Apache-2.0
#include "backend/host/bank/filter_bank.hpp"

#include <algorithm>  // copy, max, min
#include <array>
#include <cmath>  // cos, sin
#include <complex>
#include <limits>  // quiet_NaN
#include <mutex>
#include <numbers>  // pi
#include <optional>
#include <vector>

#include "backend/host/aligned.hpp"          // aligned_array
#include "backend/host/rows/row_method.hpp"  // complex_rows, real_rows
#include "backend/host/thread_pool.hpp"      // thread_pool
#include "text/formatted.hpp"                // formatted

namespace wingbeat::backend::host {
namespace {

/// Rows that are filtered together and share the weights read.
constexpr std::size_t max_group_rows = 8;

/// Polarisations whose dither comes from the same random numbers.
constexpr std::size_t pair = 2;

/// Returns n floats rounded up to whole blocks.
constexpr std::size_t in_blocks(std::size_t n) {
  return (n + bank_block - 1) / bank_block * bank_block;
}

/// Adjacent bins of adjacent channels, at most `bank_block` of them.
struct bin_block {
  std::size_t bin = 0;
  std::size_t channel = 0;
  std::size_t count = 0;
  double run_offset = 0;   ///< First channel of the run, from the middle of the band.
  std::size_t in_run = 0;  ///< Channels of the run before this block.
};

void add_run(std::size_t bin, std::size_t channel, std::size_t count, double middle,
             std::vector<bin_block>& blocks) {
  for (std::size_t i = 0; i < count; i += bank_block) {
    blocks.push_back({bin + i, channel + i, std::min(bank_block, count - i),
                      static_cast<double>(channel) - middle, i});
  }
}

/// exp(2 pi i (phase + n slope)), n channels from the middle one, as a product of two short tables:
/// one of blocks, and one of the channels within any block, which only depends on the slope.
class turning {
 public:
  void set(float phase, float slope, const std::vector<bin_block>& blocks) {
    if (slope == slope_ && phase == phase_) return;
    if (slope != slope_) {
      for (std::size_t i = 0; i < bank_block; ++i) {
        const auto [re, im] = at_turns(double{slope} * static_cast<double>(i));
        steps_[i] = re;
        steps_[bank_block + i] = im;
      }
    }
    phase_ = phase;
    slope_ = slope;
    coarse_.resize(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const double of_run = double{phase} + double{slope} * blocks[b].run_offset;
      coarse_[b] = at_turns(of_run + double{slope} * static_cast<double>(blocks[b].in_run));
    }
  }
  [[nodiscard]] const float* steps() const { return steps_.data(); }
  [[nodiscard]] const std::array<float, 2>& coarse(std::size_t block) const {
    return coarse_[block];
  }

 private:
  static std::array<float, 2> at_turns(double turns) {
    const double angle = 2 * std::numbers::pi * turns;
    return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }

  float phase_ = std::numeric_limits<float>::quiet_NaN(), slope_ = phase_;
  std::array<float, 2 * bank_block> steps_{};  // [re, im][channel of a block]
  std::vector<std::array<float, 2>> coarse_;   // [block][re, im]
};

/// Writes values of adjacent rows next to each other, channel by channel.
template <class Unit>
void transpose(const std::byte* staged, std::size_t pitch_bytes, std::size_t n_rows, std::byte* out,
               std::size_t out_pitch, std::size_t n_channels) {
  const auto* const values = reinterpret_cast<const Unit*>(staged);
  const std::size_t pitch = pitch_bytes / sizeof(Unit);
  auto* channel = reinterpret_cast<Unit*>(out);
  for (std::size_t k = 0; k < n_channels; ++k, channel += out_pitch) {
    for (std::size_t row = 0; row < n_rows; ++row) channel[row] = values[row * pitch + k];
  }
}

/// The memory of one run; see `bank_request`.
struct bank_run {
  explicit bank_run(const backend::run& given)
      : samples(start_of(given.in)),
        rows(reinterpret_cast<const spectrum_entry*>(start_of(given.load[0].view()))),
        gains(reinterpret_cast<const std::complex<float>*>(start_of(given.load[1].view()))),
        out(start_of(given.out)),
        saturated(reinterpret_cast<std::uint32_t*>(start_of(given.load[2].view()))) {}

  const std::byte* samples;
  const spectrum_entry* rows;
  const std::complex<float>* gains;
  std::byte* out;
  std::uint32_t* saturated;
};

class host_bank final : public backend::call {
 public:
  host_bank(const named_set& set, const bank_request& request);
  void enqueue(queue& on, const backend::run& given) const override;
  [[nodiscard]] std::size_t traffic_bytes() const noexcept override;
  [[nodiscard]] std::string explain() const override;

 private:
  /// The memory of one thread.
  struct slot {
    aligned_array<float> rows;        // [polarisation of a pair][row of a group][row_pitch_]
    aligned_array<float> samples;     // see `filtered_rows::scratch`
    aligned_array<std::byte> staged;  // [spectrum of a tile][polarisation][staged_pitch_]
    aligned_array<std::byte> workspace;
    std::vector<turning> turnings;         // [polarisation]
    std::vector<std::uint32_t> saturated;  // [polarisation]
  };

  void prepare_weights();
  void prepare_slots();
  void run_tile(const bank_run& given, std::size_t first, slot& own) const;
  void transform_group(const bank_run& given, std::size_t pol, std::size_t first, slot& own) const;
  void finish_spectrum(const bank_run& given, std::size_t first_pol, std::size_t spectrum,
                       std::size_t in_tile, slot& own) const;
  void put(const slot& own, std::size_t first, std::byte* out) const;
  [[nodiscard]] float* row_of(const slot& own, std::size_t pol, std::size_t in_group) const {
    return own.rows.get() + (pol % pair * group_ + in_group) * row_pitch_;
  }
  [[nodiscard]] std::size_t parts() const { return request_.is_complex ? 2 : 1; }

  bank_request request_;
  const bank_kernels& kernels_;
  row_method_pointer<float> transform_;
  aligned_array<float> weights_;
  std::vector<bin_block> blocks_;
  std::size_t step_;       ///< Floats from one window to the next one, without delays.
  std::size_t row_pitch_;  ///< Floats; space for a block and a bin more; rows differ in cache sets.
  std::size_t staged_pitch_;  ///< Bytes; a cache line more, for the same reason.
  std::size_t tile_ = 16;     ///< Spectra whose values fill a cache line of the output.
  std::size_t group_ = 8;     ///< Spectra that are transformed before they are finished.
  unsigned n_threads_ = 1;
  mutable std::mutex mutex_;  // one run at a time uses all slots
  mutable std::vector<slot> slots_;
};

host_bank::host_bank(const named_set& set, const bank_request& request)
    : request_(request),
      kernels_(*set.bank),
      transform_(request.is_complex
                     ? complex_rows(set.kernels->fp32, request.transform, 1)
                     : real_rows<float>(
                           set,
                           {request::traits_of(transform::forward_from_real), request.transform},
                           max_group_rows, 1)),
      step_(request.transform * (request.is_complex ? 2 : 1)),
      row_pitch_(in_blocks(step_) + 32),
      staged_pitch_(request.channels * complex_bytes(request.output) + alignment_bytes) {
  const std::size_t n = request.channels;
  if (request.is_complex) {
    const auto middle = static_cast<double>(n / 2);
    add_run(0, n / 2, n - n / 2, middle, blocks_);
    add_run(request.transform - n / 2, 0, n / 2, middle, blocks_);
  } else {
    add_run(0, 0, n, static_cast<double>(n) / 2, blocks_);
  }
  prepare_weights();
  prepare_slots();
}

/// Arranges weights for `filtered_rows`; for complex samples each weight is repeated for both
/// parts.
void host_bank::prepare_weights() {
  weights_ = make_aligned<float>(in_blocks(step_) * request_.taps);
  float* weight = weights_.get();
  for (std::size_t begin = 0; begin < step_; begin += bank_block) {
    for (std::size_t m = 0; m < request_.taps; ++m) {
      for (std::size_t j = begin; j < begin + bank_block; ++j) {
        *weight++ = j < step_ ? request_.weights[m * request_.transform + j / parts()] : 0;
      }
    }
  }
  request_.weights.clear();
}

void host_bank::prepare_slots() {
  n_threads_ = thread_pool::shared().n_threads();
  while (tile_ > 4 && request_.spectra / tile_ < n_threads_) tile_ /= 2;
  group_ = std::min(tile_, max_group_rows);
  n_threads_ = std::min(n_threads_, static_cast<unsigned>(request_.spectra / tile_));
  slots_.resize(n_threads_);
  for (slot& each : slots_) {
    each.rows = make_aligned<float>(pair * group_ * row_pitch_);
    each.samples = make_aligned<float>((request_.taps + group_ - 1) * bank_block);
    each.staged = make_aligned<std::byte>(tile_ * request_.polarisations * staged_pitch_);
    each.workspace =
        make_aligned<std::byte>(std::max<std::size_t>(transform_->workspace_bytes(), 1));
    each.turnings.resize(request_.polarisations);
  }
}

void host_bank::enqueue(queue&, const backend::run& memory) const {
  const std::lock_guard held{mutex_};
  const bank_run given{memory};
  for (slot& each : slots_) each.saturated.assign(request_.polarisations, 0);
  thread_pool::shared().run(
      request_.spectra / tile_, n_threads_,
      [&](std::size_t tile, unsigned index) { run_tile(given, tile * tile_, slots_[index]); });
  for (std::size_t pol = 0; pol < request_.polarisations; ++pol) {
    given.saturated[pol] = 0;
    for (const slot& each : slots_) given.saturated[pol] += each.saturated[pol];
  }
}

void host_bank::run_tile(const bank_run& given, std::size_t first, slot& own) const {
  for (std::size_t s = 0; s < tile_; s += group_) {
    for (std::size_t pol = 0; pol < request_.polarisations; pol += pair) {
      const std::size_t end = std::min(pol + pair, request_.polarisations);
      for (std::size_t each = pol; each < end; ++each) transform_group(given, each, first + s, own);
      for (std::size_t r = 0; r < group_; ++r) {
        finish_spectrum(given, pol, first + s + r, s + r, own);
      }
    }
  }
  put(own, first, given.out);
}

/// Filters and transforms the rows of a group; filters rows of consecutive windows together.
void host_bank::transform_group(const bank_run& given, std::size_t pol, std::size_t first,
                                slot& own) const {
  const spectrum_entry* const entries = &given.rows[pol * request_.spectra + first];
  const auto* const plane =
      reinterpret_cast<const float*>(given.samples + pol * request_.plane_bytes);
  for (std::size_t r = 0; r < group_;) {
    std::size_t n = 1;
    while (r + n < group_ && entries[r + n].first == entries[r].first + n * request_.transform) {
      ++n;
    }
    kernels_.filter({plane + parts() * entries[r].first, weights_.get(), row_of(own, pol, r), step_,
                     request_.taps, n, row_pitch_, own.samples.get()});
    r += n;
  }
  rows<float> work;
  work.in = work.out = row_of(own, pol, 0);
  work.in_pitch = work.out_pitch = row_pitch_;
  work.count = group_;
  transform_->run(work, own.workspace.get(), 1);
}

void host_bank::finish_spectrum(const bank_run& given, std::size_t first_pol, std::size_t spectrum,
                                std::size_t in_tile, slot& own) const {
  alignas(alignment_bytes) float dither[4 * bank_block];
  const std::size_t n_pols = request_.polarisations, end = std::min(first_pol + pair, n_pols);
  const spectrum_entry* const entries = &given.rows[spectrum];
  for (std::size_t pol = first_pol; pol < end; ++pol) {
    const spectrum_entry& entry = entries[pol * request_.spectra];
    own.turnings[pol].set(entry.phase_turns, entry.slope_turns, blocks_);
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const bin_block& block = blocks_[b];
    if (request_.has_dither) {
      kernels_.dither({request_.seed, entries[first_pol * request_.spectra].time,
                       static_cast<std::uint32_t>(block.channel),
                       static_cast<std::uint32_t>(request_.channels),
                       static_cast<std::uint32_t>(first_pol / pair), dither});
    }
    for (std::size_t pol = first_pol; pol < end; ++pol) {
      const spectrum_entry& entry = entries[pol * request_.spectra];
      const std::complex<float>* const gains =
          given.gains + (entry.gains * n_pols + pol) * request_.channels + block.channel;
      const turning& turns = own.turnings[pol];
      own.saturated[pol] += kernels_.finish(
          request_.output, {row_of(own, pol, in_tile % group_) + 2 * block.bin,
                            reinterpret_cast<const float*>(gains),
                            turns.steps(),
                            {turns.coarse(b)[0], turns.coarse(b)[1]},
                            request_.has_dither ? dither + pol % pair * 2 * bank_block : nullptr,
                            block.count,
                            request_.limit,
                            own.staged.get() + (in_tile * n_pols + pol) * staged_pitch_ +
                                block.channel * complex_bytes(request_.output)});
    }
  }
}

/// Moves a tile to its place:  [spectrum][polarisation][channel] to [channel][spectrum][pol..]
void host_bank::put(const slot& own, std::size_t first, std::byte* out) const {
  const std::size_t unit = complex_bytes(request_.output), n_pols = request_.polarisations;
  const auto move = [&](auto unit_type) {
    transpose<decltype(unit_type)>(own.staged.get(), staged_pitch_, tile_ * n_pols,
                                   out + first * n_pols * unit, request_.spectra * n_pols,
                                   request_.channels);
  };
  switch (unit) {
    case 1: return move(std::uint8_t{});
    case 2: return move(std::uint16_t{});
    case 4: return move(std::uint32_t{});
    default: return move(std::uint64_t{});
  }
}

std::size_t host_bank::traffic_bytes() const noexcept {
  const std::size_t samples = request_.spectra * step_ * sizeof(float);
  const std::size_t values = request_.spectra * request_.channels * complex_bytes(request_.output);
  return request_.polarisations * (samples + values);
}

std::string host_bank::explain() const {
  return formatted(
      "{} spectra of {} polarisations at a time, {} threads:\n"
      "rows of {} taps\n{}\nphase, gain, {}and {} bytes a value, transposed",
      tile_, request_.polarisations, n_threads_, request_.taps, transform_->explain(),
      request_.has_dither ? "dither " : "", complex_bytes(request_.output));
}

}  // namespace

std::shared_ptr<const backend::call> make_filter_bank(const named_set& kernel_set,
                                                      const bank_request& request) {
  return std::make_shared<const host_bank>(kernel_set, request);
}

}  // namespace wingbeat::backend::host
