// Ends of commands that are hard to bring about with real ones.

import type { FakeEnd, faults as Faults } from '../api.ts';
import { PROGRAM } from './script.ts';

/** The size of one chunk of a flood (bytes), as the engine reads at most. */
const CHUNK = 64 * 1024;

export const faults: typeof Faults = {
  hang(output = ''): FakeEnd {
    return { chunks: [[0, 'stdout', output]], at: 'never' };
  },

  signal(name): FakeEnd {
    return { signal: name };
  },

  spawnError(code): FakeEnd {
    return { error: { code, message: `spawn ${PROGRAM} ${code}` } };
  },

  slow(text, everyMs): FakeEnd {
    const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
    return { chunks: lines.map((line, index) => [index * everyMs, 'stdout', line]) };
  },

  flood(bytes): FakeEnd {
    const line = `${'x'.repeat(63)}\n`;
    const chunks: FakeEnd['chunks'] = [];
    for (let left = bytes; left > 0; left -= CHUNK) {
      const size = Math.min(left, CHUNK);
      chunks.push([0, 'stdout', line.repeat(Math.ceil(size / line.length)).slice(0, size)]);
    }
    return { chunks };
  },

  targetLost(): FakeEnd {
    const message =
      'The connection to the target ended. The command was ended there; its exit code is unknown.';
    return { error: { code: 'TARGET_LOST', message } };
  },

  denied(reason): FakeEnd {
    return { error: { code: 'DENIED', message: reason } };
  },
};
