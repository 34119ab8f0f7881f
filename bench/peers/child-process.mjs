// node:child_process as most tools use it: collect Buffers, join them at the end.

import { spawn } from 'node:child_process';
import { flag, shell } from '../lib/shell.mjs';

const OPTIONS = { stdio: ['ignore', 'pipe', 'pipe'] };

export function run(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(shell, [flag, command], OPTIONS);
    const stdout = [];
    const stderr = [];
    child.stdout.on('data', (chunk) => stdout.push(chunk));
    child.stderr.on('data', (chunk) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const out = Buffer.concat(stdout).toString('utf8');
      const err = Buffer.concat(stderr).toString('utf8');
      resolve(`${out}\n${err}\n[Exit code: ${code}]`);
    });
  });
}

export function startBytes(command, onChunk) {
  const child = spawn(shell, [flag, command], OPTIONS);
  child.stdout.on('data', onChunk);
  child.stderr.on('data', onChunk);
  return { done: new Promise((resolve) => child.on('close', resolve)) };
}

export function start(command, onChunk) {
  const child = spawn(shell, [flag, command], OPTIONS);
  child.stdout.setEncoding('utf8').on('data', onChunk);
  child.stderr.setEncoding('utf8').on('data', onChunk);
  return {
    done: new Promise((resolve) => child.on('close', resolve)),
    kill: () => child.kill(),
  };
}
