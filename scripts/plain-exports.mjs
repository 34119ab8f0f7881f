// Plugin of rolldown that writes the exports of a shared file of the bundle as one object.
//
// rolldown writes a getter for each of them, as if a module could assign to it later. The getters were an
// eighth of `core.cjs`, and V8 compiled each one that was called: together 1 ms of a first call.

const GETTER =
  /^Object\.defineProperty\(exports, "(.+)", \{\s+enumerable: true,\s+get: .*\s+return (.+);[\s}]+\);\n?/gm;

export function plainExports() {
  return {
    name: 'plain-exports',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (!chunk.isEntry) chunk.code = withPlainExports(chunk.code);
      }
    },
  };
}

/** Returns the code of a file of the bundle with one object of exports. Throws for one that may change. */
function withPlainExports(code) {
  const all = [];
  const rest = code.replace(GETTER, (_getter, name, value) => {
    const isVariable = code.includes(`\nlet ${value} `) || code.includes(`\nlet ${value};`);
    if (isVariable) throw new Error(`'${name}' is exported, but not constant`);
    all.push(name === value ? name : `${name}: ${value}`);
    return '';
  });
  return `${rest}module.exports = {\n\t${all.join(',\n\t')}\n};\n`;
}
