// asciinema-player's own parser and driver, which need no browser. Its package exports only the part with a
// page.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installFor } from '../../scripts/downloads.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = `${HERE}node_modules/asciinema-player/dist/`;

/** The output and the markers that the player has shown. */
export interface Played {
  output: string;
  markers: string[];
  /** The first and the latest size of the terminal. */
  first: string;
  size: string;
}

interface Core {
  addEventListener(name: string, handler: (event: never) => void): void;
  init(): Promise<void>;
  terminalReady(): void;
}

const SILENT = { log() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Plays a recording to its end, as fast as the player can. Rejects with the player's error. */
export async function played(recording: string): Promise<Played> {
  await installFor('__test__/recording');
  const [file] = readdirSync(DIST).filter((name) => name.startsWith('core-'));
  const { C: PlayerCore } = (await import(`${DIST}${file}`)) as {
    C: new (source: object, options: object) => Core;
  };
  const source = { driver: 'recording', data: () => Promise.resolve(new Response(recording)) };
  const core = new PlayerCore(source, { logger: SILENT, speed: 1e9, autoPlay: true, idleTimeLimit: 0.001 });
  const shown: Played = { output: '', markers: [], first: '', size: '' };
  await new Promise<void>((resolve, reject) => {
    // Several outputs come as one event.
    core.addEventListener('output', (texts: string | string[]) => {
      shown.output += [texts].flat().join('');
    });
    core.addEventListener('metadata', ({ markers }: { markers: [time: number, label: string][] }) => {
      shown.markers = markers.map(([, label]) => label);
    });
    core.addEventListener('reset', ({ size }: { size: { cols: number; rows: number } }) => {
      shown.first = `${size.cols}x${size.rows}`;
    });
    core.addEventListener('resize', ({ cols, rows }: { cols: number; rows: number }) => {
      shown.size = `${cols}x${rows}`;
    });
    core.addEventListener('ended', resolve);
    core.addEventListener('error', (error: unknown) => reject(new Error(JSON.stringify(error))));
    core.terminalReady();
    core.init().catch(reject);
  });
  return shown;
}
