import { onTestFinished } from 'vitest';
import { Jobs } from '../../index.js';
import { temporaryDirectory } from '../support/directory.js';
import { INDEX, NodeProcess } from '../support/node.js';
import { until } from '../support/processes.mjs';

/**
 * A directory of durable jobs, until the end of the test, which ends all of them. The option `cache` of the
 * helper's copy is that of the user.
 */
export function durableDirectory(): string {
  const directory = temporaryDirectory();
  onTestFinished(async () => {
    const jobs = new Jobs({ durable: { directory } });
    const running = () => jobs.find({ running: true, all: true });
    for (const { id } of await running()) await jobs.stop(id, 'SIGKILL');
    await until(async () => (await running()).length === 0, 'all durable jobs have ended');
  });
  return directory;
}

/** A table of durable jobs, which lets them go at the end of the test. */
export function durableJobs(directory: string, options: object = {}): Jobs {
  const jobs = new Jobs({ durable: { directory, ...options } });
  onTestFinished(() => jobs.release());
  return jobs;
}

/** A Node process with a table `jobs` of durable jobs in a directory. */
export function durableHost(directory: string, program: string): NodeProcess {
  const durable = JSON.stringify({ directory, root: process.cwd() });
  return new NodeProcess(`
    import { Jobs } from ${JSON.stringify(INDEX)};
    const jobs = new Jobs({ durable: ${durable} });
    ${program}
  `);
}
