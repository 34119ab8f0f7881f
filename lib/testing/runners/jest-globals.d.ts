// Declares the part of jest that `agent-bash/testing/jest` uses: only its users have jest.

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
