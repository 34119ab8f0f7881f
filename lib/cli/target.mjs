import { UsageError } from './arguments.mjs';

/** Options of commands about the target on which commands run. */
const TARGET_OPTIONS = { target: {}, engine: {} };

const MEANING = "container:IMAGE, name:NAME, ssh:HOST or exec:'WORDS'";

/** Returns the option `target` of the package; `undefined` without `--target`. */
function targetOf(command, { target, engine: program }) {
  if (target === undefined) {
    if (program !== undefined) throw new UsageError('--engine needs --target', command);
    return undefined;
  }
  const [, kind, what] = /^([a-z]+):(.+)$/s.exec(target) ?? [];
  const engine = program?.trim().split(/\s+/);
  if (kind === 'container') return { container: { image: what, engine } };
  if (kind === 'name') return { container: { name: what, engine } };
  if (program !== undefined) throw new UsageError('--engine needs a container as --target', command);
  if (kind === 'ssh') return { ssh: { host: what } };
  if (kind === 'exec') return { exec: what.trim().split(/\s+/) };
  throw new UsageError(`--target: expected ${MEANING}, got '${target}'`, command);
}

export { TARGET_OPTIONS, targetOf };
