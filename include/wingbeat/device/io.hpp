// SPDX-License-Identifier: Apache-2.0
// Composable loads and stores. load(i) returns element i; store(i, z) takes it. Most types are
// both, and hold the wrapped ones by value:
//     io::conjugated{io::padded{io::row_of(in, pitch, who), valid}}
#pragma once

#include "wingbeat/device/io/adjacent.hpp"    // adjacent_pairs, load_adjacent, store_adjacent
#include "wingbeat/device/io/batch.hpp"       // member, member_of, pair_of, row_of, column_of
#include "wingbeat/device/io/conjugated.hpp"  // conjugated
#include "wingbeat/device/io/contiguous.hpp"  // contiguous
#include "wingbeat/device/io/cropped.hpp"     // cropped
#include "wingbeat/device/io/guarded.hpp"     // guarded
#include "wingbeat/device/io/packed.hpp"      // packed
#include "wingbeat/device/io/padded.hpp"      // padded
#include "wingbeat/device/io/paired.hpp"      // paired
#include "wingbeat/device/io/planar.hpp"      // planar
#include "wingbeat/device/io/real_part.hpp"   // real_part
#include "wingbeat/device/io/reversed.hpp"    // reversed, flipped
#include "wingbeat/device/io/scaled.hpp"      // scaled
#include "wingbeat/device/io/strided.hpp"     // strided
