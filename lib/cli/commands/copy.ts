// `agent-bash copy`: copies files to a target, or from one.

import { constants } from 'node:os';
import { basename } from 'node:path';
import type { TargetCopyProgress, TargetCopyReport } from 'agent-bash';
import { Target } from 'agent-bash';
import type { OptionTable } from '../arguments.ts';
import { readOptions, UsageError, withFlags } from '../arguments.ts';
import { explainHint } from '../help.ts';
import { interrupted } from '../interrupted.ts';
import type { TargetValues } from '../options/target.ts';
import { TARGET_OPTIONS, targetOf } from '../options/target.ts';

interface CopyValues extends TargetValues {
  json?: boolean;
  quiet?: boolean;
}

const OPTIONS: OptionTable<CopyValues> = {
  ...TARGET_OPTIONS,
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
};

/** The first character of a path on the target. */
const THERE = ':';

/** Exit code for a copy that failed, or that left something out. */
const FAILED = 1;

/** Implements `agent-bash copy FROM TO`. Returns the exit code. */
async function copy(words: string[]): Promise<number> {
  const { values, words: paths } = readOptions('copy', words, OPTIONS);
  const options = targetOf('copy', values);
  if (options === undefined) throw new UsageError('copy needs --target', 'copy');
  const { from, to, isToTarget } = pathsOf(paths);
  const target = withFlags('copy', () => new Target(options));
  const signal = interrupted();
  const line = new ProgressLine(values.quiet !== true && process.stderr.isTTY === true);
  const given = { signal, onProgress: (progress: TargetCopyProgress) => line.show(progress) };
  try {
    const report = isToTarget ? await target.copyTo(from, to, given) : await target.copyFrom(from, to, given);
    line.end(report);
    if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    for (const path of report.skipped) {
      process.stderr.write(`agent-bash: not copied: ${path} (a pipe, a socket or a device)\n`);
    }
    return report.skipped.length > 0 ? FAILED : 0;
  } catch (error) {
    line.end();
    if (signal.aborted) return 128 + constants.signals[signal.reason as NodeJS.Signals];
    const { code, message, partial } = error as NodeJS.ErrnoException & { partial?: string };
    if (code === undefined) throw error;
    const left =
      partial === undefined ? '' : `A part is left at ${partial}: the same command goes on with it.\n`;
    process.stderr.write(`agent-bash: ${message}\n${left}${explainHint(code)}`);
    return FAILED;
  } finally {
    await target.dispose();
  }
}

/** Returns the source and the copy, and whether the copy is on the target. */
function pathsOf(paths: string[]): { from: string; to: string; isToTarget: boolean } {
  const [from, to, other] = paths;
  if (from === undefined || to === undefined) throw new UsageError('copy needs FROM and TO', 'copy');
  if (other !== undefined) throw new UsageError(`unexpected '${other}'`, 'copy');
  const isToTarget = to.startsWith(THERE);
  if (isToTarget === from.startsWith(THERE)) {
    throw new UsageError(
      "expected one path of the target, with ':' before it, and one of this machine",
      'copy',
    );
  }
  const [source, copied] = [from, to].map((path) => (path.startsWith(THERE) ? path.slice(1) : path));
  if (!source || !copied) throw new UsageError('expected a path', 'copy');
  // As with scp, a directory gets the copy under the name of its source.
  const into = copied.endsWith('/') ? `${copied}${basename(source)}` : copied;
  return { from: source, to: into, isToTarget };
}

/** The line of a terminal that shows how far a copy is. */
class ProgressLine {
  #isShown: boolean;
  #hasText = false;
  #since = performance.now();

  constructor(isShown: boolean) {
    this.#isShown = isShown;
  }

  show({ files, bytes, totalBytes }: TargetCopyProgress): void {
    if (!this.#isShown) return;
    const part = totalBytes === 0 ? '' : ` (${Math.floor((bytes / totalBytes) * 100)} %)`;
    this.#hasText = true;
    process.stderr.write(`\r\x1b[K${filesText(files)}, ${size(bytes)} of ${size(totalBytes)}${part}`);
  }

  /** Ends the line, with what was copied if the copy is whole. */
  end(report?: TargetCopyReport): void {
    if (this.#hasText) process.stderr.write('\r\x1b[K');
    if (!this.#isShown || report === undefined) return;
    const seconds = ((performance.now() - this.#since) / 1_000).toFixed(1);
    const there = report.resumedBytes > 0 ? `, ${size(report.resumedBytes)} of it by an earlier copy` : '';
    process.stderr.write(`${filesText(report.files)}, ${size(report.bytes)} in ${seconds} s${there}\n`);
  }
}

function filesText(files: number): string {
  return files === 1 ? '1 file' : `${files.toLocaleString('en')} files`;
}

/** Returns a size as people read it, such as `1.5 MiB`. */
function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}

export { copy as act, OPTIONS };
