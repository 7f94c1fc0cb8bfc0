// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat match --shard` and `match-merge`: every file is, byte for byte, that of one search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/images.hpp"       // random_images, image_file, expect_refusal
#include "cli/program.hpp"      // workplace
#include "cli/search_part.hpp"  // read_part

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using words = std::vector<std::string>;

words joined_words(words first, const words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class match_merge : public ::testing::Test {
 protected:
  match_merge() {
    auto image = random_images({40, 33}, 1);
    image_file(at_, "f.npy", image);
    // 3 are searched for at once, and the last one alone: 251 batches of two files.
    image_file(at_, "t0.npy", random_images({6, 5, 400}, 2));
    image_file(at_, "t1.npy", random_images({6, 5, 351}, 3));
  }

  finished run(const words& arguments) const {
    finished done = at_.run(arguments);
    EXPECT_EQ(done.code, 0) << done.err;
    return done;
  }
  [[nodiscard]] static words search(const words& more) {
    return joined_words({"match", "f.npy", "t0.npy", "t1.npy"}, more);
  }
  /// Makes parts of the search; returns their files.
  [[nodiscard]] words parts(std::size_t count, const words& more) const {
    words files;
    for (std::size_t i = 0; i < count; ++i) {
      files.push_back("part" + std::to_string(i) + ".npy");
      run(joined_words(search(more), {"--shard", std::to_string(i) + "/" + std::to_string(count),
                                      "--state", files.back()}));
    }
    return files;
  }

  workplace at_;
};

const words all_outputs{"--projection", "p.npy", "--numbers", "n.npy", "--mean", "m.npy",
                        "--variance",   "v.npy", "--csv",     "c.csv", "--star", "s.star",
                        "--box",        "b.box", "--top",     "7"};
const words all_files{"p.npy", "n.npy", "m.npy", "v.npy", "c.csv", "s.star", "b.box"};

TEST_F(match_merge, writes_what_one_search_writes) {
  for (const std::string engine : {"host", "reference"}) {
    const words options{"--normalised", "--engine", engine};
    if (engine == "reference") image_file(at_, "t0.npy", random_images({6, 5, 3}, 2));
    if (engine == "reference") image_file(at_, "t1.npy", random_images({6, 5, 2}, 3));
    run(joined_words(search(options), all_outputs));
    words whole;
    for (const std::string& file : all_files) whole.push_back(at_.folder().read(file));
    for (const std::size_t count : {1, 2, 5}) {
      words files = parts(count, joined_words(options, {"--moments"}));
      std::swap(files.front(), files.back());
      run(joined_words(joined_words({"match-merge"}, files), all_outputs));
      for (std::size_t i = 0; i < all_files.size(); ++i) {
        EXPECT_EQ(at_.folder().read(all_files[i]), whole[i]) << all_files[i] << " of " << count;
      }
    }
  }
}

TEST_F(match_merge, has_parts_of_equal_shares) {
  const auto shares = [&](std::size_t count) {
    std::vector<std::size_t> templates;
    for (const std::string& file : parts(count, {"--engine", "host"})) {
      const auto part = cli::read_part((at_.folder().path() / file).string());
      templates.push_back(part.kept.templates);
    }
    return templates;
  };
  EXPECT_THAT(shares(4), ElementsAre(186, 189, 189, 187));
  image_file(at_, "t0.npy", random_images({6, 5, 60}, 2));
  image_file(at_, "t1.npy", random_images({6, 5, 40}, 3));
  EXPECT_THAT(shares(4), ElementsAre(25, 25, 25, 25));
  EXPECT_THAT(shares(16), Each(AllOf(Ge(6U), Le(7U))));
}

TEST_F(match_merge, merges_what_was_merged_before) {
  const words files = parts(3, {"--engine", "host"});
  run({"match-merge", files[2], files[0], "--state", "left.npy"});
  const std::string whole = run(search({"--engine", "host", "--json"})).out;
  EXPECT_EQ(run({"match-merge", "left.npy", files[1], "--json"}).out, whole);
  expect_refusal(at_, {"match-merge", "left.npy"}, 2, "of 751 templates 249 to 500 are missing");
  expect_refusal(at_, {"match-merge", "left.npy", files[2]}, 2,
                 "template 501 is in part2.npy and in what was merged before");
}

TEST_F(match_merge, merges_searches_of_images_with_pixels_that_are_not_there) {
  auto image = random_images({12, 13}, 4);
  auto samples = formats::to_doubles(image.samples);
  for (std::size_t i = 0; i < 40; ++i) samples[i] = NAN;
  image.samples = samples;
  image_file(at_, "f.npy", image);
  image_file(at_, "t0.npy", random_images({6, 5, 3}, 2));
  image_file(at_, "t1.npy", random_images({6, 5, 2}, 3));
  const words options{"--normalised", "--engine", "host"}, maps{"--mean", "m.npy", "--top", "3"};
  const std::string table = run(joined_words(search(options), maps)).out;
  const std::string mean = at_.folder().read("m.npy");
  const words files = parts(2, joined_words(options, {"--moments"}));
  EXPECT_EQ(run(joined_words(joined_words({"match-merge"}, files), maps)).out, table);
  EXPECT_EQ(at_.folder().read("m.npy"), mean);
}

TEST_F(match_merge, writes_the_same_however_files_are_named_and_parts_ordered) {
  const words options{"--engine", "host"};
  run(joined_words(search(options), {"--state", "whole.npy"}));
  words files = parts(2, options);
  run({"match-merge", files[0], files[1], "--state", "merged.npy"});
  EXPECT_EQ(at_.folder().read("merged.npy"), at_.folder().read("whole.npy"));
  run({"match", (at_.folder().path() / "f.npy").string(), "t0.npy", "t1.npy", "--engine", "host",
       "--shard", "1/2", "--state", "part1.npy"});
  run({"match-merge", files[0], files[1], "--state", "a.npy"});
  run({"match-merge", files[1], files[0], "--state", "b.npy"});
  EXPECT_EQ(at_.folder().read("a.npy"), at_.folder().read("b.npy"));
}

TEST_F(match_merge, says_where_parts_were_made_on_devices_of_several_kinds) {
  image_file(at_, "t0.npy", random_images({6, 5, 3}, 2));
  image_file(at_, "t1.npy", random_images({6, 5, 2}, 3));
  const words files = parts(2, {"--engine", "host"});
  EXPECT_EQ(run({"match-merge", files[0], files[1]}).err, "");
  run(search({"--engine", "reference", "--shard", "1/2", "--state", files[1]}));
  EXPECT_THAT(run({"match-merge", files[0], files[1]}).err,
              AllOf(HasSubstr("made on host "), HasSubstr(" and reference ")));
}

TEST_F(match_merge, searches_on_several_devices_at_once) {
  const words options{"--normalised", "--json", "--mean", "m.npy"};
  const std::string whole = run(search(joined_words(options, {"--engine", "host"}))).out;
  const std::string mean = at_.folder().read("m.npy");
  EXPECT_EQ(run(search(joined_words(options, {"--devices", "host,host,host"}))).out, whole);
  EXPECT_EQ(at_.folder().read("m.npy"), mean);
}

TEST_F(match_merge, refuses_what_are_no_parts_of_one_search) {
  const words files = parts(2, {"--engine", "host"});
  const auto other = [&](const words& command) {
    run(joined_words(command, {"--engine", "host", "--shard", "1/2", "--state", "other.npy"}));
    return at_.run({"match-merge", files[0], "other.npy"}).err;
  };
  EXPECT_THAT(other(search({"--mode", "full"})), HasSubstr("valid, fp32 and full, fp32"));
  EXPECT_THAT(other({"match", "f.npy", "t0.npy"}), HasSubstr("of 751 and 400 templates"));
  EXPECT_THAT(other({"match", "t1.npy", "t0.npy", "t1.npy", "--frame", "0"}),
              HasSubstr("of different images"));
  EXPECT_THAT(other(search({"--min-valid", "95"})),
              HasSubstr("valid, fp32 and valid, fp32, --min-valid 95"));
  auto changed = random_images({6, 5, 351}, 3);
  auto samples = formats::to_doubles(changed.samples);
  samples.back() += 1;
  changed.samples = samples;
  image_file(at_, "t2.npy", changed);
  EXPECT_THAT(other({"match", "f.npy", "t0.npy", "t2.npy"}), HasSubstr("of different templates"));
  EXPECT_THAT(other({"match", "f.npy", "t1.npy", "t0.npy"}), HasSubstr("of different templates"));
  expect_refusal(at_, {"match-merge", "f.npy"}, 4, "f.npy is no part of a search");
  const std::string part = at_.folder().read(files[1]);
  for (const std::size_t left : {std::size_t{90}, part.size() / 2, part.size() - 9}) {
    at_.file("cut.npy", part.substr(0, left));
    EXPECT_EQ(at_.run({"match-merge", "cut.npy"}).code, 4) << left;
  }
  expect_refusal(at_, {"match-merge", files[0], files[1], "--mean", "m.npy"}, 2, "--moments");
}

TEST_F(match_merge, refuses_options_that_contradict_a_part) {
  expect_refusal(at_, search({"--shard", "1/2"}), 2, "add --state FILE");
  expect_refusal(at_, search({"--state", "p.npy", "--top", "3"}), 2, "match-merge");
  expect_refusal(at_, search({"--state", "p.npy", "--moments"}), 2, "add --normalised");
  expect_refusal(at_, search({"--devices", "host,host", "--mean", "m.npy"}), 2, "add --normalised");
  expect_refusal(at_, search({"--devices", "host,host", "--map", "m.npy"}), 2, "one device");
  for (const std::string text : {"2/2", "1", "1/", "/2", "-1/2", "1/2/3", "0/0", "0/1048577"}) {
    expect_refusal(at_, search({"--shard=" + text, "--state", "p.npy"}), 2, "from 0/16 to 15/16");
  }
}

}  // namespace
