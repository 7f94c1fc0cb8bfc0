// SPDX-License-Identifier: Apache-2.0
// All of the host API.
#pragma once

#include "wingbeat/buffer.hpp"              // buffer, buffer_view
#include "wingbeat/channeliser.hpp"         // channeliser
#include "wingbeat/compile_ahead.hpp"       // compile_ahead
#include "wingbeat/convolution.hpp"         // convolution
#include "wingbeat/devices.hpp"             // devices, engine
#include "wingbeat/direct_sums.hpp"         // sum_directly
#include "wingbeat/distributed_plan.hpp"    // distributed_plan
#include "wingbeat/distribution.hpp"        // box, redistribution
#include "wingbeat/domain.hpp"              // domain
#include "wingbeat/error.hpp"               // plan_error, device_error, memory_error, ..
#include "wingbeat/fusion.hpp"              // fused_load, fused_store
#include "wingbeat/good_length.hpp"         // good_length, is_good_length
#include "wingbeat/image_convolution.hpp"   // image_convolution
#include "wingbeat/kernel.hpp"              // kernel, kernel_spec
#include "wingbeat/library_folder.hpp"      // add_library_folder
#include "wingbeat/long_convolution.hpp"    // long_convolution
#include "wingbeat/mel_bands.hpp"           // mel_bands, mel_weights
#include "wingbeat/orientation_search.hpp"  // orientation_search
#include "wingbeat/pinned_memory.hpp"       // pinned_memory
#include "wingbeat/plan.hpp"                // plan, plan_spec
#include "wingbeat/plan_cache.hpp"          // plan_cache
#include "wingbeat/process_rank.hpp"        // process_rank
#include "wingbeat/queue.hpp"               // queue, stopwatch
#include "wingbeat/reshape.hpp"             // reshape
#include "wingbeat/short_time.hpp"          // short_time
#include "wingbeat/short_time_stream.hpp"   // short_time_stream
#include "wingbeat/stream_filter.hpp"       // stream_filter
#include "wingbeat/table_memory.hpp"        // table_bytes_of_thread
#include "wingbeat/template_search.hpp"     // template_search, peak
#include "wingbeat/thread_limit.hpp"        // thread_limit
#include "wingbeat/version.hpp"             // WINGBEAT_VERSION_*
