// SPDX-License-Identifier: Apache-2.0
#include "inside_kernel_problem.hpp"

#include <algorithm>  // max, min
#include <atomic>
#include <cmath>       // log2, sqrt
#include <complex>     // polar
#include <cstdint>     // uint64_t
#include <cstring>     // memcpy
#include <functional>  // function
#include <numbers>     // pi
#include <random>      // mt19937_64
#include <thread>
#include <utility>  // move

#include "backend/backend.hpp"       // queue
#include "backend/kernel.hpp"        // kernel
#include "measure/rounds.hpp"        // queued_run, take_turns
#include "peers/cufft.hpp"           // cufft
#include "wingbeat/device/half.hpp"  // half_float
#include "wingbeat/error.hpp"        // error, plan_error

namespace wingbeat::bench {
namespace {

using device::order;
using device::workgroup::trade;
using measure::timed_run;
using spectrum = std::vector<std::complex<double>>;
using kernel_pointer = std::shared_ptr<const backend::kernel>;

const backend::kernel_compiler& compiler() {
  return backend::cuda_engine();
}

/// A kernel to be compiled, and what became of it.
struct job {
  workgroup_fft shape;
  work does;
  kernel_pointer made;
  std::string problem;  ///< Why there is none.
};

/// Compiles on all cores.
void compile_all(const queue& on, std::vector<job>& jobs) {
  std::atomic<std::size_t> next = 0;
  const auto compile = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      job& one = jobs[i];
      const bool multiplies = one.does == work::multiply;
      try {
        one.made = compiler().compile(
            on.impl(), {.text = kernel_text(one.shape, one.does),
                        .entry = entry_name,
                        .threads = multiplies ? multiply_threads : one.shape.workgroup_threads(),
                        .scratch_bytes = multiplies ? 0 : one.shape.scratch_bytes()});
      } catch (const error& refused) {
        one.problem = refused.what();
      }
    }
  };
  std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& each : threads) each = std::jthread{compile};
}

/// Complex numbers as they lie in memory, and back.
std::vector<std::byte> stored(const spectrum& z, scalar real) {
  std::vector<std::byte> bytes(z.size() * element_bytes(real));
  const auto fill = [&](auto example) {
    using number = decltype(example);
    std::vector<number> all;
    for (const auto& x : z) {
      all.push_back(static_cast<number>(x.real()));
      all.push_back(static_cast<number>(x.imag()));
    }
    std::memcpy(bytes.data(), all.data(), bytes.size());
  };
  if (real == scalar::fp64) {
    fill(double{});
  } else if (real == scalar::fp32) {
    fill(float{});
  } else {
    fill(device::half_float{});
  }
  return bytes;
}

spectrum loaded(const std::vector<std::byte>& bytes, scalar real) {
  spectrum z(bytes.size() / element_bytes(real));
  const auto read = [&](auto example) {
    using number = decltype(example);
    std::vector<number> all(2 * z.size());
    std::memcpy(all.data(), bytes.data(), bytes.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = {static_cast<double>(all[2 * i]), static_cast<double>(all[2 * i + 1])};
    }
  };
  if (real == scalar::fp64) {
    read(double{});
  } else if (real == scalar::fp32) {
    read(float{});
  } else {
    read(device::half_float{});
  }
  return z;
}

spectrum row_of(const buffer& from, unsigned length, scalar real, std::size_t row) {
  std::vector<std::byte> bytes(std::size_t{length} * element_bytes(real));
  from.read(bytes.data(), bytes.size(), row * bytes.size());
  return loaded(bytes, real);
}

/// Returns the transform by the engine `reference`, in double.
spectrum transformed(const spectrum& row, transform kind) {
  static queue on{first_device(engine::reference)};
  plan_spec what;
  what.lengths = {row.size()};
  what.kind = kind;
  what.real = precision::fp64;
  buffer in{on, input_bytes(what)}, out{on, output_bytes(what)};
  in.write(row.data(), in.size_bytes());
  plan{on, std::move(what)}.enqueue(on, in.view(), out.view());
  return row_of(out, static_cast<unsigned>(row.size()), scalar::fp64, 0);
}

/// Unit gain, random phase and the 1/N of the inverse, rounded as it will be stored.
spectrum filter_of(unsigned length, scalar real) {
  std::mt19937_64 bits{length};
  spectrum h;
  for (unsigned f = 0; f < length; ++f) {
    const double turns = static_cast<double>(bits() >> 11) * 0x1p-53;
    h.push_back(std::polar(1.0 / length, 2 * std::numbers::pi * turns));
  }
  return loaded(stored(h, real), real);
}

