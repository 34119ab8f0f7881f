import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ToolDefinition } from 'agent-bash/tools';

/** The call of a request that the client repeats with an answer of its user. */
export interface OpenRequest {
  tool: ToolDefinition;
  args: unknown;
}

/** Bound on open requests of a connection: a client may never repeat them. The oldest expires first. */
const MAX_OPEN = 100;

/**
 * The requests of one connection that wait for an answer of the user, each under a random id, which the
 * client returns as `requestState`. An id is valid once, for exactly the same call.
 */
class OpenRequests<Open extends OpenRequest> {
  #open = new Map<string, Open>();
  #onExpired: (open: Open) => void;

  /** @param onExpired called for a request that nobody will repeat */
  constructor(onExpired: (open: Open) => void) {
    this.#onExpired = onExpired;
  }

  /** Keeps a request. Returns its id. */
  add(open: Open): string {
    const id = randomBytes(16).toString('base64url');
    this.#open.set(id, open);
    if (this.#open.size > MAX_OPEN) this.drop(this.#open.keys().next().value ?? '');
    return id;
  }

  has(id: unknown): id is string {
    return typeof id === 'string' && this.#open.has(id);
  }

  /** Takes a request out; `undefined` for an unknown id, or one of another call. */
  take(id: string, { tool, args }: OpenRequest): Open | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open === undefined || (open.tool === tool && isDeepStrictEqual(open.args, args))) return open;
    this.#onExpired(open);
    return undefined;
  }

  /** Removes a request that nobody will repeat. */
  drop(id: string): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open !== undefined) this.#onExpired(open);
  }

  /** Removes all requests, at the end of the connection. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.drop(id);
  }
}

export { OpenRequests };
