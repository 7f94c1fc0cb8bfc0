// SPDX-License-Identifier: Apache-2.0
// Plans of one's own, and the cache of plans of this process.
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
#include "functors.hpp"              // load_of, store_of
#include "numpy_array.hpp"           // numpy_view, empty_numpy
#include "queues.hpp"                // queue_of
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

precision precision_named(const std::string& name) {
  for (const precision each :
       {precision::fp32, precision::fp64, precision::fp16, precision::bf16}) {
    if (wingbeat::name_of(each) == name) return each;
  }
  throw nb::value_error(("precision " + name + " is none; give fp32, fp64, fp16 or bf16").c_str());
}

/// One side of a plan, as Python describes it. Strides and distances count elements.
struct side {
  std::vector<std::size_t> strides, distances, origin;
  std::size_t imaginary_at = 0;
  std::string stored;
  std::vector<std::pair<std::size_t, std::size_t>> valid;

  [[nodiscard]] memory_layout layout() const {
    memory_layout result{
        .strides = strides, .distances = distances, .imaginary_at = imaginary_at, .origin = origin};
    if (!stored.empty()) result.stored = precision_named(stored);
    return result;
  }

  [[nodiscard]] std::vector<index_range> ranges() const {
    std::vector<index_range> result;
    for (const auto& [first, end] : valid) result.push_back({first, end});
    return result;
  }
};

/// What a functor of the input, or of the output, has in place of elements.
functor_value value_of(transform kind, precision real, bool is_input) {
  const bool is_real = is_real_to_real(kind) || kind == (is_input ? transform::forward_from_real
                                                                  : transform::inverse_to_real);
  if (real == precision::fp64) {
    return is_real ? functor_value::float64 : functor_value::complex128;
  }
  return is_real ? functor_value::float32 : functor_value::complex64;
}

/// What arrays of one side have to be for a run without Python's checks.
struct expected_array {
  array like{};
  bool is_stated = false;

  [[nodiscard]] bool is(const array& given) const {
    if (!is_stated || given.element != like.element || given.rank != like.rank) return false;
    for (int d = 0; d < like.rank; ++d) {
      if (given.shape[d] != like.shape[d]) return false;
      if (given.shape[d] > 1 && given.strides[d] != like.strides[d]) return false;
    }
    return true;
  }
};

expected_array expected_of(nb::tuple shape, nb::tuple strides, const std::string& dtype) {
  expected_array result;
  const auto element = element_type_named(dtype);
  if (!element || shape.size() != strides.size() || shape.size() >= max_rank) return result;
  result.is_stated = true;
  result.like.element = *element;
  result.like.rank = static_cast<int>(shape.size());
  for (int d = 0; d < result.like.rank; ++d) {
    result.like.shape[d] = nb::cast<std::ptrdiff_t>(shape[d]);
    result.like.strides[d] =
        nb::cast<std::ptrdiff_t>(strides[d]) * static_cast<std::ptrdiff_t>(element->bytes());
  }
  return result;
}

/// A plan, and what its functors take in each run.
class owned_plan {
 public:
  owned_plan(queue on, std::vector<std::size_t> lengths, std::vector<std::size_t> batch,
             const std::vector<std::size_t>& kinds, const std::string& real, int scale,
             double factor, bool orthogonalize, bool is_scrambled, bool is_in_place, const side& in,
             const side& out, const std::optional<functor>& load,
             const std::optional<functor>& store, const std::optional<functor>& multiplier)
      : is_in_place_(is_in_place),
        runs_on_(on.device().runs_on),
        memory_of_(runs_on_ == engine::reference ? engine::host : runs_on_),
        device_index_(runs_on_ == engine::cuda ? on.device().index : 0) {
    plan_spec spec;
    spec.lengths = std::move(lengths);
    if (!batch.empty()) spec.batch = batch_shape{std::move(batch)};
    spec.kind = static_cast<transform>(kinds.back());
    if (kinds.size() > 1) {
      for (const std::size_t kind : kinds) spec.axis_kinds.push_back(static_cast<transform>(kind));
    }
    spec.real = precision_named(real);
    spec.scale = static_cast<scaling>(scale);
    spec.factor = factor;
    spec.orthogonalize = orthogonalize;
    spec.bins = is_scrambled ? bin_order::scrambled : bin_order::natural;
    spec.where = is_in_place ? placement::in_place : placement::out_of_place;
    spec.in = in.layout();
    spec.out = out.layout();
    spec.valid_in = in.ranges();
    spec.valid_out = out.ranges();
    if (load) spec.load = load_of(*load, value_of(spec.kind, spec.real, true));
    if (store) spec.store = store_of(*store, value_of(spec.kind, spec.real, false));
    if (multiplier) {
      spec.multiplier = load_of(*multiplier, value_of(spec.kind, spec.real, true));
      spec.multiplier.in_bytes = spec.multiplier.element_bytes = 0;  // it has no buffer
    }
    if (load) operands_.load = load->operands;
    if (store) operands_.store = store->operands;
    if (multiplier) operands_.multiplier = multiplier->operands;
    in_bytes_ = input_bytes(spec);
    out_bytes_ = output_bytes(spec);
    const nb::gil_scoped_release released;
    if (runs_on_ != engine::host) on.disown_workspace();
    planned_ = std::make_unique<const plan>(on, std::move(spec));
  }

