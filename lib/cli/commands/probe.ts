import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, release } from 'node:os';
import { join } from 'node:path';
import type { Diagnostics, Probe, SandboxAvailability, TargetOptions, TargetProbe } from 'agent-bash';
import { diagnostics, probe as probeMachine, run, Target } from 'agent-bash';
import { VERSION } from '../../version.ts';
import type { OptionTable } from '../arguments.ts';
import { readOptions, UsageError, withFlags } from '../arguments.ts';
import { colorsFor } from '../colors.ts';
import type { TargetValues } from '../options/target.ts';
import { TARGET_OPTIONS, targetOf } from '../options/target.ts';

interface ProbeValues extends TargetValues {
  json?: boolean;
}

interface ProbeFailure {
  code: string;
  message: string;
}

/** The result of trial commands. */
interface Trial {
  shell: string | null;
  medianMs: number | null;
  error: ProbeFailure | null;
}

interface ProbeReport {
  ok: boolean;
  version: string;
  node: string;
  platform: string;
  kernel: string;
  addon: ProbeFailure | null;
  shell: string | null;
  command: Pick<Trial, 'medianMs' | 'error'>;
  guardian: Diagnostics['guardian'] | null;
  sandbox: Probe['sandbox'];
  treeLimits: Probe['treeLimits'];
  sdks: { name: string; version: string | null; subpath: string }[];
}

const OPTIONS: OptionTable<ProbeValues> = { ...TARGET_OPTIONS, json: { type: 'boolean' } };

/** SDKs with an adapter, and its subpath. */
const SDKS = [
  ['ai', 'agent-bash/ai-sdk'],
  ['@openai/agents', 'agent-bash/openai'],
  ['openai', 'agent-bash/openai'],
  ['@anthropic-ai/sdk', 'agent-bash/anthropic'],
  ['@langchain/core', 'agent-bash/langchain'],
];

/** Number of commands in the measurement: enough for a stable median, below 100 ms in all. */
const TRIALS = 20;

/** Implements `agent-bash probe`. Returns 1 if commands do not work on this machine. */
async function probe(words: string[]): Promise<number> {
  const { values, words: rest } = readOptions('probe', words, OPTIONS);
  if (rest.length > 0) throw new UsageError(`unexpected '${rest[0]}'`, 'probe');
  const target = targetOf('probe', values);
  if (target !== undefined) return probeTarget(target, values.json);
  const report = await collect();
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report));
  return report.ok ? 0 : 1;
}

/** Implements `agent-bash probe --target`. Returns 1 if commands do not run there. */
async function probeTarget(options: TargetOptions, isJson: boolean | undefined): Promise<number> {
  const target = withFlags('probe', () => new Target(options));
  const report = await target.probe();
  await target.dispose();
  process.stdout.write(isJson ? `${JSON.stringify(report, null, 2)}\n` : textOfTarget(report));
  return report.ok ? 0 : 1;
}

function textOfTarget({
  ok,
  kind,
  program,
  version,
  supervisor,
  reason,
  error,
  limits,
  ...there
}: TargetProbe): string {
  const { system, machine, release, user, home, shells, missing, skewMs, connectMs, nextMs, copied } = there;
  const limit = (value: number | null, unit: string) => (value === null ? 'none' : `${value}${unit}`);
  const rows: [name: string, value: string | null][] = ok
    ? [
        ['target', [kind, program, version].filter((word) => word !== null).join(', ')],
        supervisor === 'sh'
          ? ['helper', `none, sh runs the commands: ${reason}`]
          : ['helper', copied > 0 ? `${supervisor} (${copied} bytes)` : supervisor],
        ['system', `${system} ${release}, ${machine}`],
        ['user', `${user}, home ${home}`],
        ['shells', shells.join(', ') || 'none'],
        ['limits', `memory ${limit(limits.memory, ' bytes')}, processes ${limit(limits.pids, '')}`],
        ['missing', missing.join(', ') || 'nothing'],
        ['clock', skewMs === null ? 'unknown' : `${skewMs} ms ahead`],
        ['commands', `${Math.round(connectMs ?? 0)} ms to connect, ${nextMs} ms for the next one`],
      ]
    : [
        ['target', [kind, program, version].filter((word) => word !== null).join(', ')],
        ['error', problemOf(error)],
      ];
  const lines = rows.map(([name, value]) => `${name.padEnd(20)}${value}`);
  return `${lines.join('\n')}\n${summary(ok, 'there')}\n`;
}

