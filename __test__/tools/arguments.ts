/** Arguments that name the first job of a toolset, as each dialect calls it. */
export const ONE_JOB = {
  job: 'job-1',
  bash_id: 'bash_1',
  shell_id: 'bash_1',
  task_id: 'bash_1',
  session_id: 1001,
  pid: 1,
};

/** Returns the arguments of a dialect's main tool for a command. */
export function argumentsOf(dialect: string, command: string): object {
  switch (dialect) {
    case 'openai-shell':
      return { commands: [command] };
    case 'openai-local-shell':
    case 'codex-shell':
      return { command: ['bash', '-c', command] };
    case 'codex-exec':
      return { cmd: command, login: false };
    default:
      return { command };
  }
}
