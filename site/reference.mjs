// The reference of all names, made from the declarations.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Application } from 'typedoc';
import { anchorCodes } from './codes.mjs';
import { PAGES, ROOT } from './pages.mjs';

const FOLDER = join(PAGES, 'reference');

/** Returns the modules that users import: their names, and the files of their declarations. */
function modules() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([subpath, { types, default: rest }]) => {
    const path = types ?? rest?.types;
    return path === undefined ? [] : [{ name: `agent-bash${subpath.slice(1)}`, types: join(ROOT, path) }];
  });
}

/** Writes the reference as pages of the site. */
export async function writeReference() {
  const points = modules();
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: points.map(({ types }) => types),
    tsconfig: join(ROOT, '__test__/types/tsconfig.json'),
    out: FOLDER,
    readme: 'none',
    name: 'Reference',
    // `npm run test:types` checks them.
    skipErrorChecking: true,
    excludeExternals: true,
    disableSources: true,
    entryFileName: 'index',
    hidePageHeader: true,
    parametersFormat: 'table',
    useCodeBlocks: true,
    sanitizeComments: true,
    logLevel: 'Warn',
    validation: { notExported: false, invalidLink: true },
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the declarations');
  for (const module of project.children ?? []) {
    const file = (types) => relative(ROOT, types).replace(/(\/index)?\.d\.m?ts$/, '');
    module.name = points.find(({ types }) => file(types) === module.name)?.name ?? module.name;
  }
  await app.generateOutputs(project);
}

/** Returns every page of a name: `{ module, name, link }`. */
function entries() {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.endsWith('index.md'))
    .map((path) => {
      const parts = path.slice(0, -'.md'.length).split('/');
      const [name, , ...module] = parts.reverse();
      return { module: module.reverse().join('/'), name, link: `/reference/${path.slice(0, -'.md'.length)}` };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * Returns the sidebars of the reference, by path: the modules, and the names of the one that is open. Each
 * page has its whole sidebar in it, and with the names of all modules that was four fifths of the site.
 */
export function referenceSidebars() {
  const all = entries();
  const modules = [...new Set(all.map(({ module }) => module))].sort();
  const sidebarOf = (open) =>
    modules.map((module) => {
      const names = all.filter((entry) => entry.module === module);
      return {
        text: module,
        link: `/reference/${module}/`,
        ...(module === open && { items: names.map(({ name, link }) => ({ text: name, link })) }),
      };
    });
  return Object.fromEntries([
    ['/reference/', sidebarOf(undefined)],
    ...modules.map((module) => [`/reference/${module}/`, sidebarOf(module)]),
  ]);
}

/** The pages lie below this path. */
const BASE = (process.env.SITE_BASE ?? '/').replace(/\/$/, '');

/**
 * The rule of Markdown by which code is a link: a name such as `run()` or `RunResult` to its reference, and
 * the code of an error to the row that explains it.
 */
export function linkNames(markdown) {
  const codes = anchorCodes(markdown);
  const links = new Map();
  // Of a name in several modules, the main one's counts.
  for (const { module, name, link } of entries())
    if (module === 'agent-bash' || !links.has(name)) links.set(name, link);
  const code = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (tokens, index, options, environment, self) => {
    const html = code(tokens, index, options, environment, self);
    // A function is written with parentheses: without them, such a word is mostly an option.
    const name = /^(?:new )?(?:([A-Z]\w{2,})(?:\(\))?|([a-z]\w+)\(\))$/.exec(tokens[index].content);
    const isReference = environment.path?.includes('/reference/') ?? false;
    // The reference has links of its own to names.
    const link =
      codes.get(tokens[index].content) ?? (isReference ? undefined : links.get(name?.[1] ?? name?.[2]));
    const isPlace = tokens[index].attrGet('id') !== null;
    if (link === undefined || isPlace || isInLink(tokens, index)) return html;
    return `<a href="${BASE}${link}">${html}</a>`;
  };
}

/** Returns whether the token at an index is a part of a link. */
function isInLink(tokens, index) {
  const links = tokens.slice(0, index).filter(({ type }) => type === 'link_open' || type === 'link_close');
  return links.at(-1)?.type === 'link_open';
}
