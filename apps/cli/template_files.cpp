// SPDX-License-Identifier: Apache-2.0
#include "cli/template_files.hpp"

#include <algorithm>  // max, min
#include <filesystem>
#include <numeric>       // accumulate
#include <system_error>  // error_code
#include <utility>       // move

#include "cli/image_files.hpp"  // read_finite, to_grey
#include "cli/messages.hpp"     // counted
#include "text/formatted.hpp"   // formatted
#include "text/reject.hpp"      // reject
#include "wingbeat/error.hpp"   // file_error, plan_error

namespace wingbeat::cli {

template_files::template_files(std::vector<std::string> files, precision real)
    : files_(std::move(files)), real_(real) {
  for (const std::string& file : files_) {
    std::error_code failure;  // a pipe has no size, and counts as nothing
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    bytes_.push_back(failure ? 0 : size);
  }
  open(0);
  height_ = images_->shape().height;
  width_ = images_->shape().width;
  expected_ = files_.size() * images_->shape().n_images;
}

template_files::file_images template_files::opened(std::size_t number) {
  auto images = std::make_unique<formats::image_reader>(files_[number]);
  const formats::image_stack& shape = images->shape();
  if (number > 0 && (shape.height != height_ || shape.width != width_)) {
    reject("the templates of {} are {} and those of {} are {}; give templates of one size",
           files_.front(), size_text(height_, width_), files_[number],
           size_text(shape.height, shape.width));
  }
  max_channels_ = std::max(max_channels_, shape.n_channels);
  return images;
}

std::size_t template_files::count() {
  std::size_t sum = images_->shape().n_images;
  counts_ = {sum};
  for (std::size_t number = 1; number < files_.size(); ++number) {
    file_images images = opened(number);
    counts_.push_back(images->shape().n_images);
    sum += counts_.back();
    std::error_code failure;
    const bool is_file = std::filesystem::is_regular_file(files_[number], failure);
    if (!is_file) kept_.emplace(number, std::move(images));
  }
  return sum;
}

void template_files::open(std::size_t number) {
  images_ = nullptr;  // frees them before the next file is read
  if (auto kept = kept_.extract(number)) {
    images_ = std::move(kept.mapped());
  } else {
    images_ = opened(number);
  }
  const std::size_t n_images = images_->shape().n_images;
  if (!counts_.empty() && n_images != counts_[number]) {
    throw file_error(formatted("{} held {} and now {}; start again when nothing writes it",
                               files_[number], counted(counts_[number], "image"),
                               counted(n_images, "image")));
  }
  file_ = number;
  taken_ = 0;
}

void template_files::select(std::size_t begin, std::size_t end) {
  std::size_t number = 0, before = begin;
  while (before >= counts_[number] && number + 1 < counts_.size()) before -= counts_[number++];
  if (number != file_) open(number);
  taken_ = before;
  begin_ = next_ = begin;
  end_ = end;
}

searching::template_batch template_files::next(std::size_t most) {
  searching::template_batch batch{.first = next_};
  if (end_) most = std::min(most, *end_ - next_);
  while (batch.count < most) {
    if (taken_ == images_->shape().n_images) {
      if (file_ + 1 == files_.size()) break;
      open(file_ + 1);
    }
    const std::size_t count = std::min(most - batch.count, images_->shape().n_images - taken_);
    auto grey = to_grey(read_finite(*images_, files_[file_], taken_, count, real_));
    const auto samples = formats::to_doubles(std::move(grey.samples));
    batch.samples.insert(batch.samples.end(), samples.begin(), samples.end());
    batch.count += count;
    taken_ += count;
    next_ += count;
  }
  return batch;
}

double template_files::fraction() const {
  if (end_ && *end_ > begin_) {
    return static_cast<double>(next_ - begin_) / static_cast<double>(*end_ - begin_);
  }
  const auto begin = bytes_.begin();
  const double total = std::accumulate(begin, bytes_.end(), 0.0);
  if (total == 0) return 0;
  const double done = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(file_), 0.0);
  const double part = static_cast<double>(taken_) / static_cast<double>(images_->shape().n_images);
  return (done + part * static_cast<double>(bytes_[file_])) / total;
}

}  // namespace wingbeat::cli
