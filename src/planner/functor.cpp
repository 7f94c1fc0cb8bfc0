// SPDX-License-Identifier: Apache-2.0
#include "planner/functor.hpp"

#include "wingbeat/device/ends/functor.hpp"  // block_alignment

#include "formatted.hpp"  // formatted

namespace wingbeat::planner {
namespace {

std::string_view name_of(end which) {
  return which == end::load ? "load" : "store";
}

template <class Given>
functor functor_from(end serves, const Given& given, std::size_t buffer_bytes, bool is_real) {
  functor made;
  made.serves = serves;
  made.text = given.source.text;
  made.type = given.source.type;
  made.parameters = given.source.parameters;
  made.buffer_bytes = buffer_bytes;
  made.element_bytes = given.element_bytes;
  made.is_real = is_real;
  return made;
}

}  // namespace

std::size_t functor::block_bytes() const {
  constexpr std::size_t step = device::ends::block_alignment;
  return (parameters.size() + step - 1) / step * step;
}

std::string functor::quoted_text() const {
  // The empty line ends a last line that a backslash continues.
  return formatted("#line 1 \"your {} functor\"\n{}\n\n", name_of(serves), text);
}

std::string functor::alias_text() const {
  return formatted("#line 1 \"type of your {0} functor\"\nusing wingbeat_{0}_functor = {1};\n",
                   name_of(serves), type);
}

std::string functor::end_text(std::string_view name, std::size_t row_elements, bool is_dense,
                              std::size_t block_at) const {
  const std::string_view mine = name_of(serves);
  std::string made = formatted(
      "using {} = ends::fused_{}<wingbeat_{}_functor, ends::fused_as<policy::real, {}, "
      "{}, {}, {}, {}>>;\n",
      name, mine, mine, row_elements, is_dense, is_real, !parameters.empty(), block_at);
  made += formatted(
      "static_assert(sizeof({}::element) == {}, \"the element of your {} functor has another size "
      "than {}.element_bytes, which is {}\");\n",
      name, element_bytes, mine, mine, element_bytes);
  if (!parameters.empty()) {
    made += formatted(
        "static_assert(sizeof({}::parameters) == {}, \"the parameters of your {} "
        "functor have another size than {}.source.parameters, which holds {} bytes\");\n",
        name, parameters.size(), mine, mine, parameters.size());
  }
  return made;
}

functor functor_of(const fused_load& load, bool is_real) {
  return functor_from(end::load, load, load.in_bytes, is_real);
}

functor functor_of(const fused_store& store, bool is_real) {
  return functor_from(end::store, store, store.out_bytes, is_real);
}

}  // namespace wingbeat::planner
