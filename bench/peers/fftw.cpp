// SPDX-License-Identifier: Apache-2.0
// FFTW as a peer, with measured plans. FFTW is GPL, so only this program links it, and nothing of
// wingbeat is linked here.
#include <fftw3.h>

#include <algorithm>  // copy_n, fill_n, max
#include <chrono>     // steady_clock
#include <memory>     // unique_ptr
#include <string>
#include <vector>

#include "serve.hpp"  // library, job, server

namespace {

using namespace peers;

/// FFTW's names for one precision.
template <class Real>
struct names;

template <>
struct names<float> {
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto c2c = fftwf_plan_guru64_dft;
  static constexpr auto r2c = fftwf_plan_guru64_dft_r2c;
  static constexpr auto c2r = fftwf_plan_guru64_dft_c2r;
  static constexpr auto r2r = fftwf_plan_guru64_r2r;
  static constexpr auto split_c2c = fftwf_plan_guru64_split_dft;
  static constexpr auto split_r2c = fftwf_plan_guru64_split_dft_r2c;
  static constexpr auto split_c2r = fftwf_plan_guru64_split_dft_c2r;
};

template <>
struct names<double> {
  using plan = fftw_plan;
  using complex = fftw_complex;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto c2c = fftw_plan_guru64_dft;
  static constexpr auto r2c = fftw_plan_guru64_dft_r2c;
  static constexpr auto c2r = fftw_plan_guru64_dft_c2r;
  static constexpr auto r2r = fftw_plan_guru64_r2r;
  static constexpr auto split_c2c = fftw_plan_guru64_split_dft;
  static constexpr auto split_r2c = fftw_plan_guru64_split_dft_r2c;
  static constexpr auto split_c2r = fftw_plan_guru64_split_dft_c2r;
};

fftw_r2r_kind fftw_kind(real_kind of_axis) {
  switch (of_axis) {
    case real_kind::dct1: return FFTW_REDFT00;
    case real_kind::dct2: return FFTW_REDFT10;
    case real_kind::dct3: return FFTW_REDFT01;
    case real_kind::dct4: return FFTW_REDFT11;
    case real_kind::dst1: return FFTW_RODFT00;
    case real_kind::dst2: return FFTW_RODFT10;
    case real_kind::dst3: return FFTW_RODFT01;
    case real_kind::dst4: return FFTW_RODFT11;
    case real_kind::dht: break;
  }
  return FFTW_DHT;
}

struct release {
  void operator()(char* memory) const { fftw_free(memory); }
};

template <class Real>
class fftw_job final : public job {
 public:
  explicit fftw_job(const problem& spec)
      : spec_(spec), size_bytes_(std::max(spec.in.size_bytes, spec.out.size_bytes)) {
    in_ = allocated();
    if (!spec.in_place) out_ = allocated();
    std::fill_n(in_.get(), size_bytes_, 0);  // measuring a plan runs on these values
    if (out_) std::fill_n(out_.get(), size_bytes_, 0);
    for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
      axes_.push_back({long(spec.lengths[a]), long(spec.in.strides[a]), long(spec.out.strides[a])});
    }
    batch_ = {long(spec.batch), long(spec.in.distance), long(spec.out.distance)};
    plan_ = made();
    if (plan_ == nullptr) throw refusal("FFTW has no plan for this layout");
  }
  ~fftw_job() override { names<Real>::destroy(plan_); }
  fftw_job(const fftw_job&) = delete;
  fftw_job& operator=(const fftw_job&) = delete;

  void fill(const std::vector<char>& block) override {
    block_ = block;
    restore();
    if (out_) std::fill_n(out_.get(), size_bytes_, char(0xff));
  }

