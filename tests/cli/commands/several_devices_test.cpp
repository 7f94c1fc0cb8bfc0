// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat bench`, `plan`, `verify` and `transform` over several devices: ranks of the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>  // system
#include <string>
#include <vector>

#include "cli/images.hpp"          // expect_refusal
#include "cli/program.hpp"         // workplace, json_of
#include "cli/transform_runs.hpp"  // noise_rows
#include "processes/ranks.hpp"     // free_address

namespace {

using namespace wingbeat::test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using words = std::vector<std::string>;

TEST(several_devices, are_compared_with_one) {
  const workplace place;
  for (const std::string kind : {"c2c", "r2c", "c2r", "c2c-inverse"}) {
    const finished run =
        place.run({"bench", "--devices", "host,host,host", "--all-devices", "--kind", kind,
                   "--lengths", "12x10,6x8x10", "--rounds", "3", "--json", "-"});
    ASSERT_EQ(run.code, 0) << run.err;
    const auto document = json_of(run);
    EXPECT_EQ(document["schema"], "wingbeat.bench_devices/1");
    EXPECT_EQ(document["devices"].size(), 3U);
    ASSERT_EQ(document["results"].size(), 2U);
    for (const auto& result : document["results"]) {
      EXPECT_LT(result["difference"].get<double>(), 1e-6);
      EXPECT_GT(result["sent_bytes"], 0);
      EXPECT_FALSE(result["uses_one_device"]);
      EXPECT_GT(result["several_s"].get<double>(), 0);
    }
  }
  const finished one_axis = place.run({"bench", "--devices", "host,host", "--all-devices",
                                       "--lengths", "240", "--precision", "fp64", "--rounds", "3"});
  EXPECT_EQ(one_axis.code, 0) << one_axis.err;
  EXPECT_THAT(one_axis.out, HasSubstr("2 ranks"));
}

TEST(several_devices, compute_with_numbers_of_16_bits) {
  const workplace place;
  for (const std::string real : {"fp16", "bf16"}) {
    for (const std::string kind : {"c2c", "c2c-inverse", "r2c", "c2r"}) {
      const finished run =
          place.run({"bench", "--devices", "host,host,host", "--all-devices", "--precision", real,
                     "--kind", kind, "--lengths", "12x10,6x8x10", "--rounds", "3", "--json", "-"});
      ASSERT_EQ(run.code, 0) << run.err;
      for (const auto& result : json_of(run)["results"]) {
        EXPECT_EQ(result["precision"], real);
        EXPECT_LT(result["difference"].get<double>(), real == "fp16" ? 2e-3 : 2e-2);
        EXPECT_GT(result["sent_bytes"], 0);
      }
    }
  }
}

TEST(several_devices, fill_the_memory_that_was_asked_for) {
  const workplace place;
  const auto batch_of = [&](const words& options) {
    words command{"bench",    "--devices", "host,host", "--lengths", "64x64",
                  "--rounds", "3",         "--json",    "-"};
    command.insert(command.end(), options.begin(), options.end());
    return json_of(place.run(command))["results"][0]["batch"].get<std::size_t>();
  };
  EXPECT_EQ(batch_of({}), 1U);
  EXPECT_EQ(batch_of({"--mib", "1"}), (std::size_t{1} << 20) / (2 * 64 * 64 * 8));
}

TEST(several_devices, may_have_what_is_too_large_for_one) {
  const workplace place;
  // 128 MiB on two ranks, and then 128 MiB on one, of a process that has 256.
  const std::string command = "cd " + place.folder().path().string() +
                              " && ulimit -v 300000 && " WINGBEAT_PROGRAM
                              " bench --devices host,host --all-devices "
                              "--lengths 2048x4096 --rounds 3 --json result.json > printed 2> said";
  ASSERT_EQ(std::system(command.c_str()), 0) << place.folder().read("said");
  EXPECT_THAT(place.folder().read("printed"), HasSubstr("too large"));
  const auto document = nlohmann::json::parse(place.folder().read("result.json"));
  ASSERT_EQ(document["results"].size(), 1U);
  EXPECT_FALSE(document["results"][0].contains("one_s"));
  EXPECT_FALSE(document["results"][0].contains("difference"));
}

TEST(several_devices, are_not_used_where_one_is_as_quick) {
  const workplace place;
  const words plan{"plan", "--devices", "host,host", "--lengths", "16x16"};
  EXPECT_THAT(place.run(plan).out, HasSubstr("rank 0 makes it alone"));
  words forced = plan;
  forced.insert(forced.end(), {"--all-devices", "--natural-bins", "--json"});
  const auto planned = json_of(place.run(forced))["plans"][0];
  EXPECT_EQ(planned["sent_bytes"], 2 * 16 * 16 / 2 * 8) << "two exchanges of half of all";
  EXPECT_THAT(planned["plan"].get<std::string>(), HasSubstr("bytes over links"));
}

TEST(several_devices, are_processes_of_a_launcher) {
  const workplace place;
  const std::string address = free_address(), port = address.substr(address.rfind(':') + 1);
  for (const std::string form : {"--processes", "--processes --by-nccl"}) {
    const std::string folder = place.folder().path().string();
    const std::string loop = "cd " + folder + " && for rank in 0 1 2; do RANK=$rank WORLD_SIZE=3" +
                             " MASTER_PORT=" + port + " " WINGBEAT_PROGRAM " bench " + form +
                             " --device host --all-devices --rounds 3 --lengths 12x10,6x8x10" +
                             " --json result.json > printed-$rank & done; wait";
    ASSERT_EQ(std::system(loop.c_str()), 0);
    const auto document = nlohmann::json::parse(place.folder().read("result.json"));
    EXPECT_EQ(place.folder().read("printed-1"), "") << "rank 0 alone reports";
    EXPECT_EQ(document["processes"], 3);
    ASSERT_EQ(document["results"].size(), 2U);
    for (const auto& result : document["results"]) {
      EXPECT_LT(result["difference"].get<double>(), 1e-6);
      EXPECT_FALSE(result["uses_one_device"]);
      EXPECT_THAT(result["plan"].get<std::string>(), HasSubstr("sends by TCP"));
    }
  }
  expect_refusal(place, {"bench", "--processes", "--device", "host"}, 2, "RANK is not set");
  expect_refusal(place, {"bench", "--processes", "--by-tcp", "--by-nccl"}, 2, "--by-tcp");
}

TEST(several_devices, obey_the_laws) {
  const workplace place;
  const finished run = place.run({"verify", "--devices", "host,host,host", "--precision", "fp32",
                                  "--lengths", "60,64", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("inverse_to_real"));
  EXPECT_THAT(run.out, Not(HasSubstr("in place")));
  EXPECT_THAT(run.out, Not(HasSubstr("dct2")));
  const finished table = place.run({"verify", "--devices", "host,host,host", "--precision", "fp32",
                                    "--lengths", "61", "--kind", "forward"});
  EXPECT_THAT(table.out, AllOf(HasSubstr("3 ranks from host"), HasSubstr("rank 0 alone, host")));
}

/// Columns have the same bits where each rank has enough to fill half a vector of any processor,
/// else they may be transformed as rows, whose factors are others.
TEST(several_devices, transform_files_as_one_does) {
  const workplace place;
  int n_ranks_shown = 0;
  const auto transformed = [&](const words& options, const std::string& said) {
    words command{"transform", "image.npy", "--output", "bins.npy"};
    command.insert(command.end(), options.begin(), options.end());
    const finished run = place.run(command);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr(said));
    n_ranks_shown += run.out.find("3 ranks from ") != std::string::npos;
    return wingbeat::formats::read_signal(place.folder().path() / "bins.npy").samples;
  };
  for (const std::size_t width : {10, 60}) {
    wingbeat::formats::signal image = noise_rows(48, width, /*is_real=*/true, /*seed=*/5);
    image.is_table = true;
    write_signal(place.folder().path() / "image.npy", image);
    for (const words& form :
         {words{"--axes", "2"}, {"--axes", "2", "--half"}, {}, {"--window", "hann"}}) {
      words alone = form, several = form;
      alone.insert(alone.end(), {"--engine", "host"});
      several.insert(several.end(), {"--devices", "host,host,host", "--all-devices"});
      const auto together = transformed(several, "wrote"), expected = transformed(alone, "wrote");
      if (width == 60 || form.empty() || form.front() == "--window") {
        EXPECT_EQ(together, expected) << width;
        continue;
      }
      ASSERT_EQ(together.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_LE(std::abs(together[i] - expected[i]), 2e-5)
            << "some u sqrt(log2 N) of the largest";
      }
    }
  }
  transformed({"--axes", "2", "--devices", "host,host"}, "host makes it alone");
  EXPECT_EQ(n_ranks_shown, 8);
}

TEST(several_devices, are_refused_by_options) {
  const workplace place;
  const auto refuse = [&](words options, const std::string& sentence) {
    options.insert(options.begin(), {"plan", "--devices", "host,host"});
    const finished run = place.run(options);
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr(sentence));
  };
  refuse({"--all-devices", "--natural-bins", "--lengths", "1024"},
         "in natural distribution; leave out --natural-bins");
  refuse({"--all-devices", "--lengths", "1009"},
         "no work; leave out --all-devices, or give as many");
}

