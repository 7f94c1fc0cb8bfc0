// SPDX-License-Identifier: Apache-2.0
// How fast is the FFT inside a kernel? Kernels around workgroup::fft, compiled by NVRTC: plain
// transforms, and a convolution in one kernel and in three, in each order, timed in alternation
// with a copy of the same bytes and with cuFFT. Four rows of each are compared with engine
// `reference`.
#include <cstring>  // memcpy
#include <numbers>  // pi
#include <random>   // mt19937_64

#include "backend/kernel.hpp"  // kernel
#include "bench/inside_kernel_text.hpp"
#include "bench/question.hpp"
#include "peers/cufft.hpp"           // cufft
#include "wingbeat/device/half.hpp"  // half_float

namespace wingbeat::bench {
namespace {

using device::order;
using spectrum = std::vector<std::complex<double>>;
using kernel_pointer = std::shared_ptr<const backend::kernel>;

constexpr std::size_t memory_bytes = std::size_t{1} << 30;  // of input, and as many of output

/// Calls `use` with a number of the stored type.
template <class Use>
void with_stored(scalar real, const Use& use) {
  if (real == scalar::fp64) {
    use(double{});
  } else if (real == scalar::fp32) {
    use(float{});
  } else {
    use(device::half_float{});
  }
}

/// Convert complex numbers to bytes in memory and back.
std::vector<std::byte> stored(const spectrum& z, scalar real) {
  std::vector<std::byte> bytes(z.size() * element_bytes(real));
  with_stored(real, [&]<class Number>(Number) {
    std::vector<Number> numbers;
    for (const auto& x : z) {
      numbers.push_back(static_cast<Number>(x.real()));
      numbers.push_back(static_cast<Number>(x.imag()));
    }
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
  });
  return bytes;
}

spectrum loaded(const std::vector<std::byte>& bytes, scalar real) {
  spectrum z(bytes.size() / element_bytes(real));
  with_stored(real, [&]<class Number>(Number) {
    std::vector<Number> numbers(2 * z.size());
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = {static_cast<double>(numbers[2 * i]), static_cast<double>(numbers[2 * i + 1])};
    }
  });
  return z;
}

spectrum row_of(const buffer& rows, unsigned length, scalar real, std::size_t row) {
  std::vector<std::byte> bytes(std::size_t{length} * element_bytes(real));
  rows.read(bytes.data(), bytes.size(), row * bytes.size());
  return loaded(bytes, real);
}

/// Returns the transform by the engine `reference`, in double.
spectrum transformed(const spectrum& row, transform kind) {
  static queue on{first_device(engine::reference)};
  const buffer in = filled(on, row), out{on, in.size_bytes()};
  const plan exact{on, {.lengths = {row.size()}, .kind = kind, .real = precision::fp64}};
  exact.enqueue(on, in.view(), out.view());
  return row_of(out, static_cast<unsigned>(row.size()), scalar::fp64, 0);
}

/// Returns a filter of unit gain and random phase, times the inverse's 1/N, rounded as stored.
spectrum filter_of(unsigned length, scalar real) {
  std::mt19937_64 bits{length};
  spectrum h;
  for (unsigned f = 0; f < length; ++f) {
    const double turns = static_cast<double>(bits() >> 11) * 0x1p-53;
    h.push_back(std::polar(1.0 / length, 2 * std::numbers::pi * turns));
  }
  return loaded(stored(h, real), real);
}

/// Returns c u sqrt(log2 N), or 4 u up to N = 64; twice that for a convolution. c = 1 in fp32, 1.25
/// in fp64 (the accuracy table), 1 if only storage is fp16, and 2 if all arithmetic is fp16.
double bound_of(unsigned length, scalar real, bool is_convolution) {
  const double u = real == scalar::fp64 ? 0x1p-53 : real == scalar::fp32 ? 0x1p-24 : 0x1p-11;
  const double c = real == scalar::fp64 ? 1.25 : real == scalar::fp16_pair ? 2.0 : 1.0;
  const double bound = length <= 64 ? 4 * u : c * u * std::sqrt(std::log2(length));
  return is_convolution ? 2 * bound : bound;
}

double relative_l2(const spectrum& found, const spectrum& expected) {
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error += std::norm(found[i] - expected[i]);
    energy += std::norm(expected[i]);
  }
  return error == error ? std::sqrt(error / energy) : INFINITY;
}

