import type { JobState } from '../../addon/addon-types.ts';
import type { ObservedCommand } from '../../observe/observed-command.ts';
import { clearTimeout, setTimeout } from '../../support/timers.ts';
import type { LiveState } from '../api.ts';

/** The time between two inspections of the processes (ms). */
const PERIOD_MS = 1_000;

/** The name of the processes that make a sandbox, in which the command's own are. */
const HELPER = 'agent-bash-sandbox';

type Reported = Pick<LiveState, 'processes' | 'ports' | 'refused'>;

/** Reports the processes and ports of a running command whenever they have changed, while a page shows it. */
class StateWatch {
  #command: ObservedCommand;
  #users = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopPorts: (() => void) | undefined;
  #ports: Reported['ports'] = [];
  #reported = '';

  constructor(command: ObservedCommand) {
    this.#command = command;
  }

  /** Adds a page that shows the command. */
  add(): void {
    this.#users++;
    if (this.#users > 1) return;
    this.#stopPorts = this.#command.inspection?.followPorts((ports) => {
      this.#ports = ports;
      this.#poll();
    });
    this.#poll();
  }

  /** Removes a page. */
  remove(): void {
    this.#users--;
    if (this.#users > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#command.isOver) this.#stopPorts?.();
    this.#stopPorts = undefined;
  }

  #poll(): void {
    clearTimeout(this.#timer);
    if (this.#users === 0 || this.#command.isOver) return;
    this.#command.inspection?.askState((state) => this.#report(state));
    this.#timer = setTimeout(() => this.#poll(), PERIOD_MS).unref();
  }

  #report({ processes: all, refused }: JobState): void {
    if (this.#users === 0 || this.#command.isOver) return;
    const processes = all.filter(({ program }) => program !== HELPER);
    const state = { processes, ports: this.#ports, refused: refused as Reported['refused'] };
    const text = JSON.stringify(state);
    if (text === this.#reported) return;
    this.#reported = text;
    this.#command.inspected(state);
  }
}

export { StateWatch };
