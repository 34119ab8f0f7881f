import { expect } from 'vitest';
import type { RedactOptions } from '../../index.js';

/** A value that no other text has. It is long enough to be found where it is wrapped. */
export const VALUE = 'k7-Q$9x"tZ4/mW2+vB8';

/** The value for a shell. */
export const QUOTED = `'${VALUE}'`;

export const redact: RedactOptions = { values: { KEY: VALUE } };

export const MARK = '[redacted:KEY]';

/** Returns all of the text in data, also of keys and bytes. */
export function textOf(data: unknown): string {
  const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
  return typeof data === 'string'
    ? data
    : isBytes(data)
      ? Buffer.from(data).toString('latin1')
      : texts(data, new Set()).join('\n');
}

function texts(data: unknown, seen: Set<unknown>): string[] {
  if (typeof data === 'string') return [data];
  if (typeof data !== 'object' || data === null || seen.has(data)) return [];
  seen.add(data);
  if (data instanceof Uint8Array) return [Buffer.from(data).toString('latin1')];
  if (data instanceof Map || data instanceof Set) return texts([...data], seen);
  const own = data instanceof Error ? [data.message, data.stack ?? ''] : [];
  // Also what is not enumerable, such as the `run` of a tool's result.
  const fields = Object.getOwnPropertyNames(data).map((name) => [name, Reflect.get(data, name)]);
  return [...own, ...fields.flatMap(([name, value]) => [String(name), ...texts(value, seen)])];
}

/**
 * Checks that a place shows `form` of the value without the option, and no longer with it. `show` returns
 * what the place gives out.
 */
export async function leaksOnlyWithout(
  show: (redact: RedactOptions | undefined) => unknown,
  form: string = VALUE,
): Promise<void> {
  expect(textOf(await show(undefined)), 'without the option').toContain(form);
  const shown = textOf(await show(redact));
  expect(shown, 'with the option').not.toContain(form);
  expect(shown, 'with the option').not.toContain(VALUE);
}
