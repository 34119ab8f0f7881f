// Replaces internal URLs of an agent, such as `skill://name/file`, by paths, and creates their directories.

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { joinWords } from '../../addon/native.ts';
import { messageOf } from '../../support/message-of.ts';
import { isWithin } from '../../support/paths/within.ts';
import type { Action, SingleAction } from '../actions.ts';
import type { OwnOptions, ToolsetState } from '../toolset-state.ts';

type ResolveUrl = OwnOptions['resolveUrl'];

/** Quotes a path for its place in a text. */
type Quote = (path: string, text: string, offset: number) => string;

/** The schemes for whose paths the parents are created, by default: files of the agent's session. */
const PARENT_SCHEMES: readonly string[] = ['local'];

function schemeOf(url: string): string {
  return url.slice(0, url.indexOf('://'));
}

/** Returns whether an action may have internal URLs. */
function mayHaveUrls(action: Action): action is SingleAction {
  if (action.do !== 'run') return false;
  const { urlSchemes, command, cwd, env } = action;
  const texts = [command, cwd, ...env.map(([, value]) => value)];
  return urlSchemes.length > 0 && texts.some((text) => text?.includes('://'));
}

/**
 * Returns a copy of a command in which paths replace internal URLs: quoted in the command text, unquoted
 * elsewhere. Throws for a URL that nobody can resolve: the command would take it for a path.
 */
async function withPaths(spec: SingleAction, own: OwnOptions): Promise<SingleAction> {
  const { resolveUrl, parentSchemes = PARENT_SCHEMES } = own;
  const parents = new Set<string>();
  // A URL ends at a blank, or at any character that ends a word in a shell. A quote around the URL stays
  // around the path.
  const url = new RegExp(`\\b(?:${spec.urlSchemes.map(escapedPattern).join('|')})://[^\\s'"\`;&|<>()]+`, 'g');
  const replaced = async (text: string, quote: Quote) => {
    const found = [...new Set(text.match(url) ?? [])];
    const context = { ensureParent: true };
    const resolved = async (one: string): Promise<[string, string]> => {
      const path = await pathOf(one, resolveUrl, context);
      if (parentSchemes.includes(schemeOf(one)) && path.startsWith('/')) parents.add(dirname(path));
      return [one, path];
    };
    const paths = new Map(await Promise.all(found.map(resolved)));
    return text.replace(url, (one, offset) => quote(paths.get(one) ?? one, text, offset));
  };
  const bare = (path: string) => path;
  const cwd = spec.cwd && (await replaced(spec.cwd, bare));
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(cwd ?? '') ?? [];
  if (scheme !== undefined) throw new Error(`Unsupported URL scheme of the directory: ${scheme}`);
  const complete = {
    ...spec,
    command: spec.command && (await replaced(spec.command, quotedFor)),
    cwd,
    env:
      spec.env &&
      (await Promise.all(
        spec.env.map(async ([name, value]): Promise<[string, string]> => [name, await replaced(value, bare)]),
      )),
  };
  return { ...complete, parents: [...parents] };
}

async function pathOf(
  url: string,
  resolveUrl: ResolveUrl,
  context: { ensureParent: boolean },
): Promise<string> {
  if (resolveUrl === undefined) throw new Error(`Cannot resolve ${url}: there is no 'resolveUrl'`);
  const path = await resolveUrl(url, context);
  if (typeof path !== 'string' || path === '') throw new Error(`There is no path for ${url}`);
  return path;
}

/** Quotes a path for its position in the command: outside of quotes, or within quotes of either kind. */
function quotedFor(path: string, command: string, offset: number): string {
  const quote = openQuote(command.slice(0, offset));
  if (quote === "'") return path.replaceAll("'", "'\\''");
  if (quote === '"') return path.replace(/[\\"$`]/g, '\\$&');
  return joinWords([path]);
}

/** Returns the quote that is open at the end of a text, if any. */
function openQuote(text: string): string | undefined {
  let quote: string | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '\\' && quote !== "'") index++;
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) quote = character;
  }
  return quote;
}

/**
 * Creates the directories that an approved command needs, for this user alone. Not on a target, whose
 * directories are others, and not below the root of an overlay, which has all that a command changes.
 *
 * @throws Error `Cannot create <directory>: <reason>`
 */
async function makeParents(action: Action, { surroundings }: ToolsetState): Promise<void> {
  const parents = action.do === 'run' ? (action.parents ?? []) : [];
  if (surroundings.target !== undefined) return;
  for (const directory of parents) {
    if (surroundings.overlay !== undefined && isWithin(surroundings.overlay.root, directory)) continue;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? messageOf(error);
      throw new Error(`Cannot create ${directory}: ${reason}`, { cause: error });
    }
  }
}

function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export { makeParents, mayHaveUrls, withPaths };
