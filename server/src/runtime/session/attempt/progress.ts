import { beginPhase, endPhase, phaseNamed, phasesOfNewTurn } from '../../../features/sessions/store/phases.ts';
import type { ClaimedRun, loadRun } from '../../../features/sessions/run/run-service.ts';
import type { Phase, PhaseName, StoredRepository } from '../../../features/sessions/schemas/session-schemas.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { EventWriter } from '../log/event-writer.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import { turnToRun, type NextTurn } from './decide.ts';
import { describeInterruption } from './interruption.ts';

type Loaded = Pick<
  Awaited<ReturnType<typeof loadRun>>,
  'session' | 'checkpoints' | 'turnEnded' | 'waiting' | 'lastStop'
>;
type PhaseEnd = Parameters<typeof endPhase>[2];

/** Output of an attempt's progress. */
interface ProgressOutlet {
  readonly clock: Clock;
  readonly events: Pick<EventWriter, 'write'>;
  readonly secrets: Pick<RunSecrets, 'masked'>;
}

/** An attempt's progress: turns, rounds, phases and delivered repositories. */
export class Progress {
  /** The newest checkpoints of earlier attempts, one per repository. */
  readonly checkpoints: Loaded['checkpoints'];
  readonly #outlet: ProgressOutlet;
  #turn: number;
  #round: number;
  #phases: readonly Phase[];
  #repositories: readonly StoredRepository[];
  #losses: number;
  #turnEnded: boolean;
  #hasMessages: boolean;
  #interruption: string;
  #countedFrom = performance.now();

  constructor(loaded: Loaded, { losses }: Pick<ClaimedRun, 'losses'>, outlet: ProgressOutlet) {
    const { session } = loaded;
    this.checkpoints = loaded.checkpoints;
    this.#outlet = outlet;
    this.#turn = session.turn;
    this.#round = session.round;
    this.#phases = session.phases;
    this.#repositories = session.repositories;
    this.#losses = losses;
    this.#turnEnded = loaded.turnEnded;
    this.#hasMessages = loaded.waiting;
    this.#interruption = describeInterruption(loaded.lastStop, losses);
  }

  /** Number of turns so far. */
  get turn(): number {
    return this.#turn;
  }

  /** Number of prompts to the agent so far, by users and by the platform. */
  get round(): number {
    return this.#round;
  }

  get phases(): readonly Phase[] {
    return this.#phases;
  }

  /** The session's repositories as recorded in the database. */
  get repositories(): readonly StoredRepository[] {
    return this.#repositories;
  }

  /** Consecutive earlier attempts without progress; 0 once this one has made some. */
  get losses(): number {
    return this.#losses;
  }

  /** The last turn has ended. */
  get turnEnded(): boolean {
    return this.#turnEnded;
  }

  /** Seconds of work that are not recorded in the session yet. */
  get seconds(): number {
    return (performance.now() - this.#countedFrom) / 1_000;
  }

  phase(name: PhaseName): Phase | undefined {
    return phaseNamed(this.#phases, name);
  }

  /** The turn to work on: a new one, or the unfinished one. */
  next(): NextTurn {
    return turnToRun(this, this.#hasMessages);
  }

  /** Starts the turn that {@link next} returned. */
  beginTurn({ turn, round, isNew }: NextTurn): void {
    if (isNew) this.#phases = phasesOfNewTurn(this.#phases);
    this.#turn = turn;
    this.#round = round;
  }

  /** Starts another round of the turn, in which the platform prompts the agent. */
  beginRound(round: number): void {
    this.#round = round;
  }

  beginPhase(name: PhaseName): void {
    this.#changePhase(beginPhase(this.#phases, name, this.#outlet.clock.now()), name);
  }

  endPhase(name: PhaseName, end: PhaseEnd): void {
    const { secrets, clock } = this.#outlet;
    this.#changePhase(endPhase(this.#phases, name, secrets.masked(end), clock.now()), name);
  }

  /** Ends every phase that is under way. */
  endOpenPhases(end: PhaseEnd): void {
    for (const { name, status } of this.#phases) if (status === 'running') this.endPhase(name, end);
  }

  /** Called when the repositories were recorded. */
  repositoriesRecorded(repositories: readonly StoredRepository[]): void {
    this.#repositories = repositories;
  }

  /** Called when work of this attempt was recorded, which resets {@link losses}. */
  workRecorded(): void {
    this.#losses = 0;
  }

  /** Continues with messages that arrived while the last turn ended. */
  continueWithMessages(): void {
    this.#turnEnded = true;
    this.#hasMessages = true;
  }

  /** Continues after a wait for work. The wait does not count as work. */
  resume({ hasMessages }: { hasMessages: boolean }): void {
    this.#countedFrom = performance.now();
    this.#turnEnded = true;
    this.#hasMessages = hasMessages;
  }

  /** Returns {@link describeInterruption}'s text once; `''` from the second call on, for an agent in a replaced sandbox. */
  takeInterruption(): string {
    const interruption = this.#interruption;
    this.#interruption = '';
    return interruption;
  }

  #changePhase(phases: readonly Phase[], name: PhaseName): void {
    this.#phases = phases;
    const changed = this.phase(name);
    if (changed === undefined) return;
    const { status, summary, evidence } = changed;
    const event = { kind: 'phase', phase: name, data: { name, status, summary, evidence } } as const;
    this.#outlet.events.write(event, { phases: [...phases] });
  }
}