/// What rows of the problem should become.
struct expectation {
  std::vector<std::size_t> rows;
  std::vector<spectrum> forward;    // [row][frequency]
  std::vector<spectrum> convolved;  // [row][sample]
};

expectation expect(const memory& data, unsigned length, scalar real, std::size_t batch,
                   const spectrum& filter) {
  expectation made;
  std::mt19937_64 bits{batch};
  made.rows = {0, bits() % batch, bits() % batch | 1, batch - 1};
  for (const std::size_t row : made.rows) {
    made.forward.push_back(transformed(row_of(data.in, length, real, row), transform::forward));
    spectrum product = made.forward.back();
    for (unsigned f = 0; f < length; ++f) product[f] *= filter[f];
    made.convolved.push_back(transformed(product, transform::inverse));
  }
  return made;
}

/// c u sqrt(log2 N), 4 u up to N = 64; of a convolution twice that. c = 1 in fp32, 1.25 in fp64
/// (the accuracy table), 1 where fp16 is stored alone, and 2 where all arithmetic is in fp16.
double bound_of(unsigned length, scalar real, bool is_convolution) {
  const double u = real == scalar::fp64 ? 0x1p-53 : real == scalar::fp32 ? 0x1p-24 : 0x1p-11;
  const double c = real == scalar::fp64 ? 1.25 : real == scalar::fp16_pair ? 2.0 : 1.0;
  const double bound = length <= 64 ? 4 * u : c * u * std::sqrt(std::log2(length));
  return is_convolution ? 2 * bound : bound;
}

/// Poisons the output and reads all of it, on the device.
class memory_check {
 public:
  memory_check(const queue& on, const memory& data, std::size_t size_bytes)
      : data_(data), n_packs_(size_bytes / pack_bytes) {
    const std::string text = memory_check_text();
    poison_ = compiler().compile(on.impl(), {.text = text, .entry = "poison", .threads = 256});
    digest_ = compiler().compile(on.impl(), {.text = text, .entry = "digest", .threads = 256});
  }

  void poison(queue& on) const {
    poison_->launch(*on.impl(), workgroups(),
                    backend::transform_arguments{{}, data_.out.view(), {}, 0, 0, n_packs_}.list());
  }

  struct reading {
    std::uint64_t sum = 0;
    std::uint64_t n_ones = 0;
  };
  reading read(queue& on, memory& data) const {
    reading zero, got;
    data.digest.write(&zero, sizeof zero);
    digest_->launch(
        *on.impl(), workgroups(),
        backend::transform_arguments{data_.out.view(), data.digest.view(), {}, 0, 0, n_packs_}
            .list());
    data.digest.read(&got, sizeof got);
    return got;
  }

 private:
  [[nodiscard]] std::size_t workgroups() const { return (n_packs_ + 16383) / 16384; }

  const memory& data_;
  std::size_t n_packs_;
  kernel_pointer poison_, digest_;
};

double relative_l2(const spectrum& got, const spectrum& expected) {
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += std::norm(got[i] - expected[i]);
    energy += std::norm(expected[i]);
  }
  return error == error ? std::sqrt(error / energy) : INFINITY;
}

/// Everything one problem needs while it runs.
class problem {
 public:
  problem(queue& on, unsigned length, scalar real, memory& data, const method& how)
      : on_(on), length_(length), real_(real), data_(data), how_(how) {
    batch_ = data.in.size_bytes() / (std::size_t{length} * element_bytes(real));
    filter_ = filter_of(length, real);
    expected_ = expect(data, length, real, batch_, filter_);
    check_.emplace_back(on, data, data.out.size_bytes());
  }

  problem_result run();

 private:
  [[nodiscard]] workgroup_fft advised(order how) const;
  [[nodiscard]] std::vector<workgroup_fft> candidates(order how) const;
  [[nodiscard]] workgroup_fft best_of(order how, work does);
  [[nodiscard]] buffer table_of(const workgroup_fft& shape) const;
  void add(const std::string& name, const workgroup_fft& shape, const std::vector<work>& steps);
  void add_cufft();
  void examine(contestant& one, const std::function<void()>& run);
  [[nodiscard]] std::size_t workgroups_of(const job& one) const;
  [[nodiscard]] std::function<void()> runner(const std::vector<job>& steps, const buffer& table);

  queue& on_;
  unsigned length_;
  scalar real_;
  memory& data_;
  const method& how_;
  std::size_t batch_ = 0;
  spectrum filter_;
  expectation expected_;
  std::vector<memory_check> check_;  // one
  std::vector<contestant> all_;
  std::vector<timed_run> runs_;  // the copy, then one for each contestant
  std::vector<std::shared_ptr<buffer>> tables_;
  std::unique_ptr<peers::cufft> cufft_;
};

