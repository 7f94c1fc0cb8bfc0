// SPDX-License-Identifier: Apache-2.0
#include "formats/images/writer.hpp"

#include <algorithm>  // find
#include <stdexcept>  // logic_error
#include <string>
#include <utility>  // move

#include "formats/images/format.hpp"       // entry_of
#include "formats/images/value_range.hpp"  // check_range
#include "text/counted.hpp"                // counted
#include "text/listed.hpp"                 // listed
#include "text/reject.hpp"                 // reject

namespace wingbeat::formats {
namespace {

std::string_view name_of(number_type type) {
  switch (type) {
    case number_type::uint8: return "8 bits";
    case number_type::uint16: return "16 bits";
    case number_type::int32: return "int32";
    case number_type::float16: return "fp16";
    case number_type::float64: return "fp64";
    default: return "fp32";
  }
}

/// Returns the options with the type that is written.
image_write_options complete(const std::string& name, const image_stack& shape,
                             image_write_options options) {
  require_holds(name, shape.n_images, shape.n_channels);
  const std::vector<number_type>& types = entry_of(name).types;
  if (!options.type) options.type = types.front();
  if (std::find(types.begin(), types.end(), *options.type) == types.end()) {
    std::vector<std::string_view> names;
    for (const number_type type : types) names.push_back(name_of(type));
    reject("cannot write {} to {}, which holds {}; choose that", name_of(*options.type), name,
           listed(names));
  }
  reject_if(full_scale_of(*options.type) == 0 && options.range,
            "{} holds {} values as they are, without a range; leave it out", name,
            name_of(*options.type));
  reject_if(full_scale_of(*options.type) != 0 && !options.range && shape.n_images > 1,
            "the range of {} in {} must be the same for all of them; give what is black and white",
            counted(shape.n_images, "image"), name);
  if (options.range) check_range(*options.range, name);
  return options;
}

}  // namespace

image_writer::image_writer(const std::filesystem::path& file, image_stack shape,
                           const image_write_options& options)
    : shape_(std::move(shape)),
      options_(complete(file.string(), shape_, options)),
      to_(file),
      sink_(entry_of(file).create(to_, shape_, options_)),
      n_left_(shape_.n_images * shape_.height * shape_.width * shape_.n_channels) {}

void image_writer::add(const image_samples& samples) {
  const std::size_t image = shape_.height * shape_.width * shape_.n_channels;
  if (size_of(samples) > n_left_ || size_of(samples) % image != 0) {
    throw std::logic_error("a stack takes as many whole images as its shape says");
  }
  sink_->add(samples);
  n_left_ -= size_of(samples);
}

std::optional<value_range> image_writer::commit() {
  if (n_left_ != 0) throw std::logic_error("a stack has as many images as its shape says");
  const auto range = sink_->finish();
  to_.commit();
  return range;
}

}  // namespace wingbeat::formats
