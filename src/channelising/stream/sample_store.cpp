// SPDX-License-Identifier: Apache-2.0
#include "channelising/stream/sample_store.hpp"

#include <algorithm>  // max
#include <utility>    // exchange, move, swap

#include "arrays/view_part.hpp"  // part_of, rest_of

namespace wingbeat::channelising {
namespace {

/// For any width, groups of eight numbers begin at a byte. Planes begin at a multiple of 16 bytes,
/// and some bytes behind the last number may be read with it.
std::size_t bytes_of_plane(std::size_t capacity, unsigned bits) {
  return (capacity / 8 * bits + 16 + 15) / 16 * 16;
}

std::shared_ptr<backend::queue> writing_queue(const queue& on, written_by writer) {
  auto beside = writer == written_by::copies ? on.impl()->open_beside() : nullptr;
  return beside ? beside : on.impl();
}

}  // namespace

sample_store::sample_store(const queue& on, std::size_t n_planes, unsigned number_bits,
                           std::size_t capacity, std::int64_t begin, written_by writer)
    : n_planes_(n_planes),
      bits_(number_bits),
      capacity_(capacity),
      plane_bytes_(bytes_of_plane(capacity, number_bits)),
      begin_(begin),
      end_(begin),
      first_queue_(on.impl()),
      writer_(writing_queue(on, writer)),
      now_(on, n_planes * plane_bytes_),
      next_(on, n_planes * plane_bytes_) {}

bool sample_store::make_room(queue& on, std::int64_t keep, std::size_t count) {
  if (std::exchange(is_read_again_, false) && has_own_queue()) {
    writer_->after(*on.impl()->record());
  }
  if (static_cast<std::size_t>(end_ - begin_) + count <= capacity_) return true;
  const std::int64_t wanted = std::max(keep, begin_);
  const std::int64_t first = begin_ + std::min(wanted - begin_, end_ - begin_) / 8 * 8;
  const auto kept = static_cast<std::size_t>(end_ - first);
  if (kept + count > capacity_ || first == begin_) return false;
  const std::size_t kept_bytes = (kept + 7) / 8 * bits_;
  for (std::size_t p = 0; p < n_planes_ && kept > 0; ++p) {
    on.impl()->copy(part_of(next_.view(), p * plane_bytes_, kept_bytes),
                    part_of(at(p, first), 0, kept_bytes));
  }
  std::swap(now_, next_);
  begin_ = first;
  if (!has_own_queue()) return true;
  auto moved = on.impl()->record();
  // An incomplete group of eight is written again, which must follow its copy.
  const backend::mark* const awaited = kept % 8 == 0 ? moved_.get() : moved.get();
  if (awaited != nullptr) writer_->after(*awaited);
  moved_ = std::move(moved);
  return true;
}

buffer_view sample_store::at(std::size_t plane, std::int64_t index) const {
  const std::size_t offset = plane * plane_bytes_ +
                             static_cast<std::size_t>(index - begin_) / 8 * bits_ +
                             static_cast<std::size_t>(index - begin_) % 8 * bits_ / 8;
  return rest_of(now_.view(), offset);
}

void sample_store::write(std::size_t plane, std::int64_t index, const void* source,
                         std::size_t size_bytes) {
  if (size_bytes == 0) return;
  writer_->write(part_of(at(plane, index), 0, size_bytes), source);
}

void sample_store::write_later(std::size_t plane, std::int64_t index, const void* source,
                               std::size_t size_bytes) {
  writer_->write_later(part_of(at(plane, index), 0, size_bytes), source);
}

void sample_store::clear(std::size_t plane, std::int64_t index, std::size_t size_bytes) {
  writer_->clear(part_of(at(plane, index), 0, size_bytes));
}

void sample_store::publish(queue& on) {
  if (!has_own_queue()) return;
  written_ = writer_->record();
  on.impl()->after(*written_);
}

void sample_store::wait_for_writes() const {
  if (written_) written_->wait();
}

void sample_store::restart(std::int64_t begin) {
  begin_ = end_ = begin;
  is_read_again_ = true;
}

}  // namespace wingbeat::channelising
