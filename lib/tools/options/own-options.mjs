// The options of single dialects.

import { boolean, integer, invalid, isRecord, milliseconds, oneOf } from '../../options/checks.mjs';

/** Options on which the text or the schema depends are `native`: the addon's dialect gets them. */
const native = (check) => ({ check, isNative: true });
const ours = (check) => ({ check, isNative: false });
const choice = (...choices) => native((name, value) => oneOf(name, value, choices));
const flag = native(boolean);

const OWN_OPTIONS = {
  voice: { safeMode: flag },
  agentrail: { permissions: ours(permissions) },
  'oh-my-pi': {
    async: flag,
    autoBackground: native(autoBackground),
    hasUI: flag,
    resolveUrl: ours(callback),
    urlSchemes: ours(names),
  },
  'anthropic-bash': { errorOn: choice('nonzero', 'failure'), timeoutArgument: flag },
  'claude-code': {
    form: choice('classic', 'current'),
    filterConsumes: flag,
    listTool: flag,
    interpretExitCodes: flag,
    additionalDirectories: ours(names),
    maxSleepMs: native((name, value) => milliseconds(name, value)),
  },
  'openai-shell': {
    concurrency: ours((name, value) => integer(name, value, 1, 64)),
  },
  'codex-shell': { form: choice('text', 'json'), main: choice('shell', 'shell_command') },
  'codex-exec': { listTool: flag },
  gemini: { form: choice('current', 'middle', 'seed'), wrap: flag, refuseSubstitution: flag },
};

/** Checks the form of `permissions`. The policy of the toolset parses the rules, and refuses them by name. */
function permissions(name, value) {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw invalid(name, 'an object', value);
  for (const key of Object.keys(value)) {
    if (!['mode', 'allow', 'ask', 'deny'].includes(key))
      throw invalid(`${name}.${key}`, 'no such option', value[key]);
  }
  const modes = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'strict'];
  oneOf(`${name}.mode`, value.mode, modes);
  return value;
}

function autoBackground(name, value) {
  if (value === undefined || typeof value === 'boolean') return value;
  const isFine = isRecord(value) && (value.thresholdMs === undefined || value.thresholdMs >= 0);
  if (!isFine) throw invalid(name, 'true, false or an object with thresholdMs', value);
  return value;
}

function names(name, value) {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw invalid(name, 'a list of strings', value);
}

function callback(name, value) {
  if (value !== undefined && typeof value !== 'function') throw invalid(name, 'a function', value);
  return value;
}

export { names, OWN_OPTIONS };
