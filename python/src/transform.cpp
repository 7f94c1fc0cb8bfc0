// SPDX-License-Identifier: Apache-2.0
#include "transform.hpp"

#include <algorithm>  // sort, min
#include <span>
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer

namespace wingbeat::python {
namespace {

/// One dimension beside the axes, with its strides in elements of each side.
struct dimension {
  std::size_t count, in_stride, out_stride;
};

/// Returns the dimensions that are not axes, slowest first. Adjacent ones are merged, and those of
/// one element omitted.
std::vector<dimension> batch_of(const array& in, const array& out, std::span<const int> axes) {
  std::vector<dimension> batch;
  for (int d = 0; d < in.rank; ++d) {
    if (in.shape[d] == 1 || std::find(axes.begin(), axes.end(), d) != axes.end()) continue;
    batch.push_back({static_cast<std::size_t>(in.shape[d]), in.stride_of(d), out.stride_of(d)});
  }
  std::sort(batch.begin(), batch.end(),
            [](const dimension& a, const dimension& b) { return a.out_stride > b.out_stride; });
  std::vector<dimension> merged;
  for (const dimension& each : batch) {
    if (!merged.empty() && merged.back().in_stride == each.in_stride * each.count &&
        merged.back().out_stride == each.out_stride * each.count) {
      merged.back() = {merged.back().count * each.count, each.in_stride, each.out_stride};
    } else {
      merged.push_back(each);
    }
  }
  return merged;
}

/// The part of a request that one plan makes: up to `max_axes` axes.
struct part {
  transform kind;
  std::span<const int> axes;
  std::span<const std::size_t> lengths;
  double factor = 1;
};

plan_spec spec_of(const array& in, const array& out, const part& axes,
                  const transform_request& request) {
  plan_spec spec;
  spec.kind = axes.kind;
  spec.scale = request.scale;
  spec.orthogonalize = request.orthogonalize && is_real_to_real(axes.kind);
  spec.factor = axes.factor;
  spec.lengths.assign(axes.lengths.begin(), axes.lengths.end());
  const bool are_alike = in.element.real == out.element.real;
  spec.real = are_alike ? in.element.real : precision::fp32;
  if (!are_alike) {
    spec.in.stored = in.element.real;
    spec.out.stored = out.element.real;
  }
  bool has_zeros = false;
  for (std::size_t a = 0; a < axes.axes.size(); ++a) {
    const int d = axes.axes[a];
    spec.in.strides.push_back(in.shape[d] == 1 ? 1 : in.stride_of(d));
    spec.out.strides.push_back(out.shape[d] == 1 ? 1 : out.stride_of(d));
    const bool is_last = a + 1 == axes.axes.size();
    const std::size_t n = is_last ? input_count(axes.kind, axes.lengths[a]) : axes.lengths[a];
    const std::size_t given = std::min(n, static_cast<std::size_t>(in.shape[d]));
    spec.valid_in.push_back({0, given});
    has_zeros = has_zeros || given < n;
  }
  if (!has_zeros) spec.valid_in.clear();
  const std::vector<dimension> batch = batch_of(in, out, axes.axes);
  if (batch.empty()) return spec;
  std::vector<std::size_t> counts;
  for (const dimension& each : batch) {
    counts.push_back(each.count);
    spec.in.distances.push_back(each.in_stride);
    spec.out.distances.push_back(each.out_stride);
  }
  spec.batch = batch_shape{std::move(counts)};
  return spec;
}

/// A queue, and the source of workspaces if the queue has none.
struct place_of_work {
  queue& on;
  const workspace_source& workspace;
};

void run_part(const place_of_work& work, const array& in, const array& out, const part& axes,
              const transform_request& request) {
  const auto planned = shared_plans().get(work.on, spec_of(in, out, axes, request));
  const std::size_t bytes = work.workspace ? planned->workspace_bytes() : 0;
  const buffer_view workspace = bytes > 0 ? work.workspace(bytes) : buffer_view{};
  planned->enqueue(work.on, in.view(), out.view(), workspace);
}

/// Returns a complex array as a real one with one more dimension.
array as_reals(array complex) {
  complex.element.is_complex = false;
  complex.shape[complex.rank] = 2;
  complex.strides[complex.rank++] = static_cast<std::ptrdiff_t>(complex.element.bytes());
  return complex;
}

/// Transforms axes 0 to `n_axes` - 1 of a request in place, up to three at once.
void run_in_place(const place_of_work& work, const array& out, transform kind, std::size_t n_axes,
                  const transform_request& request) {
  for (std::size_t end = n_axes; end > 0;) {
    const std::size_t count = std::min(end, max_axes);
    end -= count;
    run_part(work, out, out, {kind, {&request.axes[end], count}, {&request.lengths[end], count}},
             request);
  }
}

/// Transforms bins to reals along more axes than a plan takes: other axes first, in a buffer.
void run_through_buffer(const place_of_work& work, const array& in, const array& out,
                        std::size_t n_others, const transform_request& request, const part& last) {
  array between = in;
  pack(between);
  const buffer memory{work.on, between.extent_bytes()};
  between.data = memory.view().handle;
  between.offset_bytes = memory.view().offset_bytes;
  const std::size_t count = std::min(n_others, max_axes), first = n_others - count;
  run_part(work, in, between,
           {transform::inverse, {&request.axes[first], count}, {&request.lengths[first], count}},
           request);
  run_in_place(work, between, transform::inverse, first, request);
  run_part(work, between, out, last, request);
  work.on.wait();  // before the buffer is freed
}

/// Returns the number of elements that a transform reads along axis `a` of its request.
std::ptrdiff_t needed_count(const transform_request& request, int a) {
  const std::size_t n = request.lengths[a];
  return static_cast<std::ptrdiff_t>(a + 1 == request.n_axes ? input_count(request.kind, n) : n);
}

/// Returns the part of an array that a transform reads.
array cropped(array in, const transform_request& request) {
  for (int a = 0; a < request.n_axes; ++a) {
    std::ptrdiff_t& given = in.shape[request.axes[a]];
    given = std::min(given, needed_count(request, a));
  }
  return in;
}

bool is_padded(const array& in, const transform_request& request) {
  for (int a = 0; a < request.n_axes; ++a) {
    if (in.shape[request.axes[a]] < needed_count(request, a)) return true;
  }
  return false;
}

}  // namespace

bool is_real_to_real(transform kind) noexcept {
  return kind != transform::forward && kind != transform::inverse &&
         kind != transform::forward_from_real && kind != transform::inverse_to_real;
}

std::size_t input_count(transform kind, std::size_t n) noexcept {
  return kind == transform::inverse_to_real ? n / 2 + 1 : n;
}

std::size_t output_count(transform kind, std::size_t n) noexcept {
  return kind == transform::forward_from_real ? n / 2 + 1 : n;
}

bool is_direct(const array& in, const array& out, const transform_request& request) {
  if (!in.is_readable() || !out.is_writable()) return false;
  const bool is_in_place = may_overlap(in, out);
  if (is_in_place && !are_one_place(in, out)) return false;
  const bool takes_padding = !is_in_place && request.n_axes <= static_cast<int>(max_axes);
  return takes_padding || !is_padded(in, request);
}

void run(queue& on, const array& in, const array& out, const transform_request& request,
         const workspace_source& workspace) {
  if (in.element.is_complex && is_real_to_real(request.kind)) {
    return run(on, as_reals(in), as_reals(out), request, workspace);
  }
  const place_of_work work{on, workspace};
  const auto n_axes = static_cast<std::size_t>(request.n_axes);
  const std::size_t count = std::min(n_axes, max_axes), n_others = n_axes - count;
  const part last{request.kind,
                  {&request.axes[n_others], count},
                  {&request.lengths[n_others], count},
                  request.factor};
  const array read = cropped(in, request);
  if (request.kind == transform::inverse_to_real && n_others > 0) {
    return run_through_buffer(work, read, out, n_others, request, last);
  }
  run_part(work, read, out, last, request);
  const bool is_from_real = request.kind == transform::forward_from_real;
  run_in_place(work, out, is_from_real ? transform::forward : request.kind, n_others, request);
}

plan_cache& shared_plans() {
  // Never destroyed: drivers may be gone when static objects are destroyed.
  static auto& plans = *new plan_cache;
  return plans;
}

}  // namespace wingbeat::python
