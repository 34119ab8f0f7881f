import type { NativeTarget } from '../addon/addon-types.ts';
import { ref, register, theBinding, unref, unregister } from '../addon/binding.ts';
import { unavailableOnWindows } from '../addon/missing-addon.ts';
import { requireAnswers } from '../addon/native.ts';
import { answered } from '../addon/native-error.ts';
import { invalid, isRecord } from '../options/checks.ts';
import { environmentNow } from '../options/surroundings/environment/process-environment.ts';
import { features } from '../support/features.ts';
import { onDemand } from '../support/on-demand.ts';
import type {
  ComposeOptions,
  DevcontainerOptions,
  PodOptions,
  Target as PublicTarget,
  TargetOptions,
  TargetProbe,
} from './api.ts';
import type {
  TargetCopyOptions,
  TargetCopyReport,
  TargetEntry,
  TargetFileOptions,
  TargetReadOptions,
  TargetStats,
  TargetWriteOptions,
} from './files-api.ts';
import type { PortForward, PortOptions, ReversePortOptions } from './ports-api.ts';

type Given = Record<string, unknown> | undefined;

/** A place where commands run: another machine, or a container. */
class Target {
  #native: NativeTarget;
  #json: string;
  #disposal: Promise<void> | null = null;

  /** Checks the options. `name` is how an error names them. Nothing is started before the first command. */
  constructor(options: TargetOptions, name = 'options') {
    if (!isRecord(options)) throw invalid(name, 'a Target or its options', options);
    // The transport, such as ssh, gets the environment of Node.js; the commands do not.
    const environment = environmentNow();
    this.#json = JSON.stringify(options);
    // A test's double needs no addon for commands that do not run.
    requireAnswers();
    const binding = theBinding();
    if (binding.createTarget === undefined) throw unavailableOnWindows('A target');
    this.#native = answered(binding.createTarget(this.#json, environment, features().otherHelpers()), name);
  }

  /** A copy of the options. */
  get options(): TargetOptions {
    return JSON.parse(this.#json);
  }

  /** The target as the addon takes it. */
  get native(): NativeTarget {
    return this.#native;
  }

  /** A number that no other target of this process has. */
  get id(): number {
    return this.#native.id;
  }

  get state(): PublicTarget['state'] {
    return this.#native.state as PublicTarget['state'];
  }

  /** The directory there that has the files of a workspace here, or `null`. */
  get workspace(): string | null {
    return this.#native.workspace;
  }

  /** The paragraph for a model about where its commands run. */
  get paragraph(): string {
    return this.#native.paragraph;
  }

  /** Whether the target is a container that is made for it. */
  get isOwnContainer(): boolean {
    return this.#native.isOwnContainer;
  }

  /** Returns what a path is there: one below the workspace here has another name. */
  pathThere(path: string): string {
    return this.#native.pathThere(path);
  }

  static compose(service: string, options?: ComposeOptions): Target {
    return new Target(onDemand().composeOptions(service, options));
  }

  static pod(options: PodOptions): Target {
    return new Target(onDemand().podOptions(options));
  }

  static devcontainer(folder: string, options?: DevcontainerOptions): Target {
    return new Target(onDemand().devcontainerOptions(folder, options));
  }

  async probe(options?: { signal?: AbortSignal | undefined }): Promise<TargetProbe> {
    return onDemand().probeTarget(this, options);
  }

  async forward(port: number | string, options?: PortOptions): Promise<PortForward> {
    return onDemand().forwardPort(this.#native, port, options);
  }

  async reverse(port: number | string, options?: ReversePortOptions): Promise<PortForward> {
    return onDemand().reversePort(this.#native, port, options);
  }

  async read(path: string | Uint8Array, options?: TargetReadOptions): Promise<Buffer> {
    return onDemand().readFile(this.#native, path, options as Given);
  }

  async write(
    path: string | Uint8Array,
    data: string | Uint8Array,
    options?: TargetWriteOptions,
  ): Promise<void> {
    return onDemand().writeFile(this.#native, path, data, options as Given);
  }

  async stat(
    path: string | Uint8Array,
    options?: TargetFileOptions & { followLinks?: boolean | undefined },
  ): Promise<TargetStats> {
    return onDemand().statFile(this.#native, path, options as Given);
  }

  async list(path: string | Uint8Array, options?: TargetFileOptions): Promise<TargetEntry[]> {
    return onDemand().listFiles(this.#native, path, options as Given);
  }

  async mkdir(
    path: string | Uint8Array,
    options?: TargetFileOptions & { recursive?: boolean | undefined; mode?: number | undefined },
  ): Promise<void> {
    return onDemand().makeDirectory(this.#native, path, options as Given);
  }

  async remove(
    path: string | Uint8Array,
    options?: TargetFileOptions & { recursive?: boolean | undefined; force?: boolean | undefined },
  ): Promise<void> {
    return onDemand().removeFile(this.#native, path, options as Given);
  }

  async copyTo(
    local: string | Uint8Array,
    there: string | Uint8Array,
    options?: TargetCopyOptions,
  ): Promise<TargetCopyReport> {
    return onDemand().copyFiles(this.#native, { local, there, isToTarget: true }, options as Given);
  }

  async copyFrom(
    there: string | Uint8Array,
    local: string | Uint8Array,
    options?: TargetCopyOptions,
  ): Promise<TargetCopyReport> {
    return onDemand().copyFiles(this.#native, { local, there, isToTarget: false }, options as Given);
  }

  dispose(): Promise<void> {
    this.#disposal ??= new Promise<void>((resolve) => {
      const id = register(() => {
        unregister(id);
        unref();
        resolve();
      });
      ref();
      this.#native.dispose(id);
    });
    return this.#disposal;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

export { Target };
