/** Output of runners in an empty project, without the network, or without matches; each with its exit code. */
export const recorded: readonly { runner: string; exitCode: number; outputTail: string; problem: string }[] = [
  {
    runner: 'pytest',
    exitCode: 5,
    problem: 'pytest found no tests.',
    outputTail:
      '============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 0 items\n\n============================ no tests ran in 0.02s =============================\n',
  },
  { runner: 'pytest -q', exitCode: 5, problem: 'pytest found no tests.', outputTail: '\nno tests ran in 0.01s\n' },
  {
    runner: 'pytest, a file',
    exitCode: 4,
    problem: 'pytest says: file or directory not found: tests/test_x.py.',
    outputTail:
      '============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 0 items\n\n============================ no tests ran in 0.01s =============================\nERROR: file or directory not found: tests/test_x.py\n\n',
  },
  {
    runner: 'pytest, a test',
    exitCode: 4,
    problem: 'pytest says: not found: /workspace/test_b.py::nope.',
    outputTail:
      "============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 0 items\n\n============================ no tests ran in 0.01s =============================\nERROR: not found: /workspace/test_b.py::nope\n(no name '/workspace/test_b.py::nope' in any of [<Module test_b.py>])\n\n",
  },
  {
    runner: 'pytest -k',
    exitCode: 5,
    problem: 'pytest found no tests.',
    outputTail:
      '============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 1 item / 1 deselected / 0 selected\n\n============================ 1 deselected in 0.02s =============================\n',
  },
  {
    runner: 'pytest without a plugin',
    exitCode: 4,
    problem: 'pytest says: unrecognized arguments: --cov=x.',
    outputTail:
      'ERROR: usage: __main__.py [options] [file_or_dir] [file_or_dir] [...]\n__main__.py: error: unrecognized arguments: --cov=x\n  inifile: None\n  rootdir: /workspace\n\n',
  },
  {
    runner: 'pytest below make',
    exitCode: 2,
    problem: 'pytest found no tests.',
    outputTail:
      'python3 -m pytest\n============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 0 items\n\n============================ no tests ran in 0.01s =============================\nmake: *** [Makefile:2: test] Error 5\n',
  },
  {
    runner: 'go, no module',
    exitCode: 1,
    problem: 'go says: pattern ./...: directory prefix . does not contain main module or its selected dependencies.',
    outputTail: 'pattern ./...: directory prefix . does not contain main module or its selected dependencies\n',
  },
  {
    runner: 'go, no packages',
    exitCode: 1,
    problem: 'go says: no packages to test.',
    outputTail: 'go: warning: "./..." matched no packages\nno packages to test\n',
  },
  {
    runner: 'go, no files',
    exitCode: 1,
    problem: 'go says: no Go files in /workspace.',
    outputTail: 'no Go files in /workspace\n',
  },
  {
    runner: 'go, no directory',
    exitCode: 1,
    problem: 'go says: stat /workspace/sub: directory not found.',
    outputTail: 'stat /workspace/sub: directory not found\n',
  },
  {
    runner: 'go, no pattern',
    exitCode: 1,
    problem: 'go says: pattern ./sub/...: lstat ./sub/: no such file or directory.',
    outputTail: 'pattern ./sub/...: lstat ./sub/: no such file or directory\n',
  },
  {
    runner: 'go, no tests',
    exitCode: 0,
    problem: 'go found no tests.',
    outputTail: '?   \texample.com/m\t[no test files]\n',
  },
  {
    runner: 'go, no network',
    exitCode: 1,
    problem: 'go could not download a module.',
    outputTail:
      'go: finding module for package github.com/stretchr/testify/assert\n# example.com/m\na_test.go:4:8: module github.com/stretchr/testify/assert: Get "http://127.0.0.1:9/github.com/stretchr/testify/assert/@v/list": dial tcp 127.0.0.1:9: connect: connection refused\nFAIL\texample.com/m [setup failed]\nFAIL\n',
  },
  {
    runner: 'cargo, no package',
    exitCode: 101,
    problem: 'cargo says: could not find `Cargo.toml` in `/workspace` or any parent directory.',
    outputTail: 'error: could not find `Cargo.toml` in `/workspace` or any parent directory\n',
  },
  {
    runner: 'cargo, no target',
    exitCode: 101,
    problem: 'cargo says: no test target named `new` in default-run packages.',
    outputTail: 'error: no test target named `new` in default-run packages\n',
  },
  {
    runner: 'cargo, no tests',
    exitCode: 0,
    problem: 'cargo found no tests.',
    outputTail:
      '    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.03s\n     Running unittests src/lib.rs (target/debug/deps/m-81c9f5d764ef8bf2)\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests m\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n',
  },
  {
    runner: 'cargo, no crate',
    exitCode: 101,
    problem: 'cargo says: no matching package named `serde` found.',
    outputTail:
      "error: no matching package named `serde` found\nlocation searched: crates.io index\nrequired by package `m v0.1.0 (/workspace)`\nAs a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures, if this error is too confusing you may wish to retry without `--offline`.\n",
  },
  {
    runner: 'cargo, no network',
    exitCode: 101,
    problem: 'cargo says: failed to get `serde` as a dependency of package `m v0.1.0 (/workspace)`.',
    outputTail:
      '    Updating crates.io index\nwarning: spurious network error (3 tries remaining): [7] Could not connect to server (Failed to connect to 127.0.0.1 port 9 after 0 ms: Could not connect to server)\nwarning: spurious network error (2 tries remaining): [7] Could not connect to server (Failed to connect to 127.0.0.1 port 9 after 0 ms: Could not connect to server)\nwarning: spurious network error (1 try remaining): [7] Could not connect to server (Failed to connect to 127.0.0.1 port 9 after 0 ms: Could not connect to server)\nerror: failed to get `serde` as a dependency of package `m v0.1.0 (/workspace)`\n\nCaused by:\n  download of config.json failed\n\nCaused by:\n  failed to download from `https://index.crates.io/config.json`\n\nCaused by:\n  [7] Could not connect to server (Failed to connect to 127.0.0.1 port 9 after 0 ms: Could not connect to server)\n',
  },
  {
    runner: 'ava',
    exitCode: 1,
    problem: 'ava found no files to test.',
    outputTail: '\n  ✘ Couldn’t find any files to test\n\n',
  },
  {
    runner: 'jest',
    exitCode: 1,
    problem: 'jest found no tests.',
    outputTail:
      'No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\nIn /workspace\n  2 files checked.\n  testMatch: **/__tests__/**/*.?([mc])[jt]s?(x), **/?(*.)+(spec|test).?([mc])[jt]s?(x) - 0 matches\n  testPathIgnorePatterns: /node_modules/ - 2 matches\n  testRegex:  - 0 matches\nPattern:  - 0 matches\n',
  },
  {
    runner: 'jest, content',
    exitCode: 0,
    problem: 'jest found no tests.',
    outputTail: 'No tests found, exiting with code 0\n',
  },
  {
    runner: 'vitest',
    exitCode: 1,
    problem: 'vitest found no test files.',
    outputTail:
      '\n\u001B[1m\u001B[46m RUN \u001B[49m\u001B[22m \u001B[36mv3.2.7 \u001B[39m\u001B[90m/workspace\u001B[39m\n\n\u001B[31mNo test files found, exiting with code 1\n\u001B[39m\n\u001B[2mfilter: \u001B[22m\u001B[33mmissing\u001B[39m\n\u001B[2minclude: \u001B[22m\u001B[33m**/*.{test,spec}.?(c|m)[jt]s?(x)\u001B[39m\n\u001B[2mexclude:  \u001B[22m\u001B[33m**/node_modules/**\u001B[2m, \u001B[22m**/dist/**\u001B[2m, \u001B[22m**/cypress/**\u001B[2m, \u001B[22m**/.{idea,git,cache,output,temp}/**\u001B[2m, \u001B[22m**/{karma,rollup,webpack,vite,vitest,jest,ava,babel,nyc,cypress,tsup,build,eslint,prettier}.config.*\u001B[39m\n\n',
  },
  {
    runner: 'vitest, content',
    exitCode: 0,
    problem: 'vitest found no tests.',
    outputTail:
      '\n\u001B[1m\u001B[46m RUN \u001B[49m\u001B[22m \u001B[36mv3.2.7 \u001B[39m\u001B[90m/workspace\u001B[39m\n\nNo test files found, exiting with code 0\n\n\u001B[2minclude: \u001B[22m\u001B[33m**/*.{test,spec}.?(c|m)[jt]s?(x)\u001B[39m\n\u001B[2mexclude:  \u001B[22m\u001B[33m**/node_modules/**\u001B[2m, \u001B[22m**/dist/**\u001B[2m, \u001B[22m**/cypress/**\u001B[2m, \u001B[22m**/.{idea,git,cache,output,temp}/**\u001B[2m, \u001B[22m**/{karma,rollup,webpack,vite,vitest,jest,ava,babel,nyc,cypress,tsup,build,eslint,prettier}.config.*\u001B[39m\n\n',
  },
  {
    runner: 'mocha',
    exitCode: 1,
    problem: 'mocha found no test files.',
    outputTail: '\u001B[31mError: No test files found: "test/missing.js"\u001B[39m\n',
  },
  { runner: 'tap', exitCode: 1, problem: 'tap found no test files.', outputTail: 'No test files found\n' },
  {
    runner: 'tap, a file',
    exitCode: 1,
    problem: 'tap found no test files.',
    outputTail: 'No valid test files found matching "missing.js"\n',
  },
  {
    runner: 'tape, a file',
    exitCode: 1,
    problem: 'There is no `/workspace/missing.js`.',
    outputTail:
      "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module '/workspace/missing.js'\nRequire stack:\n- /workspace/node_modules/tape/bin/tape\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)\n    at resolve (node:internal/modules/helpers:193:19)\n    at /workspace/node_modules/tape/bin/tape:91:9\n    at Array.map (<anonymous>)\n    at Object.<anonymous> (/workspace/node_modules/tape/bin/tape:90:4)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)\n    at Module.load (node:internal/modules/cjs/loader:1266:32)\n    at Module._load (node:internal/modules/cjs/loader:1091:12)\n    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: [ '/workspace/node_modules/tape/bin/tape' ]\n}\n\nNode.js v20.20.2\n",
  },
  {
    runner: 'tape',
    exitCode: 0,
    problem: 'tape found no tests.',
    outputTail: 'TAP version 13\n\n1..0\n# tests 0\n# pass  0\n\n# ok\n\n',
  },
  {
    runner: 'yarn, no script',
    exitCode: 1,
    problem: 'yarn says: Command "missing" not found.',
    outputTail:
      'yarn run v1.22.22\nwarning package.json: No license field\nerror Command "missing" not found.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n',
  },
  {
    runner: 'yarn, no runner',
    exitCode: 127,
    problem: '`ava` was not found.',
    outputTail:
      'yarn run v1.22.22\nwarning package.json: No license field\n$ ava\n/bin/sh: 1: ava: not found\nerror Command failed with exit code 127.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n',
  },
  {
    runner: 'pnpm, no script',
    exitCode: 1,
    problem: 'pnpm says: Missing script: missing.',
    outputTail: ' ERR_PNPM_NO_SCRIPT  Missing script: missing\n\nCommand "missing" not found.\n',
  },
  {
    runner: 'pnpm, no runner',
    exitCode: 1,
    problem: '`ava` was not found.',
    outputTail:
      '\n> m@1.0.0 test /workspace\n> ava\n\nsh: 1: ava: not found\n ELIFECYCLE  Test failed. See above for more details.\n WARN   Local package.json exists, but node_modules missing, did you mean to install?\n',
  },
  {
    runner: 'npx, no network',
    exitCode: 1,
    problem: 'npm could not download a package (ECONNREFUSED).',
    outputTail:
      "npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error errno ECONNREFUSED\nnpm error FetchError: request to http://127.0.0.1:9/ava failed, reason: connect ECONNREFUSED 127.0.0.1:9\nnpm error     at ClientRequest.<anonymous> (/usr/share/npm/node_modules/minipass-fetch/lib/index.js:130:14)\nnpm error     at ClientRequest.emit (node:events:524:28)\nnpm error     at emitErrorEvent (node:_http_client:101:11)\nnpm error     at _destroy (node:_http_client:884:9)\nnpm error     at onSocketNT (node:_http_client:904:5)\nnpm error     at process.processTicksAndRejections (node:internal/process/task_queues:83:21) {\nnpm error   code: 'ECONNREFUSED',\nnpm error   errno: 'ECONNREFUSED',\nnpm error   syscall: 'connect',\nnpm error   address: '127.0.0.1',\nnpm error   port: 9,\nnpm error   type: 'system'\nnpm error }\nnpm error\nnpm error If you are behind a proxy, please make sure that the 'proxy' config is set properly.  See: 'npm help config'\nnpm error A complete log of this run can be found in: /home/agent/.npm/_logs/debug-0.log\n",
  },
  {
    runner: 'npm, no package',
    exitCode: 254,
    problem:
      "npm says: enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/workspace/package.json'",
    outputTail:
      "npm error code ENOENT\nnpm error syscall open\nnpm error path /workspace/package.json\nnpm error errno -2\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/workspace/package.json'\nnpm error enoent This is related to npm not being able to find a file.\nnpm error enoent\nnpm error A complete log of this run can be found in: /home/agent/.npm/_logs/debug-0.log\n",
  },
];

