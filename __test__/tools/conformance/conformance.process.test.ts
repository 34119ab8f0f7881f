import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createTools, dialects } from 'agent-bash/tools';
import { describe, expect, it } from 'vitest';
import { faults } from '../valid.js';
import { cases, play } from './suite.mjs';

/** Whether this user may look for programs in a directory. */
function isSearchable(directory: string) {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// With a directory that may not be searched, a missing program is a forbidden one.
process.env.PATH = process.env.PATH?.split(delimiter).filter(isSearchable).join(delimiter);

describe.concurrent.each([...dialects])('the dialect %s', (dialect) => {
  it.each(cases[dialect])('answers as expected: $number $title', async (one) => {
    const directory = mkdtempSync(join(tmpdir(), 'agent-bash-conformance-'));
    const wrong: string[] = [];
    const create = (options: Record<string, unknown>) => {
      const toolset = createTools(dialect, options);
      toolset.on('result', ({ tool, result }) => {
        expect(result.text).not.toBe('');
        wrong.push(...faults(result.data, toolset.get(tool)?.outputSchema ?? {}));
      });
      return toolset;
    };
    try {
      expect(await play(one, create, directory)).toEqual(one.expected);
      expect(wrong).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('has at least 30 cases', () => {
    expect(cases[dialect].length).toBeGreaterThanOrEqual(30);
  });
});
