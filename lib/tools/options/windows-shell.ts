// Tells a model about the shell of its commands on Windows.

import { programName } from '../../support/paths/program-name.ts';

const PATHS =
  'Programs take paths such as C:/dir, and with quotes C:\\dir; the bash of Git for Windows takes /c/dir too.';

/**
 * Returns the setting of a dialect with the paragraph about the shell and the form of paths; none on another
 * system, and where the commands run elsewhere.
 */
function shellSetting(
  shell: unknown,
  isElsewhere: boolean,
  platform: NodeJS.Platform = process.platform,
): { shell?: string } {
  if (platform !== 'win32' || isElsewhere) return {};
  const [program] = [shell].flat();
  const isUsual = program === undefined || program === 'auto';
  const name = isUsual ? 'bash of Git for Windows, else by busybox sh' : programName(String(program));
  return { shell: `Commands run on Windows, by ${name}. ${PATHS}` };
}

export { shellSetting };
