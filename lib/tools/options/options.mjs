// The options of a toolset: checks them, and splits them into the dialect's settings and the options of each command.

import { checkTable, Jobs } from '../../jobs.mjs';
import {
  abortSignal,
  boolean,
  describe,
  integer,
  invalid,
  isRecord,
  milliseconds,
  object,
  oneOf,
  path,
  wrong,
} from '../../options/checks.mjs';
import { checkSpill } from '../../options/output/output-options.mjs';
import { viewSpec } from '../../options/output/view-options.mjs';
import { checkStart } from '../../options/run-options.mjs';
import { compile } from '../../policy/policy.mjs';
import { dialects } from '../names.mjs';
import { interceptorOptions } from '../permission/interceptors.mjs';
import { OWN_OPTIONS } from './own-options.mjs';

const COMMON = [
  'root',
  'cwd',
  'env',
  'extendEnv',
  'nonInteractive',
  'shell',
  'limits',
  'timeout',
  'output',
  'policy',
  'approve',
  'sandbox',
  'session',
  'background',
  'pipeStatus',
  'overlap',
  'jobs',
  'updates',
  'signal',
  'name',
  'description',
  'onEvent',
  'compat',
  'interceptors',
  'tools',
];

/** The names of tools that OpenAI, Anthropic and Gemini accept. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Checks all options, before anything is created. */
function checkTools(dialect, options = {}, hasCompanions = true) {
  if (!dialects.includes(dialect)) {
    throw wrong(`Invalid dialect: expected one of ${dialects.join(', ')}, got ${describe(dialect)}`);
  }
  const own = OWN_OPTIONS[dialect] ?? {};
  object('options', options, [...COMMON, ...Object.keys(own)]);
  refuseSandbox(options);
  const policy = policyOf(options);
  const timeout = timeoutOptions(options.timeout);
  const { settings: output, spill, view } = outputOptions(options.output);
  const host = hostOptions(options);
  return {
    dialect,
    host,
    spill,
    view,
    jobs: jobsOf(options.jobs, dialect),
    background: oneOf('options.background', options.background, ['keep', 'kill', 'adopt']),
    asksPipeStatus: boolean('options.pipeStatus', options.pipeStatus) ?? dialect === 'bash',
    overlap: oneOf('options.overlap', options.overlap, ['queue', 'fresh']),
    policy: policy.rules,
    policyName: policy.name,
    refusesDanger: dialect === 'agentrail' && policy.rules === undefined,
    approve: callback('options.approve', options.approve),
    onEvent: callback('options.onEvent', options.onEvent),
    signal: abortSignal('options.signal', options.signal),
    intervalMs: interval(options.updates),
    name: nameOf(options.name),
    describe: describer(options.description),
    own: ownOptions(own, options),
    settings: {
      ...(dialect === 'claude-code' && limitsOfEnvironment(host)),
      ...given(timeout),
      ...given(output),
      ...given({ session: sessionOf(options.session, dialect, host.shell) }),
      ...interceptorOptions(options),
      compat: compatOf(options.compat, dialect),
      hasCompanions,
      // The variable with which people turn the terminals of oh-my-pi off.
      hasTerminals: dialect !== 'oh-my-pi' || process.env.PI_NO_PTY !== '1',
      own: plainOwn(own, options),
    },
  };
}

/** The most characters that `BASH_MAX_OUTPUT_LENGTH` can ask for. */
const MOST_CHARS = 150_000;

/** Returns the limits that variables of Claude Code set, which the host's options override. */
function limitsOfEnvironment({ env = {}, extendEnv }) {
  const limit = (name, most = Number.MAX_SAFE_INTEGER) => {
    const text = name in env ? env[name] : extendEnv === false ? undefined : process.env[name];
    return /^[1-9]\d*$/.test(text ?? '') ? Math.min(Number(text), most) : undefined;
  };
  return given({
    timeoutMs: limit('BASH_DEFAULT_TIMEOUT_MS'),
    maxTimeoutMs: limit('BASH_MAX_TIMEOUT_MS'),
    maxChars: limit('BASH_MAX_OUTPUT_LENGTH', MOST_CHARS),
  });
}

