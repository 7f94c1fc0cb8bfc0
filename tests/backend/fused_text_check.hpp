// SPDX-License-Identifier: Apache-2.0
// Functors as text that is wrong in one known line, on an engine that compiles it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/refusal.hpp"  // refusal
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

/// A load of floats, sound; line 8 is its body.
inline constexpr const char* sound_load = R"(namespace wd = wingbeat::device;
struct doubled {
  using element = float;
  struct parameters { float gain; };
  WINGBEAT_FN static wd::complex<float> load(WINGBEAT_GLOBAL const float* in,
                                             WINGBEAT_GLOBAL const parameters& fixed, wd::size row,
                                             wd::size i) {
    return {fixed.gain * in[row * 64 + i], 0};
  }
};
)";

inline plan_spec with_load(std::string text, std::string type = "doubled", float factor = 2) {
  plan_spec spec{.lengths = {64}, .batch = 3};
  spec.load = {.in_bytes = 3 * 64 * 4,
               .element_bytes = 4,
               .source = {std::move(text), std::move(type), bytes_of(factor)}};
  return spec;
}

inline std::string replaced(std::string text, std::string_view part, std::string_view replacement) {
  const auto position = text.find(part);
  EXPECT_NE(position, std::string::npos) << part;
  return text.replace(position, part.size(), replacement);
}

inline std::string message_of_plan(queue& on, const plan_spec& spec) {
  return refusal([&] { plan{on, spec}; });
}

/// Matches "name:8:" of clang and "name(8):" of NVRTC.
inline auto names_line(const std::string& name, int line) {
  using ::testing::HasSubstr;
  return ::testing::AnyOf(HasSubstr(name + ":" + std::to_string(line) + ":"),
                          HasSubstr(name + "(" + std::to_string(line) + "):"));
}

inline void check_messages(queue& on) {
  using ::testing::HasSubstr;
  const std::string sound = sound_load;
  const auto said = [&](const plan_spec& what) { return message_of_plan(on, what); };
  EXPECT_EQ(said(with_load(sound)), "nothing was refused");

  // A wrong name, in the text and after an include that becomes hundreds of lines.
  const auto wrong = replaced(sound, "fixed.gain * in", "fixed.gain * im");
  EXPECT_THAT(said(with_load(wrong)), names_line("your load functor", 8));
  EXPECT_THAT(said(with_load("#include \"wingbeat/device/twiddle.hpp\"\n\n" + wrong)),
              names_line("your load functor", 10));
  EXPECT_THAT(said(with_load("\n#include \"mine.hpp\"\n" + sound)),
              HasSubstr("your load functor line 2 includes \"mine.hpp\"; a kernel may include the "
                        "headers of wingbeat/device only"));

  // A last line that would swallow what follows it.
  EXPECT_EQ(said(with_load(sound + "// ends in \\")), "nothing was refused");
  EXPECT_THAT(said(with_load(sound + "// ends in \\", "no_such_type")),
              names_line("type of your load functor", 1));

  EXPECT_THAT(said(with_load(sound, "no_such_type")), names_line("type of your load functor", 1));
  EXPECT_THAT(said(with_load(sound, "doubled;")), HasSubstr("does not name the load functor's"));
  EXPECT_THAT(said(with_load("", "doubled")), HasSubstr("the load functor has no source text"));
  EXPECT_THAT(said(with_load(replaced(sound, "static wd::complex<float>", "static float"))),
              HasSubstr("error:"));

  auto two = with_load(sound);
  two.load.source.parameters.resize(8);
  EXPECT_THAT(said(two), HasSubstr("the parameters of your load functor have another size than "
                                   "load.source.parameters, which holds 8 bytes"));
  two = with_load(sound);
  two.load.element_bytes = 8;
  EXPECT_THAT(said(two), HasSubstr("the element of your load functor has another size than "
                                   "load.element_bytes, which is 8"));
}

