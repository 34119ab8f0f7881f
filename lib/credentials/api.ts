// The credentials of commands in a sandbox: values that requests get on their way, and commands never have.

/**
 * A secret value: a string, or a function that returns one (6 to 8,192 bytes). A function is called when a
 * request needs the value, with 10 s to answer; its value is kept for 5 minutes, or until a response with the
 * status 401. If it fails, the request is answered with 502, and the message is in a warning of the process
 * (`CREDENTIAL_FAILED`), since commands must not read it.
 */
export type Secret = string | (() => string | Promise<string>);

/**
 * A credential that requests to some hosts get. A command has a placeholder in its place: random, as long as
 * the value and at least 20 characters, and of the same kinds of letters and digits, so that clients accept
 * it. An inherited variable that contains a known value, also encoded, is removed, unless `env` sets it.
 */
export interface Credential {
  value: Secret;
  /**
   * The headers that are set, in which `{}` stands for the value. After `Basic `, the rest is encoded:
   * `'Basic user:{}'`. Default: those of the preset for the host, else `{ authorization: 'Bearer {}' }`.
   */
  header?: Readonly<Record<string, string>> | undefined;
  /** The variables that hold the placeholder. Default: those of the preset, else none. */
  env?: readonly string[] | undefined;
  /**
   * Files of the home by their paths (`'~/.npmrc'`), with the content that a command sees there: `{}` stands
   * for the placeholder. Default none.
   */
  files?: Readonly<Record<string, string>> | undefined;
}

/**
 * The credentials by their names: up to 64 letters, digits, `_`, `-` and `.`. `github`, `anthropic`, `openai`
 * and `gemini` are presets, which know their hosts, headers and variables. At most 256, of 64 KiB together.
 */
export type Credentials = Readonly<Record<string, Secret | Credential>>;

/**
 * A host that commands reach, and the rules of its requests. Other requests are answered with 403. The
 * entries of a host add up: the first one that permits a request sets its headers.
 */
export interface HostRules {
  /**
   * A name with a port; `'x'` is `'x:443'`. Default: the hosts of the preset that `credential` names. A host
   * with rules can't be listed as a string too.
   */
  host?: string | undefined;
  /** The name of the credential whose headers are set. Default none. */
  credential?: string | undefined;
  /** Further headers that are set on each request, with values of 6 to 8,192 bytes. */
  headers?: Readonly<Record<string, Secret>> | undefined;
  /** The permitted methods. Default: all but TRACE and CONNECT. */
  methods?: readonly string[] | undefined;
  /**
   * The permitted paths, without queries: `*` stands for any part of one segment, `**` at the end for the
   * rest, such as `'/me/app.git/**'`. Default: all.
   */
  paths?: readonly string[] | undefined;
  /**
   * Whether the values are looked for in responses, and masked there (`'masked'`, default). Such responses
   * are not compressed, and there are no WebSockets. `'unchecked'`: they pass as they are,
   * which is refused with a value of a function: a running command's output is redacted by the values that
   * were known at its start.
   */
  responses?: 'masked' | 'unchecked' | undefined;
  /** Permits headers with values on requests without TLS (`http:`). Default: such requests are refused. */
  plain?: true | undefined;
}
