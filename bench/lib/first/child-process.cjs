// As ../../peers/child-process.mjs, with as little of it as one command needs. The shell is the one that bash() picks.

const { spawn } = require('node:child_process');
const { accessSync, constants } = require('node:fs');

function choose() {
  for (const words of [
    ['/bin/zsh', '-c'],
    ['/bin/bash', '-lc'],
  ]) {
    try {
      accessSync(words[0], constants.X_OK);
      return words;
    } catch {
      // The next one.
    }
  }
  return ['/bin/sh', '-c'];
}

exports.run = (command) =>
  new Promise((resolve, reject) => {
    const [shell, flag] = choose();
    const child = spawn(shell, [flag, command], { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
