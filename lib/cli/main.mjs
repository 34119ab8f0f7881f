// The command line. Read in this order: main, arguments, help, then a file for each command.

import { nearestName } from '../support/nearest-name.mjs';
import { VERSION } from '../version.mjs';
import { UsageError } from './arguments.mjs';
import { HELP, helpOf } from './help.mjs';

/** Loads the code of a command on demand: `mcp` has to start fast. */
const COMMANDS = {
  mcp: async (words) => (await import('./mcp.mjs')).mcp(words),
  probe: async (words) => (await import('./probe.mjs')).probe(words),
  run: async (words) => (await import('./run.mjs')).runCommandLine(words),
};

/** Exit code for an invalid command line. Convention: `getopt` programs. */
const USAGE = 2;

/** Runs a command line, and sets the exit code of the process. */
async function main(words) {
  try {
    process.exitCode = await dispatch(words);
  } catch (error) {
    if (isAddonError(error)) {
      process.stderr.write(`agent-bash: ${error.message}\n`);
      process.exitCode = 1;
      return;
    }
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(
      `agent-bash: ${error.message}\nTry 'agent-bash ${error.command ?? ''} --help'.\n`.replace('  ', ' '),
    );
    process.exitCode = USAGE;
  }
}

/** Returns whether an error says why the addon is missing, and what to do. Its stack says nothing more. */
function isAddonError({ code }) {
  return code === 'UNSUPPORTED_PLATFORM' || code === 'ADDON_MISSING' || code === 'ADDON_NOT_LOADED';
}

async function dispatch([name, ...rest]) {
  if (name === undefined) {
    process.stderr.write(HELP);
    return USAGE;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    if (rest.length > 0) checkCommand(rest[0]);
    return print(rest.length > 0 ? helpOf(rest[0]) : HELP);
  }
  if (name === '--version' || name === '-V') return print(`${VERSION}\n`);
  checkCommand(name);
  const end = rest.indexOf('--');
  const own = end === -1 ? rest : rest.slice(0, end);
  if (own.includes('--help') || own.includes('-h')) return print(helpOf(name));
  return COMMANDS[name](rest);
}

function checkCommand(name) {
  if (Object.hasOwn(COMMANDS, name)) return;
  const meant = nearestName(name, Object.keys(COMMANDS));
  const hint =
    meant === undefined ? `there are ${Object.keys(COMMANDS).join(', ')}` : `did you mean '${meant}'?`;
  throw new UsageError(`unknown command '${name}'; ${hint}`);
}

function print(text) {
  process.stdout.write(text);
  return 0;
}

export { main };