workgroup_fft problem::advised(order how) const {
  return workgroup_fft::advised(length_, real_, limits_of(on_.device()), how);
}

std::vector<workgroup_fft> problem::candidates(order how) const {
  std::vector<workgroup_fft> all;
  for (unsigned e = 4; e <= 32; e *= 2) {
    for (unsigned transforms = 1; transforms <= 64; transforms *= 2) {
      for (const auto trades : {trade::whole, trade::halves}) {
        workgroup_fft one = advised(how);
        one.elements_per_thread = e;
        one.transforms = transforms;
        one.trades = trades;
        const bool halves = trades == trade::halves;
        const unsigned threads = one.workgroup_threads();
        if (threads < 64 || (threads > 512 && transforms > 1)) continue;
        if (halves && (length_ < 4096 || transforms > 1)) continue;
        if (batch_ % (transforms * rows_at_once(real_)) != 0) continue;
        try {
          one.validate(limits_of(on_.device()));
        } catch (const plan_error&) {
          continue;
        }
        all.push_back(one);
      }
    }
  }
  return all;
}

std::size_t problem::workgroups_of(const job& one) const {
  if (one.does == work::multiply) {
    return data_.in.size_bytes() / (pack_bytes * multiply_threads * multiply_packs);
  }
  return batch_ / (one.shape.transforms * rows_at_once(real_));
}

buffer problem::table_of(const workgroup_fft& shape) const {
  auto bytes = shape.table();
  spectrum placed(length_);
  for (unsigned g = 0; g < length_; ++g) placed[g] = filter_[shape.dft_index(g)];
  const auto filter = stored(placed, real_);
  bytes.insert(bytes.end(), filter.begin(), filter.end());
  buffer table{on_, bytes.size()};
  table.write(bytes.data(), bytes.size());
  return table;
}

/// The first step reads the input, those after it work on the output in place.
std::function<void()> problem::runner(const std::vector<job>& steps, const buffer& table) {
  return [this, steps, roots = table.view()] {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i].made->launch(
          *on_.impl(), workgroups_of(steps[i]),
          backend::transform_arguments{i == 0 ? data_.in.view() : data_.out.view(),
                                       data_.out.view(), roots, 0, 0, batch_}
              .list());
    }
  };
}

workgroup_fft problem::best_of(order how, work does) {
  if (!how_.searches) return advised(how);
  std::vector<job> jobs;
  for (const workgroup_fft& shape : candidates(how)) jobs.push_back({shape, does, {}, {}});
  compile_all(on_, jobs);
  std::erase_if(jobs, [](const job& one) { return !one.made; });
  if (jobs.empty()) return advised(how);
  std::vector<buffer> tables;
  std::vector<timed_run> runs;
  for (const job& one : jobs) {
    tables.push_back(table_of(one.shape));
    runs.push_back(measure::queued_run(on_, "", runner({one}, tables.back())));
  }
  measure::take_turns(runs, 5, 1e-3);
  std::size_t best = 0;
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    if (runs[i].median_s() < runs[best].median_s()) best = i;
  }
  return jobs[best].shape;
}

/// Three runs on poisoned output; the rows of the first are compared.
void problem::examine(contestant& one, const std::function<void()>& run) {
  const bool is_convolution = one.name == "convolve" || one.name == "three";
  one.relative_l2_bound = bound_of(length_, real_, is_convolution);
  one.is_identical = one.is_complete = true;
  memory_check::reading first;
  for (int i = 0; i < 3; ++i) {
    check_.front().poison(on_);
    run();
    const auto got = check_.front().read(on_, data_);
    if (i == 0) first = got;
    one.is_identical = one.is_identical && got.sum == first.sum;
    one.is_complete = one.is_complete && got.n_ones == 0;
  }
  for (std::size_t r = 0; r < expected_.rows.size(); ++r) {
    spectrum expected = is_convolution ? expected_.convolved[r] : expected_.forward[r];
    for (unsigned g = 0; g < length_ && one.name == "forward"; ++g) {
      expected[g] = expected_.forward[r][one.shape.dft_index(g)];
    }
    const auto got = row_of(data_.out, length_, real_, expected_.rows[r]);
    one.relative_l2 = std::max(one.relative_l2, relative_l2(got, expected));
  }
}

