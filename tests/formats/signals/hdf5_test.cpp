// SPDX-License-Identifier: Apache-2.0
// Datasets that we write are read back; files of h5py are those of signal_packages.py.
#include "formats/signals/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/files/hdf5.hpp"             // has_hdf5_library
#include "formats/message.hpp"                // message_of
#include "formats/signals/sample_reader.hpp"  // open_samples
#include "formats/signals/signal.hpp"         // read_signal, write_signal
#include "formats/temporary_folder.hpp"       // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::formats::signal;  // not <csignal>'s

class hdf5 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_hdf5_library()) GTEST_SKIP() << "this build has no libhdf5";
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return folder_.path() / name;
  }
  std::string refusal(const std::string& name) {
    return message_of([&] { (void)read_signal(path(name)); });
  }
  temporary_folder folder_;
};

TEST_F(hdf5, has_frames_of_all_rows) {
  write_signal(path("x.h5"), {.samples = {1, 2, 3, 4, 5, 6, 7, 8}, .n_rows = 2, .row_length = 4});
  const auto opened = open_samples(path("x.h5").string() + ":/values");
  EXPECT_THAT(opened->read(1, 3), ElementsAre(2, 6, 3, 7, 4, 8));
}

TEST_F(hdf5, holds_rows_and_their_rate) {
  for (const bool is_real : {true, false}) {
    for (const bool is_single : {true, false}) {
      signal rows{.samples = {1, 2, 3, 4, 5, 6},
                  .n_rows = 2,
                  .row_length = 3,
                  .is_table = true,
                  .is_real = is_real,
                  .is_single_precision = is_single,
                  .sample_rate_hz = 100};
      if (!is_real) rows.samples[4] = {5, -0.5};
      if (!is_single) rows.samples[1] = 0.1;
      write_signal(path("x.h5"), rows);
      for (const char* name : {"x.h5:/values"}) {
        const signal read = read_signal(path(name));
        EXPECT_EQ(read.samples, rows.samples);
        EXPECT_EQ(read.n_rows, 2U);
        EXPECT_EQ(read.is_real, is_real);
        EXPECT_EQ(read.is_single_precision, is_single);
        EXPECT_EQ(read.sample_rate_hz, 100);
      }
    }
  }
  EXPECT_THAT(read_signal(path("x.h5:/time")).samples, ElementsAre(0, 0.01, 0.02));
  EXPECT_EQ(read_signal(path("x.h5")).samples, read_signal(path("x.h5:/values")).samples)
      << "the others are its axes";
}

TEST_F(hdf5, refuses_what_is_no_dataset_of_numbers) {
  write_signal(path("x.h5"), {.samples = {1, 2}, .row_length = 2});
  EXPECT_THAT(refusal("x.h5:/other"),
              HasSubstr("x.h5:/other: is no dataset; the file has /values"));
  EXPECT_THAT(refusal("x.h5:/"), HasSubstr("is no dataset"));
  folder_.write("y.h5", folder_.read("x.h5").substr(0, 600));
  EXPECT_THAT(refusal("y.h5"), HasSubstr("cannot be opened as HDF5"));
  EXPECT_THAT(refusal("none.h5:/values"), HasSubstr("cannot be opened: No such file"));
}

}  // namespace
