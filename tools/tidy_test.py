#!/usr/bin/env python3
"""Shows that tools/tidy bites: each rule is broken once in a small tree of its own."""
import os
import subprocess
import sys
import tempfile
import unittest

TIDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tidy")


def tidy(files):
    """Runs tidy over a tree of these files; answers its exit code and what it printed."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, TIDY, root], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout


class TidyTest(unittest.TestCase):
    def refused(self, files, where, what):
        code, out = tidy(files)
        self.assertEqual(code, 1, out)
        self.assertIn(where, out)
        self.assertIn(what, out)

    def accepted(self, files):
        code, out = tidy(files)
        self.assertEqual(code, 0, out)

    def test_arrows_point_inwards_only(self):
        self.refused({"src/core/a.cpp": '#include "ports/store.h"\n'}, "src/core/a.cpp:1",
                     "may not include")
        self.refused({"src/host/a.cpp": '\n#include "adapters/memory/x.h"\n'}, "src/host/a.cpp:2",
                     "may not include")
        self.refused({"src/adapters/sqlite/a.cpp": '#include "adapters/http/x.h"\n'},
                     "src/adapters/sqlite/a.cpp:1", "may not include")
        self.refused({"src/cli/a.cpp": '#include "adapters/http/x.h"\n'}, "src/cli/a.cpp:1",
                     "may not include")
        self.accepted({"src/main.cpp": '#include "adapters/http/x.h"\n',
                       "src/adapters/http/a.cpp": '#include "adapters/http/x.h"\n',
                       "src/host/a_test.cpp": '#include "adapters/memory/x.h"\n',
                       "src/server/a.cpp": '#include "host/host.h"\n'})

    def test_core_is_pure(self):
        for line in ("auto t = std::chrono::steady_clock::now();", "#include <mutex>",
                     "const char* v = getenv(name);", "std::unordered_map<int, int> m;",
                     "auto t = clock_.now();"):
            self.refused({"src/core/a.cpp": line + "\n"}, "src/core/a.cpp:1", "may not stand")
        self.accepted({"src/core/a.cpp": "// unordered_ things are not used here\n"
                                         'auto text = "getenv";\nauto t = given.now;\n',
                       "src/host/a.cpp": "#include <mutex>\n"})

    def test_third_party_headers_have_one_place(self):
        self.refused({"src/host/a.cpp": "#include <sqlite3.h>\n"}, "src/host/a.cpp:1", "belongs to")
        self.refused({"src/host/a.cpp": "#include <boost/asio.hpp>\n"}, "src/host/a.cpp:1",
                     "does not know")
        self.accepted({"src/adapters/sqlite/a.cpp": "#include <sqlite3.h>\n#include <vector>\n",
                       "src/cli/a.cpp": "#include <unistd.h>\n"})

    def test_sizes(self):
        self.refused({"src/base/a.cpp": "int x;\n" * 501}, "src/base/a.cpp:1", "501 lines")
        self.refused({"src/base/a.cpp": "x" * 101 + "\n"}, "src/base/a.cpp:1", "101 columns")
        long_body = "int f() {\n" + "  g();\n" * 100 + "}\n"
        self.refused({"src/base/a.cpp": "\n" + long_body}, "src/base/a.cpp:2", "102 lines")
        self.accepted({"src/base/a.cpp": "struct A {\n" + "  int a;\n" * 150 + "};\n",
                       "src/base/b.cpp": "é" * 100 + "\n"})

    def test_requirements_name_a_test_that_exists(self):
        spec = "| id | what | shown by |\n|---|---|---|\n| G-1 | fields | {} |\n"
        test = "TEST(A, fields_are_read) {}\n"
        self.refused({"docs/spec/graph.md": spec.format("")}, "docs/spec/graph.md:3", "no test")
        self.refused({"docs/spec/graph.md": spec.format("`test/a.cpp:gone`"), "test/a.cpp": test},
                     "docs/spec/graph.md:3", "has no test gone")
        self.refused({"docs/spec/graph.md": spec.format("`test/b.cpp`")}, "docs/spec/graph.md:3",
                     "no file")
        self.refused({"docs/spec/graph.md": spec.format("later: issue 4"),
                      "test/a.cpp": "// G-2\n" + test}, "test/a.cpp:1", "no requirement")
        self.accepted({"docs/spec/graph.md": spec.format("`test/a.cpp:fields_are_read`"),
                       "test/a.cpp": "// G-1\n" + test})
        self.accepted({"docs/spec/graph.md": spec.format("later: issue 4")})

    def test_the_project_speaks_of_itself(self):
        self.refused({"README.md": "see /" + "root/notes\n"}, "README.md:1", "one machine")
        self.refused({"src/base/a.cpp": "// TO" + "DO later\n"}, "src/base/a.cpp:1", "oneself")
        self.accepted({"README.md": "the route /healthz, the path src/root/x\n"})


if __name__ == "__main__":
    unittest.main()
