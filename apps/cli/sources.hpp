// SPDX-License-Identifier: Apache-2.0
// What SRC of a service is: endpoints of a network, or files.
#pragma once

#include <string>
#include <vector>

#include "net/endpoint.hpp"  // endpoint

namespace wingbeat::cli {

/// Returns whether the words name files: a word does if there is such a file, or if it could not be
/// an endpoint, because it has letters or a '/' and no ':'. Throws `file_error` for a file that is
/// absent or a directory, and `plan_error` where some words are files and some are endpoints.
[[nodiscard]] bool names_files(const std::vector<std::string>& words);

/// Returns the first word with a capture's name, .pcap, .pcapng or .cap; null if there is none.
[[nodiscard]] const std::string* capture_of(const std::vector<std::string>& words);

/// Throws `plan_error` if there are other words beside a capture.
void require_alone(const std::string& capture, const std::vector<std::string>& words);

/// Returns the endpoints of all words.
[[nodiscard]] std::vector<net::endpoint> endpoints_of(const std::vector<std::string>& words);

}  // namespace wingbeat::cli
