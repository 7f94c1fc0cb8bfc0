// SPDX-License-Identifier: Apache-2.0
// Label: cli
// A YAML file of Leopard-EM's match_template becomes options of `match-volume`, or is refused by
// the name of the field that cannot be honoured.
#include "cli/leopard_configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>  // istream_iterator
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/images.hpp"          // image_file
#include "cli/program.hpp"         // workplace
#include "formats/files/yaml.hpp"  // has_yaml_library
#include "formats/message.hpp"     // message_of
#include "support/signal.hpp"      // fill_noise
#include "wingbeat/error.hpp"      // error

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const std::string whole = R"(template_volume_path: v.npy
micrograph_path: 'm.npy'
match_template_result:
  allow_file_overwrite: true
  mip_path: out_mip.mrc
  scaled_mip_path: z.mrc
  orientation_psi_path: psi.mrc
  orientation_theta_path: theta.mrc
  orientation_phi_path: phi.mrc
  relative_defocus_path: d.mrc
  correlation_average_path: mean.mrc
  correlation_variance_path: deviation.mrc
  total_projections: 0
optics_group:
  label: group
  pixel_size: 1.5
  voltage: 200
  defocus_u: 5200.0
  defocus_v: 4950
  astigmatism_angle: 25
  spherical_aberration: 2.6
  amplitude_contrast_ratio: 0.1
  phase_shift: 3
  ctf_B_factor: 60
  chromatic_aberration: 0.0
  mtf_reference: null
  odd_zernikes: {Z31c: -2}
  even_zernikes: {Z44c: 1.5, Z60: 3}
  mag_matrix: [1.01, 0, 0, 0.99]
defocus_search_config: {enabled: true, defocus_min: -500, defocus_max: 450, defocus_step: 200}
orientation_search_config:
  base_grid_method: healpix
  psi_step: 2
  theta_step: 3
  symmetry: null
  phi_min: 0
  phi_max: 90
preprocessing_filters:
  whitening_filter: {enabled: false, max_freq: 0.5}
  bandpass_filter: {enabled: true, low_freq_cutoff: 0.01, high_freq_cutoff: 0.4, falloff: 0.02}
  random_fourier_dropout: {enabled: false, seed: 0}
computational_config: {gpu_ids: [0, 1], num_cpus: 4, backend: streamed}
)";

std::string replaced(std::string text, const std::string& old, const std::string& changed) {
  const std::size_t place = text.find(old);
  EXPECT_NE(place, text.npos) << old;
  return text.replace(place, old.size(), changed);
}

class leopard_configuration : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!formats::has_yaml_library()) GTEST_SKIP() << "this build has no yaml-cpp";
  }
  std::map<std::string, std::string> options_of(const std::string& yaml) const {
    at_.file("c.yaml", yaml);
    std::map<std::string, std::string> result;
    for (const auto& each : leopard_options((at_.folder().path() / "c.yaml").string())) {
      EXPECT_TRUE(result.emplace(each.name, each.text).second) << each.name;
    }
    return result;
  }
  void expect_refusal(const std::string& old, const std::string& changed,
                      const std::string& reason) const {
    EXPECT_THAT(message_of<error>([&] { options_of(replaced(whole, old, changed)); }),
                HasSubstr(reason));
  }

  finished run(const std::string& line) const {
    std::istringstream stream{"match-volume --device host --psi-step 40 --theta-step 40 " + line};
    const std::vector<std::string> words(std::istream_iterator<std::string>{stream}, {});
    finished done = at_.run(words);
    EXPECT_EQ(done.code, 0) << done.err;
    return done;
  }

  workplace at_;
};

