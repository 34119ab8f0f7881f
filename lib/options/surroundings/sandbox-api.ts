// The options of sandboxes: limits on what a command may touch, enforced by the kernel (Linux).

import type { HostRules } from '../../credentials/api.ts';

/**
 * - `read-only`: a command writes only to a private `/tmp` of 64 MiB.
 * - `workspace-write`: it writes below `root`, `writable`, a private `/tmp` and a private copy of the home.
 * - `isolated`: it writes as with `workspace-write`, and reads only system directories, `root`, `writable`
 *   and `visible`.
 */
export type SandboxLevel = 'read-only' | 'workspace-write' | 'isolated';

/** The limits of a command; see docs/sandbox.md. */
export interface SandboxOptions {
  level: SandboxLevel;
  /** Further writable paths: absolute, or relative to `root`. Default none. */
  writable?: readonly string[] | undefined;
  /**
   * Paths below writable ones that a command can neither change nor create; added to the default list.
   * `'!path'` removes one, `*` stands for any part of a name.
   */
  protected?: readonly string[] | undefined;
  /**
   * Paths that appear empty in the sandbox; added to the default list. `'!path'` removes one. Public files of
   * `~/.ssh` are shown, unless it is named here.
   */
  hidden?: readonly string[] | undefined;
  /** Further readable paths, at the level `isolated`. Default none. */
  visible?: readonly string[] | undefined;
  /**
   * `'off'` (default): a loopback interface of its own; `'loopback'`: TCP to and from the loopback of the
   * host; `'on'`: TCP and UDP of the host. UNIX sockets outside of the writable paths are refused in any
   * case.
   *
   * `{ allow }`: as `'off'`, and TCP to the listed hosts at the listed ports: `'registry.example:443'`,
   * `'*.example.org:443'` (all names below it), `'192.0.2.1:22'`, `'[2001:db8::1]:443'`; at most 4096, with
   * 64 different ports. A name that leads to a private, loopback or link-local address is refused, unless the
   * address is in the list too.
   */
  network?: 'off' | 'loopback' | 'on' | NetworkAllow | undefined;
  /**
   * UNIX sockets of the host that a command may connect to, by name or by path (absolute, relative to `root`,
   * or `~/…`); at most 16. Default none. Names: `'ssh-agent'` (of `SSH_AUTH_SOCK`; lists keys and signs, and
   * changes nothing), `'gpg-agent'` (its restricted socket: signs and decrypts), `'docker'` (of
   * `DOCKER_HOST`, or `/var/run/docker.sock`: whoever reaches it is root on the host). A path gives whatever
   * its server does. A socket that is missing is the error `SANDBOX_SOCKET`.
   */
  sockets?: readonly ('ssh-agent' | 'gpg-agent' | 'docker' | (string & {}))[] | undefined;
  /**
   * `/tmp`: one for all commands of a root (`'root'`, default), a new one for each command (in memory, of
   * 2 GiB), or that of the host. At the level `read-only`, always a new one of 64 MiB.
   */
  tmp?: 'root' | 'command' | 'host' | undefined;
  /** The home: a private copy-on-write mount (default for `workspace-write`), or read-only. */
  home?: 'private' | 'read-only' | undefined;
  /**
   * The parts of its repository that git may change: all but the settings and hooks by which it runs programs
   * (`'commit'`, default), nothing, or everything.
   */
  git?: 'commit' | 'read-only' | 'all' | undefined;
  /**
   * The effect where this machine can't do all of it: the command does not run, with the code
   * `SANDBOX_UNAVAILABLE` (`'fail'`, default), or runs with less, which the result names (`'weaker'`).
   */
  onUnavailable?: 'fail' | 'weaker' | undefined;
  /**
   * For tools: whether a model may ask to run a command without the sandbox or with more than it gives
   * (`'ask'`), which `approve` decides about, or gets its dialect's refusal (`'never'`, default). Without
   * effect on `run()`, `Jobs` and sessions, which ask for nothing.
   */
  escalate?: 'never' | 'ask' | undefined;
}

