/**
 * Calls `start` while the host has these variables; `undefined` takes one away.
 *
 * The variables are restored as soon as the call has returned, before anything else can run: like
 * `child_process`, an engine reads the environment when it is called.
 */
export function withEnvironment<T>(variables: Record<string, string | undefined>, start: () => T): T {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  for (const [name, value] of Object.entries(variables)) set(name, value);
  try {
    return start();
  } finally {
    for (const [name, value] of before) set(name, value);
  }
}

function set(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
