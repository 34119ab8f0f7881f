/**
 * The names of the surroundings of a command. They stand apart from the table of the checks, because the
 * bundle of the ACP adapter has the names alone.
 */
export const SURROUNDINGS = [
  'cwd',
  'root',
  'env',
  'extendEnv',
  'nonInteractive',
  'environment',
  'shell',
  'limits',
  'sandbox',
  'credentials',
  'overlay',
  'startState',
  'target',
  'redact',
  'onPrompt',
] as const;
