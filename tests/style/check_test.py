#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_test.py: faults that check.py must see, and their neighbours that it must not."""

import sys
import unittest
from unittest import mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check  # noqa: E402
import names  # noqa: E402


def faults(rule, name, text):
    return [fault for _, fault in rule(Path(name), text)]


def class_of(lines, head="class long_one final : public base<int>"):
    return head + " {\n" + "  int x;\n" * (lines - 2) + "};\n"


class Classes(unittest.TestCase):
    def test_may_have_200_lines_and_no_more(self):
        self.assertEqual(faults(check.sizes, "src/a.cpp", class_of(200)), [])
        self.assertEqual(faults(check.sizes, "src/a.cpp", class_of(201)),
                         ["a class of 201 lines, long_one; 200 at most"])

    def test_are_found_in_every_form(self):
        for head in ("struct s", "template <class T>\nstruct s<T, 3>", "union s",
                     "struct alignas(8) s", "class outer::s", "template <class T = int>\nclass s"):
            with self.subTest(head):
                self.assertEqual(len(faults(check.sizes, "src/a.cpp", class_of(210, head))), 1)

    def test_are_neither_declarations_nor_enumerations_nor_text(self):
        body = " {\n" + "  a,\n" * 300 + "};\n"
        for text in ("class s;\n" + "\n" * 300, "enum class s" + body, "// class s {\n" * 300,
                     'auto t = R"(struct s {' + "\n" * 300 + '})";\n'):
            with self.subTest(text[:20]):
                self.assertEqual(faults(check.sizes, "src/a.cpp", text), [])

    def test_on_the_list_are_let_pass_in_their_file_while_they_are_long(self):
        name, own = sorted(check.LONG_CLASSES)[0]
        self.assertEqual(faults(check.sizes, name, class_of(201, f"class {own}")), [])
        self.assertEqual(len(faults(check.sizes, "src/a.cpp", class_of(201, f"class {own}"))), 1)
        self.assertIn("take it off", faults(check.sizes, name, class_of(200, f"class {own}"))[0])


class Includes(unittest.TestCase):
    def check(self, name, target, is_fault):
        with self.subTest(f"{name} includes {target}"):
            found = faults(check.includes, name, f'#include "{target}"\n')
            self.assertEqual(len(found), 1 if is_fault else 0, found)

    def test_of_engines_reach_no_other_engine(self):
        engines = ("host", "opencl", "cuda")
        for own in engines:
            for other in engines:
                self.check(f"src/backend/{own}/queue.cpp", f"backend/{other}/queue.hpp",
                           own != other)
            self.check(f"src/backend/{own}/queue.cpp", "backend/backend.hpp", False)

    def test_of_arrays_reach_neither_planner_nor_engine(self):
        for target in ("planner/pass.hpp", "request/traits.hpp", "backend/backend.hpp",
                       "backend/host/axes/passes.hpp", "reference/axis.hpp"):
            self.check("src/arrays/array.cpp", target, True)
        for target in ("arrays/order.hpp", "formatted.hpp", "wingbeat/plan.hpp"):
            self.check("src/arrays/array.cpp", target, False)
        for user in ("src/planner/loops.cpp", "src/backend/host/axes/passes.cpp"):
            self.check(user, "arrays/dimension.hpp", False)
        self.check("src/backend/host/axes/passes.cpp", "planner/pass.hpp", True)
        self.check("src/reference/engine.cpp", "arrays/array.hpp", True)

    def test_of_src_go_down_its_layers(self):
        for name, target in (("src/arrays/order.cpp", "planner/pass.hpp"),
                             ("src/planner/pieces.cpp", "programs/program.hpp"),
                             ("src/programs/prepared_program.cpp", "convolving/program.hpp"),
                             ("src/operations/operation.cpp", "convolving/program.hpp"),
                             ("src/backend/backend.cpp", "convolving/program.hpp"),
                             ("src/backend/host/rows/axis.hpp", "channelising/bank.hpp"),
                             ("src/convolving/program.cpp", "channelising/bank.hpp"),
                             ("src/convolving/program.cpp", "backend/host/plan.hpp"),
                             ("telescope/simulation/signal.cpp", "receive/receiver.hpp"),
                             ("src/signals/source.cpp", "spead/packet.hpp"),
                             ("apps/cli/main.cpp", "fengine/service.hpp"),
                             ("src/api/plan.cpp", "convolving/program.hpp"),
                             ("src/roots/chirp.cpp", "programs/prepared_program.hpp"),
                             ("include/wingbeat/plan.hpp", "programs/program.hpp")):
            self.check(name, target, True)
        for name, target in (("src/planner/pieces.cpp", "request/traits.hpp"),
                             ("src/convolving/program.cpp", "programs/program.hpp"),
                             ("src/backend/cuda/engine.cpp", "programs/program.hpp"),
                             ("telescope/fengine/engine.cpp", "control/sensor.hpp"),
                             ("telescope/cli/main.cpp", "cli/program.hpp"),
                             ("src/arrays/order.cpp", "text/formatted.hpp"),
                             ("src/api/plan.cpp", "operations/operation.hpp")):
            self.check(name, target, False)
        self.check("src/plan.cpp", "<vector>", True)
        self.check("src/spead/packet.cpp", "<vector>", True)

    def test_of_layers_are_no_cycle(self):
        self.assertEqual(check.cycle(), [])
        with mock.patch.dict(check.LAYERS, {"roots": "programs"}):
            self.assertIn("roots", check.cycle())

    def test_of_device_code_go_down_its_levels(self):
        folder = "wingbeat/device/"
        self.check(f"include/{folder}functors/product.hpp", folder + "ends/operands.hpp", False)
        self.check(f"include/{folder}ends/functor.hpp", folder + "functors/product.hpp", True)

    def test_of_measure_reach_no_engine_and_no_program(self):
        for target in ("backend/backend.hpp", "backend/cuda/queue.hpp", "cli/option.hpp",
                       "peers/cufft.hpp"):
            self.check("src/measure/rounds.cpp", target, True)
        for target in ("wingbeat/queue.hpp", "measure/statistics.hpp", "shared_library.hpp"):
            self.check("src/measure/rounds.cpp", target, False)
        self.check("src/planner/pieces.cpp", "measure/rounds.hpp", True)
        self.check("src/peers/cufft.cpp", "peers/cufft.hpp", False)

    def test_of_bench_reach_no_program(self):
        self.check("bench/fused_plan.cpp", "apps/cli/option.hpp", True)
        self.check("bench/fused_plan.cpp", "cli/option.hpp", True)
        self.check("bench/fused_plan.cpp", "measure/rounds.hpp", False)

    def test_of_the_program_go_from_commands_down(self):
        self.check("apps/cli/sweep.cpp", "cli/reports/table.hpp", True)
        self.check("apps/cli/main.cpp", "cli/commands/bench.hpp", False)
        self.check("apps/cli/peers/peer.cpp", "cli/reports/table.hpp", True)
        self.check("apps/cli/peers/peer.cpp", "cli/messages.hpp", False)
        self.check("apps/cli/reports/bench.cpp", "cli/commands/bench.hpp", True)
        self.check("apps/cli/reports/bench.cpp", "cli/peers/bench_problem.hpp", False)


