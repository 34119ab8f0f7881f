// Checks what the documents, and the comments of the sources, name against the repository: files and folders,
// commands, threads, crates; and that their tables have each folder of lib/ and __test__/.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAX_ADDON_BYTES, MAX_HELPER_BYTES, MAX_INTERCEPTOR_BYTES } from './binary-limits.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** A path after a backtick or a space that looks like a file or a folder of ours. */
const FILE = /(?<=[`\s])(?:[\w@.-]+\/)+[\w@.-]+\.(?:rs|ts|mts|mjs|cjs|sh|json|md)(?=[`\s])/g;
const FOLDER = /(?<=[`\s])(?:src|lib|types|tests|scripts|bench|docs|fuzz|__test__)\/(?:[\w.-]+\/)*(?=[`\s])/g;
/** A word that stands for a name in a recipe. */
const PLACEHOLDER = /\bNAME\b/;
/** A path in a text is below the repository or, where that is clear, below one of these. */
const TOPS = ['', 'src', 'lib'];

const documents = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'docs/releasing.md'];
const commands = JSON.parse(read('package.json')).scripts;
const parts = [...read('.ci/run').matchAll(/^part_(\w+)\(\)/gm)].map(([, name]) => name);

const unknown = documents.flatMap((document) => {
  const text = read(document);
  const paths = [...text.matchAll(FILE), ...text.matchAll(FOLDER)]
    .filter(([path]) => !PLACEHOLDER.test(path) && !TOPS.some((top) => existsSync(join(ROOT, top, path))))
    .map(([path]) => `${document} names ${path}, which is not there`);
  const scripts = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)]
    .filter(([, name]) => !(name in commands))
    .map(([command]) => `${document} names \`${command}\`, which package.json does not have`);
  const ofCi = [...text.matchAll(/`\.ci\/run (\w+)`/g)]
    .filter(([, part]) => !parts.includes(part))
    .map(([command]) => `${document} names ${command}, a part that .ci/run does not have`);
  return [...paths, ...scripts, ...ofCi];
});

/** The sources whose comments name files in backticks, also by a path from their folder or the one above. */
const SOURCES = ['src', 'lib', 'tests', 'scripts'].flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true }).map((path) => join(top, path)),
);
const unknownInSources = SOURCES.filter((path) => /\.(rs|ts|mjs|sh)$/.test(path)).flatMap((path) =>
  [...read(path).matchAll(/(?<=`)(?:[\w.-]+\/)+[\w.-]+\.(?:rs|ts|mjs|sh|json|md)(?=`)/g)]
    .filter(
      ([name]) =>
        ![...TOPS, dirname(path), dirname(dirname(path))].some((top) => existsSync(join(ROOT, top, name))),
    )
    .map(([name]) => `${path} names ${name}, which is not there`),
);

const architecture = read('ARCHITECTURE.md');
const section = (title) => architecture.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

/** The names of threads; of numbered ones, what stands before the number. */
const sources = readdirSync(join(ROOT, 'src'), { recursive: true }).filter((path) => path.endsWith('.rs'));
const threads = sources.flatMap((path) => {
  const names = read(join('src', path)).matchAll(/\bnamed?\(\s*(?:format!\(\s*)?"(agent-bash-[a-z]+)/g);
  return [...names].map(([, name]) => name);
});
const unlistedThreads = threads
  .filter((name) => !section('Threads').includes(`\`${name}`))
  .map((name) => `ARCHITECTURE.md does not list the thread ${name}`);
const unknownThreads = [...section('Threads').matchAll(/`(agent-bash-[a-z]+)\d*`/g)]
  .filter(([, name]) => !threads.includes(name))
  .map(([, name]) => `ARCHITECTURE.md lists the thread ${name}, which no source starts`);

const tables = read('Cargo.toml')
  .split(/^(?=\[)/m)
  .filter((table) => /^\[(target\..*\.)?(build-)?dependencies\]/.test(table));
const unlistedCrates = tables
  .flatMap((table) => [...table.matchAll(/^([\w-]+) = /gm)].map(([, name]) => name))
  .filter((name) => !section('Dependencies').includes(`\`${name}\``))
  .map((name) => `ARCHITECTURE.md does not say what the crate ${name} is for`);

/** The folders of a place that no row of a document's table names. */
const unlistedFolders = (document, place) =>
  readdirSync(join(ROOT, place), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(node_modules$|\.)/.test(entry.name))
    .filter(({ name }) => !new RegExp(`^\\|.*\`(${place}/)?${name}/?\``, 'm').test(read(document)))
    .map(({ name }) => `${document} does not list ${place}/${name}/`);

/** The documents that name the largest size of a program. */
const BOUNDS = [
  ['docs/promises.md', 'addon', MAX_ADDON_BYTES],
  ['docs/targets.md', 'helper', MAX_HELPER_BYTES],
  ['ARCHITECTURE.md', 'helper', MAX_HELPER_BYTES],
  ['ARCHITECTURE.md', 'interceptor', MAX_INTERCEPTOR_BYTES],
];
const unbound = BOUNDS.map(([document, program, bytes]) => [document, program, `at most ${bytes / 1e6} MB`])
  .filter(([document, , bound]) => !read(document).includes(bound))
  .map(([document, program, bound]) => `${document} does not say that the ${program} has ${bound}`);

const found = [
  ...unknown,
  ...unknownInSources,
  ...unlistedThreads,
  ...unknownThreads,
  ...unlistedCrates,
  ...unlistedFolders('ARCHITECTURE.md', 'lib'),
  ...unlistedFolders('CONTRIBUTING.md', '__test__'),
  ...unbound,
];
if (found.length > 0) {
  console.error([...new Set(found)].join('\n'));
  process.exitCode = 1;
} else {
  console.log(`${documents.length} documents name files, commands, threads and crates that are there`);
}