struct memory {
  buffer in, out;
};

/// One length in one precision.
class problem {
 public:
  problem(session& asked, unsigned length, scalar real, const memory& data)
      : asked_(asked),
        on_(asked.on()),
        length_(length),
        real_(real),
        data_(data),
        batch_(memory_bytes / (std::size_t{length} * element_bytes(real))),
        filter_(filter_of(length, real)) {
    std::mt19937_64 bits{batch_};
    for (const std::size_t row : {std::size_t{0}, bits() % batch_, batch_ - 1}) {
      spectrum bins = transformed(row_of(data.in, length, real, row), transform::forward);
      rows_.push_back({row, bins, {}});
      for (unsigned f = 0; f < length; ++f) bins[f] *= filter_[f];
      rows_.back().convolved = transformed(bins, transform::inverse);
    }
    runs_.push_back(copy_run(on_, data.out, data.in));
  }

  void add_kernels(order bins) {
    const workgroup_fft shape =
        workgroup_fft::advised(length_, real_, limits_of(on_.device()), bins);
    add("forward", shape, {work::forward});
    add("convolve", shape, {work::convolve});
    add("three", shape, {work::forward, work::multiply, work::inverse});
  }

  void add_cufft() {
    cufft_.emplace(on_,
                   plan_spec{.lengths = {length_},
                             .batch = batch_,
                             .real = real_ == scalar::fp64 ? precision::fp64 : precision::fp32});
    const auto run = [this] { cufft_->run(data_.in.view(), data_.out.view()); };
    reports_.push_back({{"length", length_}, {"precision", name_of(real_)}, {"what", "cufft"}});
    runs_.push_back(measure::queued_run(on_, "cufft", run));
  }

