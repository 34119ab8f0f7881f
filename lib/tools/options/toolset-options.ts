// The options of a toolset: checks them, and splits them into the dialect's settings and the options of each
// command.

import { refuseOnWindows } from '../../addon/missing-addon.ts';
import { requireAnswers, sessionShell } from '../../addon/native.ts';
import type { CommandPlan } from '../../job/command-plan.ts';
import { Jobs } from '../../jobs.ts';
import type { Observers } from '../../observe/observers.ts';
import type { Given } from '../../options/checks.ts';
import {
  abortSignal,
  boolean,
  callback,
  describe,
  integer,
  invalid,
  isRecord,
  milliseconds,
  object,
  oneOf,
  path,
  wrong,
} from '../../options/checks.ts';
import type { SpillOptions } from '../../options/command/api.ts';
import { checkTable } from '../../options/jobs-options.ts';
import type { Row } from '../../options/option-table.ts';
import { checkRows, namesOf } from '../../options/option-table.ts';
import { checkStart } from '../../options/run-options.ts';
import { withOverlay } from '../../options/surroundings/overlay-option.ts';
import { ownCredentials, secretsOf } from '../../options/surroundings/sandbox/host-rules.ts';
import { withShellOfState } from '../../options/surroundings/start-state.ts';
import { SURROUNDINGS, surroundingsOf } from '../../options/surroundings/surroundings.ts';
import { rootThere } from '../../options/surroundings/target-surroundings.ts';
import type { Policy } from '../../policy/api.ts';
import { compile } from '../../policy/policy.ts';
import type { RedactChoice, Redactor } from '../../redact/redaction.ts';
import { redactChoice, redactorOf } from '../../redact/redaction.ts';
import { programName } from '../../support/paths/program-name.ts';
import type { Target } from '../../target/target.ts';
import type { MinimizeOptions, ViewOptions } from '../../view/api.ts';
import type { ToolsOptions } from '../api/options.ts';
import type { ClientTerminals } from '../api/terminals.ts';
import type { DialectProfile, LimitVariable } from '../dialects.ts';
import { dialects, profileOf } from '../dialects.ts';
import { interceptorOptions } from '../permission/interceptors.ts';
import { isOtherPosixShell } from '../state/cwd/cwd-files-here.ts';
import type { OwnOptions, ToolSurroundings } from '../toolset-state.ts';
import type { UpdateSettings } from '../updates.ts';
import { durableOption } from './durable-option.ts';
import { checkOutput, MAX_OUTPUT, timeoutSettings } from './output-limits.ts';
import { ownOptions } from './own-options.ts';
import { checkTerminals } from './terminals.ts';
import { maySandboxAsk, sandboxText, toolSandbox } from './tool-sandbox.ts';
import { targetSettings, toolTarget } from './tool-target.ts';
import { shellSetting } from './windows-shell.ts';

/** The shortest time between two updates (ms). */
const MIN_UPDATE_MS = 10;

type GivenUpdates = NonNullable<ToolsOptions['updates']>;

/** The options that become properties of the checked ones as they are. */
interface Simple {
  approve: NonNullable<ToolsOptions['approve']>;
  background: NonNullable<ToolsOptions['background']>;
  asksPipeStatus: boolean;
  overlap: NonNullable<ToolsOptions['overlap']>;
  onEvent: NonNullable<ToolsOptions['onEvent']>;
  signal: AbortSignal;
  name: string;
  describe: (text: string) => string;
  updates: GivenUpdates;
}

const SIMPLE: readonly Row<Simple, DialectProfile>[] = [
  {
    name: 'approve',
    field: 'approve',
    check: (name, value) => callback(name, value) as Simple['approve'],
  },
  {
    name: 'background',
    field: 'background',
    check: (name, value) => oneOf(name, value, ['keep', 'kill', 'adopt']),
  },
  { name: 'pipeStatus', field: 'asksPipeStatus', check: boolean },
  { name: 'overlap', field: 'overlap', check: (name, value) => oneOf(name, value, ['queue', 'fresh']) },
  {
    name: 'onEvent',
    field: 'onEvent',
    check: (name, value) => callback(name, value) as Simple['onEvent'],
  },
  { name: 'signal', field: 'signal', check: abortSignal },
  { name: 'name', field: 'name', check: toolName },
  { name: 'description', field: 'describe', check: describer },
  { name: 'updates', field: 'updates', check: givenUpdates },
];

