import type { Reporter, TestCase } from 'vitest/node';

/**
 * Names each test that failed at first and passed at the second attempt, with its first error: such a test is
 * a defect.
 */
export default class FlakyReporter implements Reporter {
  readonly #flaky: TestCase[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#flaky.push(test);
  }

  onTestRunEnd(): void {
    for (const test of this.#flaky) {
      const [error] = test.result().errors ?? [];
      const said = [error?.stack ?? error?.message, error?.diff].filter(Boolean).join('\n');
      console.log(`FLAKY ${test.module.relativeModuleId} > ${test.fullName}\n${said}\n`);
    }
  }
}
