/** The names of the surroundings of a command. */
export const SURROUNDINGS: readonly string[] = [
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
  'target',
];
