// A transport that delays all bytes: node delay.mjs MILLISECONDS PROGRAM [ARGUMENT…]

import { spawn } from 'node:child_process';
import { env, exit, stdin, stdout } from 'node:process';

const [milliseconds, program, ...words] = process.argv.slice(2);
const child = spawn(program, words, { env, stdio: ['pipe', 'pipe', 'inherit'] });

function delayed(from, to) {
  const later = (work) => setTimeout(work, Number(milliseconds));
  from.on('data', (bytes) => later(() => to.write(bytes)));
  from.on('end', () => later(() => to.end()));
  to.on('error', () => {});
}

delayed(stdin, child.stdin);
delayed(child.stdout, stdout);
child.on('close', (code) => setTimeout(() => exit(code ?? 1), Number(milliseconds)));
