/**
 * Returns a function of Node.js as it is without fake timers. These may be in its place when the package is
 * loaded; those of vitest, jest and sinon keep the function in their clock. A context of `node:vm` may lack
 * the function.
 */
export function original<Owner extends object, Name extends keyof Owner & string>(
  owner: Owner,
  name: Name,
): Owner[Name] {
  const found = owner[name];
  const clock = (found as { clock?: Record<string, unknown> } | undefined)?.clock;
  return (clock?.[`_${name}`] as Owner[Name] | undefined) ?? found;
}
