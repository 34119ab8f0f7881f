// The command line. Read in this order: main, arguments, help, then the file of a command in commands/.

import type { CodedError } from '../support/coded-error.ts';
import { nearestName } from '../support/nearest-name.ts';
import { VERSION } from '../version.ts';
import type { OptionTable } from './arguments.ts';
import { UsageError } from './arguments.ts';
import { colorsFor } from './colors.ts';
import { explainHint, HELP, helpOf } from './help.ts';

/** The code of a command. */
interface CliCommand {
  OPTIONS: OptionTable;
  /** Runs the command. Returns the exit code. */
  act: (words: string[], options: () => Promise<Record<string, OptionTable>>) => Promise<number>;
}

/** Loads the code of a command on demand: `mcp` has to start fast. */
const COMMANDS = {
  call: () => import('./commands/call.ts'),
  check: () => import('./commands/check.ts'),
  completion: () => import('./commands/completion.ts'),
  copy: () => import('./commands/copy.ts'),
  explain: () => import('./commands/explain.ts'),
  jobs: () => import('./commands/jobs.ts'),
  live: () => import('./commands/live.ts'),
  mcp: () => import('./commands/mcp.ts'),
  probe: () => import('./commands/probe.ts'),
  run: () => import('./commands/run.ts'),
} satisfies Record<string, () => Promise<CliCommand>>;

/** Resolves with the options of all commands. */
async function allOptions(): Promise<Record<string, OptionTable>> {
  const loaded = Object.entries(COMMANDS).map(
    async ([name, load]) => [name, (await load()).OPTIONS] as const,
  );
  return Object.fromEntries(await Promise.all(loaded));
}

/** Exit code for an invalid command line. Convention: `getopt` programs. */
const USAGE = 2;

/** Runs a command line, and sets the exit code of the process. */
async function main(words: string[]): Promise<void> {
  try {
    process.exitCode = await dispatch(words);
  } catch (error) {
    const { red } = colorsFor(process.stderr);
    if (isAddonError(error)) {
      process.stderr.write(`${red('agent-bash:')} ${error.message}\n${explainHint(error.code)}`);
      process.exitCode = 1;
      return;
    }
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(
      `${red('agent-bash:')} ${error.message}\nTry 'agent-bash ${error.command ?? ''} --help'.\n`.replace(
        '  ',
        ' ',
      ),
    );
    process.exitCode = USAGE;
  }
}

/** Returns whether an error says why the addon is missing, and what to do. Its stack says nothing more. */
function isAddonError(error: unknown): error is CodedError {
  const { code } = Object(error);
  return code === 'UNSUPPORTED_PLATFORM' || code === 'ADDON_MISSING' || code === 'ADDON_NOT_LOADED';
}

async function dispatch([name, ...rest]: string[]): Promise<number> {
  if (name === undefined) {
    process.stderr.write(HELP);
    return USAGE;
  }
  if (name === '--help' || name === '-h' || name === 'help') return print(await help(rest[0]));
  if (name === '--version' || name === '-V') return print(`${VERSION}\n`);
  // The command line of a tool that hosts start by its own words.
  if (/^--(params|project-path)(=|$)/.test(name)) {
    const { act, ryeArguments } = await COMMANDS.call();
    return act(ryeArguments([name, ...rest]));
  }
  if (!isCommand(name)) throw unknown('command', name, Object.keys(COMMANDS));
  const end = rest.indexOf('--');
  const own = end === -1 ? rest : rest.slice(0, end);
  if (own.includes('--help') || own.includes('-h')) return print(helpOf(name));
  const { act }: CliCommand = await COMMANDS[name]();
  return act(rest, allOptions);
}

/** Returns the help of a command, a page of the documentation, or without a name the help of all. */
async function help(name: string | undefined): Promise<string> {
  const { topic, topics } = await import('./topics.ts');
  const pages = topics();
  if (name === undefined) return `${HELP}\nTopics: ${pages.join(', ').replace(/(.{80,100},) /g, '$1\n  ')}\n`;
  if (isCommand(name)) {
    const page = pages.includes(name)
      ? `\nThe page of the documentation: agent-bash help docs/${name}\n`
      : '';
    return `${helpOf(name)}${page}`;
  }
  const page = name.replace(/^docs\//, '');
  if (!pages.includes(page)) throw unknown('command or topic', name, [...Object.keys(COMMANDS), ...pages]);
  return topic(page);
}

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

function unknown(kind: string, name: string, known: string[]): UsageError {
  const meant = nearestName(name, known);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean '${meant}'?`;
  return new UsageError(`unknown ${kind} '${name}'; ${hint}`);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

export { main };
