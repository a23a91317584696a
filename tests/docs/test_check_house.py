# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
# Label: quick
"""scripts/check-house on small trees: a clean one passes, one with a violation fails and names it."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEAN = {
    "src/base/vec.hpp": "#include <vector>\n",
    "src/mesh/tree.cpp": '#include "mesh/tree.hpp"\n#include "base/vec.hpp"\n// Eulerian observers\n',
    "src/io/file.cpp": '#include "parallel/communicator.hpp"\n#include "fmt/format.h"\n',
    "src/simulation/run.cpp": '#include "io/file.hpp"\n#include "tasks/pool.hpp"\n',
    "src/physics/euler/euler.cpp": '#include "simulation/module.hpp"\n// density\n',
    "apps/meander/main.cpp": '#include "physics/modules.hpp"\n',
    "docs/house.md": "Nothing stands behind it.\n",
    "README.md": "A mini-app.\n",
}


class CheckHouse(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="meander-house-")
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        self.write(CLEAN)

    def write(self, files):
        for path, text in files.items():
            path = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)

    def check(self, *arguments):
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "scripts/check-house"), *(arguments or [self.root])],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def fails(self, files, *lines):
        self.write(files)
        self.assertEqual(self.check(), (1, list(lines)))

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.check(), (0, []))

    def test_a_class_of_many_public_functions(self):
        def source(count, kind="class"):
            functions = "".join(f"  const Cell<D>& f{i}(int a = 0) const {{ return g(a{i}); }}\n  void f{i}();\n" for i in range(count))
            return f"""template <class T>
{kind} Much final : public Base {{
  friend void h(int);
 public:
  // Constructors, nested types and overloads are not counted; "}}" neither.
  explicit Much(int a) : a_(a) {{}}
  ~Much();
  Much(const Much&) = delete;
  struct Part {{
    void p1();
  }};
{functions}
 private:
  void hidden();
  int a_ = 0;
}};
"""
        self.write({"src/mesh/much.hpp": source(25), "src/mesh/struct.hpp": source(25, "struct")})
        self.assertEqual(self.check(), (0, []))
        self.fails({"src/mesh/much.hpp": source(26)}, "src/mesh/much.hpp: Much has 26 public functions, more than 25")

    def test_a_name_of_two_unnamed_namespaces(self):
        one = "namespace {\n\n// What it does.\n{}\n\n}  // namespace\n"
        body = "double ratio(double a,\n             double b) {\n  return a / b;\n}"
        self.fails({"src/io/a.cpp": one.replace("{}", body), "src/io/far/b.cpp": one.replace("{}", "template <class T>\nint ratio(T) {\n}"),
                    "src/mesh/a.cpp": one.replace("{}", body), "src/physics/euler/a.cpp": one.replace("{}", "struct Sum {\n};"),
                    "src/physics/ccz4/a.cpp": one.replace("{}", "struct Sum {\n};")},
                   "src/io/a.cpp, src/io/far/b.cpp: ratio in unnamed namespaces of one room")

    def test_aliases_and_calls_are_no_definitions(self):
        for path in ("src/io/a.cpp", "src/io/b.cpp"):
            self.write({path: "namespace {\n\nusing Clock = int;\n\n}  // namespace\n\nint f() {\n  return g();\n}\n"})
        self.assertEqual(self.check(), (0, []))

    def test_an_include_upwards(self):
        self.fails({"src/base/log.cpp": '#include "gpu/device.hpp"\n'}, "src/base/log.cpp:1: base includes gpu/device.hpp")

    def test_a_relative_include_upwards(self):
        self.fails({"src/mesh/far/log.cpp": '\n#include "../../io/file.hpp"\n'},
                   "src/mesh/far/log.cpp:2: mesh includes ../../io/file.hpp")

    def test_rooms_beside_each_other(self):
        self.fails({"src/io/a.cpp": '#include "tasks/pool.hpp"\n#include "mesh/tree.hpp"\n',
                    "src/tasks/b.cpp": '#include "io/file.hpp"\n#include "mesh/tree.hpp"\n'},
                   "src/io/a.cpp:1: io includes tasks/pool.hpp", "src/io/a.cpp:2: io includes mesh/tree.hpp",
                   "src/tasks/b.cpp:1: tasks includes io/file.hpp")

    def test_simulation_does_not_include_physics_nor_programs(self):
        self.fails({"src/simulation/a.cpp": '#include "physics/modules.hpp"\n#include "apps/meander/ranks.hpp"\n'},
                   "src/simulation/a.cpp:1: simulation includes physics/modules.hpp",
                   "src/simulation/a.cpp:2: simulation includes apps/meander/ranks.hpp")

    def test_a_room_of_no_order(self):
        self.fails({"src/attic/a.cpp": "\n"}, "src/attic/a.cpp: 'attic' is none of the rooms base, gpu, solvers, offload, "
                   "parallel, mesh, io, tasks, simulation, physics")

    def test_an_offload_engine_that_needs_ranks(self):
        self.fails({"src/offload/a.hpp": '#include "parallel/communicator.hpp"\n#include "mesh/tree.hpp"\n#include "tasks/b.hpp"\n',
                    "src/mesh/c.hpp": '#include "offload/engine.hpp"\n', "src/tasks/d.hpp": '#include "offload/engine.hpp"\n',
                    "src/solvers/e.hpp": '#include "parallel/communicator.hpp"\n'},
                   "src/mesh/c.hpp:1: mesh includes offload/engine.hpp", "src/offload/a.hpp:1: offload includes parallel/communicator.hpp",
                   "src/offload/a.hpp:2: offload includes mesh/tree.hpp", "src/offload/a.hpp:3: offload includes tasks/b.hpp",
                   "src/solvers/e.hpp:1: solvers includes parallel/communicator.hpp")

    def test_words_of_one_equation(self):
        self.fails({"src/tasks/batch_execution.cpp": "\nint eulerFlux;  // and Eulerian\n", "src/mesh/puncture_box.hpp": "\n"},
                   "src/mesh/puncture_box.hpp: the name of the file has 'puncture', a word of one equation",
                   "src/tasks/batch_execution.cpp:2: 'euler', a word of one equation")

    def test_a_full_folder(self):
        self.fails({f"src/simulation/part{i}.hpp": "\n" for i in range(30)},
                   "src/simulation: 31 files directly in this folder, more than 30")
        self.write({"src/simulation/report/more.hpp": "\n"})
        self.assertEqual(len(self.check()[1]), 1)

    def test_a_long_file(self):
        self.write({"apps/meander/main.cpp": "\n" * 700})
        self.assertEqual(self.check(), (0, []))
        self.fails({"apps/meander/main.cpp": "\n" * 701}, "apps/meander/main.cpp: 701 lines, more than 700")

    def test_phrases_to_avoid(self):
        self.write({"docs/a.md": "behind\n" * 11, "README.md": "behinds, so manyfold\n"})
        self.assertEqual(self.check(), (0, []))
        self.fails({"src/base/vec.hpp": "\n// Memory is\n  // had; Whoever\n"},
                   "src/base/vec.hpp:2: 'is had'", "src/base/vec.hpp:3: 'Whoever'", "docs/a.md:1: 'behind'",
                   *(f"docs/a.md:{i}: 'behind'" for i in range(2, 12)), "docs/house.md:1: 'behind'",
                   "src, apps, docs, README.md: 14 phrases to avoid, more than 12")

    def test_wrong_usage(self):
        self.assertEqual(self.check(os.path.join(self.root, "docs"))[0], 2)
        self.assertEqual(self.check("--fix")[0], 2)
        self.assertEqual(self.check("--help")[0], 0)


if __name__ == "__main__":
    unittest.main()
