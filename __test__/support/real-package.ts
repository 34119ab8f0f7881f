// The names of the package from its own file, for modules that stand in the place of `index.js` in tests and
// change some of them: an alias would lead `../../index.js` back to such a module.

import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Package from '../../index.js';

const index = pathToFileURL(fileURLToPath(new URL('../../index.js', import.meta.url))).href;
export const real: typeof Package = await import(index);

export const {
  BashJob,
  bash,
  CommandError,
  changedSince,
  check,
  checkPolicy,
  diagnostics,
  explainDecision,
  findLines,
  Job,
  jobs,
  keys,
  loginEnvironment,
  loginState,
  nonInteractiveEnv,
  Overlay,
  policyFromClaudeSettings,
  policyFromCodexRules,
  probe,
  readLines,
  readOnly,
  Target,
  view,
} = real;
