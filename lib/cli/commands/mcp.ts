import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { OnPrompt, SandboxLevel } from 'agent-bash';
import { probe } from 'agent-bash';
import type { Live } from 'agent-bash/live';
import type { StdioOptions } from 'agent-bash/mcp';
import type { Dialect, Toolset, ToolsOptions } from 'agent-bash/tools';
import { createTools } from 'agent-bash/tools';
import type { CommandValues, OptionTable } from '../arguments.ts';
import {
  COMMAND_OPTIONS,
  choice,
  commandOptionsOf,
  count,
  defined,
  duration,
  readOptions,
  size,
  UsageError,
  withFlags,
} from '../arguments.ts';
import { CLIENT_NAMES, clientConfig } from '../client-config.ts';
import type { LiveValues } from '../live/mcp-live.ts';
import { approveBy, LIVE_OPTIONS, liveOf, showLive } from '../live/mcp-live.ts';
import { auditTo } from '../options/audit.ts';
import type { RecordValues } from '../options/record.ts';
import { recordError, recordOf } from '../options/record.ts';
import type { TargetValues } from '../options/target.ts';
import { TARGET_OPTIONS, targetOf } from '../options/target.ts';

interface McpValues extends CommandValues, LiveValues, RecordValues, TargetValues {
  mode?: string;
  escalate?: string;
  askConnect?: boolean;
  askPrompts?: boolean;
  allow?: string[];
  ask?: string[];
  deny?: string[];
  dialect?: string;
  yield?: number;
  timeout?: number;
  maxTimeout?: number;
  maxOutput?: number;
  minimize?: boolean;
  session?: ToolsOptions['session'];
  jobs?: number;
  durable?: boolean;
  audit?: string;
  name?: string;
  structuredContent?: StdioOptions['structuredContent'];
  verbose?: boolean;
  printConfig?: string;
}

type Audit = ReturnType<typeof auditTo>;

const OPTIONS: OptionTable<McpValues> = {
  ...COMMAND_OPTIONS,
  ...TARGET_OPTIONS,
  mode: { read: mode },
  escalate: { read: choice('never', 'ask') },
  'ask-connect': { type: 'boolean' },
  'ask-prompts': { type: 'boolean' },
  allow: { multiple: true },
  ask: { multiple: true },
  deny: { multiple: true },
  dialect: {},
  yield: { read: duration },
  timeout: { read: duration },
  'max-timeout': { read: duration },
  'max-output': { read: size },
  minimize: { type: 'boolean' },
  session: { read: choice('none', 'cwd', 'carry', 'live') },
  jobs: { read: count },
  durable: { type: 'boolean' },
  audit: {},
  record: {},
  ...LIVE_OPTIONS,
  name: {},
  'structured-content': { read: choice('text', 'full', 'none') },
  verbose: { type: 'boolean' },
  'print-config': { read: choice(...CLIENT_NAMES) },
};

const TIMEOUT = 600_000;
const MAX_TIMEOUT = 3_600_000;
/** Default of `--max-output` (bytes or characters): Claude Code warns above 10,000 tokens. */
const MAX_OUTPUT = 30_000;
const JOBS = 15;

/**
 * Time for a graceful end (ms): clients send SIGKILL after some seconds. Jobs that ignore SIGTERM are killed
 * by the exit of this process.
 */
const DISPOSAL_LIMIT = 700;
/** Time for the end of a server whose input has ended (ms): its last answers may take 2,000. */
const ANSWERS_LIMIT = 2_000 + DISPOSAL_LIMIT;

/** Implements `agent-bash mcp`: serves a toolset on standard input and output until the input ends. */
async function mcp(words: string[]): Promise<number> {
  const { values, words: rest } = readOptions('mcp', words, OPTIONS);
  if (rest.length > 0) throw new UsageError(`unexpected '${rest[0]}'`, 'mcp');
  if (values.printConfig !== undefined) return printConfig(values, values.printConfig, words);
  onlyProtocolOnStdout();
  if (process.stdin.isTTY)
    console.error('agent-bash: waiting for an MCP client on standard input; see agent-bash mcp --help');
  checkPaths(values);
  const audit = values.audit === undefined ? undefined : auditTo(values.audit);
  const live = await liveOf(values);
  const toolset = recordingToolset(values, audit, live);
  await checkSandbox(values);
  if (live !== undefined) await showLive(live, toolset, values);
  const { createMcpServer, serveStdio } = await import('agent-bash/mcp');
  const options: StdioOptions = defined({
    name: values.name,
    approvalHint: 'start the server with --mode auto to run commands without asking, or with --allow RULE',
    structuredContent: values.structuredContent,
    yieldMs: values.yield,
    onerror: values.verbose ? (error: Error) => console.error(`agent-bash: ${error.message}`) : undefined,
  });
  // Wrong options throw before anything is served.
  withFlags('mcp', () => createMcpServer(toolset, options));
  const served = serveStdio(toolset, options);
  // The connection also closes when the client stops reading.
  const isTerminated = await Promise.race([served.then(() => false), inputEnded(), terminated()]);
  await (isTerminated
    ? Promise.race([toolset.dispose(), setTimeout(DISPOSAL_LIMIT)])
    : Promise.race([served, setTimeout(ANSWERS_LIMIT)]));
  audit?.close();
  await live?.[Symbol.asyncDispose]();
  // Kills the remaining jobs.
  process.exit();
}

/** Returns the toolset, which records its commands if that is asked for. */
function recordingToolset(values: McpValues, audit: Audit | undefined, live: Live | undefined): Toolset {
  try {
    return toolsetFor(values, { audit, live, record: recordOf(values) });
  } catch (error) {
    throw recordError('mcp', values, error);
  }
}

