// Selects the parts of a login shell's state that commands take over.

import { inheritedEnvironment } from '../addon/native.ts';
import type { DroppedState } from './api.ts';
import type { StateEntry, StateFlavor } from './scripts.ts';
import { FLAVORS } from './scripts.ts';

/** The largest state (bytes of UTF-8): each command reads it. */
const MAX_BYTES = 1024 * 1024;

/** Functions that a shell calls by itself, and words that the package's own scripts need. */
const HOOKS =
  /^(?:TRAP[A-Z]+\d*|command_not_found_handler?|chpwd|precmd|preexec|periodic|zshexit|zshaddhistory|builtin|command)$/;

/** Variables of a shell at a terminal, and those that describe the shell itself. */
const OF_A_TERMINAL =
  /^(?:PS\d|R?PROMPT\w*|HIST\w*|SAVEHIST|COLUMNS|LINES|MAIL\w*|TMOUT|INPUTRC|IGNOREEOF|OPT(?:ARG|ERR|IND)|IFS|BASH\w*|FUNCNAME|DIRSTACK|GROUPS|PIPESTATUS|SHELLOPTS|RANDOM|SRANDOM|SECONDS|EPOCH\w+|LINENO|HOSTTYPE|MACHTYPE|OSTYPE|COMP_\w+|PPID|U?E?UID|_|__agent_bash_\w+)$/;

/** Options that say how the shell was started. */
const OF_A_LOGIN = /^(?:login|login_shell|rcs|globalrcs)$/;

/** The parts that are taken over, and those that are not. */
export interface Selection {
  kept: StateEntry[];
  dropped: DroppedState[];
}

/**
 * Selects from the state of a login shell (`own`) what differs from a shell without start files (`clean`), in
 * the order in which a shell has to read it: a function is parsed with the options that it needs, and before
 * the aliases, which would change it.
 */
function select(flavor: StateFlavor, own: readonly StateEntry[], clean: readonly StateEntry[]): Selection {
  const known = new Map(clean.map((entry) => [keyOf(entry), entry.text]));
  const differing = own.filter((entry) => known.get(keyOf(entry)) !== entry.text);
  const kept: StateEntry[] = [];
  const dropped: DroppedState[] = [];
  let bytes = 0;
  for (const kind of ['option', 'variable', 'function', 'alias', 'other'] as const) {
    for (const entry of differing.filter((one) => one.kind === kind)) {
      const size = Buffer.byteLength(entry.text) + 1;
      const reason = reasonAgainst(entry, flavor) ?? (bytes + size > MAX_BYTES ? TOO_LARGE : undefined);
      if (reason === IGNORED) continue;
      if (reason !== undefined) dropped.push({ kind: nameOf(kind), name: entry.name, reason });
      else kept.push(entry);
      if (reason === undefined) bytes += size;
    }
  }
  return { kept, dropped };
}

const TOO_LARGE = 'the state would have more than 1 MiB';

/** The reason against what is no part of the user's state. */
const IGNORED = '';

function keyOf({ kind, name }: StateEntry): string {
  return `${kind} ${name}`;
}

/** Returns the kind of a part for the caller. */
function nameOf(kind: StateEntry['kind']): DroppedState['kind'] {
  return kind === 'other' ? 'alias' : kind;
}

/** Returns why a part is not taken over; `undefined` for one that is. */
function reasonAgainst({ kind, name, text }: StateEntry, flavor: StateFlavor): string | undefined {
  if (text.includes('\ufffd')) return 'it is not UTF-8';
  switch (kind) {
    case 'option':
      if (OF_A_LOGIN.test(name)) return IGNORED;
      return FLAVORS[flavor].options.test(name) ? undefined : 'it is for a shell at a terminal';
    case 'variable':
      return reasonAgainstVariable(name, text);
    case 'function':
      if (/\bbuiltin autoload -X/.test(text)) return 'it is loaded from a file at its first call';
      return HOOKS.test(name) ? 'the shell calls it by itself' : undefined;
    case 'other':
      return 'it stands for more than the first word of a command';
    default:
      return HOOKS.test(name) ? "the package's scripts need the word" : undefined;
  }
}

function reasonAgainstVariable(name: string, text: string): string | undefined {
  // The environment has exported variables; those that are read-only belong to the shell.
  if (text === '' || /^declare -\w*[xr]/.test(text) || OF_A_TERMINAL.test(name)) return IGNORED;
  const isSafe = inheritedEnvironment(`${name}=x\0`, 'safe', undefined, undefined, undefined) !== '';
  return isSafe ? undefined : 'it looks like a secret';
}

export { select };