/** The options of every dialect: those of a table of its own, and those that depend on others. */
const COMMON = [
  ...SURROUNDINGS,
  ...namesOf(SIMPLE),
  'timeout',
  'output',
  'policy',
  'session',
  'jobs',
  'durable',
  'compat',
  'interceptors',
  'tools',
  'record',
  'terminals',
];

type GivenTools = Given<string>;

/** The checked options of a toolset. */
export interface CheckedTools extends Partial<Omit<Simple, 'updates'>> {
  updates: UpdateSettings & { inBackground: boolean | undefined };
  profile: DialectProfile;
  /** The options that every command gets. */
  surroundings: ToolSurroundings;
  spill: SpillOptions | undefined;
  view: boolean | ViewOptions | undefined;
  minimize: boolean | MinimizeOptions | undefined;
  jobs: { table: Jobs; isOurs: boolean };
  /** The target that ends with the toolset. */
  ownTarget: Target | undefined;
  asksPipeStatus: boolean;
  policy: Policy | undefined;
  policyName: string;
  refusesDanger: boolean;
  describe: (text: string) => string;
  own: OwnOptions;
  observers: Observers;
  redactor: () => Redactor | undefined;
  /** The option `record`, which the toolset checks by itself: that creates a file. */
  record: unknown;
  /** The terminals of the client in which commands run. */
  terminals: ClientTerminals | undefined;
  /** The settings of the addon's dialect. */
  settings: ToolsetSettings;
}

/** The settings of the addon's dialect, of which only these count here. */
export interface ToolsetSettings {
  escalates: boolean;
  spill?: unknown;
  compat?: string | undefined;
  readonly [other: string]: unknown;
}

/** The names of tools that OpenAI, Anthropic and Gemini accept. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Checks all options, before anything is created. */
function checkTools(dialect: unknown, given: unknown = {}, hasCompanions = true): CheckedTools {
  requireAnswers();
  const profile = profileOf(dialect);
  if (profile === undefined) {
    throw wrong(`Invalid dialect: expected one of ${dialects.join(', ')}, got ${describe(dialect)}`);
  }
  const known = [...COMMON, ...profile.options.map(({ name }) => name)];
  const asked = object('options', given, known);
  const terminals = checkTerminals(asked);
  const options = withShellOfState(asked);
  const own = ownOptions(profile.options, options);
  const { updates, ...simple } = checkRows('options', options, SIMPLE, profile);
  const policy = policyOf(options);
  const timeout = timeoutSettings(options.timeout);
  const { settings: output, spill, view, minimize } = checkOutput(options.output);
  const target = toolTarget(options, profile);
  const { surroundings, plan } = surroundingsOptions(options, profile, target?.held);
  return {
    describe: (text) => text,
    ...simple,
    profile,
    surroundings,
    spill,
    view,
    minimize,
    jobs: jobsOf(options, surroundings, profile),
    ownTarget: target?.isOwn ? target.held : undefined,
    updates: updateSettings(updates, profile),
    asksPipeStatus:
      simple.asksPipeStatus ?? (profile.reportsPipeStatus && target === undefined && terminals === undefined),
    policy: policy.rules,
    policyName: policy.name,
    // A container protects the rest of this machine.
    refusesDanger: profile.deniesDanger && policy.rules === undefined && !target?.held.isOwnContainer,
    observers: new Set(),
    redactor: redactorIn(surroundings),
    record: options.record,
    own,
    terminals,
    settings: {
      ...limitsOfEnvironment(profile.limits, surroundings),
      // A command that may become a job can't run in a terminal of the client.
      ...(terminals && { movesAtTimeout: false }),
      ...timeout,
      ...output,
      ...present({ session: sessionOf(options, profile) }),
      ...interceptorOptions(options),
      ...present({ name: simple.name }),
      compat: compatOf(options.compat, profile),
      ...present({ sandbox: sandboxText(plan) }),
      ...targetSettings(target, options, profile),
      ...shellSetting(options.shell, target !== undefined || terminals !== undefined),
      escalates: maySandboxAsk(surroundings.sandbox, profile),
      hasCompanions,
      hasTerminals: process.platform !== 'win32',
      own,
    },
  };
}

