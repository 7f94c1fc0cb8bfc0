// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/unusable.hpp"

#include <vector>

#include "text/counted.hpp"  // counted
#include "text/formatted.hpp"

namespace wingbeat::cli {
namespace {

class reasons {
 public:
  void add(std::uint64_t count, const char* noun, std::string_view predicate) {
    if (count > 0) texts_.push_back(formatted("{} {}", counted(count, noun), predicate));
  }

  /// Adds the reasons that both kinds of counts have.
  template <class Counts>
  void add_common(const Counts& counts) {
    add(counts.cut_frames, "frame", "cut by the capture's snap length");
    add(counts.other_frames, "frame", "of other protocols than UDP, or in fragments");
    add(counts.other_destinations, "datagram", "to other endpoints");
    for (std::size_t i = 0; i < counts.undecodable.size(); ++i) {
      const auto fault = static_cast<spead::packet_fault>(i);
      const bool is_known =
          fault == spead::packet_fault::wrong_flavour && counts.other_address_bytes > 0;
      add(counts.undecodable[i], "packet",
          is_known ? formatted("of SPEAD-64-{}, where SPEAD-64-48 alone is read",
                               8 * counts.other_address_bytes)
                   : std::string(to_string(fault)));
    }
    add(counts.truncated, "packet", "longer than 64 KiB");
    add(counts.descriptors, "packet", "of descriptors");
    add(counts.stops, "packet", "of the end of a stream");
  }

  [[nodiscard]] std::string text() const { return joined(texts_, ", "); }

 private:
  std::vector<std::string> texts_;
};

}  // namespace

std::string unusable_text(const receive::receive_counts& counts) {
  reasons result;
  result.add_common(counts);
  result.add(counts.wrong_size, "packet", "of another size than --recv-packet-samples states");
  result.add(counts.foreign, "packet", "without timestamp, digitiser id or samples");
  result.add(counts.misaligned(), "packet", "with a timestamp between those of packets");
  result.add(counts.implausible(), "packet", "of a time far from all others");
  return result.text();
}

std::string unusable_text(const receive::heap_receive_counts& counts) {
  reasons result;
  result.add_common(counts);
  result.add(counts.foreign, "packet", "without timestamp, feng_id, frequency or feng_raw");
  result.add(counts.undescribed, "packet", "that no descriptor describes");
  result.add(counts.other_engine, "packet", "of another engine");
  result.add(counts.wrong_size, "packet", "of heaps of another size");
  result.add(counts.beyond_band, "packet", "of a first channel that no substream has");
  result.add(counts.packets, "packet", "of heaps that are not whole");
  return result.text();
}

std::string remedy_text(std::uint64_t n_cut_frames) {
  return n_cut_frames == 0 ? "" : "; capture whole packets, as tcpdump --snapshot-length=0 does";
}

}  // namespace wingbeat::cli
