// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "formats/files/atomic_file.hpp"   // atomic_file
#include "formats/files/byte_order.hpp"    // load
#include "formats/files/hdf5.hpp"          // hdf5_writer
#include "formats/files/number_type.hpp"   // with_number
#include "formats/voltages/heap_file.hpp"  // heap_file

namespace wingbeat::formats {
namespace {

class hdf5_heaps final : public heap_file {
 public:
  hdf5_heaps(const std::string& file, const heap_file_spec& spec)
      : spec_(spec), file_(file), writer_(file_, layout_of(spec)) {}

  void add(const channelised_heap& heap) override {
    const std::size_t n_pols = spec_.bank.polarisations, row = 2 * n_pols * heap.n_spectra;
    std::vector<double> numbers(spec_.n_channels * row);
    with_number(type_of(spec_.bank.output), [&](auto number) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::size_t place = i / row * spec_.spectra * 2 * n_pols + i % row;
        numbers[i] = load<decltype(number)>(&heap.bytes[place * sizeof number]);
      }
    });
    const std::size_t first[] = {0, times_.size(), 0};
    const std::size_t counts[] = {spec_.n_channels, heap.n_spectra, n_pols};
    writer_.write(first, counts, numbers);
    const double begin = static_cast<double>(heap.timestamp) / spec_.bank.adc_rate_hz;
    for (std::size_t s = 0; s < heap.n_spectra; ++s) {
      times_.push_back(begin + static_cast<double>(s) / spec_.spectrum_rate_hz);
    }
  }

  void commit() override {
    writer_.finish(times_);
    file_.commit();
  }

 private:
  static number_type type_of(heap_sample output) {
    constexpr number_type types[] = {
        {}, number_type::int8, number_type::int16, number_type::float16, number_type::float32};
    return types[static_cast<std::size_t>(output)];
  }

  static hdf5_layout layout_of(const heap_file_spec& spec) {
    hdf5_layout layout{.name = "voltages", .is_complex = true};
    layout.axes = {even_axis("frequency", "Hz", spec.n_channels),
                   {.name = "time", .unit = "s", .positions = {}, .grows_by = spec.spectra},
                   even_axis("polarisation", "", spec.bank.polarisations)};
    for (double& k : layout.axes[0].positions) k = spec.axis.at(k);
    layout.attributes = {{"adc_rate", spec.bank.adc_rate_hz},
                         {"spectrum_rate", spec.spectrum_rate_hz}};
    if (spec.origin) layout.attributes.emplace_back("start_mjd", spec.origin->mjd());
    return layout;
  }

  heap_file_spec spec_;
  atomic_file file_;
  hdf5_writer writer_;
  std::vector<double> times_;  ///< Of spectra, in seconds from sample 0 on.
};

}  // namespace

std::unique_ptr<heap_file> create_hdf5(const std::string& file, const heap_file_spec& spec) {
  return std::make_unique<hdf5_heaps>(file, spec);
}

}  // namespace wingbeat::formats
