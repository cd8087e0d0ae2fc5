import { TextError } from './conversation.ts';
import { isObject, number } from './json.ts';

/** A fault in the first `times` (default 1) requests of a step. */
export type Fault = { times?: number } &
  /** An error in the API's own shape; `retry_after` in seconds. */
  (
    | { status: number; retry_after?: number }
    /** Accepts the request and never responds. */
    | { hang: true }
    /**
     * Breaks the connection after this many deltas of a stream, or bytes of another response; always before its end.
     */
    | { cut: number }
    /** Responds with status 200 and an invalid body. */
    | { nonsense: true }
    /** Responds with a valid, empty answer. */
    | { empty: true }
  );

const kinds = ['status', 'hang', 'cut', 'nonsense', 'empty'] as const;

export function parseFaults(value: unknown, step: number): Fault[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((entry: unknown) => {
    if (!isFault(entry))
      throw new TextError(`Step ${step} of the script has an unknown fault: ${JSON.stringify(entry)}`);
    return entry;
  });
}

function isFault(value: unknown): value is Fault {
  return (
    isObject(value) && kinds.some((kind) => kind in value) && number(value['status'] ?? value['cut'] ?? 0) !== undefined
  );
}

const countedSteps = 10_000;

/** Counts the requests for each step with a fault: the server's only state. */
export class FaultCounter {
  readonly #requests = new Map<string, number>();

  /** Returns the fault for this request of the step, and counts the request. */
  next(script: string, step: number, faults: Fault[]): Fault | undefined {
    if (faults.length === 0) return undefined;
    const key = `${script}_${step}`;
    const request = this.#requests.get(key) ?? 0;
    this.#requests.delete(key);
    this.#requests.set(key, request + 1);
    for (const oldest of this.#requests.keys()) {
      if (this.#requests.size <= countedSteps) break;
      this.#requests.delete(oldest);
    }
    let until = 0;
    return faults.find((fault) => request < (until += fault.times ?? 1));
  }
}
