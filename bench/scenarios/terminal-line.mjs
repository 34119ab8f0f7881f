import { median } from '../lib/stats.mjs';
import { timed } from '../lib/time.mjs';

export const title = 'a line to `cat` at a terminal and back, each';
export const metrics = ['ms'];
export const peers = ['agent-bash-pty', 'node-pty'];

const COUNT = 2_000;

/** The terminal shows a line when it is typed, and `cat` writes it once more. */
const OFTEN = 2;

export async function measure(load) {
  const peer = await load();
  let onText = () => {};
  const terminal = peer.start('exec cat', (text) => onText(text));
  const line = (number) =>
    new Promise((resolve) => {
      let heard = '';
      onText = (text) => {
        heard += text;
        if (heard.split(`line ${number}\r\n`).length > OFTEN) resolve();
      };
      terminal.write(`line ${number}\r`);
    });
  await line('first');
  const times = [];
  for (let count = 0; count < COUNT; count++) times.push(await timed(() => line(count)));
  terminal.kill();
  await terminal.done;
  return { ms: median(times) };
}
