// SPDX-License-Identifier: Apache-2.0
#include "verify/runner.hpp"

#include <algorithm>  // transform
#include <cstring>    // memcmp, memcpy
#include <limits>     // numeric_limits
#include <span>       // as_bytes

#include "distributing/phases.hpp"     // cut_lengths
#include "distributing/whole_run.hpp"  // whole_run
#include "view_part.hpp"               // part_of
#include "wingbeat/buffer.hpp"         // buffer, buffer_view

namespace wingbeat::verify {
namespace {

constexpr double poison = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t n_guards = 64;  // numbers before and behind each buffer
constexpr double guard = -12345;

/// Numbers between two guards, on a device.
template <class Real>
class guarded {
 public:
  guarded(const queue& queue, const std::vector<double>& numbers)
      : sent_(numbers.size() + 2 * n_guards, static_cast<Real>(guard)),
        memory_(queue, sent_.size() * sizeof(Real)) {
    std::transform(numbers.begin(), numbers.end(), sent_.begin() + n_guards,
                   [](double number) { return static_cast<Real>(number); });
    memory_.write(sent_.data(), memory_.size_bytes());
  }

  [[nodiscard]] buffer_view view() const {
    const std::size_t guard_bytes = n_guards * sizeof(Real);
    return part_of(memory_.view(), guard_bytes, memory_.size_bytes() - 2 * guard_bytes);
  }

  /// Returns the numbers between the guards as they are now.
  [[nodiscard]] std::vector<double> numbers() const {
    const auto content = read();
    return {content.begin() + n_guards, content.end() - n_guards};
  }

  /// Returns how many guards differ from what was written; of all numbers, if `is_whole`.
  [[nodiscard]] std::size_t n_changed(bool is_whole) const {
    const auto content = read();
    std::size_t n = 0;
    for (std::size_t j = 0; j < content.size(); ++j) {
      const bool is_watched = is_whole || j < n_guards || j >= content.size() - n_guards;
      n += is_watched && std::memcmp(&content[j], &sent_[j], sizeof(Real)) != 0;
    }
    return n;
  }

 private:
  [[nodiscard]] std::vector<Real> read() const {
    std::vector<Real> content(sent_.size());
    memory_.read(content.data(), memory_.size_bytes());
    return content;
  }

  std::vector<Real> sent_;
  buffer memory_;
};

/// Appends `n_lines` lines of numbers, `step` from one to the next, poison between.
void append_lines(std::vector<double>& target, const std::vector<double>& lines,
                  std::size_t n_lines, std::size_t step) {
  const std::size_t line = lines.size() / n_lines;
  for (std::size_t l = 0; l < n_lines; ++l) {
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(l * line);
    target.insert(target.end(), first, first + static_cast<std::ptrdiff_t>(line));
    target.insert(target.end(), step - line, poison);
  }
}

template <class Real>
std::vector<double> run_on_ranks(const wingbeat::domain& ranks, const plan_spec& spec,
                                 bool is_whole, const std::vector<double>& numbers) {
  distributing::whole_run run{ranks, {.transform = spec, .may_use_one_device = is_whole}};
  const std::vector<Real> in(numbers.begin(), numbers.end());
  run.write(std::as_bytes(std::span{in}));
  run.enqueue();
  run.wait();
  const std::vector<std::byte> bytes = run.read();
  std::vector<Real> out(bytes.size() / sizeof(Real));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return {out.begin(), out.end()};
}

}  // namespace

runner::runner(const std::vector<device_info>& ranks, precision real)
    : queue_(ranks.front()), real_(real) {
  if (ranks.size() > 1) ranks_ = wingbeat::domain::of_devices(ranks);
}

std::vector<double> runner::transformed(const plan_spec& spec, const std::vector<double>& in) {
  const bool is_fp32 = real_ == precision::fp32;
  if (ranks_) {
    const bool is_whole = spec.batch < ranks_->size() && distributing::cut_lengths(spec).empty();
    n_cut_ += is_whole ? 0 : 1;
    return is_fp32 ? run_on_ranks<float>(*ranks_, spec, is_whole, in)
                   : run_on_ranks<double>(*ranks_, spec, is_whole, in);
  }
  const plan& planned = plan_for(spec);
  return is_fp32 ? run<float>(planned, in) : run<double>(planned, in);
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

template <class Real>
std::vector<double> runner::run(const plan& planned, const std::vector<double>& in) {
  const guarded<Real> from(queue_, in);
  if (planned.spec().where == placement::in_place) {
    planned.enqueue(queue_, from.view(), from.view());
    n_trespasses_ += from.n_changed(/*is_whole=*/false);
    return from.numbers();
  }
  const std::vector<double> poisoned(output_bytes(planned.spec()) / sizeof(Real), poison);
  const guarded<Real> to(queue_, poisoned);
  planned.enqueue(queue_, from.view(), to.view());
  n_trespasses_ += from.n_changed(/*is_whole=*/true) + to.n_changed(/*is_whole=*/false);
  return to.numbers();
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
  const std::size_t real_bytes = real_ == precision::fp32 ? 4 : 8;
  const std::size_t n_lines = points_of(over) / over.back();  // of one transform
  const std::size_t in_step = input_bytes(spec) / rows.size() / n_lines / real_bytes;
  const std::size_t out_step = output_bytes(spec) / rows.size() / n_lines / real_bytes;

  std::vector<double> in;
  for (const row& x : rows) append_lines(in, packed(x, traits_of(kind).in, over), n_lines, in_step);
  const auto out = transformed(spec, in);

  const domain values = traits_of(kind).out;
  const std::size_t line = request::count_of(values, over.back()) * request::reals_of(values);
  std::vector<row> transformed;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> stored;
    for (std::size_t l = r * n_lines; l < (r + 1) * n_lines; ++l) {
      const auto first = out.begin() + static_cast<std::ptrdiff_t>(l * out_step);
      stored.insert(stored.end(), first, first + static_cast<std::ptrdiff_t>(line));
    }
    transformed.push_back(unpacked(stored.data(), values, over));
  }
  return transformed;
}

}  // namespace wingbeat::verify
