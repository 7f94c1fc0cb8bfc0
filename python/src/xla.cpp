// SPDX-License-Identifier: Apache-2.0
// The transform, and short-time transforms, as custom calls of XLA, for JAX on processors and CUDA
// devices. Each has one result and one attribute of 64-bit integers. Of a transform:
//     kind, index of a scaling, orthogonalize, axes .. counted from the end, lengths ..
// Of a short-time transform, whose operands are rows or spectra, weights, the gradient of results
// where it has one, and lengths:
//     kind, frames, whether lengths are given, the two numbers of the description's key
#include <exception>
#include <new>  // bad_alloc
#include <vector>

#include "bindings.hpp"
#include "queues.hpp"  // host_queue, queue_of
#include "short_times.hpp"
#include "transform.hpp"  // run
#include "wingbeat/error.hpp"
#include "xla_interface.hpp"

namespace wingbeat::python {
namespace {

constexpr std::size_t n_leading = 3;  // of the attribute's integers
// The most that XLA accepts; its memory is aligned to 256 bytes anyway.
constexpr std::size_t workspace_alignment = 16;

element_type element_of(xla::data_type dtype) {
  const auto integer = [](std::uint32_t bytes) {
    return element_type{.whole = whole_number::integer, .whole_bytes = bytes};
  };
  switch (dtype) {
    case xla::data_type::int16: return integer(2);
    case xla::data_type::int32: return integer(4);
    case xla::data_type::fp16: return {precision::fp16, false};
    case xla::data_type::bf16: return {precision::bf16, false};
    case xla::data_type::fp32: return {precision::fp32, false};
    case xla::data_type::fp64: return {precision::fp64, false};
    case xla::data_type::complex64: return {precision::fp32, true};
    case xla::data_type::complex128: return {precision::fp64, true};
  }
  throw plan_error("XLA gave elements of a type that cannot be transformed; convert them");
}

array array_of(const xla::buffer& given, engine runs_on, int device_index) {
  array result{};
  result.data = given.data;
  result.runs_on = runs_on;
  result.device_index = device_index;
  result.element = element_of(given.dtype);
  result.rank = static_cast<int>(given.rank);
  for (int d = 0; d < result.rank; ++d) result.shape[d] = given.dimensions[d];
  pack(result);
  return result;
}

transform_request request_of(const xla::array& given, int rank) {
  const auto* const numbers = static_cast<const std::int64_t*>(given.data);
  transform_request request;
  request.kind = static_cast<transform>(numbers[0]);
  request.scale = static_cast<scaling>(numbers[1]);
  request.orthogonalize = numbers[2] != 0;
  request.n_axes = static_cast<int>((given.size - n_leading) / 2);
  for (int a = 0; a < request.n_axes; ++a) {
    request.axes[a] = rank + static_cast<int>(numbers[n_leading + a]);
    request.lengths[a] = static_cast<std::size_t>(numbers[n_leading + request.n_axes + a]);
  }
  return request;
}

/// An error object of XLA, to be returned to it.
struct refusal {
  xla::error* given;
};

/// XLA's functions during one call. Throws `refusal`.
class runtime {
 public:
  explicit runtime(const xla::call_frame& frame) : frame_(frame) {}
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// Memory may be freed while a stream still uses it, because XLA reuses it in the stream's order.
  ~runtime() {
    for (const buffer_view& each : allocated_) {
      xla::free_arguments call{sizeof call, nullptr, frame_.context, each.size_bytes, each.handle};
      drop(frame_.api->free(&call));
    }
  }

  [[nodiscard]] std::uintptr_t stream() {
    xla::stream_arguments call{sizeof call, nullptr, frame_.context, nullptr};
    require(frame_.api->stream(&call));
    return reinterpret_cast<std::uintptr_t>(call.stream);
  }

  [[nodiscard]] int device_ordinal() {
    if (frame_.api->struct_size < sizeof(xla::functions)) {
      throw plan_error("this jaxlib does not tell its device; install a later one");
    }
    xla::ordinal_arguments call{sizeof call, nullptr, frame_.context, 0};
    require(frame_.api->device_ordinal(&call));
    return call.ordinal;
  }

  [[nodiscard]] buffer_view allocate(std::size_t bytes) {
    xla::allocate_arguments call{sizeof call,         nullptr, frame_.context, bytes,
                                 workspace_alignment, nullptr};
    require(frame_.api->allocate(&call));
    allocated_.push_back({call.data, 0, bytes});
    return allocated_.back();
  }

  [[nodiscard]] xla::error* failure(xla::error_code code, const char* message) const {
    xla::create_error_arguments call{sizeof call, nullptr, message, code};
    return frame_.api->create_error(&call);
  }

