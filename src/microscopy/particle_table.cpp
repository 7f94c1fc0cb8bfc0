// SPDX-License-Identifier: Apache-2.0
#include "microscopy/particle_table.hpp"

#include <algorithm>  // all_of
#include <string_view>
#include <type_traits>  // is_arithmetic_v

#include "text/formatted.hpp"  // formatted
#include "text/star_word.hpp"  // star_word

namespace wingbeat::microscopy {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string{"\"\""} : std::string{c};
  return result + '"';
}

/// A row of the table.
struct table_row {
  struct cell {
    std::string name, unit, text;
    std::optional<double> number;
  };

  template <class Value>
  void add(std::string_view name, const Value& value, std::string_view unit = "") {
    cells.push_back({std::string{name}, std::string{unit}, formatted("{}", value), {}});
    if constexpr (std::is_arithmetic_v<Value>) cells.back().number = static_cast<double>(value);
  }
  /// Scores, angles and offsets are kept as floats.
  void add_float(std::string_view name, double value, std::string_view unit = "") {
    add(name, static_cast<float>(value), unit);
  }

  void add_scores(const std::string& prefix, const detection& place) {
    add_float(prefix + "mip", place.largest);
    add_float(prefix + "scaled_mip", place.score);
  }
  void add_place(const std::string& prefix, const detection& place, const particle_source& source) {
    const std::size_t x = place.x + source.box / 2, y = place.y + source.box / 2;
    const double pixel = source.microscope.pixel_size_angstrom;
    add(prefix + "pos_x", place.x), add(prefix + "pos_y", place.y);
    add(prefix + "pos_x_img", x), add(prefix + "pos_y_img", y);
    add(prefix + "pos_x_img_angstrom", static_cast<double>(x) * pixel, "angstrom");
    add(prefix + "pos_y_img_angstrom", static_cast<double>(y) * pixel, "angstrom");
  }
  void add_angles(const std::string& prefix, const euler_angles& angles) {
    add_float(prefix + "phi", angles.phi, "degree");
    add_float(prefix + "theta", angles.theta, "degree");
    add_float(prefix + "psi", angles.psi, "degree");
  }

  /// Returns a line of CSV with this member of each cell.
  [[nodiscard]] std::string line(std::string cell::*member) const {
    std::string text;
    for (const cell& each : cells) text += (text.empty() ? "" : ",") + quoted(each.*member);
    return text + '\n';
  }

  std::vector<cell> cells;
};

/// Returns the terms of even or odd powers, as Z44c or Z31s, as JSON; nothing without terms.
std::string zernikes_text(const optics& microscope, bool is_odd) {
  std::string terms;
  for (const auto& [name, coefficient] : microscope.zernikes) {
    if ((name.at(1) - '0') % 2 != (is_odd ? 1 : 0)) continue;
    terms += formatted("{}\"{}\": {}", terms.empty() ? "" : ", ", name, coefficient);
  }
  return terms.empty() ? "" : "{" + terms + "}";
}

std::string magnification_text(const optics& microscope) {
  const auto& m = microscope.magnification;
  if (m == optics{}.magnification) return "";
  return formatted("[{}, {}, {}, {}]", m[0], m[1], m[2], m[3]);
}

void add_optics(table_row& cells, const optics& microscope) {
  cells.add("defocus_u", microscope.defocus_u_angstrom, "angstrom");
  cells.add("defocus_v", microscope.defocus_v_angstrom, "angstrom");
  cells.add("astigmatism_angle", microscope.astigmatism_degrees, "degree");
  cells.add("pixel_size", microscope.pixel_size_angstrom, "angstrom");
  cells.add("refined_pixel_size", microscope.pixel_size_angstrom, "angstrom");
  cells.add("voltage", microscope.voltage_kv, "kV");
  cells.add("spherical_aberration", microscope.cs_mm, "mm");
  cells.add("amplitude_contrast_ratio", microscope.amplitude_contrast);
  cells.add("phase_shift", microscope.phase_shift_degrees, "degree");
  cells.add("ctf_B_factor", microscope.b_factor_angstrom2, "angstrom^2");
  cells.add("even_zernikes", zernikes_text(microscope, false));
  cells.add("odd_zernikes", zernikes_text(microscope, true));
  cells.add("mag_matrix", magnification_text(microscope));
}

