// The scope of commands with the same rules: what the interceptor gets about them, and the values that
// functions give.

import type * as Native from '../../native.js';
import type { JobEvent, ScopeEvent, SecretScopeSpec, ValueState } from '../addon/addon-types.ts';
import { register, theBinding, unregister } from '../addon/binding.ts';
import { answered } from '../addon/native-error.ts';
import { theDouble } from '../addon/seam.ts';
import type { Variable } from '../options/surroundings/environment/environment.ts';
import { redactedText } from '../redact/redacted.ts';
import type { KnownSecrets, Redactor } from '../redact/redaction.ts';
import { redactorOfSecrets } from '../redact/redaction.ts';
import { messageOf } from '../support/message-of.ts';
import type { Secret } from './api.ts';
import type { CheckedCredential, Credentials } from './credentials.ts';
import { FetchedValues } from './fetched.ts';
import { interceptorProgram } from './program.ts';
import type { HostRule } from './rules.ts';
import { withoutUsualPort } from './rules.ts';
import { secretText } from './secret.ts';
import { TRUST_VARIABLES, trustedRoots, trustFiles } from './trust.ts';

/** A value of a scope, with the name for texts. */
interface ScopeSecret {
  name: string;
  value: Secret;
}

const USUAL: [string, string][] = [['authorization', 'Bearer {}']];

/** The most hosts that a model reads. */
const MAX_NAMED = 10;

/** The text that a command gets in place of a value: the function's own message may have what it must not. */
const FAILED = 'its function failed';

class CommandScope {
  readonly #credentials: Credentials;
  readonly #secrets: ScopeSecret[] = [];
  readonly #spec: Omit<SecretScopeSpec, 'program' | 'roots' | 'bundles'>;
  readonly #firstHost: string;
  #native: Native.NativeSecretScope | undefined;
  readonly #fetched = new FetchedValues();
  /** The redactor of the known values, from its first use on until another value is known. */
  #redactor: Redactor | undefined;

