// The probe of a target: connects, and asks a shell there.

import { abortSignal, object } from '../options/checks.ts';
import type { RunError, RunResult } from '../result/api.ts';
import { run } from '../run.ts';
import { filled } from '../support/shell/script.ts';
import type { TargetOptions, TargetProbe, TargetReport } from './api.ts';
import FACTS from './facts.sh';
import type { Target } from './target.ts';

type Kind = TargetProbe['kind'];
type Facts = Pick<TargetProbe, 'system' | 'release' | 'machine' | 'user' | 'home' | 'shells' | 'limits'>;

/** The limit above which version 1 of control groups means none (bytes). */
const NO_LIMIT = 2 ** 60;

/** The longest time for the version of a transport's program (ms). */
const VERSION_TIMEOUT = 5_000;

/** Connects to a target and reports on it. Resolves also if it can't be reached. */
async function probeTarget(
  target: Target,
  given: { signal?: AbortSignal | undefined } = {},
): Promise<TargetProbe> {
  const options = object('options', given, ['signal']);
  const signal = abortSignal('options.signal', options.signal);
  const { kind, program, name } = transportOf(target.options);
  const [version, first] = await Promise.all([
    versionOf(kind, name, signal),
    run('true', { target, signal }),
  ]);
  const report = { kind, program: program ?? null, version };
  if (first.status !== 'exited' || first.target === null) {
    return { ...report, ...NOTHING, ok: false, error: errorOf(first) };
  }
  const facts = readFacts((await run(['sh', '-c', filled(FACTS)], { target, signal })).stdout);
  const next = await run('true', { target, signal });
  return {
    ...report,
    ok: next.status === 'exited',
    supervisor: supervisorOf(first.target, target),
    reason: first.target.reason,
    copied: first.target.copiedBytes,
    ...facts,
    missing: first.target.missing,
    skewMs: first.target.skewMs,
    connectMs: first.target.connectMs,
    nextMs: Math.round(((next.target?.connectMs ?? 0) + next.durationMs) * 100) / 100,
    error: next.status === 'exited' ? null : errorOf(next),
  };
}

/** Returns how the helper program has got there (copied, found in a cache, mounted), or `sh` without one. */
function supervisorOf(
  { supervisor, copiedBytes }: TargetReport,
  { isOwnContainer }: Target,
): TargetProbe['supervisor'] {
  if (supervisor === 'sh') return 'sh';
  if (copiedBytes > 0) return 'copied';
  return isOwnContainer ? 'mounted' : 'cached';
}

/** The report on a target that runs nothing. */
const NOTHING: Omit<TargetProbe, 'ok' | 'kind' | 'program' | 'version' | 'error'> = {
  supervisor: null,
  reason: null,
  copied: 0,
  system: null,
  machine: null,
  release: null,
  user: null,
  home: null,
  shells: [],
  limits: { memory: null, pids: null },
  missing: [],
  skewMs: null,
  connectMs: null,
  nextMs: null,
};

function transportOf({ container, ssh, exec }: TargetOptions): {
  kind: Kind;
  program: string | undefined;
  name?: string[] | undefined;
} {
  if (ssh !== undefined) return { kind: 'ssh', program: 'ssh', name: ['ssh', '-V'] };
  if (exec !== undefined) return { kind: 'exec', program: ('argv' in exec ? exec.argv : exec)[0] };
  const [program, ...words] = [container?.engine ?? []].flat() as string[];
  return {
    kind: 'container',
    program,
    name: program === undefined ? undefined : [program, ...words, '--version'],
  };
}

/** Returns the version of the transport's program; `null` if it is not known. */
async function versionOf(
  kind: Kind,
  words: string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (words === undefined) return null;
  const { stdout, stderr } = await run(words, { signal, timeout: VERSION_TIMEOUT });
  // ssh prints it to standard error.
  return (kind === 'ssh' ? stderr : stdout).trim().split('\n')[0] || null;
}

function readFacts(text: string): Facts {
  const lines = text.split('\n').map((line) => /^([a-z]+)=(.*)$/.exec(line) ?? []);
  const facts: Partial<Record<string, string>> = Object.fromEntries(
    lines.map(([, name, value]) => [name, value]),
  );
  const { system, release, machine, user, home, shells = '', memory, pids } = facts;
  return {
    system: system ?? null,
    release: release ?? null,
    machine: machine ?? null,
    user: user ?? null,
    home: home || null,
    shells: shells.split(' ').filter((path) => path !== ''),
    limits: { memory: limitOf(memory), pids: limitOf(pids) },
  };
}

function limitOf(text: string | undefined): number | null {
  const limit = Number(text);
  return Number.isFinite(limit) && limit > 0 && limit < NO_LIMIT ? limit : null;
}

function errorOf({ status, error }: RunResult): RunError {
  return error ?? { code: 'UNEXPECTED', message: `true ended as ${status}` };
}

export { probeTarget };
