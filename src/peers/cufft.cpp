// SPDX-License-Identifier: Apache-2.0
#include "peers/cufft.hpp"

#include <string_view>
#include <vector>

#include "backend/cuda/context.hpp"   // entered
#include "backend/cuda/queue.hpp"     // cuda_queue
#include "backend/cuda/toolkit.hpp"   // toolkit_candidates
#include "request/resolved.hpp"       // resolved_spec
#include "system/shared_library.hpp"  // shared_library, open_first
#include "text/formatted.hpp"         // formatted, joined
#include "text/reject.hpp"            // reject
#include "wingbeat/error.hpp"         // absent_error, device_error, plan_error

namespace wingbeat::peers {
namespace {

using namespace backend::cuda;
using cufft_handle = int;

/// cudaDataType of an element. The types of both sides determine the kind of transform.
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

/// The functions that we call. One pair plans and runs every kind and precision.
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

void bind_cufft(shared_library& library, cufft_api& api) {
  library.bind(api.create, "cufftCreate");
  library.bind(api.destroy, "cufftDestroy");
  library.bind(api.version, "cufftGetVersion");
  library.bind(api.set_stream, "cufftSetStream");
  library.bind(api.plan_many, "cufftXtMakePlanMany");
  library.bind(api.run, "cufftXtExec");
}

const opened<cufft_api>& opened_cufft() {
  static const auto found = [] {
    const std::vector<std::string> names{"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
    std::string path;
    return open_first<cufft_api>(toolkit_candidates(names), bind_cufft, path);
  }();
  return found;
}

/// Throws for an error of cuFFT by its number, because cuFFT has no function that names errors.
void check(int status, std::string_view action) {
  if (status == 0) return;
  constexpr int allocation_failed = 2;
  throw device_error(formatted("cuFFT could not {}: {} (cufftResult {})", action,
                               status == allocation_failed ? "device memory ran out" : "it refused",
                               status));
}

const cufft_api& present_cufft() {
  const auto reason = cufft::why_absent();
  if (!reason.empty()) throw absent_error(reason);
  return opened_cufft().api;
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

/// One side as cuFFT describes it: element (i0, i1, i2) of transform b is number
///     b distance + ((i0 embed[1] + i1) embed[2] + i2) stride.
struct embedding {
  std::vector<long long> embed;
  long long stride, distance;
};

embedding embedding_of(const arrays::array& array) {
  const auto refuse = [](std::string_view layout) {
    reject("cuFFT has no layout {}; compare it with another", layout);
  };
  if (array.has_parts) refuse("with imaginary parts apart");
  if (!array.is_whole()) refuse("with ranges");
  embedding result;
  const std::size_t stride = array.axes.back().stride;
  result.stride = static_cast<long long>(stride);
  result.embed.push_back(static_cast<long long>(array.axes.front().length));  // not read
  for (std::size_t a = 1; a < array.axes.size(); ++a) {
    const std::size_t inner = array.axes[a].stride;
    if (inner == 0 || array.axes[a - 1].stride % inner != 0) refuse("whose strides do not divide");
    result.embed.push_back(static_cast<long long>(array.axes[a - 1].stride / inner));
  }
  result.distance = static_cast<long long>(array.batches.back().distance);
  for (std::size_t b = 1; b < array.batches.size(); ++b) {
    const arrays::batch& inner = array.batches[b];
    if (array.batches[b - 1].distance != inner.count * inner.distance) {
      refuse("of batches with gaps between them");
    }
  }
  return result;
}

}  // namespace

struct cufft::impl {
  impl(const wingbeat::queue& owning_queue, const plan_spec& spec);
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;
  ~impl() { discard(); }

  void make(const plan_spec& spec);
  void discard() noexcept;

  const cufft_api& api = present_cufft();
  std::shared_ptr<backend::queue> owner;
  const backend::cuda::queue& on;
  int direction;
  cufft_handle handle = 0;
  std::size_t workspace_bytes = 0;
};

cufft::impl::impl(const wingbeat::queue& owning_queue, const plan_spec& spec)
    : owner(owning_queue.impl()),
      on(cuda_queue(*owner)),
      direction(request::traits_of(spec.kind).is_forward ? -1 : 1) {
  reject_if(spec.scale != scaling::none, "cuFFT cannot scale {}; compare it with scaling none",
            name_of(spec.scale));
  reject_if(spec.load.is_given() || spec.store.is_given(),
            "cuFFT runs no functors of ours; compare it with plain memory");
  const entered current{on.api(), on.context()};
  check(api.create(&handle), "make an empty plan");
  try {
    make(spec);
  } catch (...) {
    discard();
    throw;
  }
}

void cufft::impl::make(const plan_spec& spec) {
  std::vector<long long> n(spec.lengths.begin(), spec.lengths.end());
  const request::resolved_spec request = spec;
  embedding in = embedding_of(request.in), out = embedding_of(request.out);
  const std::size_t batch = spec.batch;
  check(api.plan_many(handle, static_cast<int>(n.size()), n.data(), in.embed.data(), in.stride,
                      in.distance, type_of(spec.real, request.in.is_real()), out.embed.data(),
                      out.stride, out.distance, type_of(spec.real, request.out.is_real()),
                      static_cast<long long>(batch), &workspace_bytes, type_of(spec.real, false)),
        formatted("plan {} of {} in {}, batch {}", name_of(spec.kind), joined(spec.lengths, "x"),
                  name_of(spec.real), batch));
  check(api.set_stream(handle, on.stream()), "use a stream");
}

void cufft::impl::discard() noexcept {
  const entered current{on.api(), on.context(), std::nothrow};
  if (current.is_current()) api.destroy(handle);
}

std::string cufft::why_absent() {
  const auto no_gpu = wingbeat::why_absent(wingbeat::engine::cuda);
  if (!no_gpu.empty()) return no_gpu;
  return opened_cufft().problem.empty()
             ? ""
             : formatted("cuFFT was not found: {}", opened_cufft().problem);
}

std::string cufft::version() {
  int number = 0;
  check(present_cufft().version(&number), "report its version");
  return formatted("{}.{}.{}", number / 1000, number % 1000 / 100, number % 100);
}

cufft::cufft(const wingbeat::queue& on, const plan_spec& spec)
    : impl_(std::make_unique<const impl>(on, spec)) {}
cufft::cufft(cufft&&) noexcept = default;
cufft& cufft::operator=(cufft&&) noexcept = default;
cufft::~cufft() = default;

std::size_t cufft::workspace_bytes() const noexcept {
  return impl_->workspace_bytes;
}

void cufft::run(buffer_view in, buffer_view out, std::size_t n_runs) const {
  const auto address = [](buffer_view view) {
    return static_cast<void*>(static_cast<char*>(view.handle) + view.offset_bytes);
  };
  const entered current{impl_->on.api(), impl_->on.context()};
  for (std::size_t i = 0; i < n_runs; ++i) {
    check(impl_->api.run(impl_->handle, address(in), address(out), impl_->direction),
          "queue a transform");
  }
}

}  // namespace wingbeat::peers
