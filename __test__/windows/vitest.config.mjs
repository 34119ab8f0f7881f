// The tests of Windows, which run in Node.js for Windows (scripts/test-windows.sh --js).

import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const { AGENT_BASH_TEST_ADDON: addon, AGENT_BASH_TEST_SOAK: soak } = process.env;
const SOAK_TESTS = '__test__/windows/**/*.soak.test.ts';
const root = fileURLToPath(new URL('../..', import.meta.url));

export default defineConfig({
  root,
  resolve: { alias: [{ find: 'agent-bash/tools', replacement: `${root}entry/tools.js` }] },
  test: {
    include: soak === undefined ? ['__test__/{windows,platforms}/**/*.test.ts'] : [SOAK_TESTS],
    exclude: soak === undefined ? [...configDefaults.exclude, SOAK_TESTS] : configDefaults.exclude,
    pool: 'forks',
    // Each process starts another server of wine's, and reads the addon anew.
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Vitest has addons that heed this variable of napi-rs, so it is set for the tests alone.
    env: addon === undefined ? {} : { NAPI_RS_NATIVE_LIBRARY_PATH: addon },
    server: { deps: { external: [/[\\/](index\.js|native\.cjs|bundle[\\/].*|entry[\\/].*)$/] } },
  },
});
