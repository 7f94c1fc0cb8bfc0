// SPDX-License-Identifier: Apache-2.0
#include "verify/runner.hpp"

#include <span>  // as_bytes

#include "distributing/phases.hpp"     // cut_lengths
#include "distributing/whole_run.hpp"  // whole_run
#include "request/resolved.hpp"        // input_array, output_array
#include "verify/elements.hpp"         // load_element, store_element

namespace wingbeat::verify {
namespace {

constexpr unsigned char poison = 0xff;  // NaN in every precision

/// Returns the point of an element in the memory of a transform.
std::size_t point_of(const arrays::array& array, const shape& over, std::size_t element) {
  const std::size_t stored = array.axes.back().length;
  return element / stored * over.back() + element % stored;
}

/// Returns an input that holds rows, with poison in all bytes that may not be read.
bytes stored(const plan_spec& spec, const std::vector<row>& rows) {
  const arrays::array in = request::input_array(spec);
  bytes memory(input_bytes(spec), poison);
  const std::size_t n = in.elements();
  for (std::size_t e = 0; e < rows.size() * n; ++e) {
    const value z = rows[e / n][point_of(in, spec.lengths, e % n)];
    store_element(spec, in, e, z, memory.data());
  }
  return memory;
}

/// Returns the rows of an output; half spectra are completed.
std::vector<row> loaded(const plan_spec& spec, const bytes& memory) {
  const arrays::array out = request::output_array(spec);
  std::vector<row> rows(spec.batch, row(points_of(spec.lengths)));
  const std::size_t n = out.elements();
  for (std::size_t e = 0; e < rows.size() * n; ++e) {
    rows[e / n][point_of(out, spec.lengths, e % n)] = load_element(out, e, memory.data());
  }
  if (traits_of(spec.kind).out != domain::hermitian) return rows;
  for (row& x : rows) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const bool is_stored = k % spec.lengths.back() < out.axes.back().length;
      if (!is_stored) x[k] = std::conj(x[mirrored(k, spec.lengths)]);
    }
  }
  return rows;
}

bytes run_on_ranks(const wingbeat::domain& ranks, const plan_spec& spec, bool is_whole,
                   const bytes& in) {
  distributing::whole_run run{ranks, {.transform = spec, .may_use_one_device = is_whole}};
  run.write(std::as_bytes(std::span{in}));
  run.enqueue();
  run.wait();
  const std::vector<std::byte> out = run.read();
  const auto* const first = reinterpret_cast<const unsigned char*>(out.data());
  return {first, first + out.size()};
}

}  // namespace

runner::runner(const std::vector<device_info>& ranks, precision real)
    : queue_(ranks.front()), real_(real) {
  if (ranks.size() > 1) ranks_ = wingbeat::domain::of_devices(ranks);
}

bytes runner::transformed(const plan_spec& spec, const bytes& in) {
  if (!ranks_) return run(plan_for(spec), in);
  const bool is_whole = spec.batch < ranks_->size() && distributing::cut_lengths(spec).empty();
  n_cut_ += is_whole ? 0 : 1;
  return run_on_ranks(*ranks_, spec, is_whole, in);
}

const plan& runner::plan_for(const plan_spec& spec) {
  const auto key = std::tuple{spec.kind,  spec.lengths,       std::size_t{spec.batch},
                              spec.scale, spec.orthogonalize, spec.where};
  auto found = plans_.find(key);
  if (found == plans_.end()) found = plans_.emplace(key, plan{queue_, spec}).first;
  return found->second;
}

void runner::forget() {
  plans_.clear();
  n_trespasses_ = 0;
}

bytes runner::run(const plan& planned, const bytes& in) {
  const guarded from(queue_, in, 0, poison);
  if (planned.spec().where == placement::in_place) {
    planned.enqueue(queue_, from.view(), from.view());
    n_trespasses_ += from.trespasses(bytes(in.size(), 1)).size();
    return from.inner();
  }
  const std::size_t out_bytes = output_bytes(planned.spec());
  const guarded to(queue_, bytes(out_bytes, poison), 0, 0xa5);
  planned.enqueue(queue_, from.view(), to.view());
  n_trespasses_ += from.trespasses(bytes(in.size(), 0)).size();
  n_trespasses_ += to.trespasses(bytes(out_bytes, 1)).size();
  return to.inner();
}

std::vector<row> runner::operator()(transform kind, const std::vector<row>& rows,
                                    const manner& how) {
  const shape over = how.over.empty() ? shape{rows.front().size()} : how.over;
  const plan_spec spec{.lengths = over,
                       .batch = rows.size(),
                       .kind = kind,
                       .real = real_,
                       .scale = how.scale,
                       .orthogonalize = how.orthogonalizes,
                       .where = how.where};
  return loaded(spec, transformed(spec, stored(spec, rows)));
}

}  // namespace wingbeat::verify