/// Returns how many workgroups of a kernel share a multiprocessor of Ampere's and Hopper's size:
/// 65536 registers handed out in 256 to a warp, 64 warps, 32 workgroups, shared memory.
int workgroups_at_once(const kernel_resources& takes, const device_info& where) {
  if (takes.registers <= 0 || takes.threads <= 0) return 0;
  const int warps = (takes.threads + 31) / 32;
  const int registers_of_warp = (takes.registers * 32 + 255) / 256 * 256;
  const int by_registers = 65536 / registers_of_warp / warps;
  const int by_memory = static_cast<int>((where.local_memory_bytes + 1024) /
                                         (static_cast<std::size_t>(takes.scratch_bytes) + 1024));
  return std::min({by_registers, 64 / warps, 32, by_memory});
}

void problem::add(const std::string& name, const workgroup_fft& shape,
                  const std::vector<work>& steps) {
  if (batch_ % (shape.transforms * rows_at_once(real_)) != 0) {
    throw plan_error(fmt::format(
        "{} rows of {} do not fill workgroups of {} transforms; give --mib a power of two", batch_,
        length_, shape.transforms));
  }
  std::vector<job> jobs;
  for (const work does : steps) jobs.push_back({shape, does, {}, {}});
  compile_all(on_, jobs);
  contestant one;
  one.name = name;
  one.shape = shape;
  for (const job& each : jobs) {
    if (!each.made) throw device_error(each.problem);
    const auto takes = each.made->resources();
    if (takes.registers > one.takes.registers) one.takes = takes;
  }
  one.workgroups_at_once = workgroups_at_once(one.takes, on_.device());
  tables_.push_back(std::make_shared<buffer>(table_of(shape)));
  const auto run = runner(jobs, *tables_.back());
  examine(one, run);
  all_.push_back(one);
  runs_.push_back(measure::queued_run(on_, name, run));
}

void problem::add_cufft() {
  plan_spec what;
  what.lengths = {length_};
  what.batch = batch_;
  what.real = real_ == scalar::fp64 ? precision::fp64 : precision::fp32;
  cufft_ = std::make_unique<peers::cufft>(on_, what);
  contestant one;
  one.name = "cufft";
  const auto run = [this] { cufft_->run(data_.in.view(), data_.out.view()); };
  examine(one, run);
  all_.push_back(one);
  runs_.push_back(measure::queued_run(on_, "cufft", run));
}

problem_result problem::run() {
  runs_.push_back(measure::queued_run(
      on_, "copy", [this] { on_.impl()->copy(data_.out.view(), data_.in.view()); }));
  for (const order how : how_.orders) {
    const auto plain = best_of(how, work::forward);
    const auto fused = best_of(how, work::convolve);
    add("forward", plain, {work::forward});
    add("convolve", fused, {work::convolve});
    add("three", plain, {work::forward, work::multiply, work::inverse});
  }
  const bool is_cuffts = real_ == scalar::fp32 || real_ == scalar::fp64;
  if (how_.has_cufft && is_cuffts) add_cufft();
  measure::take_turns(runs_, how_.n_rounds);

  problem_result made{length_, real_, batch_, data_.in.size_bytes(), runs_[0].median_s(), {}};
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all_[i].median_s = runs_[i + 1].median_s();
    all_[i].min_s = runs_[i + 1].min_s();
    all_[i].max_s = runs_[i + 1].max_s();
  }
  made.all = all_;
  return made;
}

}  // namespace

const contestant* problem_result::find(const std::string& name, device::order in_order) const {
  for (const contestant& one : all) {
    if (one.name == name && (name == "cufft" || one.shape.spectrum_order == in_order)) return &one;
  }
  return nullptr;
}

double problem_result::three_s() const {
  double least = 0;
  for (const contestant& one : all) {
    if (one.name == "three" && (least == 0 || one.median_s < least)) least = one.median_s;
  }
  return least;
}

memory::memory(const queue& on, scalar real, std::size_t size_bytes)
    : in(on, size_bytes), out(on, size_bytes), digest(on, 16) {
  // A prime number of elements, so that rows differ wherever they start.
  constexpr std::size_t n_elements = 4194301;
  std::mt19937_64 bits{20};
  spectrum noise;
  const auto next = [&bits] { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1; };
  for (std::size_t i = 0; i < n_elements; ++i) {
    const double re = next();
    noise.emplace_back(re, next());
  }
  const auto block = stored(noise, real);
  for (std::size_t offset = 0; offset < size_bytes; offset += block.size()) {
    in.write(block.data(), std::min(block.size(), size_bytes - offset), offset);
  }
}

problem_result run_problem(queue& on, unsigned length, scalar real, memory& data,
                           const method& how) {
  return problem(on, length, real, data, how).run();
}

}  // namespace wingbeat::bench
