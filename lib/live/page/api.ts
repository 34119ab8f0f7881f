/// <reference lib="dom" />
// `agent-bash/live/component`: the page of a live view, for browsers and Electron renderers.

/** A recording by the option `record`, or another asciicast v3. */
export interface LiveRecording {
  /** The name of the recording in errors. */
  name: string;
  text: string;
}

/** The source of what a page shows. */
export type LiveSource = {
  /** The nonce of the page's Content-Security-Policy, for the style elements of the terminal. */
  nonce?: string | undefined;
} & (
  | {
      /** The other end of a port that `Live.connect()` has got. */
      port: MessagePort;
    }
  | {
      /** The URL of a server by `Live.listen()`, `node` or `fetch`, of this page's origin. */
      url: string;
      token: string;
    }
  | {
      /** The recordings to play; commands of several recordings are shown together. */
      recordings: readonly LiveRecording[];
    }
);

/**
 * Shows the commands of a live view, or of recordings, in an element, which gives the size.
 *
 * The element gets a shadow root, and emits the event `livestatus`, whose `detail` has `title`, `running` and
 * `questions` (numbers), whenever one of them may have changed.
 *
 * @returns a function that removes the page and ends its connection
 * @throws Error for text that is no recording, with its line
 */
export declare function mountLive(element: HTMLElement, source: LiveSource): () => void;
