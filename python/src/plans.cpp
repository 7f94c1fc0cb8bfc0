// SPDX-License-Identifier: Apache-2.0
// Plans made by callers, and the cache of plans of this process.
#include "wingbeat/plan.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>  // min
#include <memory>     // unique_ptr
#include <optional>
#include <string>
#include <utility>  // move
#include <vector>

#include "array_library.hpp"  // array_library_of
#include "bindings.hpp"
#include "call_memory.hpp"           // released_call
#include "fields.hpp"                // read
#include "functors.hpp"              // load_of, store_of
#include "transform.hpp"             // shared_plans
#include "wingbeat/good_length.hpp"  // good_length

namespace wingbeat::python {
namespace {

std::size_t next_good_length(std::size_t n, bool is_real) {
  if (n == 1) return 1;
  return good_length(n, is_real ? transform::forward_from_real : transform::forward);
}

std::size_t previous_good_length(std::size_t n, bool is_real) {
  if (n == 1) return 1;
  return good_lengths::largest_up_to(std::min(n, max_length), is_real ? 2 : 1, 0, 1);
}

/// Returns one side of a plan as Python describes it. Strides and distances count elements.
memory_layout layout_of(nb::handle side) {
  memory_layout result;
  auto& [strides, distances, imaginary_at, origin, stored] = result;
  read(side, "strides", strides, "distances", distances, "imaginary_at", imaginary_at, "origin",
       origin, "stored", stored);
  return result;
}

std::vector<index_range> valid_ranges_of(nb::handle side) {
  std::vector<std::pair<std::size_t, std::size_t>> valid;
  read(side, "valid", valid);
  std::vector<index_range> result;
  for (const auto& [first, end] : valid) result.push_back({first, end});
  return result;
}

/// Returns the elements of a functor of the input or the output.
functor_value value_of(transform kind, precision real, bool is_input) {
  const bool is_real = is_real_to_real(kind) || kind == (is_input ? transform::forward_from_real
                                                                  : transform::inverse_to_real);
  if (real == precision::fp64) {
    return is_real ? functor_value::float64 : functor_value::complex128;
  }
  return is_real ? functor_value::float32 : functor_value::complex64;
}

/// A plan and the operands that its functors take in each run.
class owned_plan {
 public:
  owned_plan(queue on, nb::handle given)
      : runs_on_(on.device().runs_on),
        device_index_(runs_on_ == engine::cuda ? on.device().index : 0) {
    plan_spec spec;
    auto& [lengths, batch, kind, axis_kinds, real, scale, orthogonalize, factor, bins, placed, load,
           store, multiplier, in, out, valid_in, valid_out] = spec;
    std::vector<std::size_t> counts;
    read(given, "lengths", lengths, "batch", counts, "real", real, "scale", scale, "orthogonalize",
         orthogonalize, "factor", factor, "bins", bins, "place", placed);
    if (!counts.empty()) batch = batch_shape{std::move(counts)};
    for (const nb::handle each : given.attr("kinds")) {
      axis_kinds.push_back(static_cast<transform>(nb::cast<int>(each)));
    }
    kind = axis_kinds.back();
    if (axis_kinds.size() == 1) axis_kinds.clear();
    in = layout_of(given.attr("input"));
    out = layout_of(given.attr("out"));
    valid_in = valid_ranges_of(given.attr("input"));
    valid_out = valid_ranges_of(given.attr("out"));
    const functor_value in_value = value_of(kind, real, true);
    if (const auto functor = functor_of(given.attr("load"))) {
      load = load_of(*functor, in_value);
      operands_.load = functor->operands;
    }
    if (const auto functor = functor_of(given.attr("store"))) {
      store = store_of(*functor, value_of(kind, real, false));
      operands_.store = functor->operands;
    }
    if (const auto functor = functor_of(given.attr("multiplier"))) {
      multiplier = load_of(*functor, in_value);
      multiplier.in_bytes = multiplier.element_bytes = 0;  // a multiplier has no buffer
      operands_.multiplier = functor->operands;
    }
    in_bytes_ = input_bytes(spec);
    out_bytes_ = output_bytes(spec);
    is_in_place_ = placed == placement::in_place;
    const released_gil released;
    if (runs_on_ != engine::host) on.disown_workspace();
    planned_ = std::make_unique<const plan>(on, std::move(spec));
  }

