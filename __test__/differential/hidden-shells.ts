import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, 'without-programs.sh');

/** The reason why programs can't be hidden on this machine; `undefined` when they can. */
export function obstacle(): string | undefined {
  return withScratch((scratch) => {
    const tried: SpawnSyncReturns<string> = spawnSync(
      'unshare',
      ['-m', SCRIPT, scratch, 'zsh', 'sh', '-c', 'test ! -e /bin/zsh'],
      { encoding: 'utf8' },
    );
    if (tried.status === 0) return undefined;
    return tried.error?.message ?? `unshare -m ended with ${tried.status}: ${tried.stderr}`;
  });
}

export interface Finished {
  code: number | null;
  output: string;
}

/** Runs `node` where /bin lacks the named programs, and collects all that it prints. */
export async function nodeWithout(
  names: string[],
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Finished> {
  const scratch = newScratch();
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn('unshare', ['-m', SCRIPT, scratch, names.join(' '), process.execPath, ...args], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk) => chunks.push(chunk));
      child.stderr.on('data', (chunk) => chunks.push(chunk));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
    });
  } finally {
    rmdirSync(scratch);
  }
}

function newScratch(): string {
  return mkdtempSync(join(tmpdir(), 'agent-bash-hidden-'));
}

function withScratch<T>(use: (scratch: string) => T): T {
  const scratch = newScratch();
  try {
    return use(scratch);
  } finally {
    rmdirSync(scratch);
  }
}
