import { array, constantFrom, nat, record, type Arbitrary } from 'fast-check';

/** A random step of the world around one run. */
export interface Step {
  act: 'claim' | 'report' | 'lapse' | 'due' | 'cancel' | 'retry';
  /** Which of the attempts so far reports; the newest first. */
  who: number;
  status: ReportStatus;
  /** A report with other numbers than those of the attempt. */
  numbers: 'own' | 'zero' | 'future' | 'next_attempt' | 'earlier_attempt';
}
export type ReportStatus = 'running' | End;
type End = 'succeeded' | 'failed' | 'timed_out' | 'canceled';

/** A request with the numbers that it carries. */
export type Command =
  | { act: 'claim' | 'lapse' | 'due' | 'cancel' | 'retry' }
  | { act: 'report'; fencing_token: number; attempt_no: number; status: ReportStatus };

/** The result of a command: `ok`, `duplicate`, `none` if it does not apply, or the error code. */
export type Result = string;

export interface Seen {
  status: string;
  attempt_no: number;
  fencing_token: number;
}

/** Mostly reports with the right numbers, so that runs get far. */
export const steps: Arbitrary<Step[]> = array(
  record({
    act: constantFrom<Step['act'][]>('claim', 'claim', 'report', 'report', 'report', 'lapse', 'due', 'cancel', 'retry'),
    who: nat({ max: 2 }),
    status: constantFrom<ReportStatus[]>('running', 'succeeded', 'succeeded', 'failed', 'timed_out', 'canceled'),
    numbers: constantFrom<Step['numbers'][]>(
      'own',
      'own',
      'own',
      'own',
      'own',
      'zero',
      'future',
      'next_attempt',
      'earlier_attempt',
    ),
  }),
  { minLength: 1, maxLength: 24 },
);

interface Handed {
  token: number;
  attempt: number;
  end: End | '';
  byWatchdog: boolean;
  /** The ends that it had, one after another. */
  ends: string[];
}

/** The contract's rules for one run, written without the program's table. */
export class RunModel {
  status = 'pending';
  attempt = 1;
  readonly handed: Handed[] = [];
  readonly #maxAttempts: number;

  constructor(maxAttempts: number) {
    this.#maxAttempts = maxAttempts;
  }

  seen(): Seen {
    return { status: this.status, attempt_no: this.attempt, fencing_token: this.handed.length };
  }

  /** Gives a step its numbers. */
  commandOf({ act, who, status, numbers }: Step): Command {
    if (act !== 'report') return { act };
    const holder = this.handed.at(-1 - (who % Math.max(1, this.handed.length))) ?? { token: 1, attempt: 1 };
    const fencing_token = numbers === 'zero' ? 0 : numbers === 'future' ? this.handed.length + 1 : holder.token;
    const moved = numbers === 'next_attempt' ? 1 : numbers === 'earlier_attempt' ? -1 : 0;
    return { act, fencing_token, attempt_no: Math.max(1, holder.attempt + moved), status };
  }

  expect(command: Command): Result {
    switch (command.act) {
      case 'claim':
        if (this.status !== 'pending') return 'none';
        this.handed.push({
          token: this.handed.length + 1,
          attempt: this.attempt,
          end: '',
          byWatchdog: false,
          ends: [],
        });
        this.status = 'running';
        return 'ok';
      case 'lapse':
        if (this.status !== 'running') return 'none';
        this.#end('timed_out', true);
        return 'ok';
      case 'due':
        if (this.status !== 'retrying') return 'none';
        return this.#advance();
      case 'retry':
        return ['retrying', 'failed', 'timed_out', 'canceled'].includes(this.status)
          ? this.#advance()
          : 'invalid_transition';
      case 'cancel':
        if (this.status === 'canceled') return 'ok';
        if (!['pending', 'running', 'retrying'].includes(this.status)) return 'invalid_transition';
        if (this.status === 'running') this.#end('canceled', false);
        this.status = 'canceled';
        return 'ok';
      case 'report':
        return this.#report(command.fencing_token, command.attempt_no, command.status);
    }
  }

  #report(token: number, attempt: number, status: ReportStatus): Result {
    const newest = this.handed.at(-1);
    if (newest === undefined || token < 1 || token > newest.token) return 'unknown_fencing_token';
    if (token < newest.token || attempt < newest.attempt) return 'stale_fencing_token';
    if (attempt > newest.attempt) return 'unknown_fencing_token';
    if (newest.end === '') {
      if (status !== 'running') this.#end(status, false);
      return 'ok';
    }
    if (newest.end === status) return 'duplicate';
    const isLate = status === 'succeeded' && newest.end === 'timed_out' && newest.byWatchdog;
    if (!isLate || this.status === 'canceled') return 'run_terminal';
    newest.end = 'succeeded';
    newest.byWatchdog = false;
    newest.ends.push('succeeded');
    this.status = 'succeeded';
    return 'ok';
  }

  #end(end: End, byWatchdog: boolean): void {
    const newest = this.handed.at(-1);
    if (newest === undefined) throw new Error('Nobody has the run.');
    newest.end = end;
    newest.byWatchdog = byWatchdog;
    newest.ends.push(byWatchdog ? `${end} by the watchdog` : end);
    const isFailure = end === 'failed' || end === 'timed_out';
    this.status = isFailure && this.attempt < this.#maxAttempts ? 'retrying' : end;
  }

  #advance(): Result {
    this.attempt += 1;
    this.status = 'pending';
    return 'ok';
  }
}

const ends = new Set(['succeeded', 'failed', 'timed_out', 'canceled']);

/**
 * Watches what a run shows: throws if it ends twice or goes back, save the documented correction and a person's retry,
 * which begins another attempt.
 */
export class Witness {
  #last: Seen = { status: 'pending', attempt_no: 1, fencing_token: 0 };

  see(now: Seen, { act }: Command): void {
    const last = this.#last;
    this.#last = now;
    if (now.fencing_token < last.fencing_token || now.attempt_no < last.attempt_no) throw new Error('it went back');
    if (now.fencing_token > last.fencing_token && act !== 'claim') throw new Error('a token without a claim');
    if (now.status === last.status || !ends.has(last.status)) return;
    const isRetry = act === 'retry' && now.status === 'pending' && now.attempt_no === last.attempt_no + 1;
    const isCorrection = act === 'report' && last.status === 'timed_out' && now.status === 'succeeded';
    if (!isRetry && !isCorrection) throw new Error(`${last.status} became ${now.status} by ${act}`);
  }
}