function summary(isOk: boolean, place: string): string {
  const { green, red } = colorsFor(process.stdout);
  return isOk ? green(`Commands work ${place}.`) : red(`Commands do not work ${place}.`);
}

async function collect(): Promise<ProbeReport> {
  const { error: addon, sandbox, treeLimits } = await probeMachine();
  const trial: Trial = addon === null ? await tryCommand() : { shell: null, medianMs: null, error: addon };
  const { guardian } = addon === null ? diagnostics() : { guardian: null };
  return {
    ok: trial.error === null && guardian?.error === null,
    version: VERSION,
    node: process.version,
    platform: `${platform()}-${arch()}`,
    kernel: release(),
    addon,
    shell: trial.shell,
    command: { medianMs: trial.medianMs, error: trial.error },
    guardian,
    sandbox,
    treeLimits,
    sdks: SDKS.map(([name, subpath]) => ({ name, version: versionOf(name), subpath })),
  };
}

/** Runs trial commands. Returns their shell and the median of their durations (ms), or the first error. */
async function tryCommand(): Promise<Trial> {
  const times: number[] = [];
  let shell: string | null = null;
  for (let trial = 0; trial < TRIALS; trial++) {
    const { status, exitCode, stdout, durationMs, error } = await run('echo works; echo "$0"');
    if (error !== null) return { shell, medianMs: null, error };
    const [word, name] = stdout.split('\n');
    shell = name;
    if (status !== 'exited' || exitCode !== 0 || word !== 'works') {
      return {
        shell: null,
        medianMs: null,
        error: { code: 'UNEXPECTED', message: `echo ended as ${status} with ${JSON.stringify(stdout)}` },
      };
    }
    times.push(durationMs);
  }
  times.sort((a, b) => a - b);
  return { shell, medianMs: Math.round(times[TRIALS / 2] * 100) / 100, error: null };
}

/**
 * Returns the version of a package in the user's project, or `null`. Reads package.json directly, since
 * `exports` may hide it.
 */
function versionOf(name: string): string | null {
  const folders = createRequire(`${process.cwd()}/`).resolve.paths(name) ?? [];
  const manifest = folders
    .map((folder) => join(folder, name, 'package.json'))
    .find((path) => existsSync(path));
  return manifest === undefined ? null : JSON.parse(readFileSync(manifest, 'utf8')).version;
}

function textOf(report: ProbeReport): string {
  const { ok, version, node, platform: system, kernel, addon, sdks } = report;
  const rows = [
    ['agent-bash', version],
    ['node', `${node}, ${system}, kernel ${kernel}`],
    ...(addon === null ? rowsOf(report) : [['addon', problemOf(addon)]]),
    ...sdks.map(({ name, version: found, subpath }) => [
      name,
      found === null ? 'not in this project' : `${found}: ${subpath}`,
    ]),
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(20)}${value}`);
  return `${lines.join('\n')}\n${summary(ok, 'here')}\n`;
}

/** Returns the rows about what the addon can do on this machine. */
function rowsOf({ shell, command, guardian, sandbox, treeLimits }: ProbeReport): string[][] {
  return [
    ['shell', shell ?? 'none'],
    [
      'a command',
      command.error === null ? `${command.medianMs} ms (median of ${TRIALS})` : problemOf(command.error),
    ],
    ['guardian', guardian?.error ? problemOf(guardian.error) : String(guardian?.state)],
    ...Object.entries(sandbox).map(([level, found]) => [level, sandboxText(found)]),
    ['limits.tree', treeText(treeLimits)],
  ];
}

function sandboxText({ available, mechanism, missing, reason }: SandboxAvailability): string {
  if (mechanism === null) return `no sandbox: ${reason}`;
  const lacks = missing.length > 0 ? `, without ${missing.join(', ')}: ${reason}` : '';
  return `${available ? '' : "only with onUnavailable 'weaker': "}sandbox by ${mechanism}${lacks}`;
}

function treeText({ mechanism, controllers, reason }: Probe['treeLimits']): string {
  if (mechanism === null) return `none: ${reason}`;
  return `by ${mechanism}, with ${controllers.join(', ') || 'no controllers'}`;
}

function problemOf(failure: ProbeFailure | null): string {
  return `${failure?.code}: ${failure?.message}`;
}

export { OPTIONS, probe as act };
