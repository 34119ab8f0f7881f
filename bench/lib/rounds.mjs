// Takes all samples, round by round.

import { takeSample } from './sample.mjs';

/**
 * The samples: scenario name -> peer name -> one for each round, `undefined` where it failed; and the time
 * that each scenario took (ms).
 *
 * In each round every scenario is visited, and in each scenario every peer in turn, so that whatever changes
 * on the machine meanwhile changes for all of them. Who begins is another one each time. */
export async function takeRounds({ scenarios, rowsOf, rounds, onProgress, onFailure }) {
  const samples = Object.fromEntries(
    scenarios.map((scenario) => [
      scenario.name,
      Object.fromEntries(rowsOf(scenario).map((row) => [row.name, []])),
    ]),
  );
  const spent = Object.fromEntries(scenarios.map(({ name }) => [name, 0]));
  for (let round = 0; round < rounds; round++) {
    for (const scenario of scenarios) {
      if (round >= (scenario.rounds ?? Infinity)) continue;
      const begin = performance.now();
      for (const row of rotated(rowsOf(scenario), round)) {
        onProgress(`round ${round + 1} of ${rounds}: ${scenario.name}, ${row.name}`);
        samples[scenario.name][row.name].push(await sampleOrNothing(row, scenario, onFailure));
      }
      spent[scenario.name] += performance.now() - begin;
    }
  }
  return { samples, spent };
}

async function sampleOrNothing(row, scenario, onFailure) {
  try {
    return await takeSample(row, scenario);
  } catch (error) {
    onFailure(`${scenario.name}, ${row.name}: ${error.message}`);
    return undefined;
  }
}

function rotated(rows, by) {
  const start = by % rows.length;
  return [...rows.slice(start), ...rows.slice(0, start)];
}
