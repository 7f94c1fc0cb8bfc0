#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh ROOT: whether clang-format 14 would change any C++ file; other versions differ in
# detail. Exit code 77 where it is absent.
format=$(command -v clang-format-14)
if [ -z "$format" ]; then
  echo "SKIP: this machine has no clang-format-14"
  exit 77
fi
cd "$1" || exit 2
for folder in include src apps tests bench examples python; do
  [ -d "$folder" ] && find "$folder" \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' \) \
    -not -path '*/generated/*' -print0
done | xargs -0 "$format" --dry-run -Werror