/** Returns the limits that variables of the original set, which the host's options override. */
function limitsOfEnvironment(
  limits: readonly LimitVariable[],
  { env = {}, extendEnv }: ToolSurroundings,
): Record<string, unknown> {
  const limit = ({ name, setting, most }: LimitVariable) => {
    const text = name in env ? env[name] : extendEnv === false ? undefined : process.env[name];
    const isLimit = /^[1-9]\d*$/.test(text ?? '');
    return [setting, isLimit ? Math.min(Number(text), most ?? Number.MAX_SAFE_INTEGER) : undefined];
  };
  return present(Object.fromEntries(limits.map(limit)));
}

/** Returns the settings that have a value. */
function present(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/**
 * Returns the policy, or the policy of AgentRail's `permissions`. The error for an invalid rule names its
 * list and index.
 */
function policyOf({ policy, permissions }: GivenTools): { rules: Policy | undefined; name: string } {
  if (policy !== undefined && permissions !== undefined) {
    throw invalid('options.permissions', 'none next to a policy', permissions);
  }
  const name = permissions === undefined ? 'options.policy' : 'options.permissions';
  const rules = policy ?? permissions;
  if (rules !== undefined) compile(object(name, rules, Object.keys(Object(rules))), name);
  return { rules: rules as Policy | undefined, name };
}

/**
 * Returns the options that every command gets, and the plan of a command with them. Checks them as
 * `Jobs.start()` does, so that an invalid option throws when the tools are created.
 */
function surroundingsOptions(
  given: GivenTools,
  profile: DialectProfile,
  target: Target | undefined,
): { surroundings: ToolSurroundings; plan: CommandPlan } {
  const options = withOverlay(given);
  const { root, cwd, env, shell, limits, sandbox, credentials, overlay, redact } = options;
  const surroundings: ToolSurroundings = {
    ...surroundingsOf(options),
    root: rootOf(path('options.root', root), target),
    target,
    overlay,
    cwd: path('options.cwd', cwd),
    // Copies: the caller may change its own objects later.
    env: env === undefined ? undefined : { ...(env as ToolSurroundings['env']) },
    shell: Array.isArray(shell) ? [...shell] : (shell as string | undefined),
    limits: isRecord(limits) ? { ...limits } : limits,
    sandbox: toolSandbox(sandbox, profile),
    credentials: ownCredentials(sandbox, credentials),
    redact: isRecord(redact) || redact === undefined ? { environment: 'secrets', ...redact } : redact,
  };
  const isShell =
    shell === undefined || typeof shell === 'string' || (Array.isArray(shell) && shell.length > 0);
  if (!isShell || shell === '') throw invalid('options.shell', "'auto', a path, or a path and flags", shell);
  return { surroundings, plan: checkStart(':', { ...surroundings, env }) };
}

/** Returns a function that returns the redactor of commands, as the environment is then. */
function redactorIn({
  redact,
  env = {},
  sandbox,
  credentials,
}: ToolSurroundings): () => Redactor | undefined {
  const choice: RedactChoice = redactChoice('options.redact', redact);
  const own = Object.entries(env);
  const { scope } = secretsOf(sandbox, credentials);
  return () => redactorOf(choice, own, scope?.known());
}

/**
 * Returns the root of the commands: on a target, a path there, which a later `chdir` of Node.js does not
 * change.
 */
function rootOf(root: string | undefined, target: Target | undefined): string | undefined {
  if (target === undefined) return root;
  return root === undefined ? (target.workspace ?? undefined) : rootThere(root, target);
}

function jobsOf(
  { jobs, durable }: GivenTools,
  surroundings: ToolSurroundings,
  { maxRunning }: DialectProfile,
): CheckedTools['jobs'] {
  const own = durableOption(durable, jobs, surroundings);
  if (jobs instanceof Jobs) return { table: jobs, isOurs: false };
  if (jobs !== undefined) checkTable(jobs, 'options.jobs');
  const table = (jobs as object | undefined) ?? (maxRunning === null ? {} : { maxRunning });
  return { table: new Jobs({ ...table, ...own }), isOurs: true };
}

function sessionOf(
  { session: given, shell, target, terminals }: GivenTools,
  { usesBash }: DialectProfile,
): string | undefined {
  const session = oneOf('options.session', given, ['none', 'cwd', 'carry', 'live']);
  if (terminals !== undefined) return 'none';
  if (session === 'live' && target === undefined) refuseOnWindows("options.session 'live'", "'carry'");
  const [path] = shell === undefined ? [] : ([shell].flat() as unknown[]);
  // 'auto' is a shell that depends on the machine; on a target, it is bash where that exists.
  const usual = () => (target === undefined ? sessionShell()?.program : 'bash');
  const program = path === 'auto' ? usual() : path;
  const hasBash = program === undefined ? usesBash : programName(String(program)) === 'bash';
  if (hasBash || session === 'none') return session;
  const keepsDirectory =
    session !== undefined &&
    target === undefined &&
    isOtherPosixShell(path === 'auto' ? undefined : String(path));
  if (keepsDirectory && session === 'cwd') return session;
  if (session !== undefined) {
    const expected = keepsDirectory ? "'none' or 'cwd'" : "'none'";
    throw invalid('options.session', `${expected}, as the shell is not bash`, session);
  }
  // The session that a dialect has by default needs bash too.
  return 'none';
}

function givenUpdates(name: string, given: unknown): GivenUpdates | undefined {
  if (given === undefined) return undefined;
  const { intervalMs, maxBytes, background } = object(name, given, ['intervalMs', 'maxBytes', 'background']);
  return {
    intervalMs: milliseconds(`${name}.intervalMs`, intervalMs, 'a number of milliseconds'),
    maxBytes: integer(`${name}.maxBytes`, maxBytes, 1, MAX_OUTPUT, 'bytes'),
    background: boolean(`${name}.background`, background),
  };
}

function updateSettings(given: GivenUpdates = {}, profile: DialectProfile): CheckedTools['updates'] {
  return {
    intervalMs: Math.max(MIN_UPDATE_MS, given.intervalMs ?? profile.updateIntervalMs),
    maxBytes: given.maxBytes ?? profile.updateBytes,
    inBackground: given.background,
  };
}

/** Checks a name: one that vendors accept, or the id of the dialect. */
function toolName(name: string, value: unknown, { identity }: DialectProfile): string {
  if (identity !== null && value === identity.id) return identity.id;
  if (typeof value === 'string' && NAME.test(value)) return value;
  throw invalid(name, 'up to 64 letters, digits, _ or -, with a letter or _ first', value);
}

function describer(name: string, description: unknown): (text: string) => string {
  if (typeof description === 'string') return () => description;
  if (typeof description !== 'function') throw invalid(name, MEANING, description);
  return (text) => {
    const described = description(text);
    if (typeof described !== 'string') throw invalid(name, MEANING, described);
    return described;
  };
}

const MEANING = 'text, or a function that returns text';

function compatOf(asked: unknown, { compat }: DialectProfile): string | undefined {
  if (asked === undefined || asked === false) return undefined;
  const choices = compat === null ? [true, false] : [true, false, 'binary', ...compat];
  return String(oneOf('options.compat', asked, choices));
}

export { checkTools };
