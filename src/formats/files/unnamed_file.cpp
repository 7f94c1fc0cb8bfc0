// SPDX-License-Identifier: Apache-2.0
#include "formats/files/unnamed_file.hpp"

#include <fcntl.h>  // fcntl

#include <cerrno>
#include <cstdio>   // fflush, ftell, fwrite, tmpfile
#include <cstring>  // strerror

#include "formats/files/refusal.hpp"  // refuse

namespace wingbeat::formats {

std::unique_ptr<byte_source> unnamed_file(const std::string& name,
                                          const std::function<void(std::FILE*)>& write) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), std::fclose};
  if (!file) refuse(name, "needs a temporary file: {}", std::strerror(errno));
  write(file.get());
  refuse_if(std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0, name,
            "cannot be unpacked into a temporary file: {}", std::strerror(errno));
  const auto size = static_cast<std::size_t>(std::ftell(file.get()));
  const int descriptor = ::fcntl(::fileno(file.get()), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) refuse(name, "cannot be opened: {}", std::strerror(errno));
  return std::make_unique<byte_source>(descriptor, size, name);
}

source_path::source_path(const byte_source& source) : source_(source) {
  if (!source.path().empty()) return;
  copy_ = unnamed_file(source.name(), [&](std::FILE* file) {
    std::fwrite(source.content().data(), 1, source.size(), file);
  });
}

}  // namespace wingbeat::formats
