import { basename } from 'node:path';

/** Returns the name of a program by its path; on Windows without its `.exe`. */
function programName(path: string): string {
  const name = basename(path);
  return process.platform === 'win32' ? name.replace(/\.exe$/i, '') : name;
}

export { programName };
