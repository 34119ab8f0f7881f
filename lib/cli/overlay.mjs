// `agent-bash run --overlay`: shows what a command has changed, and applies it if the user agrees.

import { createInterface } from 'node:readline/promises';
import { Overlay } from 'agent-bash';
import { coloredDiff, colorsFor } from './colors.mjs';

/** Returns the options of a command in an overlay over its root, by default the working directory. */
function inOverlay(values) {
  const { root = process.cwd(), sandbox = 'workspace-write' } = values;
  return { ...values, root, sandbox, overlay: new Overlay({ root }) };
}

/**
 * Shows the changes on standard error, and applies them: with `--yes`, or if the user says so. Returns the
 * changes, and whether they were applied.
 */
async function review(overlay, { yes, json }, signal) {
  const changes = await overlay.changes();
  if (!json)
    process.stderr.write(changes.length === 0 ? 'Nothing was changed.\n' : await shown(overlay, changes));
  if (changes.length === 0) return { changes, applied: false };
  const isAgreed = yes === true || (!json && (await agrees(signal)));
  if (isAgreed) await overlay.commit();
  return { changes, applied: isAgreed };
}

/** Returns the diff, and a line for each change that is in no diff. */
async function shown(overlay, changes) {
  const others = changes.filter(
    ({ type, kind }) => kind === 'directory' || kind === 'fifo' || type === 'mode',
  );
  const lines = others.map(({ path, type, kind, mode }) => {
    const permissions = type === 'mode' ? ` ${mode.toString(8)}` : '';
    return `# ${type}${permissions}: ${path} (${kind})\n`;
  });
  const colors = colorsFor(process.stderr);
  return `${coloredDiff(await overlay.diff(), colors)}${colors.dim(lines.join(''))}`;
}

async function agrees(signal) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write('Nothing was applied: there is no terminal to ask. --yes applies the changes.\n');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Apply these changes? [y/N] ', { signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (error.name === 'AbortError') return false;
    throw error;
  } finally {
    terminal.close();
  }
}

export { inOverlay, review };
