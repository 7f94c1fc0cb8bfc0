// SPDX-License-Identifier: Apache-2.0
// Which kernels a plan compiles, noted by a compiler that compiles nothing; and the passes that it
// reports.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>  // memcpy
#include <mutex>

#include "programs/prepared_program.hpp"

#include "planner/devices.hpp"      // hopper
#include "programs/transforms.hpp"  // make_program
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class empty_kernel final : public backend::kernel {
 public:
  explicit empty_kernel(int spill_bytes) : spill_bytes_(spill_bytes) {}
  kernel_resources resources() const override {
    kernel_resources result;
    result.spill_bytes = spill_bytes_;
    return result;
  }
  void launch(backend::queue&, std::size_t, backend::kernel_arguments) const override {}

 private:
  int spill_bytes_;
};

/// Notes the texts it is given, of which the first spills `spill_bytes`, and others `later_bytes`.
class noting_compiler final : public backend::kernel_compiler {
 public:
  noting_compiler(int spill_bytes, int later_bytes)
      : spill_bytes_(spill_bytes), later_bytes_(later_bytes) {}
  std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>&, const backend::kernel_source& source) const override {
    const std::lock_guard held{mutex_};
    residents.push_back(source.resident);
    texts.push_back(source.text);
    return std::make_shared<empty_kernel>(texts.size() == 1 ? spill_bytes_ : later_bytes_);
  }
  [[nodiscard]] bool loads_early(std::size_t i) const {
    return texts.at(i).find("n.is_full = true;") != std::string::npos;
  }
  mutable std::vector<std::string> texts;
  mutable std::vector<unsigned> residents;

 private:
  int spill_bytes_, later_bytes_;
  mutable std::mutex mutex_;
};

/// Notes launches, by their workgroups, and for what it waits.
class noting_queue final : public backend::queue {
 public:
  noting_queue() : queue(hopper()) {}
  void* allocate(std::size_t) override { return nullptr; }
  void release(void*) noexcept override {}
  void write(buffer_view, const void*) override {}
  void read(void*, buffer_view) override {}
  void wait() override {}
  std::unique_ptr<backend::mark> record() override { return std::make_unique<mark_of_nothing>(); }
  void after(const backend::mark&) override { waited_before = n_launches; }

  std::size_t n_launches = 0, waited_before = 0;

 private:
  struct mark_of_nothing final : backend::mark {
    double seconds_since(const mark&) const override { return 0; }
  };
};

class noted_kernel final : public backend::kernel {
 public:
  kernel_resources resources() const override { return {}; }
  void launch(backend::queue& on, std::size_t, backend::kernel_arguments) const override {
    ++static_cast<noting_queue&>(on).n_launches;
  }
};

struct compiler_of_noted final : backend::kernel_compiler {
  std::shared_ptr<const backend::kernel> compile(const std::shared_ptr<backend::queue>&,
                                                 const backend::kernel_source&) const override {
    return std::make_shared<noted_kernel>();
  }
};

/// Transforms of 2^16 points, in clusters five of whose workgroups fill a multiprocessor.
int spills_of_plan(const noting_compiler& compiler, bool is_fused) {
  plan_spec spec{.lengths = {1 << 16}, .batch = 100};  // of few it has another shape
  const std::size_t row_bytes = (std::size_t{1} << 16) * sizeof(std::complex<float>);
  if (is_fused) {
    spec.load = {.in_bytes = spec.batch * row_bytes,
                 .element_bytes = sizeof(std::complex<float>),
                 .source = {.text = "struct yours {};", .type = "yours"}};
  }
  const wingbeat::queue host{devices(engine::host).front()};
  const programs::prepared_program ready{compiler, host.impl(),
                                         programs::make_program(spec, hopper())};
  for (const unsigned resident : compiler.residents) EXPECT_EQ(resident, 5U);
  return ready.resources().front().spill_bytes;
}

TEST(prepared_program, compiles_once_what_stays_in_registers) {
  const noting_compiler compiler{0, 0};
  EXPECT_EQ(spills_of_plan(compiler, true), 0);
  ASSERT_EQ(compiler.texts.size(), 1U);
  EXPECT_TRUE(compiler.loads_early(0));
}

