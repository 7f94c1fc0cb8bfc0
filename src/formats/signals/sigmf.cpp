// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/sigmf.hpp"

#include <algorithm>  // clamp, max, min, ranges::copy
#include <nlohmann/json.hpp>
#include <utility>  // move
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/byte_order.hpp"   // store
#include "formats/files/extension.hpp"    // extension_of
#include "formats/files/refusal.hpp"      // printable, refuse
#include "formats/files/whole_file.hpp"   // largest_file_bytes
#include "text/formatted.hpp"             // formatted
#include "wingbeat/error.hpp"             // plan_error

namespace wingbeat::formats {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_document_bytes = std::size_t{1} << 26, max_channels = 65535;
constexpr double max_hz = 1e15;
constexpr std::ptrdiff_t max_samples = std::ptrdiff_t{1} << 60;

std::string document_of(const byte_source& source, std::size_t begin, std::size_t count) {
  if (count <= max_document_bytes) return source.text(begin, count);
  refuse(source.name(), "has {} bytes of metadata; at most {} are read", count, max_document_bytes);
}

/// Returns the number of a key from 0 to `largest`, or `otherwise` without the key.
template <class Number>
Number number_of(const ordered_json& object, const char* key, double largest, Number otherwise,
                 const std::string& name) {
  if (!object.contains(key)) return otherwise;
  const double number = object.at(key).get<double>();
  if (number >= 0 && number <= largest) return static_cast<Number>(number);
  refuse(name, "has {:g} as {}; 0 to {:g} is read", number, key, largest);
}

/// Returns the frequency that all captures have; 0 where they differ.
double centre_of(const ordered_json& captures, const std::string& name) {
  std::optional<double> centre;
  for (const ordered_json& capture : captures) {
    const double hz = number_of(capture, "core:frequency", max_hz, 0.0, name);
    if (centre && *centre != hz) return 0;
    centre = hz;
  }
  return centre.value_or(0);
}

/// Moves what has a core:sample_start, and maybe a core:sample_count, and removes what is left of
/// no sample.
void shift(ordered_json& segments, std::ptrdiff_t n_later, std::ptrdiff_t n_samples) {
  ordered_json kept = ordered_json::array();
  for (ordered_json& each : segments) {
    const auto count_of = [&](const char* key) {
      return std::clamp<std::ptrdiff_t>(each.at(key).get<std::ptrdiff_t>(), 0, max_samples);
    };
    const std::ptrdiff_t begin = count_of("core:sample_start") + n_later;
    const bool has_count = each.contains("core:sample_count");
    const auto end = has_count ? begin + count_of("core:sample_count") : n_samples;
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(begin, 0);
    if (first >= std::min(end, n_samples)) continue;
    each["core:sample_start"] = first;
    if (has_count) each["core:sample_count"] = std::min(end, n_samples) - first;
    kept.push_back(std::move(each));
  }
  segments = std::move(kept);
}

}  // namespace

bool is_sigmf(const std::filesystem::path& file) {
  return extension_of(file).starts_with(".sigmf");
}

sigmf_recording parse_sigmf(std::string_view text, const std::string& name) try {
  const ordered_json document = ordered_json::parse(text);
  const ordered_json& global = document.at("global");
  const ordered_json captures = document.value("captures", ordered_json::array());
  const auto type = global.at("core:datatype").get<std::string>();
  const auto layout = raw_layout_of(type);
  refuse_if(!layout, name,
            "has samples of type '{}'; r or c, and f, i or u of 8 to 64 bits are read",
            printable(type));
  if (global.value("core:metadata_only", false)) {
    refuse(name, "has metadata alone; name a recording with its samples");
  }
  sigmf_recording found{.layout = *layout};
  found.layout.begin =
      number_of<std::size_t>(captures.empty() ? ordered_json::object() : captures[0],
                             "core:header_bytes", max_hz, 0, name);
  for (std::size_t i = 1; i < captures.size(); ++i) {
    if (number_of(captures[i], "core:header_bytes", max_hz, 0.0, name) == 0) continue;
    refuse(name, "has headers between captures; write the samples alone, by the sigmf package");
  }
  found.trailing_bytes = number_of<std::size_t>(global, "core:trailing_bytes", max_hz, 0, name);
  found.data_file = global.value("core:dataset", "");
  refuse_if(found.data_file.find('/') != std::string::npos, name,
            "names samples in another folder; put them beside it");
  found.shape.n_channels =
      number_of<std::size_t>(global, "core:num_channels", max_channels, 1, name);
  if (found.shape.n_channels == 0) refuse(name, "has no channels; it must have at least one");
  found.shape.sample_rate_hz = number_of(global, "core:sample_rate", max_hz, 0.0, name);
  found.shape.centre_hz = centre_of(captures, name);
  found.shape.sigmf = shifted_sigmf(document.dump(), 0, max_samples);
  return found;
} catch (const ordered_json::exception& fault) {
  refuse(name, "is no metadata of SigMF ({}); write it by the sigmf package",
         printable(fault.what(), 200));
}

