// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/distributed_plan.hpp"

#include <algorithm>  // copy_backward
#include <limits>     // numeric_limits
#include <map>
#include <optional>
#include <utility>  // move

#include "arrays/array.hpp"                // bytes_of_real
#include "distributing/boxes.hpp"          // bytes_of_share, cut_along, require_rank, text_of
#include "distributing/cost.hpp"           // least_gain, seconds_of, speed_of
#include "distributing/cut_transform.hpp"  // cut_transform, traffic_of
#include "distributing/meeting.hpp"        // agreed, require_same, tell_others
#include "distributing/part_functors.hpp"  // load_of_part, store_of_part
#include "distributing/phases.hpp"         // phased_transform
#include "distributing/rank_views.hpp"     // require_all_ranks, require_places
#include "distributing/transport.hpp"      // transport
#include "distributing/uncut.hpp"          // uncut_reason
#include "processes/group.hpp"             // group
#include "request/key.hpp"                 // key_of
#include "request/names.hpp"               // require_known
#include "request/validation.hpp"          // validated
#include "text/formatted.hpp"              // formatted
#include "text/moved_from.hpp"             // require_owned
#include "text/reject.hpp"                 // reject
#include "views/views.hpp"                 // workspace_start
#include "wingbeat/error.hpp"              // error, plan_error
#include "wingbeat/reshape.hpp"            // reshape

namespace wingbeat {
namespace {

using distributing::array_part;
using distributing::phased_transform;

/// Refuses requests that cannot be cut among ranks.
void require_plain(const plan_spec& spec) {
  const auto refuse = [](std::string_view given, std::string_view allowed) {
    reject("{}; over several devices {}", given, allowed);
  };
  if (!spec.in.is_packed() || !spec.out.is_packed()) {
    refuse("a layout was given", "the parts of ranks are packed");
  }
  if (spec.multiplier.is_given()) refuse("a multiplier was given", "leave it out");
  const fused_store& store = spec.store;
  if (store.partial_bytes != 0 || store.row_outputs != 0 || store.kept_bytes != 0 ||
      store.clears_output) {
    refuse("a store functor reduces, sees rows, keeps or adds", "it stores every element");
  }
  if (spec.where != placement::out_of_place) refuse("where is in_place", "choose out_of_place");
}

/// Refuses an unknown distribution, and functors if ranks do not have the elements that they
/// number.
void require_places(const distributed_spec& spec) {
  request::require_known(
      spec.bins == bin_distribution::transposed || spec.bins == bin_distribution::natural, "bins",
      spec.bins, "transposed or natural");
  const plan_spec& asked = spec.transform;
  reject_if((asked.load.is_given() && !spec.in_boxes.empty()) ||
                (asked.store.is_given() && !spec.out_boxes.empty()),
            "boxes were given for a side that a functor loads or stores; leave them out");
}

/// Returns the part of a batch that a rank transforms.
array_part batch_part(const box& elements, const std::vector<std::size_t>& lengths,
                      request::domain side) {
  array_part part{{1, 1, 1}, {}, {1, 1, 1}, {true, true, true}, elements.lower[0], false};
  const std::vector<std::size_t> counts = distributing::elements_of(lengths, side);
  std::copy_backward(counts.begin(), counts.end(), std::end(part.length));
  return part;
}

/// Returns the elements in memory of one side, without the batch.
box elements_of(const plan_spec& spec, const std::vector<std::size_t>& lengths,
                request::domain side, const std::vector<index_range>& valid) {
  box elements{{0}, {spec.batch}};
  for (const index_range& range : distributing::ranges_of(lengths, valid, side)) {
    elements.lower.push_back(range.first);
    elements.upper.push_back(range.end);
  }
  return elements;
}

/// Returns the layout of these elements, packed.
memory_layout packed(const box& elements, const memory_layout& given) {
  const std::vector<std::size_t> distances = distributing::distances_of(elements);
  return {.strides = {distances.begin() + 1, distances.end()},
          .distances = {distances.front()},
          .origin = {elements.lower.begin() + 1, elements.lower.end()},
          .stored = given.stored};
}

bool has_several_devices(const domain& ranks) {
  if (ranks.group()) return true;
  const device_info& first = ranks.at(0).device();
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    const device_info& other = ranks.at(rank).device();
    if (other.runs_on != first.runs_on || other.index != first.index) return true;
  }
  return false;
}

/// Returns the boxes of ranks, cut along one axis; without an axis rank 0 has all.
std::vector<box> parts_of(const box& elements, std::optional<std::size_t> axis, std::size_t ranks) {
  return axis ? distributing::cut_along(elements, *axis, ranks)
              : distributing::undivided(elements, ranks);
}

}  // namespace

