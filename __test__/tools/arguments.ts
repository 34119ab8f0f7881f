import { createTool, type Dialect, type JSONSchema } from 'agent-bash/tools';

/** Arguments that name the first job of a toolset, as each dialect calls it. */
export const ONE_JOB = {
  job: 'job-1',
  bash_id: 'bash_1',
  shell_id: 'bash_1',
  task_id: 'bash_1',
  session_id: 1001,
  pid: 1,
};

/** Returns the arguments of a dialect's main tool for a command, by the names and types of its schema. */
export function argumentsOf(dialect: Dialect, command: string): object {
  const properties = createTool(dialect).inputSchema.properties as Record<string, JSONSchema | undefined>;
  const { command: text, commands, login } = properties;
  if (commands !== undefined) return { commands: [command] };
  if (text === undefined) return { cmd: command, ...(login && { login: false }) };
  return { command: text.type === 'array' ? ['bash', '-c', command] : command };
}
