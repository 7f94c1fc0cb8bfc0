// SPDX-License-Identifier: Apache-2.0
#include "cli/leopard_configuration.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // max
#include <array>
#include <cmath>  // abs, ceil, round
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>  // move, pair

#include "cli/option.hpp"          // add_text
#include "formats/files/yaml.hpp"  // read_yaml
#include "text/formatted.hpp"      // formatted, joined
#include "text/reject.hpp"         // reject

namespace wingbeat::cli {
namespace {

using nlohmann::json;
using names = std::initializer_list<const char*>;

/// The fields of one object of the file. All must be taken by `finish`; null counts as absent.
class section {
 public:
  section(const json& fields, std::string path) : path_(std::move(path)) {
    reject_if(!fields.is_object() && !fields.is_null(), "{} are no fields; give NAME: VALUE",
              path_);
    if (fields.is_object()) fields_ = fields;
  }

  [[nodiscard]] std::string path_of(const std::string& name) const {
    return path_ + (path_.ends_with(' ') ? "" : ".") + name;
  }

  json take(const std::string& name) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return nullptr;
    json value = std::move(*found);
    fields_.erase(found);
    return value;
  }
  section child(const std::string& name) { return {take(name), path_of(name)}; }

  std::optional<double> number(const std::string& name) {
    const json value = take(name);
    if (value.is_null()) return std::nullopt;
    require(value.is_number(), name, value, "a number");
    return value.get<double>();
  }
  std::optional<std::string> text(const std::string& name) {
    const json value = take(name);
    if (value.is_null()) return std::nullopt;
    require(value.is_string(), name, value, "a text");
    return value.get<std::string>();
  }
  bool flag(const std::string& name, bool fallback) {
    const json value = take(name);
    if (value.is_null()) return fallback;
    require(value.is_boolean(), name, value, "true or false");
    return value.get<bool>();
  }
  /// Returns numbers of a list, or of an object as "key=number".
  std::optional<std::string> numbers(const std::string& name) {
    const json value = take(name);
    if (value.is_null()) return std::nullopt;
    std::vector<std::string> words;
    for (const auto& [key, each] : value.items()) {
      require(value.is_structured() && each.is_number(), name, value, "numbers");
      const std::string prefix = value.is_object() ? key + "=" : "";
      words.push_back(prefix + formatted("{}", each.get<double>()));
    }
    return joined(words, ",");
  }
  /// Refuses a field that is there and has none of these values.
  void allow(const std::string& name, std::initializer_list<json> allowed) {
    const json value = take(name);
    if (value.is_null()) return;
    for (const json& each : allowed) {
      if (value == each) return;
    }
    reject("{} is {}, which match-volume cannot do; leave it out", path_of(name), value.dump());
  }
  void ignore(names ignored) {
    for (const char* const name : ignored) fields_.erase(name);
  }
  void finish() const {
    if (fields_.empty()) return;
    reject("{} is no field of Leopard-EM 1.3.0 that match-volume knows; leave it out",
           path_of(fields_.begin().key()));
  }

 private:
  void require(bool holds, const std::string& name, const json& value, const char* allowed) const {
    if (!holds) reject("{} is {}; give {}", path_of(name), value.dump(), allowed);
  }

  json fields_ = json::object();
  std::string path_;
};

class option_list {
 public:
  template <class Value>
  void add(const char* name, const std::optional<Value>& value, const char* beside = "") {
    if (value) stated.push_back({name, formatted("{}", *value), beside});
  }