  /// Times all runs and adds a row for each.
  void report() {
    measure::take_turns(runs_, asked_.n_rounds);
    double three_s = INFINITY;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      if (runs_[i + 1].name == "three") three_s = std::min(three_s, runs_[i + 1].median_s());
    }
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      const double run_s = runs_[i + 1].median_s();
      json& row = reports_[i];
      row["us"] = 1e6 * run_s;
      row["fraction"] = runs_[0].median_s() / run_s;
      if (runs_[i + 1].name == "convolve") row["ratio_to_three"] = three_s / run_s;
      const double error = row.value("relative_l2", 0.0);
      asked_.add(row, error <= bound_of(length_, real_, runs_[i + 1].name != "forward"));
    }
  }

 private:
  struct expected_row {
    std::size_t number;
    spectrum forward, convolved;
  };

  /// Adds a run. Its first step reads the input; later ones work on the output in place.
  void add(const std::string& name, const workgroup_fft& shape, const std::vector<work>& steps) {
    std::vector<std::pair<kernel_pointer, std::size_t>> kernels;
    kernel_resources takes;
    for (const work step : steps) {
      const bool multiplies = step == work::multiply;
      kernels.emplace_back(
          backend::cuda_engine().compile(
              on_.impl(), {.text = kernel_text(shape, step),
                           .entry = entry_name,
                           .threads = multiplies ? multiply_threads : shape.workgroup_threads(),
                           .scratch_bytes = multiplies ? 0 : shape.scratch_bytes()}),
          multiplies ? memory_bytes / (pack_bytes * multiply_threads * multiply_packs)
                     : batch_ / (shape.transforms * rows_at_once(real_)));
      const kernel_resources own = kernels.back().first->resources();
      if (own.registers > takes.registers) takes = own;
    }
    tables_.push_back(std::make_shared<buffer>(table_of(shape)));
    const auto run = [this, kernels, roots = tables_.back()->view()] {
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        const buffer_view in = i == 0 ? data_.in.view() : data_.out.view();
        const backend::transform_arguments given{in, data_.out.view(), roots, 0, 0, batch_};
        kernels[i].first->launch(*on_.impl(), kernels[i].second, given.list());
      }
    };
    run();
    reports_.push_back({{"length", length_},
                        {"precision", name_of(real_)},
                        {"what", name},
                        {"order", name_of(shape.spectrum_order)},
                        {"elements_per_thread", shape.elements_per_thread},
                        {"transforms", shape.transforms},
                        {"threads", shape.workgroup_threads()},
                        {"registers", takes.registers},
                        {"spill_bytes", takes.spill_bytes},
                        {"relative_l2", error_of(name, shape)}});
    runs_.push_back(measure::queued_run(on_, name, run));
  }

  [[nodiscard]] buffer table_of(const workgroup_fft& shape) const {
    auto bytes = shape.table();
    spectrum placed(length_);
    for (unsigned g = 0; g < length_; ++g) placed[g] = filter_[shape.dft_index(g)];
    const auto filter = stored(placed, real_);
    bytes.insert(bytes.end(), filter.begin(), filter.end());
    return filled(on_, bytes);
  }

  [[nodiscard]] double error_of(const std::string& name, const workgroup_fft& shape) const {
    double worst = 0;
    for (const expected_row& each : rows_) {
      spectrum expected = each.convolved;
      for (unsigned g = 0; g < length_ && name == "forward"; ++g) {
        expected[g] = each.forward[shape.dft_index(g)];
      }
      const spectrum found = row_of(data_.out, length_, real_, each.number);
      worst = std::max(worst, relative_l2(found, expected));
    }
    return worst;
  }

  session& asked_;
  queue& on_;
  unsigned length_;
  scalar real_;
  const memory& data_;
  std::size_t batch_;
  spectrum filter_;
  std::vector<expected_row> rows_;
  std::vector<json> reports_;
  std::vector<measure::timed_run> runs_;  // the copy, then one for each report
  std::vector<std::shared_ptr<buffer>> tables_;
  std::optional<peers::cufft> cufft_;
};

void inside_kernel(session& asked) {
  queue& on = asked.on();
  const bool has_peer = peers::cufft::why_absent().empty();
  if (has_peer) asked.head("peers", "cuFFT " + peers::cufft::version());
  memory data{{on, memory_bytes}, {on, memory_bytes}};
  // A prime number of elements, so that rows differ wherever they begin.
  const std::vector<float> values = noise(std::size_t{2} * 4194301, 20);
  spectrum numbers;
  for (std::size_t i = 0; i < values.size(); i += 2) numbers.emplace_back(values[i], values[i + 1]);
  for (const scalar real : {scalar::fp32, scalar::fp64, scalar::fp16, scalar::fp16_pair}) {
    const auto block = stored(numbers, real);
    fill(data.in, block.data(), block.size());
    for (const std::size_t length :
         asked.numbers({64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384})) {
      if (length > 8192 && real != scalar::fp32) continue;
      problem given{asked, static_cast<unsigned>(length), real, data};
      for (const order bins : {order::natural, order::nabla, order::scrambled}) {
        given.add_kernels(bins);
      }
      if (has_peer && (real == scalar::fp32 || real == scalar::fp64)) given.add_cufft();
      given.report();
    }
  }
}

const registration of_inside_kernel{{"inside_kernel", "[LENGTH..]",
                                     "what the FFT inside a kernel reaches, and what fusing saves",
                                     inside_kernel}};

}  // namespace
}  // namespace wingbeat::bench
