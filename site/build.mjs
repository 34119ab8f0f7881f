// Builds the site into site/dist, and checks every link of it; `--serve` shows it while the pages change.

import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, createServer } from 'vitepress';
import { brokenLinks } from './check-links.mjs';
import { ROOT, stage } from './pages.mjs';
import { writeReference } from './reference.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));

stage();
await writeReference();
if (process.argv.includes('--serve')) {
  const server = await createServer(HERE);
  await server.listen();
  server.printUrls();
  for (const place of [ROOT, `${ROOT}docs`, `${ROOT}docs/dialects`])
    watch(place, (_, name) => name?.endsWith('.md') && stage());
} else {
  await build(HERE);
  const broken = brokenLinks(`${HERE}dist`, process.env.SITE_BASE ?? '/');
  if (broken.length > 0) throw new Error(`links that lead nowhere:\n${broken.join('\n')}`);
  console.log('every link leads somewhere');
}
