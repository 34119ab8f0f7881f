/** The names of the surroundings of a command. */
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
  'overlay',
  'startState',
  'target',
] as const;
