import { invalid, isRecord, wrong } from '../checks.mjs';

/** Checks the form of `options.sandbox`, and returns it as JSON for the addon, which checks the rest. */
function sandboxSpec(sandbox, root) {
  if (sandbox === undefined || sandbox === false) return undefined;
  if (typeof sandbox !== 'string' && !isRecord(sandbox)) {
    throw invalid('options.sandbox', "'read-only', 'workspace-write', 'isolated' or an object", sandbox);
  }
  if (root === undefined) throw invalid('options.root', 'a directory next to a sandbox', root);
  return JSON.stringify(sandbox);
}

/**
 * Throws for a sandbox where this version has none: a command never runs without the one that was asked for.
 */
function refuseSandbox(name, sandbox, where = 'a session') {
  if (sandbox === undefined || sandbox === false) return;
  throw wrong(
    `Invalid option '${name}': ${where} can't have a sandbox in this version`,
    'ERR_FEATURE_UNAVAILABLE',
  );
}

export { refuseSandbox, sandboxSpec };
