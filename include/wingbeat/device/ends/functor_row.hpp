// SPDX-License-Identifier: Apache-2.0
// A functor with its parameters and operands, and the functor of one row.
#pragma once

#include "wingbeat/device/ends/functor_contract.hpp"  // parameters_of, given_to, is_made_for_rows
#include "wingbeat/device/ends/operands.hpp"          // operands_of, has_members
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::ends {

/// Alignment of parameter blocks in a plan's table, and the most that parameters may have.
inline constexpr size block_alignment = 64;

/// Returns a functor's parameter block.
template <class Functor, class As>
WINGBEAT_FN WINGBEAT_GLOBAL const typename parameters_of<Functor>::type& block_of(
    WINGBEAT_GLOBAL const char* blocks) {
  using block = typename parameters_of<Functor>::type;
  static_assert(alignof(block) <= block_alignment,
                "the parameters of your load functor or your store functor are aligned to more "
                "than 64 bytes; align them to less");
  return *reinterpret_cast<WINGBEAT_GLOBAL const block*>(blocks + As::block_at);
}

/// One row of a functor with static functions, as members like those of device/functors. Given: its
/// `fused_given`. It calls structs, because NVRTC takes lambdas with parameter packs for host code.
template <class Functor, class Given, class Memory>
struct functor_row {
  const Given& given;
  Memory memory;
  size row;

  WINGBEAT_FN auto load(size i) const { return given.template to<load_call>(memory, row, i); }
  template <class Value>
  WINGBEAT_FN void store(size i, Value z) const {
    given.template to<store_call>(memory, row, i, z);
  }
  // For functors that make outputs of whole rows.
  template <class Values>
  WINGBEAT_FN auto output(size t, const Values& values) const {
    return given.template to<output_call>(values, row, t);
  }
  template <class Value>
  WINGBEAT_FN auto prepared(size i, Value z) const {
    return given.template to<prepared_call>(z, row, i);
  }
  // For functors that keep: see keep.hpp.
  WINGBEAT_FN auto started(size i) const { return given.template to<started_call>(memory, row, i); }
  template <class Kept, class Value>
  WINGBEAT_FN bool changes(const Kept& state, size i, Value x) const {
    return given.template to<changes_call>(state, memory, row, i, x);
  }
  template <class Kept, class Value>
  WINGBEAT_FN void keep(Kept& state, size i, Value x) const {
    given.template to<keep_call>(state, memory, row, i, x);
  }
  WINGBEAT_FN auto before(size i) const { return given.template to<before_call>(memory, row, i); }
  template <class Kept, class Element>
  WINGBEAT_FN void finish(size i, const Kept& state, Element found) const {
    given.template to<finish_call>(memory, row, i, state, found);
  }

 private:
  struct load_call {
    template <class... More>
    WINGBEAT_FN static auto of(Memory in, size row, size i, const More&... more) {
      return Functor::load(in, more..., row, i);
    }
  };
  struct store_call {
    template <class Value, class... More>
    WINGBEAT_FN static void of(Memory out, size row, size i, Value z, const More&... more) {
      Functor::store(out, more..., row, i, z);
    }
  };
  struct output_call {
    template <class Values, class... More>
    WINGBEAT_FN static auto of(const Values& values, size row, size t, const More&... more) {
      return Functor::output(values, more..., row, t);
    }
  };
  struct prepared_call {
    template <class Value, class... More>
    WINGBEAT_FN static auto of(Value z, size row, size i, const More&... more) {
      return Functor::prepared(z, more..., row, i);
    }
  };
  struct started_call {
    template <class... More>
    WINGBEAT_FN static auto of(Memory out, size row, size i, const More&... more) {
      return Functor::started(out, more..., row, i);
    }
  };
  struct changes_call {
    template <class Kept, class Value, class... More>
    WINGBEAT_FN static bool of(const Kept& state, Memory out, size row, size i, Value x,
                               const More&... more) {
      return Functor::changes(state, out, more..., row, i, x);
    }
  };
  struct keep_call {
    template <class Kept, class Value, class... More>
    WINGBEAT_FN static void of(Kept& state, Memory out, size row, size i, Value x,
                               const More&... more) {
      Functor::keep(state, out, more..., row, i, x);
    }
  };
  struct before_call {
    template <class... More>
    WINGBEAT_FN static auto of(Memory out, size row, size i, const More&... more) {
      return Functor::before(out, more..., row, i);
    }
  };
  struct finish_call {
    template <class Kept, class Element, class... More>
    WINGBEAT_FN static void of(Memory out, size row, size i, const Kept& state, Element found,
                               const More&... more) {
      Functor::finish(out, more..., row, i, state, found);
    }
  };
};

/// The same for a functor that reduces, with a partial result: see reduce.hpp.
template <class Functor, class Given, class Partial>
struct partial_row {
  const Given& given;
  Partial& sum;
  size row;

  template <class Value>
  WINGBEAT_FN void store(size i, Value z) const {
    given.template to<add_call>(sum, row, i, z);
  }
  template <class Out>
  WINGBEAT_FN void finish(Out out) const {
    given.template to<finish_call>(out, row, sum);
  }

 private:
  struct add_call {
    template <class Value, class... More>
    WINGBEAT_FN static void of(Partial& sum, size row, size i, Value z, const More&... more) {
      Functor::add(sum, more..., row, i, z);
    }
  };
  struct finish_call {
    template <class Out, class... More>
    WINGBEAT_FN static void of(Out out, size row, const Partial& sum, const More&... more) {
      Functor::finish(out, more..., row, sum);
    }
  };
};

/// A functor's parameters, in the table, and its operands.
template <class Functor, class As>
class fused_given {
 public:
  using operands = typename operands_of<Functor>::type;
  using list = typename given_to<Functor, As::has_parameters, As::has_operands>::type;

  static_assert(operands_of<Functor>::is_given || !As::has_operands,
                "this plan's functor is given operands and has no type named operands; declare "
                "struct operands in it, or leave them out");
  static_assert(!As::has_operands || has_members<operands, As::n_operands>,
                "your functor's struct operands has more or fewer members than its list of "
                "operands has entries; an array counts as its elements, so put it into a struct");

  template <class... Given>
  WINGBEAT_FN explicit fused_given(WINGBEAT_GLOBAL const char* blocks, Given... given)
      : blocks_(blocks), operands_{given...} {}

  /// Returns the functor of a row: itself, or its `functor_row`.
  template <class Memory>
  WINGBEAT_FN auto of_row(Memory memory, size row) const {
    if constexpr (is_made_for_rows<Functor>) {
      return Functor::of_row(memory, operands_, row);
    } else {
      return functor_row<Functor, fused_given, Memory>{*this, memory, row};
    }
  }
  /// Returns the functor of a row that reduces to a partial result.
  template <class Partial>
  WINGBEAT_FN auto of_partial(Partial& sum, size row) const {
    if constexpr (is_made_for_rows<Functor>) {
      return Functor::of_partial(sum, operands_, row);
    } else {
      return partial_row<Functor, fused_given, Partial>{*this, sum, row};
    }
  }

  /// Returns Call::of(own.., parameters, operands), without the missing ones.
  template <class Call, class... Own>
  WINGBEAT_FN auto to(Own&... own) const {
    if constexpr (As::has_parameters && As::has_operands) {
      return Call::of(own..., block_of<Functor, As>(blocks_), operands_);
    } else if constexpr (As::has_parameters) {
      return Call::of(own..., block_of<Functor, As>(blocks_));
    } else if constexpr (As::has_operands) {
      return Call::of(own..., operands_);
    } else {
      return Call::of(own...);
    }
  }

 private:
  WINGBEAT_GLOBAL const char* blocks_;
  operands operands_;
};

}  // namespace wingbeat::device::ends
