// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// A user's own kernel, as text, around a workgroup transform of every kind: on every device here
// that compiles kernels, checked against the long double reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>

#include "support/full_run.hpp"   // runs_all_on
#include "support/memory.hpp"     // contents, filled
#include "support/oracle.hpp"     // dft
#include "support/refusal.hpp"    // message_of
#include "support/signal.hpp"     // noise
#include "support/tolerance.hpp"  // l2_bound
#include "wingbeat/device/half.hpp"
#include "wingbeat/wingbeat.hpp"
#include "wingbeat/workgroup_fft.hpp"

namespace {

using namespace wingbeat;
using namespace device;
using namespace test;
using ::testing::HasSubstr;

/// Rows of complex numbers, the last workgroup perhaps not full.
std::string row_kernel(const workgroup_fft& shape) {
  return "#include \"wingbeat/device/workgroup/fft.hpp\"\n"
         "namespace wingbeat::device {\n"
         "using fft = " +
         shape.type_text() +
         ";\n"
         "using value = fft::value_type;\n"
         "static_assert(sizeof(value) == 2 * sizeof(value{}.re), \"complete\");\n"
         "static_assert(sizeof(fft::register_type) > 0, \"complete\");\n"
         "struct load {\n"
         "  WINGBEAT_GLOBAL const value* row; bool inside;\n"
         "  WINGBEAT_FN value operator()(unsigned i) const { if (inside) return row[i]; return "
         "value{}; }\n"
         "};\n"
         "struct store {\n"
         "  WINGBEAT_GLOBAL value* row; bool inside;\n"
         "  WINGBEAT_FN void operator()(unsigned i, value z) const { if (inside) row[i] = z; }\n"
         "};\n"
         "WINGBEAT_KERNEL(fft::workgroup_threads)\n"
         "void rows(WINGBEAT_GLOBAL const value* in, WINGBEAT_GLOBAL value* out,\n"
         "          WINGBEAT_GLOBAL const fft::register_type* table, size in_first,\n"
         "          size out_first, size batch WINGBEAT_SCRATCH_PARAMETER) {\n"
         "  if (batch == 0) return;\n"
         "  const workgroup::team<fft::shape_type> team;\n"
         "  const size row = group::index() * fft::transforms + team.transform();\n"
         "  fft::execute(team, load{in + in_first + row * fft::length, row < batch},\n"
         "               store{out + out_first + row * fft::length, row < batch},\n"
         "               fft::scratch_type{WINGBEAT_SCRATCH}, table);\n"
         "}\n"
         "}\n";
}

template <class Value>
std::vector<Value> run_rows(queue& on, const workgroup_fft& shape, const std::vector<Value>& x) {
  shape.validate(limits_of(on.device()));
  const kernel rows{on,
                    {.text = row_kernel(shape),
                     .entry = "rows",
                     .threads = shape.workgroup_threads(),
                     .scratch_bytes = shape.scratch_bytes(),
                     .in_element_bytes = sizeof(Value),
                     .out_element_bytes = sizeof(Value)}};
  const std::size_t batch = x.size() / shape.length;
  const buffer table = filled(on, shape.table()), in = filled(on, x), out{on, in.size_bytes()};
  rows.enqueue(on, (batch + shape.transforms - 1) / shape.transforms, in.view(), out.view(),
               table.view(), batch);
  return contents<Value>(out);
}

template <class Real>
exact widened(const std::vector<complex<Real>>& x) {
  exact row;
  for (const auto& z : x) {
    const auto wide = device::widen(z);
    row.emplace_back(wide.re, wide.im);
  }
  return row;
}

template <class Real>
void check(queue& on, workgroup_fft shape, long double bound) {
  SCOPED_TRACE(shape.type_text());
  constexpr std::size_t batch = 3;
  std::vector<complex<Real>> x;
  for (const auto& z : noise<double>(shape.length * batch, 21)) {
    x.push_back({Real(z.re), Real(z.im)});
  }
  const exact y = widened(run_rows(on, shape, x));
  const exact given = widened(x);
  for (std::size_t f = 0; f < batch; ++f) {
    const auto element = [&](const exact& rows) {
      return exact(rows.begin() + long(f * shape.length),
                   rows.begin() + long((f + 1) * shape.length));
    };
    exact row = element(given), expected(shape.length);
    const bool is_forward = shape.dir == direction::forward;
    if (!is_forward) {
      const exact ordered = row;
      for (unsigned g = 0; g < shape.length; ++g) row[shape.dft_index(g)] = ordered[g];
    }
    const exact transformed = dft(row, shape.dir);
    for (unsigned g = 0; g < shape.length; ++g) {
      expected[g] = transformed[is_forward ? shape.dft_index(g) : g];
    }
    EXPECT_LT(relative_l2(element(y), expected), bound) << "row " << f;
  }
}

void check_orders(queue& on, workgroup_fft shape) {
  for (const order how : {order::natural, order::nabla, order::scrambled}) {
    if (how == order::nabla && !device::is_power_of_two(shape.length)) continue;
    for (const direction dir : {direction::forward, direction::inverse}) {
      shape.spectrum_order = how;
      shape.dir = dir;
      if (shape.real == scalar::fp32) check<float>(on, shape, test::l2_bound<float>(shape.length));
      if (shape.real == scalar::fp64)
        check<double>(on, shape, test::l2_bound<double>(shape.length));
      if (shape.real == scalar::fp16) check<device::half_float>(on, shape, 2.6e-4L);
    }
  }
}

TEST(kernel, transforms_in_every_order_and_precision) {
  std::size_t n_devices = 0;
  for (const device_info& device : devices()) {
    if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
    ++n_devices;
    queue on{device};
    check_orders(on, {64, 2, 2});
    check_orders(on, {1024, 16, 1, scalar::fp16});
    check_orders(on, {128, 4, 2, scalar::fp64});
    check_orders(on, {1800, 30});
    if (!runs_all_on(device.runs_on)) continue;
    check_orders(on, {256, 8});
    check_orders(on, {100, 10, 2});
    check_orders(on, {324, 18, 2, scalar::fp64});
  }
  if (n_devices == 0) GTEST_SKIP() << "no device here compiles kernels";
}

TEST(kernel, names_the_users_line_when_it_does_not_compile) {
  for (const device_info& device : devices()) {
    if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
    const queue on{device};
    try {
      const kernel wrong{on,
                         {.text = "#include \"wingbeat/device/complex.hpp\"\n\nthis is wrong;\n",
                          .entry = "mine"}};
      ADD_FAILURE() << "it compiled";
    } catch (const device_error& refused) {
      EXPECT_THAT(refused.what(), ::testing::ContainsRegex("mine[:(]3"));
    }
  }
}

template <class Error>
std::string refusal(const queue& on, kernel_spec spec) {
  return message_of<Error>([&] { const kernel compiled{on, std::move(spec)}; });
}

TEST(kernel, is_refused_other_threads_than_its_own) {
  for (const device_info& device : devices()) {
    if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
    const queue on{device};
    const workgroup_fft shape{256, 8};
    const auto threads = [&](unsigned n) {
      return refusal<plan_error>(on, {.text = row_kernel(shape),
                                      .entry = "rows",
                                      .threads = n,
                                      .scratch_bytes = shape.scratch_bytes()});
    };
    EXPECT_EQ(threads(32), "");
    EXPECT_THAT(threads(0), HasSubstr("0 threads"));
    if (device.runs_on == engine::cuda) continue;  // whose drivers tell an upper bound alone
    EXPECT_THAT(threads(16), HasSubstr("of 32 threads a workgroup and 16 were asked for"));
    EXPECT_THAT(threads(64), HasSubstr("of 32 threads a workgroup and 64 were asked for"));
  }
}

/// A kernel of one thread with `body`, which sees in and out.
std::string lone_kernel(const std::string& body) {
  return "#include \"wingbeat/device/io.hpp\"\n"
         "namespace wd = wingbeat::device;\n"
         "WINGBEAT_KERNEL(1)\n"
         "void rows(WINGBEAT_GLOBAL const float* in, WINGBEAT_GLOBAL float* out,\n"
         "          WINGBEAT_GLOBAL const float* table, wd::size in_first, wd::size out_first,\n"
         "          wd::size batch WINGBEAT_SCRATCH_PARAMETER) {\n"
         "  if (batch == 0) return;\n  " +
         body + "\n}\n";
}

TEST(kernel, says_that_a_store_needs_a_pointer_that_is_not_to_const) {
  for (const device_info& device : devices()) {
    if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
    const queue on{device};
    for (const std::string store :
         {"wd::io::contiguous{%}", "wd::io::strided{%, 2}", "wd::io::row_of(%, 4, {0, true})",
          "wd::io::column_of(%, 4, wd::io::member{0, true})",
          "wd::io::packed{wd::io::contiguous{%}}", "wd::io::adjacent_pairs{%}"}) {
      const auto stored = [&](const std::string& pointer) {
        const bool is_pair = store.find("pa") != std::string::npos;
        std::string body = store + (is_pair ? "(0u, wd::complex<float>{1, 2});" : "(0u, 1.0f);");
        body.replace(body.find('%'), 1, pointer);
        return refusal<device_error>(on, {.text = lone_kernel(body), .entry = "rows"});
      };
      EXPECT_EQ(stored("out"), "") << store;
      EXPECT_THAT(stored("in"), HasSubstr("nothing can be stored through a pointer to const"))
          << store;
    }
  }
}

TEST(kernel, is_refused_where_nothing_compiles_it) {
  const queue on{first_device(engine::host)};
  EXPECT_THROW((kernel{on, {.text = "", .entry = "mine"}}), plan_error);
}

}  // namespace