/// How a transform is divided among ranks.
enum class division { one_device, batch, axes };

struct distributed_plan::impl {
  impl(const domain& given, distributed_spec requested);

  [[nodiscard]] const device_info& device() const { return ranks.at(ranks.first()).device(); }

  /// Refuses impossible requests; returns the request as bytes.
  [[nodiscard]] std::string validate() const;

  void divide();
  /// Cuts the transform in the way that is expected to be fastest, and returns its expected
  /// seconds.
  double cut_axes(std::size_t chunk_bytes, bool makes_chunks, bool shares);
  /// Returns whether `handover::beside` is considered.
  [[nodiscard]] bool may_store_beside() const;
  void set_boxes();
  /// Allocates memory of all ranks for the plan's own boxes.
  std::vector<buffer> memory_of(const std::vector<box>& boxes, request::domain side);
  void set_moves();
  /// Makes functors number the transforms of a rank among all.
  void number_functors(std::size_t rank, plan_spec& part) const;
  void prepare();
  using views = std::span<const buffer_view>;
  void run(views in, views out, std::span<const run_operands> given);
  void move_and_run(views in, views out, std::span<const run_operands> given);

  /// Throws `plan_error` unless there is a view for each rank. If ranks store in each other's
  /// outputs, also requires that all views are large enough and apart.
  void require_views(views in, views out) const;
  void enqueue(views in, views out, std::span<const run_operands> given);
  /// Returns whether ranks wait for each other in a run.
  [[nodiscard]] bool is_collective() const {
    return divided == division::axes || move_in || move_out;
  }

  [[nodiscard]] std::size_t bytes_of(const std::vector<box>& boxes, request::domain side,
                                     std::size_t rank) const {
    const bool is_in = &boxes == &in_boxes;
    const std::size_t bytes = is_in ? spec.transform.load.in_bytes : spec.transform.store.out_bytes;
    if (bytes > 0) {
      const std::size_t element =
          is_in ? spec.transform.load.element_bytes : spec.transform.store.element_bytes;
      std::size_t count = 0;
      for (const box& each : boxes) count += each.count();
      return distributing::bytes_of_share(bytes, element, boxes.at(rank).count(), count);
    }
    const memory_layout& layout = is_in ? spec.transform.in : spec.transform.out;
    return boxes.at(rank).span() * request::reals_of(side) *
           bytes_of_real(layout.stored.value_or(spec.transform.real));
  }
  [[nodiscard]] std::string explain() const;
  [[nodiscard]] std::string explain_own() const;

  domain ranks;
  distributed_spec spec;
  const request::traits& kind;
  division divided = division::one_device;
  double one_s = 0, several_s = 0;  ///< Expected seconds, if both ways were considered.
  std::vector<box> in_boxes, out_boxes;
  /// Moves between given boxes and the plan's own, if they differ; arrays in the plan's boxes, by
  /// rank.
  std::optional<reshape> move_in, move_out;
  std::vector<buffer> own_in, own_out;
  std::map<std::size_t, plan> whole;  ///< By rank, if nothing is exchanged.
  std::optional<distributing::cut_transform> cut;
};

distributed_plan::impl::impl(const domain& given, distributed_spec requested)
    : ranks(given), spec(std::move(requested)), kind(request::traits_of(spec.transform.kind)) {
  distributing::require_same(distributing::agreed(ranks, [&] { return validate(); }), "transform");
  divide();
  set_boxes();
  static_cast<void>(distributing::agreed(ranks, [&] {
    prepare();
    if (!spec.in_boxes.empty()) own_in = memory_of(in_boxes, kind.in);
    if (!spec.out_boxes.empty()) own_out = memory_of(out_boxes, kind.out);
    return std::string{};
  }));
  set_moves();
  if (cut) cut->open_peers();
}