table_row row_of(std::size_t index, const particle& each, const particle_source& source,
                 bool is_refined, bool has_offsets) {
  const detection& place = each.found.place;
  table_row cells;
  cells.add("particle_index", index);
  cells.add_scores("", place);
  if (is_refined) cells.add_scores("refined_", each.refined->place);
  cells.add_float("correlation_mean", place.mean);
  cells.add_float("correlation_variance", place.deviation);
  cells.add("total_correlations", source.templates);
  cells.add_place("", place, source);
  if (is_refined) cells.add_place("refined_", each.refined->place, source);
  cells.add_angles("", each.found.angles);
  if (is_refined) cells.add_angles("refined_", each.refined->angles);
  if (has_offsets) cells.add_angles("original_offset_", *each.offset);
  cells.add_float("relative_defocus", each.found.relative_defocus, "angstrom");
  if (is_refined) {
    cells.add_float("refined_relative_defocus", each.refined->relative_defocus, "angstrom");
  }
  add_optics(cells, source.microscope);
  cells.add("micrograph_path", source.micrograph);
  cells.add("template_path", source.volume);
  constexpr std::array names{"mip",
                             "scaled_mip",
                             "psi",
                             "theta",
                             "phi",
                             "defocus",
                             "correlation_average",
                             "correlation_variance"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    cells.add(formatted("{}_path", names[i]), source.maps[i]);
  }
  return cells;
}

/// Returns a row for each particle, or that of a particle's defaults if there is none.
std::vector<table_row> rows_of(std::span<const particle> particles, const particle_source& source) {
  const auto all_have = [&](const auto& part) {
    return !particles.empty() &&
           std::all_of(particles.begin(), particles.end(),
                       [&](const particle& each) { return (each.*part).has_value(); });
  };
  const bool is_refined = all_have(&particle::refined),
             has_offsets = is_refined && all_have(&particle::offset);
  if (particles.empty()) {
    particle none{};
    if (source.is_refined) none.refined.emplace();
    return {row_of(0, none, source, source.is_refined, false)};
  }
  std::vector<table_row> rows;
  for (const particle& each : particles) {
    rows.push_back(row_of(rows.size(), each, source, is_refined, has_offsets));
  }
  return rows;
}

}  // namespace

std::string particles_csv(std::span<const particle> particles, const particle_source& source) {
  const std::vector<table_row> rows = rows_of(particles, source);
  std::string text = rows.front().line(&table_row::cell::name);
  for (std::size_t i = 0; i < particles.size(); ++i) text += rows[i].line(&table_row::cell::text);
  return text;
}

std::vector<particle_column> particle_columns(std::span<const particle> particles,
                                              const particle_source& source) {
  const std::vector<table_row> rows = rows_of(particles, source);
  std::vector<particle_column> columns;
  for (std::size_t i = 0; i < rows.front().cells.size(); ++i) {
    const table_row::cell& first = rows.front().cells[i];
    if (!first.number) continue;
    columns.push_back({first.name, first.unit, {}});
    for (std::size_t row = 0; row < particles.size(); ++row) {
      columns.back().values.push_back(*rows[row].cells[i].number);
    }
  }
  return columns;
}

std::string particles_star(std::span<const particle> particles, const particle_source& source,
                           const std::string& micrograph) {
  const optics& o = source.microscope;
  std::string text = formatted(
      "\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n_rlnVoltage #3\n"
      "_rlnSphericalAberration #4\n_rlnAmplitudeContrast #5\n_rlnMicrographPixelSize #6\n"
      "1 opticsGroup1 {} {} {} {}\n\n"
      "\ndata_particles\n\nloop_\n_rlnMicrographName #1\n_rlnCoordinateX #2\n_rlnCoordinateY #3\n"
      "_rlnAngleRot #4\n_rlnAngleTilt #5\n_rlnAnglePsi #6\n_rlnDefocusU #7\n_rlnDefocusV #8\n"
      "_rlnDefocusAngle #9\n_rlnPhaseShift #10\n_rlnCtfBfactor #11\n"
      "_rlnAutopickFigureOfMerit #12\n_rlnOpticsGroup #13\n",
      o.voltage_kv, o.cs_mm, o.amplitude_contrast, o.pixel_size_angstrom);
  for (const particle& each : particles) {
    const located_particle& best = each.best();
    text += formatted(
        "{} {} {} {} {} {} {} {} {} {} {} {} 1\n", star_word(micrograph),
        best.place.x + source.box / 2, best.place.y + source.box / 2,
        static_cast<float>(best.angles.phi), static_cast<float>(best.angles.theta),
        static_cast<float>(best.angles.psi), o.defocus_u_angstrom + best.relative_defocus,
        o.defocus_v_angstrom + best.relative_defocus, o.astigmatism_degrees, o.phase_shift_degrees,
        o.b_factor_angstrom2, static_cast<float>(best.place.score));
  }
  return text + "\n";
}

}  // namespace wingbeat::microscopy
