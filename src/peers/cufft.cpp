// SPDX-License-Identifier: Apache-2.0
#include "peers/cufft.hpp"

#include <string_view>
#include <vector>

#include "backend/cuda/context.hpp"  // entered
#include "backend/cuda/queue.hpp"    // cuda_queue
#include "backend/cuda/toolkit.hpp"  // toolkit_candidates
#include "formatted.hpp"             // formatted, joined
#include "shared_library.hpp"        // shared_library, open_first
#include "side.hpp"                  // side, input_side, output_side
#include "wingbeat/error.hpp"        // absent_error, device_error, plan_error

namespace wingbeat::cli {
namespace {

using namespace backend::cuda;
using cufft_handle = int;

/// Real transforms know their direction by their types; the sign they are given must agree.
constexpr int direction_of(transform kind) {
  return kind == transform::inverse || kind == transform::inverse_to_real ? 1 : -1;
}

/// cudaDataType: what elements are. The transform's kind follows from those of both sides.
enum scalar_type {
  real_fp16 = 2,
  complex_fp16 = 6,
  real_fp32 = 0,
  complex_fp32 = 4,
  real_fp64 = 1,
  complex_fp64 = 5,
  real_bf16 = 14,
  complex_bf16 = 15
};

/// The functions we call. One pair plans and runs every kind and precision.
struct cufft_api {
  int (*create)(cufft_handle*);
  int (*destroy)(cufft_handle);
  int (*version)(int*);  // 1000 major + 100 minor + patch
  int (*set_stream)(cufft_handle, stream_handle);
  int (*plan_many)(cufft_handle, int rank, long long* lengths, long long* in_embed,
                   long long in_stride, long long in_distance, int in_type, long long* out_embed,
                   long long out_stride, long long out_distance, int out_type, long long batch,
                   std::size_t* workspace_bytes, int computed_in);
  int (*run)(cufft_handle, void* in, void* out, int direction);
};

void bind_cufft(shared_library& from, cufft_api& api) {
  from.bind(api.create, "cufftCreate");
  from.bind(api.destroy, "cufftDestroy");
  from.bind(api.version, "cufftGetVersion");
  from.bind(api.set_stream, "cufftSetStream");
  from.bind(api.plan_many, "cufftXtMakePlanMany");
  from.bind(api.run, "cufftXtExec");
}

const opened<cufft_api>& cufft() {
  static const auto found = [] {
    const std::vector<std::string> names{"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
    std::string path;
    return open_first<cufft_api>(toolkit_candidates(names), bind_cufft, path);
  }();
  return found;
}

/// cuFFT has no function that names its errors.
void check(int what, std::string_view doing) {
  if (what == 0) return;
  constexpr int allocation_failed = 2;
  throw device_error(formatted("cuFFT could not {}: {} (cufftResult {})", doing,
                               what == allocation_failed ? "device memory ran out" : "it refused",
                               what));
}

const cufft_api& present_cufft() {
  const auto why = cufft_peer::why_absent();
  if (!why.empty()) throw absent_error(why);
  return cufft().api;
}

scalar_type type_of(precision real, bool is_real_side) {
  switch (real) {
    case precision::fp32: return is_real_side ? real_fp32 : complex_fp32;
    case precision::fp64: return is_real_side ? real_fp64 : complex_fp64;
    case precision::fp16: return is_real_side ? real_fp16 : complex_fp16;
    case precision::bf16: return is_real_side ? real_bf16 : complex_bf16;
  }
  return complex_fp32;
}

/// One side in cuFFT's words: element (i0, i1, i2) of transform b is number
///     b distance + ((i0 embed[1] + i1) embed[2] + i2) stride.
struct embedding {
  std::vector<long long> embed;
  long long stride, distance;
};

embedding embedding_of(const side& of) {
  const auto refuse = [](std::string_view why) {
    throw plan_error(formatted("cuFFT has no layout {}; compare it with another", why));
  };
  if (of.imaginary_at != 0) refuse("with imaginary parts apart");
  if (!of.is_whole()) refuse("with ranges");
  embedding made;
  const std::size_t stride = of.axes.back().stride;
  made.stride = static_cast<long long>(stride);
  made.embed.push_back(static_cast<long long>(of.axes.front().length));  // not read
  for (std::size_t a = 1; a < of.axes.size(); ++a) {
    const std::size_t inner = of.axes[a].stride;
    if (inner == 0 || of.axes[a - 1].stride % inner != 0) refuse("whose strides do not divide");
    made.embed.push_back(static_cast<long long>(of.axes[a - 1].stride / inner));
  }
  made.distance = static_cast<long long>(of.batches.back().distance);
  for (std::size_t b = 1; b < of.batches.size(); ++b) {
    const auto& [count, distance] = of.batches[b];
    if (of.batches[b - 1].distance != count * distance) refuse("of batches with gaps between them");
  }
  return made;
}

}  // namespace

struct cufft_peer::impl {
  impl(const wingbeat::queue& where, const plan_spec& what);
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;
  ~impl() { discard(); }

