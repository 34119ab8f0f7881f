// Reads the id of a JSON-RPC message of which only both ends are known, or that is not JSON.

const TEXT = String.raw`"[^"\\\x00-\x1f]*"`;
const INTEGER = String.raw`-?(?:0|[1-9]\d*)`;
const MEMBER = String.raw`${TEXT}\s*:\s*(?:${TEXT}|${INTEGER})`;
const ID = String.raw`"id"\s*:\s*(${TEXT}|${INTEGER})`;

/** Only members without parts stand before the id, or behind it: it is one of the message itself. */
const AT_START = new RegExp(String.raw`^\s*\{\s*(?:${MEMBER}\s*,\s*)*?${ID}\s*[,}]`);
const AT_END = new RegExp(String.raw`[,{]\s*${ID}\s*(?:,\s*${MEMBER}\s*)*\}\s*$`);

/** Returns the id of a message, from its beginning and its end; `undefined` if none is found. */
function idInLine(beginning: string, end: string): string | number | undefined {
  const found = AT_START.exec(beginning) ?? AT_END.exec(end);
  return found === null ? undefined : JSON.parse(found[1]);
}

export { idInLine };
