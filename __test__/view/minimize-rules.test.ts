import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type MinimizeReason, view } from '../../index.js';

const RULES = new URL('../../src/text/view/minimize/rules.json', import.meta.url);

/** Lines of a program: those that its rules leave out, by the reason, and others that stay. */
interface Sample {
  command: string;
  leftOut: Partial<Record<MinimizeReason, string[]>>;
  stay: string[];
}

/** A sample for each rule set of the package. */
const SAMPLES: Record<string, Sample> = {
  cargo: {
    command: 'cargo test',
    leftOut: {
      built: [
        '   Compiling serde v1.0.219',
        '    Checking app v0.1.0 (/home/user/app)',
        '       Fresh itoa v1.0.15',
      ],
      progress: ['  Downloaded regex v1.11.1', '    Updating crates.io index'],
      'passed tests': [
        'test orders::rejects_errors ... ok',
        '        PASS [   0.008s] (  1/150) app orders::adds',
      ],
    },
    stay: [
      'test orders::adds ... ignored',
      '     Running unittests src/lib.rs (target/debug/deps/app-1f)',
      'running 3 tests',
    ],
  },
  pytest: {
    command: 'python3 -m pytest -v',
    leftOut: {
      'passed tests': [
        'tests/test_a.py::test_error PASSED                        [ 50%]',
        'tests/test_a.py ..........                                [ 10%]',
        '[gw0] [ 10%] PASSED tests/test_a.py::test_b',
      ],
    },
    stay: [
      'tests/test_a.py ....s.....                                [ 10%]',
      'collected 12 items',
      'tests/test_a.py::test_x SKIPPED (no network)',
    ],
  },
  unittest: {
    command: 'python -m unittest -v',
    leftOut: { 'passed tests': ['test_a (app.T.test_a) ... ok', 'test_b (app.T.test_b)'] },
    stay: ["test_c (app.T.test_c) ... skipped 'no network'", 'OK'],
  },
  django: {
    command: 'python manage.py migrate',
    leftOut: { built: ['  Applying auth.0001_initial... OK'] },
    stay: ['Running migrations:', '  No migrations to apply.'],
  },
  go: {
    command: 'go test -v ./...',
    leftOut: {
      'passed tests': [
        '=== RUN   TestA/one',
        '    --- PASS: TestA/one (0.00s)',
        'ok  \texample.org/app\t0.012s',
        '?   \texample.org/b\t[no test files]',
      ],
      progress: ['go: downloading example.org/c v1.2.0'],
    },
    stay: [
      '--- SKIP: TestB (0.00s)',
      'ok  \texample.org/app\t0.012s\tcoverage: 81.2% of statements',
      '    a_test.go:12: state 3',
    ],
  },
  jest: {
    command: 'npx jest --verbose',
    leftOut: {
      'passed tests': [
        'PASS src/a.test.js',
        '    ✓ rejects an invalid date (2 ms)',
        '✔ sums 3 (0.1ms)',
        'ok 3 - has no error',
      ],
    },
    stay: ['  group of tests', '    ○ skipped adds', 'src/a.js |   81.2 |'],
  },
  tap: {
    command: 'prove -v t',
    leftOut: { 'passed tests': ['ok 3 - has no error', 't/a.t .. ok'] },
    stay: ['# a comment of a test', '1..3'],
  },
  robot: {
    command: 'robot t.robot',
    leftOut: { 'passed tests': ['Row 1 Is Stored                          | PASS |'] },
    stay: ['Row 2 Is Stored                          | SKIP |'],
  },
  ctest: {
    command: 'ctest',
    leftOut: {
      'passed tests': [
        '      Start  1: unit',
        ' 1/41 Test  #1: unit .................   Passed    0.01 sec',
        ' 1/40 unit0  OK  0.01s',
      ],
    },
    stay: ['Test project /home/user/app/build', ' 2/41 Test  #2: unit .................***Skipped 0.01 sec'],
  },
  gtest: { command: '', leftOut: {}, stay: [] },
  make: {
    command: 'make -j2',
    leftOut: {
      built: [
        '  CC      kernel/fork.o',
        '[ 12%] Building C object CMakeFiles/a.dir/a.c.o',
        '[3/9] Building C object a.c.o',
        'gcc -O2 -c -o a.o a.c',
        "make[2]: Entering directory '/home/user/app/src'",
      ],
    },
    stay: ['installing to /usr/local', 'cc -o app a.o b.o'],
  },
  configure: {
    command: './configure',
    leftOut: {
      progress: ['checking whether the compiler works... yes', '-- Detecting C compile features - done'],
    },
    stay: ['checking for libfoo... no', '-- Configuring done (0.1s)'],
  },
  npm: {
    command: 'npm ci',
    leftOut: {
      notices: ['npm warn deprecated glob@7.2.3: use a newer one', '12 packages are looking for funding'],
      progress: ['npm http fetch GET 200 https://example.org/lodash 12ms (cache hit)'],
    },
    stay: [
      'added 12 packages, and audited 13 packages in 2s',
      'npm http fetch GET 404 https://example.org/lodahs 12ms',
    ],
  },
  pip: {
    command: 'pip install flask',
    leftOut: {
      progress: [
        'Collecting flask',
        '  Downloading flask-3.1.0-py3-none-any.whl (102 kB)',
        '     ━━━━━━━━━━━━━━━━ 3.9/3.9 MB 20.2 MB/s eta 0:00:00',
      ],
      built: ['Requirement already satisfied: click>=8 in ./.venv/lib (8.1.8)'],
      notices: ['[notice] A new release of pip is available: 24.0 -> 25.1'],
    },
    stay: ['Successfully installed flask-3.1.0'],
  },
  apt: {
    command: 'sudo apt-get install -y jq',
    leftOut: {
      progress: ['Get:1 https://example.org/debian bookworm/main amd64 jq amd64 1.6-2.1 [64.9 kB]'],
      built: [
        'Selecting previously unselected package jq.',
        'Unpacking jq (1.6-2.1) ...',
        'Setting up jq (1.6-2.1) ...',
      ],
    },
    stay: ['Inst jq (1.6-2.1 Debian:12 [amd64])', 'The following NEW packages will be installed:'],
  },
  apk: {
    command: 'apk add jq',
    leftOut: { built: ['(1/3) Installing oniguruma (6.9.8-r1)'] },
    stay: ['OK: 12 MiB in 20 packages'],
  },
  docker: {
    command: 'docker build .',
    leftOut: {
      progress: [
        '5f70bf18a086: Pulling fs layer',
        '#5 sha256:5f70bf 1.05MB / 28.2MB 0.2s',
        'Copying blob sha256:5f70bf',
      ],
      built: ['Step 3/9 : RUN make', 'STEP 3/9: RUN make', '#7 [2/5] RUN make', '#7 DONE 1.2s', '#8 CACHED'],
    },
    stay: [
      '#7 0.412 the output of a step',
      'Successfully tagged app:latest',
      'app  latest  5f70bf18a086  2 hours ago  28MB',
    ],
  },
  git: {
    command: 'git clone https://example.org/a',
    leftOut: { progress: ['remote: Counting objects:  12% (22/180)', 'Receiving objects:  98% (177/180)'] },
    stay: [' * branch            main       -> FETCH_HEAD', 'Updating 1f2e3d..4c5b6a'],
  },
  'git-diff': { command: 'git diff', leftOut: {}, stay: ['+  "version": "1.0.0"', ' unchanged'] },
  files: {
    command: 'find . -name package.json',
    leftOut: { 'generated files': ['./node_modules/a/package.json', './app/.git/config'] },
    stay: ['./src/package.json', './targets/a', './my_node_modules/a'],
  },
  terraform: {
    command: 'terraform apply -auto-approve',
    leftOut: {
      progress: [
        'aws_instance.a: Still creating... [10s elapsed]',
        'aws_instance.a: Refreshing state... [id=i-1]',
      ],
    },
    stay: ['aws_instance.a: Creation complete after 12s [id=i-1]', '  + ami = "a"'],
  },
  maven: {
    command: 'mvn -B test',
    leftOut: {
      progress: ['[INFO] Downloading from central: https://example.org/a.pom'],
      'passed tests': ['[INFO] Running org.example.ATest'],
      built: ['[INFO] Copying 1 resource'],
    },
    stay: [
      '[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in org.example.ATest',
    ],
  },
  gradle: {
    command: './gradlew build',
    leftOut: { built: ['> Task :app:compileJava UP-TO-DATE'], 'passed tests': ['ATest > adds PASSED'] },
    stay: ['12 actionable tasks: 12 up-to-date'],
  },
  java: {
    command: 'javac -verbose A.java',
    leftOut: { built: ['[loading /modules/java.base/java/lang/Object.class]', '[wrote out/A.class]'] },
    stay: ['[total 312ms]'],
  },
  downloads: {
    command: 'wget https://example.org/a',
    leftOut: {
      progress: [
        '    50K .......... .......... .......... .......... ..........  3%  706M 0s',
        '100 2929k  100 2929k    0     0  15.6M      0 --:--:-- --:--:-- --:--:-- 15.6M',
      ],
    },
    stay: ['Saving to: ‘a’', 'Length: 3000000 (2.9M) [application/octet-stream]'],
  },
  bundlers: {
    command: 'npx webpack --progress',
    leftOut: { progress: ['<s> [webpack.Progress] 10% building', '10% building 3/12 modules'] },
    stay: ['asset main.js 2.1 KiB [emitted] (name: main)'],
  },
  sphinx: {
    command: 'sphinx-build docs out',
    leftOut: { progress: ['reading sources... [ 10%] index'] },
    stay: ['build succeeded.'],
  },
  compileall: {
    command: 'python -m compileall .',
    leftOut: { built: ["Compiling './a.py'..."] },
    stay: ['done'],
  },
  bundler: {
    command: 'bundle install',
    leftOut: { built: ['Using rake 13.2.1', 'Installing rack 3.1.8'], progress: ['Fetching rack 3.1.8'] },
    stay: ['Bundle complete! 3 Gemfile dependencies, 12 gems now installed.'],
  },
  plain: { command: 'git status', leftOut: {}, stay: ['\tmodified:   a.txt'] },
};

