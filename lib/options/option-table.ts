// Tables of options. A row is the one place of an option: its name, its check, and the field of the checked
// options that takes the result. The lists of names, the checks and the plans of the addon follow from it.

import type { Given } from './checks.ts';

/**
 * An option. The check gets its full name and its value, which is not `undefined`, and returns the value of
 * the field; `undefined` for that of an absent option.
 */
export type Row<Plan, Around = undefined> = {
  [Field in keyof Plan & string]: {
    readonly name: string;
    readonly field: Field;
    readonly check: (name: string, value: unknown, around: Around) => Plan[Field] | undefined;
  };
}[keyof Plan & string];

/** Returns the names of the options. */
function namesOf(rows: readonly { readonly name: string }[]): readonly string[] {
  return rows.map(({ name }) => name);
}

/**
 * Checks the given ones of the options, in the order of the rows, and returns their fields. `name` is that of
 * the object of options, and `around` is what the checks need besides.
 */
function checkRows<Plan, Around>(
  name: string,
  options: Given<string>,
  rows: readonly Row<Plan, Around>[],
  around: Around,
): Partial<Plan> {
  const checked: Partial<Plan> = {};
  for (const row of rows) {
    const value = options[row.name];
    if (value === undefined) continue;
    const field = row.check(`${name}.${row.name}`, value, around);
    if (field !== undefined) checked[row.field] = field;
  }
  return checked;
}

export { checkRows, namesOf };
