import type { CommandScope } from '../../../credentials/scope.ts';
import { features } from '../../../support/features.ts';
import { cText, describe, invalid, isRecord, wrong } from '../../checks.ts';
import type { OwnSurroundings } from '../surroundings-options.ts';
import { environmentNow } from './process-environment.ts';
import { noVariables } from './variables.ts';

/** A variable; one without a value is removed. */
export type Variable = [name: string, value: string | undefined];

/**
 * An editor that fails at once, with a message for the one who reads the output. Programs run it by a shell,
 * with the file as `$1`.
 */
const NO_EDITOR = editor('');

/**
 * The editor of git: as above, but it accepts a message that git has written itself, as of `git merge` and
 * `git rebase --continue`. After an accepted file without text, git would refuse the commit and not mention
 * the editor.
 */
const GIT_EDITOR = editor(
  `case $1 in *_EDITMSG|*_MSG) grep -Eqv "^(#|[[:space:]]*$)" "$1" && exit 0;; esac; `,
);

function editor(exceptions: string): string {
  const advice =
    'there is no editor: pass the text by an option (-m, -F), or set GIT_EDITOR, GIT_SEQUENCE_EDITOR or EDITOR to a command that changes the file';
  return `sh -c '${exceptions}echo "${advice}" >&2; exit 1' editor`;
}

const nonInteractiveEnv: Readonly<Record<string, string>> = Object.freeze({
  ...each('cat', [
    'PAGER',
    'GIT_PAGER',
    'MANPAGER',
    'SYSTEMD_PAGER',
    'BAT_PAGER',
    'DELTA_PAGER',
    'GH_PAGER',
    'GLAB_PAGER',
    'PSQL_PAGER',
    'MYSQL_PAGER',
    'HOMEBREW_PAGER',
  ]),
  AWS_PAGER: '',
  LESS: 'FRX',
  TERM: 'dumb',
  NO_COLOR: '1',
  PYTHONUNBUFFERED: '1',
  GIT_EDITOR,
  // The list of a rebase has a meaning as it is, as for `git rebase -i --autosquash`.
  GIT_SEQUENCE_EDITOR: 'true',
  ...each(NO_EDITOR, ['VISUAL', 'EDITOR']),
  GIT_MERGE_AUTOEDIT: 'no',
  GIT_TERMINAL_PROMPT: '0',
  SSH_ASKPASS: 'false',
  CI: 'true',
  npm_config_yes: 'true',
  ...each('false', [
    'npm_config_update_notifier',
    'npm_config_fund',
    'npm_config_audit',
    'npm_config_progress',
  ]),
  CARGO_TERM_PROGRESS_WHEN: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  TF_INPUT: '0',
  TF_IN_AUTOMATION: '1',
  GH_PROMPT_DISABLED: '1',
  COMPOSER_NO_INTERACTION: '1',
  CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
});

/**
 * Variables of the host that `nonInteractive` removes: they force colours, whatever `NO_COLOR` says, or name
 * an editor that comes before `EDITOR`. No value of `FORCE_COLOR` means "no" to all programs.
 */
const INTERACTIVE = Object.freeze([
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
  'PY_COLORS',
  'PYTHON_COLORS',
  'CARGO_TERM_COLOR',
  'KUBE_EDITOR',
  'SUDO_EDITOR',
  'SVN_EDITOR',
  'HGEDITOR',
  'SYSTEMD_EDITOR',
]);

