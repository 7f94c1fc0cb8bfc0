// SPDX-License-Identifier: Apache-2.0
// Label: cli
// What `wingbeat fengine` refuses, in one sentence each: options, sources, outputs, and files of
// options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"  // workplace

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

/// An engine that starts, and soon ends, but for what the words behind it change.
words engine_of(const words& sources, const words& more = {}) {
  words arguments{"fengine"};
  arguments.insert(arguments.end(), sources.begin(), sources.end());
  for (const char* word :
       {"--adc-sample-rate", "1712e6", "--sync-time", "0", "--recv-chunk-samples", "65536",
        "--engine", "host", "--katcp-port", "0", "--duration", "0.1",
        "--wideband=name=wide,channels=256,dst=127.0.0.1:9"}) {
    arguments.emplace_back(word);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

struct refusal {
  words arguments;
  int code;
  std::string part;
};

void expect_refused(const workplace& place, const std::vector<refusal>& cases) {
  for (const auto& [arguments, code, part] : cases) {
    const finished run = place.run(arguments);
    EXPECT_EQ(run.code, code) << part << ": " << run.err;
    EXPECT_THAT(run.err, HasSubstr(part));
    EXPECT_EQ(n_lines(run.err), 1U) << run.err;
  }
}

TEST(fengine_refusals, of_options) {
  const workplace place;
  const auto command_with = [](const words& more) { return engine_of({"127.0.0.1:7148"}, more); };
  words many = command_with({"--max-delay-diff", "4294967296"});
  for (int i = 0; i < 32; ++i) {  // 4 TiB
    const std::string port = std::to_string(1000 + i);
    many.push_back("--wideband=name=n" + port + ",channels=256,dst=127.0.0.1:" + port);
  }
  expect_refused(
      place,
      {{{"fengine"}, 2, "SRC is required"},
       {{"fengine", "127.0.0.1", "--adc-sample-rate", "1e9", "--sync-time", "0"},
        2,
        "no output; give --wideband or --narrowband"},
       {command_with({"--recv-interface", "wlan77"}), 2, "wlan77"},
       {command_with({"--monitor-log"}), 2,
        "--monitor-log has no value; write --monitor-log VALUE"},
       {command_with({"--gain", "loud"}), 2, "--gain 'loud' is no number"},
       {command_with({"--log-level", "loud"}), 2, "'loud' is no level; give one of all, trace"},
       {command_with({"--recv-packet-samples", "5000"}), 2, "chunks of 65536 samples"},
       {command_with({"--send-affinity", "4095"}), 2, "cannot run on processor 4095"},
       {command_with({"--send-affinity", "any"}), 2, "--send-affinity any is not a whole number"},
       {command_with({"--state", "no/folder/state.json"}), 4, "no/folder/state.json"},
       {command_with({"--state", "s.json", "--stats", "s.json"}), 2, "s.json"},
       {command_with({"--recv-affinity", "0", "x"}), 2,
        "x names a file and 127.0.0.1:7148 endpoints"},
       {command_with({"--replay", "real"}), 2, "--replay real is of no use with endpoints as SRC"},
       {command_with({"--prometheus-host", "127.0.0.1"}), 2, "no use without --prometheus-port"},
       {command_with({"--prometheus-allow", "::1"}), 2, "--prometheus-allow is of no use without"},
       {command_with({"--katcp-allow", "10.0.0.0/8,localhost"}), 2,
        "--katcp-allow 'localhost' is no address and no network"},
       {many, 3, "give a smaller --max-delay-diff, fewer --recv-chunks"}});
}

TEST(fengine_refusals, of_outputs) {
  const workplace place;
  const auto command_with = [](const std::string& output) {
    return engine_of({"127.0.0.1:7148"}, {output});
  };
  const std::string wide = "--wideband=name=b,channels=64,dst=127.0.0.1:10";
  const std::string narrow = "--narrowband=name=b,channels=64,dst=127.0.0.1:10";
  expect_refused(
      place,
      {{command_with("--wideband=name=wide,channels=64,dst=127.0.0.1:10"), 2, "named 'wide'"},
       {command_with("--wideband=name=b,channels=64,dst=127.0.0.1:9"), 2,
        "output 'b' sends to 127.0.0.1:9, which output 'wide' sends to"},
       {command_with("--wideband=name=b,channels=64,dst=127.0.0.1:7148"), 2,
        "which the engine receives from"},
       {command_with(wide + ",taps=65"), 2,
        "--wideband taps 65 is not a whole number from 1 to 64"},
       {command_with(wide + ",taps=2,taps=3"), 2, "--wideband has taps twice"},
       {command_with(wide + ",colour=red"), 2,
        "--wideband has no key 'colour'; there are name, channels"},
       {command_with(wide + ",decimation=8"), 2, "--wideband has no key 'decimation'"},
       {command_with(wide + ",window_function=flat"), 2, "choose hann or rect"},
       {command_with(wide + ",taps"), 2, "--wideband taps has no value"},
       {command_with(wide + ",storage=fp64"), 2, "choose fp32 or fp16"},
       {command_with(wide + ",storage=fp16"), 2, "output 'b': storage is of no use on host, which"},
       {command_with(wide + ",jones_per_batch=3000"), 2,
        "jones_per_batch is 3000; give 64 channels times 16, or times a multiple of 32: the "
        "nearest "
        "are 2048 and 4096"},
       {command_with(wide + ",jones_per_batch=1088"), 2, "the nearest are 1024 and 2048"},
       {command_with(wide + ",jones_per_batch=1000"), 2,
        "--wideband jones_per_batch 1000 is not a whole number from 2^10 to 2^26"},
       {command_with("--wideband=name=b,channels=67,dst=127.0.0.1:10"), 2,
        "output 'b': channels is 67, which has a prime factor above 13; the nearest counts without "
        "are 66 and 70"},
       {command_with("--wideband=name=b,channels=1,dst=127.0.0.1:10"), 2,
        "--wideband channels 1 is not a whole number from 2 to 2^16"},
       {command_with("--wideband=name=b,channels=64,dst=127.0.0.1+2:10"), 2,
        "64 channels and 3 destinations"},
       {command_with(narrow + ",centre_frequency=1e8"), 2,
        "--narrowband name=b,channels=64,dst=127.0.0.1:10,centre_frequency=1e8 has no decimation"},
       {command_with(narrow + ",centre_frequency=1e8,decimation=3"), 2,
        "--narrowband decimation is 3, and channels at the edges are left out; give an even one, "
        "or pass_bandwidth="},
       {command_with(narrow + ",centre_frequency=1e9,decimation=8"), 2,
        "--narrowband centre_frequency of 'b' is 1000000000 Hz; give 0 to 856000000"},
       {command_with(narrow + ",centre_frequency=1e8,decimation=8,pass_bandwidth=107e6"), 2,
        "--narrowband pass_bandwidth of 'b' is 107000000 Hz; give a width above 0 and below "
        "107000000"},
       {command_with(narrow + ",centre_frequency=1e8,decimation=8,pass_bandwidth=106e6"), 2,
        "alias into it at -7.3 dB, above -40; give a pass_bandwidth of 91080"},
       {command_with("--allow-alias"), 2, "--allow-alias is of no use without --narrowband"}});
}

TEST(fengine_refusals, of_sources) {
  const workplace place;
  place.file("a.raw", std::string(5120, 'a'));
  place.file("b.raw", std::string(5120, 'b'));
  place.file("few.raw", std::string(5119, 'c'));
  place.file("x.pcap", "nothing");
  std::filesystem::create_directory(place.folder().path() / "folder");
  const words files{"a.raw", "b.raw"};
  expect_refused(
      place,
      {{engine_of(files, {"--recv-interface", "lo"}), 2, "--recv-interface is of no use with"},
       {engine_of(files, {"--recv-affinity", "0"}), 2, "--recv-affinity is of no use with"},
       {engine_of(files, {"--recv-buffer", "65536"}), 2, "--recv-buffer is of no use with"},
       {engine_of({"x.pcap"}, {"--recv-interface", "lo"}), 2, "--recv-interface is of no use"},
       {engine_of({"a.raw", "absent.raw"}), 4, "absent.raw: there is no such file; give one, or"},
       {engine_of({"absent.pcap"}), 4, "absent.pcap: there is no such file"},
       {engine_of({"a.raw", "folder"}), 4, "folder: is a directory"},
       {engine_of({"a.raw", "few.raw"}), 4, "few.raw has 5119 bytes; give a file of one packet"},
       {engine_of({"a.raw"}), 2, "1 file cannot be the samples of 2 polarisations"},
       {engine_of({"a.raw", "127.0.0.1:7148"}), 2,
        "a.raw names a file and 127.0.0.1:7148 endpoints; give files alone"},
       {engine_of({"x.pcap", "a.raw"}), 2, "x.pcap is a capture, and another SRC"},
       {engine_of({"a.raw", "x.pcap"}), 2, "x.pcap is a capture, and another SRC"},
       {engine_of({"localhost:7148"}), 2, "'localhost' in the endpoints 'localhost:7148' is no"},
       {engine_of({"255.255.255.255+1"}), 2, "go on behind 255.255.255.255"},
       {engine_of({"127.0.0.1:7148", "127.0.0.1:7148"}), 2,
        "the endpoint 127.0.0.1:7148 is given twice"},
       {engine_of({"127.0.0.1:7148"}, {"--recv-affinity", "-1,-1"}), 2,
        "1 endpoint cannot be split between 2 threads"}});
}

TEST(fengine_refusals, of_files_of_options) {
  const workplace place;
  std::filesystem::create_directory(place.folder().path() / "folder");
  const auto command_with = [&](const std::string& name, const std::string& text) {
    place.file(name, text);
    return engine_of({"127.0.0.1:7148"}, {"--config", name});
  };
  expect_refused(
      place,
      {{engine_of({"127.0.0.1:7148"}, {"--config", "absent.toml"}), 4, "absent.toml"},
       {engine_of({"127.0.0.1:7148"}, {"--config", "folder"}), 4,
        "folder: is a directory; name a file of options"},
       {command_with("empty.toml", ""), 4, "empty.toml: is empty; name a file of options"},
       {command_with("bad.toml", "src = 1979-05-27\n"), 4, "bad.toml: line 1: 'src' is neither"},
       {command_with("torn.toml", "\na = [1,\n"), 4,
        "torn.toml: line 2: Error while parsing array: encountered end-of-file; see toml.io"},
       {command_with("letter.toml", "gain = 1'\xc3\x99\n"), 4,
        "letter.toml: line 1: Error while parsing"},
       {command_with("unknown.toml", "gain = 1\n\ncolour = \"red\"\n"), 2,
        "unknown.toml: line 3: there is no option 'colour'; see wingbeat fengine --help"},
       {command_with("off.toml", "colour = false\n"), 2,
        "off.toml: line 1: there is no option 'colour'"},
       {command_with("text.toml", "mask-timestamp = \"false\"\n"), 2,
        "text.toml: line 1: 'mask-timestamp' is on or off; give true or false, without quotes"},
       {command_with("on.toml", "gain = true\n"), 2,
        "on.toml: line 1: 'gain' is true; give it a value"},
       {command_with("src.toml", "src = true\n"), 2,
        "src.toml: line 1: 'src' is true; give it a value"},
       {command_with("both.toml", "device = \"host\"\nengine = \"host\"\n"), 2,
        "'device' and 'engine' are the same option"},
       {command_with("comma.toml", "[[wideband]]\nname = \"a,b\"\n"), 4,
        "comma.toml: line 2: 'a,b' has a comma, which would end it; give 'name' without one"}});
}

}  // namespace
