import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Control } from '../view/messages.ts';
import type { PlainRequest, Reply } from './requests.ts';
import { refusedReply } from './requests.ts';

/** The time for which a code can be exchanged for a token (ms). */
const CODE_MS = 60_000;

/** The checks of who may use the server, before anything else of a request is read. */
class Access {
  /** The token with which a page may do what `control` says, and that of pages that only look. */
  readonly token: string = secret();
  readonly viewToken: string = secret();
  #control: Control;
  #isHost: (host: string) => boolean;
  /** The codes that were not exchanged yet, each with the time of its end. */
  #codes = new Map<string, number>();

  constructor(control: Control, isHost: (host: string) => boolean) {
    this.#control = control;
    this.#isHost = isHost;
  }

  /**
   * Returns the answer to a request that comes from elsewhere than a page of this server; `null` for none.
   */
  refuse(request: PlainRequest): Reply | null {
    const host = request.header('host')?.toLowerCase() ?? '';
    // A name that leads here by its own DNS is no name of this server (DNS rebinding).
    if (!this.#isHost(host)) return refusedReply(421, 'this server has another name');
    if (request.method === 'OPTIONS') return refusedReply(405, 'pages of other origins have no access');
    const origin = request.header('origin');
    if (origin !== undefined && hostOf(origin) !== host)
      return refusedReply(403, 'the page is of another origin');
    const site = request.header('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none')
      return refusedReply(403, 'the request comes from another site');
    return null;
  }

  /** Returns what the bearer of the request's token may do; `null` without a valid token. */
  controlOf(request: PlainRequest): Control | null {
    const [, token] = /^Bearer ([\w-]{1,100})$/i.exec(request.header('authorization') ?? '') ?? [];
    if (token === undefined) return null;
    const [isToken, isViewToken] = [isEqual(token, this.token), isEqual(token, this.viewToken)];
    if (isToken) return this.#control;
    return isViewToken ? 'none' : null;
  }

  /** Returns a code that gives the token once: the words of a program that opens a page are no secret. */
  newCode(): string {
    const code = secret();
    this.#codes.set(code, Date.now() + CODE_MS);
    return code;
  }

  /** Returns the token for a code; `null` for a wrong, used or old one. */
  exchange(code: unknown): string | null {
    const end = this.#codes.get(code as string);
    this.#codes.delete(code as string);
    return end !== undefined && Date.now() < end ? this.token : null;
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in constant time, which hashes of one length allow. */
function isEqual(given: string, token: string): boolean {
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a, b);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

export { Access };
