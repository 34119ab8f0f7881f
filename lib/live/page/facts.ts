import type { LiveState } from '../api.ts';
import { refusedText } from '../view/refused-text.ts';
import { element, setText, sizeText, visible } from './elements.ts';
import type { ListedCommand } from './model.ts';

/** The facts about a command beside its output: where it runs, what it may do, its processes. */
class Facts {
  readonly element: HTMLElement = element('ul', { class: 'facts', role: 'list', 'aria-label': 'Facts' });
  readonly processes: HTMLDetailsElement = element('details', {
    class: 'processes',
    open: true,
    hidden: true,
  });
  #summary = element('summary');
  #tree = element('ul', { role: 'list' });
  #shown = '';
  #drawn: LiveState | null = null;

  constructor() {
    this.processes.append(this.#summary, this.#tree);
  }

  update(entry: ListedCommand): void {
    const facts = factsOf(entry);
    const key = JSON.stringify(facts);
    if (key !== this.#shown) {
      this.#shown = key;
      this.element.replaceChildren(
        ...facts.map(({ kind, text }) => element('li', { class: kind }, visible(text))),
      );
    }
    this.#updateProcesses(entry.end === null ? entry.state : null);
  }

  #updateProcesses(state: LiveState | null): void {
    this.processes.hidden = state === null || state.processes.length === 0;
    if (state === null || state === this.#drawn) return;
    this.#drawn = state;
    const { processes, ports } = state;
    setText(this.#summary, `Processes: ${processes.length}`);
    const depths = new Map<number, number>();
    this.#tree.replaceChildren(
      ...processes.map(({ pid, parent, program }) => {
        const depth = (depths.get(parent) ?? -1) + 1;
        depths.set(pid, depth);
        const own = ports.filter((port) => port.pid === pid).map(({ port }) => ` :${port}`);
        const item = element(
          'li',
          {},
          `${pid} ${visible(program)}`,
          element('b', {}, [...new Set(own)].join('')),
        );
        item.style.paddingInlineStart = `${Math.min(depth, 12) * 1.2}em`;
        return item;
      }),
    );
  }
}

interface Fact {
  kind: 'plain' | 'port' | 'refused' | 'wait';
  text: string;
}

function factsOf({ start, wait, state, end, pty, denial }: ListedCommand): Fact[] {
  const facts: Fact[] = [];
  const add = (kind: Fact['kind'], text: string) => facts.push({ kind, text });
  if (denial !== null) add('plain', `by the ${denial.by === 'page' ? 'person at a page' : denial.by}`);
  if (start === null) return facts;
  if (end === null && wait !== null) {
    const what = { line: 'a line', password: 'a password', keys: 'keys', pipe: 'input' }[wait.kind];
    add(
      'wait',
      `${wait.program} waits for ${what}${wait.kind === 'keys' || wait.prompt.trim() === '' ? '' : `: ${wait.prompt.trim()}`}`,
    );
  }
  const ports = end === null ? (state?.ports ?? []) : [];
  for (const port of new Set(ports.map((each) => each.port))) add('port', `listens on :${port}`);
  add('plain', start.cwd);
  add('plain', start.sandbox === null ? 'no sandbox' : `sandbox ${start.sandbox}`);
  if (start.target !== null) add('plain', `on ${start.target}`);
  if (start.session !== null) add('plain', `session ${start.session}`);
  if (pty !== null) add('plain', `terminal ${pty.cols} × ${pty.rows}`);
  if (end !== null) add('plain', sizeText(end.totalBytes));
  if (end !== null && end.backgroundPids.length > 0)
    add('wait', `still running: ${end.backgroundPids.join(', ')}`);
  for (const text of new Set((end?.refused ?? state?.refused ?? []).map(refusedText)))
    add('refused', `refused: ${text}`);
  return facts;
}

export { Facts };