/// A store of complex numbers, sound.
inline constexpr const char* sound_store = R"(namespace wd = wingbeat::device;
struct kept {
  using element = wd::complex<float>;
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wd::size row, wd::size i,
                                wd::complex<float> z) {
    out[row * 64 + i] = z;
  }
};
)";

inline plan_spec with_store(std::string text) {
  plan_spec spec{.lengths = {64}, .batch = 3};
  spec.store = {.out_bytes = 3 * 64 * 8,
                .element_bytes = 8,
                .source = {.text = std::move(text), .type = "kept"}};
  return spec;
}

/// Returns the line of the first error in a compiler's messages.
inline std::string first_error(const std::string& log) {
  const auto position = log.find("error:");
  return position == std::string::npos ? log
                                       : log.substr(position, log.find('\n', position) - position);
}

/// Texts that lack a part: the first error says which. `message_of` compiles a request.
template <class Message>
void check_parts(const Message& message_of) {
  using ::testing::HasSubstr;
  const auto said = [&](const plan_spec& what) { return first_error(message_of(what)); };
  const auto load = [&](std::string_view part, std::string_view replacement) {
    return said(with_load(replaced(sound_load, part, replacement)));
  };
  EXPECT_THAT(load(" load(", " read("), HasSubstr("your load functor needs WINGBEAT_FN static"));
  EXPECT_THAT(load("static wd::complex<float>", "wd::complex<float>"),
              HasSubstr("your load functor needs WINGBEAT_FN static"));
  EXPECT_THAT(load("using element = float;", ""),
              HasSubstr("your load functor has no type named element"));
  auto bare = with_load(sound_load);
  bare.load.source.parameters.clear();
  EXPECT_THAT(said(bare), HasSubstr("or load(in, with, row, i) where load.source"));

  EXPECT_EQ(said(with_store(sound_store)), "nothing was refused");
  const auto store = [&](std::string_view part, std::string_view replacement) {
    return said(with_store(replaced(sound_store, part, replacement)));
  };
  EXPECT_THAT(store(" store(", " write("),
              HasSubstr("your store functor needs WINGBEAT_FN static"));
  EXPECT_THAT(store("wd::size row,", "wd::size row, wd::size more,"),
              HasSubstr("your store functor needs WINGBEAT_FN static"));
  EXPECT_THAT(store("using element = wd::complex<float>;\n  WINGBEAT_FN static void store("
                    "WINGBEAT_GLOBAL element*",
                    "WINGBEAT_FN static void store(WINGBEAT_GLOBAL wd::complex<float>*"),
              HasSubstr("your store functor has no type named element"));
  auto filled = with_store(sound_store);
  filled.store.source.parameters.resize(4);
  EXPECT_THAT(said(filled),
              HasSubstr("store.source.parameters holds bytes and your store functor has no type"));
  filled.load = with_load(sound_store, "kept").load;
  filled.load.element_bytes = 8;
  filled.store = {};
  EXPECT_THAT(said(filled),
              HasSubstr("load.source.parameters holds bytes and your load functor has no type"));
}

/// Two plans of one text: each has the parameters it was given.
inline void check_parameters(queue& on) {
  std::vector<float> in(3 * 64, 1), out(3 * 128);
  buffer source{on, in.size() * 4}, target{on, out.size() * 4};
  source.write(in.data(), source.size_bytes());
  const plan twice{on, with_load(sound_load, "doubled", 2)};
  const plan thrice{on, with_load(sound_load, "doubled", 3)};
  for (const auto& [planned, factor] : {std::pair{&twice, 2}, std::pair{&thrice, 3}}) {
    planned->enqueue(on, source.view(), target.view());
    target.read(out.data(), target.size_bytes());
    for (std::size_t row = 0; row < 3; ++row) {
      EXPECT_NEAR(out[row * 128], 64 * factor, 1e-3);
      EXPECT_NEAR(out[row * 128 + 2], 0, 1e-3);
    }
  }
}

}  // namespace wingbeat::test