  std::vector<stated_option> stated;
};

void take_optics(section optics, option_list& options) {
  for (const auto& [field, option] : std::initializer_list<std::pair<const char*, const char*>>{
           {"pixel_size", "--pixel-size"},
           {"voltage", "--voltage"},
           {"spherical_aberration", "--cs"},
           {"amplitude_contrast_ratio", "--amplitude-contrast"},
           {"phase_shift", "--phase-shift"},
           {"astigmatism_angle", "--astigmatism"},
           {"ctf_B_factor", "--b-factor"}}) {
    options.add(option, optics.number(field));
  }
  const auto u = optics.number("defocus_u"), v = optics.number("defocus_v");
  reject_if(u.has_value() != v.has_value(), "{} is there without {}; give both",
            optics.path_of(u ? "defocus_u" : "defocus_v"),
            optics.path_of(u ? "defocus_v" : "defocus_u"));
  if (u) options.add("--defocus", std::optional{formatted("{},{}", *u, *v)});
  const auto even = optics.numbers("even_zernikes"), odd = optics.numbers("odd_zernikes");
  const std::string terms = even.value_or("") + (even && odd ? "," : "") + odd.value_or("");
  if (!terms.empty()) options.add("--zernikes", std::optional{terms});
  options.add("--magnification", optics.numbers("mag_matrix"));
  for (const char* const unused :
       {"chromatic_aberration", "mtf_reference", "mtf_values", "beam_tilt_x", "beam_tilt_y"}) {
    optics.allow(unused, {0, 0.0});  // as in Leopard-EM, which reads and ignores them
  }
  optics.ignore({"label"});
  optics.finish();
}

/// Leopard-EM's defoci begin at the minimum, and end at or behind the maximum.
void take_defoci(section defoci, option_list& options) {
  const bool is_enabled = defoci.flag("enabled", true),
             skips_zero = defoci.flag("skip_enforce_zero", false);
  const double least = defoci.number("defocus_min").value_or(-1000),
               most = defoci.number("defocus_max").value_or(1000),
               step = defoci.number("defocus_step").value_or(200);
  defoci.finish();
  if (!is_enabled) return;
  reject_if(!(step > 0) || most < least, "{} are from {} to {} in steps of {}; give other numbers",
            defoci.path_of("defocus_min, defocus_max"), least, most, step);
  constexpr double rounding = 1e-6;
  const double n_steps = std::ceil((most - least) / step - rounding);
  const bool has_zero = std::abs(least + std::round(-least / step) * step) < rounding &&
                        least <= rounding && least + n_steps * step >= -rounding;
  reject_if(skips_zero && !has_zero,
            "{} is true, and match-volume always searches the defocus 0; set it to false",
            defoci.path_of("skip_enforce_zero"));
  options.add("--defocus-range", std::optional{formatted("{},{}", least, least + n_steps * step)});
  options.add("--defocus-step", std::optional{step});
}

void take_orientations(section grid, option_list& options) {
  options.add("--grid", grid.text("base_grid_method"));
  options.add("--psi-step", grid.number("psi_step"));
  options.add("--theta-step", grid.number("theta_step"));
  options.add("--symmetry", grid.text("symmetry"));
  const std::initializer_list<std::pair<const char*, double>> angles{
      {"phi", 360}, {"theta", 180}, {"psi", 360}};
  for (const auto& [name, last] : angles) {
    const auto first = grid.number(formatted("{}_min", name)),
               end = grid.number(formatted("{}_max", name));
    if (!first && !end) continue;
    options.add(formatted("--{}", name).c_str(),
                std::optional{formatted("{},{}", first.value_or(0), end.value_or(last))});
  }
  grid.finish();
}

void take_filters(section filters, option_list& options) {
  section whitening = filters.child("whitening_filter");
  if (!whitening.flag("enabled", true)) options.add("--no-whitening", std::optional{"true"});
  whitening.allow("num_freq_bins", {});
  whitening.allow("max_freq", {0.5});
  whitening.allow("do_power_spectrum", {true});
  whitening.finish();
  section band = filters.child("bandpass_filter");
  const bool has_band = band.flag("enabled", false);
  const auto low = band.number("low_freq_cutoff"), high = band.number("high_freq_cutoff"),
             falloff = band.number("falloff");
  constexpr double highest = 0.71;  // beyond the corner of a spectrum
  if (has_band) options.add("--low-cutoff", low);
  if (has_band && high.value_or(1) < highest) options.add("--high-cutoff", high);
  if (has_band && falloff.value_or(0) > 0) options.add("--falloff", falloff);
  band.finish();
  for (const char* const name :
       {"phase_randomization_filter", "arbitrary_curve_filter", "random_fourier_dropout"}) {
    section other = filters.child(name);
    other.allow("enabled", {false});
  }
  filters.finish();
}

void take_results(section results, option_list& options) {
  const bool may_replace = results.flag("allow_file_overwrite", false);
  const auto fresh = [&](const std::string& name) {
    const std::optional<std::string> file = results.text(name);
    reject_if(file && !may_replace && std::filesystem::exists(*file),
              "{} is {}, which exists; give another, or set allow_file_overwrite to true",
              results.path_of(name), file.value_or(""));
    return file;
  };
  std::vector<std::string> maps;
  for (const char* const name :
       {"mip", "scaled_mip", "orientation_psi", "orientation_theta", "orientation_phi",
        "relative_defocus", "correlation_average", "correlation_variance"}) {
    if (const auto file = fresh(formatted("{}_path", name))) maps.push_back(*file);
  }
  if (!maps.empty()) options.add("--map-files", std::optional{joined(maps, ",")}, "--maps");
  options.add("--hdf5", fresh("hdf5_path"));
  const auto table = fresh("correlation_table_path");
  reject_if(table && !table->ends_with(".csv"),
            "{} is {}, and match-volume writes the table as CSV; give FILE.csv",
            results.path_of("correlation_table_path"), table.value_or(""));
  options.add("--table", table);
  results.ignore({"compress", "leopard_em_version", "total_projections", "total_orientations",
                  "total_defocus"});
  results.finish();
}

/// Numbers are CUDA devices; "all" is the best device.
void take_devices(section computing, option_list& options) {
  json ids = computing.take("gpu_ids");
  if (!ids.is_null() && !ids.is_array()) ids = json::array({ids});
  std::vector<std::string> devices;
  for (const json& each : ids) {
    if (each.is_number()) devices.push_back(formatted("cuda:{}", each.dump()));
    if (each.is_string()) devices.push_back(each == "cpu" ? "host" : each.get<std::string>());
  }
  reject_if(devices == std::vector<std::string>{"all"},
            "{} is all; give the numbers of devices, as [0, 1]", computing.path_of("gpu_ids"));
  if (!devices.empty()) options.add("--devices", std::optional{joined(devices, ",")}, "--engine");
  computing.ignore({"num_cpus", "backend"});
  computing.finish();
}

}  // namespace