/** Output of the same runners for a failing test. */
export const recordedFailures: readonly { runner: string; exitCode: number; outputTail: string }[] = [
  {
    runner: 'pytest',
    exitCode: 1,
    outputTail:
      '============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 1 item\n\ntest_b.py F                                                              [100%]\n\n=================================== FAILURES ===================================\n____________________________________ test_x ____________________________________\n\n>   def test_x(): assert 1 == 2\nE   assert 1 == 2\n\ntest_b.py:1: AssertionError\n=========================== short test summary info ============================\nFAILED test_b.py::test_x - assert 1 == 2\n============================== 1 failed in 0.04s ===============================\n',
  },
  {
    runner: 'pytest, an import',
    exitCode: 2,
    outputTail:
      "============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 0 items / 1 error\n\n==================================== ERRORS ====================================\n__________________________ ERROR collecting test_a.py __________________________\nImportError while importing test module '/workspace/test_a.py'.\nHint: make sure your test modules/packages have valid Python names.\nTraceback:\n/usr/lib/python3.11/importlib/__init__.py:126: in import_module\n    return _bootstrap._gcd_import(name[level:], package, level)\ntest_a.py:2: in <module>\n    from greet import hello\nE   ModuleNotFoundError: No module named 'greet'\n=========================== short test summary info ============================\nERROR test_a.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n=============================== 1 error in 0.14s ===============================\n",
  },
  {
    runner: 'pytest, an import of a test that is named',
    exitCode: 4,
    outputTail:
      "============================= test session starts ==============================\nplatform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0+repack\nrootdir: /workspace\ncollected 0 items / 1 error\n\n==================================== ERRORS ====================================\n__________________________ ERROR collecting test_a.py __________________________\nImportError while importing test module '/workspace/test_a.py'.\nHint: make sure your test modules/packages have valid Python names.\nTraceback:\n/usr/lib/python3.11/importlib/__init__.py:126: in import_module\n    return _bootstrap._gcd_import(name[level:], package, level)\ntest_a.py:2: in <module>\n    from greet import hello\nE   ModuleNotFoundError: No module named 'greet'\n=========================== short test summary info ============================\nERROR test_a.py\n=============================== 1 error in 0.04s ===============================\nERROR: not found: /workspace/test_a.py::T::test_a\n(no name '/workspace/test_a.py::T::test_a' in any of [<Module test_a.py>])\n\n",
  },
  {
    runner: 'go',
    exitCode: 1,
    outputTail: '--- FAIL: TestA (0.00s)\n    a_test.go:5: no\nFAIL\nFAIL\texample.com/m\t0.003s\nFAIL\n',
  },
  {
    runner: 'go, a test that reports a failed request',
    exitCode: 1,
    outputTail:
      '--- FAIL: TestA (0.00s)\n    a_test.go:10: Get "http://127.0.0.1:9/": dial tcp 127.0.0.1:9: connect: connection refused\nFAIL\nFAIL\texample.com/m\t0.004s\nFAIL\n',
  },
  {
    runner: 'cargo',
    exitCode: 101,
    outputTail:
      "   Compiling m v0.1.0 (/workspace)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.38s\n     Running unittests src/lib.rs (target/debug/deps/m-81c9f5d764ef8bf2)\n\nrunning 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n\nthread 'a' (17423) panicked at src/lib.rs:1:17:\nassertion `left == right` failed\n  left: 1\n right: 2\nstack backtrace:\n   0: __rustc::rust_begin_unwind\n             at /rustc/library/std/src/panicking.rs:689:5\n   1: core::panicking::panic_fmt\n             at /rustc/library/core/src/panicking.rs:80:14\n   2: core::panicking::assert_failed_inner\n             at /rustc/library/core/src/panicking.rs:439:17\n   3: core::panicking::assert_failed::<i32, i32>\n             at /rustc/library/core/src/panicking.rs:394:5\n   4: m::a\n             at ./src/lib.rs:1:17\n   5: m::a::{{closure}}\n             at ./src/lib.rs:1:15\n   6: core::ops::function::FnOnce::call_once\n             at /rustc/library/core/src/ops/function.rs:250:5\n   7: <fn() -> core::result::Result<(), alloc::string::String> as core::ops::function::FnOnce<()>>::call_once\n             at /rustc/library/core/src/ops/function.rs:250:5\nnote: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.\n\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.23s\n\nerror: test failed, to rerun pass `--lib`\n",
  },
  {
    runner: 'vitest',
    exitCode: 1,
    outputTail:
      "\n\u001B[1m\u001B[46m RUN \u001B[49m\u001B[22m \u001B[36mv3.2.7 \u001B[39m\u001B[90m/workspaceava\u001B[39m\n\n \u001B[31m❯\u001B[39m a.spec.mjs \u001B[2m(\u001B[22m\u001B[2m1 test\u001B[22m\u001B[2m | \u001B[22m\u001B[31m1 failed\u001B[39m\u001B[2m)\u001B[22m\u001B[32m 18\u001B[2mms\u001B[22m\u001B[39m\n\u001B[31m   \u001B[31m×\u001B[31m a\u001B[39m\u001B[32m 14\u001B[2mms\u001B[22m\u001B[39m\n\u001B[31m     → expected 1 to be 2 // Object.is equality\u001B[39m\n\n\u001B[31m⎯⎯⎯⎯⎯⎯⎯\u001B[39m\u001B[1m\u001B[41m Failed Tests 1 \u001B[49m\u001B[22m\u001B[31m⎯⎯⎯⎯⎯⎯⎯\u001B[39m\n\n\u001B[41m\u001B[1m FAIL \u001B[22m\u001B[49m a.spec.mjs\u001B[2m > \u001B[22ma\n\u001B[31m\u001B[1mAssertionError\u001B[22m: expected 1 to be 2 // Object.is equality\u001B[39m\n\n\u001B[32m- Expected\u001B[39m\n\u001B[31m+ Received\u001B[39m\n\n\u001B[32m- 2\u001B[39m\n\u001B[31m+ 1\u001B[39m\n\n\u001B[36m \u001B[2m❯\u001B[22m a.spec.mjs:\u001B[2m1:63\u001B[22m\u001B[39m\n    \u001B[90m  1| \u001B[39m\u001B[35mimport\u001B[39m {test\u001B[33m,\u001B[39mexpect} \u001B[35mfrom\u001B[39m \u001B[32m'vitest'\u001B[39m\u001B[33m;\u001B[39m \u001B[34mtest\u001B[39m(\u001B[32m'a'\u001B[39m\u001B[33m,\u001B[39m () \u001B[33m=>\u001B[39m \u001B[34mexpect\u001B[39m(\u001B[34m1\u001B[39m)\u001B[33m.\u001B[39m\u001B[34mtoBe\u001B[39m(\u001B[34m2\u001B[39m))\u001B[33m;\u001B[39m\n    \u001B[90m   | \u001B[39m                                                              \u001B[31m^\u001B[39m\n    \u001B[90m  2| \u001B[39m\n\n\u001B[31m\u001B[2m⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯\u001B[22m\u001B[39m\n\n\n\u001B[2m Test Files \u001B[22m \u001B[1m\u001B[31m1 failed\u001B[39m\u001B[22m\u001B[90m (1)\u001B[39m\n\u001B[2m      Tests \u001B[22m \u001B[1m\u001B[31m1 failed\u001B[39m\u001B[22m\u001B[90m (1)\u001B[39m\n\u001B[2m   Start at \u001B[22m 07:26:02\n\u001B[2m   Duration \u001B[22m 504ms\u001B[2m (transform 63ms, setup 0ms, collect 24ms, tests 18ms, environment 0ms, prepare 170ms)\u001B[22m\n\n",
  },
  {
    runner: 'jest',
    exitCode: 1,
    outputTail:
      "FAIL ./a.test.cjs\n  ✕ a (10 ms)\n\n  ● a\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 2\n    Received: 1\n\n    \u001B[0m\u001B[31m\u001B[1m>\u001B[22m\u001B[39m\u001B[90m 1 |\u001B[39m test(\u001B[32m'a'\u001B[39m\u001B[33m,\u001B[39m () \u001B[33m=>\u001B[39m expect(\u001B[35m1\u001B[39m)\u001B[33m.\u001B[39mtoBe(\u001B[35m2\u001B[39m))\u001B[33m;\u001B[39m\n     \u001B[90m   |\u001B[39m                           \u001B[31m\u001B[1m^\u001B[22m\u001B[39m\n     \u001B[90m 2 |\u001B[39m\u001B[0m\n\n      at Object.<anonymous> (a.test.cjs:1:27)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\nSnapshots:   0 total\nTime:        0.503 s\nRan all test suites.\n",
  },
  {
    runner: 'mocha',
    exitCode: 1,
    outputTail:
      '\n\n  1) a\n\n  0 passing (4ms)\n  1 failing\n\n  1) a:\n     Error: no\n      at Context.<anonymous> (m.cjs:1:23)\n      at process.processImmediate (node:internal/timers:483:21)\n\n\n\n',
  },
  {
    runner: 'yarn',
    exitCode: 3,
    outputTail:
      'yarn run v1.22.22\n$ exit 3\nerror Command failed with exit code 3.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n',
  },
  {
    runner: 'pnpm',
    exitCode: 3,
    outputTail:
      '\n> m@1.0.0 test /workspace\n> exit 3\n\n ELIFECYCLE  Test failed. See above for more details.\n WARN   Local package.json exists, but node_modules missing, did you mean to install?\n',
  },
];
