import { now } from '../lib/time.mjs';

/** The processes of the tree. */
const SIZE = 3000;

/** The job prints a line when all of its processes run. */
const TREE = `for i in $(seq ${SIZE}); do sleep 1000 & done; echo ready; wait`;

/** The time for which commands run beside the tree, and without it (ms). */
const WHILE = 2000;

export const title = `one \`true\` after another beside a job of ${SIZE} processes, 90th percentile`;
export const metrics = ['ms', 'besideMs', 'meanwhileMs'];
export const shell = ['/bin/bash', '-c'];
export const peers = ['agent-bash-run'];

export async function measure(load) {
  const peer = await load();
  const ms = await slowest(peer, pause(WHILE));
  let ready;
  const started = new Promise((resolve) => {
    ready = resolve;
  });
  const tree = peer.start(TREE, ready);
  await started;
  const besideMs = await slowest(peer, pause(WHILE));
  tree.kill();
  const meanwhileMs = await slowest(peer, tree.done);
  return { ms, besideMs, meanwhileMs };
}

/** Runs commands until the other work is done. Returns the 90th percentile of their times. */
async function slowest(peer, work) {
  const times = [];
  let isDone = false;
  work.then(() => {
    isDone = true;
  });
  while (!isDone) {
    const begin = now();
    await peer.run('true');
    times.push(now() - begin);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.9)];
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