sigmf_archive find_sigmf(const byte_source& archive) {
  constexpr std::size_t block = 512, name_bytes = 100, size_at = 124, size_bytes = 12,
                        kind_at = 156;
  const std::string& name = archive.name();
  sigmf_archive found;
  std::string long_name;
  for (std::size_t offset = 0; offset + block <= archive.size();) {
    const std::string head = archive.text(offset, block);
    if (head[0] == '\0') break;
    const std::string digits = head.substr(size_at, size_bytes - 1);
    const std::size_t first = digits.find_first_not_of(' ');
    std::size_t size = 0;
    for (std::size_t i = first; i < digits.size() && digits[i] >= '0' && digits[i] <= '7'; ++i) {
      size = size * 8 + static_cast<std::size_t>(digits[i] - '0');
    }
    offset += block;
    refuse_if(head.substr(257, 5) != "ustar" || size > archive.size() - offset, name,
              "is damaged or no archive of SigMF, which is a tar file; pack it again");
    const std::string member = head.substr(0, std::min(head.find('\0'), name_bytes));
    if (head[kind_at] == 'x') {
      const std::string records = document_of(archive, offset, size);
      refuse_if(records.find(" path=") != records.npos || records.find(" size=") != records.npos,
                name, "has long names or more than 8 GiB of samples; unpack it by tar");
    } else if (member.ends_with(".sigmf-meta")) {
      refuse_if(!found.document.empty(), name,
                "holds several recordings; unpack it by tar, and name one");
      found.document = document_of(archive, offset, size);
    } else if (member.ends_with(".sigmf-data")) {
      found.begin = offset;
      found.end = offset + size;
    }
    offset += (size + block - 1) / block * block;
  }
  refuse_if(found.document.empty() || found.end == 0, name,
            "lacks metadata or samples of a recording; pack it again");
  return found;
}

std::unique_ptr<sample_reader> open_sigmf(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  auto source = std::make_shared<const byte_source>(
      extension == ".sigmf-data" ? std::filesystem::path{file}.replace_extension(".sigmf-meta")
                                 : file,
      largest_file_bytes);
  refuse_if(extension == ".sigmf-collection", source->name(),
            "is a collection; name one of its recordings");
  sigmf_archive parts{.end = 0};
  if (extension == ".sigmf") {
    parts = find_sigmf(*source);
  } else {
    parts.document = document_of(*source, 0, source->size());
  }
  sigmf_recording recording = parse_sigmf(parts.document, source->name());
  if (extension != ".sigmf") {
    source = std::make_shared<const byte_source>(
        recording.data_file.empty() ? std::filesystem::path{file}.replace_extension(".sigmf-data")
                                    : file.parent_path() / recording.data_file,
        largest_file_bytes);
    parts.end = source->size();
  }
  recording.layout.begin += parts.begin;
  refuse_if(recording.layout.begin + recording.trailing_bytes > parts.end, source->name(),
            "is shorter than its headers; copy it again");
  return open_raw(std::move(source), recording.layout, parts.end - recording.trailing_bytes,
                  std::move(recording.shape));
}

std::string shifted_sigmf(const std::string& document, std::ptrdiff_t n_later,
                          std::size_t n_samples) {
  if (document.empty()) return {};
  ordered_json shifted = ordered_json::parse(document);
  for (const char* const key : {"captures", "annotations"}) {
    if (shifted.contains(key)) shift(shifted[key], n_later, static_cast<std::ptrdiff_t>(n_samples));
  }
  return shifted.dump();
}