  [[nodiscard]] const plan& planned() const { return *planned_; }
  [[nodiscard]] std::size_t in_bytes() const { return in_bytes_; }
  [[nodiscard]] std::size_t out_bytes() const { return out_bytes_; }

  /// Sets the sides whose arrays `run` takes without a copy; none, if a side has no strides.
  /// `makes_out`: `run` makes the output. `takes_x`: the output may be the input.
  void expect(nb::handle in, nb::handle out, bool makes_out, bool takes_x) {
    expected_in_ = expected_of(in);
    expected_out_ = expected_of(out);
    makes_out_ = makes_out;
    takes_x_ = takes_x;
  }

  /// Runs on arrays of known libraries and returns the output. Returns None, without effect, if
  /// they do not match `expect`.
  nb::object run(nb::handle x, nb::handle given) const {
    const array_library* const library = array_library_of(x);
    const bool has_operands =
        !operands_.load.empty() || !operands_.store.empty() || !operands_.multiplier.empty();
    if (library == nullptr || !expected_in_ || !expected_out_ || has_operands) return nb::none();
    const auto in = library->view(x);
    if (!in || !is_alike(*in, *expected_in_) || !library->is_plain(x, *in)) return nb::none();
    array out = *expected_out_;
    nb::object result = nb::borrow(given);
    if (!given.is_none()) {
      const auto written = library->view_beside(*in, given);
      if (!written || !is_alike(*written, out)) return nb::none();
      out = *written;
      const bool is_shared = may_overlap(*in, out);
      if (is_shared ? !takes_x_ || !are_one_place(*in, out) : is_in_place_) return nb::none();
      library->note_written(given);
    } else if (makes_out_) {
      result = library->empty(x, *in, out);
    }
    if (result.is_none()) return result;
    queue_run(in->view(), out.view(), {}, library->stream_of(x, *in), {library, x});
    return result;
  }

  /// Queues one run on the input's stream.
  void enqueue(nb::handle x, nb::handle out, nb::sequence load, nb::sequence store,
               nb::sequence multiplier) const {
    const run_operands operands{arguments_of(operands_.load, load),
                                arguments_of(operands_.store, store),
                                arguments_of(operands_.multiplier, multiplier)};
    const given_array in = given_array::of_any(x);
    queue_run(in.view.view(), memory_of(out), operands, in.stream(), {in.library, in.lender});
  }

 private:
  [[nodiscard]] std::optional<array> expected_of(nb::handle side) const {
    const nb::object strides = side.attr("array_strides");
    if (strides.is_none()) return std::nullopt;
    array result;
    result.runs_on = runs_on_ == engine::reference ? engine::host : runs_on_;
    result.device_index = device_index_;
    result.element = element_type_named(nb::cast<std::string>(side.attr("dtypes")[0])).value();
    lay_out(result, nb::cast<nb::tuple>(side.attr("shape")), strides,
            static_cast<std::ptrdiff_t>(result.element.bytes()));
    return result;
  }

  static bool is_alike(const array& given, const array& expected) {
    return given.runs_on == expected.runs_on && given.device_index == expected.device_index &&
           lie_alike(given, expected);
  }

  void queue_run(const buffer_view& in, const buffer_view& out, const run_operands& operands,
                 std::uintptr_t stream, const allocator& memory) const {
    released_call call{runs_on_, device_index_, stream, memory};
    const std::size_t bytes = planned_->workspace_bytes();
    const bool is_on_host = runs_on_ == engine::host;  // its queue keeps its own workspace
    if (is_on_host) call.on.reserve(bytes);
    const buffer_view workspace = is_on_host ? buffer_view{} : call.memory(bytes);
    planned_->enqueue(call.on, in, out, operands, workspace);
  }

