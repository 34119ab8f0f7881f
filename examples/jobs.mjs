// Background jobs: a server, and a command that moves to the background because it is slow.
import { jobs, run } from '../index.js';

const server = jobs.start("echo 'listening on port 8080'; exec sleep 60");

// Reading removes nothing. The cursor says where the next reading begins.
let seen = '';
let since = 0;
while (!seen.includes('listening')) {
  const { text, cursor } = jobs.read(server.id, since);
  seen += text;
  since = cursor;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(`${server.id}: ${seen.trimEnd()}`);

// After a second, run() answers, and the command goes on as a job.
const build = await run('echo compiling; sleep 2; echo done', { timeout: 1_000, onTimeout: 'background' });
console.log(`${build.jobId}: ${build.status}, so far: ${build.output.trimEnd()}`);

const { status, finished, pending } = await jobs.wait([server.id, build.jobId], { mode: 'any' });
console.log(`${status}: ${finished.map(({ jobId }) => jobId)} is over, ${pending} runs`);
console.log(finished[0].output.trimEnd());

jobs.kill(server.id);
const { signal } = await server.result;
console.log(`${server.id}: ${server.status} by ${signal}`);
