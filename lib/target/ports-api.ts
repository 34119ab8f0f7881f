// Ports of a target here, and of this machine there.

import type { RunError } from '../result/api.ts';

/** Options of {@link Target.forward}. */
export interface PortOptions {
  /**
   * The host to connect to, as the target sees it: a name or an address. Default: the target itself,
   * 127.0.0.1 or else ::1.
   */
  host?: string | undefined;
  /**
   * The port here, 0 for a free one, or the absolute path of a UNIX socket (107 bytes at most, 103 on macOS).
   * The socket is made for this user alone (mode 0600) and removed when the port is closed. A path that is
   * taken fails with `EADDRINUSE`; a socket of this user on which nobody listens is replaced. Default 0.
   */
  local?: number | string | undefined;
  /**
   * The IP address here at which the port listens. With another one than a loopback address, other machines
   * reach the port. Not next to a path. Default 127.0.0.1.
   */
  bind?: string | undefined;
  /** Closes the port when it aborts. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link Target.reverse}. */
export interface ReversePortOptions {
  /** The host to connect to, as this machine sees it. Default: this machine, 127.0.0.1 or else ::1. */
  host?: string | undefined;
  /**
   * The port there, 0 for a free one, or the absolute path of a UNIX socket, as {@link PortOptions.local} is
   * here: for the account of the target alone. Default 0.
   */
  remote?: number | string | undefined;
  /** The IP address there at which the port listens. Not next to a path. Default 127.0.0.1. */
  bind?: string | undefined;
  /** Closes the port when it aborts. */
  signal?: AbortSignal | undefined;
}

/**
 * An open port: a listener, here for {@link Target.forward} and there for {@link Target.reverse}. It keeps
 * Node.js and the connection of the target alive, and ends with the connection.
 */
export interface PortForward extends AsyncDisposable {
  /** The address at which the port listens; `''` and 0 next to a path. */
  readonly host: string;
  readonly port: number;
  /** The path of the UNIX socket at which the port listens; otherwise `null`. */
  readonly path: string | null;
  /** The number of open connections. */
  readonly connections: number;
  /**
   * Resolves when the port is closed: with `null` after {@link PortForward.close}, or else with the reason,
   * such as `TARGET_LOST`.
   */
  readonly closed: Promise<RunError | null>;
  /** Closes the port and resets its connections. Resolves when that is done. Idempotent. */
  close(): Promise<void>;
  /** Lets the open port keep Node.js alive, which is the default. */
  ref(): this;
  /** Lets Node.js exit although the port is open. */
  unref(): this;
}
