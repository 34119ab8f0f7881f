import { createHash } from 'node:crypto';

/** The header, load commands and signature of a Mach-O file. */
export interface MachO {
  kind?: number;
  minimum?: [major: number, minor: number];
  installName?: string;
  libraries?: string[];
  /** Names of functions, with the numbers of their libraries: 254 for the one that has the name. */
  imports?: Array<[name: string, library: number]>;
  identifier?: string;
  flags?: number;
  isSigned?: boolean;
}

const PAGE = 4096;

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32LE(value, 4 * index));
  return bytes;
}

function bigWords(...values: number[]): Buffer {
  return words(...values).swap32();
}

/** A load command, whose text has a zero byte at its end. */
function command(type: number, values: number[], text = ''): Buffer {
  const name = Buffer.from(text === '' ? '' : `${text}\0`);
  const size = Math.ceil((8 + 4 * values.length + name.length) / 8) * 8;
  return Buffer.concat([words(type, size, ...values), name], size);
}

/** Returns a Mach-O file for arm64 with the parts that the checks read, and a signature that fits. */
export function machO(file: MachO = {}): Buffer {
  const [major, minor] = file.minimum ?? [11, 0];
  const imports = file.imports ?? [['napi_create_object', 254]];
  const names = Buffer.from(`\0${imports.map(([name]) => `_${name}\0`).join('')}`);
  const libraries = (file.libraries ?? ['/usr/lib/libSystem.B.dylib']).map((name) =>
    command(0xc, [24, 0, 0, 0], name),
  );
  const content = Buffer.alloc(3 * PAGE, 'content');
  const table = Buffer.concat(
    imports.map(([name, library]) => words(names.indexOf(`_${name}\0`), library * 2 ** 24 + 1, 0, 0)),
  );

  const head = (at: number, limit: number, size: number) => [
    command(0x32, [1, (major << 16) | (minor << 8), 0, 0]),
    command(0xd, [24, 0, 0, 0], file.installName ?? '@rpath/agent-bash.node'),
    ...libraries,
    command(0x2, [at, imports.length, at + table.length, names.length]),
    ...(file.isSigned === false ? [] : [command(0x1d, [limit, size])]),
  ];
  const sizes = 32 + Buffer.concat(head(0, 0, 0)).length;
  const limit = Math.ceil((sizes + content.length + table.length + names.length) / 16) * 16;
  const identifier = Buffer.from(`${file.identifier ?? 'libagent_bash.dylib'}\0`);
  const pages = Math.ceil(limit / PAGE);
  const length = 44 + identifier.length + 32 * pages;
  const commands = head(sizes + content.length, limit, 20 + length);
  const header = words(
    ...[0xfeedfacf, 0x0100000c, 0, file.kind ?? 6],
    ...[commands.length, sizes - 32, 0x85, 0],
  );
  const signed = Buffer.concat([header, ...commands, content, table, names], limit);
  if (file.isSigned === false) return signed;

  const hashes = Array.from({ length: pages }, (_, page) =>
    createHash('sha256')
      .update(signed.subarray(page * PAGE, (page + 1) * PAGE))
      .digest(),
  );
  return Buffer.concat([
    signed,
    bigWords(0xfade0cc0, 20 + length, 1, 0, 20),
    bigWords(0xfade0c02, length, 0x20400, file.flags ?? 0x20002, 44 + identifier.length, 44, 0, pages, limit),
    Buffer.from([32, 2, 0, 12]),
    bigWords(0),
    identifier,
    ...hashes,
  ]);
}
