import type { BashSpec } from '../addon/addon-types.ts';
import type { Given } from '../options/checks.ts';
import type { Terminal } from '../options/command/pty-options.ts';
import { commandEnvironment } from '../options/surroundings/environment/environment.ts';
import { environmentNow } from '../options/surroundings/environment/process-environment.ts';
import { withOverlay } from '../options/surroundings/overlay-option.ts';
import type { SurroundingsPlan } from '../options/surroundings/surroundings.ts';
import { ownSurroundings } from '../options/surroundings/surroundings-options.ts';
import { features } from '../support/features.ts';
import { absolutePath } from '../support/paths/absolute-path.ts';
import type { Target } from '../target/target.ts';

type Where = Given<'sandbox' | 'overlay' | 'target'>;

/** The surroundings of a command; `spec` is `undefined` if the working directory is no string. */
interface CheckedPlace {
  spec: SurroundingsPlan | undefined;
  /** The target that exists for this command alone. */
  ownTarget: Target | null | undefined;
}

/** The time limit of `bash()`, and the default of `BashJob` (ms). The addon has no default of its own. */
const TIMEOUT_MS = 30_000;

/** Converts the arguments of the bash tool to those of the addon. */
function bashCall(
  args: { command?: unknown; cmd?: unknown } | null | undefined,
  surroundings: SurroundingsPlan | undefined,
  safeMode: unknown,
  timeout: number | undefined,
  { pty, bytes, codePage }: { pty?: Terminal | undefined } & Pick<BashSpec, 'bytes' | 'codePage'> = {},
): BashSpec & { surroundings: SurroundingsPlan | undefined } {
  return {
    command: stringOrUndefined(args?.command),
    cmd: stringOrUndefined(args?.cmd),
    surroundings,
    safeMode: Boolean(safeMode),
    timeout,
    pty,
    bytes,
    codePage,
  };
}

/**
 * Checks the options `sandbox`, `overlay` and `target`, and returns the surroundings of a command; `spec` is
 * `undefined` if `workspaceRoot` is no string. The addon chooses the shell, by the rules of the bash tool.
 * `ownTarget` is the target that exists for this command alone, or `null`.
 */
function bashSurroundings(workspaceRoot: unknown, given: Where, pty?: Terminal): CheckedPlace {
  if (given.target !== undefined) return bashOnTarget(workspaceRoot, given, pty);
  return { spec: bashHere(workspaceRoot, given, pty), ownTarget: null };
}

function bashHere(
  workspaceRoot: unknown,
  given: Where,
  pty: Terminal | undefined,
): SurroundingsPlan | undefined {
  if (typeof workspaceRoot !== 'string') return undefined;
  const cwd = absolute(workspaceRoot);
  // Without the directory, which the addon checks by the words of the bash tool.
  const { sandbox, overlay } = ownSurroundings(withOverlay(given));
  if (sandbox !== undefined) {
    const { connectDecider, redactorOf, sandboxSpec, secretsOf } = features();
    const { sandbox: own, scope } = secretsOf(sandbox, undefined);
    const variables = scope?.variables() ?? [];
    const environment = commandEnvironment({ sandbox, variables }, pty?.term, scope);
    return {
      cwd,
      root: cwd,
      environment,
      sandbox: sandboxSpec(own, cwd, environment),
      overlay: overlay?.native,
      connect: connectDecider(sandbox),
      secrets: scope?.native(),
      scope,
      redactor: redactorOf(undefined, [], scope?.known()),
    };
  }
  return { cwd, environment: pty === undefined ? environmentNow() : commandEnvironment({}, pty.term) };
}

/** On a target, `workspaceRoot` is a directory there, or the workspace of a container that is made for it. */
function bashOnTarget(
  workspaceRoot: unknown,
  { sandbox, overlay, target }: Where,
  pty: Terminal | undefined,
): CheckedPlace {
  const isPath = typeof workspaceRoot === 'string' && !workspaceRoot.includes('\0');
  const { spec, ownTarget } = features().onTarget(
    { sandbox, overlay, target, ...(isPath && { cwd: workspaceRoot }) },
    pty?.term,
    isPath ? workspaceRoot : undefined,
  );
  return { spec: typeof workspaceRoot === 'string' ? spec : undefined, ownTarget };
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Makes a path absolute now: the addon opens it on another thread, and the working directory may change until
 * then.
 */
function absolute(path: string): string {
  try {
    return absolutePath(path);
  } catch {
    // Node.js's own working directory is gone. The launch fails and reports it.
    return path;
  }
}

export { bashCall, bashSurroundings, TIMEOUT_MS };
