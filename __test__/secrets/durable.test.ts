import { describe, expect, it } from 'vitest';
import type { RedactOptions } from '../../index.js';
import { durableDirectory, durableJobs } from '../durable/support.js';
import { leaksOnlyWithout, QUOTED, redact } from './support.js';

const COMMAND = `echo ${QUOTED}; read -r line; echo ${QUOTED} $line`;

/** Starts a durable job, and attaches to it from another table. */
async function attached(own: RedactOptions | undefined): Promise<unknown> {
  const directory = durableDirectory();
  const first = durableJobs(directory).start(COMMAND, { stdin: 'pipe', redact: own });
  await new Promise((resolve) => first.on('data', resolve));
  const second = await durableJobs(directory).attach(first.id, { since: 0, redact: own });
  second.write('more\n');
  const results = await Promise.all([first.result, second.result]);
  return [results, first.durable, second.durable, first.read(0), second.read(0), second.command];
}

describe('a durable job', () => {
  it('does not give a value to the process that has started it, nor to one that attaches', async () => {
    await leaksOnlyWithout(attached);
  });

  it('is found again by its name, though its command has a value', async () => {
    const directory = durableDirectory();
    const ensure = () => durableJobs(directory).ensure('server', `sleep 60; : ${QUOTED}`, { redact });
    const [one, other] = [await ensure(), await ensure()];
    expect(other.id).toBe(one.id);
    expect(other.command).toBe("sleep 60; : '[redacted:KEY]'");
    one.kill('SIGKILL');
    await one.result;
  });
});