TEST(several_devices, refuse_what_is_of_one) {
  const workplace place;
  expect_refusal(place, {"bench", "--devices", "host,host", "--peer", "fftw"}, 2, "leave out");
  expect_refusal(place, {"bench", "--devices", "host,host", "--launches"}, 2, "leave out");
  for (const std::string option : {"--natural-bins", "--all-devices"}) {
    expect_refusal(place, {"bench", "--device", "host", option}, 2,
                   option + " is for --devices or --processes");
    expect_refusal(place, {"plan", "--device", "host", option}, 2, option + " is for --devices");
  }
  expect_refusal(place, {"plan", "--devices", "host,nothing"}, 2, "nothing");
  write_signal(place.folder().path() / "rows.npy", noise_rows(1, 60, /*is_real=*/true, 1));
  const auto refuse = [&](words options, const std::string& sentence) {
    options.insert(options.begin(), {"transform", "rows.npy"});
    expect_refusal(place, options, 2, sentence);
  };
  refuse({"--devices", "host,host", "--psd"}, "choose them by --engine");
  refuse({"--all-devices"}, "--all-devices is for --devices");
  write_signal(place.folder().path() / "rows.npy", noise_rows(1, 61, /*is_real=*/true, 1));
  refuse({"--devices", "host,host", "--all-devices"}, "leave out --all-devices");
  expect_refusal(place, {"verify", "--devices", "host,host", "--engine", "host"}, 2, "--devices");
  expect_refusal(place,
                 {"plan", "--devices", "host,host", "--lengths", "8x8", "--layout", "planar"}, 2,
                 "the parts of ranks are packed");
}

}  // namespace
