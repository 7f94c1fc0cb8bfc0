// SPDX-License-Identifier: Apache-2.0
#include "receive/channel_layout.hpp"

#include <charconv>  // from_chars
#include <string_view>
#include <vector>

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes
#include "spead/channel_heap.hpp"                // channel_item
#include "text/counted.hpp"                      // counted
#include "text/formatted.hpp"
#include "text/reject.hpp"  // reject

namespace wingbeat::receive {
namespace {

using axis_lengths = std::vector<std::size_t>;

/// Returns the text after 'name', from `first` up to `last`; empty if there is none.
std::string_view value_of(std::string_view header, std::string_view name, char first, char last) {
  const std::size_t key = header.find(formatted("'{}':", name));
  if (key == header.npos) return {};
  const std::size_t begin = header.find(first, key + name.size() + 3);
  if (begin == header.npos) return {};
  const std::size_t end = header.find(last, begin + 1);
  return end == header.npos ? std::string_view{} : header.substr(begin + 1, end - begin - 1);
}

std::optional<heap_sample> sample_of(std::string_view numpy_type) {
  if (numpy_type == "|i1" || numpy_type == "i1" || numpy_type == "<i1" || numpy_type == ">i1") {
    return heap_sample::int8;
  }
  if (numpy_type == "<i2") return heap_sample::int16;
  if (numpy_type == "<f2") return heap_sample::fp16;
  if (numpy_type == "<f4") return heap_sample::fp32;
  return {};
}

/// Reads "32, 8, 2, 2".
axis_lengths lengths_of(std::string_view text) {
  axis_lengths lengths;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(", ");
    if (begin == text.npos) break;
    text.remove_prefix(begin);
    std::size_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{}) return {};
    lengths.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return lengths;
}

/// Returns the known value; throws if both are known and differ.
template <class Value>
std::optional<Value> agreed(const char* noun, const std::optional<Value>& stated,
                            const std::optional<Value>& described) {
  if (stated && described && *stated != *described) {
    reject(
        "the stream's descriptors state {} {}, and {} were given; leave "
        "this out, or give the stream's",
        *described, noun, *stated);
  }
  return stated ? stated : described;
}

void require_division(std::size_t channels, std::size_t substreams) {
  if (substreams > 0 && channels % substreams == 0) return;
  reject("{} cannot be split evenly between {}; give a multiple of the substreams",
         counted(channels, "channel"), counted(substreams, "substream"));
}

std::size_t all_channels(const layout_request& request, std::size_t of_substream) {
  const auto substreams = request.substreams ? request.substreams
                          : request.channels ? std::nullopt
                                             : request.default_substreams;
  reject_if(!substreams && !request.channels,
            "how many channels there are is not known; give all of them, or the number of "
            "substreams, of which each has {}",
            of_substream);
  const std::size_t channels = request.channels.value_or(substreams.value_or(0) * of_substream);
  if (channels % of_substream != 0 || (substreams && channels != *substreams * of_substream)) {
    reject("{} channels were given{}, and a substream has {}; give numbers that go together",
           channels, substreams ? formatted(" in {} substreams", *substreams) : "", of_substream);
  }
  return channels;
}

}  // namespace

std::size_t channel_layout::heap_bytes() const {
  return channels_per_substream * spectra * polarisations * channelising::complex_bytes(samples);
}

std::optional<channel_layout> described_layout(const spead::descriptor& voltages) {
  if (voltages.id != spead::channel_item::voltages) return {};
  axis_lengths shape;
  std::optional<heap_sample> samples;
  if (voltages.numpy_header.empty()) {
    for (const auto& length : voltages.shape) shape.push_back(length.value_or(0));
    if (voltages.format.size() == 1 && voltages.format[0].type == 'i') {
      if (voltages.format[0].bits == 4) samples = heap_sample::int4;
      if (voltages.format[0].bits == 8) samples = heap_sample::int8;
    }
  } else {
    samples = sample_of(value_of(voltages.numpy_header, "descr", '\'', '\''));
    shape = lengths_of(value_of(voltages.numpy_header, "shape", '(', ')'));
    if (voltages.numpy_header.find("'fortran_order': False") == std::string::npos) return {};
  }
  constexpr std::size_t most = std::size_t{1} << 20;
  if (!samples || shape.size() != 4 || shape[3] != 2) return {};
  if (shape[0] == 0 || shape[0] > most || shape[1] == 0 || shape[1] > most) return {};
  if (shape[2] == 0 || shape[2] > 2) return {};
  return channel_layout{.channels = 0,
                        .channels_per_substream = shape[0],
                        .spectra = shape[1],
                        .polarisations = shape[2],
                        .samples = *samples};
}

std::optional<channel_layout> resolve(const layout_request& request,
                                      const std::optional<channel_layout>& described) {
  const auto field_of = [&](auto channel_layout::*field) {
    return described ? std::optional((*described).*field) : std::nullopt;
  };
  auto stated = request.channels_per_substream;
  if (request.channels && request.substreams) {
    require_division(*request.channels, *request.substreams);
    if (!stated) stated = *request.channels / *request.substreams;
  }
  const auto of_substream =
      agreed("channels a substream", stated, field_of(&channel_layout::channels_per_substream));
  const auto spectra =
      agreed("spectra a heap", request.spectra, field_of(&channel_layout::spectra));
  reject_if(described && request.samples && *request.samples != described->samples,
            "the stream's descriptors state other samples than were given; leave this "
            "out, or give the stream's");
  if (!of_substream || !spectra) return {};
  channel_layout layout{
      .channels = all_channels(request, *of_substream),
      .channels_per_substream = *of_substream,
      .spectra = *spectra,
      .polarisations = described ? described->polarisations : 2,
      .samples = request.samples.value_or(described ? described->samples : heap_sample::int8)};
  reject_if(layout.batch_bytes() == 0 || layout.batch_bytes() > max_batch_bytes,
            "heaps of {} channels and {} spectra were given for {} channels; "
            "together they have at most 2^30 bytes, and one at least",
            layout.channels_per_substream, layout.spectra, layout.channels);
  return layout;
}

std::string missing_of(const layout_request& request) {
  std::vector<std::string> missing;
  if (!request.spectra) missing.push_back("--spectra-per-heap");
  if (!request.channels_per_substream && !(request.channels && request.substreams)) {
    missing.push_back("--channels-per-substream");
  }
  return joined(missing, " and ");
}

}  // namespace wingbeat::receive
