import { abortSignal, milliseconds, object } from '../options/checks.mjs';
import { ptySpec } from '../options/command/pty-options.mjs';
import { keepsBytes } from '../options/output/encoding.mjs';
import { viewSpec } from '../options/output/view-options.mjs';
import { checkAuthorization } from '../policy/authorize.mjs';

/** Checks the options of `new BashJob()`. */
function checkJobOptions(options) {
  const known = ['timeout', 'signal', 'output.view', 'encoding', 'pty', 'sandbox', 'overlay', 'target'];
  const ofPolicy = ['policy', 'approve', 'decision'];
  const {
    timeout,
    signal,
    output = {},
    pty,
    sandbox,
    overlay,
    target,
  } = object('options', options, [...known, ...ofPolicy]);
  const { view } = object('options.output', output, ['view']);
  milliseconds('options.timeout', timeout);
  abortSignal('options.signal', signal);
  return {
    timeout,
    signal,
    pty: ptySpec(pty),
    bytes: keepsBytes(options),
    view: viewSpec('options.output.view', view),
    authorization: checkAuthorization(options),
    sandbox,
    overlay,
    target,
  };
}

export { checkJobOptions };