TEST_F(leopard_configuration, becomes_options) {
  EXPECT_THAT(
      options_of(whole),
      UnorderedElementsAre(
          Pair("MICROGRAPH", "m.npy"), Pair("VOLUME", "v.npy"), Pair("--pixel-size", "1.5"),
          Pair("--voltage", "200"), Pair("--defocus", "5200,4950"), Pair("--astigmatism", "25"),
          Pair("--cs", "2.6"), Pair("--amplitude-contrast", "0.1"), Pair("--phase-shift", "3"),
          Pair("--b-factor", "60"), Pair("--zernikes", "Z44c=1.5,Z60=3,Z31c=-2"),
          Pair("--magnification", "1.01,0,0,0.99"), Pair("--defocus-range", "-500,500"),
          Pair("--defocus-step", "200"), Pair("--grid", "healpix"), Pair("--psi-step", "2"),
          Pair("--theta-step", "3"), Pair("--phi", "0,90"), Pair("--no-whitening", "true"),
          Pair("--low-cutoff", "0.01"), Pair("--high-cutoff", "0.4"), Pair("--falloff", "0.02"),
          Pair("--map-files",
               "out_mip.mrc,z.mrc,psi.mrc,theta.mrc,phi.mrc,d.mrc,mean.mrc,deviation.mrc"),
          Pair("--devices", "cuda:0,cuda:1")));
  // what Leopard-EM has by default
  EXPECT_THAT(options_of("micrograph_path: m\ndefocus_search_config: {}\n"),
              UnorderedElementsAre(Pair("MICROGRAPH", "m"), Pair("--defocus-range", "-1000,1000"),
                                   Pair("--defocus-step", "200")));
}

TEST_F(leopard_configuration, is_refused_by_the_name_of_a_field) {
  expect_refusal("voltage: 200", "voltage: high",
                 "optics_group.voltage is \"high\"; give a number");
  expect_refusal("voltage:", "volts:", "optics_group.volts is no field");
  expect_refusal("defocus_v: 4950\n", "\n", "optics_group.defocus_u is there without");
  expect_refusal("mtf_reference: null", "mtf_reference: k3.star", "optics_group.mtf_reference is");
  expect_refusal("max_freq: 0.5", "max_freq: 0.3", "whitening_filter.max_freq is 0.3");
  expect_refusal("random_fourier_dropout: {enabled: false, seed: 0}",
                 "arbitrary_curve_filter: {enabled: true}",
                 "arbitrary_curve_filter.enabled is true");
  expect_refusal("defocus_step: 200", "defocus_step: 200, skip_enforce_zero: true",
                 "defocus_search_config.skip_enforce_zero is true");
  expect_refusal("allow_file_overwrite: true", "correlation_table_path: t.h5",
                 "correlation_table_path is t.h5");
  expect_refusal("allow_file_overwrite: true\n  mip_path: out_mip.mrc",
                 "mip_path: " + (at_.folder().path() / "c.yaml").string(), "which exists");
  expect_refusal("[0, 1]", "all", "computational_config.gpu_ids is all");
  expect_refusal("label: group", "label: [", "line ");
  expect_refusal("voltage: 200", "voltage: 200\n  voltage: 300", "'voltage' is there twice");
  expect_refusal(whole, "- 1\n", "are no fields");
}

TEST_F(leopard_configuration, gives_way_to_the_command_line) {
  constexpr std::size_t n = 8, height = 20, width = 24;
  std::vector<float> pixels(height * width), volume(n * n * n);
  fill_noise(pixels.data(), pixels.size(), 1);
  fill_noise(volume.data(), volume.size(), 2);
  image_file(at_, "m.npy", {.samples = pixels, .height = height, .width = width});
  image_file(at_, "v.npy",
             {.samples = volume, .n_images = n, .height = n, .width = n, .is_stack = true});
  at_.file("c.yaml", whole);
  const finished done = run("--config c.yaml --grid uniform");
  EXPECT_THAT(done.err, HasSubstr("with 7 filters"));  // -500, -300 .. 500, and 0
  const std::string psi = at_.folder().read("psi.mrc");
  run("m.npy v.npy --phi 0,90 --pixel-size 1.5 --voltage 200 --defocus 5200,4950 --astigmatism 25 "
      "--cs 2.6 --amplitude-contrast 0.1 --phase-shift 3 --b-factor 60 --defocus-range -500,500 "
      "--zernikes Z31c=-2,Z44c=1.5 --zernikes Z60=3 --magnification 1.01,0,0,0.99 --no-whitening "
      "--low-cutoff 0.01 --high-cutoff 0.4 --falloff 0.02 --maps same");
  EXPECT_EQ(at_.folder().read("same_orientation_psi.mrc"), psi);
  EXPECT_EQ(at_.folder().read("same_scaled_mip.mrc"), at_.folder().read("z.mrc"));
  const finished no_file = at_.run({"match-volume", "--config", "none.yaml"});
  EXPECT_EQ(no_file.code, 4) << no_file.err;
}

}  // namespace
