// SPDX-License-Identifier: Apache-2.0
// How long does a filter bank take, compared with an unfused chain, whose three steps are as fast
// as they can be alone: a filter that stores floats, cuFFT's real transforms in batches, and a
// kernel that applies phases and gains, dithers, quantises and transposes through local memory? Its
// kernels are those of chained_bank. 10 bits to 8, 16 taps, two polarisations, noise at -20 dBFS.
#include "bench/question.hpp"
#include "channelising/banks/bank_programs.hpp"  // fused_bank, chained_bank, row_filter, row_finish
#include "channelising/banks/views.hpp"          // sample_planes
#include "peers/cufft.hpp"                       // cufft
#include "programs/prepared_program.hpp"         // prepared_program

namespace wingbeat::bench {
namespace {

using namespace channelising;

constexpr std::size_t n_samples = std::size_t{1} << 27;  // per polarisation

/// The memory of a run.
struct bank_views {
  buffer_view samples;    ///< Packed; polarisations `plane_bytes` apart.
  buffer_view entries;    ///< spectrum_entry[polarisation][spectrum]
  buffer_view gains;      ///< [set][polarisation][channel]
  buffer_view heaps;      ///< [heap][channel][spectrum][polarisation]
  buffer_view saturated;  ///< uint32_t[heap][polarisation][counter], added to.
};

/// A program of a filter bank, or of a part of it, with its workspace.
class bank {
 public:
  bank(const queue& on, const programs::program& steps)
      : on_(on), steps_(backend::engine_of(on.device().runs_on), on.impl(), steps) {
    const std::size_t n_bytes = steps.workspace_bytes();
    if (n_bytes > 0) workspace_ = buffer{on, n_bytes};
  }

  void enqueue(const bank_views& views) const {
    const kernel_argument operands[] = {views.entries, views.gains, views.saturated};
    steps_.enqueue(*on_.impl(), {.in = views.samples,
                                 .out = views.heaps,
                                 .workspace = workspace_.view(),
                                 .load = operands});
  }

 private:
  queue on_;
  programs::prepared_program steps_;
  buffer workspace_;
};

/// Returns the entries of all spectra, whose windows begin a row apart.
std::vector<spectrum_entry> entries_of(const channeliser_sizes& sizes, std::size_t n_spectra) {
  std::vector<spectrum_entry> entries(2 * n_spectra);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t s = i % n_spectra, pol = i / n_spectra;
    entries[i] = {.first = s * sizes.transform + 5 * pol,
                  .time = s * sizes.transform,
                  .phase_turns = 0.1F + 0.3F * static_cast<float>(pol),
                  .slope_turns = 1e-5F,
                  .follow = static_cast<std::uint32_t>(n_spectra - s)};
  }
  return entries;
}

/// The device memory of one measurement.
struct problem {
  problem(queue& on, std::size_t channels, dither_kind dither)
      : spec{.adc_rate_hz = 1712e6, .channels = channels, .dither = dither},
        n_heaps(n_samples / sizes.heap_samples),
        n_spectra(n_heaps * sizes.spectra_per_heap),
        plane_bytes((n_samples + spec.taps * sizes.transform) / 8 * 10 + 32),
        samples{on, 2 * plane_bytes},
        entries(filled(on, entries_of(sizes, n_spectra))),
        gains(filled(on, std::vector<std::complex<float>>(2 * channels, 1))),
        saturated{on, n_heaps * 2 * device::channeliser::counters * sizeof(std::uint32_t)} {
    const auto piece = packed_noise(std::size_t{1} << 20, spec.sample_bits);
    fill(samples, piece.data(), piece.size());
    on.impl()->clear(saturated.view());
  }

  [[nodiscard]] bank_views views(const buffer& heaps) const {
    return {samples.view(), entries.view(), gains.view(), heaps.view(), saturated.view()};
  }
  [[nodiscard]] std::size_t heap_bytes() const { return n_heaps * sizes.heap_bytes; }
  /// Returns the bytes of samples and heaps of both polarisations.
  [[nodiscard]] std::size_t moved_bytes() const { return 2 * n_samples * 10 / 8 + heap_bytes(); }

  channeliser_spec spec;
  channeliser_sizes sizes = sizes_of(spec);
  std::size_t n_heaps, n_spectra, plane_bytes;
  buffer samples, entries, gains, saturated;
};

/// The unfused chain with cuFFT.
class unfused_bank {
 public:
  unfused_bank(const queue& on, const problem& given, const sample_planes& planes)
      : filter_(on, row_filter(given.spec, planes, tuning::for_device(on.device()).banks,
                               given.n_heaps)),
        finish_(on, row_finish(given.spec, given.n_heaps)),
        rows_(on, {.lengths = {given.sizes.transform},
                   .batch = 2 * given.n_spectra,
                   .kind = transform::forward_from_real}),
        filtered_(on, 2 * given.n_heaps * given.sizes.heap_samples * 4),
        bins_(on, 2 * given.n_spectra * (given.spec.channels + 1) * 8) {}

