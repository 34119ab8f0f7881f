// What `agent-bash/testing/jest` uses of jest, which only its users have.

declare module '@jest/globals' {
  export function afterAll(act: () => void): void;
  export function afterEach(act: () => void): void;
  export function beforeEach(act: () => void): void;
  export const expect: {
    extend(matchers: never): void;
    addSnapshotSerializer(serializer: never): void;
    getState(): { currentTestName?: string; testPath?: string };
  };
}