  double run(std::size_t n_runs) override {
    // FFTW overwrites the input of c2r even out of place.
    if (spec_.in_place || spec_.does == kind::inverse_to_real) restore();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < n_runs; ++i) names<Real>::execute(plan_);
    return seconds_since(begin);
  }

  /// A call of FFTW works on the calling thread.
  double enqueue(std::size_t n_calls) override { return run(n_calls); }

  void read(std::size_t offset_bytes, std::vector<char>& into) override {
    if (offset_bytes + into.size() > size_bytes_) throw refusal("a read beyond the output");
    std::copy_n((out_ ? out_ : in_).get() + offset_bytes, into.size(), into.data());
  }

 private:
  using memory = std::unique_ptr<char, release>;
  using complex = typename names<Real>::complex;

  [[nodiscard]] memory allocated() const {
    memory result{static_cast<char*>(fftw_malloc(size_bytes_))};
    if (!result) throw refusal("memory ran out");
    return result;
  }

  void restore() {
    if (!block_.empty()) repeat(block_, in_.get(), size_bytes_);
  }

  typename names<Real>::plan made() const {
    using api = names<Real>;
    constexpr unsigned how = FFTW_MEASURE;
    const int rank = int(axes_.size());
    auto* const in = reinterpret_cast<Real*>(in_.get());
    auto* const out = reinterpret_cast<Real*>((out_ ? out_ : in_).get());
    auto* const in_z = reinterpret_cast<complex*>(in);
    auto* const out_z = reinterpret_cast<complex*>(out);
    Real* const in_i = in + spec_.in.imaginary;
    Real* const out_i = out + spec_.out.imaginary;
    const bool is_split = spec_.in.imaginary != 0 || spec_.out.imaginary != 0;
    switch (spec_.does) {
      case kind::forward_from_real:
        return is_split ? api::split_r2c(rank, axes_.data(), 1, &batch_, in, out, out_i, how)
                        : api::r2c(rank, axes_.data(), 1, &batch_, in, out_z, how);
      case kind::inverse_to_real:
        return is_split ? api::split_c2r(rank, axes_.data(), 1, &batch_, in, in_i, out, how)
                        : api::c2r(rank, axes_.data(), 1, &batch_, in_z, out, how);
      case kind::forward:
        return is_split ? api::split_c2c(rank, axes_.data(), 1, &batch_, in, in_i, out, out_i, how)
                        : api::c2c(rank, axes_.data(), 1, &batch_, in_z, out_z, -1, how);
      case kind::reals_to_reals: {
        std::vector<fftw_r2r_kind> kinds;
        for (const real_kind axis : spec_.axis_kinds) kinds.push_back(fftw_kind(axis));
        return api::r2r(rank, axes_.data(), 1, &batch_, in, out, kinds.data(), how);
      }
      case kind::inverse: break;
    }
    // The inverse of split numbers is the forward transform with the parts exchanged.
    return is_split ? api::split_c2c(rank, axes_.data(), 1, &batch_, in_i, in, out_i, out, how)
                    : api::c2c(rank, axes_.data(), 1, &batch_, in_z, out_z, 1, how);
  }

  problem spec_;
  std::size_t size_bytes_;
  memory in_, out_;
  std::vector<char> block_;
  std::vector<fftw_iodim64> axes_;
  fftw_iodim64 batch_{};
  typename names<Real>::plan plan_ = nullptr;
};

class fftw final : public library {
 public:
  std::string open(int, int threads, const std::string&) override {
    if (fftw_init_threads() == 0 || fftwf_init_threads() == 0) {
      throw refusal("FFTW's threads cannot be started");
    }
    fftw_plan_with_nthreads(threads);
    fftwf_plan_with_nthreads(threads);
    return std::string{fftw_version} + ", measured plans, " + std::to_string(threads) +
           (threads == 1 ? " thread" : " threads");
  }

  std::unique_ptr<job> plan(const problem& spec) override {
    switch (spec.real) {
      case precision::fp32: return std::make_unique<fftw_job<float>>(spec);
      case precision::fp64: return std::make_unique<fftw_job<double>>(spec);
      default: throw refusal("FFTW computes in fp32 and fp64");
    }
  }
};

}  // namespace

int main() {
  fftw library;
  return server{library}.run();
}
