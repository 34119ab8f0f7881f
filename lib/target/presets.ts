// Options of targets behind the clients of docker compose, Kubernetes and dev containers.

import { resolve } from 'node:path';
import { cText, integer, invalid, object } from '../options/checks.ts';
import { filled } from '../support/shell/script.ts';
import type { ComposeOptions, DevcontainerOptions, PodOptions, TargetOptions } from './api.ts';
import DEVCONTAINER from './devcontainer.sh';
import POD from './pod.sh';

/** The options of each preset that are those of a target. */
const OF_TARGET = ['helper', 'connectTimeout', 'idle', 'heartbeat'] as const;

/** Returns the options of a target in a container of a compose project. */
function composeOptions(service: string, given: ComposeOptions = {}): TargetOptions {
  const own = ['program', 'file', 'project', 'user', 'index', ...OF_TARGET] as const;
  const options = object('options', given, own);
  const name = word('service', service);
  const files = [options.file ?? []].flat();
  const index = integer('options.index', options.index, 1, Number.MAX_SAFE_INTEGER);
  return behind(options, `service '${name}'`, [
    ...program(options.program, ['docker', 'compose']),
    ...files.flatMap((file) => ['-f', word('options.file', file)]),
    ...flag('-p', 'options.project', options.project),
    'exec',
    // Without it, the client of docker compose gives the shell a terminal.
    '-T',
    ...flag('--user', 'options.user', options.user),
    ...(index === undefined ? [] : [`--index=${index}`]),
    name,
  ]);
}

/** Returns the options of a target in a pod. */
function podOptions(given: PodOptions): TargetOptions {
  const own = [
    'program',
    'name',
    'selector',
    'namespace',
    'container',
    'context',
    'kubeconfig',
    ...OF_TARGET,
  ];
  const options = object('options', given, own as (keyof PodOptions)[]);
  if ((options.name === undefined) === (options.selector === undefined)) {
    throw invalid('options', 'a name or a selector', given);
  }
  const kubectl = [
    ...program(options.program, ['kubectl']),
    ...flag('--kubeconfig', 'options.kubeconfig', options.kubeconfig),
    ...flag('--context', 'options.context', options.context),
    ...flag('-n', 'options.namespace', options.namespace),
  ];
  const container = flag('-c', 'options.container', options.container);
  if (options.name !== undefined) {
    const name = word('options.name', options.name);
    return behind(options, `pod '${name}'`, [...kubectl, 'exec', '-i', name, ...container, '--']);
  }
  const selector = word('options.selector', options.selector);
  // The script finds the pod for each connection, so that a new one may take the place of an old one.
  const values = { KUBECTL: line(kubectl), SELECTOR: line([selector]), CONTAINER: line(container) };
  return behind(options, `pod of '${selector}'`, ['sh', '-c', filled(POD, values), 'sh']);
}

/** Returns the options of a target in the dev container of a folder. */
function devcontainerOptions(folder: string, given: DevcontainerOptions = {}): TargetOptions {
  const options = object('options', given, ['program', 'user', ...OF_TARGET]);
  // The client that makes a dev container writes its label so.
  const path = resolve(cText('folder', folder));
  const mount = `{{range .Mounts}}{{if eq .Source ${JSON.stringify(path)}}}{{println .Destination}}{{end}}{{end}}`;
  const script = filled(DEVCONTAINER, {
    ENGINE: line(program(options.program, ['docker'])),
    FOLDER: line([path]),
    USER: line([options.user === undefined ? '' : word('options.user', options.user)]),
    MOUNT: line([mount]),
  });
  return behind(options, `dev container of '${path}'`, ['sh', '-c', script, 'sh']);
}

/** Returns the options of a target behind a program. The addon checks those that every target has. */
function behind(
  options: { readonly [Name in (typeof OF_TARGET)[number]]?: unknown },
  name: string,
  argv: string[],
): TargetOptions {
  const given = Object.fromEntries(OF_TARGET.map((key) => [key, options[key]]));
  return { ...given, exec: { argv, join: false, name } };
}

/** Returns the words of a program. */
function program(given: unknown, usual: string[]): string[] {
  const words: unknown[] = [given ?? usual].flat();
  if (words.length === 0 || words[0] === '') {
    throw invalid('options.program', 'a program, or a list of it and its arguments', given);
  }
  return words.map((each) => cText('options.program', each));
}

/** Returns words as text for a shell. */
function line(words: string[]): string {
  return words.map((each) => `'${each.replaceAll("'", "'\\''")}'`).join(' ');
}

function flag(flag: string, name: string, value: unknown): string[] {
  return value === undefined ? [] : [flag, word(name, value)];
}

/** Checks a text that no program may take for an option. */
function word(name: string, value: unknown): string {
  const expected = 'text without control characters that does not begin with -';
  const text = cText(name, value, expected);
  if (text === '' || text.startsWith('-') || /\p{Cc}/u.test(text)) throw invalid(name, expected, value);
  return text;
}

export { composeOptions, devcontainerOptions, podOptions };