class Dialects(unittest.TestCase):
    macros = ("__CUDACC__", "__CUDACC_RTC__", "__NVCC__", "__CUDA_ARCH__", "__SPIR__", "__SPIRV__",
              "__OPENCL_CPP_VERSION__", "__clang__", "__GNUC__", "_MSC_VER")

    def test_are_told_apart_in_few_files(self):
        for macro in self.macros:
            with self.subTest(macro):
                text = f"#if defined({macro})\n"
                for name in ("include/wingbeat/device/complex.hpp", "src/api/plan.cpp",
                             "examples/kernels/body.hpp"):
                    self.assertEqual(len(faults(check.dialects, name, text)), 1, name)
                for name in check.DIALECT_FILES:
                    self.assertEqual(faults(check.dialects, name, text), [])

    def test_are_not_our_own_macros(self):
        text = "#if defined(WINGBEAT_HAS_CLUSTERS) || __has_include(<span>) || __cplusplus > 1\n"
        self.assertEqual(faults(check.dialects, "src/api/plan.cpp", text), [])

    def test_files_that_may_do_so(self):
        root = Path(__file__).resolve().parents[2]
        for name in sorted(check.DIALECT_FILES):
            self.assertRegex((root / name).read_text(encoding="utf-8"), check.DIALECT, name)


