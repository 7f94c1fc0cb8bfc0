// SPDX-License-Identifier: Apache-2.0
#include "cli/search_part.hpp"

#include <algorithm>  // max, min
#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>  // error_code
#include <utility>       // move

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/whole_file.hpp"   // read_whole_file
#include "searching/part_bytes.hpp"       // read_part, write_part
#include "text/formatted.hpp"             // formatted
#include "text/number.hpp"                // number_from
#include "text/reject.hpp"                // reject
#include "wingbeat/error.hpp"             // file_error, plan_error

namespace wingbeat::cli {

searching::shard shard_of(std::string_view text) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto index = number_from<std::size_t>(text.substr(0, slash));
  const auto count = number_from<std::size_t>(text.substr(std::min(slash + 1, text.size())));
  if (index && count && *index < *count && *count <= most) return {*index, *count};
  reject("--shard is '{}'; give a number and how many there are, from 0/16 to 15/16, at most 2^20",
         text);
}

std::uint64_t hash_of(const std::vector<std::string>& files) {
  const std::size_t n_pieces = std::max<std::size_t>(64 / files.size(), 3);
  std::array<std::uint64_t, 512> words{};
  searching::word_hash hash;
  for (const std::string& file : files) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure)) continue;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    const std::uintmax_t last = size - std::min<std::uintmax_t>(size, sizeof(words));
    hash.add(size);
    std::ifstream content{file, std::ios::binary};
    for (std::size_t i = 0; i < n_pieces; ++i) {
      content.clear();  // the content's end
      content.seekg(static_cast<std::streamoff>(last * i / (n_pieces - 1)));
      content.read(reinterpret_cast<char*>(words.data()), sizeof(words));
      for (const std::uint64_t word : words) hash.add(word);
    }
  }
  return hash.value();
}

void write_part(const std::string& file, const searching::search_part& part) {
  formats::atomic_file output{file};
  searching::write_part(part, [&](std::span<const std::byte> bytes) { output.write(bytes); });
  output.commit();
}

searching::search_part read_part(const std::string& file) {
  constexpr std::size_t max_bytes = std::size_t{1} << 36;
  auto part = searching::read_part(formats::read_whole_file(file, max_bytes, "a search"));
  if (part) return *std::move(part);
  throw file_error(
      formatted("{} is no part of a search, or was cut off, damaged or written by another version; "
                "give files "
                "that --state of this version wrote",
                file));
}

}  // namespace wingbeat::cli
