import type { ListedCommand } from '../model.ts';
import type { Moment } from './player.ts';

/** The size for a command without a terminal. */
const SIZE = { cols: 100, rows: 30 };

/** Returns the output of a command as an asciicast v3. */
function castOf(entry: ListedCommand, moments: readonly Moment[]): string {
  const { cols, rows } = entry.pty ?? SIZE;
  const isText = entry.pty === null;
  const timestamp = Math.floor(entry.time / 1_000);
  const term = { cols, rows, type: 'xterm-256color' };
  const header = { version: 3, term, timestamp, idle_time_limit: 2, title: entry.command.slice(0, 200) };
  let latest = entry.time;
  const line = (time: number, code: string, text: string) => {
    const interval = Math.max(time - latest, 0) / 1_000;
    latest = Math.max(time, latest);
    return JSON.stringify([Number(interval.toFixed(3)), code, text]);
  };
  const lines = moments.map(({ time, event }) => {
    if (event.type === 'gap') return line(time, 'm', `gap: ${event.bytes} bytes`);
    const text = isText ? event.text.replace(/\r?\n/g, '\r\n') : event.text;
    const shown = isText && event.stream === 'stderr' ? `\x1b[31m${text}\x1b[39m` : text;
    return line(time, 'o', shown);
  });
  const end = entry.end === null ? [] : [line(latest, 'x', String(entry.end.exitCode ?? 1))];
  return `${[JSON.stringify(header), ...lines, ...end].join('\n')}\n`;
}

export { castOf };
