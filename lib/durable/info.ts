import type { NativeDurable } from '../addon/addon-types.ts';
import type { SignalName } from '../result/output-api.ts';
import type { DurableEnd, DurableInfo, DurableSandbox } from './api.ts';

/**
 * Converts what the addon knows of a durable job to the type of `index.d.ts`, where an absent value is
 * `null`.
 */
function durableInfo({ name, pty, sandbox, end, merged: _merged, ...facts }: NativeDurable): DurableInfo {
  return {
    ...facts,
    survives: facts.survives as DurableInfo['survives'],
    name: name ?? null,
    pty: pty === undefined ? null : { cols: pty.columns, rows: pty.rows },
    sandbox: sandbox === undefined ? null : durableSandbox(sandbox),
    end: end === undefined ? null : durableEnd(end),
  };
}

function durableSandbox({ options, ...parts }: NonNullable<NativeDurable['sandbox']>): DurableSandbox {
  return { ...(parts as Omit<DurableSandbox, 'options'>), options: JSON.parse(options) };
}

function durableEnd({ cause, exitCode, signal, at, reason }: NonNullable<NativeDurable['end']>): DurableEnd {
  return {
    cause: cause as DurableEnd['cause'],
    exitCode: exitCode ?? null,
    signal: signal === undefined ? null : signalName(signal),
    at,
    reason: reason ?? null,
  };
}

function signalName(number: number): SignalName {
  const { constants } = require('node:os') as typeof import('node:os');
  const found = Object.entries(constants.signals).find(([, other]) => other === number);
  return found === undefined ? `SIG${number}` : (found[0] as SignalName);
}

export { durableInfo };
