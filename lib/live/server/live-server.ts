import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { integer, object } from '../../options/checks.ts';
import type { Control } from '../view/messages.ts';
import { Access } from './access.ts';
import { list } from './registry.ts';
import type { Served, ServedRecording } from './routes.ts';
import { Routes } from './routes.ts';
import { answerFetch, answerNode } from './transports.ts';

/** A server that listens. */
export interface Listening {
  url: string;
  viewUrl: string;
  /** Returns a URL by which a page can be opened once. */
  openUrl(): string;
  close(): Promise<void>;
}

export interface ServerOptions {
  title: string;
  control: Control;
  /** The names under which the server of a caller is reached. */
  hosts?: readonly string[];
  /** The recordings that the page plays in place of a live view. */
  recordings?: readonly ServedRecording[];
}

/** The pages of a live view over HTTP. */
class LiveServer {
  readonly access: Access;
  #routes: Routes;
  #title: string;
  /** The ports on which this server listens. */
  #ports = new Set<number>();
  #listening = new Set<Listening>();

  constructor(served: Served, { title, control, hosts = [], recordings = [] }: ServerOptions) {
    this.#title = title;
    const known = new Set(hosts.map((host) => host.toLowerCase()));
    this.access = new Access(control, (host) => known.has(host) || this.#isOwn(host));
    this.#routes = new Routes(served, this.access, recordings);
  }

  node(request: IncomingMessage, response: ServerResponse): void {
    answerNode((plain) => this.#routes.answer(plain), request, response);
  }

  fetch(request: Request): Promise<Response> {
    return answerFetch((plain) => this.#routes.answer(plain), request);
  }

  /** Listens on the loopback interface. */
  async listen(given: unknown = {}): Promise<Listening> {
    const options = object('options', given, ['port']);
    const wanted = integer('options.port', options.port, 0, 65_535, 'a port') ?? 0;
    const server = createServer((request, response) => this.node(request, response));
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => {
      // A page does not keep Node.js alive.
      socket.unref();
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => resolve());
    });
    server.unref();
    const { port } = server.address() as AddressInfo;
    this.#ports.add(port);
    const base = `http://127.0.0.1:${port}/`;
    const { access } = this;
    const viewUrl = `${base}#${access.viewToken}`;
    const unlist = list({
      title: this.#title,
      pid: process.pid,
      url: viewUrl,
      cwd: process.cwd(),
      since: Date.now(),
    });
    process.on('exit', unlist);
    const listening: Listening = {
      url: `${base}#${access.token}`,
      viewUrl,
      openUrl: () => `${base}#code=${access.newCode()}`,
      close: async () => {
        if (!this.#listening.delete(listening)) return;
        process.off('exit', unlist);
        unlist();
        this.#ports.delete(port);
        const closed = new Promise((resolve) => server.close(resolve));
        for (const socket of sockets) socket.destroy();
        await closed;
      },
    };
    this.#listening.add(listening);
    return listening;
  }

  async close(): Promise<void> {
    this.#routes.close();
    await Promise.all([...this.#listening].map((listening) => listening.close()));
  }

  #isOwn(host: string): boolean {
    const [isName, port = '80'] = /^(?:127\.0\.0\.1|localhost)(?::(\d+))?$/.exec(host) ?? [];
    return isName !== undefined && this.#ports.has(Number(port));
  }
}

export { LiveServer };
