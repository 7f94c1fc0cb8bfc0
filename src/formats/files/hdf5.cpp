// SPDX-License-Identifier: Apache-2.0
#include "formats/files/hdf5.hpp"

#include <hdf5.h>
#include <hdf5_hl.h>  // H5DSset_scale, H5DSattach_scale

#include <algorithm>   // clamp, max, ranges::find
#include <functional>  // multiplies
#include <numeric>     // accumulate
#include <utility>     // exchange

#include "formats/files/refusal.hpp"  // printable, refuse
#include "text/formatted.hpp"         // formatted, joined
#include "text/listed.hpp"            // listed

namespace wingbeat::formats {
namespace {

/// An object of libhdf5, which is closed with it.
class handle {
 public:
  handle() = default;
  handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  handle& operator=(handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~handle() { reset(); }

  /// Closes it; returns whether that went well.
  bool reset() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }
  [[nodiscard]] bool is_open() const { return id_ >= 0; }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Errors are ours to say.
void be_silent() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// A type of two doubles, or of two floats, in memory or in a file.
handle pair_of(hid_t part, const std::string& re, const std::string& im) {
  const std::size_t size = H5Tget_size(part);
  handle pair{H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose};
  H5Tinsert(pair, re.c_str(), 0, part);
  H5Tinsert(pair, im.c_str(), size, part);
  return pair;
}

/// Returns the name of a member of a compound type.
std::string member_of(hid_t type, unsigned index) {
  char* const text = H5Tget_member_name(type, index);
  const std::string name = text == nullptr ? "" : text;
  H5free_memory(text);
  return name;
}

/// Returns whether a dataset has the positions along an axis of others.
bool is_scale(hid_t group, const char* name) {
  return H5Aexists_by_name(group, name, "REFERENCE_LIST", H5P_DEFAULT) > 0;
}

std::vector<std::string> datasets_of(hid_t file) {
  std::vector<std::string> names;
  const auto add = [](hid_t group, const char* name, const H5O_info_t* info,
                      void* found) -> herr_t {
    // MATLAB keeps elements of its cells under #refs#.
    if (info->type == H5O_TYPE_DATASET && !std::string_view{name}.starts_with('#') &&
        !is_scale(group, name)) {
      static_cast<std::vector<std::string>*>(found)->push_back("/" + std::string{name});
    }
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add, &names, H5O_INFO_BASIC);
  return names;
}

/// Returns the names, of many the first.
std::string shown(std::vector<std::string> names) {
  constexpr std::size_t most = 20;
  for (std::string& each : names) each = printable(each, 80);
  if (names.size() > most) {
    names.resize(most);
    names.emplace_back("..");
  }
  return names.empty() ? "none" : joined(names, ", ");
}

std::vector<hsize_t> sizes(std::span<const std::size_t> lengths) {
  return {lengths.begin(), lengths.end()};
}

/// Selects a box of a dataset's space, and returns the space of its numbers in memory.
handle select(hid_t space, std::span<const std::size_t> first,
              std::span<const std::size_t> counts) {
  const auto begin = sizes(first), size = sizes(counts);
  if (size.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr);
  return {H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose};
}

/// Writes an attribute as UTF-8 of any length, which h5py reads as `str`.
void set_text(hid_t object, const char* key, const std::string& text) {
  const handle type{H5Tcopy(H5T_C_S1), H5Tclose};
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const handle space{H5Screate(H5S_SCALAR), H5Sclose};
  const handle attribute{H5Acreate2(object, key, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
  const char* const value = text.c_str();
  H5Awrite(attribute, type, &value);
}

}  // namespace

struct hdf5_dataset::handles {
  std::vector<std::byte> unpacked;  ///< Of a file in gzip.
  handle file, dataset, space, number;
};

bool has_hdf5_library() noexcept {
  return true;
}

hdf5_dataset::hdf5_dataset(const byte_source& source)
    : name_(hdf5_name_of(source.name()).file.string()), handles_(std::make_unique<handles>()) {
  be_silent();
  // The file's name comes first, beside which other files lie that its datasets may refer to.
  const bool is_named = !source.path().empty() && H5Fis_hdf5(name_.c_str()) > 0;
  if (!is_named && !source.path().empty()) handles_->unpacked = source.all(source.size());
  const std::span<const std::byte> content =
      source.path().empty() ? source.content() : handles_->unpacked;
  handles_->file = {
      is_named ? H5Fopen(name_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)
               : H5LTopen_file_image(const_cast<std::byte*>(content.data()), content.size(),
                                     H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE),
      H5Fclose};
  refuse_if(!handles_->file.is_open(), name_, "cannot be opened as HDF5; copy or save it again");
  std::string path = hdf5_name_of(source.name()).dataset;
  if (path.empty()) {
    const auto found = datasets_of(handles_->file);
    if (found.empty()) refuse(name_, "has no dataset; save one");
    refuse_if(found.size() > 1, name_, "has {} datasets; name one of {} as {}:/path", found.size(),
              shown(found), name_);
    path = found.front();
  }
  name_ += ":" + printable(path, 80);
  handles_->dataset = {H5Dopen2(handles_->file, path.c_str(), H5P_DEFAULT), H5Dclose};
  if (!handles_->dataset.is_open()) {
    refuse(name_, "is no dataset; the file has {}", shown(datasets_of(handles_->file)));
  }
  const handle type{H5Dget_type(handles_->dataset), H5Tclose};
  is_complex_ = H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2;
  const handle part =
      is_complex_ ? handle{H5Tget_member_type(type, 0), H5Tclose} : handle{H5Tcopy(type), H5Tclose};
  const H5T_class_t kind = H5Tget_class(part);
  refuse_if(kind != H5T_INTEGER && kind != H5T_FLOAT, name_,
            "has no integers, floats or pairs of them, which are complex; save it as such");
  has_integers_ = kind == H5T_INTEGER;
  is_held_by_floats_ = H5Tget_size(part) <= (kind == H5T_FLOAT ? 4 : 2);
  handles_->number = is_complex_
                         ? pair_of(H5T_NATIVE_DOUBLE, member_of(type, 0), member_of(type, 1))
                         : handle{H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose};
  handles_->space = {H5Dget_space(handles_->dataset), H5Sclose};
  const int rank = H5Sget_simple_extent_ndims(handles_->space);
  refuse_if(rank < 0 || H5Sget_simple_extent_type(handles_->space) == H5S_NULL, name_,
            "has no samples; it must hold at least one");
  std::vector<hsize_t> dimensions(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(handles_->space, dimensions.data(), nullptr);
  lengths_.assign(dimensions.begin(), dimensions.end());
  refuse_if(std::ranges::find(lengths_, std::size_t{0}) != lengths_.end(), name_,
            "has no samples; it must hold at least one");
}

hdf5_dataset::~hdf5_dataset() = default;

double hdf5_dataset::attribute(std::span<const char* const> keys) const {
  for (const char* const key : keys) {
    for (const hid_t object : {hid_t{handles_->dataset}, hid_t{handles_->file}}) {
      if (H5Aexists(object, key) <= 0) continue;
      const handle found{H5Aopen(object, key, H5P_DEFAULT), H5Aclose};
      const handle space{H5Aget_space(found), H5Sclose};
      double value = 0;
      if (H5Sget_simple_extent_npoints(space) == 1 &&
          H5Aread(found, H5T_NATIVE_DOUBLE, &value) >= 0) {
        return value;
      }
    }
  }
  return 0;
}

void hdf5_dataset::read(std::span<const std::size_t> first, std::span<const std::size_t> counts,
                        std::span<double> numbers) const {
  const handle memory = select(handles_->space, first, counts);
  refuse_if(
      H5Dread(handles_->dataset, handles_->number, memory, handles_->space, H5P_DEFAULT,
              numbers.data()) < 0,
      name_,
      "cannot be decoded: it is damaged, or needs a filter that is not here; copy it again, or "
      "write it by h5repack -f NONE");
}

struct hdf5_writer::handles {
  handle file, dataset, space, number;
};

hdf5_writer::hdf5_writer(const atomic_file& file, const hdf5_layout& layout)
    : name_(file.path().string()), handles_(std::make_unique<handles>()) {
  be_silent();
  refuse_if(!file.can_rewrite(), name_, "is a pipe, and HDF5 is no stream; write a file, or .npy");
  handles_->file = {H5Fcreate(file.written_path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                    H5Fclose};
  begin(layout);
}

void hdf5_writer::begin(const hdf5_layout& layout) {
  constexpr std::size_t chunk_numbers = std::size_t{1} << 17;
  std::vector<hsize_t> lengths, chunk;
  for (const hdf5_axis& axis : layout.axes) {
    if (axis.grows_by > 0) growing_.emplace(static_cast<unsigned>(lengths.size()), axis);
    lengths.push_back(axis.positions.size());
    chunk.push_back(std::max(axis.positions.size(), axis.grows_by));
  }
  const auto rank = static_cast<int>(lengths.size());
  std::vector<hsize_t> limits = lengths;
  const handle storage{H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
  if (growing_) limits[growing_->first] = H5S_UNLIMITED;
  if (growing_ || layout.is_compressed) {
    const auto n_beside =
        std::accumulate(chunk.begin() + 1, chunk.end(), hsize_t{1}, std::multiplies<>{});
    chunk[0] = std::clamp<hsize_t>(chunk_numbers / n_beside, 1, chunk[0]);
    H5Pset_chunk(storage, rank, chunk.data());
    constexpr unsigned effort = 4;
    if (layout.is_compressed) H5Pset_deflate(storage, effort);
  }
  const handle groups{H5Pcreate(H5P_LINK_CREATE), H5Pclose};
  H5Pset_create_intermediate_group(groups, 1);
  handles_->space = {H5Screate_simple(rank, lengths.data(), limits.data()), H5Sclose};
  const hid_t part = layout.is_single_precision ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const handle stored = layout.is_complex ? pair_of(part, "r", "i")  // the names of h5py
                                          : handle{H5Tcopy(part), H5Tclose};
  handles_->number = layout.is_complex ? pair_of(H5T_NATIVE_DOUBLE, "r", "i")
                                       : handle{H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose};
  handles_->dataset = {H5Dcreate2(handles_->file, layout.name.c_str(), stored, handles_->space,
                                  groups, storage, H5P_DEFAULT),
                       H5Dclose};
  if (!handles_->dataset.is_open()) refuse(name_, "cannot be written as HDF5");
  set_text(handles_->dataset, "units", layout.unit);
  for (const auto& [key, value] : layout.attributes) {
    H5LTset_attribute_double(handles_->file, layout.name.c_str(), key.c_str(), &value, 1);
  }
  for (unsigned i = 0; i < layout.axes.size(); ++i) {
    if (layout.axes[i].grows_by == 0) attach(layout.axes[i], i, layout.axes[i].positions);
  }
}

void hdf5_writer::attach(const hdf5_axis& axis, unsigned index, std::span<const double> positions) {
  const hsize_t length = positions.size();
  const bool is_first = H5Lexists(handles_->file, axis.name.c_str(), H5P_DEFAULT) <= 0;
  if (is_first) {
    H5LTmake_dataset_double(handles_->file, axis.name.c_str(), 1, &length, positions.data());
  }
  const handle scale{H5Dopen2(handles_->file, axis.name.c_str(), H5P_DEFAULT), H5Dclose};
  if (is_first) {
    set_text(scale, "units", axis.unit);
    H5DSset_scale(scale, axis.name.c_str());
  }
  H5DSattach_scale(handles_->dataset, scale, index);
  H5DSset_label(handles_->dataset, index, axis.name.c_str());
}

hdf5_writer::~hdf5_writer() = default;

void hdf5_writer::write(std::span<const std::size_t> first, std::span<const std::size_t> counts,
                        std::span<const double> numbers) {
  if (growing_) {
    std::vector<hsize_t> lengths(first.size());
    H5Sget_simple_extent_dims(handles_->space, lengths.data(), nullptr);
    hsize_t& length = lengths[growing_->first];
    length = std::max<hsize_t>(length, first[growing_->first] + counts[growing_->first]);
    H5Dset_extent(handles_->dataset, lengths.data());
    handles_->space = {H5Dget_space(handles_->dataset), H5Sclose};
  }
  const handle memory = select(handles_->space, first, counts);
  refuse_if(H5Dwrite(handles_->dataset, handles_->number, memory, handles_->space, H5P_DEFAULT,
                     numbers.data()) < 0,
            name_, "cannot be written as HDF5; the disk may be full");
}

void hdf5_writer::write(std::span<const double> numbers) {
  refuse_if(!numbers.empty() && H5Dwrite(handles_->dataset, handles_->number, H5S_ALL, H5S_ALL,
                                         H5P_DEFAULT, numbers.data()) < 0,
            name_, "cannot be written as HDF5; the disk may be full");
}

void hdf5_writer::set(const std::string& key, double value) {
  const handle space{H5Screate(H5S_SCALAR), H5Sclose};
  const handle attribute{
      H5Acreate2(handles_->file, key.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose};
  H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
}

void hdf5_writer::set(const std::string& key, const std::string& text) {
  set_text(handles_->file, key.c_str(), text);
}

void hdf5_writer::finish(std::span<const double> grown) {
  if (growing_) attach(growing_->second, growing_->first, grown);
  const bool is_closed = handles_->number.reset() && handles_->space.reset() &&
                         handles_->dataset.reset() && handles_->file.reset();
  if (!is_closed) refuse(name_, "cannot be written as HDF5; the disk may be full");
}

}  // namespace wingbeat::formats