/** The number of rows of a log: enough for short lines too. */
const ROWS = 200;

/** Returns the reasons of a view of a log in which a line stands {@link ROWS} times, between two others. */
async function reasonsOf(name: string, command: string, line: string): Promise<unknown[]> {
  const log = `a first line\n${`${line}\n`.repeat(ROWS)}a last line\n`;
  const { leftOut } = await view(log, {
    command,
    exitCode: 0,
    maxBytes: 100_000,
    minimize: { only: [name] },
  });
  return leftOut.map(({ lines, reason }) => [lines, reason]);
}

it('Each rule set of the package has a sample', () => {
  const { sets } = JSON.parse(readFileSync(RULES, 'utf8')) as { sets: { name: string }[] };
  expect(Object.keys(SAMPLES)).toEqual(sets.map(({ name }) => name));
});

describe.each(Object.entries(SAMPLES).filter(([, { command }]) => command !== ''))(
  'the rules of %s',
  (name, { command, leftOut, stay }) => {
    const lines = Object.entries(leftOut).flatMap(([reason, all]) =>
      all.map((line) => [line, reason] as const),
    );
    it.each(lines)('leave out %s', async (line, reason) => {
      expect(await reasonsOf(name, command, line)).toEqual([
        [reason === 'notices' ? ROWS - 1 : ROWS, reason],
      ]);
    });

    it.each(stay)('let %s stay', async (line) => {
      expect(await reasonsOf(name, command, line)).toEqual([]);
    });
  },
);

it('The rules of googletest hold after its first line', async () => {
  const run = '[ RUN      ] Orders.Adds\n[       OK ] Orders.Adds (0 ms)\n'.repeat(40);
  const log = `[==========] Running 40 tests from 1 test suite.\n${run}[  PASSED  ] 40 tests.\n`;
  const { leftOut } = await view(log, { command: './orders_test', exitCode: 0, minimize: true });
  expect(leftOut.map(({ lines, reason }) => [lines, reason])).toEqual([[80, 'passed tests']]);
});

it('Lines of bundlers stay among those of tests', async () => {
  const tests = Array.from({ length: 60 }, (_, index) => `✓ case ${index}\n`).join('');
  const log = `PASS src/a.test.js\n${tests}✓ built in 1.11s\n${tests}end\n`;
  const { text } = await view(log, { command: 'npx jest && npx vite build', exitCode: 0, minimize: true });
  expect(text).toContain('\n✓ built in 1.11s\n');
});
