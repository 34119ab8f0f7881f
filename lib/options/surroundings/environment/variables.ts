/**
 * Variables of Windows, by name: there, `Path` and `PATH` are one variable. The spelling of the first one
 * stays, as the system keeps it.
 */
class WindowsVariables extends Map<string, string> {
  #spellings = new Map<string, string>();

  override set(name: string, value: string): this {
    const key = name.toUpperCase();
    const spelling = this.#spellings.get(key) ?? name;
    this.#spellings.set(key, spelling);
    return super.set(spelling, value);
  }

  override delete(name: string): boolean {
    const spelling = this.#spellings.get(name.toUpperCase());
    this.#spellings.delete(name.toUpperCase());
    return spelling !== undefined && super.delete(spelling);
  }
}

/** Returns no variables, by names that are compared as the system does. */
function noVariables(platform: NodeJS.Platform = process.platform): Map<string, string> {
  return platform === 'win32' ? new WindowsVariables() : new Map();
}

export { noVariables };
