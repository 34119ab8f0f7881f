// Compares the exported functions and classes with the declarations, when TypeScript checks lib/. The results
// are not compared, because those of lib/ have no type parameter for the encoding.

import type { EventEmitter } from 'node:events';

type Call = (...given: never[]) => unknown;
type Class = abstract new (...given: never[]) => unknown;

/** A function that takes what another one takes. */
type Taking<F> = F extends (...given: infer Given) => unknown ? (...given: Given) => unknown : never;

/** Members of the same names, whose functions take the same. Node.js declares those of its own classes. */
type Like<Members> = {
  [Name in Exclude<keyof Members, keyof EventEmitter | keyof Error>]: Members[Name] extends Call
    ? Taking<Members[Name]>
    : unknown;
};

/** The type that an export must have by its declaration. */
type Wanted<Value> = Value extends Class
  ? abstract new (
      ...given: never[]
    ) => Like<InstanceType<Value>>
  : Value extends Call
    ? Taking<Value>
    : Like<Value>;

type Exports<Module> = { [Name in keyof Module]: Wanted<Module[Name]> };

type Conforms<Declarations, _Module extends Exports<Declarations>> = true;

export type Main = Conforms<typeof import('./api.ts'), typeof import('./index.ts')>;
export type Bash = Conforms<typeof import('./bash/api.ts'), typeof import('./bash/index.ts')>;
export type Tools = Conforms<typeof import('./tools/api/index.ts'), typeof import('./tools/index.ts')>;
export type Live = Conforms<typeof import('./live/api.ts'), typeof import('./live/index.ts')>;
export type Console = Conforms<typeof import('./console/api.ts'), typeof import('./console/index.ts')>;
export type Mcp = Conforms<typeof import('./mcp/api.ts'), typeof import('./mcp/index.ts')>;
export type Testing = Conforms<typeof import('./testing/api.ts'), typeof import('./testing/index.ts')>;
export type Acp = Conforms<typeof import('./adapters/api/acp.ts'), typeof import('./adapters/acp.ts')>;
export type AiSdk = Conforms<
  typeof import('./adapters/api/ai-sdk.ts'),
  typeof import('./adapters/ai-sdk.ts')
>;
export type Anthropic = Conforms<
  typeof import('./adapters/api/anthropic.ts'),
  typeof import('./adapters/anthropic.ts')
>;
export type Langchain = Conforms<
  typeof import('./adapters/api/langchain.ts'),
  typeof import('./adapters/langchain.ts')
>;
export type OpenAi = Conforms<
  typeof import('./adapters/api/openai.ts'),
  typeof import('./adapters/openai.ts')
>;
