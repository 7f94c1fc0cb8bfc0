// SPDX-License-Identifier: Apache-2.0
// Tables of particles, cell by cell; the order of columns is that of Leopard-EM 1.3.0.
#include "microscopy/particle_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace wingbeat::microscopy;

const particle_source source{
    .microscope = {.voltage_kv = 300,
                   .pixel_size_angstrom = 1.5,
                   .defocus_u_angstrom = 5200,
                   .defocus_v_angstrom = 4950.5,
                   .astigmatism_degrees = 25,
                   .zernikes = {{"Z31c", -2}, {"Z44c", 1.5}, {"Z60", 3}},
                   .magnification = {1.01, 0, 0, 0.99}},
    .box = 64,
    .templates = 20598240,
    .micrograph = "a, b.mrc",
    .volume = "60S.mrc",
    .maps = {"m.mrc", "z.mrc", "psi.mrc", "theta.mrc", "phi.mrc", "d.mrc", "mean.mrc", "var.mrc"}};

located_particle located(double z, std::size_t y, std::size_t x, euler_angles angles,
                         double defocus) {
  return {{{z, 7, y, x}, z + 1, 0.25, 1.125}, angles, defocus};
}

const particle found{located(9.5, 10, 20, {71.99999999999999, 2.5, 1.5}, -200)};

const std::string cells_before_angles = "10.5,9.5,",
                  common_cells = "0.25,1.125,20598240,20,10,52,42,78,63,";
const std::string optics_cells =
    "5200,4950.5,25,1.5,1.5,300,2.7,0.07,0,0,\"{\"\"Z44c\"\": 1.5, \"\"Z60\"\": 3}\","
    "\"{\"\"Z31c\"\": -2}\",\"[1.01, 0, 0, 0.99]\",\"a, b.mrc\",60S.mrc,m.mrc,z.mrc,psi.mrc,"
    "theta.mrc,phi.mrc,d.mrc,mean.mrc,var.mrc\n";
const std::string optics_names =
    "defocus_u,defocus_v,astigmatism_angle,pixel_size,refined_pixel_size,voltage,"
    "spherical_aberration,amplitude_contrast_ratio,phase_shift,ctf_B_factor,even_zernikes,"
    "odd_zernikes,mag_matrix,micrograph_path,template_path,mip_path,scaled_mip_path,psi_path,"
    "theta_path,phi_path,defocus_path,correlation_average_path,correlation_variance_path\n";
const std::string found_names =
    "particle_index,mip,scaled_mip,correlation_mean,correlation_variance,total_correlations,pos_x,"
    "pos_y,pos_x_img,pos_y_img,pos_x_img_angstrom,pos_y_img_angstrom,phi,theta,psi,"
    "relative_defocus," +
    optics_names;

TEST(particle_table, csv_has_the_columns_of_a_search) {
  EXPECT_EQ(particles_csv(std::vector{found, found}, source),
            found_names + "0," + cells_before_angles + common_cells + "72,2.5,1.5,-200," +
                optics_cells + "1," + cells_before_angles + common_cells + "72,2.5,1.5,-200," +
                optics_cells);
  EXPECT_EQ(particles_csv({}, source), found_names);
}

TEST(particle_table, csv_has_the_columns_of_refinements) {
  particle each = found;
  each.refined = located(12, 11, 18, {70, 2.75, 1.25}, -180);
  const std::string names =
      "particle_index,mip,scaled_mip,refined_mip,refined_scaled_mip,correlation_mean,"
      "correlation_variance,total_correlations,pos_x,pos_y,pos_x_img,pos_y_img,pos_x_img_angstrom,"
      "pos_y_img_angstrom,refined_pos_x,refined_pos_y,refined_pos_x_img,refined_pos_y_img,"
      "refined_pos_x_img_angstrom,refined_pos_y_img_angstrom,phi,theta,psi,refined_phi,"
      "refined_theta,refined_psi,";
  const std::string cells =
      "0,10.5,9.5,13,12," + common_cells + "18,11,50,43,75,64.5,72,2.5,1.5,70,2.75,1.25,";
  EXPECT_EQ(particles_csv(std::vector{each}, source),
            names + "relative_defocus,refined_relative_defocus," + optics_names + cells +
                "-200,-180," + optics_cells);
  each.offset = {1, 2, 3};
  EXPECT_EQ(particles_csv(std::vector{each}, source),
            names +
                "original_offset_phi,original_offset_theta,original_offset_psi,relative_defocus,"
                "refined_relative_defocus," +
                optics_names + cells + "1,2,3,-200,-180," + optics_cells);
  EXPECT_TRUE(particles_csv(std::vector{each, found}, source).starts_with(found_names));
}

TEST(particle_table, columns_are_the_numbers_of_the_csv) {
  const auto columns = particle_columns(std::vector{found, found}, source);
  ASSERT_EQ(columns.size(), 26);
  EXPECT_EQ(columns[0].name, "particle_index");
  EXPECT_THAT(columns[0].values, testing::ElementsAre(0, 1));
  EXPECT_EQ(columns[12].name, "phi");
  EXPECT_EQ(columns[12].unit, "degree");
  EXPECT_THAT(columns[12].values, testing::ElementsAre(72, 72));
  EXPECT_EQ(columns.back().name, "ctf_B_factor");
  EXPECT_TRUE(particle_columns({}, source).at(0).values.empty());
}

TEST(particle_table, csv_leaves_out_terms_that_are_none) {
  particle_source plain = source;
  plain.microscope.zernikes.clear();
  plain.microscope.magnification = {1, 0, 0, 1};
  EXPECT_THAT(particles_csv(std::vector{found}, plain),
              testing::HasSubstr("0.07,0,0,,,,\"a, b.mrc\",60S.mrc"));
}

TEST(particle_table, star_has_the_best_place_of_each_particle) {
  particle each = found;
  each.refined = located(12, 11, 18, {70, 2.75, 1.25}, -180);
  const std::string text = particles_star(std::vector{found, each}, source, "my micrograph.mrc");
  EXPECT_THAT(text, testing::HasSubstr("_rlnMicrographPixelSize #6\n"
                                       "1 opticsGroup1 300 2.7 0.07 1.5\n"));
  EXPECT_TRUE(
      text.ends_with("_rlnOpticsGroup #13\n"
                     "'my micrograph.mrc' 52 42 72 2.5 1.5 5000 4750.5 25 0 0 9.5 1\n"
                     "'my micrograph.mrc' 50 43 70 2.75 1.25 5020 4770.5 25 0 0 12 1\n\n"))
      << text;
}

}  // namespace
