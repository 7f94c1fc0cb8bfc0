// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, read on demand.
#pragma once

#include <algorithm>  // max, min
#include <cstddef>    // byte, size_t
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace wingbeat::formats {

/// Bytes in memory, or those of an open file or of several. Not for several threads at once.
class byte_source {
 public:
  /// Refers to bytes that must outlive the source; `name` is for messages.
  byte_source(std::span<const std::byte> content, std::string name)
      : name_(std::move(name)), size_(content.size()), content_(content) {}

  /// Opens a file, also by the name of a dataset in it (hdf5.hpp). A file that is not regular, such
  /// as a pipe, is read to its end into memory, up to `limit_bytes`.
  /// Throws `file_error` as `read_whole_file` does.
  byte_source(const std::filesystem::path& file, std::size_t limit_bytes);

  /// Opens files that follow each other as one. Throws `file_error` for one that is not regular.
  explicit byte_source(const std::vector<std::string>& sequence);

  /// Takes an open file of that size.
  byte_source(int descriptor, std::size_t size, std::string name)
      : name_(std::move(name)), size_(size), parts_{{descriptor, 0, size}} {}
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns where the file that holds a byte ends; the source's end where there is one file.
  [[nodiscard]] std::size_t file_end(std::size_t offset) const noexcept;

  /// Returns the bytes that the source itself keeps in memory.
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_.size(); }

  /// Returns the bytes of a source in memory; those of a file have a path instead, for libraries
  /// that open it themselves while the source is there.
  [[nodiscard]] std::span<const std::byte> content() const noexcept { return content_; }
  [[nodiscard]] std::string path() const {
    return parts_.empty() ? "" : "/proc/self/fd/" + std::to_string(parts_[0].descriptor);
  }

  /// Fills `buffer` from `offset` on, up to the end of the file; returns the number of bytes.
  [[nodiscard]] std::size_t read_some(std::size_t offset,
                                      std::span<std::byte> buffer) const noexcept;

  /// Fills `buffer` from `offset` on. Throws `file_error` if the file ends before; then it was cut
  /// while being read, because callers check `size` first.
  void read(std::size_t offset, std::span<std::byte> buffer) const;

  /// Returns `count` bytes from `offset` on as a text. Throws as above.
  [[nodiscard]] std::string text(std::size_t offset, std::size_t count) const;

  /// Returns all bytes. Throws `file_error` for more than `limit_bytes`, too.
  [[nodiscard]] std::vector<std::byte> all(std::size_t limit_bytes) const;

 private:
  void open(const std::filesystem::path& file);

  std::string name_;
  std::size_t size_ = 0;
  std::span<const std::byte> content_ = {};  ///< The bytes in memory.
  std::vector<std::byte> kept_ = {};
  struct part {
    int descriptor = -1;
    std::size_t begin = 0, end = 0;  ///< In the source.
  };
  std::vector<part> parts_ = {};  ///< The open files, one behind another.
};

/// Calls `take` with the bytes from `begin` on in pieces, and the offset of each from `begin`. A
/// piece is whole items of `item_bytes`, about 2^20 bytes together.
template <class Take>
void read_pieces(const byte_source& source, std::size_t begin, std::size_t n_bytes,
                 std::size_t item_bytes, Take take) {
  constexpr std::size_t about_bytes = std::size_t{1} << 20;
  const std::size_t piece_bytes = std::max<std::size_t>(about_bytes / item_bytes, 1) * item_bytes;
  std::vector<std::byte> piece(std::min(n_bytes, piece_bytes));
  for (std::size_t done = 0; done < n_bytes; done += piece.size()) {
    piece.resize(std::min(piece.size(), n_bytes - done));
    source.read(begin + done, piece);
    take(std::span<const std::byte>{piece}, done);
  }
}

}  // namespace wingbeat::formats
