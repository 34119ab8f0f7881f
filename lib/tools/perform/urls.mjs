// Replaces internal URLs of an agent, such as `skill://name/file`, by paths.

import { joinWords } from '../../addon/native.ts';

/**
 * Returns a copy of a command in which paths replace internal URLs: quoted in the command text, unquoted
 * elsewhere.
 */
async function withPaths(spec, resolveUrl) {
  // A URL ends at a blank, or at any character that ends a word in a shell. A quote around the URL stays
  // around the path.
  const url = new RegExp(`\\b(?:${spec.urlSchemes.map(literally).join('|')})://[^\\s'"\`;&|<>()]+`, 'g');
  const replaced = async (text, quote) => {
    const found = [...new Set(text.match(url) ?? [])];
    const context = { ensureParent: true };
    const paths = new Map(
      await Promise.all(found.map(async (one) => [one, await pathOf(one, resolveUrl, context)])),
    );
    return text.replace(url, (one, offset) => quote(paths.get(one), text, offset));
  };
  const bare = (path) => path;
  return {
    ...spec,
    command: spec.command && (await replaced(spec.command, quotedFor)),
    cwd: spec.cwd && (await replaced(spec.cwd, bare)),
    env:
      spec.env &&
      (await Promise.all(spec.env.map(async ([name, value]) => [name, await replaced(value, bare)]))),
  };
}

async function pathOf(url, resolveUrl, context) {
  const path = await resolveUrl(url, context);
  if (typeof path !== 'string' || path === '') throw new Error(`There is no path for ${url}`);
  return path;
}

/** Quotes a path for its position in the command: outside of quotes, or within quotes of either kind. */
function quotedFor(path, command, offset) {
  const quote = openQuote(command.slice(0, offset));
  if (quote === "'") return path.replaceAll("'", "'\\''");
  if (quote === '"') return path.replace(/[\\"$`]/g, '\\$&');
  return joinWords([path]);
}

/** Returns the quote that is open at the end of a text, if any. */
function openQuote(text) {
  let quote;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '\\' && quote !== "'") index++;
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) quote = character;
  }
  return quote;
}

function literally(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export { withPaths };
