import { checkAuthorization } from '../policy/authorize.mjs';
import { abortSignal, milliseconds, object } from './checks.mjs';
import { viewSpec } from './output/view-options.mjs';
import { ptySpec } from './pty-options.mjs';

/** Checks the options of `new BashJob()`. */
function checkJobOptions(options) {
  const known = ['timeout', 'signal', 'output.view', 'pty', 'policy', 'approve', 'decision'];
  const { timeout, signal, output = {}, pty } = object('options', options, known);
  const { view } = object('options.output', output, ['view']);
  milliseconds('options.timeout', timeout);
  abortSignal('options.signal', signal);
  return {
    timeout,
    signal,
    pty: ptySpec(pty),
    view: viewSpec('options.output.view', view),
    authorization: checkAuthorization(options),
  };
}

export { checkJobOptions };
