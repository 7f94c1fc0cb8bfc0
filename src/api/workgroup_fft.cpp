// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/workgroup_fft.hpp"

#include <cstdint>  // uint64_t
#include <cstring>  // memcpy

#include "backend/device_sources.hpp"              // flatten
#include "request/names.hpp"                       // require_known, require_named
#include "text/formatted.hpp"                      // formatted
#include "text/reject.hpp"                         // reject
#include "wingbeat/device/half.hpp"                // half_pair
#include "wingbeat/device/nabla.hpp"               // index_map
#include "wingbeat/device/scrambled.hpp"           // index_map
#include "wingbeat/device/workgroup/estimate.hpp"  // registers_estimate
#include "wingbeat/roots.hpp"                      // roots_of

namespace wingbeat {
namespace {

using device::order;
using device::workgroup::trade;

/// Bytes of one real number in registers.
unsigned real_bytes(scalar real) {
  return real == scalar::fp64 ? 8 : 4;
}

/// Returns the name of the type in the device dialect.
const char* type_of(scalar real) {
  switch (real) {
    case scalar::fp16: return "wingbeat::device::half_float";
    case scalar::fp16_pair: return "wingbeat::device::half_pair";
    case scalar::fp32: return "float";
    case scalar::fp64: return "double";
  }
  return "float";
}

template <class Real>
std::vector<std::byte> rounded(const std::vector<std::complex<long double>>& table) {
  std::vector<device::complex<Real>> values;
  for (const auto& w : table) values.push_back({Real(w.real()), Real(w.imag())});
  if (values.empty()) values.push_back({Real(1.0), Real(0.0)});
  std::vector<std::byte> bytes(values.size() * sizeof(values[0]));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void require_choices(scalar real, order how) {
  request::require_named(real, "real", "fp16, fp16_pair, fp32 or fp64");
  request::require_known(name_of(how) != request::unnamed, "spectrum_order", how,
                         "natural, nabla or scrambled");
}

void require_product_of_radices(unsigned length) {
  if (device::is_product_of_radices(length)) return;
  reject(
      "length {} is no product of primes up to {}, as those of workgroup transforms are; choose "
      "another one, or a plan, which transforms any",
      length, device::largest_prime_radix);
}

void require_lengths(const workgroup_fft& transform) {
  using device::is_power_of_two;
  require_product_of_radices(transform.length);
  const unsigned e = transform.elements_per_thread;
  if (!is_power_of_two(transform.length)) {
    reject_if(transform.spectrum_order == order::nabla,
              "length {} was asked for in nabla order, which is that of powers of two; choose "
              "scrambled or natural order",
              transform.length);
    reject_if(e < 2 || e > 32 || transform.length % e != 0,
              "{} elements per thread were asked for; choose a divisor of {} from 2 to 32", e,
              transform.length);
    if (!transform.plan().is_possible()) {
      reject(
          "{} elements per thread and {} threads were asked for in scrambled order, where the "
          "elements are a radix (2 to 20, 23 to 25, 27 or 29 to 32) and have every prime "
          "factor "
          "of the number of threads; choose such elements, or natural order",
          e, transform.threads());
    }
  }
  const unsigned most = transform.spectrum_order == order::nabla ? 128 : 32;
  const bool divides = is_power_of_two(e) || !is_power_of_two(transform.length);
  if (!divides || e > most || e > transform.length || (e == 1 && transform.length > 1)) {
    reject("{} elements per thread were asked for; choose a power of two from 2 to {}", e,
           std::min(most, transform.length));
  }
  reject_if(!is_power_of_two(transform.transforms),
            "{} transforms per workgroup were asked for; choose a power of two",
            transform.transforms);
}

}  // namespace

std::string_view name_of(scalar real) noexcept {
  switch (real) {
    case scalar::fp16: return "fp16";
    case scalar::fp16_pair: return "fp16_pair";
    case scalar::fp32: return "fp32";
    case scalar::fp64: return "fp64";
  }
  return request::unnamed;
}

std::string_view name_of(device::order how) noexcept {
  switch (how) {
    case order::natural: return "natural";
    case order::nabla: return "nabla";
    case order::scrambled: return "scrambled";
  }
  return request::unnamed;
}

workgroup_fft workgroup_fft::advised(unsigned length, scalar real, device::workgroup::limits limits,
                                     device::order how) {
  require_choices(real, how);
  require_product_of_radices(length);
  const auto given = device::workgroup::advise(length, real_bytes(real), limits, how);
  reject_if(
      !given.is_valid(),
      "no workgroup of {} threads, {} registers and {} bytes of local memory transforms length "
      "{} in {} order; choose a shorter product of primes up to 31 (in nabla order a power of "
      "two that fills a subgroup, in scrambled order one of fewer primes), or a plan",
      limits.max_workgroup, limits.registers, limits.local_memory_bytes, length, name_of(how));
  workgroup_fft transform;
  transform.length = length;
  transform.elements_per_thread = given.elements_per_thread;
  transform.transforms = given.transforms;
  transform.real = real;
  transform.spectrum_order = how;
  transform.trades = given.trades;
  return transform;
}

void workgroup_fft::validate(device::workgroup::limits limits) const {
  using device::direction;
  require_choices(real, spectrum_order);
  request::require_known(dir == direction::forward || dir == direction::inverse, "dir", dir,
                         "forward or inverse");
  request::require_known(trades == trade::whole || trades == trade::halves, "trades", trades,
                         "whole or halves");
  require_lengths(*this);
  if (spectrum_order == order::nabla && threads() < limits.subgroup) {
    reject(
        "nabla order needs a subgroup of {} threads for each transform and length {} with {} "
        "elements per thread has {}; choose fewer elements per thread or another order",
        limits.subgroup, length, elements_per_thread, threads());
  }
  const std::uint64_t all_threads = std::uint64_t{threads()} * transforms;
  reject_if(all_threads > limits.max_workgroup,
            "{} threads per workgroup are needed and the device has {}; choose more elements per "
            "thread or fewer transforms",
            all_threads, limits.max_workgroup);
  if (all_threads * registers() > limits.registers) {
    reject(
        "{} threads of about {} registers are needed and a workgroup of the device has {}; choose "
        "fewer transforms per workgroup, or a shorter length",
        workgroup_threads(), registers(), limits.registers);
  }
  if (scratch_bytes() > limits.local_memory_bytes) {
    reject(
        "{} bytes of local memory are needed and the device lends {}; choose fewer transforms per "
        "workgroup or trade::halves",
        scratch_bytes(), limits.local_memory_bytes);
  }
}

device::workgroup::schedule workgroup_fft::plan() const {
  return {spectrum_order, length, elements_per_thread};
}

unsigned workgroup_fft::threads() const {
  return length / elements_per_thread;
}

unsigned workgroup_fft::workgroup_threads() const {
  return threads() * transforms;
}

std::size_t workgroup_fft::scratch_bytes() const {
  return device::workgroup::scratch_bytes_of(length, elements_per_thread, transforms,
                                             real_bytes(real), spectrum_order, trades, bank_bytes);
}

std::size_t workgroup_fft::table_entries() const {
  return plan().table_entries();
}

unsigned workgroup_fft::exchanges() const {
  return plan().exchanges();
}

unsigned workgroup_fft::workgroup_exchanges(unsigned subgroup) const {
  return plan().exchanges_beyond(subgroup);
}

unsigned workgroup_fft::workgroup_barriers(unsigned subgroup) const {
  return plan().barriers_beyond(subgroup, trades == trade::halves);
}

unsigned workgroup_fft::dft_index(unsigned g) const {
  switch (spectrum_order) {
    case order::nabla:
      return device::nabla::index_map{device::log2_of(elements_per_thread),
                                      device::log2_of(threads())}
          .dft_index(g);
    case order::scrambled: return plan().scrambled_map().dft_index(g);
    case order::natural: break;
  }
  return g;
}

unsigned workgroup_fft::registers() const {
  return device::workgroup::registers_estimate(plan().max_registers(), real_bytes(real));
}

std::vector<std::byte> workgroup_fft::table() const {
  const auto exact = roots_of(plan());
  switch (real) {
    case scalar::fp16_pair: return rounded<device::half_pair>(exact);
    case scalar::fp64: return rounded<double>(exact);
    case scalar::fp16:
    case scalar::fp32: break;
  }
  return rounded<float>(exact);
}

std::string workgroup_fft::type_text() const {
  const std::string space = "wingbeat::device::";
  return formatted(
      "{0}workgroup::fft<{0}workgroup::shape<{1}, {2}, {3}>, {4}, {0}direction::{5}, "
      "{0}order::{6}, "
      "{0}workgroup::memory<{0}workgroup::trade::{7}, {8}>>",
      space, length, elements_per_thread, transforms, type_of(real),
      dir == device::direction::forward ? "forward" : "inverse", name_of(spectrum_order),
      trades == trade::whole ? "whole" : "halves", bank_bytes);
}

device::workgroup::limits limits_of(const device_info& device) {
  device::workgroup::limits bounds;
  bounds.max_workgroup = static_cast<unsigned>(device.max_workgroup);
  bounds.local_memory_bytes = static_cast<unsigned>(device.local_memory_bytes);
  bounds.subgroup = device.runs_on == engine::cuda ? 32 : 1;  // OpenCL kernels use barriers only
  return bounds;
}

std::string with_device_headers(const std::string& text, const std::string& path) {
  return backend::flatten(text, path);
}

}  // namespace wingbeat
