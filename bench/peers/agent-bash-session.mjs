// A live session of agent-bash. It is measured only in scenarios of sessions and of what a command's job can
// be asked.

import { jobs, ShellSession } from '../../entry/index.mjs';

/** Opens a live shell. */
export async function openSession(shell) {
  const session = new ShellSession({ shell });
  return { run: (command) => session.run(command), close: () => session.close() };
}

export async function run(command) {
  const session = new ShellSession();
  const { stdout } = await session.run(command);
  await session.close();
  return stdout;
}

/** Resolves when the program at a terminal is reported to wait for a line. */
export async function untilWaiting(command) {
  const job = jobs.start(command, { pty: true });
  await new Promise((resolve) => job.once('waiting', resolve));
  const at = performance.now();
  job.kill('SIGKILL');
  await job.result;
  return at;
}

/** Resolves with a server's message, when its port is reported. */
export async function untilReady(words) {
  const job = jobs.start(words);
  const { status } = await job.ready({ port: true });
  const at = performance.timeOrigin + performance.now();
  if (status !== 'ready') throw new Error(`the server is not ready: ${status}`);
  // The server prints the time at which it listened; the text may arrive after the report of the port.
  const { match } = await job.ready({ pattern: /at ([\d.]+)/ });
  job.kill('SIGKILL');
  await job.result;
  return at - Number(match[1]);
}
