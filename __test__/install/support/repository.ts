import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** The platforms that have a package: `linux-x64-gnu` and so on. */
export const PLATFORMS = readdirSync(join(ROOT, 'npm')).sort();
/** The one that this machine is, and whose addon was built here. */
export const PLATFORM = ourPlatform();
export const ADDON = `agent-bash.${PLATFORM}.node`;
export const HELPER = `agent-bash-helper.${PLATFORM}`;
export const ADDON_PACKAGE = `agent-bash-${PLATFORM}`;

export interface Manifest {
  name: string;
  version: string;
  license: string;
  author: string;
  main: string;
  files: string[];
  engines: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  scripts?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export function manifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}

/** Copies the repository, because packing changes files that other tests read. */
export function copyRepository(to: string): void {
  const heavy = ['.git', 'bench', 'dist', 'fuzz', 'target'].map((name) => join(ROOT, name));
  cpSync(ROOT, to, {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules' && !heavy.includes(path),
  });
}

/** Returns a name of `files` in a manifest as a path, and the end of the names below it (`docs`, `.md`). */
export function packedPath(name: string): { path: string; end: string } {
  const [path, end = ''] = name.split('/**/*');
  return { path, end };
}

/** Copies to a directory what the manifest names, as npm would pack it. */
export function copyPacked(directory: string): void {
  for (const { path, end } of ['package.json', ...manifest(ROOT).files].map(packedPath))
    cpSync(join(ROOT, path), join(directory, path), {
      recursive: true,
      filter: (file) => file.endsWith(end) || statSync(file).isDirectory(),
    });
}

/** The package and its addon, as npm would put them, without npm: for tests that want them fast. */
export function placePackage(project: string): { main: string; addon: string; helper: string } {
  const main = join(project, 'node_modules/agent-bash');
  copyPacked(main);
  const addonPackage = join(project, 'node_modules', ADDON_PACKAGE);
  cpSync(join(ROOT, 'npm', PLATFORM, 'package.json'), join(addonPackage, 'package.json'));
  const addon = join(addonPackage, ADDON);
  cpSync(join(ROOT, ADDON), addon);
  const helper = join(addonPackage, HELPER);
  cpSync(join(ROOT, HELPER), helper);
  return { main, addon, helper };
}

function ourPlatform(): string {
  const start = `${process.platform}-${process.arch}`;
  const built = PLATFORMS.find(
    (name) => name.startsWith(start) && existsSync(join(ROOT, `agent-bash.${name}.node`)),
  );
  if (built === undefined) throw new Error(`no addon for ${start}: run npm run build first`);
  return built;
}