  std::unique_ptr<const plan> planned_;
  std::optional<array> expected_in_, expected_out_;
  bool makes_out_ = false, takes_x_ = false;
  struct {
    std::vector<std::string> load, store, multiplier;
  } operands_;  ///< Of the functors.
  std::size_t in_bytes_ = 0, out_bytes_ = 0;
  bool is_in_place_ = false;
  engine runs_on_;
  int device_index_;
};

void bind_cache(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("plan_cache_info", [] {
    const plan_cache& plans = shared_plans();
    return nb::make_tuple(plans.size(), plans.capacity(), plans.n_hits(), plans.n_misses(),
                          plans.bytes(), plans.max_bytes());
  });
  module.def(
      "plan_cache_clear", [] { shared_plans().clear(); }, nb::call_guard<released_gil>());
  module.def(
      "plan_cache_resize",
      [](std::size_t capacity, std::size_t max_bytes) {
        shared_plans().resize(capacity);
        shared_plans().resize_bytes(max_bytes);
      },
      "capacity"_a, "max_bytes"_a, nb::call_guard<released_gil>());
}

void bind_reports(nb::module_& module) {
  nb::class_<pass_info>(module, "Pass", "One pass of a run over device memory: one launch.")
      .def_ro("description", &pass_info::description)
      .def_ro("length", &pass_info::length)
      .def_ro("threads", &pass_info::threads)
      .def_ro("workgroups", &pass_info::workgroups)
      .def_ro("scratch_bytes", &pass_info::scratch_bytes)
      .def_ro("traffic_bytes", &pass_info::traffic_bytes)
      .def("__repr__", [](const pass_info& self) { return "<Pass " + self.description + ">"; });
  nb::class_<kernel_resources>(module, "Resources",
                               "The resources of one kernel; -1: not reported.")
      .def_ro("name", &kernel_resources::name)
      .def_ro("threads", &kernel_resources::threads)
      .def_ro("registers", &kernel_resources::registers)
      .def_ro("spill_bytes", &kernel_resources::spill_bytes)
      .def_ro("stack_bytes", &kernel_resources::stack_bytes)
      .def_ro("scratch_bytes", &kernel_resources::scratch_bytes);
}

}  // namespace

void bind_plans(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("next_good_length", &next_good_length, "target"_a, "is_real"_a);
  module.def("previous_good_length", &previous_good_length, "target"_a, "is_real"_a);
  bind_cache(module);
  bind_reports(module);
  module.attr("item_bytes") = item_bytes();
  module.def("factors_address", &factors_address, "is_double"_a,
             "Returns the address of a load of element i of its only operand.");
  const auto released = nb::call_guard<released_gil>();
  nb::class_<owned_plan>(module, "OwnedPlan", "A plan, with the sizes and operands of its runs.")
      .def(nb::init<queue, nb::handle>(), "queue"_a, "description"_a)
      .def_prop_ro("in_bytes", &owned_plan::in_bytes)
      .def_prop_ro("out_bytes", &owned_plan::out_bytes)
      .def_prop_ro("workspace_bytes",
                   [](const owned_plan& self) { return self.planned().workspace_bytes(); })
      .def_prop_ro("traffic_bytes",
                   [](const owned_plan& self) { return self.planned().traffic_bytes(); })
      .def(
          "passes", [](const owned_plan& self) { return self.planned().passes(); }, released)
      .def(
          "resources", [](const owned_plan& self) { return self.planned().resources(); }, released)
      .def(
          "explain", [](const owned_plan& self) { return self.planned().explain(); }, released)
      .def(
          "bin_at",
          [](const owned_plan& self, std::size_t place) { return self.planned().bin_at(place); },
          "place"_a)
      .def("expect", &owned_plan::expect, "input"_a, "out"_a, "makes_out"_a, "takes_x"_a)
      .def("run", &owned_plan::run, "x"_a.none(), "out"_a.none())
      .def("enqueue", &owned_plan::enqueue, "x"_a, "out"_a, "load"_a, "store"_a, "multiplier"_a);
}

}  // namespace wingbeat::python
