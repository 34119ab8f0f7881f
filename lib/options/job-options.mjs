import { abortSignal, milliseconds, object } from './checks.mjs';
import { viewSpec } from './view-options.mjs';

/** Checks the options of `new BashJob()`. */
function checkJobOptions(options) {
  const { timeout, signal, output = {} } = object('options', options, ['timeout', 'signal', 'output']);
  const { view } = object('options.output', output, ['view']);
  milliseconds('options.timeout', timeout);
  abortSignal('options.signal', signal);
  return { timeout, signal, view: viewSpec('options.output.view', view) };
}

export { checkJobOptions };