  [[nodiscard]] const plan& planned() const { return *planned_; }
  [[nodiscard]] std::size_t in_bytes() const { return in_bytes_; }
  [[nodiscard]] std::size_t out_bytes() const { return out_bytes_; }

  /// States what arrays `run` takes as they are; with `makes_out`, it makes the output, and with
  /// `takes_x` the output may be the input.
  void expect_input(nb::tuple shape, nb::tuple strides, const std::string& dtype) {
    expected_in_ = expected_of(shape, strides, dtype);
  }
  void expect_output(nb::tuple shape, nb::tuple strides, const std::string& dtype, bool makes_out,
                     bool takes_x) {
    expected_out_ = expected_of(shape, strides, dtype);
    makes_out_ = makes_out;
    takes_x_ = takes_x;
  }

  /// Runs on arrays of numpy or of a known library. Returns the output; None, and does nothing,
  /// where they are not as expected.
  nb::object run(nb::handle x, nb::handle given) const {
    const array_library* const library = is_numpy(x) ? nullptr : array_library_of(x);
    const auto view = [&](nb::handle each) -> std::optional<array> {
      if (library == nullptr) return numpy_view(each);
      return array_library_of(each) == library ? library->view(each) : std::nullopt;
    };
    const auto in = view(x);
    const bool has_operands =
        !operands_.load.empty() || !operands_.store.empty() || !operands_.multiplier.empty();
    if (!in || !expected_in_.is(*in) || has_operands || in->runs_on != memory_of_ ||
        in->device_index != device_index_) {
      return nb::none();
    }
    array out = expected_out_.like;
    nb::object result = nb::borrow(given);
    if (!given.is_none()) {
      const auto written = view(given);
      if (!written || !expected_out_.is(*written) || written->runs_on != memory_of_ ||
          written->device_index != device_index_ ||
          (library == nullptr && !is_writeable_numpy(given))) {
        return nb::none();
      }
      out = *written;
      const bool is_shared = may_overlap(*in, out);
      if (is_shared ? !takes_x_ || !are_one_place(*in, out) : is_in_place_) return nb::none();
      if (library != nullptr) library->note_written(given);
    } else if (makes_out_ && expected_out_.is_stated) {
      out.runs_on = memory_of_;
      out.device_index = device_index_;
      result = library == nullptr ? empty_numpy(out) : library->empty(x, *in, out);
      if (result.is_none()) return result;
    } else {
      return result;
    }
    const bool is_device = memory_of_ != engine::host;
    queue_run(in->view(), out.view(), {}, is_device ? library->stream_of(*in) : 0,
              is_device ? library->workspace_near(x) : nb::none());
    return result;
  }

  /// Queues one run. `allocate` gives (owner, pointer) of a workspace.
  void enqueue(const memory& in, const memory& out, nb::sequence load, nb::sequence store,
               nb::sequence multiplier, std::uintptr_t stream, nb::handle allocate) const {
    const run_operands operands{arguments_of(operands_.load, load),
                                arguments_of(operands_.store, store),
                                arguments_of(operands_.multiplier, multiplier)};
    queue_run(view_of(in), view_of(out), operands, stream, allocate);
  }

 private:
  void queue_run(const buffer_view& in, const buffer_view& out, const run_operands& operands,
                 std::uintptr_t stream, nb::handle allocate) const {
    nb::object owner;
    buffer_view workspace;
    const std::size_t bytes = planned_->workspace_bytes();
    if (bytes > 0 && !allocate.is_none()) {
      owner = allocate(bytes);
      workspace = {reinterpret_cast<void*>(nb::cast<std::uintptr_t>(owner[1])), 0, bytes};
    }
    const nb::gil_scoped_release released;
    queue on = queue_of(runs_on_, device_index_, stream);
    if (workspace.handle == nullptr && bytes > 0) on.reserve(bytes);
    planned_->enqueue(on, in, out, operands, workspace);
  }

