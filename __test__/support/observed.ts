// The package with an observer of each command: `AGENT_BASH_TEST_OBSERVED=1 npx vitest run …` runs the tests
// of commands again while they are recorded and watched, in place of `index.js`. Nothing of a command may
// differ.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Package from '../../index.js';
import type * as LivePackage from '../../types/live/api.js';
import { real } from './real-package.js';

const entry = pathToFileURL(fileURLToPath(new URL('../../entry/live.js', import.meta.url))).href;
const { Live }: typeof LivePackage = await import(entry);

const live = new Live();
const directory = mkdtempSync(join(tmpdir(), 'agent-bash-observed-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
process.on('warning', (warning) => {
  if ((warning as { code?: string }).code === 'OBSERVER_FAILED') throw warning;
});

// A reader takes all events.
(async () => {
  for await (const event of live) if (event.seq < 0) throw new Error('an event without a number');
})();

live.add(real.jobs);

const run = (async (command: string, options?: Package.RunOptions) => {
  // A command that may become a job is observed by its table: its result would keep the recording.
  const mayMove = options?.onTimeout === 'background' || options?.background === 'adopt';
  const isPlain = Object.getPrototypeOf(options ?? {}) === Object.prototype && options !== null;
  if (mayMove || !isPlain) return real.run(command, options);
  const result = await real.run(command, { ...options, record: { directory } });
  delete result.recording;
  return result;
}) as typeof Package.run;

class Jobs extends real.Jobs {
  constructor(options?: Package.JobsOptions) {
    super(options);
    live.add(this);
  }
}

class ShellSession extends real.ShellSession {
  constructor(options?: Package.SessionOptions) {
    super(options);
    live.add(this);
  }
}

export * from './real-package.js';
export { Jobs, run, ShellSession };
