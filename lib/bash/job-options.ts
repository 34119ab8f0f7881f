import type { ViewSpec } from '../addon/addon-types.ts';
import { abortSignal, milliseconds, object } from '../options/checks.ts';
import type { Terminal } from '../options/command/pty-options.ts';
import { ptySpec } from '../options/command/pty-options.ts';
import { keepsBytes } from '../options/output/encoding.ts';
import { viewSpec } from '../options/output/view-options.ts';
import type { Authorization } from '../policy/authorize.ts';
import { checkAuthorization } from '../policy/authorize.ts';

/** The checked options of `new BashJob()`. */
export interface BashJobOptions {
  timeout: number | undefined;
  signal: AbortSignal | undefined;
  pty: Terminal | undefined;
  bytes: boolean | undefined;
  view: ViewSpec | undefined;
  authorization: Authorization | null;
  sandbox: unknown;
  overlay: unknown;
  target: unknown;
}

/** Checks the options of `new BashJob()`. */
function checkJobOptions(options: unknown): BashJobOptions {
  const known = [
    'timeout',
    'signal',
    'output.view',
    'encoding',
    'pty',
    'sandbox',
    'overlay',
    'target',
  ] as const;
  const ofPolicy = ['policy', 'approve', 'decision'] as const;
  const given = object('options', options, [...known, ...ofPolicy]);
  const { timeout, signal, output = {}, pty, sandbox, overlay, target } = given;
  const { view } = object('options.output', output, ['view']);
  return {
    timeout: milliseconds('options.timeout', timeout),
    signal: abortSignal('options.signal', signal),
    pty: ptySpec(pty),
    bytes: keepsBytes(given),
    view: viewSpec('options.output.view', view),
    authorization: checkAuthorization(given),
    sandbox,
    overlay,
    target,
  };
}

export { checkJobOptions };
