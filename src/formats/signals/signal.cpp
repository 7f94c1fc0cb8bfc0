// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/signal.hpp"

#include <new>  // bad_alloc
#include <span>
#include <string>
#include <string_view>

#include "formats/files/atomic_file.hpp"  // atomic_file, is_written_directly
#include "formats/files/extension.hpp"    // extension_of
#include "formats/files/refusal.hpp"      // refuse
#include "formats/files/signature.hpp"    // signed_content
#include "formats/files/whole_file.hpp"   // read_whole_file, shown_name
#include "formats/signals/csv.hpp"        // has_csv_heading, read_csv
#include "formats/signals/npy.hpp"        // read_npy, write_npy
#include "formats/signals/text.hpp"       // read_text, write_csv, write_text
#include "formats/signals/wav.hpp"        // read_wav, write_wav
#include "text/formatted.hpp"             // formatted
#include "wingbeat/error.hpp"             // plan_error

namespace wingbeat::formats {
namespace {

signal read_content(std::span<const std::byte> content, const std::filesystem::path& file,
                    const read_options& options) {
  const std::string name = shown_name(file);
  const std::string extension = extension_of(file);
  const std::string_view text{reinterpret_cast<const char*>(content.data()), content.size()};
  if (extension != ".npy" && (extension == ".wav" || is_wav(text))) {
    const auto channel =
        options.has_channels_as_rows ? std::nullopt : std::optional{options.channel.value_or(0)};
    return read_wav(content, name, channel);
  }
  if (options.channel) {
    throw plan_error(
        formatted("{} is not a .wav file, so channel {} means nothing there; leave the channel out",
                  name, *options.channel));
  }
  if (extension == ".npy" || text.starts_with("\x93NUMPY")) return read_npy(content, name);
  if (const std::string_view kind = signed_content(content); !kind.empty()) {
    refuse(name, "is {}; .wav, .npy, .csv and text are read, so convert it", kind);
  }
  if (has_csv_heading(text)) return read_csv(text, name);
  return read_text(text, name);
}

}  // namespace

signal read_signal(const std::filesystem::path& file, const read_options& options) try {
  return read_content(read_whole_file(file), file, options);
} catch (const std::bad_alloc&) {
  refuse(shown_name(file), "does not fit into memory; split the file");
}

output_format output_format_of(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  if (extension == ".txt") return output_format::text;
  if (extension == ".csv") return output_format::csv;
  if (extension == ".npy") return output_format::npy;
  if (extension == ".wav") return output_format::wav;
  if (extension.empty() && is_written_directly(file)) return output_format::text;
  throw plan_error(formatted(
      "cannot tell how to write {}; its name must end in .txt, .csv, .npy or .wav", file.string()));
}

void write_signal(const std::filesystem::path& file, const signal& recording) {
  const output_format format = output_format_of(file);
  atomic_file to(file);
  switch (format) {
    case output_format::text: write_text(to, recording); break;
    case output_format::csv: write_csv(to, recording); break;
    case output_format::npy: write_npy(to, recording); break;
    case output_format::wav: write_wav(to, recording); break;
  }
  to.commit();
}

}  // namespace wingbeat::formats
