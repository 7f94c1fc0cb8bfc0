// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 1800
// Planted templates of many sizes, 10,000 of them.
#include "convolving/planted.hpp"

namespace {

TEST(planted_on_host, templates_of_many_sizes_are_found_where_fp64_finds_them) {
  wingbeat::queue on{wingbeat::first_device(wingbeat::engine::host)};
  wingbeat::test::expect_planted_found(on, /*count=*/10000,
                                       {{8, 8},
                                        {8, 9},
                                        {13, 11},
                                        {16, 16},
                                        {24, 24},
                                        {23, 8},
                                        {17, 19},
                                        {12, 24},
                                        {9, 21},
                                        {10, 10},
                                        {11, 16}});
}

}  // namespace
