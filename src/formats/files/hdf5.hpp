// SPDX-License-Identifier: Apache-2.0
// Datasets of HDF5 files, those of MATLAB 7.3 among them, read and written through libhdf5.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <optional>
#include <span>
#include <string>
#include <utility>  // move, pair
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/byte_source.hpp"  // byte_source

namespace wingbeat::formats {

/// Returns whether this build has libhdf5.
[[nodiscard]] bool has_hdf5_library() noexcept;

/// A file, and the path of a dataset in it, which are named file.h5:/path.
struct hdf5_name {
  std::filesystem::path file;
  std::string dataset;  ///< Empty: the only one.
};

/// Splits a name whose first part is a file, and which is none itself.
[[nodiscard]] inline hdf5_name hdf5_name_of(const std::filesystem::path& name) {
  const std::string& text = name.native();
  const std::size_t colon = text.find(":/");
  if (colon == text.npos || std::filesystem::exists(name)) return {name, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// A dataset of real or complex numbers.
class hdf5_dataset {
 public:
  /// Opens the dataset that the source's name tells, also of a file that is unpacked, or in memory;
  /// the latter source must outlive the dataset.
  /// Throws `file_error` for what is no such file, has several datasets and none is named, or is of
  /// other types than integers, floats, and pairs of those; `plan_error` in a build without
  /// libhdf5.
  explicit hdf5_dataset(const byte_source& source);
  hdf5_dataset(const hdf5_dataset&) = delete;
  hdf5_dataset& operator=(const hdf5_dataset&) = delete;
  ~hdf5_dataset();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<std::size_t>& lengths() const noexcept { return lengths_; }
  [[nodiscard]] bool is_complex() const noexcept { return is_complex_; }
  [[nodiscard]] bool has_integers() const noexcept { return has_integers_; }
  [[nodiscard]] bool is_held_by_floats() const noexcept { return is_held_by_floats_; }

  /// Returns the first of these attributes that is a number; 0 where there is none.
  [[nodiscard]] double attribute(std::span<const char* const> keys) const;

  /// Fills `numbers` with those of a box, [..][re, im if complex]. Throws `file_error` where a
  /// filter is missing or the file is damaged.
  void read(std::span<const std::size_t> first, std::span<const std::size_t> counts,
            std::span<double> numbers) const;

 private:
  struct handles;
  std::string name_;
  std::vector<std::size_t> lengths_;
  bool is_complex_ = false, has_integers_ = false, is_held_by_floats_ = false;
  std::unique_ptr<handles> handles_;
};

/// An axis of a written dataset.
struct hdf5_axis {
  std::string name, unit;
  std::vector<double> positions;
  std::size_t grows_by = 0;  ///< Positions stored together of an axis that `finish` gets; 0: none.
};

/// Returns an axis of positions 0, `step`, 2 `step` and on.
[[nodiscard]] inline hdf5_axis even_axis(std::string name, std::string unit, std::size_t length,
                                         double step = 1) {
  hdf5_axis axis{std::move(name), std::move(unit), std::vector<double>(length)};
  for (std::size_t i = 0; i < length; ++i) axis.positions[i] = static_cast<double>(i) * step;
  return axis;
}

/// What a written dataset holds. Names may have groups: "particles/x".
struct hdf5_layout {
  std::string name, unit = {};
  std::vector<hdf5_axis> axes = {};  ///< Slowest first.
  bool is_complex = false, is_single_precision = true;
  bool is_compressed = false;  ///< By gzip, in chunks of rows.
  std::vector<std::pair<std::string, double>> attributes = {};
};

/// Writes a file of datasets one after another, whose axes are dimension scales; those of one name
/// share a scale. Throws `file_error`; `plan_error` in a build without libhdf5.
class hdf5_writer {
 public:
  /// `file` must outlive the writer, and is committed once that has finished.
  hdf5_writer(const atomic_file& file, const hdf5_layout& layout);
  hdf5_writer(const hdf5_writer&) = delete;
  hdf5_writer& operator=(const hdf5_writer&) = delete;
  ~hdf5_writer();

  /// Writes a box, [..][re, im if complex].
  void write(std::span<const std::size_t> first, std::span<const std::size_t> counts,
             std::span<const double> numbers);

  /// Begins another dataset, once the one before is written, whose axes do not grow.
  void begin(const hdf5_layout& layout);
  /// Writes a dataset that `begin` began as a whole, [..].
  void write(std::span<const double> numbers);
  /// Sets attributes of the file.
  void set(const std::string& key, double value);
  void set(const std::string& key, const std::string& text);

  /// `grown`: the positions of the axis that grows.
  void finish(std::span<const double> grown = {});

 private:
  void attach(const hdf5_axis& axis, unsigned index, std::span<const double> positions);

  struct handles;
  std::string name_;
  std::optional<std::pair<unsigned, hdf5_axis>> growing_;
  std::unique_ptr<handles> handles_;
};

}  // namespace wingbeat::formats