function each(value: string, names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/**
 * Returns the environment of a command as one string for the addon: what it inherits of `process.env` unless
 * `extendEnv` is false, then {@link nonInteractiveEnv} if requested, then the variables for a terminal of the
 * name `term`, then `env`. Later values win. `scope` has the credentials whose values are not inherited.
 */
function commandEnvironment(
  { variables = [], isExtended = true, isQuiet = false, inheritance, sandbox }: OwnSurroundings,
  term: string | undefined,
  scope?: Pick<CommandScope, 'withoutValues'>,
): string {
  const isWhole = inheritance === undefined && sandbox === undefined;
  const read = () => (isWhole ? environmentNow() : features().inherited(inheritance, sandbox !== undefined));
  const all = isExtended ? read() : '';
  const base = scope?.withoutValues(all) ?? all;
  if (variables.length > 0 || term !== undefined) return merged(base, isQuiet, term, variables);
  return isQuiet ? quietOf(base) : base;
}

/**
 * Returns what a command on a target gets: as `text`, the variables for it, after each other; one without a
 * value is removed there. `isWhole` tells whether the command gets no others. Nothing of `process.env` is
 * sent.
 */
function targetEnvironment(
  { variables: own = [], isExtended = true, isQuiet = false }: OwnSurroundings,
  term: string | undefined,
): { text: string; isWhole: boolean } {
  const removed = [
    ...(isQuiet ? INTERACTIVE : []),
    ...(term === undefined ? [] : ['COLUMNS', 'LINES']),
    ...own.filter(([, value]) => value === undefined).map(([name]) => name),
  ];
  const names = isExtended ? removed.map((name) => `${name}\0`).join('') : '';
  return { text: names + merged('', isQuiet, term, own), isWhole: !isExtended };
}

/**
 * The last environment that was made non-interactive, and the result: a cache, since most agents have one for
 * all commands.
 */
let lastBase: string | undefined;
let lastQuiet = '';

function quietOf(base: string): string {
  if (base !== lastBase) {
    lastQuiet = merged(base, true, undefined, []);
    lastBase = base;
  }
  return lastQuiet;
}

function merged(base: string, isQuiet: boolean, term: string | undefined, own: Variable[]): string {
  const variables = noVariables();
  for (const line of base.split('\0').slice(0, -1)) {
    const end = line.indexOf('=', 1);
    variables.set(line.slice(0, end), line.slice(end + 1));
  }
  if (isQuiet) {
    for (const name of INTERACTIVE) variables.delete(name);
    for (const [name, value] of Object.entries(nonInteractiveEnv)) variables.set(name, value);
  }
  if (term !== undefined) {
    variables.set('TERM', term);
    // COLUMNS and LINES have the size of the host's terminal, not of the program's.
    variables.delete('COLUMNS');
    variables.delete('LINES');
  }
  for (const [name, value] of own) {
    if (value === undefined) variables.delete(name);
    else variables.set(name, value);
  }
  let text = '';
  for (const [name, value] of variables) text += `${name}=${value}\0`;
  return text;
}

/** Returns the environment of a command, as text for the addon, with other values of some variables. */
function withVariables(environment: string, variables: Readonly<Record<string, string>>): string {
  const names = Object.keys(variables);
  const isOther = (line: string) => !names.some((name) => line === name || line.startsWith(`${name}=`));
  const kept = environment.split('\0').slice(0, -1).filter(isOther);
  const added = names.map((name) => `${name}=${variables[name]}`);
  return [...kept, ...added].map((line) => `${line}\0`).join('');
}

/**
 * Checks `options.env` and returns its entries. Reads each value once, because a getter may return different
 * values.
 */
function ownVariables(option: string, env: unknown): Variable[] {
  if (!isRecord(env)) throw invalid(option, 'an object of strings', env);
  return Object.entries(env).map(([name, value]) => {
    if (!NAME.test(name)) {
      throw invalid(option, "names that are not empty and have no '=' and no NUL", name);
    }
    if (value === undefined) return [name, value];
    if (typeof value === 'number' || typeof value === 'boolean') {
      const hint = `write '${value}': numbers and booleans are not converted`;
      throw wrong(`Invalid option '${option}.${name}': expected a string, got ${describe(value)}; ${hint}`);
    }
    return [name, cText(`${option}.${name}`, value, 'a string or undefined')];
  });
}

/**
 * A name that an environment can hold. Shells accept fewer names as variables, but pass the others on, and
 * `process.env` and `loginEnvironment()` may have them: exported functions of bash, names such as `a.b`.
 */
const NAME = /^[^=\0]+$/;

export { commandEnvironment, nonInteractiveEnv, ownVariables, targetEnvironment, withVariables };
