import { sandboxMistake } from '../../../addon/native.ts';
import { answered } from '../../../addon/native-error.ts';
import { invalid, isRecord } from '../../checks.ts';
import type { Variable } from '../environment/environment.ts';
import { connectDecider, withoutConnect } from './connect-option.ts';

/**
 * Checks a sandbox for commands in the absolute path `root` with this environment, and returns it as
 * JSON for the addon. `variables` are those that the caller gave.
 */
function sandboxSpec(
  sandbox: string | object | undefined,
  root: string | undefined,
  environment: string,
  variables: readonly Variable[] = [],
): string | undefined {
  if (sandbox === undefined) return undefined;
  if (root === undefined) throw invalid('options.root', 'a directory next to a sandbox', root);
  const spec = JSON.stringify(withQuestions(withVariables(sandbox, variables)));
  const { spec: known, root: knownRoot, environment: knownEnvironment } = latest;
  if (spec !== known || root !== knownRoot || environment !== knownEnvironment) {
    answered(sandboxMistake(spec, root, environment));
    latest = { spec, root, environment };
  }
  return spec;
}

/** The variables by which programs find the sockets that have names. */
const OF_SOCKETS = ['SSH_AUTH_SOCK', 'GNUPGHOME', 'DOCKER_HOST'];

/**
 * Returns a sandbox with the variables by which its sockets are found: those of the caller, else of this
 * process. A command does not inherit them.
 */
function withVariables(sandbox: string | object, own: readonly Variable[]): string | object {
  if (!isRecord(sandbox) || sandbox.sockets === undefined) return sandbox;
  const { sockets } = sandbox;
  if (!Array.isArray(sockets) || !sockets.every((socket) => typeof socket === 'string')) {
    const meaning = "a list of 'ssh-agent', 'gpg-agent', 'docker' and paths";
    throw invalid('options.sandbox.sockets', meaning, sockets);
  }
  const given = new Map(own);
  const value = (name: string) => (given.has(name) ? given.get(name) : process.env[name]);
  return { ...sandbox, variables: Object.fromEntries(OF_SOCKETS.map((name) => [name, value(name)])) };
}

/** Returns a sandbox that asks about hosts, if it has a function for that. */
function withQuestions(sandbox: string | object): string | object {
  return connectDecider(sandbox) === undefined
    ? sandbox
    : { ...(withoutConnect(sandbox) as object), asks: true };
}

/**
 * The last sandbox that was right, since most agents have one for all commands. A path of it may be gone by
 * now: the addon checks it again when it starts the command.
 */
let latest: { spec?: string; root?: string; environment?: string } = {};

export { sandboxSpec };
