// The screen of a recording, on which several commands share one terminal.

import { PlainLines, visible, visibleLines } from '../../addon/native.ts';
import type { Screen } from '../../job/inspection/api.ts';
import type { LiveEnd } from '../api.ts';

/**
 * Leaves the alternate screen, resets modes and colours, and clears the screen, whatever a program has left.
 */
const RESET =
  '\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[!p\x1b[2J\x1b[H';

/** Begins a screen for a program that expects an empty one. */
const CLEAR = '\x1b[2J\x1b[H';

const DIM = '\x1b[0m\x1b[2m';

/** Returns text for the terminal of a player, in which a line feed alone would not go back. */
function withReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Returns text of standard error, which a terminal would show like that of standard output. */
function red(text: string): string {
  return text.replace(/^([\s\S]*?)((?:\r\n)*)$/, '\x1b[31m$1\x1b[39m$2');
}

function promptLine(command: string): string {
  const [first, ...others] = visibleLines(command).replace(/\t/g, '  ').split('\n');
  const lines = [`$ ${first}`, ...others.map((line) => `> ${line}`)];
  return lines.map((line) => `\x1b[0m\x1b[1m${line}\x1b[0m\r\n`).join('');
}

/** Returns the line before text that continues a command after another one. */
function continued(id: string, command: string): string {
  const [first] =
    [...visible(command)].length > 80
      ? [`${[...visible(command)].slice(0, 79).join('')}…`]
      : [visible(command)];
  return `${DIM}==> ${id}: ${first} <==\x1b[0m\r\n`;
}

/** Returns how a command has ended, in a few words. */
function ending({ status, exitCode, signal, errorCode }: LiveEnd): string {
  if (errorCode !== null && exitCode === null) return `${status}, ${errorCode}`;
  if (status === 'exited') return `exit ${exitCode}`;
  return signal === null ? status : `${status}, ${signal}`;
}

function endLine(end: LiveEnd): string {
  return `${DIM}[${ending(end)}, ${(end.durationMs / 1_000).toFixed(1)} s]\x1b[0m\r\n`;
}

function gapLine(bytes: number): string {
  return `${DIM}[${bytes} bytes are missing here]\x1b[0m\r\n`;
}

/** Returns what draws a screen as text, with its cursor. */
function screenText({ lines, cursor }: Screen): string {
  const text = lines.map((line) => visible(line)).join('\r\n');
  return `\x1b[0m${CLEAR}${text}\x1b[${cursor.row + 1};${cursor.column + 1}H`;
}

/** Output of a terminal as plain lines, beside that of other commands. */
class TerminalLines {
  #lines = new PlainLines();

  push(text: string): string {
    return visibleLines(this.#lines.push(text));
  }

  rest(): string {
    const rest = this.#lines.unfinished();
    return rest === '' ? '' : `${visibleLines(rest)}\n`;
  }
}

export {
  CLEAR,
  continued,
  ending,
  endLine,
  gapLine,
  promptLine,
  RESET,
  red,
  screenText,
  TerminalLines,
  withReturns,
};
