// The services whose hosts, headers and variables are known.

/** A service, as data. */
export interface Preset {
  /** The headers of the requests to each host. */
  hosts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The variables in which its clients look for a value. */
  env: readonly string[];
  /** A value of the usual form, for a placeholder in place of one that is not known yet. */
  example: string;
}

const BEARER = { authorization: 'Bearer {}' };

const PRESETS: Readonly<Record<string, Preset>> = {
  github: {
    hosts: {
      // For git over https, whose user name is of no importance to a token.
      'github.com': { authorization: 'Basic x-access-token:{}' },
      'api.github.com': BEARER,
      'uploads.github.com': BEARER,
    },
    env: ['GITHUB_TOKEN', 'GH_TOKEN'],
    example: `ghp_${'aB3d'.repeat(9)}`,
  },
  anthropic: {
    hosts: { 'api.anthropic.com': { 'x-api-key': '{}' } },
    env: ['ANTHROPIC_API_KEY'],
    example: `sk-ant-api03-${'aB3d'.repeat(23)}-aB3dAA`,
  },
  openai: {
    hosts: { 'api.openai.com': BEARER },
    env: ['OPENAI_API_KEY'],
    example: `sk-proj-${'aB3d'.repeat(39)}`,
  },
  gemini: {
    hosts: { 'generativelanguage.googleapis.com': { 'x-goog-api-key': '{}' } },
    env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    example: `AIza${'aB3d5'.repeat(7)}`,
  },
};

/** Returns the preset of a name; `undefined` for another one. */
function presetOf(name: string): Preset | undefined {
  return Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
}

export { presetOf };
