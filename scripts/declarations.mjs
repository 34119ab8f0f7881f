// Makes the declarations of the package from lib/: `index.d.ts` from `lib/api.ts`, and below types/ those of
// other files, at the same path. Which of them there are follows from the field `types` of each subpath in
// package.json, and from what these declarations import.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { pathFrom, ROOT, update } from './generated-file.mjs';

/** The specifier by which a declaration imports from a file of lib/, or exports of one. */
const SPECIFIER = /(?<=\b(?:from|import) ?\(?['"])\.[^'"]+\.ts(?=['"])/g;

/** Returns the path of the declaration of a file of lib/. */
function declarationOf(source) {
  if (source === 'lib/api.ts') return 'index.d.ts';
  return source.replace(/^lib\//, 'types/').replace(/\.ts$/, '.d.ts');
}

/** Returns the path of the file of lib/ that a declaration is made from. */
function sourceOf(declaration) {
  if (declaration === 'index.d.ts') return 'lib/api.ts';
  return declaration.replace(/^types\//, 'lib/').replace(/\.d\.m?ts$/, '.ts');
}

/** Returns the declarations that package.json names. */
function named() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const fields = JSON.stringify(exports).matchAll(/"types":"\.\/([^"]+)"/g);
  return Array.from(fields, ([, path]) => path);
}

/** Returns the declaration of a file, whose imports are still those of the file. Throws if there is none. */
function declared(source) {
  const original = readFileSync(join(ROOT, source), 'utf8');
  const { code, errors } = isolatedDeclarationSync(source, original);
  if (errors.length > 0)
    throw new Error(errors.map(({ codeframe, message }) => codeframe ?? message).join('\n'));
  const text = code.replace(/^(\t*)\*/gm, '$1 *').replaceAll('\t', '  ');
  // Programs that list the `types` they use need not list those of Node.js for this package.
  const references = original.match(/^\/\/\/ <reference .*$/gm) ?? ['/// <reference types="node" />'];
  return [`// \`npm run build:js\` writes this file from ${source}.`, ...references, text].join('\n');
}

/** Writes the declaration of a file. Returns the files of lib/ that it imports. */
function write(source, declaration) {
  const imported = [];
  const text = declared(source).replace(SPECIFIER, (specifier) => {
    const other = join(dirname(source), specifier);
    imported.push(other);
    return pathFrom(declaration, declarationOf(other).replace(/\.d\.ts$/, '.js'));
  });
  update(declaration, text);
  return imported;
}

/** Writes the declarations, and removes those that have no source. */
export function writeDeclarations() {
  // Sorted, so that of two declarations of a file, that for CommonJS counts.
  const declarations = new Map(
    named()
      .sort()
      .map((path) => [sourceOf(path), path]),
  );
  // A map's iteration goes on with what is added meanwhile.
  for (const [source, declaration] of declarations) {
    for (const other of write(source, declaration)) {
      if (!declarations.has(other)) declarations.set(other, declarationOf(other));
    }
  }
  const kept = new Set(declarations.values());
  // A subpath whose ES module has the types of its CommonJS module exports these.
  for (const path of named().filter((name) => !kept.has(name))) {
    update(path, `export * from './${basename(path, '.d.mts')}.js';\n`);
    kept.add(path);
  }
  for (const entry of readdirSync(join(ROOT, 'types'), { recursive: true, withFileTypes: true })) {
    const path = relative(ROOT, join(entry.parentPath, entry.name));
    if (entry.isFile() && !kept.has(path)) rmSync(join(ROOT, path));
  }
}
