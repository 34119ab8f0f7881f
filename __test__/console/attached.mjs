// Attaches a console to a command, in the terminal of this process. The arguments: the command, and as JSON
// the options of `attach()` and what else happens here, which is at SIGUSR2 what ends this process.

import { execFileSync } from 'node:child_process';
import { attach } from '../../bundle/adapters/console.mjs';
import { Jobs } from '../../index.js';

const [command, given = '{}'] = process.argv.slice(2);
const { act, ...options } = JSON.parse(given);
const mode = () => execFileSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'inherit'] }).toString();

// Before the console shows anything, because the signal comes as soon as it does.
if (act === 'throw') process.on('SIGUSR2', () => Promise.reject(new Error('thrown')));
if (act === 'exit') process.on('SIGUSR2', () => process.exit(3));
if (act === 'catch') process.on('SIGINT', () => view.detach());
if (act === 'catch once') process.once('SIGINT', () => view.detach());

const before = mode();
console.log(`pid ${process.pid}`);
const job = new Jobs().start(command, { pty: true });
const view = attach(job, options);
if (act === 'twice') {
  try {
    attach(job, options);
  } catch (error) {
    view.done.then(() => console.log(error.code));
    view.detach();
  }
}
const { reason } = await view.done;
console.log(`reason ${reason}, ${mode() === before ? 'as before' : 'changed'}, ${job.status}`);
job.kill();