std::string distributed_plan::impl::validate() const {
  static_cast<void>(request::validated(spec.transform, device()));
  require_plain(spec.transform);
  require_places(spec);
  plan_spec compared = spec.transform;
  compared.load.callable = {};  // callables cannot be compared
  compared.store.callable = {};
  const auto key = request::key_of({}, compared);
  std::string text =
      formatted("{} {} {}", static_cast<int>(spec.bins), spec.may_use_one_device, *key);
  for (const auto* boxes : {&spec.in_boxes, &spec.out_boxes}) {
    text += "/" + distributing::text_of(*boxes);
  }
  return text;
}

double distributed_plan::impl::cut_axes(std::size_t chunk_bytes, bool makes_chunks, bool shares) {
  using distributing::handover;
  const auto cut_by = [&](handover way, std::size_t bytes) {
    phased_transform steps{spec.transform, spec.bins, ranks.size(), way};
    cut.emplace(ranks, std::move(steps), bytes, shares ? nullptr : &ranks.transport().of(ranks));
    return cut->expected_s();
  };
  if (!makes_chunks) return cut_by(handover::stores, chunk_bytes);
  const double copies_s = cut_by(handover::copies, chunk_bytes);
  if (!may_store_beside()) return copies_s;
  const double beside_s = cut_by(handover::beside, 2 * chunk_bytes);
  return beside_s < copies_s ? beside_s : cut_by(handover::copies, chunk_bytes);
}

bool distributed_plan::impl::may_store_beside() const {
  // As measured, for columns of two passes and rows that one workgroup makes. Chunks wait for those
  // of all ranks by marks, which work in one process only.
  constexpr std::size_t min_column = 8192, max_row = 16384;
  const std::vector<std::size_t>& lengths = spec.transform.lengths;
  return !ranks.group() && lengths.size() == 2 && lengths[0] >= min_column && lengths[1] <= max_row;
}

void distributed_plan::impl::divide() {
  const std::size_t n_ranks = ranks.size();
  const std::string problem = distributing::uncut_reason(spec, n_ranks);
  if (n_ranks > 1 && spec.transform.batch >= n_ranks) {
    divided = division::batch;
  } else if (n_ranks > 1 && problem.empty()) {
    // Only GPUs copy while kernels run.
    const bool shares = !ranks.group() || ranks.transport().shares_memory(ranks);
    const std::size_t rank_bytes = input_bytes(spec.transform) / n_ranks;
    const std::size_t chunk_bytes = device().is_gpu && shares
                                        ? distributing::cut_transform::usual_chunk_bytes(rank_bytes)
                                        : std::numeric_limits<std::size_t>::max();
    several_s = cut_axes(chunk_bytes, rank_bytes / 2 >= chunk_bytes, shares);
    one_s =
        distributing::seconds_of(distributing::speed_of(device()),
                                 distributing::traffic_of(ranks.at(ranks.first()), spec.transform));
    bool is_quicker = has_several_devices(ranks) && several_s < distributing::least_gain * one_s;
    // Devices may differ, so rank 0 decides.
    if (ranks.group()) is_quicker = ranks.group()->gather(is_quicker ? "yes" : "no")[0] == "yes";
    if (!spec.may_use_one_device || is_quicker) divided = division::axes;
  } else if (n_ranks > 1 && !spec.may_use_one_device) {
    throw plan_error(problem);
  }
  if (divided != division::axes) cut.reset();
}

std::vector<buffer> distributed_plan::impl::memory_of(const std::vector<box>& boxes,
                                                      request::domain side) {
  std::vector<buffer> memory(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::size_t bytes = bytes_of(boxes, side, rank);
    if (ranks.has(rank) && bytes > 0) memory[rank] = buffer{ranks.at(rank), bytes};
  }
  return memory;
}

void distributed_plan::impl::set_moves() {
  const auto bytes = [&](request::domain side, const memory_layout& layout) {
    return request::reals_of(side) * bytes_of_real(layout.stored.value_or(spec.transform.real));
  };
  if (!spec.in_boxes.empty()) {
    move_in.emplace(ranks,
                    reshape_spec{spec.in_boxes, in_boxes, bytes(kind.in, spec.transform.in)});
    in_boxes = spec.in_boxes;
  }
  if (!spec.out_boxes.empty()) {
    move_out.emplace(ranks,
                     reshape_spec{out_boxes, spec.out_boxes, bytes(kind.out, spec.transform.out)});
    out_boxes = spec.out_boxes;
  }
}