namespace {

constexpr std::size_t tar_block = 512;

std::string padding(std::size_t n_bytes) {
  return std::string((tar_block - n_bytes % tar_block) % tar_block, '\0');
}

/// Returns the block before a member of a tar file (POSIX ustar).
std::string member_header(const std::string& member, std::size_t n_bytes,
                          const std::filesystem::path& archive) {
  constexpr std::size_t name_bytes = 100, max_bytes = (std::size_t{1} << 33) - 1;
  if (member.size() > name_bytes || n_bytes > max_bytes) {
    throw plan_error(formatted("{} would need {}; write a name in .sigmf-meta", archive.string(),
                               n_bytes > max_bytes ? "8 GiB of samples" : "a shorter name"));
  }
  std::string block(tar_block, '\0');
  const auto put = [&](std::size_t offset, std::string_view text) {
    std::ranges::copy(text, block.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  put(0, member);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, formatted("{:011o}", n_bytes));
  put(136, "00000000000");
  put(148, "        ");  // the sum of all bytes, with blanks in its place
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put(148, formatted("{:06o}", sum));
  block[154] = '\0';
  return block;
}

class sigmf_writer final : public sample_writer {
 public:
  sigmf_writer(std::filesystem::path file, const signal& shape)
      : is_single_(shape.is_single_precision),
        samples_(extension_of(file) == ".sigmf" ? file : file.replace_extension(".sigmf-data")) {
    ordered_json document = ordered_json::object();
    if (!shape.sigmf.empty()) document = ordered_json::parse(shape.sigmf);
    ordered_json& global = document["global"];
    for (const char* const key : {"core:dataset", "core:trailing_bytes", "core:sha512"}) {
      if (!global.is_null()) global.erase(key);
    }
    global["core:datatype"] =
        std::string{shape.is_real ? "r" : "c"} + (is_single_ ? "f32_le" : "f64_le");
    if (!global.contains("core:version")) global["core:version"] = "1.0.0";
    global["core:num_channels"] = shape.n_rows;
    if (shape.sample_rate_hz > 0) global["core:sample_rate"] = shape.sample_rate_hz;
    ordered_json& captures = document["captures"];
    if (captures.empty()) {
      captures = ordered_json::array({{{"core:sample_start", 0}}});
      if (shape.centre_hz > 0) captures[0]["core:frequency"] = shape.centre_hz;
    }
    for (ordered_json& capture : captures) capture.erase("core:header_bytes");
    if (!document.contains("annotations")) document["annotations"] = ordered_json::array();
    const std::string text = document.dump(2) + "\n";
    if (extension_of(file) == ".sigmf-data") {
      document_.emplace(file.replace_extension(".sigmf-meta")).write(text);
      return;
    }
    const std::string stem = file.stem().string(), member = stem + '/' + stem;
    const std::size_t n_bytes = shape.n_rows * shape.row_length * (shape.is_real ? 1 : 2) *
                                (is_single_ ? sizeof(float) : sizeof(double));
    samples_.write(member_header(member + ".sigmf-meta", text.size(), file) + text +
                   padding(text.size()) + member_header(member + ".sigmf-data", n_bytes, file));
    end_ = padding(n_bytes) + std::string(2 * tar_block, '\0');
  }

  void add(std::span<const double> frames) override {
    std::vector<std::byte> bytes(frames.size() * (is_single_ ? sizeof(float) : sizeof(double)));
    std::byte* place = bytes.data();
    for (const double number : frames) {
      if (is_single_) {
        store(place, static_cast<float>(number));
      } else {
        store(place, number);
      }
      place += is_single_ ? sizeof(float) : sizeof(double);
    }
    samples_.write(std::span<const std::byte>{bytes});
  }

  void commit() override {
    samples_.write(end_);
    samples_.commit();
    if (document_) document_->commit();
  }

 private:
  bool is_single_;
  std::optional<atomic_file> document_;  ///< None beside an archive, which holds it.
  atomic_file samples_;
  std::string end_;  ///< Of an archive.
};

}  // namespace

std::unique_ptr<sample_writer> open_sigmf_writer(const std::filesystem::path& file,
                                                 const signal& shape) {
  return std::make_unique<sigmf_writer>(file, shape);
}

}  // namespace wingbeat::formats
