// SPDX-License-Identifier: Apache-2.0
#include "cli/peers/peer.hpp"

#include <algorithm>  // find, min
#include <filesystem>
#include <string_view>
#include <utility>  // move

#include "cli/messages.hpp"       // print_message
#include "cli/peers/process.hpp"  // peer_process, make_process_run
#include "cli/program_path.hpp"   // program_path
#include "peers/cufft.hpp"        // cufft
#include "text/formatted.hpp"     // formatted
#include "text/reject.hpp"        // reject
#include "wingbeat/error.hpp"     // absent_error, plan_error

namespace wingbeat::cli {
namespace {

class cufft_peer final : public peer {
 public:
  cufft_peer() : peer("cufft", peers::cufft::version()) {}
  std::unique_ptr<measure::library_run> prepare(queue& on, const plan_spec& spec,
                                                bench_buffers& memory) override {
    return make_cufft_run(on, spec, memory);
  }
};

class process_peer final : public peer {
 public:
  process_peer(std::string name, std::unique_ptr<peer_process> process)
      : peer(std::move(name), process->library()), process_(std::move(process)) {}
  std::unique_ptr<measure::library_run> prepare(queue&, const plan_spec& spec,
                                                bench_buffers&) override {
    return make_process_run(*process_, spec);
  }

 private:
  std::unique_ptr<peer_process> process_;
};

/// A library, the engine it is compared with, and the program that runs it.
struct known_peer {
  std::string_view name;
  engine runs_beside;
  std::string_view program;  ///< Empty: runs in this process.
};

constexpr known_peer known_peers[] = {{"cufft", engine::cuda, ""},
                                      {"vkfft", engine::cuda, "wingbeat-peer-vkfft-cuda"},
                                      {"vkfft", engine::opencl, "wingbeat-peer-vkfft-opencl"},
                                      {"clfft", engine::opencl, "wingbeat-peer-clfft"},
                                      {"fftw", engine::host, "wingbeat-peer-fftw"},
                                      {"fftw", engine::reference, "wingbeat-peer-fftw"}};

const known_peer& peer_for(std::string_view name, engine chosen) {
  std::string engines;
  for (const known_peer& known : known_peers) {
    if (known.name != name) continue;
    if (known.runs_beside == chosen) return known;
    engines += formatted("{}{}", engines.empty() ? "" : " or ", name_of(known.runs_beside));
  }
  reject_if(engines.empty(),
            "there is no peer '{}'; choose cufft, vkfft, fftw, clfft or the path of a "
            "program, with a slash in it",
            name);
  throw absent_error(
      formatted("it runs beside engine {}, and {} was chosen", engines, name_of(chosen)));
}

std::unique_ptr<peer> open_peer(const std::string& name, const device_info& device,
                                const peer_limits& limits) {
  std::filesystem::path program = name;
  std::string label = program.filename().string();
  if (name.find('/') == std::string::npos) {
    const known_peer& known = peer_for(name, device.runs_on);
    if (known.program.empty()) return std::make_unique<cufft_peer>();
    program = program_path(std::string{known.program}, known.program,
                           "bench/README.md says how it is built");
    label = name;
  }
  return std::make_unique<process_peer>(
      label, std::make_unique<peer_process>(program, device, limits.answer_s));
}

}  // namespace

peer_list open_peers(const std::string& names, const device_info& device,
                     const peer_limits& limits) {
  peer_list opened;
  for (std::string_view rest = names; !rest.empty();) {
    const std::string name{rest.substr(0, rest.find(','))};
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    try {
      opened.push_back(open_peer(name, device, limits));
    } catch (const plan_error&) {
      throw;
    } catch (const error& absent) {
      print_message("going on without peer {}: {}", name, absent.what());
    }
  }
  return opened;
}

}  // namespace wingbeat::cli
