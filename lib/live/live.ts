import { basename } from 'node:path';
import type { ObservedCommand } from '../observe/observed-command.ts';
import type { ObservedEvent, Observer, Observers } from '../observe/observers.ts';
import { scopes } from '../observe/observers.ts';
import { integer, invalid, isRecord, object, oneOf } from '../options/checks.ts';
import type { Decision } from '../policy/api.ts';
import { wallNow } from '../support/now.ts';
import type { ApproveAnswer, PendingCall } from '../tools/api/options.ts';
import type { LiveDecision, LiveEvent, LiveQuestion, Live as PublicLive } from './api.ts';
import type * as ServerModule from './server/index.ts';
import type { Listening, LiveServer } from './server/live-server.ts';
import { LiveCommands } from './view/live-commands.ts';
import { LiveIterator } from './view/live-iterator.ts';
import type { Control, MessageToPage } from './view/messages.ts';
import { Questions } from './view/questions.ts';
import { Viewer } from './view/viewer.ts';

const MIB = 1024 * 1024;

/** Returns what `server/index.ts` exports. `require` is that of the bundle, which is CommonJS. */
const serverModule = (): typeof ServerModule => require('../../bundle/live-server.cjs');

/** The most calls and decisions that are remembered. */
const MAX_OTHERS = 10_000;

/** A port as Node.js and Electron have it. */
interface Port {
  postMessage(message: unknown): void;
  on(event: string, listener: (message: unknown) => void): unknown;
  start?(): void;
  close?(): void;
  unref?(): void;
}

class Live implements Observer {
  readonly takesAll = false;
  readonly approve: PublicLive['approve'];
  readonly node: PublicLive['node'];
  readonly fetch: PublicLive['fetch'];
  #title: string;
  #control: Control;
  #commands: LiveCommands;
  #questions: Questions;
  #hosts: string[] | undefined;
  #server: LiveServer | undefined;
  /** Calls, results and decisions. */
  #others: LiveEvent[] = [];
  #seq = 0;
  #scopes = new Set<Observers>();
  #iterators = new Set<LiveIterator>();
  #viewers = new Set<Viewer>();
  #ports = new Set<Port>();
  #isDisposed = false;

  constructor(given: unknown = {}) {
    const { title, control, memory, hosts } = object('options', given, [
      'title',
      'control',
      'memory',
      'hosts',
    ]);
    if (title !== undefined && typeof title !== 'string') throw invalid('options.title', 'a string', title);
    this.#title = title ?? `bash in ${basename(process.cwd())}`;
    this.#control = oneOf('options.control', control, ['none', 'approve', 'all']) ?? 'none';
    const most = integer('options.memory', memory, MIB, Number.MAX_SAFE_INTEGER, 'bytes') ?? 64 * MIB;
    this.#hosts = checkHosts(hosts);
    this.#commands = new LiveCommands(this, most);
    this.#questions = new Questions((question) => {
      for (const viewer of this.#viewers) viewer.asks(question);
    });
    this.approve = ((first: PendingCall | Decision, context?: { signal: AbortSignal }) =>
      this.#ask(first, context)) as PublicLive['approve'];
    this.node = (request, response) => this.#mounted('node').node(request, response);
    this.fetch = (request) => this.#mounted('fetch').fetch(request);
  }

  /** The token of pages that may do what `control` says, and that of pages that only look. */
  get token(): string {
    return this.#theServer().access.token;
  }

  get viewToken(): string {
    return this.#theServer().access.viewToken;
  }

