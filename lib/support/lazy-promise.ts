/**
 * A value that is set later, and its promise, which is created on first use.
 *
 * In Node.js 20 and 22 a promise holds the `AsyncLocalStorage` stores of the caller that made it. A job whose
 * result is not awaited needs no promise.
 */
class LazyPromise<T> {
  /** The value; `null` before `resolve()`. */
  value: T | null = null;
  #promise: Promise<T> | null = null;
  #resolvePromise: ((value: T) => void) | undefined;

  get promise(): Promise<T> {
    this.#promise ??= new Promise((resolve) => {
      if (this.value === null) this.#resolvePromise = resolve;
      else resolve(this.value);
    });
    return this.#promise;
  }

  resolve(value: T): void {
    this.value = value;
    this.#resolvePromise?.(value);
  }
}

export { LazyPromise };
