// SPDX-License-Identifier: Apache-2.0
#include "peer_cufft.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "backend/cuda/context.hpp"  // entered
#include "backend/cuda/library.hpp"  // open_first, toolkit_candidates
#include "backend/cuda/queue.hpp"    // cuda_queue
#include "wingbeat/error.hpp"        // absent_error, device_error, plan_error

namespace wingbeat::cli {
namespace {

using namespace backend::cuda;
using cufft_handle = int;
constexpr int forward_sign = -1;
constexpr int inverse_sign = 1;

/// cuFFT's numbers for input and output types.
enum cufft_type { r2c = 0x2a, c2r = 0x2c, c2c = 0x29, d2z = 0x6a, z2d = 0x6c, z2z = 0x69 };

/// The functions we call. Real, complex, float and double pointers are device memory alike.
struct cufft_api {
  int (*create)(cufft_handle*);
  int (*destroy)(cufft_handle);
  int (*version)(int*);  // 1000 major + 100 minor + patch
  int (*set_stream)(cufft_handle, stream_handle);
  int (*plan_many)(cufft_handle, int rank, long long* lengths, long long* in_embed,
                   long long in_stride, long long in_distance, long long* out_embed,
                   long long out_stride, long long out_distance, int type, long long batch,
                   std::size_t* workspace_bytes);
  int (*run_c2c)(cufft_handle, void* in, void* out, int direction);
  int (*run_z2z)(cufft_handle, void* in, void* out, int direction);
  int (*run_r2c)(cufft_handle, void* in, void* out);
  int (*run_d2z)(cufft_handle, void* in, void* out);
  int (*run_c2r)(cufft_handle, void* in, void* out);
  int (*run_z2d)(cufft_handle, void* in, void* out);
};

void bind_cufft(library& from, cufft_api& api) {
  from.bind(api.create, "cufftCreate");
  from.bind(api.destroy, "cufftDestroy");
  from.bind(api.version, "cufftGetVersion");
  from.bind(api.set_stream, "cufftSetStream");
  from.bind(api.plan_many, "cufftMakePlanMany64");
  from.bind(api.run_c2c, "cufftExecC2C");
  from.bind(api.run_z2z, "cufftExecZ2Z");
  from.bind(api.run_r2c, "cufftExecR2C");
  from.bind(api.run_d2z, "cufftExecD2Z");
  from.bind(api.run_c2r, "cufftExecC2R");
  from.bind(api.run_z2d, "cufftExecZ2D");
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
  throw device_error(fmt::format("cuFFT could not {}: {} (cufftResult {})", doing,
                                 what == allocation_failed ? "device memory ran out" : "it refused",
                                 what));
}

const cufft_api& present_cufft() {
  const auto why = cufft_peer::why_absent();
  if (!why.empty()) throw absent_error(why);
  return cufft().api;
}

cufft_type type_of(const plan_spec& what) {
  const bool is_fp32 = what.real == precision::fp32;
  switch (what.kind) {
    case transform::forward_from_real: return is_fp32 ? r2c : d2z;
    case transform::inverse_to_real: return is_fp32 ? c2r : z2d;
    default: return is_fp32 ? c2c : z2z;
  }
}

/// Elements from one row of the batch to the next.
struct row_distances {
  long long in, out;
};

row_distances distances_of(const plan_spec& what) {
  const auto n = static_cast<long long>(what.lengths.front());
  const long long half = n / 2 + 1;
  const long long real = what.where == placement::in_place ? 2 * half : n;
  switch (what.kind) {
    case transform::forward_from_real: return {real, half};
    case transform::inverse_to_real: return {half, real};
    default: return {n, n};
  }
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
  cufft_type type;
  int direction;
  cufft_handle handle = 0;
};

cufft_peer::impl::impl(const wingbeat::queue& where, const plan_spec& what)
    : owner(where.impl()),
      on(cuda_queue(*owner)),
      type(type_of(what)),
      direction(what.kind == transform::inverse ? inverse_sign : forward_sign) {
  if (what.scale != scaling::none) {
    throw plan_error(
        fmt::format("cuFFT cannot scale {}; compare it with scaling none", name_of(what.scale)));
  }
  if (what.lengths.size() != 1) {
    throw plan_error(fmt::format("{} axes were given; this peer plans one", what.lengths.size()));
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
  auto n = static_cast<long long>(what.lengths.front());
  auto [in_distance, out_distance] = distances_of(what);
  long long in_embed = in_distance;
  long long out_embed = out_distance;
  std::size_t workspace_bytes = 0;
  check(api.plan_many(handle, 1, &n, &in_embed, 1, in_distance, &out_embed, 1, out_distance, type,
                      static_cast<long long>(what.batch), &workspace_bytes),
        fmt::format("plan {} of length {}, batch {}", name_of(what.kind), n, what.batch));
  check(api.set_stream(handle, on.stream()), "use a stream");
}

void cufft_peer::impl::discard() noexcept {
  const entered here{on.api(), on.context(), std::nothrow};
  if (here.is_current()) api.destroy(handle);
}

std::string cufft_peer::why_absent() {
  const auto no_gpu = wingbeat::why_absent(wingbeat::engine::cuda);
  if (!no_gpu.empty()) return no_gpu;
  return cufft().problem.empty() ? "" : fmt::format("cuFFT was not found: {}", cufft().problem);
}

std::string cufft_peer::version() {
  int number = 0;
  check(present_cufft().version(&number), "tell its version");
  return fmt::format("{}.{}.{}", number / 1000, number % 1000 / 100, number % 100);
}

cufft_peer::cufft_peer(const wingbeat::queue& on, const plan_spec& what)
    : impl_(std::make_unique<const impl>(on, what)) {}
cufft_peer::cufft_peer(cufft_peer&&) noexcept = default;
cufft_peer& cufft_peer::operator=(cufft_peer&&) noexcept = default;
cufft_peer::~cufft_peer() = default;

void cufft_peer::run(buffer_view in, buffer_view out) const {
  const cufft_api& api = impl_->api;
  const cufft_handle handle = impl_->handle;
  const auto at = [](buffer_view view) {
    return static_cast<void*>(static_cast<char*>(view.handle) + view.offset_bytes);
  };
  const entered here{impl_->on.api(), impl_->on.context()};
  const auto queued = [&] {
    switch (impl_->type) {
      case c2c: return api.run_c2c(handle, at(in), at(out), impl_->direction);
      case z2z: return api.run_z2z(handle, at(in), at(out), impl_->direction);
      case r2c: return api.run_r2c(handle, at(in), at(out));
      case d2z: return api.run_d2z(handle, at(in), at(out));
      case c2r: return api.run_c2r(handle, at(in), at(out));
      case z2d: return api.run_z2d(handle, at(in), at(out));
    }
    return -1;
  }();
  check(queued, "queue a transform");
}

}  // namespace wingbeat::cli
