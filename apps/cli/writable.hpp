// SPDX-License-Identifier: Apache-2.0
// Checks of output files before a command computes or measures anything.
#pragma once

#include <string>
#include <vector>

namespace wingbeat::cli {

/// An option and the file that it names.
struct output_file {
  std::string option;
  std::string path;  ///< Empty: the option was not given.
};

/// Checks that each file can be written, and leaves no file behind and older files as they are.
/// Throws `file_error` for one that cannot, `plan_error` where two options name one file, or one
/// names a file of `inputs`, which are read while it is written.
void require_writable(const std::vector<output_file>& files,
                      const std::vector<std::string>& inputs = {});

}  // namespace wingbeat::cli
