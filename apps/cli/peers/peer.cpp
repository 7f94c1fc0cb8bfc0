// SPDX-License-Identifier: Apache-2.0
#include "cli/peers/peer.hpp"

#include <algorithm>  // find, min
#include <filesystem>
#include <string_view>
#include <utility>  // move

#include "backend/opencl/process.hpp"  // find_executable
#include "cli/messages.hpp"            // tell
#include "cli/peers/process.hpp"       // peer_process, process_contender
#include "formatted.hpp"               // formatted
#include "peers/cufft.hpp"             // cufft_peer
#include "wingbeat/error.hpp"          // absent_error, plan_error

namespace wingbeat::cli {
namespace {

class cufft final : public peer {
 public:
  cufft() : peer("cufft", cufft_peer::version()) {}
  std::unique_ptr<contender> prepare(queue& on, const plan_spec& what,
                                     bench_buffers& memory) override {
    return cufft_contender(on, what, memory);
  }
};

class other_process final : public peer {
 public:
  other_process(std::string name, std::unique_ptr<peer_process> process)
      : peer(std::move(name), process->library()), process_(std::move(process)) {}
  std::unique_ptr<contender> prepare(queue&, const plan_spec& what, bench_buffers&) override {
    return process_contender(*process_, what);
  }

 private:
  std::unique_ptr<peer_process> process_;
};

/// Which program is which library on which engine.
struct known_peer {
  std::string_view name;
  engine on;
  std::string_view program;  ///< Empty: no other process.
};

constexpr known_peer known_peers[] = {{"cufft", engine::cuda, ""},
                                      {"vkfft", engine::cuda, "wingbeat-peer-vkfft-cuda"},
                                      {"vkfft", engine::opencl, "wingbeat-peer-vkfft-opencl"},
                                      {"clfft", engine::opencl, "wingbeat-peer-clfft"},
                                      {"fftw", engine::host, "wingbeat-peer-fftw"},
                                      {"fftw", engine::reference, "wingbeat-peer-fftw"}};

/// Returns the program's path: beside this one, or in $PATH.
std::filesystem::path program_named(std::string_view name) {
  std::error_code fault;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", fault);
  const auto beside = self.parent_path() / name;
  if (!fault && std::filesystem::exists(beside, fault)) return beside;
  const std::string found = backend::opencl::find_executable(std::string{name});
  if (!found.empty()) return found;
  throw absent_error(formatted(
      "{} is neither beside this program nor in $PATH; bench/README.md says how it is built",
      name));
}

const known_peer& peer_for(std::string_view name, engine on) {
  std::string engines;
  for (const known_peer& one : known_peers) {
    if (one.name != name) continue;
    if (one.on == on) return one;
    engines += formatted("{}{}", engines.empty() ? "" : " or ", name_of(one.on));
  }
  if (engines.empty()) {
    throw plan_error(
        formatted("there is no peer '{}'; choose cufft, vkfft, fftw, clfft or the path of a "
                  "program, with a slash in it",
                  name));
  }
  throw absent_error(
      formatted("it runs beside engine {}, and {} was chosen", engines, name_of(on)));
}

std::unique_ptr<peer> open_peer(const std::string& name, const device_info& where,
                                const peer_manners& manners) {
  std::filesystem::path program = name;
  std::string called = program.filename().string();
  if (name.find('/') == std::string::npos) {
    const known_peer& known = peer_for(name, where.runs_on);
    if (known.program.empty()) return std::make_unique<cufft>();
    program = program_named(known.program);
    called = name;
  }
  return std::make_unique<other_process>(
      called, std::make_unique<peer_process>(program, where, manners.patience_s));
}

}  // namespace

peer_list open_peers(const std::string& names, const device_info& where,
                     const peer_manners& manners) {
  peer_list opened;
  for (std::string_view rest = names; !rest.empty();) {
    const std::string name{rest.substr(0, rest.find(','))};
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    try {
      opened.push_back(open_peer(name, where, manners));
    } catch (const plan_error&) {
      throw;
    } catch (const error& absent) {
      tell("going on without peer {}: {}", name, absent.what());
    }
  }
  return opened;
}

}  // namespace wingbeat::cli
