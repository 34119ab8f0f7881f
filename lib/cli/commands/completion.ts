// `agent-bash completion SHELL`: a script that completes commands and options. It is made of the tables by
// which options are read.

import type { OptionHow, OptionTable } from '../arguments.ts';
import { readOptions, UsageError } from '../arguments.ts';
import { WORDS } from './jobs.ts';

interface CompletedOption {
  name: string;
  hasValue: boolean;
  choices: readonly string[] | undefined;
}

interface CompletedCommand {
  name: string;
  options: CompletedOption[];
  words: string[];
}

const OPTIONS: OptionTable<object> = {};
/** The option of all commands. */
const HELP: OptionHow = { type: 'boolean' };
const WRITERS: Record<string, (commands: CompletedCommand[]) => string> = { bash, zsh, fish };
/** The words that a command takes, besides its options. */
const WORDS_OF: Partial<Record<string, string[]>> = { completion: Object.keys(WRITERS), jobs: WORDS };

/** Implements `agent-bash completion SHELL`. `optionsOf` resolves with the options by command. */
async function completion(
  words: string[],
  optionsOf: () => Promise<Record<string, OptionTable>>,
): Promise<number> {
  const { words: rest } = readOptions('completion', words, OPTIONS);
  const [shell, more] = rest;
  if (shell === undefined || more !== undefined || !Object.hasOwn(WRITERS, shell)) {
    throw new UsageError(`expected one of ${Object.keys(WRITERS).join(', ')}`, 'completion');
  }
  const commands = Object.entries(await optionsOf()).map(([name, options]) => ({
    name,
    options: Object.entries<OptionHow>({ ...options, help: HELP }).map(([option, how]) => ({
      name: `--${option}`,
      hasValue: how.type !== 'boolean',
      choices: how.choices ?? how.read?.choices,
    })),
    words: WORDS_OF[name] ?? [],
  }));
  process.stdout.write(WRITERS[shell](commands));
  return 0;
}

const join = (names: readonly string[]) => names.join(' ');
const namesOf = ({ options, words }: CompletedCommand) =>
  join([...words, ...options.map(({ name }) => name)]);
/** Returns the options with values, of all commands: `[command, option]`. */
const withValues = (commands: CompletedCommand[]): [string, CompletedOption][] =>
  commands.flatMap(({ name, options }) =>
    options.filter(({ hasValue }) => hasValue).map((option): [string, CompletedOption] => [name, option]),
  );
const first = (commands: CompletedCommand[]) =>
  `${join(commands.map(({ name }) => name))} help --help --version`;

function bash(commands: CompletedCommand[]): string {
  const values = withValues(commands).map(
    ([name, { name: option, choices }]) =>
      // Without words, bash completes the names of files.
      `    '${name} ${option}') words='${join(choices ?? [])}' ;;\n`,
  );
  const options = commands.map((command) => `    '${command.name} '*) words='${namesOf(command)}' ;;\n`);
  return `# bash completion for agent-bash: source <(agent-bash completion bash)
_agent_bash() {
  local word=\${COMP_WORDS[COMP_CWORD]} words= at
  COMPREPLY=()
  for ((at = 2; at < COMP_CWORD; at++)); do
    # A command follows.
    [[ \${COMP_WORDS[at]} == -- ]] && return
  done
  if ((COMP_CWORD == 1)); then
    words='${first(commands)}'
  else
    case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('')}${options.join('')}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _agent_bash agent-bash
`;
}

function zsh(commands: CompletedCommand[]): string {
  const values = withValues(commands).map(([name, { name: option, choices }]) => {
    const act = choices === undefined ? '_files' : `compadd -- ${join(choices)}`;
    return `    ('${name} ${option}') ${act} ;;\n`;
  });
  const options = commands.map((command) => `    ('${command.name} '*) compadd -- ${namesOf(command)} ;;\n`);
  return `#compdef agent-bash
# zsh completion for agent-bash: source <(agent-bash completion zsh), after compinit
_agent_bash() {
  if (( CURRENT == 2 )); then
    compadd -- ${first(commands)}
    return
  fi
  local end=\${words[(i)--]}
  # A command follows.
  if (( end < CURRENT )); then
    _files
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
${values.join('')}${options.join('')}  esac
}
if [[ $funcstack[1] == _agent_bash ]]; then _agent_bash "$@"; else compdef _agent_bash agent-bash; fi
`;
}

function fish(commands: CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, options, words }) => [
    `complete -c agent-bash -n __fish_use_subcommand -f -a ${name}`,
    ...words.map((word) => `complete -c agent-bash -n '__fish_seen_subcommand_from ${name}' -f -a ${word}`),
    ...options.map(({ name: option, hasValue, choices }) => {
      const value = choices === undefined ? ' -r' : ` -x -a '${join(choices)}'`;
      const start = `complete -c agent-bash -n '__fish_seen_subcommand_from ${name}'`;
      return `${start} -l ${option.slice(2)}${hasValue ? value : ''}`;
    }),
  ]);
  const start = '# fish completion for agent-bash: agent-bash completion fish | source\n';
  return `${start}${lines.join('\n')}\ncomplete -c agent-bash -n __fish_use_subcommand -f -a help\n`;
}

export { completion as act, OPTIONS };
