/** The names of all dialects. */
const dialects = Object.freeze([
  'bash',
  'voice',
  'rye',
  'agentrail',
  'execute_bash_command',
  'oh-my-pi',
  'anthropic-bash',
  'claude-code',
  'openai-shell',
  'openai-local-shell',
  'codex-shell',
  'codex-exec',
  'gemini',
]);

export { dialects };