  void filter(bank_views views) const {
    views.heaps = filtered_.view();
    filter_.enqueue(views);
  }
  void transform_rows() const { rows_.run(filtered_.view(), bins_.view()); }
  void finish(bank_views views) const {
    views.samples = bins_.view();
    finish_.enqueue(views);
  }
  void enqueue(const bank_views& views) const {
    filter(views);
    transform_rows();
    finish(views);
  }

 private:
  bank filter_, finish_;
  peers::cufft rows_;
  buffer filtered_, bins_;
};

/// Returns the fraction of bytes in which two heaps differ.
double differing_part(queue& on, const buffer& a, const buffer& b) {
  on.wait();
  std::vector<signed char> first(std::min(a.size_bytes(), std::size_t{1} << 26));
  std::vector<signed char> second(first.size());
  a.read(first.data(), first.size());
  b.read(second.data(), second.size());
  double n_differing = 0;
  for (std::size_t i = 0; i < first.size(); ++i) n_differing += first[i] != second[i] ? 1 : 0;
  return n_differing / static_cast<double>(first.size());
}

void measure_bank(session& asked, std::size_t channels, dither_kind dither) {
  queue& on = asked.on();
  const problem given{on, channels, dither};
  const sample_planes planes{sample_form::packed, given.plane_bytes};
  const auto& engine = backend::engine_of(on.device().runs_on);
  const auto tiles = tiles_of(given.spec, on.device());
  const auto chained = [&](const channeliser_spec& spec) {
    return chained_bank(engine, on.impl(), spec, planes, given.n_heaps);
  };
  channeliser_spec halved = given.spec;
  halved.between = precision::fp16;
  const bank chain{on, chained(given.spec)}, halves{on, chained(halved)};
  const bank own{
      on, tiles ? fused_bank(*tiles, given.spec, planes, given.n_heaps) : chained(given.spec)};
  const unfused_bank peer{on, given, planes};
  const buffer heaps{on, given.heap_bytes()}, peer_heaps{on, given.heap_bytes()},
      target{on, given.moved_bytes() / 2}, source{on, given.moved_bytes() / 2};
  const bank_views views = given.views(heaps), peer_views = given.views(peer_heaps);
  own.enqueue(views);
  peer.enqueue(peer_views);
  const double difference = differing_part(on, heaps, peer_heaps);
  halves.enqueue(views);
  const double halves_difference = differing_part(on, heaps, peer_heaps);
  std::vector<measure::timed_run> runs{copy_run(on, target, source)};
  const auto add = [&](const char* name, std::function<void()> enqueue) {
    runs.push_back(measure::queued_run(on, name, std::move(enqueue)));
  };
  add("wingbeat", [&] { own.enqueue(views); });
  add("chained", [&] { chain.enqueue(views); });
  add("chained_fp16", [&] { halves.enqueue(views); });
  add("unfused", [&] { peer.enqueue(peer_views); });
  add("filter", [&] { peer.filter(peer_views); });
  add("cufft", [&] { peer.transform_rows(); });
  add("finish", [&] { peer.finish(peer_views); });
  measure::take_turns(runs, asked.n_rounds);
  json row{{"channels", channels},
           {"dither", dither == dither_kind::uniform},
           {"launches", tiles ? 1 : 3}};
  for (const auto& run : runs) {
    row[run.name + "_ps"] = run.median_s() / static_cast<double>(2 * n_samples) * 1e12;
  }
  row["fraction"] = runs[0].median_s() / runs[1].median_s();
  row["ratio"] = runs[4].median_s() / runs[1].median_s();
  row["differing_part"] = difference;
  row["differing_part_fp16"] = halves_difference;
  asked.add(std::move(row));
}

void banks(session& asked) {
  asked.head("peers", "cuFFT " + peers::cufft::version());
  for (const std::size_t channels : asked.numbers({64, 512, 1024, 4096, 8192, 32768})) {
    for (const dither_kind dither : {dither_kind::uniform, dither_kind::none}) {
      measure_bank(asked, channels, dither);
    }
  }
}

const registration of_banks{
    {"filter_banks", "[CHANNELS..]", "what a filter bank takes, beside the unfused chain", banks}};

}  // namespace
}  // namespace wingbeat::bench
