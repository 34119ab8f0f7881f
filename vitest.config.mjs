import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { TABLE } from './scripts/machine.mjs';

const TESTS = '__test__/**/*.test.{js,ts}';
// Tests that change or count what belongs to the whole process (its directory, its exit, its descriptors and
// threads).
const PROCESS_TESTS = '__test__/**/*.process.test.{js,ts}';
// Long runs that measure: they need the machine for themselves.
const SOAK_TESTS = '__test__/**/*.soak.test.{js,ts}';
// What a worker makes no difference to: texts, rules and documents, and what Rust and other processes do with
// a command that the binding has passed on, as it does in every other test.
const ONCE_TESTS = [
  'differential/**',
  'pitfalls/**',
  'platforms/**',
  'policy/**',
  'sandbox/**',
  'scripts/**',
  'target/**',
  'tools/*/**',
  'tools/!(toolset).test.ts',
  'view/**',
  'changed-since.test.ts',
  'docs.test.ts',
  'examples.test.ts',
].map((name) => `__test__/${name}`);
// Type tests are not run: `npm run test:types` compiles them.
// So are the SDKs, which only the tests of their own project have.
const SDK_TESTS = '__test__/sdks/**/*.test.ts';
// A browser, and what drives it, have a project of their own too.
const BROWSER_TESTS = '__test__/browser/**/*.test.ts';
// The tests of Windows run in its Node.js (scripts/test-windows.sh --js).
const OTHER_TESTS = ['types', 'sdks', 'browser', 'windows'].map((name) => `__test__/${name}/**`);
const exclude = [...configDefaults.exclude, ...OTHER_TESTS];

const root = fileURLToPath(new URL('.', import.meta.url));
const literally = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

// As in .config/nextest.toml.
const retry = process.env.CI ? 1 : 0;

/**
 * Returns the aliases by which tests get a file of `__test__/support` in place of the package. Vite reads
 * them in order.
 */
const inPlace = (variable, file) =>
  process.env[variable] === undefined
    ? []
    : [
        {
          find: /^(\.\.\/index\.js|\.\.\/\.\.\/index\.js|agent-bash)$/,
          replacement: `${root}__test__/support/${file}`,
        },
      ];

/**
 * With the first variable, the commands of the tests run on a target; with the second one, they are observed.
 */
const replaced = [
  ...inPlace('AGENT_BASH_TEST_TARGET', 'on-target.ts'),
  ...inPlace('AGENT_BASH_TEST_OBSERVED', 'observed.ts'),
];

/** What tests need by a tag: they are skipped, and counted by reason, where the machine does not have it. */
const tags = TABLE.filter(({ name }) => /^[\w-]+$/.test(name)).map(({ name, leavesOut, isThere }) => ({
  name,
  description: `needed by: ${leavesOut}`,
  // Of several tags, the last one with `skip` counts.
  ...(!isThere() && { skip: true }),
}));

/** Two workers per processor: the tests wait for half of their time, for processes and their deadlines. */
const maxWorkers = 2 * availableParallelism();

export default defineConfig({
  resolve: {
    alias: [
      ...replaced,
      { find: 'agent-bash/testing/vitest', replacement: `${root}bundle/testing/vitest.mjs` },
      { find: 'agent-bash/testing', replacement: `${root}entry/testing.mjs` },
      { find: 'agent-bash/console', replacement: `${root}bundle/adapters/console.mjs` },
      { find: 'agent-bash/live', replacement: `${root}entry/live.js` },
      { find: 'agent-bash/tools', replacement: `${root}entry/tools.js` },
      { find: 'agent-bash', replacement: `${root}index.js` },
    ],
  },
  test: {
    reporters: ['default', './__test__/reporter.ts'],
    retry,
    tags,
    maxWorkers,
    globalSetup: ['__test__/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
    server: {
      // The package is loaded by Node itself, as a user's program would do, and not rewritten by vite.
      deps: { external: [new RegExp(`^${literally(root)}(index\\.js|native\\.cjs|bundle/|entry/)`)] },
    },
    // Agents run in processes and in workers, so what passes between Node.js and the addon is tested in both.
    projects: [
      {
        extends: true,
        test: { name: 'forks', pool: 'forks', include: [TESTS], exclude: [...exclude, SOAK_TESTS] },
      },
      {
        extends: true,
        test: {
          name: 'threads',
          pool: 'threads',
          include: [TESTS],
          exclude: [...exclude, SOAK_TESTS, PROCESS_TESTS, ...ONCE_TESTS],
        },
      },
      {
        // Here the package is found as users find it, in node_modules.
        test: {
          name: 'sdks',
          tags,
          pool: 'forks',
          include: [SDK_TESTS],
          globalSetup: ['__test__/sdks/setup.ts'],
          retry,
          maxWorkers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          server: { deps: { external: [/\/node_modules\//] } },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          pool: 'forks',
          include: [BROWSER_TESTS],
          globalSetup: ['__test__/setup.ts', '__test__/browser/setup.ts'],
          // Each file has a browser of its own, which takes a processor.
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          pool: 'forks',
          include: [SOAK_TESTS],
          exclude,
          // After all the others, one file at a time.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
