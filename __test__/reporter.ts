import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { TABLE } from '../scripts/machine.mjs';

const MISSING = new Map(TABLE.filter(({ isThere }) => !isThere()).map((row) => [row.name, row]));

/**
 * Adds to the closing lines: how many tests were skipped for which reason, and each test that failed at first
 * and passed at the second attempt, with its first error. Such a test is a defect.
 */
export default class ClosingReporter implements Reporter {
  readonly #flaky: TestCase[] = [];
  #namePattern: RegExp | undefined;

  onInit(vitest: Vitest): void {
    this.#namePattern = vitest.config.testNamePattern;
  }

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#flaky.push(test);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const reasons = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const reason = this.#isLeftOut(test) ? null : reasonOf(test);
        if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a))
      console.log(`SKIPPED ${count}: ${reason}`);
    for (const test of this.#flaky) {
      const [error] = test.result().errors ?? [];
      const said = [error?.stack ?? error?.message, error?.diff].filter(Boolean).join('\n');
      console.log(`FLAKY ${test.module.relativeModuleId} > ${test.fullName}\n${said}\n`);
    }
  }

  /** Whether the name pattern of this run leaves a test out. */
  #isLeftOut({ fullName }: TestCase): boolean {
    return this.#namePattern?.test(fullName.replaceAll(' > ', ' ')) === false;
  }
}

/** Why a test was skipped; `null` for one that was not. */
function reasonOf(test: TestCase): string | null {
  const missing = test.tags.filter((tag) => MISSING.has(tag));
  if (missing.length > 0) return `this machine has no ${missing.join(', ')} (npm run doctor)`;
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  if (note) return note;
  const [, reason] = /\(skipped: (.*)\)/.exec(test.name) ?? [];
  if (reason) return reason;
  return test.options.mode === 'skip' ? 'not for this system, shell or build' : null;
}
