// `agent-bash run --overlay`: shows what a command has changed, and applies it if the user agrees.

import { createInterface } from 'node:readline/promises';
import type { OverlayChange, RunResult } from 'agent-bash';
import { Overlay, visibleText } from 'agent-bash';
import { coloredDiff, colorsFor } from '../colors.ts';

/** The fate of the changes of a command: applied, discarded or left. */
export interface Review {
  changes: OverlayChange[];
  applied: boolean;
  /** The error that has kept the changes from being applied. */
  error?: { code: string | undefined; message: string };
}

/** Returns the options of a command in an overlay over its root, by default the working directory. */
function inOverlay<Values extends { root?: string; sandbox?: string }>(
  values: Values,
): Omit<Values, 'overlay'> & { root: string; sandbox: string; overlay: Overlay } {
  const { root = process.cwd(), sandbox = 'workspace-write' } = values;
  return { ...values, root, sandbox, overlay: new Overlay({ root }) };
}

/**
 * Shows the changes on standard error, and applies them: if the user says so, or with `--yes` after a command
 * that has succeeded. Returns the changes, whether they were applied, and the error that has kept them from
 * it.
 */
async function review(
  overlay: Overlay,
  result: Pick<RunResult, 'status' | 'exitCode'>,
  { yes, json }: { yes?: boolean; json?: boolean },
  signal: AbortSignal,
): Promise<Review> {
  const changes = await overlay.changes();
  if (!json)
    process.stderr.write(changes.length === 0 ? 'Nothing was changed.\n' : await shown(overlay, changes));
  if (changes.length === 0) return { changes, applied: false };
  const isAgreed = yes === true ? isApplicable(result) : !json && (await agrees(signal));
  if (!isAgreed) return { changes, applied: false };
  try {
    await overlay.commit();
    return { changes, applied: true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!/^OVERLAY_/.test(String(code))) throw error;
    process.stderr.write(`agent-bash: ${message}\n`);
    return { changes, applied: false, error: { code, message } };
  }
}

/**
 * Returns whether `--yes` applies to the changes of a command: what a failed command leaves may be half done.
 */
function isApplicable({ status, exitCode }: Pick<RunResult, 'status' | 'exitCode'>): boolean {
  if (status === 'exited' && exitCode === 0) return true;
  const end = status === 'exited' ? `exited with ${exitCode}` : `ended with the status '${status}'`;
  process.stderr.write(
    `Nothing was applied: the command ${end}, and --yes applies what a success has changed.\n`,
  );
  return false;
}

/**
 * Returns the diff, and a line for each change that is in no diff. A terminal would obey control characters
 * in it, and show something else than what would be applied.
 */
async function shown(overlay: Overlay, changes: OverlayChange[]): Promise<string> {
  const others = changes.filter(({ type, kind }) => (kind !== 'file' && kind !== 'link') || type === 'mode');
  const lines = others.map(({ path, type, kind, mode }) => {
    const permissions = type === 'mode' ? ` ${mode?.toString(8)}` : '';
    return `# ${type}${permissions}: ${path} (${kind})\n`;
  });
  const colors = colorsFor(process.stderr);
  const shownText = process.stderr.isTTY ? visibleText : String;
  const diff = shownText(await overlay.diff({ binary: false }));
  return `${coloredDiff(diff, colors)}${colors.dim(shownText(lines.join('')))}`;
}

async function agrees(signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write('Nothing was applied: there is no terminal to ask. --yes applies the changes.\n');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Apply these changes? [y/N] ', { signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if ((error as Error).name === 'AbortError') return false;
    throw error;
  } finally {
    terminal.close();
  }
}

export { inOverlay, review };
