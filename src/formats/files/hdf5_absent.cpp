// SPDX-License-Identifier: Apache-2.0
// Stands in for the reader and writer of HDF5 in a build without libhdf5.
#include "formats/files/hdf5.hpp"
#include "formats/files/refusal.hpp"  // refuse_absent

namespace wingbeat::formats {
namespace {

constexpr std::string_view library = "libhdf5; use .npy, or build it with WINGBEAT_HDF5=ON";

}  // namespace

struct hdf5_dataset::handles {};
struct hdf5_writer::handles {};

bool has_hdf5_library() noexcept {
  return false;
}

hdf5_dataset::hdf5_dataset(const byte_source& source) {
  refuse_absent(source.name(), "read", library);
}
hdf5_dataset::~hdf5_dataset() = default;
double hdf5_dataset::attribute(std::span<const char* const>) const {
  return 0;
}
void hdf5_dataset::read(std::span<const std::size_t>, std::span<const std::size_t>,
                        std::span<double>) const {}

hdf5_writer::hdf5_writer(const atomic_file& file, const hdf5_layout&) {
  refuse_absent(file.path().string(), "written", library);
}
hdf5_writer::~hdf5_writer() = default;
void hdf5_writer::write(std::span<const std::size_t>, std::span<const std::size_t>,
                        std::span<const double>) {}
void hdf5_writer::begin(const hdf5_layout&) {}
void hdf5_writer::write(std::span<const double>) {}
void hdf5_writer::set(const std::string&, double) {}
void hdf5_writer::set(const std::string&, const std::string&) {}
void hdf5_writer::finish(std::span<const double>) {}

}  // namespace wingbeat::formats
