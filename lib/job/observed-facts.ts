import type { ObservedFacts } from '../observe/observers.ts';
import type { SandboxOptions } from '../options/surroundings/sandbox-api.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import type { CommandMore } from './command-plan.ts';

/** Returns what the observers of a command get before its start. */
function factsOf(
  command: string,
  { cwd, sandbox, target, redactor }: SurroundingsPlan,
  { pty, openInput }: CommandMore = {},
): ObservedFacts {
  return {
    session: null,
    command,
    cwd,
    sandbox: sandbox === undefined ? null : levelOf(JSON.parse(sandbox)),
    target: target === undefined ? null : kindOf(target.held.options),
    pty: pty === undefined ? null : { cols: pty.cols, rows: pty.rows },
    stdin: openInput === true,
    clean: undefined,
    redactor,
  };
}

/** Returns the kind of a target: the one of `container`, `ssh` and `exec` that its options have. */
function kindOf(options: object): string | null {
  return ['container', 'ssh', 'exec'].find((kind) => kind in options) ?? null;
}

function levelOf(sandbox: string | SandboxOptions): string {
  return typeof sandbox === 'string' ? sandbox : sandbox.level;
}

export { factsOf };