  async listen(options?: unknown): Promise<Listening> {
    if (this.#isDisposed) throw new Error('the live view is disposed of');
    return this.#theServer().listen(options);
  }

  add(source: unknown): () => void {
    const observers = scopes.get(Object(source));
    if (observers === undefined) {
      throw invalid('source', 'a toolset, a table of Jobs or a ShellSession', source);
    }
    this.#scopes.add(observers);
    if (!this.#isDisposed) observers.add(this);
    return () => {
      observers.delete(this);
      this.#scopes.delete(observers);
    };
  }

  connect(port: Port): void {
    if (!isPort(port)) throw invalid('port', 'a MessagePort of Node.js or Electron', port);
    const viewer = this.view(this.#control, (message) => port.postMessage(message));
    // Electron passes an event with the message as its `data`.
    port.on('message', (given) => viewer.handle(isRecord(given) && 'data' in given ? given.data : given));
    port.on('close', () => {
      this.#ports.delete(port);
      this.leave(viewer);
    });
    this.#ports.add(port);
    port.start?.();
    // A page does not keep Node.js alive.
    port.unref?.();
  }

  /** Adds a page that gets its messages by `send`. For the server. */
  view(control: Control, send: (message: MessageToPage) => void): Viewer {
    const shared = {
      commands: this.#commands,
      questions: this.#questions,
      hello: (own: Control, since: number) => this.#hello(own, since),
      seq: () => this.#seq,
    };
    const viewer = new Viewer(shared, control, send);
    this.#viewers.add(viewer);
    return viewer;
  }

  /** Removes a page. */
  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    viewer.close();
  }

  observe(observed: ObservedEvent, command: ObservedCommand | null): void {
    if (this.#isDisposed) {
      command?.release(this);
      return;
    }
    const event = { seq: ++this.#seq, ...observed };
    if (event.type === 'start' && command !== null) this.#commands.add(event, command);
    const known = 'id' in event ? this.#commands.get(event.id) : undefined;
    if (event.type === 'question') this.#questions.note(event);
    else if (event.type === 'decision' && event.question !== null) this.#questions.decided(event.question);
    if (known !== undefined && event.type !== 'start') this.#commands.note(known, event);
    else if (!('id' in event)) this.#remember(event);
    for (const viewer of this.#viewers) viewer.push(event);
    for (const iterator of this.#iterators) iterator.push(event, known);
  }

  [Symbol.asyncIterator](): AsyncIterator<LiveEvent> {
    const iterator: LiveIterator = new LiveIterator(
      () => this.#seq,
      () => this.#iterators.delete(iterator),
    );
    if (this.#isDisposed) iterator.finish();
    else this.#iterators.add(iterator);
    return iterator;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return;
    for (const observers of this.#scopes) observers.delete(this);
    this.#scopes.clear();
    this.#questions.close();
    for (const iterator of this.#iterators) iterator.finish();
    this.#isDisposed = true;
    await this.#server?.close();
    for (const viewer of this.#viewers) this.leave(viewer);
    for (const port of this.#ports) port.close?.();
    this.#ports.clear();
    this.#commands.clear();
  }

  #ask(first: PendingCall | Decision, context: { signal: AbortSignal } | undefined): Promise<ApproveAnswer> {
    const report = (event: LiveQuestion | LiveDecision) => this.observe({ time: wallNow(), ...event }, null);
    return this.#questions.ask(first, context, report);
  }

  #remember(event: LiveEvent): void {
    this.#others.push(event);
    // Half of them at once: each removal moves all the others.
    if (this.#others.length >= 2 * MAX_OTHERS) this.#others = this.#others.slice(-MAX_OTHERS);
  }

  #theServer(): LiveServer {
    const { LiveServer } = serverModule();
    const shared = { title: this.#title, control: this.#control, hosts: this.#hosts ?? [] };
    this.#server ??= new LiveServer(this, shared);
    return this.#server;
  }

  /** Returns the server for requests to a server of the caller, whose names have to be known. */
  #mounted(name: string): LiveServer {
    if (this.#hosts === undefined) {
      throw invalid(
        'options.hosts',
        `the names of your server, such as 'localhost:3000', for ${name}`,
        undefined,
      );
    }
    return this.#theServer();
  }

  #hello(control: Control, since: number): Extract<MessageToPage, { type: 'hello' }> {
    return {
      type: 'hello',
      since,
      title: this.#title,
      control,
      commands: this.#commands.summaries(since),
      questions: this.#questions.open(),
      others: this.#others.slice(-MAX_OTHERS).filter(({ seq }) => seq > since),
    };
  }
}

function checkHosts(hosts: unknown): string[] | undefined {
  if (hosts === undefined) return undefined;
  const areNames =
    Array.isArray(hosts) && hosts.every((host) => typeof host === 'string' && /^[^/\s]+$/.test(host));
  if (!areNames)
    throw invalid('options.hosts', "a list of names with ports, such as 'localhost:3000'", hosts);
  return hosts;
}

function isPort(port: unknown): port is Port {
  const { postMessage, on } = (port ?? {}) as Partial<Port>;
  return typeof postMessage === 'function' && typeof on === 'function';
}

export { Live };
