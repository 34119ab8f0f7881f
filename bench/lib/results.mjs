// Computes the figures of the tables from the samples.

import { BASE, LIMIT_NAME } from './peers.mjs';
import { median, spread } from './stats.mjs';

export class Results {
  #samples;

  /** @param samples scenario -> peer -> one sample for each round */
  constructor(samples) {
    this.#samples = samples;
  }

  peers(scenario) {
    return Object.keys(this.#samples[scenario] ?? {});
  }

  value(scenario, peer, metric) {
    const values = this.#values(scenario, peer, metric);
    return values.length > 0 ? median(values) : undefined;
  }

  spread(scenario, peer, metric) {
    const values = this.#values(scenario, peer, metric);
    return values.length > 0 ? spread(values) : undefined;
  }

  /**
   * Returns the median of the ratios of each round. Both samples of a round were taken within seconds, so
   * drift cancels.
   */
  ratio(scenario, peer, metric, over) {
    const mine = this.#samples[scenario]?.[peer] ?? [];
    const theirs = this.#samples[scenario]?.[over] ?? [];
    const ratios = mine
      .map((sample, round) => sample?.[metric] / theirs[round]?.[metric])
      .filter((ratio) => Number.isFinite(ratio) && ratio >= 0);
    return ratios.length > 0 ? median(ratios) : undefined;
  }

  toBase(scenario, peer, metric) {
    return this.ratio(scenario, peer, metric, BASE);
  }

  toLimit(scenario, peer, metric) {
    return this.ratio(scenario, peer, metric, LIMIT_NAME);
  }

  /** Rounds to four digits: enough for all tables, in a small file. */
  toJSON() {
    const text = JSON.stringify(this.#samples, (_key, value) =>
      typeof value === 'number' ? Number(value.toPrecision(4)) : value,
    );
    return JSON.parse(text);
  }

  #values(scenario, peer, metric) {
    const samples = this.#samples[scenario]?.[peer] ?? [];
    return samples.map((sample) => sample?.[metric]).filter((value) => value !== undefined);
  }
}
