// Reads the output of a command in a loop, and ends the command with an AbortSignal.
import { BashJob } from '../index.js';

const controller = new AbortController();
const server = "echo starting; sleep 0.2; echo 'listening on port 8080'; exec sleep 60";
const job = new BashJob({ command: server }, '/', false, { timeout: 0, signal: controller.signal });

let text = '';
for await (const chunk of job) {
  text += chunk.text;
  if (text.includes('listening')) controller.abort();
}
console.log(text.trimEnd());

const { status, signal } = await job.result;
console.log(`status ${status}, signal ${signal}`);