  constructor(credentials: Credentials, rules: readonly HostRule[]) {
    this.#credentials = credentials;
    this.#firstHost = rules[0]?.host ?? '';
    const specs = rules.map((rule) => this.#ruleSpec(rule));
    this.#spec = {
      rules: specs,
      secrets: this.#secrets.map(({ name, value }) => ({
        name,
        value: typeof value === 'string' ? value : undefined,
      })),
      files: credentials.files().map(([path, content]) => ({ path, content })),
    };
  }

  /** Returns the handle for the addon. */
  native(): Native.NativeSecretScope {
    if (this.#native !== undefined) return this.#native;
    const program = this.#program();
    const number = listenFor(this);
    const spec = { ...this.#spec, program, roots: trustedRoots(), bundles: trustFiles() };
    this.#native = answered(theBinding().openSecretScope(number, spec)) as Native.NativeSecretScope;
    return this.#native;
  }

  /** Returns the variables of commands: placeholders, and where the certificates are. */
  variables(): Variable[] {
    return [...TRUST_VARIABLES, ...this.#credentials.variables()];
  }

  /** Returns the names and values that are known, to be redacted. */
  known(): KnownSecrets {
    const given = this.#secrets.flatMap(({ name, value }): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    return { given, fetched: this.#fetched.all() };
  }

  /** Returns the text of an environment without the variables that have a known value in any form. */
  withoutValues(environment: string): string {
    const redactor = this.#ownRedactor();
    if (redactedText(environment, redactor) === environment) return environment;
    const lines = environment.split('\0').slice(0, -1);
    const kept = lines.filter((line) => redactedText(line, redactor) === line);
    return kept.map((line) => `${line}\0`).join('');
  }

  /** Returns the sentences that tell a model what its commands have in place of credentials. */
  paragraph(): string {
    const hosts = [...new Set(this.#spec.rules.map(({ host }) => withoutUsualPort(host)))];
    const variables = this.#credentials.variables().map(([name]) => `$${name}`);
    const shown = hosts.length > MAX_NAMED ? [...hosts.slice(0, MAX_NAMED), 'others'] : hosts;
    const rules = `Requests to ${shown.join(', ')} follow rules of the user, and get credentials on their way.`;
    if (variables.length === 0) return rules;
    return `${rules} Placeholders stand for these in ${variables.join(', ')}: use them like the values.`;
  }

  /** Answers a question for the value of a function. */
  async handleEvent({ request, secret }: ValueState): Promise<void> {
    const { name, value } = this.#secrets[secret] ?? {};
    let text: string | undefined;
    try {
      const given: unknown = typeof value === 'function' ? await value() : value;
      text = secretText(`options.credentials.${name}`, given);
      this.#note(secret, name ?? '', text);
    } catch (error) {
      text = undefined;
      warn(name ?? '', redactedText(messageOf(error), this.#ownRedactor()));
    }
    this.#native?.answer(request, text, text === undefined ? FAILED : undefined);
  }

  /**
   * Returns the path of the interceptor. A test's double may play commands without one; a command that runs
   * without one is refused.
   */
  #program(): string {
    try {
      return interceptorProgram(withoutUsualPort(this.#firstHost));
    } catch (error) {
      if (theDouble() === undefined) throw error;
      return '';
    }
  }

  #ownRedactor(): Redactor | undefined {
    this.#redactor ??= redactorOfSecrets(this.known());
    return this.#redactor;
  }

  /** Keeps a value, unless no output could be redacted with it: a mark contains it. */
  #note(secret: number, name: string, value: string): void {
    const { given, fetched } = this.known();
    redactorOfSecrets({ given, fetched: [...fetched, [name, value]] });
    this.#fetched.note(secret, name, value);
    this.#redactor = undefined;
  }

  #ruleSpec(rule: HostRule): SecretScopeSpec['rules'][number] {
    const { host, credential, methods, paths, masks, isPlain } = rule;
    const own = credential === undefined ? undefined : this.#credentials.get(credential);
    const ofCredential = own === undefined ? [] : headersFor(own, host);
    const position = own === undefined ? 0 : this.#position(own.name, own.value);
    return {
      host,
      headers: [
        ...ofCredential.map(([name, template]) => ({ name, template, secret: position })),
        ...rule.headers.map(([name, value]) => ({
          name,
          template: '{}',
          secret: this.#position(`headers.${name}`, value),
        })),
      ],
      methods,
      paths,
      masks,
      isPlain,
    };
  }

  /** Returns the position of a value, which is added if it is new. */
  #position(name: string, value: Secret): number {
    const known = this.#secrets.findIndex((secret) => secret.name === name && secret.value === value);
    return known === -1 ? this.#secrets.push({ name, value }) - 1 : known;
  }
}

/** Returns the headers of a credential for a host. */
function headersFor({ header, preset }: CheckedCredential, host: string): [string, string][] {
  const ofPreset = preset?.hosts[withoutUsualPort(host.toLowerCase())];
  return header ?? (ofPreset && Object.entries(ofPreset)) ?? USUAL;
}

/** Tells the program why a function gave no value. */
function warn(name: string, reason: string): void {
  process.emitWarning(`The function of the credential '${name}' has failed: ${reason}`, {
    code: 'CREDENTIAL_FAILED',
  });
}

/** Forgets the listeners of scopes that nothing uses any more. */
const finished = new FinalizationRegistry<number>(unregister);

/** Returns the number under which a scope gets its questions, as long as it is in use. */
function listenFor(scope: CommandScope): number {
  const reference = new WeakRef(scope);
  const number = register((event: JobEvent | ScopeEvent) => {
    if (event.kind === 'value') void reference.deref()?.handleEvent(event.value);
  });
  finished.register(scope, number);
  return number;
}

export { CommandScope };
