// Lets an agent work in an overlay, shows its whole turn as diffs, and applies what the user accepts. Without
// a terminal, it accepts everything but deletions.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Overlay } from 'agent-bash';
import { createTools } from 'agent-bash/tools';

const root = mkdtempSync(join(tmpdir(), 'project-'));
writeFileSync(join(root, 'greet.sh'), 'echo Hello\n');
writeFileSync(join(root, 'notes.txt'), 'keep me\n');

// In a real agent, a model makes these calls.
const overlay = new Overlay({ root });
const toolset = createTools('bash', { overlay });
await toolset.call('bash', { command: "sed -i 's/Hello/Good morning/' greet.sh" });
await toolset.call('bash', { command: 'rm notes.txt; sh greet.sh > output.txt' });
await toolset.dispose();

const accepted = [];
for (const change of await toolset.overlay.changes()) {
  console.log(await overlay.diff({ paths: [change.path], binary: false }));
  if (await accepts(change)) accepted.push(change.path);
}
await overlay.commit({ paths: accepted });
await overlay.discard();
console.log(`accepted: ${accepted.join(', ')}; in the project: ${readdirSync(root).sort().join(', ')}`);
rmSync(root, { recursive: true });

/** Asks whether to accept a change. */
async function accepts({ path, type }) {
  if (!process.stdin.isTTY) return type !== 'deleted';
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Accept ${path} (${type})? [y/N] `);
  terminal.close();
  return /^y/i.test(answer);
}
