import { readFileSync } from 'node:fs';

/** The version of this package: the bundle lies in a folder of it. */
const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

export { VERSION };
