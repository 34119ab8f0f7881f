import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The JSON that each program prints. */
export const ANSWERS = ['hi\n\n[Exit code: 0]', 'job\n', 3];

const COMMANDS = `
  const job = new BashJob({ command: 'echo job' }, '/');
  const answers = Promise.all([
    bash({ command: 'echo hi' }, '/'),
    job.result.then(({ stdout }) => stdout),
    run('echo run; exit 3').then(({ exitCode }) => exitCode),
  ]);
`;

const TYPED = `
  const answer: string = await bash({ command: 'echo hi' }, '/');
  const job: BashJob = new BashJob({ command: 'echo job' }, '/', false, { timeout: 10_000 });
  job.on('exit', (code: number | null, signal: string | null) => void [code, signal]);
  let text = '';
  for await (const chunk of job) text += chunk.text;
  const result: RunResult = await run('echo run; exit 3', { timeout: 10_000 });
  console.log(JSON.stringify([answer, text, result.exitCode]));
`;

/** A program of a project that uses the package. */
const PROGRAMS: Record<string, string> = {
  'esm.mjs': `
    import { BashJob, bash, run } from 'agent-bash';
    ${COMMANDS}
    console.log(JSON.stringify(await answers));
  `,
  'commonjs.cjs': `
    const { BashJob, bash, run } = require('agent-bash');
    ${COMMANDS}
    answers.then((all) => console.log(JSON.stringify(all)));
  `,
  'worker.mjs': `
    import { once } from 'node:events';
    import { Worker } from 'node:worker_threads';
    const [code] = await once(new Worker(new URL(process.argv[2], import.meta.url)), 'exit');
    process.exitCode = code;
  `,
  'typescript.mts': `import { BashJob, bash, run, type RunResult } from 'agent-bash';${TYPED}`,
  'typescript.cts': `
    import { BashJob, bash, run, type RunResult } from 'agent-bash';
    async function main(): Promise<void> {${TYPED}}
    void main();
  `,
  'user.test.mjs': `
    import { BashJob, bash, run } from 'agent-bash';
    import { expect, it } from 'vitest';
    it('runs commands', async () => {
      ${COMMANDS}
      expect(await answers).toEqual(${JSON.stringify(ANSWERS)});
    });
  `,
};

export function writePrograms(directory: string): void {
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(directory, name), text);
}
