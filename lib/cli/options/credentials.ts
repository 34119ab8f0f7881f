// The flag `--credential`, which names where values are: no value stands in an argument, which `ps` shows.

import { readFile } from 'node:fs/promises';
import type { AllowedHost, Credential, Credentials } from 'agent-bash';
import { UsageError } from './usage-error.ts';

/** The names that know their hosts. */
const PRESETS = ['github', 'anthropic', 'openai', 'gemini'];

/** Returns the option `credentials`; `undefined` without the flag. */
function credentialsOf(command: string, flags: readonly string[] | undefined): Credentials | undefined {
  if (flags === undefined) return undefined;
  return Object.fromEntries(flags.map((flag) => credential(command, flag)));
}

function credential(command: string, flag: string): [string, Credential] {
  const [, name, kind, place] = /^([\w.-]+)=(env|file):(.+)$/s.exec(flag) ?? [];
  if (name === undefined || place === undefined) {
    throw new UsageError(`--credential '${flag}': expected NAME=env:VARIABLE or NAME=file:PATH`, command);
  }
  // A file may get another value while the server runs.
  if (kind === 'file') return [name, { value: async () => (await readFile(place, 'utf8')).trim() }];
  const value = process.env[place];
  if (value === undefined) throw new UsageError(`--credential: the variable ${place} is not set`, command);
  return [name, PRESETS.includes(name) ? { value } : { value, env: [place] }];
}

/**
 * Returns the hosts that commands reach: those of `--allow-host`, of which `HOST=NAME` gets a credential, and
 * those that presets know. `flags` are those of `--credential`.
 */
function allowedHosts(hosts: readonly string[] = [], flags: readonly string[] = []): AllowedHost[] {
  const given = hosts.map((host): AllowedHost => {
    const [, own, name] = /^([^=]+)=([\w.-]+)$/.exec(host) ?? [];
    return own === undefined ? host : { host: own, credential: name };
  });
  const named = given.map((host) => (typeof host === 'string' ? undefined : host.credential));
  const names = flags.map((flag) => flag.replace(/=.*$/s, ''));
  const others = names.filter((name) => PRESETS.includes(name) && !named.includes(name));
  return [...given, ...others.map((credential) => ({ credential }))];
}

export { allowedHosts, credentialsOf };