/** A host with a port, as for {@link SandboxOptions.network}, or a host with rules. */
export type AllowedHost = string | HostRules;

/** The hosts that commands reach. */
export interface NetworkAllow {
  /** Hosts with ports, and hosts whose requests have to follow rules and may get credentials. */
  allow: readonly AllowedHost[];
  /**
   * Decides about a host that is not in the list, while the command waits: for at most 60 s, in which its
   * timeouts stop (10 minutes for all questions of a command). There is one question for each host and port,
   * 4 at a time and 20 for a command; further hosts are refused. Names get an address inside, with the ports
   * 22, 80 and 443; other ports need the proxy. The host is neither looked up nor contacted before a yes, and
   * a yes permits no private address. Default: unlisted hosts are refused.
   */
  onConnect?: ((question: ConnectQuestion) => ConnectAnswer | Promise<ConnectAnswer>) | undefined;
}

/** A connection that waits for a decision. */
export interface ConnectQuestion {
  /** The name, or the address. */
  host: string;
  port: number;
  command: string;
  jobId: string;
  /**
   * Fires when no answer is needed any more: nobody has answered in time, the connections that wait have been
   * closed for 3 s, or the command has ended.
   */
  signal: AbortSignal;
}

/**
 * `'once'` and `'no'` last for the command, `'always'` and `'never'` for all commands of the toolset or the
 * session. For `run()` and `Jobs` they are the same.
 */
export type ConnectAnswer = 'once' | 'always' | 'no' | 'never';

/** The extra rights of a command beyond its sandbox. */
export interface SandboxGrant {
  /**
   * The command runs without the sandbox, and still inherits only the variables that the sandbox lets pass.
   */
  unsandboxed?: boolean | undefined;
  /** The network that the command reaches in addition to that of its sandbox. */
  network?: 'on' | 'loopback' | { allow: readonly string[] } | undefined;
  /** Further writable paths. Protected paths below them stay protected. */
  writable?: readonly string[] | undefined;
  /** Further readable paths, at the level `isolated`. */
  visible?: readonly string[] | undefined;
}

/** A part of a sandbox. */
export type SandboxPart =
  | 'write'
  | 'metadata'
  | 'protected'
  | 'hidden'
  | 'processes'
  | 'network'
  | 'tmp'
  | 'home'
  | 'overlay';

/** A refusal of agent-bash itself. Only the command learns of refusals of the kernel. */
export type SandboxRefusal =
  /**
   * A connection. `private-address`: the host is allowed, and its address is private and not in the list.
   * `unanswered`, `declined`: `onConnect` was asked. `other-name`: the host has rules, and the client asked
   * in its TLS handshake for another name.
   */
  | {
      kind: 'network';
      host: string;
      port: number;
      reason: 'not-allowed' | 'private-address' | 'not-loopback' | 'unanswered' | 'declined' | 'other-name';
    }
  /**
   * A request to a host with rules. `path` has no query. `not-in-rules`: no rule permits the method and the
   * path. `ambiguous-path`: servers may read the path in different ways. `ambiguous-method`: the query has a
   * method (`_method`), which servers may take for that of the request. `other-host`: the request names
   * another host. `not-encrypted`: a credential needs TLS, or `plain`. `upgrade`: WebSockets can't be masked.
   */
  | {
      kind: 'request';
      host: string;
      port: number;
      method: string;
      path: string;
      reason:
        | 'not-in-rules'
        | 'ambiguous-path'
        | 'ambiguous-method'
        | 'other-host'
        | 'trace'
        | 'not-encrypted'
        | 'upgrade';
    }
  /** A name that was looked up and is not in the list. */
  | { kind: 'name'; host: string }
  | { kind: 'socket'; path: string }
  /**
   * A failed command tried to reach the network, which is off. `unreachable`: an address outside, such as
   * that of a name server. `no-server`: only a server on its own loopback interface, where none answered.
   */
  | { kind: 'no-network'; reason: 'unreachable' | 'no-server' };

