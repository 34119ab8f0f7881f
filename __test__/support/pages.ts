import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The pages that users read, by their paths below the root of the repository. */
export const PAGES: string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length)),
];

/** A fenced block of a page that is a program of its own. */
export interface Program {
  /** The page, and the line in which the block begins. */
  place: string;
  language: 'js' | 'ts';
  /** The text of the program, as on the page. */
  source: string;
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Returns the programs of a page. */
export function programsOf(page: string): Program[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(js|ts)\n(.*?)^```$/gms)].map(({ 1: language, 2: source = '', index }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length}`,
    language: language === 'ts' ? 'ts' : 'js',
    source,
  }));
}

/** Returns a program as Node.js runs it: without types. */
export function runnable({ language, source }: Program): string {
  if (language === 'js') return source;
  const { ESNext } = ts.ModuleKind;
  return ts.transpileModule(source, { compilerOptions: { module: ESNext, target: ts.ScriptTarget.ES2023 } })
    .outputText;
}

/**
 * Compiles programs as a strict user of TypeScript would, each as a module of its own.
 *
 * @param project Whose options and paths count; the programs find packages from its folder.
 * @returns The errors of each program, in the order of the programs.
 */
export function compileErrors(programs: Program[], project: string): string[][] {
  const { config } = ts.readConfigFile(project, ts.sys.readFile);
  const folder = join(project, '..');
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const names = programs.map((_, index) => join(folder, `program-${index}.mts`));
  const sources = new Map(programs.map(({ source }, index) => [names[index], source]));
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const { readFile, fileExists } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  const program = ts.createProgram(names, { ...options, noEmit: true }, host);
  return names.map((name) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(name)).map(({ messageText, start = 0, file }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    }),
  );
}
