// A part of a text that a program writes, between two marks.

import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- bench: written by `npm run bench -- --publish` -->';
const END = '<!-- bench: end -->';

/** Puts `content` between the marks of the file. */
export function replaceMarked(file, content) {
  const text = readFileSync(file, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${file} has no marks: ${BEGIN} … ${END}`);
  writeFileSync(file, `${text.slice(0, begin)}${BEGIN}\n\n${content}\n\n${text.slice(end)}`);
}