/** Returns the settings that have a value. */
function given(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Refuses the sandbox, which this version does not have: the option must not be ignored silently. */
function refuseSandbox({ sandbox }) {
  if (sandbox === undefined || sandbox === false) return;
  const message = "Invalid option 'options.sandbox': the sandbox is not part of this version of agent-bash";
  throw Object.assign(new Error(message), { code: 'ERR_FEATURE_UNAVAILABLE' });
}

/**
 * Returns the policy, or the policy of AgentRail's `permissions`. The error for an invalid rule names its list and
 * index.
 */
function policyOf({ policy, permissions }) {
  if (policy !== undefined && permissions !== undefined) {
    throw invalid('options.permissions', 'none next to a policy', permissions);
  }
  const name = permissions === undefined ? 'options.policy' : 'options.permissions';
  const rules = policy ?? permissions;
  if (rules !== undefined) compile(object(name, rules, Object.keys(Object(rules))), name);
  return { rules, name };
}

function timeoutOptions(timeout) {
  if (typeof timeout === 'number') return { timeoutMs: milliseconds('options.timeout', timeout) };
  if (timeout === undefined) return {};
  if (!isRecord(timeout)) throw invalid('options.timeout', 'a number of milliseconds or an object', timeout);
  const {
    default: usual,
    max,
    on,
    yield: yieldMs,
  } = object('options.timeout', timeout, ['default', 'max', 'on', 'yield']);
  const moves = oneOf('options.timeout.on', on, ['kill', 'background']);
  return {
    timeoutMs: milliseconds('options.timeout.default', usual),
    maxTimeoutMs: milliseconds('options.timeout.max', max),
    movesAtTimeout: moves === undefined ? undefined : moves === 'background',
    yieldMs: milliseconds('options.timeout.yield', yieldMs),
  };
}

/** The most output that an option can ask for (bytes, or characters). */
const MOST_OUTPUT = 16 * 1024 * 1024;

function outputOptions(output) {
  if (output === undefined) return { settings: {} };
  const { maxBytes, maxChars, maxTokens, keep, stripAnsi, spill, view } = object('options.output', output, [
    'maxBytes',
    'maxChars',
    'maxTokens',
    'keep',
    'stripAnsi',
    'spill',
    'view',
  ]);
  checkSpill(spill);
  const tokens = integer('options.output.maxTokens', maxTokens, 1, MOST_OUTPUT / 4, 'tokens');
  const bytes = integer('options.output.maxBytes', maxBytes, 1, MOST_OUTPUT, 'bytes');
  const settings = {
    maxBytes: tokens === undefined ? bytes : Math.min(tokens * 4, bytes ?? MOST_OUTPUT),
    maxChars: integer('options.output.maxChars', maxChars, 1, MOST_OUTPUT, 'characters'),
    keep: oneOf('options.output.keep', keep, ['head', 'tail', 'both']),
    stripAnsi: boolean('options.output.stripAnsi', stripAnsi),
    spill: spill === undefined ? undefined : spill !== false,
    hasView: view === undefined ? undefined : view !== false,
  };
  viewSpec('options.output.view', view);
  if (view && keep !== undefined) {
    throw invalid('options.output.keep', 'none next to a view, which keeps what matters', keep);
  }
  return { settings, spill: isRecord(spill) ? spill : undefined, view };
}

/**
 * Returns the options that every command gets. Checks them as `Jobs.start()` does, so that an invalid option throws
 * when the tools are created.
 */
function hostOptions({ root, cwd, env, extendEnv, nonInteractive, shell, limits }) {
  const host = {
    root: path('options.root', root),
    cwd: path('options.cwd', cwd),
    env: env === undefined ? undefined : { ...env },
    extendEnv,
    nonInteractive: boolean('options.nonInteractive', nonInteractive),
    shell: Array.isArray(shell) ? [...shell] : shell,
    limits: isRecord(limits) ? { ...limits } : limits,
  };
  const isShell =
    shell === undefined || typeof shell === 'string' || (Array.isArray(shell) && shell.length > 0);
  if (!isShell || shell === '') throw invalid('options.shell', 'a path, or a path and flags', shell);
  checkStart(':', { ...host, env });
  return host;
}

/** The most concurrent sessions of codex. */
const CODEX_SESSIONS = 64;

function jobsOf(jobs, dialect) {
  if (jobs instanceof Jobs) return { table: jobs, isOurs: false };
  if (jobs === undefined && dialect === 'codex-exec') {
    return { table: new Jobs({ maxRunning: CODEX_SESSIONS }), isOurs: true };
  }
  if (jobs !== undefined) checkTable(jobs, 'options.jobs');
  return { table: new Jobs(jobs), isOurs: true };
}

/** Dialects whose shell is not bash. */
const WITHOUT_BASH = ['voice', 'rye', 'agentrail', 'openai-local-shell'];

function sessionOf(session, dialect, shell) {
  oneOf('options.session', session, ['none', 'cwd', 'carry', 'live']);
  const program = shell === undefined ? undefined : String([shell].flat()[0]).split('/').at(-1);
  const hasBash = program === undefined ? !WITHOUT_BASH.includes(dialect) : program === 'bash';
  if (session === 'cwd' && !hasBash)
    throw invalid('options.session', "'none', as the shell is not bash", session);
  // The session that a dialect has by default needs bash too.
  return hasBash ? session : 'none';
}

function callback(name, value) {
  if (value !== undefined && typeof value !== 'function') throw invalid(name, 'a function', value);
  return value;
}

function interval(updates) {
  if (updates === undefined) return 100;
  const { intervalMs } = object('options.updates', updates, ['intervalMs']);
  return Math.max(
    10,
    milliseconds('options.updates.intervalMs', intervalMs, 'a number of milliseconds') ?? 100,
  );
}

function nameOf(name) {
  if (name !== undefined && !(typeof name === 'string' && NAME.test(name))) {
    throw invalid('options.name', 'up to 64 letters, digits, _ or -, with a letter or _ first', name);
  }
  return name;
}

function describer(description) {
  if (description === undefined) return (text) => text;
  if (typeof description === 'string') return () => description;
  if (typeof description !== 'function') throw invalid('options.description', MEANING, description);
  return (text) => {
    const described = description(text);
    if (typeof described !== 'string') throw invalid('options.description', MEANING, described);
    return described;
  };
}

const MEANING = 'text, or a function that returns text';

/**
 * The forms of an original's text that `compat` selects, as the pages of the dialects list them, besides `binary`. The dialect of
 * this package has no original.
 */
const COMPAT_FORMS = {
  voice: ['escapes', 'processes', 'signal'],
  rye: ['environment', 'escapes', 'json', 'processes', 'timeout'],
  agentrail: ['denial', 'environment', 'escapes', 'limit', 'processes', 'signal', 'text'],
  execute_bash_command: ['environment', 'limit', 'pgid'],
  'oh-my-pi': ['processes'],
  'anthropic-bash': ['processes', 'quickstarts'],
  'claude-code': ['beginning', 'processes', 'streams'],
  'openai-shell': ['escapes', 'processes'],
  'openai-local-shell': ['escapes', 'processes', 'streams'],
  'codex-shell': ['environment', 'escapes', 'processes'],
  'codex-exec': ['environment', 'escapes', 'processes'],
  gemini: ['environment', 'pgid', 'substitution'],
};

function compatOf(compat, dialect) {
  if (compat === undefined || compat === false) return undefined;
  const forms = COMPAT_FORMS[dialect];
  const choices = forms === undefined ? [true, false] : [true, false, 'binary', ...forms];
  return String(oneOf('options.compat', compat, choices));
}

/** Checks the dialect's own options. */
function ownOptions(checks, options) {
  return Object.fromEntries(
    Object.entries(checks).map(([name, { check }]) => [name, check(`options.${name}`, options[name])]),
  );
}

/** Returns the own options that the addon's dialect gets. */
function plainOwn(checks, options) {
  const names = Object.keys(checks).filter((name) => checks[name].isNative && options[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, options[name]]));
}

export { checkTools };