/** A UNIX socket of the host that a command could connect to. */
export interface SandboxSocket {
  /** The path in the sandbox. */
  path: string;
  gives: 'lists keys and signs' | 'signs and decrypts' | 'root on the host' | 'whatever its server does';
}

/** The use of a credential by a command. */
export interface CredentialUse {
  /** The name of the credential; of a value of `headers`, that and the name of the header. */
  credential: string;
  host: string;
  port: number;
  /** The number of requests that got the value. */
  requests: number;
}

/** The sandbox that a command had, and what happened in it. */
export interface SandboxReport {
  level: SandboxLevel;
  mechanism: 'namespaces' | 'landlock';
  /** The requested parts that were applied. */
  applied: SandboxPart[];
  /** The requested parts that were not applied. */
  missing: SandboxPart[];
  /** The UNIX sockets of the host that the command could connect to. */
  sockets: SandboxSocket[];
  /** The credentials that requests got, per host. */
  used: CredentialUse[];
  /** The first 100 refusals. */
  refused: SandboxRefusal[];
  /** The number of further refusals. */
  moreRefused: number;
  /**
   * Paths of the default list that appeared during the command, and links in `.git` by which git would write
   * elsewhere: inspect them before git runs.
   */
  created: string[];
}

/** This machine's support of a {@link SandboxLevel} with its defaults. */
export interface SandboxAvailability {
  /** Whether a command of this level runs. If not, `onUnavailable: 'weaker'` may run it with less. */
  available: boolean;
  /** The mechanism; `null` if there is none. */
  mechanism: 'namespaces' | 'landlock' | null;
  /**
   * The parts that a command would lack. The level stays available without a home, which is read-only then,
   * and without a process table of its own, if commands can't touch the processes that they see.
   */
  missing: SandboxPart[];
  /** Why parts or the level are missing, and what to do; `null` if nothing is. */
  reason: string | null;
}

/** The abilities of this machine. */
export interface Probe {
  /**
   * Why no command can run here: the addon is missing or can't be loaded. The functions that need it throw an
   * error with this `code`. `null` if it is there.
   */
  error: { code: 'UNSUPPORTED_PLATFORM' | 'ADDON_MISSING' | 'ADDON_NOT_LOADED'; message: string } | null;
  sandbox: Record<SandboxLevel, SandboxAvailability>;
  /** The limits of all processes of a command together: `limits.tree`, see docs/limits.md. */
  treeLimits: TreeLimitsAvailability;
}

/** The support of `limits.tree`, with the directory that `AGENT_BASH_CGROUP` names. */
export interface TreeLimitsAvailability {
  /**
   * `'directory'`: the prepared one. `'systemd'`: a scope that the first command with such limits starts.
   * `null`: none, see `reason`.
   */
  mechanism: 'directory' | 'systemd' | null;
  /** The controllers of the cgroups that commands would have, such as `memory`, `pids`, `cpu` and `io`. */
  controllers: string[];
  /** Why there is no mechanism and what helps; `null` if there is one. */
  reason: string | null;
}

/** The choice of variables of `process.env` that a command inherits. */
export interface InheritanceOptions {
  /**
   * `'all'`; `'safe'`: all but those that look like secrets, by their names (`*TOKEN*`, `*SECRET*`, `*_KEY`
   * and others) or by a password in an address; `'none'`; or a list of names, to which PATH, HOME, USER,
   * LOGNAME, LANG, LC_*, TZ, TERM and SHELL are added, on Windows also SYSTEMROOT, COMSPEC, PATHEXT, TEMP,
   * USERPROFILE, APPDATA, PROGRAMFILES and others that programs there need. In names, `*` stands for any
   * part, and on Windows case has no meaning. Default `'all'`, in a sandbox `'safe'`.
   */
  inherit?: 'all' | 'safe' | 'none' | readonly string[] | undefined;
  /** Names that are left out. */
  exclude?: readonly string[] | undefined;
  /** Names that `inherit` and `exclude` do not remove. */
  include?: readonly string[] | undefined;
}