  void make(const plan_spec& what);
  void discard() noexcept;

  const cufft_api& api = present_cufft();
  std::shared_ptr<backend::queue> owner;
  const backend::cuda::queue& on;
  int direction;
  cufft_handle handle = 0;
  std::size_t workspace_bytes = 0;
};

cufft_peer::impl::impl(const wingbeat::queue& where, const plan_spec& what)
    : owner(where.impl()), on(cuda_queue(*owner)), direction(direction_of(what.kind)) {
  if (what.scale != scaling::none) {
    throw plan_error(
        formatted("cuFFT cannot scale {}; compare it with scaling none", name_of(what.scale)));
  }
  if (what.load.is_given() || what.store.is_given()) {
    throw plan_error("cuFFT runs no functors of ours; compare it with plain memory");
  }
  const entered here{on.api(), on.context()};
  check(api.create(&handle), "make an empty plan");
  try {
    make(what);
  } catch (...) {
    discard();
    throw;
  }
}

void cufft_peer::impl::make(const plan_spec& what) {
  std::vector<long long> n(what.lengths.begin(), what.lengths.end());
  const side from = input_side(what), to = output_side(what);
  embedding in = embedding_of(from), out = embedding_of(to);
  const std::size_t batch = what.batch;
  check(api.plan_many(handle, static_cast<int>(n.size()), n.data(), in.embed.data(), in.stride,
                      in.distance, type_of(what.real, from.is_real), out.embed.data(), out.stride,
                      out.distance, type_of(what.real, to.is_real), static_cast<long long>(batch),
                      &workspace_bytes, type_of(what.real, false)),
        formatted("plan {} of {} in {}, batch {}", name_of(what.kind), joined(what.lengths, "x"),
                  name_of(what.real), batch));
  check(api.set_stream(handle, on.stream()), "use a stream");
}

void cufft_peer::impl::discard() noexcept {
  const entered here{on.api(), on.context(), std::nothrow};
  if (here.is_current()) api.destroy(handle);
}

std::string cufft_peer::why_absent() {
  const auto no_gpu = wingbeat::why_absent(wingbeat::engine::cuda);
  if (!no_gpu.empty()) return no_gpu;
  return cufft().problem.empty() ? "" : formatted("cuFFT was not found: {}", cufft().problem);
}

std::string cufft_peer::version() {
  int number = 0;
  check(present_cufft().version(&number), "tell its version");
  return formatted("{}.{}.{}", number / 1000, number % 1000 / 100, number % 100);
}

cufft_peer::cufft_peer(const wingbeat::queue& on, const plan_spec& what)
    : impl_(std::make_unique<const impl>(on, what)) {}
cufft_peer::cufft_peer(cufft_peer&&) noexcept = default;
cufft_peer& cufft_peer::operator=(cufft_peer&&) noexcept = default;
cufft_peer::~cufft_peer() = default;

std::size_t cufft_peer::workspace_bytes() const noexcept {
  return impl_->workspace_bytes;
}

void cufft_peer::run(buffer_view in, buffer_view out) const {
  const auto at = [](buffer_view view) {
    return static_cast<void*>(static_cast<char*>(view.handle) + view.offset_bytes);
  };
  const entered here{impl_->on.api(), impl_->on.context()};
  check(impl_->api.run(impl_->handle, at(in), at(out), impl_->direction), "queue a transform");
}

}  // namespace wingbeat::cli