class Names(unittest.TestCase):
    def check(self, text, *expected):
        with self.subTest(text):
            code = check.without_comments(text)
            self.assertEqual([word for _, word in names.refused_names(code)], list(expected))

    def test_of_parameters_locals_and_fields_are_nouns(self):
        self.check("void f(const pass& of, std::size_t at);", "of", "at")
        self.check("std::vector<std::array<int, 3>> by{1}; float* as = x; const auto with = y;",
                   "by", "as", "with")
        self.check("struct s { plan_spec what; queue* const where = nullptr; };", "what", "where")
        self.check("for (const auto& one : all) f(one);", "one")
        self.check("template <class... Args> void f(Args&&... all, float (&of)[3]);", "all", "of")
        self.check("const auto& [is, of] = pair;", "of")
        self.check("f([](const auto& of) {\n  return of.x;\n});", "of")

    def test_are_not_uses_members_and_functions(self):
        self.check("return of; x = a * at + b[by] / (as); y.at(3); z->with = of < at;")
        self.check("if (a) at = 3; else of = 4; case as: throw what;")
        self.check("const element& at(size i) const; void of(); using at = int; where::f();")
        self.check('// int of;\n/* int at; */ f("int by;");')
        self.check("int offset, atlas; std::byte bytes;")

    def test_may_be_prepositions_in_one_line_lambdas(self):
        self.check("sort(x, [&](const peak& of) { return of.y < f({1}); });")

    def test_may_be_the_two_ends_of_a_copy(self):
        self.check("void copy(buffer_view to, const void* from) { view to{}; }", "to")
        self.check("const std::size_t from = 3; f(); const int to = 4;", "from", "to")

    def test_are_counted_by_the_longest_folder(self):
        with mock.patch.dict(names.ALLOWED, {"src": 1, "src/backend/host": 1}):
            self.assertEqual(names.folder_of("src/backend/host/rows/a.cpp"), "src/backend/host")
            self.assertEqual(names.folder_of("src/api/plan.cpp"), "src")
        counted = check.Names()
        counted.add(Path("unheard_of/a.cpp"), "int x;\nint of;\n")
        self.assertEqual(len(list(counted.faults())), 1)
        self.assertIn("unheard_of/a.cpp:2: of", next(counted.faults()))


class Python(unittest.TestCase):
    def check(self, rule, name, text, *expected):
        with self.subTest(name=name, text=text[:60]):
            found = faults(rule, name, text)
            self.assertEqual(len(found), len(expected), found)
            for fault, word in zip(found, expected):
                self.assertIn(word, fault)

    def test_lines_functions_and_modules_have_limits(self):
        line = "x = '" + "a" * 94
        self.check(check.python_sizes, "bench/a.py", line + "'\n")
        self.check(check.python_sizes, "bench/a.py", line + "a'\n", "101 columns")
        name = "python/wingbeat/fft.py"
        self.check(check.python_sizes, name, "x = 1\n" * 500)
        self.check(check.python_sizes, name, "x = 1\n" * 501, "501 lines; 500")
        self.check(check.python_sizes, "tests/python/fft_test.py", "x = 1\n" * 500)
        self.check(check.python_sizes, "tests/python/fft_test.py", "x = 1\n" * 501, "501 lines")
        head = 'def f():\n    """Doc\n' + "    more\n" * 90 + '    """\n'
        self.check(check.python_sizes, name, head + "    x = 1\n" * 60)
        self.check(check.python_sizes, name, head + "    x = 1\n" * 61, "f has 61 lines")
        self.check(check.python_sizes, name, "async def g():\n" + "    x = 1\n" * 61, "g has 61")

    def test_names_of_the_package_are_nouns(self):
        name = "python/wingbeat/fft.py"
        self.check(check.python_names, name, "def f(of, *, at=1): pass\n", "'of'", "'at'")
        self.check(check.python_names, name, "for one in x: made = one\n", "'one'", "'made'")
        self.check(check.python_names, name, "x.at = f(by=1).of; print(what)\n")
        self.check(check.python_names, "tests/python/fft_test.py", "one = 1\n")

    def test_modules_of_the_package_import_what_is_below_them(self):
        def imports(own, text, *expected):
            self.check(check.python_layers, f"python/wingbeat/{own}.py", text, *expected)

        imports("_arrays", "from wingbeat import _wingbeat\nfrom wingbeat._arguments import each\n")
        imports("_arrays", "from wingbeat._transform import transform\n", "imports _transform")
        imports("_arrays", "from wingbeat import _wingbeat, fft\n", "imports fft")
        imports("fft", "import numpy as np\nfrom wingbeat._arrays import library_of\n")
        imports("fft", "def f():\n    import wingbeat.torch\n", "imports torch")
        imports("fft", "from wingbeat import Device\n", "imports Device")
        imports("_arrays", "if TYPE_CHECKING:\n    from wingbeat.plan import Plan\n")
        imports("torch/_functions", "from wingbeat.torch._tensors import run\n")
        imports("torch/_functions", "from wingbeat._kinds import SINES\n")
        imports("jax", "from wingbeat.numpy import patch\n", "imports numpy")
        imports("compat/pyvkfft", "from wingbeat.plan import Plan\n")
        imports("_suite", "import wingbeat.numpy\nimport wingbeat.scipy\n")
        imports("unheard_of", "", "PYTHON_ORDER does not have")

    def test_order_names_modules_that_exist(self):
        package = Path(__file__).resolve().parents[2] / "python" / "wingbeat"
        for module in check.PYTHON_ORDER[1:]:
            with self.subTest(module):
                self.assertTrue((package / module).is_dir() or (package / f"{module}.py").is_file())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
