// SPDX-License-Identifier: Apache-2.0
// What launchers set.
#include "wingbeat/process_rank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>  // setenv, unsetenv
#include <utility>  // pair

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

class launched : public ::testing::Test {
 protected:
  ~launched() override { set({}); }

  static void set(const std::vector<std::pair<const char*, const char*>>& variables) {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID",
          "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_JOB_ID", "SLURM_STEP_ID",
          "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
      ::unsetenv(name);
    }
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  }
};

TEST_F(launched, by_torchrun) {
  set({{"RANK", "5"},
       {"WORLD_SIZE", "8"},
       {"LOCAL_RANK", "1"},
       {"MASTER_ADDR", "head"},
       {"MASTER_PORT", "29500"},
       {"SLURM_PROCID", "0"}});
  const process_rank place = process_rank_of_environment();
  EXPECT_EQ(place.address, "head:29500");
  ::setenv("TORCHELASTIC_RUN_ID", "1", 1);
  EXPECT_EQ(process_rank_of_environment().address, "head:29501") << "torchrun listens at its own";
  ::setenv("MASTER_PORT", "65535", 1);
  EXPECT_EQ(process_rank_of_environment().address, "head:65534");
  EXPECT_EQ(place.rank, 5U);
  EXPECT_EQ(place.size, 8U);
  EXPECT_EQ(place.local, 1U);
}

TEST_F(launched, by_slurm) {
  const auto address_of = [](const char* hosts) {
    set({{"SLURM_PROCID", "3"},
         {"SLURM_NTASKS", "4"},
         {"SLURM_JOB_ID", "100"},
         {"SLURM_STEP_ID", "2"},
         {"SLURM_STEP_NODELIST", hosts}});
    return process_rank_of_environment().address;
  };
  EXPECT_EQ(address_of("node07"), "node07:23102");
  EXPECT_EQ(address_of("node07,node09"), "node07:23102");
  EXPECT_EQ(address_of("node[03-07,9],other"), "node03:23102");
  EXPECT_EQ(address_of("rack1-node[3,5]-ib"), "rack1-node3-ib:23102");
  EXPECT_EQ(address_of("a,node[3-5]"), "a:23102");
  ::setenv("MASTER_ADDR", "10.0.0.1", 1);
  ::setenv("MASTER_PORT", "7000", 1);
  const process_rank place = process_rank_of_environment();
  EXPECT_EQ(place.address, "10.0.0.1:7000");
  EXPECT_EQ(place.rank, 3U);
  EXPECT_EQ(place.local, 3U) << "unless it is set";
}

TEST_F(launched, by_neither) {
  const auto refused = [] { return refusal([] { (void)process_rank_of_environment(); }); };
  set({});
  EXPECT_THAT(refused(), HasSubstr("RANK is not set; start processes by torchrun or srun"));
  set({{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  EXPECT_THAT(refused(), HasSubstr("MASTER_PORT is not set"));
  set({{"RANK", "one"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "1"}});
  EXPECT_THAT(refused(), HasSubstr("RANK is 'one'"));
  for (const char* port : {"99999", "0"}) {
    set({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", port}});
    EXPECT_THAT(refused(), HasSubstr("ports are from 1 to 65535"));
  }
}

}  // namespace
