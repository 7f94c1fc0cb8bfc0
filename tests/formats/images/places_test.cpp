// SPDX-License-Identifier: Apache-2.0
// Places of particles in STAR tables and EMAN's boxes.
#include "formats/images/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>  // pair

#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// Returns (x, y) of each place.
std::vector<std::pair<double, double>> places_of(std::string_view content) {
  std::vector<std::pair<double, double>> found;
  for (const image_place& each : parse_places(content, "p")) found.emplace_back(each.x, each.y);
  return found;
}

std::string refused(std::string_view content) {
  return message_of([&] { (void)parse_places(content, "p"); });
}

TEST(places, are_those_of_relion_3_0) {
  EXPECT_THAT(places_of("\ndata_\n\nloop_ \n_rlnCoordinateX #1 \n_rlnCoordinateY #2 \n"
                        "_rlnClassNumber #3 \n  10.5  -20.25  3 \r\n 1e2 7 -999\n \n"),
              ElementsAre(Pair(10.5, -20.25), Pair(100, 7)));
}

TEST(places, are_those_of_relion_3_1_behind_other_tables) {
  const auto found = parse_places(
      "# version 30001\n\ndata_optics\n\nloop_\n_rlnOpticsGroupName #1\n_rlnOpticsGroup #2\n"
      "opticsGroup1 1\n\n# version 30001\n\ndata_particles\n_rlnPairs 4\nloop_\n"
      "_rlnMicrographName #1\n_rlnCoordinateY #2\n_rlnCoordinateX #3 # not in this order\n"
      "Micrographs/a.mrc 2 1\n'my b.mrc' 4 3 # the last\n\"it's\".mrc\" 6 5\ndata_7.mrc 8 7\n"
      "data_model_classes\nloop_\n_rlnReferenceImage #1\nx\n",
      "p");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].micrograph, "Micrographs/a.mrc");
  EXPECT_EQ(found[1].micrograph, "my b.mrc");
  EXPECT_EQ(found[2].micrograph, "it's\".mrc");
  EXPECT_EQ(found[3].micrograph, "data_7.mrc");
  EXPECT_EQ(found[3].x, 7);
  EXPECT_EQ(found[3].y, 8);
}

TEST(places, have_values_of_several_lines_beside_them) {
  EXPECT_THAT(places_of("data_\nloop_\n_note\n_rlnCoordinateX\n_rlnCoordinateY\n;a\nloop_\n; 1 2\n"
                        "#c\nx;\n3\n4\n"),
              ElementsAre(Pair(1, 2), Pair(3, 4)));
}

TEST(places, of_boxes_are_their_middles) {
  EXPECT_THAT(places_of("7\t12\t16\t17\n42 32 16 17 -3\n\n-4 0.5 3 1\n"),
              ElementsAre(Pair(15, 20), Pair(50, 40), Pair(-3, 0.5)));
}

TEST(places, are_refused_with_the_line) {
  EXPECT_THAT(refused("data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n1 2\n3 four\n"),
              HasSubstr("line 6 has 'four'"));
  EXPECT_THAT(refused("data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n1 2\n3\n"),
              HasSubstr("from line 6 on, 1 words"));
  EXPECT_THAT(refused("data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n1 nan\n"),
              HasSubstr("'nan'"));
  EXPECT_THAT(refused("data_\nloop_\n_rlnCoordinateX\n_a\n'1 2\n"),
              HasSubstr("line 5 has a quotation that does not end"));
  EXPECT_THAT(refused("data_\nloop_\n_rlnCoordinateX\n1\n"), HasSubstr("has no table with"));
  EXPECT_THAT(refused("10 20 5\n"), HasSubstr("line 1 has 3 words"));
  EXPECT_THAT(refused("10 20 5 x\n"), HasSubstr("'x'"));
  EXPECT_THAT(refused("\x93NUMPY\x01"), HasSubstr("csparc2star.py"));
}

TEST(places, are_those_of_one_micrograph) {
  const temporary_folder folder;
  const auto file = folder.write("p.star",
                                 "data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n"
                                 "_rlnMicrographName\n1 2 d/a.mrc\n3 4 d/b.mrc\n5 6 000002@s.mrcs\n"
                                 "7 8 000003@s.mrcs\n");
  const auto in = [&](const char* micrograph) {
    std::vector<double> found;
    for (const image_place& each : read_places(file, micrograph)) found.push_back(each.x);
    return found;
  };
  EXPECT_THAT(in("/elsewhere/b.tif"), ElementsAre(3));
  EXPECT_THAT(in("000003@s.npy"), ElementsAre(7));
  EXPECT_THAT(in(""), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(message_of([&] { (void)in("c.mrc"); }), HasSubstr("only such as in d/a.mrc"));
  EXPECT_THAT(read_places(folder.write("p.box", "1 2 2 2\n"), "any"), ::testing::SizeIs(1));
}

}  // namespace
