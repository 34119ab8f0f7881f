import { expect } from 'vitest';

const CONTEXT = 60;
const SHORT = 2_000;

/** Fails unless both texts are the same; of long ones it shows the lengths and the place where they part. */
export function expectSame(actual: string, expected: string, about = ''): void {
  if (actual === expected) return;
  const note = [about, difference(actual, expected)].filter(Boolean).join('\n');
  if (actual.length + expected.length < SHORT) expect(actual, note).toBe(expected);
  expect.fail(note);
}

/** Where two texts part, in one readable paragraph. */
export function difference(actual: string, expected: string): string {
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at += 1;
  const excerpt = (text: string): string =>
    JSON.stringify(text.slice(Math.max(0, at - CONTEXT), at + CONTEXT));
  return [
    `lengths ${actual.length} (actual) and ${expected.length} (expected), first difference at ${at}`,
    `  actual:   …${excerpt(actual)}…`,
    `  expected: …${excerpt(expected)}…`,
  ].join('\n');
}
