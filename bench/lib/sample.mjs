// Takes one sample in a fresh process.

import { spawn } from 'node:child_process';
import { makeHome } from './home.mjs';
import { BASE, LIMIT_NAME, runtimeOf } from './peers.mjs';
import { LIMIT, peerFile, SESSION_LIMIT, scenarioFile, WORKER } from './places.mjs';
import { flag, shell } from './shell.mjs';
import { median } from './stats.mjs';

const MAX_MS = 60_000;

/**
 * Returns the measured values of one peer in one scenario. Rejects with the reason if there are none. A peer
 * may name the `module` of another peer, and the `addon` that it loads.
 */
export async function takeSample(peer, scenario) {
  own ??= makeHome();
  const { home, env } = own;
  if (peer.name === LIMIT_NAME) {
    const [program, ...args] = limitOf(scenario);
    return { ms: median(JSON.parse(await outputOf(program, args, home, env))) };
  }
  const [program, ...flags] = runtimeOf(peer);
  const args = [...flags, WORKER, peerFile(peer.module ?? peer.name), scenarioFile(scenario.name)];
  const addon = peer.addon && { NAPI_RS_NATIVE_LIBRARY_PATH: peer.addon };
  return JSON.parse(await outputOf(program, args, home, { ...env, ...addon }));
}

/** Returns the words of the program that measures the limit of a scenario. */
function limitOf({ limit, shell: own }) {
  const { session, kills, batches = 1, width = 1, pipeSize = 0, command } = limit;
  if (session !== undefined) return [SESSION_LIMIT, String(batches), session];
  if (kills !== undefined) return [LIMIT, 'kill', String(kills), shell, flag, command];
  return [LIMIT, String(batches), String(width), String(pipeSize), ...(own ?? [shell, flag]), command];
}

/** Returns why the peer can't be measured here; `undefined` if it can. */
export async function whyNot(peer) {
  if (runtimeOf(peer) === undefined) return `no ${peer.runtime} for this platform`;
  try {
    await takeSample(peer, { name: 'probe' });
    return undefined;
  } catch (error) {
    if (peer.name === BASE) throw error;
    const hint = peer.install && ` (npm install --no-save --prefix bench ${peer.install})`;
    return error.message + (hint ?? '');
  }
}

/** The home directory of all samples. */
let own;

function outputOf(program, args, cwd, env) {
  return new Promise((resolve, reject) => {
    // A process group of its own, so that a hanging sample can be killed with its processes.
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), MAX_MS);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      // A peer may leave processes that hold the pipes.
      setTimeout(() => child.stdout.destroy(), 100).unref();
      child.stderr.destroy();
      if (code !== 0) reject(new Error(reason(stderr) ?? `it ended with ${code ?? signal}`));
    });
    child.on('close', () => resolve(stdout));
  });
}

/** Returns the line of a stack trace that has the message. */
function reason(stderr) {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.find((line) => /^(\w*error\b|\w*Error\b)/.test(line)) ?? lines.find((line) => line !== '');
}