std::vector<stated_option> leopard_options(const std::string& file) {
  section root{formats::read_yaml(file), file + ": "};
  option_list options;
  options.add("MICROGRAPH", root.text("micrograph_path"));
  options.add("VOLUME", root.text("template_volume_path"));
  take_optics(root.child("optics_group"), options);
  take_defoci(root.child("defocus_search_config"), options);
  take_orientations(root.child("orientation_search_config"), options);
  take_filters(root.child("preprocessing_filters"), options);
  take_results(root.child("match_template_result"), options);
  take_devices(root.child("computational_config"), options);
  root.finish();
  return options.stated;
}

void add_leopard_configuration(CLI::App& command) {
  const auto is_given = [&command](const std::string& name) {
    const CLI::Option* const option = name.empty() ? nullptr : command.get_option_no_throw(name);
    return option != nullptr && !option->empty();
  };
  // CLI11 takes values in the order in which options were added: those of others after these.
  add_text(command, "--config", "Options that are not given, from a YAML file of Leopard-EM 1.3.0",
           "",
           [&command, is_given](const std::string& file) {
             for (const auto& [name, value, beside] : leopard_options(file)) {
               if (is_given(name) || is_given(beside)) continue;
               command.get_option(name)->add_result(value);
             }
           })
      ->type_name("INPUT");
}

}  // namespace wingbeat::cli