/** The observers that a toolset gets beside the options of the command line. */
interface Observing {
  audit?: Audit | undefined;
  live?: Live | undefined;
  record?: ReturnType<typeof recordOf>;
}

function toolsetFor(values: McpValues, { audit, live, record = {} }: Observing = {}): Toolset {
  const { dialect = 'bash' } = values;
  const { policy, approve } = permissionsOf(values);
  return withFlags('mcp', () =>
    // The package checks the name.
    createTools(dialect as Dialect, {
      ...commandOptionsOf('mcp', values),
      ...defined({ target: targetOf('mcp', values), session: values.session, onEvent: audit?.listener }),
      ...(values.askPrompts && { onPrompt }),
      timeout: {
        default: values.timeout ?? TIMEOUT,
        max: values.maxTimeout ?? Math.max(MAX_TIMEOUT, values.timeout ?? 0),
      },
      // Some dialects limit characters, others bytes.
      output: {
        maxBytes: values.maxOutput ?? MAX_OUTPUT,
        maxChars: values.maxOutput ?? MAX_OUTPUT,
        minimize: values.minimize,
      },
      jobs: { maxRunning: values.jobs ?? JOBS },
      durable: values.durable,
      ...defined({ policy, approve: approveBy(live, values, approve) }),
      ...record,
    }),
  );
}

/** Asks the user of the client. The module is loaded at the first question, because that takes long. */
const onPrompt: OnPrompt = async (prompt) => (await import('agent-bash/mcp')).elicitPrompt(prompt);

/**
 * Refuses missing directories and a missing shell: every call would fail, and clients don't show the server's
 * errors.
 */
function checkPaths({ root, cwd, shell, target }: McpValues): void {
  // On a target, the paths are those there, except the workspace of a container that is made.
  const isHere = target === undefined;
  for (const [flag, path] of [
    ['--root', isHere || target.startsWith('container:') ? root : undefined],
    ['--cwd', isHere ? cwd && resolve(root ?? '', cwd) : undefined],
  ]) {
    if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
    throw new UsageError(`${flag} '${path}' is not a directory`, 'mcp');
  }
  if (isHere && shell?.includes('/') && !existsSync(shell))
    throw new UsageError(`--shell '${shell}' does not exist`, 'mcp');
}

/** Refuses a sandbox that this machine can't build, for the same reason, and names what another one lacks. */
async function checkSandbox({ sandbox: level, onUnavailable }: McpValues): Promise<void> {
  if (level === undefined) return;
  const { error, sandbox } = await probe();
  // The toolset throws the error of a missing addon.
  if (error !== null) return;
  const found: (typeof sandbox)[SandboxLevel] | undefined = sandbox[level as SandboxLevel];
  // The toolset refuses an unknown level.
  if (found === undefined) return;
  const { available, mechanism, missing, reason } = found;
  const isWeaker = mechanism !== null && onUnavailable === 'weaker';
  if (!available && !isWeaker) {
    const accept =
      mechanism === null ? '' : `. --on-unavailable weaker accepts a sandbox without ${missing.join(', ')}`;
    throw new UsageError(`--sandbox '${level}' is not available on this machine: ${reason}${accept}`, 'mcp');
  }
  if (missing.length > 0) {
    console.error(
      `agent-bash: the sandbox '${level}' lacks ${missing.join(', ')} on this machine: ${reason}`,
    );
  }
}

/**
 * The policy: `ask` leaves its verdict to the user, `auto` allows what would be asked. Both deny dangerous
 * commands.
 */
function permissionsOf({
  mode: asked = 'ask',
  allow = [],
  ask = [],
  deny = [],
}: McpValues): Pick<ToolsOptions, 'policy' | 'approve'> {
  if (asked === 'ask') return { policy: { mode: 'default', allow, ask, deny } };
  // Only a person decides about more than the sandbox gives.
  const approve: ToolsOptions['approve'] = ({ escalation }) =>
    escalation === null || escalation.isGranted ? 'allow' : 'ask';
  return { policy: { mode: 'bypassPermissions', allow, ask, deny }, approve };
}

function mode(text: string): string {
  if (text === 'read-only') {
    throw new UsageError('ask or auto; for commands that can only read: --mode auto --sandbox read-only');
  }
  return choice('ask', 'auto')(text);
}
mode.choices = ['ask', 'auto'];

/** Prints the configuration for a client, unless the server would refuse its options. */
async function printConfig(values: McpValues, client: string, words: string[]): Promise<number> {
  await toolsetFor(values).dispose();
  const { file, text } = clientConfig(client, withoutOption(words, '--print-config'));
  process.stderr.write(`For ${file}:\n`);
  process.stdout.write(text);
  return 0;
}

function withoutOption(words: string[], name: string): string[] {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
  return words.filter((_, index) => index !== at && !(words[at] === name && index === at + 1));
}

/** Redirects `console` to standard error. */
function onlyProtocolOnStdout(): void {
  for (const name of ['debug', 'dir', 'info', 'log', 'table'] as const) console[name] = console.error;
}

async function inputEnded(): Promise<boolean> {
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  return false;
}

/** Waits for a termination signal, and sets the exit code to 128 plus its number. */
function terminated(): Promise<boolean> {
  return Promise.race(
    Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }).map(async ([signal, exitCode]) => {
      await once(process, signal);
      process.exitCode = exitCode;
      return true;
    }),
  );
}

export { mcp as act, OPTIONS };
