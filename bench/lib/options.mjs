import { parseArgs } from 'node:util';

const HELP = `Usage: npm run bench -- [options]

  --only a,b      only these scenarios
  --peers a,b     only these peers; child-process always runs, the ratios need it
  --rounds n      samples of each (default 5)
  --json FILE     all samples, as JSON
  --svg FILE      the ratios, as a picture
  --publish       bench/results.json, and from it the tables of docs/performance.md and the pictures of docs/
`;

export function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      peers: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      json: { type: 'string' },
      svg: { type: 'string' },
      publish: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds ${values.rounds}: a whole number from 1`);
  if (values.publish && (values.only || values.peers)) refuse('--publish takes all scenarios and peers');
  return { ...values, rounds, only: list(values.only), peers: list(values.peers) };
}

/** Returns the requested names; by default all. */
export function choose(asked, names) {
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) refuse(`${unknown.join(', ')}: not one of ${names.join(', ')}`);
  return names.filter((name) => asked.length === 0 || asked.includes(name));
}

function refuse(why) {
  console.error(why);
  process.exit(2);
}

function list(text) {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