void distributed_plan::impl::run(views in, views out, std::span<const run_operands> given) {
  if (divided == division::axes) return cut->run(in, out, given);
  for (const auto& [rank, transforms] : whole) {
    if (given.empty()) {
      transforms.enqueue(ranks.at(rank), in[rank], out[rank]);
    } else {
      transforms.enqueue(ranks.at(rank), in[rank], out[rank], given[rank]);
    }
  }
}

void distributed_plan::impl::move_and_run(views in, views out,
                                          std::span<const run_operands> given) {
  std::vector<buffer_view> inputs{in.begin(), in.end()}, outputs{out.begin(), out.end()};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (move_in) inputs[rank] = own_in[rank].view();
    if (move_out) outputs[rank] = own_out[rank].view();
  }
  if (move_in) move_in->enqueue(in, inputs);
  run(inputs, outputs, given);
  if (move_out) move_out->enqueue(outputs, out);
}

void distributed_plan::impl::enqueue(views in, views out, std::span<const run_operands> given) {
  require_views(in, out);
  reject_if(!given.empty() && given.size() != ranks.size(),
            "arguments of functors were given for {} ranks of {}; give those of all", given.size(),
            ranks.size());
  move_in || move_out ? move_and_run(in, out, given) : run(in, out, given);
}

void distributed_plan::impl::prepare() {
  if (cut) {
    cut->prepare();
    return;
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks.has(rank) || in_boxes[rank].count() == 0) continue;
    plan_spec part = spec.transform;
    part.batch = in_boxes[rank].length(0);
    if (!part.valid_in.empty() && !part.load.is_given()) part.in = packed(in_boxes[rank], part.in);
    if (!part.valid_out.empty() && !part.store.is_given())
      part.out = packed(out_boxes[rank], part.out);
    if (divided == division::batch) number_functors(rank, part);
    whole.emplace(rank, plan{ranks.at(rank), part});
  }
}

void distributed_plan::impl::number_functors(std::size_t rank, plan_spec& part) const {
  const plan_spec& asked = spec.transform;
  if (asked.load.is_given()) {
    part.load =
        distributing::load_of_part(asked.load, batch_part(in_boxes[rank], asked.lengths, kind.in),
                                   bytes_of(in_boxes, kind.in, rank));
    part.in = {};
  }
  if (asked.store.is_given()) {
    part.store = distributing::store_of_part(asked.store,
                                             batch_part(out_boxes[rank], asked.lengths, kind.out),
                                             bytes_of(out_boxes, kind.out, rank));
    part.out = {};
  }
  const bool share_text =
      asked.load.source.is_given() && asked.load.source.text == asked.store.source.text;
  if (share_text) distributing::join_texts(part.load, part.store, asked.load.source.text);
}

void distributed_plan::impl::set_boxes() {
  const plan_spec& asked = spec.transform;
  const std::vector<std::size_t>& axes = cut ? cut->steps().lengths() : asked.lengths;
  const box in = elements_of(asked, axes, kind.in, asked.valid_in);
  const box out = elements_of(asked, axes, kind.out, asked.valid_out);
  std::optional<std::size_t> in_axis, out_axis;
  if (divided == division::batch) in_axis = out_axis = 0;
  if (divided == division::axes) {
    in_axis = 1 + cut->steps().first_cut();
    out_axis = 1 + cut->steps().last_cut();
  }
  in_boxes = parts_of(in, in_axis, ranks.size());
  out_boxes = parts_of(out, out_axis, ranks.size());
}

void distributed_plan::impl::require_views(views in, views out) const {
  const distributing::rank_views inputs{
      in, [&](std::size_t rank) { return bytes_of(in_boxes, kind.in, rank); }};
  const distributing::rank_views outputs{
      out, [&](std::size_t rank) { return bytes_of(out_boxes, kind.out, rank); }};
  distributing::require_all_ranks(ranks, inputs, outputs);
  if (!is_collective()) return;
  distributing::require_places(ranks, "plan", workspace_start(spec.transform), inputs, outputs);
}

std::string distributed_plan::impl::explain() const {
  std::string text = explain_own();
  const bool is_alone = divided == division::one_device;
  if (move_in) {
    text = formatted("moves the boxes given{}: {}{}", is_alone ? " to rank 0" : "",
                     move_in->explain(), text);
  }
  if (move_out) {
    text += formatted("moves {}to the boxes given: {}", is_alone ? "from rank 0 " : "",
                      move_out->explain());
  }
  return text;
}

