import { existsSync } from 'node:fs';

/** The shell of the bash tool: zsh where there is one. */
export const TOOL_SHELL = existsSync('/bin/zsh') ? '/bin/zsh' : '/bin/bash';

/** Shells of this machine. Debian has no zsh by itself. */
export const INSTALLED = ['/bin/bash', '/bin/dash', '/bin/zsh'].filter((shell) => existsSync(shell));
