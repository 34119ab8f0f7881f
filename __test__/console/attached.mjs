// Attaches a console to a command, in the terminal of this process. The arguments: the command, and as JSON the
// options of `attach()` and what else happens here.

import { execFileSync } from 'node:child_process';
import { attach } from '../../bundle/adapters/console.mjs';
import { Jobs } from '../../index.js';

const [command, given = '{}'] = process.argv.slice(2);
const { act, ...options } = JSON.parse(given);
const mode = () => execFileSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'inherit'] }).toString();

const before = mode();
console.log(`pid ${process.pid}`);
const job = new Jobs().start(command, { pty: true });
const view = attach(job, options);
if (act === 'throw') setTimeout(() => Promise.reject(new Error('thrown')), 500);
if (act === 'exit') setTimeout(() => process.exit(3), 500);
if (act === 'catch') process.on('SIGINT', () => view.detach());
if (act === 'twice') {
  try {
    attach(job, options);
  } catch (error) {
    setTimeout(() => view.detach(), 100);
    view.done.then(() => console.log(error.code));
  }
}
const { reason } = await view.done;
console.log(`reason ${reason}, ${mode() === before ? 'as before' : 'changed'}, ${job.status}`);
job.kill();
