#!/usr/bin/env bash
# python.sh WHEEL FOLDER: the Debian package python3-wingbeat, in FOLDER, of a wheel. The part of
# nanobind that depends on the interpreter comes from the package index, for /usr/bin/python3, and
# goes along, because Debian has none.
set -euo pipefail
wheel=$1
folder=$2
root=$folder/python3-wingbeat
site=$root/usr/lib/python3/dist-packages
version=$(basename "$wheel" | cut -d- -f2)
rm -rf "$root"
mkdir -p "$site" "$root/DEBIAN" "$root/usr/share/doc/python3-wingbeat"
minor=$(/usr/bin/python3 -c 'import sys; print(sys.version_info[1])')
"${WINGBEAT_PIP:-pip3}" download --quiet --no-deps --only-binary :all: --python-version "3.$minor" \
  --dest "$folder/backend" 'nanobind-backend>=1.0'
for each in "$wheel" "$folder"/backend/nanobind_backend-*.whl; do
  /usr/bin/python3 -m zipfile -e "$each" "$site"
done
{ cat packaging/debian/copyright
  printf '\nFiles: usr/lib/python3/dist-packages/nanobind_backend*\n'
  printf 'Copyright: Wenzel Jakob\nLicense: BSD-3-Clause\n'
} > "$root/usr/share/doc/python3-wingbeat/copyright"
find "$site" -name '*.so*' -exec chmod 644 {} +
cat > "$root/DEBIAN/control" <<CONTROL
Package: python3-wingbeat
Version: $version
Architecture: $(dpkg --print-architecture)
Section: python
Priority: optional
Maintainer: the wingbeat authors <wingbeat@localhost>
Depends: python3 (>= 3.$minor), python3 (<< 3.$((minor + 1))), python3-numpy (>= 1:1.23), libc6 (>= 2.35), libstdc++6 (>= 12)
Recommends: ocl-icd-libopencl1
Suggests: python3-scipy, python3-pyopencl, python3-torch
Description: Fast Fourier transforms that fuse with their surroundings, for Python
 wingbeat transforms, convolves, searches and channelises on processors, OpenCL
 devices and NVIDIA GPUs, with SciPy's names, for arrays of numpy, torch, CuPy,
 JAX and PyOpenCL.
CONTROL
dpkg-deb --root-owner-group --build "$root" "$folder" > /dev/null
rm -rf "$root" "$folder/backend"
ls "$folder"/python3-wingbeat_*.deb
