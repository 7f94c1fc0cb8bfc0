// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>  // move

#include "arrays/array.hpp"                 // bytes_of_real
#include "arrays/view_part.hpp"             // part_of
#include "convolving/convolver.hpp"         // convolver, pack
#include "searching/scorer.hpp"             // scorer
#include "searching/templates_at_once.hpp"  // made_for
#include "wingbeat/buffer.hpp"              // buffer
#include "wingbeat/error.hpp"               // memory_error

namespace wingbeat::searching {
namespace {

using convolving::pack;

/// Returns the convolution that makes plain maps; for normalised scores only its lengths are used.
convolution_spec convolution_of(const search_spec& spec) {
  return {.image = spec.image,
          .kernel = spec.templates,
          .kind = operation::correlate,
          .mode = spec.mode,
          .real = spec.real,
          .between = spec.is_normalised ? std::nullopt : spec.between};
}

/// A queue with memory for a batch of templates.
struct template_feed {
  template_feed(queue queue_of_runs, std::size_t size_bytes)
      : on(std::move(queue_of_runs)), templates(on, size_bytes) {}

  queue on;
  buffer templates;
};

class unmasked_scorer final : public scorer {
 public:
  unmasked_scorer(const queue& on, const search_request& request);

  void begin(std::span<const double> image) override;
  void restart() override {
    if (search_) search_->restart(on_);
  }
  void add(const template_batch& batch) override;
  [[nodiscard]] search_state state() override {
    return search_ ? search_->state(on_) : search_state{};
  }
  [[nodiscard]] std::string explain() const override { return search_ ? search_->explain() : ""; }
  [[nodiscard]] template_search* on_device() override {
    return search_ && !request_.take_map ? &*search_ : nullptr;
  }

 private:
  void add_feed();
  void take_normalised_maps(const template_batch& batch, const buffer& templates);
  [[nodiscard]] template_search searching(std::size_t templates_at_once) const;

  queue on_;
  search_request request_;
  std::size_t at_once_, template_reals_;
  std::vector<std::size_t> lengths_;  ///< Height and width of a map.
  buffer image_;
  std::vector<template_feed> feeds_;  ///< Batches alternate between them.
  std::size_t n_batches_ = 0;
  std::optional<template_search> search_, map_search_;
  std::optional<convolving::convolver> maps_;
};

unmasked_scorer::unmasked_scorer(const queue& on, const search_request& request)
    : on_(on),
      request_(request),
      at_once_(request.search.templates_at_once),
      template_reals_(reals_of_template(request.search)) {
  if (request.keeps_state) {
    search_ = made_for(on.device(), at_once_, [&](std::size_t count) { return searching(count); });
  }
  if (request.take_map) lengths_ = result_lengths(convolution_of(request.search));
  if (request.take_map && request.search.is_normalised) map_search_ = searching(1);
  feeds_.emplace_back(on, at_once_ * template_reals_ * bytes_of_real(request.search.real));
}

template_search unmasked_scorer::searching(std::size_t templates_at_once) const {
  search_spec spec = request_.search;
  spec.templates_at_once = templates_at_once;
  return template_search{on_, std::move(spec)};
}

void unmasked_scorer::begin(std::span<const double> image) {
  const std::vector<std::byte> bytes = pack(image, request_.search.real);
  if (image_.size_bytes() == 0) image_ = buffer{on_, bytes.size()};
  image_.write(bytes.data(), bytes.size());
  if (map_search_) map_search_->begin(on_, image_.view());
  if (request_.take_map && !map_search_) {
    maps_.emplace(on_, convolution_of(request_.search), image, request_.fp64_name);
  }
  if (!search_) return;
  search_->begin(on_, image_.view());
  // Without a GPU, copies would occupy the processor that computes.
  if (on_.device().is_gpu && feeds_.size() == 1) add_feed();
}

/// Adds a second queue, which uploads and transforms a batch while the previous one is scored, if
/// the device has memory for it.
void unmasked_scorer::add_feed() {
  try {
    template_feed second{queue{on_.device()}, feeds_.front().templates.size_bytes()};
    search_->restart(second.on);  // allocates the memory of its runs
    feeds_.push_back(std::move(second));
  } catch (const memory_error&) {  // one queue runs all batches
  }
}

void unmasked_scorer::take_normalised_maps(const template_batch& batch, const buffer& templates) {
  const std::size_t template_bytes = templates.size_bytes() / at_once_;
  for (std::size_t n = 0; n < batch.count; ++n) {
    map_search_->restart(on_);
    map_search_->add(on_, part_of(templates.view(), n * template_bytes, template_bytes), 1);
    request_.take_map(lengths_[0], lengths_[1], map_search_->scores(on_));
  }
}

void unmasked_scorer::add(const template_batch& batch) {
  for (std::size_t n = 0; n < batch.count && maps_; ++n) {
    const std::span<const double> values{&batch.samples[n * template_reals_], template_reals_};
    request_.take_map(lengths_[0], lengths_[1], (*maps_)(values));
  }
  if (!search_ && !map_search_) return;
  const std::vector<std::byte> bytes = pack(batch.samples, request_.search.real);
  template_feed& feed = feeds_[n_batches_++ % feeds_.size()];
  feed.templates.write(bytes.data(), bytes.size());
  if (map_search_) take_normalised_maps(batch, feed.templates);
  if (search_) search_->add(feed.on, feed.templates.view(), batch.count, batch.first);
}

}  // namespace

std::unique_ptr<scorer> plain_scorer(const queue& on, const search_request& request) {
  return std::make_unique<unmasked_scorer>(on, request);
}

}  // namespace wingbeat::searching
