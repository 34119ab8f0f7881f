// Reads what the checks of a binary need from a file of Windows (PE) of 64 bits. Throws for a file that is
// damaged.

const MACHINES = { 34404: 'x64', 43620: 'arm64' };
const IS_DLL = 0x2000;
/** The indexes of the tables of the optional header. */
const TABLES = { exports: 0, imports: 1, lateImports: 13 };
/** The bytes of an entry of a table of imports, and the field with the name of the library. */
const IMPORTS = { size: 20, name: 12 };
const LATE_IMPORTS = { size: 32, name: 4 };

export function isPe(bytes) {
  if (bytes.length < 64 || bytes.toString('latin1', 0, 2) !== 'MZ') return false;
  const at = bytes.readUInt32LE(0x3c);
  return at + 4 <= bytes.length && bytes.toString('latin1', at, at + 4) === 'PE\0\0';
}

/**
 * Returns the processor of a file, whether it is a library, the libraries that it imports (`lateLibraries` at
 * the first call of a function), the names that it exports, and whether it has a table of symbols.
 */
export function parsePe(bytes) {
  const header = bytes.readUInt32LE(0x3c) + 4;
  const [sectionCount, optionalSize] = [bytes.readUInt16LE(header + 2), bytes.readUInt16LE(header + 16)];
  const optional = header + 20;
  if (bytes.readUInt16LE(optional) !== 0x20b) throw new Error('not a file of 64 bits');
  const sections = Array.from({ length: sectionCount }, (_, index) => {
    const at = optional + optionalSize + 40 * index;
    const [size, address, stored, offset] = [8, 12, 16, 20].map((field) => bytes.readUInt32LE(at + field));
    return { address, offset, size: Math.min(size, stored) };
  });

  /** Returns the place in the file of an address in memory. */
  function placeOf(address) {
    const section = sections.find((one) => address >= one.address && address < one.address + one.size);
    if (section === undefined) throw new Error(`no section has the address ${address}`);
    return address - section.address + section.offset;
  }
  const tableAt = (index) => bytes.readUInt32LE(optional + 112 + 8 * index);
  function textAt(address) {
    const at = placeOf(address);
    return bytes.toString('latin1', at, bytes.indexOf(0, at));
  }

  function libraries(index, { size, name }) {
    const found = [];
    if (tableAt(index) === 0) return found;
    for (let at = placeOf(tableAt(index)); bytes.readUInt32LE(at + name) !== 0; at += size)
      found.push(textAt(bytes.readUInt32LE(at + name)));
    return [...new Set(found.map((library) => library.toLowerCase()))];
  }

  function exportedNames() {
    if (tableAt(TABLES.exports) === 0) return [];
    const table = placeOf(tableAt(TABLES.exports));
    const names = placeOf(bytes.readUInt32LE(table + 32));
    const count = bytes.readUInt32LE(table + 24);
    return Array.from({ length: count }, (_, index) => textAt(bytes.readUInt32LE(names + 4 * index)));
  }

  return {
    processor: MACHINES[bytes.readUInt16LE(header)] ?? 'other',
    isLibrary: (bytes.readUInt16LE(header + 18) & IS_DLL) !== 0,
    libraries: libraries(TABLES.imports, IMPORTS),
    lateLibraries: libraries(TABLES.lateImports, LATE_IMPORTS),
    exports: exportedNames(),
    hasSymbols: bytes.readUInt32LE(header + 8) !== 0,
  };
}
