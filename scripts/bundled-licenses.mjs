// Plugin of rolldown that writes the licenses of bundled packages to a file.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @param file the path of the file
 * @throws Error during the build for a package without a license file
 */
export function bundledLicenses(file) {
  return {
    name: 'bundled-licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => Object.keys(chunk.modules ?? {}));
      const packages = new Set(modules.map(packageOf).filter((directory) => directory !== undefined));
      const texts = [...packages].sort().map(licenseOf);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${texts.join(`\n${'-'.repeat(80)}\n\n`)}`);
    },
  };
}

/** Returns the directory of the package that a module belongs to, or `undefined` for our own modules. */
function packageOf(module) {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replace(/^\0/, ''))?.[1];
}

function licenseOf(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const found = readdirSync(directory).find((entry) => /^licen[sc]e/i.test(entry));
  if (found === undefined || !existsSync(join(directory, found)))
    throw new Error(`${name} has no license file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(directory, found), 'utf8').trim()}\n`;
}
