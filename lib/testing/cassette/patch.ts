// Patches of text: made of two texts, and applied to one. The format is that of `diff -u` without context.

/** A fault in a patch, or in the text that it is for. */
export interface PatchFault {
  path: string;
  /** The number of the line that is not what the patch changes; 0 where the whole file is not. */
  line: number;
  expected: string;
  actual: string;
}

/** The part of a patch for one file: lines with their ends, and what replaces them. */
export interface FilePatch {
  path: string;
  isNew: boolean;
  isRemoved: boolean;
  hunks: { start: number; before: string[]; after: string[] }[];
}

const NO_END = '\\ No newline at end of file';

/** Returns the lines of a patch that makes `after` of `before`; `null` for a missing file. */
export function patchOf(path: string, before: string | null, after: string | null): string[] {
  const [old, now] = [linesOf(before ?? ''), linesOf(after ?? '')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const header = [
    `--- ${before === null ? '/dev/null' : `a/${path}`}`,
    `+++ ${after === null ? '/dev/null' : `b/${path}`}`,
  ];
  if (removed.length + added.length === 0) return header;
  const range = (lines: string[]) =>
    `${lines.length === 0 ? start : start + 1}${lines.length === 1 ? '' : `,${lines.length}`}`;
  return [
    ...header,
    `@@ -${range(removed)} +${range(added)} @@`,
    ...marked('-', removed),
    ...marked('+', added),
  ];
}

/** Reads the lines of a patch of one or more files. Throws for what is none. */
export function readPatch(lines: string[]): FilePatch[] {
  const files: FilePatch[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line.startsWith('--- ')) {
      const [from, to] = [line.slice(4), (lines[at + 1] ?? '').slice(4)];
      if (!lines[at + 1]?.startsWith('+++ '))
        throw new Error(`a patch has no line +++ after ${JSON.stringify(line)}`);
      const [isNew, isRemoved] = [from === '/dev/null', to === '/dev/null'];
      const path = (isRemoved ? from : to).replace(/^[ab]\//, '').replace(/\t.*$/, '');
      files.push({ path, isNew, isRemoved, hunks: [] });
      at += 2;
    } else if (line.startsWith('@@ ') && files.length > 0) {
      at = readHunk(lines, at, files[files.length - 1]);
    } else if (line === '' || /^(?:diff |index |new file|deleted file)/.test(line)) {
      at++;
    } else throw new Error(`a patch has the line ${JSON.stringify(line)}`);
  }
  return files;
}

function readHunk(lines: string[], first: number, file: FilePatch): number {
  const range = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(lines[first]);
  if (range === null) throw new Error(`a patch has the line ${JSON.stringify(lines[first])}`);
  const hunk = {
    start: Number(range[1]) - (range[2] === '0' ? 0 : 1),
    before: [] as string[],
    after: [] as string[],
  };
  let at = first + 1;
  let last: string[][] = [];
  for (; at < lines.length && /^[-+ \\]/.test(lines[at]) && !lines[at].startsWith('--- '); at++) {
    const [mark, text] = [lines[at][0], `${lines[at].slice(1)}\n`];
    if (mark === '\\') {
      for (const side of last) side[side.length - 1] = side[side.length - 1].slice(0, -1);
      continue;
    }
    last = mark === '-' ? [hunk.before] : mark === '+' ? [hunk.after] : [hunk.before, hunk.after];
    for (const side of last) side.push(text);
  }
  file.hunks.push(hunk);
  return at;
}

/** Returns a text after a patch, or the fault of a text that the patch is not for. */
export function patched(file: FilePatch, text: string): string | PatchFault {
  const lines = linesOf(text);
  let result = '';
  let at = 0;
  for (const { start, before, after } of file.hunks) {
    result += lines.slice(at, start).join('');
    for (const [index, expected] of before.entries()) {
      const actual = lines[start + index] ?? '';
      if (actual !== expected) {
        return { path: file.path, line: start + index + 1, expected: bare(expected), actual: bare(actual) };
      }
    }
    result += after.join('');
    at = start + before.length;
  }
  return result + lines.slice(at).join('');
}

function marked(mark: string, lines: string[]): string[] {
  return lines.flatMap((line) => (line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, NO_END]));
}

function bare(line: string): string {
  return line.replace(/\n$/, '');
}

/** Splits a text into lines, each with its end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
