// Reads the published declarations by the compiler.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A name that a file of declarations exports, and what it stands for. */
interface Exported {
  name: string;
  symbol: ts.Symbol;
}

/** The names that files of declarations export. */
class Declarations {
  #program: ts.Program;

  /** @param files paths in the repository */
  constructor(files: string[]) {
    const typeRoots = [join(ROOT, 'node_modules/@types')];
    const options = { module: ts.ModuleKind.NodeNext, types: ['node'], typeRoots };
    this.#program = ts.createProgram(
      files.map((file) => join(ROOT, file)),
      options,
    );
  }

  /** Returns the names of the values that a file exports, sorted. */
  values(file: string): string[] {
    const isValue = ({ symbol }: Exported) => (symbol.flags & ts.SymbolFlags.Value) !== 0;
    const values = this.#exported(file).filter(isValue);
    return values.map(({ name }) => name).sort();
  }

  /** Returns the names of the properties of a type that a file exports. */
  properties(file: string, type: string): string[] {
    const found = this.#exported(file).find(({ name }) => name === type);
    if (found === undefined) throw new Error(`${file} exports no ${type}`);
    const { symbol } = found;
    const properties = this.#program.getTypeChecker().getDeclaredTypeOfSymbol(symbol).getProperties();
    return properties.map(({ name }) => name);
  }

  #exported(file: string): Exported[] {
    const checker = this.#program.getTypeChecker();
    const source = this.#program.getSourceFile(join(ROOT, file));
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing`);
    return checker.getExportsOfModule(module).map((symbol) => ({
      name: symbol.name,
      symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    }));
  }
}

export { Declarations };
