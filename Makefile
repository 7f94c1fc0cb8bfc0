# SPDX-License-Identifier: Apache-2.0
# The commands of this repository. CMake does the building; see CMakePresets.json.
#
#   make build       the program, at build/wingbeat
#   make demo        builds it, then transforms and times a real recording on every engine, finds
#                    a patch of a photograph under noise, blurs the photograph, and finds the
#                    delay between two channelised polarisations
#   make package     the Debian packages wingbeat and wingbeat-telescope, in build/package/
#   make peers       the programs that run other libraries for `wingbeat bench`, beside it
#   make test        the tests, but the slow ones and those of the device headers
#   make test-sanitized  those of the device headers, host and services, and fuzzers, built with
#                    sanitizers; .ci/run runs it after `make test` and `make benches`
#   make test-full   all of them, the slow tests and whole products of cases as well
#   make python      the wheel of python/, in build/python/wheel/, and its tests in a fresh virtual
#                    environment; skipped where no package index is reachable
#   make python-package  the Debian package python3-wingbeat, in build/package/
#   make benches     the programs of bench/
#   make evidence    asks the questions of bench/evidence again that this machine can answer, into
#                    build/evidence/, and writes their pages from the documents
#   make test-gpu    the tests that need an NVIDIA GPU, and those that run on every device
#   make format      clang-format over all sources
#   make clean       removes build/ and demo/

# Debian packages, each list complete in itself with those above it.
build_packages = g++ cmake ninja-build pkg-config libcli11-dev libfmt-dev nlohmann-json3-dev \
  libcairo2-dev fonts-dejavu-core libpng-dev libjpeg-dev libtiff-dev zlib1g-dev libcfitsio-dev \
  libsndfile1-dev libhdf5-dev libcpp-httplib-dev libpcre2-dev libspdlog-dev libtomlplusplus-dev \
  libyaml-cpp-dev
# Compile and run the kernels of the engine `opencl`.
opencl_packages = clang-15 pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev
# Libraries that the bench compares with; bench/peers/ builds what is here.
peer_packages = libfftw3-dev libclfft-dev libvkfft-dev
# A recording, and a photograph (of NASA, in the public domain) with what reads it in Python.
demo_packages = alsa-utils python3-imageio
package_packages = dpkg-dev file
# Shows the monitoring page to its test, which is skipped without.
browser_packages = chromium
python_packages = python3-dev python3-venv python3-numpy
test_packages = libgtest-dev libgmock-dev clang-14 clang-format-14 \
  libclang-rt-14-dev python3 python3-venv

recording = /usr/share/sounds/alsa/Front_Center.wav
photograph = /usr/lib/python3/dist-packages/imageio/resources/images/astronaut.png
ctest = ctest --output-on-failure --parallel $(shell nproc)

.PHONY: build demo package peers python python-package benches evidence test test-sanitized test-full test-gpu format clean build-tests

build:
	.ci/packages $(build_packages) $(opencl_packages)
	cmake --preset release -DWINGBEAT_TESTS=OFF -DWINGBEAT_BENCH=OFF -DWINGBEAT_EXAMPLES=OFF
	cmake --build --preset release --target wingbeat_cli
	ln -sfn release/apps/cli/wingbeat build/wingbeat

