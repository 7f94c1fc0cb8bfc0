// SPDX-License-Identifier: Apache-2.0
// Stands in for the reader and writer of sound in a build without libsndfile.
#include "formats/files/refusal.hpp"   // refuse_absent
#include "formats/signals/format.hpp"  // open_audio, open_audio_writer

namespace wingbeat::formats {
namespace {

constexpr std::string_view library =
    "libsndfile; use .npy or text, or build it with WINGBEAT_AUDIO=ON";

}  // namespace

bool has_audio_library() noexcept {
  return false;
}

std::unique_ptr<sample_reader> open_audio(std::shared_ptr<const byte_source> source) {
  refuse_absent(source->name(), "read", library);
}

std::unique_ptr<sample_writer> open_audio_writer(const std::filesystem::path& file, const signal&) {
  refuse_absent(file.string(), "written", library);
}

}  // namespace wingbeat::formats
