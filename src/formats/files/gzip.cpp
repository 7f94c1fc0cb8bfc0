// SPDX-License-Identifier: Apache-2.0
#include "formats/files/gzip.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>   // fwrite
#include <cstring>  // strerror
#include <new>      // bad_alloc

#include "formats/files/refusal.hpp"       // refuse
#include "formats/files/unnamed_file.hpp"  // unnamed_file

namespace wingbeat::formats {
namespace {

using piece = std::array<Bytef, 1 << 16>;

/// Writes what the file was before.
void inflate_to(std::FILE* file, const byte_source& packed, std::size_t limit_bytes) {
  struct stream : z_stream {
    stream() : z_stream{} {
      if (inflateInit2(this, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~stream() { inflateEnd(this); }
  } from;
  piece in, out;
  std::size_t offset = 0, n_bytes = 0;
  for (int state = Z_OK;;) {
    if (from.avail_in == 0) {
      const std::size_t n_read = packed.read_some(offset, std::as_writable_bytes(std::span{in}));
      if (n_read == 0 && state == Z_STREAM_END) return;
      offset += n_read;
      from.next_in = in.data();
      from.avail_in = static_cast<uInt>(n_read);
    }
    if (state == Z_STREAM_END) inflateReset(&from);
    from.next_out = out.data();
    from.avail_out = static_cast<uInt>(out.size());
    state = inflate(&from, Z_NO_FLUSH);
    refuse_if(state != Z_OK && state != Z_STREAM_END, packed.name(),
              "is truncated or damaged as a gzip archive; copy it again");
    const std::size_t n_made = out.size() - from.avail_out;
    n_bytes += n_made;
    refuse_if(n_bytes > limit_bytes, packed.name(),
              "holds more than {} bytes when unpacked; at most that many are read", limit_bytes);
    if (std::fwrite(out.data(), 1, n_made, file) == n_made) continue;
    refuse(packed.name(), "cannot be unpacked into a temporary file: {}", std::strerror(errno));
  }
}

}  // namespace

std::unique_ptr<byte_source> inflated(const byte_source& packed, std::size_t limit_bytes) {
  std::array<std::byte, 3> magic;
  if (packed.read_some(0, magic) < magic.size() || magic[0] != std::byte{0x1F} ||
      magic[1] != std::byte{0x8B} || magic[2] != std::byte{8}) {
    return nullptr;
  }
  return unnamed_file(packed.name(),
                      [&](std::FILE* file) { inflate_to(file, packed, limit_bytes); });
}

}  // namespace wingbeat::formats