  std::unique_ptr<const plan> planned_;
  expected_array expected_in_, expected_out_;
  bool makes_out_ = false, takes_x_ = false;
  struct {
    std::vector<std::string> load, store, multiplier;
  } operands_;  ///< Of the functors.
  std::size_t in_bytes_ = 0, out_bytes_ = 0;
  bool is_in_place_;
  engine runs_on_;
  engine memory_of_;  ///< Whose arrays it takes: the reference engine those of the processor.
  int device_index_;
};

void bind_cache(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("plan_cache_size", [] { return shared_plans().size(); });
  module.def("plan_cache_capacity", [] { return shared_plans().capacity(); });
  module.def("plan_cache_hits", [] { return shared_plans().n_hits(); });
  module.def("plan_cache_misses", [] { return shared_plans().n_misses(); });
  module.def(
      "plan_cache_clear", [] { shared_plans().clear(); }, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "plan_cache_resize", [](std::size_t capacity) { shared_plans().resize(capacity); },
      "capacity"_a, nb::call_guard<nb::gil_scoped_release>());
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

void bind_descriptions(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<side>(module, "Side", "How elements lie on one side of a plan.")
      .def(nb::init<>())
      .def_rw("strides", &side::strides)
      .def_rw("distances", &side::distances)
      .def_rw("origin", &side::origin)
      .def_rw("imaginary_at", &side::imaginary_at)
      .def_rw("stored", &side::stored)
      .def_rw("valid", &side::valid);
  nb::class_<functor>(module, "FunctorSpec", "A load or store of a plan.")
      .def(nb::init<>())
      .def_rw("text", &functor::text)
      .def_rw("type", &functor::type)
      .def_prop_rw(
          "parameters",
          [](const functor& self) {
            return nb::bytes(self.parameters.data(), self.parameters.size());
          },
          [](functor& self, nb::bytes bytes) {
            self.parameters = {bytes.c_str(), bytes.size()};
          })
      .def_rw("operands", &functor::operands)
      .def_rw("element_bytes", &functor::element_bytes)
      .def_rw("buffer_bytes", &functor::buffer_bytes)
      .def_rw("address", &functor::address)
      .def_rw("partial_bytes", &functor::partial_bytes)
      .def_rw("clears_output", &functor::clears_output);
  module.attr("item_bytes") = item_bytes();
  module.def("factors_address", &factors_address, "is_double"_a,
             "Returns the address of a load of element i of its only operand.");
}

}  // namespace

void bind_plans(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("next_good_length", &next_good_length, "target"_a, "is_real"_a);
  module.def("previous_good_length", &previous_good_length, "target"_a, "is_real"_a);
  bind_cache(module);
  bind_reports(module);
  bind_descriptions(module);
  const auto released = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<owned_plan>(module, "OwnedPlan", "A plan, with the sizes and operands of its runs.")
      .def(nb::init<queue, std::vector<std::size_t>, std::vector<std::size_t>,
                    const std::vector<std::size_t>&, const std::string&, int, double, bool, bool,
                    bool, const side&, const side&, const std::optional<functor>&,
                    const std::optional<functor>&, const std::optional<functor>&>(),
           "queue"_a, "lengths"_a, "batch"_a, "kinds"_a, "real"_a, "scale"_a, "factor"_a,
           "orthogonalize"_a, "is_scrambled"_a, "is_in_place"_a, "input"_a, "out"_a,
           "load"_a = nb::none(), "store"_a = nb::none(), "multiplier"_a = nb::none())
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
      .def("expect_input", &owned_plan::expect_input, "shape"_a, "strides"_a, "dtype"_a)
      .def("expect_output", &owned_plan::expect_output, "shape"_a, "strides"_a, "dtype"_a,
           "makes_out"_a, "takes_x"_a)
      .def("run", &owned_plan::run, "x"_a.none(), "out"_a.none())
      .def("enqueue", &owned_plan::enqueue, "input"_a, "out"_a, "load"_a, "store"_a, "multiplier"_a,
           "stream"_a, "allocate"_a.none());
}

}  // namespace wingbeat::python
