import { TextError } from './conversation.ts';
import { isObject, number } from './json.ts';

/** Something that goes wrong, for the first `times` (1) requests of a step. */
export type Fault = { times?: number } &
  /** An error answer in the API's own shape; `retry_after` in seconds. */
  (
    | { status: number; retry_after?: number }
    /** Accepted and never answered. */
    | { hang: true }
    /** The connection breaks after so many deltas of a stream, or bytes of another answer; always before its end. */
    | { cut: number }
    /** Status 200 with a body that is no answer. */
    | { nonsense: true }
    /** A well-formed answer that says nothing. */
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

/** Counts the requests that each step has had: all that the server remembers, and only of steps with a fault. */
export class FaultCounter {
  readonly #requests = new Map<string, number>();

  /** The fault for this request of the step, which counts. */
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
