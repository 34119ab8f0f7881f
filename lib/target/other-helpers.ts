// The helper programs for other processors than this one.

import { dirname, join } from 'node:path';

const PROCESSORS = ['x64', 'arm64'];

/** The helper program is the same for both. */
const C_LIBRARIES = ['musl', 'gnu'];

/** Returns the paths of the helper programs for Linux on other processors whose packages are installed. */
function otherHelpers(): string[] {
  const { arch, platform } = process;
  return PROCESSORS.filter((processor) => platform !== 'linux' || processor !== arch).flatMap((processor) => {
    const found = C_LIBRARIES.map((library) => helperOf(`linux-${processor}-${library}`));
    return found.find((path) => path !== undefined) ?? [];
  });
}

function helperOf(name: string): string | undefined {
  try {
    return join(dirname(require.resolve(`agent-bash-${name}/package.json`)), `agent-bash-helper.${name}`);
  } catch {
    return undefined;
  }
}

export { otherHelpers };