 private:
  void drop(xla::error* failed) const {
    if (failed == nullptr) return;
    struct {
      std::size_t struct_size;
      xla::extension* extension_start;
      xla::error* failed;
    } call{sizeof call, nullptr, failed};
    frame_.api->destroy_error(reinterpret_cast<xla::create_error_arguments*>(&call));
  }

  static void require(xla::error* failed) {
    if (failed != nullptr) throw refusal{failed};
  }

  const xla::call_frame& frame_;
  std::vector<buffer_view> allocated_;
};

void transform_call(const xla::call_frame& frame, runtime& calls, engine runs_on) {
  const int device_index = runs_on == engine::cuda ? calls.device_ordinal() : 0;
  const array in = array_of(*frame.arguments.values[0], runs_on, device_index);
  const array out = array_of(*frame.results.values[0], runs_on, device_index);
  const transform_request request = request_of(*frame.attrs.values[0], in.rank);
  if (out.elements() == 0) return;
  if (!is_direct(in, out, request)) {
    throw plan_error("XLA gave arrays that no plan takes as they lie; report it with the shapes");
  }
  if (runs_on == engine::host) return run(host_queue(), in, out, request);
  queue on = queue_of(runs_on, device_index, calls.stream());
  run(on, in, out, request, [&](std::size_t bytes) { return calls.allocate(bytes); });
}

void short_time_call(const xla::call_frame& frame, runtime& calls, engine runs_on) {
  const auto* const numbers = static_cast<const std::int64_t*>(frame.attrs.values[0]->data);
  const auto kind = static_cast<short_time_kind>(numbers[0]);
  const int device_index = runs_on == engine::cuda ? calls.device_ordinal() : 0;
  const auto given = [&](std::int64_t i) {
    return array_of(*frame.arguments.values[i], runs_on, device_index);
  };
  const array out = array_of(*frame.results.values[0], runs_on, device_index);
  const bool writes_rows = kind == short_time_kind::inverse;
  const bool has_gradient =
      kind == short_time_kind::gradient || kind == short_time_kind::window_gradient;
  short_time_arrays arrays{.rows = writes_rows ? out : given(0),
                           .given = {},
                           .out = out.view(),
                           .operands = {given(1).view(), {}}};
  if (writes_rows || has_gradient) arrays.given = given(writes_rows ? 0 : 2).view();
  if (numbers[2] != 0) arrays.operands.lengths = given(frame.arguments.size - 1).view();
  const described_frames description = description_of({numbers[3], numbers[4]});
  const auto frames = static_cast<std::size_t>(numbers[1]);
  if (runs_on == engine::host) {
    std::vector<buffer> memory;
    run(host_queue(), description, kind, arrays, frames, [&](std::size_t bytes) {
      return bytes == 0 ? buffer_view{} : memory.emplace_back(host_queue(), bytes).view();
    });
    return host_queue().wait();
  }
  queue on = queue_of(runs_on, device_index, calls.stream());
  run(on, description, kind, arrays, frames,
      [&](std::size_t bytes) { return bytes == 0 ? buffer_view{} : calls.allocate(bytes); });
}

/// Answers XLA's request for the interface version, with XLA's own. Returns whether it was one.
bool answers_metadata(const xla::call_frame& frame) {
  const xla::extension* const asked = frame.extension_start;
  if (asked == nullptr || asked->type != xla::metadata_extension_type) return false;
  xla::metadata& answer = *reinterpret_cast<const xla::metadata_extension*>(asked)->data;
  answer.version = frame.api->version;
  answer.traits = 0;
  return true;
}

using call = void(const xla::call_frame&, runtime&, engine);

template <call* Call, engine RunsOn>
xla::error* handle(xla::call_frame* frame) noexcept {
  if (answers_metadata(*frame)) return nullptr;
  runtime calls{*frame};
  try {
    Call(*frame, calls, RunsOn);
    return nullptr;
  } catch (const refusal& refused) {
    return refused.given;
  } catch (const plan_error& refused) {
    return calls.failure(xla::error_code::invalid_argument, refused.what());
  } catch (const memory_error& refused) {
    return calls.failure(xla::error_code::resource_exhausted, refused.what());
  } catch (const std::bad_alloc& refused) {
    return calls.failure(xla::error_code::resource_exhausted, refused.what());
  } catch (const std::exception& refused) {
    return calls.failure(xla::error_code::internal, refused.what());
  }
}

template <call* Call>
nb::capsule handler(bool is_on_cuda) {
  const auto handles = is_on_cuda ? &handle<Call, engine::cuda> : &handle<Call, engine::host>;
  return nb::capsule(reinterpret_cast<const void*>(handles));
}

}  // namespace

void bind_xla(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("xla_transform", &handler<&transform_call>, "is_on_cuda"_a,
             "Returns the address of the transform as XLA calls it.");
  module.def("xla_short_time", &handler<&short_time_call>, "is_on_cuda"_a,
             "Returns the address of short-time transforms as XLA calls them.");
}

}  // namespace wingbeat::python
