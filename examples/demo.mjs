// Runs two commands in this repository and prints their output while it comes: `npm run demo`.
import { fileURLToPath } from 'node:url';
import { BashJob } from '../index.js';

const root = fileURLToPath(new URL('..', import.meta.url));

async function show(command) {
  console.log(`$ ${command}`);
  const job = new BashJob({ command }, root, false, { timeout: 120_000 });
  job.on('data', (chunk, stream) => process[stream].write(chunk));
  const { status, exitCode, output, error, durationMs } = await job.result;
  if (error) console.log(output);
  console.log(`[${status}, exit code ${exitCode}, after ${Math.round(durationMs)} ms]\n`);
  if (exitCode !== 0) process.exitCode = 1;
}

await show('git log --oneline -5');
await show(
  `"${process.execPath}" node_modules/vitest/vitest.mjs run --project forks __test__/bash/answers.test.ts`,
);
