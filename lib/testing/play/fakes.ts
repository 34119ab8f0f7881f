import { Buffer } from 'node:buffer';
import { commandMatches, failure } from '../../addon/native.ts';
import { describe, invalid, isRecord } from '../../options/checks.ts';
import type { MatchExtent } from '../answers/plain-match.ts';
import { matchOfTexts } from '../answers/plain-match.ts';
import type { Answer, FakeCall, FakeEnd, Match } from '../api.ts';
import type { ActualCall } from '../cassette/call.ts';

/** A fake of a test, and the number of its answers that were given. */
interface Fake {
  match: Match;
  answers: Answer[];
  given: number;
}

/** The fakes of one test. */
export class Fakes {
  #all: Fake[] = [];

  add(match: unknown, answers: unknown[]): void {
    checkMatch('match', match);
    if (answers.length === 0) throw invalid('answers', 'at least one answer', undefined);
    for (const [index, answer] of answers.entries()) checkAnswer(`answers[${index}]`, answer);
    this.#all.push({ match: match as Match, answers: answers as Answer[], given: 0 });
  }

  /** Returns the fake for a call; `undefined` without one, and for one whose answers were all given. */
  find(call: ActualCall): Fake | undefined {
    return this.#all.find(({ match, answers, given }) => {
      return (answers.length === 1 || given < answers.length) && matchesWhole(match, call);
    });
  }

  /** Returns the next answer of a fake; the last one again when no other is left. */
  answer(fake: Fake, call: ActualCall): string | FakeEnd | Promise<string | FakeEnd> {
    const answer = fake.answers[Math.min(fake.given++, fake.answers.length - 1)];
    return resolved(answer, fakeCall(call));
  }
}

function resolved(answer: Answer, call: FakeCall): string | FakeEnd | Promise<string | FakeEnd> {
  if (typeof answer !== 'function') return answer;
  const next = answer(call);
  if (!(next instanceof Promise)) {
    checkAnswer('answer', next);
    return resolved(next, call);
  }
  return next.then((later) => {
    checkAnswer('answer', later);
    return resolved(later, call);
  });
}

/** Returns a call as functions of a test get it. */
export function fakeCall({ command, cwd, env, input }: ActualCall): FakeCall {
  return { command, cwd, env, input: typeof input === 'string' ? input : Buffer.from(input).toString() };
}

/** Returns whether a command line matches as a whole. */
function matchesWhole(match: Match, call: ActualCall): boolean {
  return typeof match === 'string' ? isMatch(match, call, ['whole']) : matchesOther(match, call);
}

/** Returns whether some simple command of a command line matches. */
export function matchesSome(match: Match, call: ActualCall): boolean {
  return typeof match === 'string' ? isMatch(match, call, ['whole', 'some']) : matchesOther(match, call);
}

function matchesOther(match: Exclude<Match, string>, call: ActualCall): boolean {
  if (typeof match === 'function') return match(fakeCall(call)) === true;
  return new RegExp(match.source, match.flags.replace(/[gy]/g, '')).test(call.command);
}

function isMatch(pattern: string, { command, shell }: ActualCall, parts: MatchExtent[]): boolean {
  const part: string = commandMatches(pattern, command, shell);
  return parts.includes(part === 'unread' ? matchOfTexts(pattern, command) : (part as MatchExtent));
}

/** Checks a match, which an error names `name`. */
export function checkMatch(name: string, match: unknown): asserts match is Match {
  if (match instanceof RegExp || typeof match === 'function') return;
  if (typeof match !== 'string' || match.trim() === '') {
    throw invalid(name, 'a pattern of a command, a RegExp or a function', match);
  }
  if (failure === null && (commandMatches(match, 'true') as string) === 'wrong') {
    const text =
      "a pattern of one command, as in a policy's Bash(…): no operator, line break or substitution";
    throw invalid(name, text, match);
  }
}

const FIELDS = ['chunks', 'exitCode', 'signal', 'error', 'at', 'files'];

function checkAnswer(name: string, answer: unknown): void {
  if (typeof answer === 'string' || typeof answer === 'function') return;
  if (!isRecord(answer)) throw invalid(name, 'text, an end of a command, or a function', answer);
  const unknown = Object.keys(answer).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined)
    throw invalid(name, `an object with some of ${FIELDS.join(', ')}`, { [unknown]: answer[unknown] });
  const { chunks, at } = answer as FakeEnd;
  if (chunks !== undefined && !(Array.isArray(chunks) && chunks.every(isChunk))) {
    throw invalid(`${name}.chunks`, "a list of [ms, 'stdout' or 'stderr', text or bytes]", chunks);
  }
  if (at !== undefined && at !== 'never' && !(typeof at === 'number' && at >= 0)) {
    throw invalid(`${name}.at`, "a time in milliseconds, or 'never'", at);
  }
}

function isChunk(chunk: unknown): boolean {
  if (!Array.isArray(chunk)) return false;
  const [at, stream, data] = chunk;
  const isData = typeof data === 'string' || data instanceof Uint8Array;
  return typeof at === 'number' && at >= 0 && (stream === 'stdout' || stream === 'stderr') && isData;
}

export { describe };
