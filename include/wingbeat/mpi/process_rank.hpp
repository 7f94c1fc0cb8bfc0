// SPDX-License-Identifier: Apache-2.0
// Which of the processes of MPI this one is: MPI is needed where this header is included, and has
// them meet; what they exchange goes as the domain says.
#pragma once

#include <mpi.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>  // close

#include <array>
#include <cstddef>  // size_t
#include <string>

#include "wingbeat/error.hpp"         // device_error
#include "wingbeat/process_rank.hpp"  // process_rank

namespace wingbeat {

/// Returns a port of this machine that is free now.
inline std::string free_port() {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  socklen_t length = sizeof place;
  auto* const raw = reinterpret_cast<sockaddr*>(&place);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const bool is_found =
      socket >= 0 && ::bind(socket, raw, length) == 0 && ::getsockname(socket, raw, &length) == 0;
  if (socket >= 0) ::close(socket);
  if (!is_found) throw device_error("no free port of TCP was found; close some");
  return std::to_string(ntohs(place.sin_port));
}

/// Returns this process's rank in `comm`, and where its ranks meet: at `host` of rank 0, and if
/// that is empty at MPI's name of its machine, or on loopback where all are on one. Collective.
///
///     domain ranks = domain::at(process_rank_of_mpi(MPI_COMM_WORLD), queue{});
inline process_rank process_rank_of_mpi(MPI_Comm comm, const std::string& host = {}) {
  int rank = 0, size = 1, local = 0, n_local = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &local);
  MPI_Comm_size(machine, &n_local);
  MPI_Comm_free(&machine);
  std::array<char, MPI_MAX_PROCESSOR_NAME + 16> address{};
  if (rank == 0) {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    std::string text = !host.empty() ? host : n_local == size ? "127.0.0.1" : name.data();
    text += ":" + free_port();
    text.copy(address.data(), address.size() - 1);
  }
  MPI_Bcast(address.data(), static_cast<int>(address.size()), MPI_CHAR, 0, comm);
  return {address.data(), static_cast<std::size_t>(rank), static_cast<std::size_t>(size),
          static_cast<std::size_t>(local)};
}

}  // namespace wingbeat
