/** A failure that tests switch on. */
export interface Failure {
  readonly method?: string;
  /** Matches the path below the base URL. */
  readonly path: RegExp;
  /** The number of requests that fail; default 1. */
  readonly times?: number;
  /** True to fail after the operation was done. */
  readonly isAfter?: boolean;
  /** The response; without it the connection ends without one. */
  readonly answer?: { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> };
}

/** The failures that are switched on. */
export class Failures {
  readonly #on: (Failure & { left: number })[] = [];

  add(failure: Failure): void {
    this.#on.push({ ...failure, left: failure.times ?? 1 });
  }

  /** Returns the failure of a request, if any, and counts it. */
  take(method: string, path: string, isAfter: boolean): Failure | undefined {
    const found = this.#on.find(
      (one) =>
        one.left > 0 &&
        (one.isAfter ?? false) === isAfter &&
        (one.method === undefined || one.method === method) &&
        one.path.test(path),
    );
    if (found !== undefined) found.left -= 1;
    return found;
  }
}