TEST(prepared_program, waits_for_another_queue_before_it_reaches_the_output) {
  const auto on = std::make_shared<noting_queue>();
  const auto steps = programs::make_program(plan_spec{.lengths = {1 << 26}}, hopper());
  const std::size_t n_passes = steps.passes().size();
  ASSERT_GT(n_passes, 1U);
  const compiler_of_noted compiler;
  const programs::prepared_program ready{compiler, on, steps};
  ready.enqueue(*on, {});
  EXPECT_EQ(on->n_launches, n_passes);
  EXPECT_EQ(on->waited_before, 0U);
  ready.enqueue(*on, {}, on->record().get());
  EXPECT_EQ(on->n_launches, 2 * n_passes);
  EXPECT_EQ(on->waited_before, 2 * n_passes - 1);
}

TEST(prepared_program, loads_later_where_a_functor_makes_it_spill) {
  const noting_compiler compiler{96, 8};
  EXPECT_EQ(spills_of_plan(compiler, true), 8);
  ASSERT_EQ(compiler.texts.size(), 2U);
  EXPECT_TRUE(compiler.loads_early(0));
  EXPECT_FALSE(compiler.loads_early(1));
}

TEST(prepared_program, loads_early_where_loading_later_spills_as_much) {
  const noting_compiler compiler{96, 96};
  EXPECT_EQ(spills_of_plan(compiler, true), 96);
  const noting_compiler worse{8, 16};
  EXPECT_EQ(spills_of_plan(worse, true), 8);
}

TEST(prepared_program, compiles_once_without_a_functor) {
  const noting_compiler compiler{96, 0};
  EXPECT_EQ(spills_of_plan(compiler, false), 96);
  EXPECT_EQ(compiler.texts.size(), 1U);
}

/// Refuses every text by an exception of its own.
template <class Error>
class refusing_compiler final : public backend::kernel_compiler {
 public:
  std::shared_ptr<const backend::kernel> compile(const std::shared_ptr<backend::queue>&,
                                                 const backend::kernel_source&) const override {
    throw Error("error: the compiler's words");
  }
};

/// Returns whether the plan of a request blames a functor's text.
template <class Error>
bool blames_functor(bool is_fused) {
  plan_spec spec{.lengths = {64}};
  if (is_fused) {
    spec.load = {.in_bytes = 512,
                 .element_bytes = 8,
                 .source = {.text = "struct yours {};", .type = "yours"}};
  }
  const wingbeat::queue host{devices(engine::host).front()};
  try {
    const refusing_compiler<Error> compiler;
    const programs::prepared_program refused{compiler, host.impl(),
                                             programs::make_program(spec, hopper())};
  } catch (const plan_error&) {
    return true;
  } catch (const device_error&) {
    return false;
  }
  ADD_FAILURE() << "nothing was refused";
  return false;
}

TEST(prepared_program, blames_a_functor_where_its_text_was_refused) {
  EXPECT_TRUE(blames_functor<backend::compile_error>(true));
  EXPECT_FALSE(blames_functor<backend::compile_error>(false)) << "the text is ours alone";
  EXPECT_FALSE(blames_functor<device_error>(true)) << "the compiler itself failed";
}

TEST(prepared_program, reports_its_passes) {
  const wingbeat::queue host{devices(engine::host).front()};
  const auto plan_of = [&](const plan_spec& spec) {
    const noting_compiler compiler{0, 0};
    return programs::prepared_program{compiler, host.impl(),
                                      programs::make_program(spec, hopper())};
  };
  constexpr std::size_t n = std::size_t{1} << 20, batch = 3, bytes = batch * n * 8;
  const auto ready = plan_of({.lengths = {n}, .batch = batch});
  const auto passes = ready.passes();
  ASSERT_EQ(passes.size(), 2U);
  EXPECT_EQ(passes[0].length * passes[1].length, n);
  EXPECT_EQ(passes[0].prior, 1U);
  EXPECT_EQ(passes[1].prior, passes[0].length);
  for (const pass_info& each : passes) {
    EXPECT_EQ(each.traffic_bytes, 2 * bytes);
    EXPECT_NE(ready.program().describe().find(": " + each.description + "\n"), std::string::npos);
  }

  // One workgroup makes 8 rows of 512 with 16 elements a thread: see tuning/hopper.cpp.
  const auto rows = plan_of({.lengths = {512}, .batch = 20}).passes();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().length, 512U);
  EXPECT_EQ(rows.front().threads, 512U / 16 * 8);
  EXPECT_EQ(rows.front().workgroups, 3U);
  EXPECT_GE(rows.front().scratch_bytes, 512U * 8 * 8);
  EXPECT_EQ(rows.front().traffic_bytes, 2U * 20 * 512 * 8);

  // Clusters of 16 workgroups: all of them are counted.
  const auto clusters = plan_of({.lengths = {1 << 16}, .batch = 5}).passes();
  ASSERT_EQ(clusters.size(), 1U);
  EXPECT_EQ(clusters.front().workgroups, 5U * 16);

  const auto plane = plan_of({.lengths = {64, 64}}).passes();
  ASSERT_EQ(plane.size(), 1U);
  EXPECT_EQ(plane.front().length, 64U * 64);
}

