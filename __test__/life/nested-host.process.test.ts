import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { INDEX, PROCESSES } from '../support/node.js';
import { tag } from '../support/tag.js';

/** An agent that is itself a command of an agent: to its process come the orphans below it. */
async function nested(program: string): Promise<unknown> {
  const prelude = `
    import { run } from ${JSON.stringify(INDEX)};
    import { living } from ${JSON.stringify(PROCESSES)};
  `;
  const argv = [process.execPath, '--input-type=module', '-e', prelude + program];
  const { stdout, stderr } = await run(argv, { drain: 'end', timeout: 30_000 });
  return stdout === '' ? stderr : JSON.parse(stdout);
}

describe('a host that is a command itself', () => {
  it.each(['', 'setsid '])('reports what its command leaves: %ssleep', async (prefix) => {
    const seconds = tag();
    const reported = await nested(`
      const { stdout, backgroundPids } = await run('${prefix}sleep ${seconds} >/dev/null 2>&1 & echo $!');
      console.log(JSON.stringify([Number(stdout)].join() === backgroundPids.join()));
    `);
    expect(reported).toBe(true);
  });

  it.each(['', 'setsid '])('kills what its command must not leave: %ssleep', async (prefix) => {
    const seconds = tag();
    const reported = await nested(`
      await run('${prefix}sleep ${seconds} >/dev/null 2>&1 &', { background: 'kill' });
      console.log(living(['sleep', '${seconds}'].join(String.fromCharCode(0))).length);
    `);
    expect(reported).toBe(0);
  });
});
