// SPDX-License-Identifier: Apache-2.0
// Stands in for the reader and writer of sound in a build without libsndfile.
#include "formats/signals/audio.hpp"
#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {
namespace {

[[noreturn]] void refuse_absent(std::string_view name, std::string_view verb) {
  throw plan_error(
      formatted("{} cannot be {}: this build has no libsndfile; use .npy or text, or build it with "
                "WINGBEAT_AUDIO=ON",
                name, verb));
}

}  // namespace

bool has_audio_library() noexcept {
  return false;
}

std::unique_ptr<sample_reader> open_audio(std::shared_ptr<const byte_source> source) {
  refuse_absent(source->name(), "read");
}

std::unique_ptr<sample_writer> open_audio_writer(const std::filesystem::path& file, const signal&) {
  refuse_absent(file.string(), "written");
}

}  // namespace wingbeat::formats