std::string distributed_plan::impl::explain_own() const {
  const std::string own = whole.empty() ? "" : whole.begin()->second.explain();
  const bool is_timed = device().runs_on == engine::cuda;  // the expected times were measured there
  if (divided == division::batch) {
    return formatted("{} transforms on {} ranks, each of which makes some; rank {}:\n{}",
                     std::size_t{spec.transform.batch}, ranks.size(), ranks.first(), own);
  }
  if (divided == division::axes) {
    std::string text = formatted("{} ranks", ranks.size());
    if (is_timed) {
      text +=
          formatted(", {:.3g} ms expected, {:.3g} ms on one device", 1e3 * several_s, 1e3 * one_s);
    }
    return text + "\n" + cut->explain();
  }
  std::string text = "rank 0 makes it alone";
  if (several_s > 0 && is_timed) {
    text += formatted(": {:.3g} ms are expected, and {:.3g} ms on {} ranks", 1e3 * one_s,
                      1e3 * several_s, ranks.size());
  }
  return text + "\n" + own;
}

distributed_plan::distributed_plan(const domain& ranks, distributed_spec spec)
    : impl_(std::make_unique<impl>(ranks, std::move(spec))) {}
distributed_plan::distributed_plan(distributed_plan&&) noexcept = default;
distributed_plan& distributed_plan::operator=(distributed_plan&&) noexcept = default;
distributed_plan::~distributed_plan() = default;

const distributed_spec& distributed_plan::spec() const {
  return require_owned(impl_, "plan").spec;
}

bool distributed_plan::uses_one_device() const {
  return require_owned(impl_, "plan").divided == division::one_device;
}

const std::vector<box>& distributed_plan::in_boxes() const {
  return require_owned(impl_, "plan").in_boxes;
}

const std::vector<box>& distributed_plan::out_boxes() const {
  return require_owned(impl_, "plan").out_boxes;
}

std::size_t distributed_plan::in_bytes(std::size_t rank) const {
  const impl& mine = require_owned(impl_, "plan");
  distributing::require_rank(rank, mine.ranks.size());
  return mine.bytes_of(mine.in_boxes, mine.kind.in, rank);
}

std::size_t distributed_plan::out_bytes(std::size_t rank) const {
  const impl& mine = require_owned(impl_, "plan");
  distributing::require_rank(rank, mine.ranks.size());
  return mine.bytes_of(mine.out_boxes, mine.kind.out, rank);
}

std::size_t distributed_plan::workspace_bytes(std::size_t rank) const {
  const impl& mine = require_owned(impl_, "plan");
  distributing::require_rank(rank, mine.ranks.size());
  std::size_t bytes = mine.cut ? mine.cut->workspace_bytes(rank) : 0;
  for (const auto* memory : {&mine.own_in, &mine.own_out}) {
    if (!memory->empty()) bytes += (*memory)[rank].size_bytes();
  }
  for (const auto* move : {&mine.move_in, &mine.move_out}) {
    if (*move) bytes += (*move)->workspace_bytes(rank);
  }
  return bytes;
}

std::size_t distributed_plan::sent_bytes() const {
  const impl& mine = require_owned(impl_, "plan");
  std::size_t bytes = mine.cut ? mine.cut->steps().sent_bytes() : 0;
  for (const auto* move : {&mine.move_in, &mine.move_out}) {
    if (*move) bytes += (*move)->sent_bytes();
  }
  return bytes;
}

std::string distributed_plan::explain() const {
  return require_owned(impl_, "plan").explain();
}

void distributed_plan::enqueue(const buffer_view& in, const buffer_view& out) {
  const domain& ranks = require_owned(impl_, "plan").ranks;
  enqueue(distributing::views_of_first(ranks, in), distributing::views_of_first(ranks, out));
}

void distributed_plan::enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out) {
  enqueue(in, out, {});
}

void distributed_plan::enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out,
                               std::span<const run_operands> given) {
  impl& mine = require_owned(impl_, "plan");
  try {
    mine.enqueue(in, out, given);
  } catch (const error& refused) {
    if (mine.is_collective()) distributing::tell_others(mine.ranks, refused);
    throw;
  }
}

}  // namespace wingbeat
