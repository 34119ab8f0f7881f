import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../../index.js';
import { within } from '../support/slowness.mjs';

const used = async (command: string | string[], options?: RunOptions) => {
  const { usage } = await run(command, options);
  if (usage === null) throw new Error('it is not known');
  return usage;
};

/** A Perl program that computes for 400 ms of processor time. */
const BUSY = 'while ((times)[0] + (times)[1] < 0.4) { for (1..20000) {} }';

/** A program that has this many bytes at a time, and then sleeps. */
const having = (bytes: number, seconds = 0) => [
  'perl',
  '-e',
  `my $x = ''; vec($x, ${bytes}, 8) = 1; select undef, undef, undef, ${seconds}`,
];

describe('usage', () => {
  it('has the processor time of a busy command', async () => {
    const { userMs, systemMs } = await used(['perl', '-e', BUSY]);
    expect(userMs + systemMs).toBeGreaterThanOrEqual(390);
    expect(userMs + systemMs).toBeLessThan(4_000);
  });

  it('has little of it for a command that sleeps', async () => {
    const { userMs, systemMs } = await used('sleep 0.3');
    expect(userMs + systemMs).toBeLessThan(within(250));
  });

  it('separates time in programs from time in the kernel', async () => {
    expect((await used(['perl', '-e', BUSY])).userMs).toBeGreaterThanOrEqual(200);
    const copy = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=4M', 'count=800', 'status=none'];
    expect((await used(copy)).systemMs).toBeGreaterThan(20);
  });

  it('has the time of processes that the command has waited for', async () => {
    const { userMs, systemMs } = await used(`sh -c "perl -e '${BUSY}'; true"; true`);
    expect(userMs + systemMs).toBeGreaterThanOrEqual(390);
  });

  it('has the memory of a large command', async () => {
    const { maxRssBytes } = await used(having(300_000_000));
    expect(maxRssBytes).toBeGreaterThanOrEqual(300_000_000);
    expect(maxRssBytes).toBeLessThan(1_500_000_000);
  });

  it('has the memory of its largest process, not their sum', async () => {
    const perl = having(300_000_000)
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(' ');
    const { maxRssBytes } = await used(`${perl}; ${perl}; true`);
    expect(maxRssBytes).toBeGreaterThanOrEqual(300_000_000);
    expect(maxRssBytes).toBeLessThan(590_000_000);
  });

  it('is never the memory of Node, which the child shares until it executes', async () => {
    for (let index = 0; index < 30; index++) {
      const { maxRssBytes } = await used('echo hi');
      // A figure may be too low, or missing; a shell never has as much as Node.
      if (maxRssBytes !== null) {
        expect(maxRssBytes).toBeGreaterThan(0);
        expect(maxRssBytes).toBeLessThan(30_000_000);
      }
    }
  });

  it('is there at any end of a command that ran', async () => {
    // Functions, because the time of a signal runs from here on.
    const ends: Array<[string, () => RunOptions]> = [
      ['exit 3', () => ({})],
      ['kill -KILL $$', () => ({})],
      ['exec sleep 60', () => ({ timeout: within(500) })],
      ['exec sleep 60', () => ({ idleTimeout: within(500) })],
      ['exec sleep 60', () => ({ signal: AbortSignal.timeout(within(2_000)) })],
    ];
    for (const [command, options] of ends) {
      const { userMs, systemMs } = await used(command, options());
      expect(userMs).toBeGreaterThanOrEqual(0);
      expect(systemMs).toBeGreaterThanOrEqual(0);
    }
  });

  it('is unknown when nothing was run', async () => {
    expect((await run(['/no/such/program'])).usage).toBeNull();
  });
});