demo: build
	.ci/packages $(demo_packages)
	mkdir -p demo
	build/wingbeat devices
	build/wingbeat transform $(recording) --top 5 --plot demo/spectrum.png --output demo/spectrum.csv
	build/wingbeat speedtest --max-log2 16 --plot demo/speed --csv demo/speed.csv
	/usr/bin/python3 examples/demo_pictures.py make demo $(photograph)
	build/wingbeat match demo/noisy.png demo/patch.png --normalised --top 1 --json \
	  --picture demo/found.png --projection demo/scores.png > demo/found.json
	build/wingbeat convolve $(photograph) demo/glow.npy --mode same --border mirror \
	  --normalise luminance --white 255 --output demo/bloom.png
	build/wingbeat filter $(recording) demo/taps.txt --mode same --output demo/smooth.wav
	build/wingbeat simulate 'wgn(0.1, 1) + cw(0.05, 300e6) + wgn(0.02, 2)' \
	  'delay(wgn(0.1, 1), 7) + cw(0.05, 500e6) + wgn(0.02, 3)' --adc-rate 1712e6 \
	  --samples 2097152 --output demo/pol0.raw,demo/pol1.raw
	build/wingbeat channelise demo/pol0.raw demo/pol1.raw --sample-bits 10 --adc-rate 1712e6 \
	  --channels 1024 --output demo/voltages.npy --spectrum demo/channels.png \
	  --waterfall demo/sky.png --stats demo/channels.json
	examples/demo_engine.sh build/wingbeat demo
	@echo
	@echo "The recording:  $(recording)"
	@echo "Its spectrum:   $(CURDIR)/demo/spectrum.png, and all bins in demo/spectrum.csv"
	@echo "The speed test: $(CURDIR)/demo/speed-time.png and demo/speed-per-element.png"
	@/usr/bin/python3 examples/demo_pictures.py check demo
	@echo "The photograph: $(photograph)"
	@echo "Under noise:    $(CURDIR)/demo/noisy.png; the patch demo/patch.png, marked demo/found.png"
	@echo "Every score:    $(CURDIR)/demo/scores.png"
	@echo "With a bloom:   $(CURDIR)/demo/bloom.png"
	@echo "The recording, smoothed: $(CURDIR)/demo/smooth.wav"
	@echo "Noise and tones, channelised: $(CURDIR)/demo/channels.png, over time demo/sky.png, all"
	@echo "                values in demo/voltages.npy"
	@/usr/bin/python3 examples/demo_pictures.py delay demo 7
	@echo "A telescope for ten seconds, digitiser to receiver: demo/engine.png, counters demo/engine.json"
	@echo "Next: build/wingbeat transform --help"

package: build
	.ci/packages $(package_packages)
	cpack -G DEB --config build/release/CPackConfig.cmake -B build/package
	cpack -G DEB --config build/release/CPackTelescope.cmake -B build/package

peers: build
	.ci/packages $(peer_packages)
	cmake --preset release -DWINGBEAT_BENCH=ON
	cmake --build --preset release --target wingbeat_peers

# test-sanitized has those of the device headers, which are mostly compiled, not run.
left_out = ^device/
build-tests:
	.ci/packages $(build_packages) $(opencl_packages) $(demo_packages) $(peer_packages) \
	  $(test_packages)
	cmake --preset test -DWINGBEAT_TESTS_LEFT_OUT='$(left_out)'
	cmake --build --preset test

benches: build-tests
	cmake --build --preset test --target wingbeat_benches

evidence: build peers
	bench/evidence/evidence.py pages
	bench/evidence/evidence.py run build/wingbeat build/evidence

# What runs concurrently or on devices, under sanitizers; see the presets.
test-sanitized:
	.ci/packages $(build_packages) $(opencl_packages) $(test_packages)
	cmake --preset sanitize
	cmake --build --preset sanitize
	$(ctest) --preset sanitize
	cmake --preset sanitize-thread
	cmake --build --preset sanitize-thread
	$(ctest) --preset sanitize-thread

test: build-tests
	$(ctest) --preset test

# With the library of the tests where it was built, else of the release.
python_preset = $(if $(wildcard build/test/build.ninja),test,release)
python:
	.ci/packages $(build_packages) $(python_packages)
	[ $(python_preset) = test ] || cmake --preset release -DWINGBEAT_TESTS=OFF -DWINGBEAT_BENCH=OFF \
	  -DWINGBEAT_EXAMPLES=OFF
	cmake --build --preset $(python_preset) --target wingbeat wingbeat_cli
	.ci/python build/$(python_preset)/src/libwingbeat.a

python-package: python
	mkdir -p build/package
	WINGBEAT_PIP=build/python/venv/bin/pip packaging/python.sh build/python/wheel/*.whl build/package

test-full: left_out =
test-full: build-tests benches test-sanitized
	.ci/packages $(package_packages) $(browser_packages)
	WINGBEAT_TEST_FULL=1 $(ctest) --test-dir build/test

test-gpu: left_out =
test-gpu: build-tests
	$(ctest) --test-dir build/test --label-regex "gpu|opencl"

format:
	.ci/packages clang-format-14
	git ls-files '*.hpp' '*.cpp' | xargs clang-format-14 -i

clean:
	rm -rf build demo
