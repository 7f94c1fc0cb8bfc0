// SPDX-License-Identifier: Apache-2.0
#include "programs/loaded_rows.hpp"

#include <algorithm>  // min
#include <bit>        // bit_floor
#include <utility>    // move

#include "backend/backend.hpp"          // call, run
#include "backend/host_tasks.hpp"       // run_on_host
#include "kernel_text/kernel_body.hpp"  // kernel_of, row_copy
#include "text/formatted.hpp"           // formatted
#include "tuning/compiled_engines.hpp"  // compiles_kernels

namespace wingbeat::programs {
namespace {

constexpr std::size_t threads_of_copy = 256;
constexpr std::size_t elements_of_task = 4096;  // in this process

std::size_t traffic_of(const loaded_rows& rows) {
  return (rows.load.moved_bytes != 0 ? rows.load.moved_bytes : rows.load.in_bytes) +
         rows.rows * rows.elements * rows.written.bytes;
}

std::string text_of(const loaded_rows& rows) {
  return formatted("{}: {} rows of {}", rows.title, rows.rows, rows.elements);
}

/// Makes rows in this process; threads share the elements of all rows.
class rows_in_process final : public backend::call {
 public:
  explicit rows_in_process(loaded_rows rows) : rows_(std::move(rows)) {}

  [[nodiscard]] std::size_t traffic_bytes() const noexcept override { return traffic_of(rows_); }
  [[nodiscard]] std::string explain() const override { return text_of(rows_); }
  void enqueue(backend::queue&, const backend::run& given) const override {
    const host_arguments arguments{rows_.load.operands, given.load};
    const auto* const in = static_cast<const std::byte*>(given.in.handle) + given.in.offset_bytes;
    auto* const out = static_cast<std::byte*>(given.out.handle) + given.out.offset_bytes;
    const std::size_t total = rows_.rows * rows_.elements;
    const std::size_t n_tasks = (total + elements_of_task - 1) / elements_of_task;
    backend::run_on_host(n_tasks, [&](std::size_t task) {
      const std::size_t end = std::min(total, (task + 1) * elements_of_task);
      for (std::size_t place = task * elements_of_task; place < end;) {
        const std::size_t row = place / rows_.elements, first = place % rows_.elements;
        const std::size_t count = std::min(rows_.elements - first, end - place);
        rows_.written.write(rows_.load.callable, in, arguments, row, first, count,
                            out + place * rows_.written.bytes);
        place += count;
      }
    });
  }

 private:
  loaded_rows rows_;
};

}  // namespace

void add(program& steps, const device_info& device, loaded_rows rows, const array_ends& ends) {
  program part;
  if (!compiles_kernels(device.runs_on)) {
    part.add(std::make_shared<const rows_in_process>(std::move(rows)));
    return steps.add(part, ends);
  }
  const auto threads =
      static_cast<unsigned>(std::bit_floor(std::min(device.max_workgroup, threads_of_copy)));
  std::vector<argument_source> arguments{place::input, place::output};
  arguments.insert(arguments.end(), ends.load.begin(), ends.load.end());
  part.add(kernel_launch{
      .kernel = kernel_text::kernel_of(kernel_text::row_copy{.load = rows.load,
                                                             .rows = rows.rows,
                                                             .elements = rows.elements,
                                                             .stored = rows.written.name,
                                                             .stored_bytes = rows.written.bytes,
                                                             .threads = threads}),
      .arguments = std::move(arguments),
      .workgroups = (rows.rows * rows.elements + threads - 1) / threads,
      .traffic_bytes = traffic_of(rows),
      .description = text_of(rows)});
  steps.add(part, {ends.in, ends.out, ends.in_bytes, ends.out_bytes});
}

}  // namespace wingbeat::programs