TEST(prepared_program, moves_the_bytes_of_its_passes) {
  const wingbeat::queue host{devices(engine::host).front()};
  for (const transform kind : {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real}) {
    for (const std::vector<std::size_t>& lengths :
         std::initializer_list<std::vector<std::size_t>>{{64}, {1 << 18}, {32, 64}, {16, 32, 64}}) {
      const noting_compiler compiler{0, 0};
      const programs::prepared_program ready{
          compiler, host.impl(),
          programs::make_program(plan_spec{.lengths = lengths, .batch = 2, .kind = kind},
                                 hopper())};
      std::size_t sum = 0;
      for (const pass_info& each : ready.passes()) sum += each.traffic_bytes;
      EXPECT_EQ(sum, ready.program().traffic_bytes());
      EXPECT_EQ(ready.passes().size(), ready.resources().size()) << "a kernel for each";
      EXPECT_EQ(ready.passes().size(), compiler.texts.size());
    }
  }
}

/// The arguments of one launch: handles of memory, and numbers.
class noting_kernel final : public backend::kernel {
 public:
  kernel_resources resources() const override { return {}; }
  void launch(backend::queue&, std::size_t n, backend::kernel_arguments given) const override {
    workgroups = n;
    arguments.clear();
    for (const backend::kernel_argument& each : given) {
      ASSERT_EQ(each.size_bytes, sizeof(std::uint64_t));
      std::memcpy(&arguments.emplace_back(), each.data, each.size_bytes);
    }
  }
  mutable std::size_t workgroups = 0;
  mutable std::vector<std::uint64_t> arguments;
};

/// Compiles all as one kernel.
class one_kernel_compiler final : public backend::kernel_compiler {
 public:
  std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>&, const backend::kernel_source& source) const override {
    EXPECT_EQ(source.n_parameters, 11U) << "two of memory, one of a number";
    return kernel;
  }
  std::shared_ptr<noting_kernel> kernel = std::make_shared<noting_kernel>();
};

TEST(prepared_program, gives_kernels_the_arguments_that_they_state) {
  using namespace programs;
  const std::vector<argument> stated{
      input<float>(place::input),      number(7),
      output<double>(run_operand{1}),  input<int>(constant{std::vector<int>{5, 6}}),
      input<char>(place::workspace_a), output<float>(place::output)};
  kernel_launch launch{.workgroups = 3, .traffic_bytes = 40, .description = "a kernel"};
  for (const argument& each : stated) {
    launch.kernel.parameters.push_back(each.parameter);
    launch.arguments.push_back(each.source);
  }
  program part, whole;
  part.add(launch);
  whole.reserve(place::workspace_a, 256);
  whole.reserve(place::between_a, 64);
  whole.add(part, {place::input, place::between_a, 8, 0});
  EXPECT_EQ(whole.traffic_bytes(), 40U);
  EXPECT_EQ(whole.describe(), "a kernel\n");
  EXPECT_TRUE(whole.passes().empty());

  const wingbeat::queue host{devices(engine::host).front()};
  const one_kernel_compiler compiler;
  const prepared_program ready{compiler, host.impl(), whole};
  EXPECT_EQ(ready.resources().size(), 1U);
  double bytes[64] = {};
  const auto handle = reinterpret_cast<std::uint64_t>(&bytes);
  const wingbeat::kernel_argument operands[] = {buffer_view{}, buffer_view{bytes, 24, 8}};
  ready.enqueue(
      *host.impl(),
      {.in = {bytes, 16, 64}, .out = {}, .workspace = {bytes, 512, 320}, .load = operands});
  const std::vector<std::uint64_t>& passed = compiler.kernel->arguments;
  ASSERT_EQ(passed.size(), 11U);
  EXPECT_EQ(compiler.kernel->workgroups, 3U);
  const auto* const values = reinterpret_cast<const int*>(passed[5]);
  EXPECT_EQ(values[0], 5);
  EXPECT_EQ(values[1], 6);
  EXPECT_EQ(passed, (std::vector<std::uint64_t>{handle, (16 + 8) / 4, 7, handle, 24 / 8, passed[5],
                                                0, handle, 512, handle, (512 + 256) / 4}));
}

}  // namespace
