// The option `sandbox.network.onConnect`: the function that decides about hosts which the sandbox does not
// list, and its answers that outlive a command.

import { callback, isRecord } from '../../checks.ts';
import type { ConnectAnswer, ConnectQuestion } from '../sandbox-api.ts';

type OnConnect = (question: ConnectQuestion) => ConnectAnswer | Promise<ConnectAnswer>;

/** The answers that last longer than a command. */
const LASTING: Partial<Record<ConnectAnswer, boolean>> = { always: true, never: false };

/** The function of a command, or of all commands of a toolset or a session. */
class ConnectDecider {
  readonly ask: OnConnect;
  #lasting = new Map<string, boolean>();

  constructor(ask: OnConnect) {
    this.ask = ask;
  }

  /** Returns the answer that was given for longer than a command; `undefined` without one. */
  known(host: string, port: number): boolean | undefined {
    return this.#lasting.get(`${host}:${port}`);
  }

  /** Keeps an answer, if it is meant for longer than a command. */
  note(host: string, port: number, answer: ConnectAnswer): void {
    const lasting = LASTING[answer];
    if (lasting !== undefined) this.#lasting.set(`${host}:${port}`, lasting);
  }
}

/** Returns the function of a sandbox, with its lasting answers; `undefined` without one. */
function connectDecider(sandbox: unknown): ConnectDecider | undefined {
  const onConnect = networkOf(sandbox)?.onConnect;
  if (onConnect instanceof ConnectDecider) return onConnect;
  const ask = callback('options.sandbox.network.onConnect', onConnect) as OnConnect | undefined;
  return ask && new ConnectDecider(ask);
}

/** Returns a sandbox without the function, which is no data. */
function withoutConnect<Sandbox>(sandbox: Sandbox): Sandbox {
  const network = networkOf(sandbox);
  if (network === undefined) return sandbox;
  const { onConnect: _, ...rest } = network;
  return { ...sandbox, network: rest };
}

/** Returns a sandbox with this function, unless its network has no list that it adds to. */
function withConnect<Sandbox>(sandbox: Sandbox, decider: ConnectDecider | undefined): Sandbox {
  const network = networkOf(sandbox);
  if (network === undefined || decider === undefined) return sandbox;
  return { ...sandbox, network: { ...network, onConnect: decider } };
}

function networkOf(sandbox: unknown): Record<string, unknown> | undefined {
  return isRecord(sandbox) && isRecord(sandbox.network) ? sandbox.network : undefined;
}

export { ConnectDecider, connectDecider, withConnect, withoutConnect };
