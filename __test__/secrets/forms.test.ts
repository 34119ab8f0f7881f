import { describe, expect, it } from 'vitest';
import { run } from '../../index.js';
import { leaksOnlyWithout, MARK, QUOTED, redact, VALUE } from './support.js';

const bytes = Buffer.from(VALUE);
const base64 = bytes.toString('base64');
const hex = bytes.toString('hex');

/** A command that prints a form, and that form. */
const FORMS: Record<string, { command: string; form: string }> = {
  'as it is': { command: `printf %s ${QUOTED}`, form: VALUE },
  'in base64': { command: `printf %s ${QUOTED} | base64`, form: base64 },
  'in base64 behind one byte': {
    command: `printf 'x%s' ${QUOTED} | base64`,
    form: Buffer.from(`x${VALUE}`).toString('base64').slice(2, -4),
  },
  'in base64 behind two bytes': {
    command: `printf 'xy%s' ${QUOTED} | base64`,
    form: Buffer.from(`xy${VALUE}`).toString('base64').slice(3, -4),
  },
  'in base64 for addresses': {
    command: `printf %s ${QUOTED} | base64 | tr '+/' '-_'`,
    form: bytes.toString('base64url'),
  },
  'in the header of basic authentication': {
    command: `printf 'Authorization: Basic %s' "$(printf 'user:%s' ${QUOTED} | base64 -w0)"`,
    form: Buffer.from(`user:${VALUE}`).toString('base64').slice(8, -4),
  },
  'percent-encoded': {
    command: `printf %s '${encodeURIComponent(VALUE)}'`,
    form: encodeURIComponent(VALUE),
  },
  'in JSON': { command: `printf '%s' '${JSON.stringify(VALUE)}'`, form: JSON.stringify(VALUE).slice(1, -1) },
  'in hexadecimal': { command: `printf %s ${QUOTED} | od -An -v -tx1 | tr -d ' \\n'`, form: hex },
  reversed: { command: `printf '%s\\n' ${QUOTED} | rev`, form: [...VALUE].reverse().join('') },
  'folded to lines': {
    command: `printf %s ${QUOTED} | fold -w 7`,
    form: `${VALUE.slice(0, 7)}\n${VALUE.slice(7, 14)}`,
  },
  'folded to lines with CRLF': {
    command: `printf %s ${QUOTED} | fold -w 9 | sed 's/$/\\r/'`,
    form: `${VALUE.slice(0, 9)}\r\n${VALUE.slice(9, 18)}`,
  },
  'wrapped and indented': {
    command: `printf %s ${QUOTED} | base64 -w 12 | sed 's/^/    /'`,
    form: `${base64.slice(0, 12)}\n    ${base64.slice(12, 24)}`,
  },
  coloured: {
    command: `printf '\\033[31m%s\\033[1m%s\\033[0m' '${VALUE.slice(0, 8)}' '${VALUE.slice(8)}'`,
    form: `${VALUE.slice(0, 8)}\x1b[1m${VALUE.slice(8)}`,
  },
  'in UTF-16': {
    command: `printf %s ${QUOTED} | sed 's/./&\\x00/g'`,
    form: `${[...VALUE].join('\0')}\0`,
  },
  'quoted for a shell': { command: `printf %q ${QUOTED}`, form: 'k7-Q\\$9x\\"tZ4/mW2+vB8' },
};

describe('a value in output', () => {
  it.each(Object.entries(FORMS))('is replaced %s', async (_, { command, form }) => {
    await leaksOnlyWithout(async (own) => (await run(command, { redact: own })).stdout, form);
  });

  it('is replaced where the writes of the command split it', async () => {
    const pieces = [...VALUE].map((character) => `printf %s '${character}'; sleep 0.01`);
    await leaksOnlyWithout(async (own) => (await run(pieces.join('; '), { redact: own })).stdout);
  });

  it('is replaced where both streams together have it, one half each', async () => {
    const halves = `printf %s '${VALUE.slice(0, 9)}'; printf %s '${VALUE.slice(9)}' >&2`;
    const output = { merge: true };
    await leaksOnlyWithout(async (own) => (await run(halves, { redact: own, output })).stdout);
  });

  it('is replaced between bytes that are no text', async () => {
    const command = `printf '\\377\\200%s\\xc3' ${QUOTED}`;
    await leaksOnlyWithout(async (own) => (await run(command, { redact: own })).stdout);
  });

  it('is replaced, and everything around it is unchanged', async () => {
    const { stdout, stderr, totalBytes } = await run(`echo 'a ${VALUE} b ${VALUE}'; echo ${QUOTED} >&2`, {
      redact,
    });
    expect(stdout).toBe(`a ${MARK} b ${MARK}\n`);
    expect(stderr).toBe(`${MARK}\n`);
    expect(totalBytes.stdout).toBe(2 * VALUE.length + 6);
  });

  it('keeps its length in bytes that are no text', async () => {
    const { stdout } = await run(`printf '\\377%s\\376' ${QUOTED}`, { redact, encoding: 'buffer' });
    const stars = Buffer.from('*'.repeat(VALUE.length));
    expect(Buffer.compare(stdout, Buffer.concat([Buffer.from([0xff]), stars, Buffer.from([0xfe])]))).toBe(0);
  });

  it('is replaced where the excerpt of a long output is cut', async () => {
    await leaksOnlyWithout(async (own) => {
      const command = `for i in $(seq 200); do echo ${QUOTED}; done`;
      const { stdout } = await run(command, { redact: own, output: { maxBytes: 500, cut: 'character' } });
      return stdout;
    });
  });

  it('is not known by a long beginning at the end of the output', async () => {
    const beginning = VALUE.slice(0, -1);
    await leaksOnlyWithout(
      async (own) => (await run(`printf %s '${beginning}'`, { redact: own })).stdout,
      beginning,
    );
  });
});

describe('values', () => {
  it('that overlap have one mark', async () => {
    const values = { OUTER: 'abcdefghijkl', INNER: 'defghi' };
    const { stdout } = await run('echo -abcdefghijkl- defghi', { redact: { values } });
    expect(stdout).toBe('-[redacted:OUTER]- [redacted:INNER]\n');
  });

  it('of 256 names are replaced in a megabyte of other output', async () => {
    const values = Object.fromEntries(
      Array.from({ length: 256 }, (_, index) => [`V${index}`, `${index}-value-${index * 7919}`]),
    );
    const command = 'seq 150000; echo 255-value-2019345; seq 10';
    const { stdout } = await run(command, { redact: { values }, output: { maxBytes: 4 * 1024 * 1024 } });
    expect(stdout).toContain('\n150000\n[redacted:V255]\n1\n2\n');
    expect(stdout).toHaveLength((await run('seq 150000; seq 10')).totalBytes.stdout + 16);
  });
});
