// Ports of a target: listeners here whose connections reach a server there, and the other way round.

import { isIP } from 'node:net';
import type { JobEvent, NativePort, NativeTarget } from '../addon/addon-types.ts';
import { ref, register, unref, unregister } from '../addon/binding.ts';
import { answered, errorOf } from '../addon/native-error.ts';
import { abortSignal, cText, integer, invalid, object } from '../options/checks.ts';
import type { RunError } from '../result/api.ts';
import type { PortForward, PortOptions, ReversePortOptions } from './ports-api.ts';

/** The name that stands for 127.0.0.1, and then ::1. */
const LOCALHOST = 'localhost';

/** The longest path of a UNIX socket (bytes). */
const MAX_PATH = 107;

/** The options with which a listener is chosen on either side. */
type ListenerOption = 'local' | 'remote';

/** The longest name of a host (bytes). */
const MAX_NAME = 253;

/** A port to open, with checked options. */
interface CheckedPort {
  isReverse: boolean;
  path: string | undefined;
  host: string;
  port: number;
  listenPath: string | undefined;
  address: string;
  listen: number;
  signal: AbortSignal | undefined;
}

/** Listens here, for a server there. */
function forwardPort(target: NativeTarget, port: unknown, given: PortOptions = {}): Promise<PortForward> {
  const options = object('options', given, ['host', 'local', 'bind', 'signal']);
  return openPort(target, { isReverse: false, ...checkPort(port, options, 'local') });
}

/** Listens there, for a server here. */
function reversePort(
  target: NativeTarget,
  port: unknown,
  given: ReversePortOptions = {},
): Promise<PortForward> {
  const options = object('options', given, ['host', 'remote', 'bind', 'signal']);
  return openPort(target, { isReverse: true, ...checkPort(port, options, 'remote') });
}

function checkPort(
  port: unknown,
  options: {
    readonly host?: unknown;
    readonly bind?: unknown;
    readonly signal?: unknown;
  } & { readonly [Name in ListenerOption]?: unknown },
  listener: ListenerOption,
): Omit<CheckedPort, 'isReverse'> {
  const at = options[listener];
  if (isPath(port) && options.host !== undefined)
    throw invalid('options.host', 'none next to a path', options.host);
  if (isPath(at) && options.bind !== undefined)
    throw invalid('options.bind', 'none next to a path', options.bind);
  return {
    path: isPath(port) ? checkPath('port', port) : undefined,
    host: checkHost(options.host),
    port: isPath(port) ? 0 : checkNumber('port', port, 1),
    listenPath: isPath(at) ? checkPath(`options.${listener}`, at) : undefined,
    address: checkBind(options.bind),
    listen: isPath(at) ? 0 : checkNumber(`options.${listener}`, at ?? 0, 0),
    signal: abortSignal('options.signal', options.signal),
  };
}

/** Returns whether a value is the path of a UNIX socket. */
function isPath(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/');
}

function checkPath(name: string, path: string): string {
  if (Buffer.byteLength(cText(name, path)) > MAX_PATH) {
    throw invalid(name, `a path of at most ${MAX_PATH} bytes`, path);
  }
  return path;
}

function checkNumber(name: string, port: unknown, least: number): number {
  if (typeof port !== 'number') throw invalid(name, 'a port or the absolute path of a UNIX socket', port);
  return integer(name, port, least, 65_535) as number;
}

function checkHost(host: unknown): string {
  if (host === undefined) return LOCALHOST;
  const expected = `the name or address of a host, of at most ${MAX_NAME} bytes`;
  const text = cText('options.host', host, expected);
  if (!/^[\w.:-]+$/.test(text) || text.length > MAX_NAME) throw invalid('options.host', expected, host);
  return text;
}

function checkBind(bind: unknown): string {
  if (bind === undefined || bind === LOCALHOST) return '127.0.0.1';
  if (typeof bind !== 'string' || isIP(bind) === 0 || bind.includes('%')) {
    throw invalid('options.bind', 'an IP address', bind);
  }
  return bind;
}

async function openPort(target: NativeTarget, checked: CheckedPort): Promise<PortForward> {
  const { signal, ...spec } = checked;
  signal?.throwIfAborted();
  const opened = new OpenPort(checked);
  await opened.open(target, spec, signal);
  return opened;
}

/** A listener and its connections. */
class OpenPort implements PortForward {
  readonly host: string;
  readonly path: string | null;
  readonly closed: Promise<RunError | null>;
  #port = 0;
  #native: NativePort | null = null;
  #keepsAlive = false;
  #settle!: (error: RunError | null) => void;

  constructor({ listenPath, address }: CheckedPort) {
    this.path = listenPath ?? null;
    this.host = listenPath === undefined ? address : '';
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#native?.connections ?? 0;
  }

  async close(): Promise<void> {
    this.#native?.close();
    await this.closed;
  }

  ref(): this {
    this.#keepAlive(this.#native !== null);
    return this;
  }

  unref(): this {
    this.#keepAlive(false);
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Opens the listener. Rejects if there is none. */
  open(
    target: NativeTarget,
    spec: Omit<CheckedPort, 'signal'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => this.#native?.close();
      const id = register((event: JobEvent) => {
        if (event.kind === 'ports') {
          this.#port = event.ports[0]?.port ?? 0;
          resolve();
        } else if (event.kind === 'end') {
          unregister(id);
          signal?.removeEventListener('abort', abort);
          const error = event.result.error;
          // Settles nothing once the listener is open.
          reject(error === undefined ? signal?.reason : errorOf(error, 'options'));
          this.#end(error === undefined ? null : { code: error.code, message: error.message });
        }
      });
      try {
        this.#native = answered(target.openPort(id, spec));
      } catch (error) {
        unregister(id);
        throw error;
      }
      this.#keepAlive(true);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #end(error: RunError | null): void {
    this.#native = null;
    this.#keepAlive(false);
    this.#settle(error);
  }

  #keepAlive(keepsAlive: boolean): void {
    if (keepsAlive === this.#keepsAlive) return;
    this.#keepsAlive = keepsAlive;
    if (keepsAlive) ref();
    else unref();
  }
}

export { forwardPort, reversePort };
