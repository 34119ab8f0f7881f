// Plugin of rolldown that keeps an import of the package small: V8 takes 26 µs for each kB that it compiles.

/** The files of the bundle that an import loads, and the most that they have together (bytes). */
const IMPORTED = { files: ['core.cjs', 'index.cjs'], most: 120_000 };

export function importSize() {
  return {
    name: 'import-size',
    generateBundle(_options, bundle) {
      const shared = Object.keys(bundle).filter((file) => !bundle[file].isEntry);
      if (shared.length > 1) this.error(`the code that files share is in ${shared.join(' and ')}`);
      const size = IMPORTED.files.reduce((sum, file) => sum + Buffer.byteLength(bundle[file].code), 0);
      if (size <= IMPORTED.most) return;
      const files = IMPORTED.files.join(' and ');
      const advice = 'move what a plain run() does without to lib/features.ts or lib/on-demand.ts';
      this.error(`${files} have ${size} bytes together, more than ${IMPORTED.most}: ${advice}`);
    },
  };
}
