import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentMode } from '../../../adapters/agent/port.ts';
import { patientDatabase } from '../../../db/patient.ts';
import type { Wanted } from '../../../features/sessions/run/kept-service.ts';
import {
  append,
  loadRun,
  recordArtifact,
  type ClaimedRun,
  type SessionRow,
  type StatusChange,
} from '../../../features/sessions/run/run-service.ts';
import { modelsOf, type OrganizationModels } from '../../../features/models/service.ts';
import type { Phase, PhaseName, StoredRepository } from '../../../features/sessions/schemas/session-schemas.ts';
import type { Sandbox, SandboxOptions } from '../../../adapters/sandbox/port.ts';
import type { ToolServer } from '../../../gateway/session.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { maskLog } from '../../../lib/log.ts';
import type { WorkerContext } from '../../context.ts';
import { ToolCallAttribution } from '../log/tool-call-attribution.ts';
import { ChangeGuard } from '../secrets/change-guard.ts';
import { RunFailed, type RunControl } from './control.ts';
import { modeNow } from './decide.ts';
import { createEventWriter, type EventWriter } from '../log/event-writer.ts';
import { interruptionOf } from './interruption.ts';
import { PersonalSecretsGuard } from '../secrets/personal-secrets.ts';
import { RetryPolicy } from './retry-policy.ts';
import { RunSecrets } from '../secrets/run-secrets.ts';
import { readWorkSettings, type WorkSettings } from './work-settings.ts';
import { beginPhase, endPhase, phaseNamed } from '../../../features/sessions/store/phases.ts';

type Loaded = Awaited<ReturnType<typeof loadRun>>;
type PhaseEnd = Parameters<typeof endPhase>[2];

/** One attempt of one worker at a session: what all its steps share, and the only way to its record. */
export class Attempt {
  readonly ctx: WorkerContext;
  readonly run: ClaimedRun;
  readonly control: RunControl;
  /** As it was when the attempt, or the turn that woke it again, began. */
  session: SessionRow;
  readonly agent: Loaded['agent'];
  /** What its agent may do; a decision that changes it is another attempt's. */
  readonly mode: AgentMode;
  /** As they were when the attempt began. */
  readonly models: OrganizationModels;
  readonly checkpoints: Loaded['checkpoints'];
  /** As they were when the turn began. */
  settings: WorkSettings;
  /** What must show nowhere, and the mask for it. */
  readonly secrets = new RunSecrets();
  readonly guard = new ChangeGuard(this.secrets);
  /** What others wrote that is in the agent's sandbox, or its creator's own secrets. */
  readonly personalSecrets: PersonalSecretsGuard;
  /** What is behind the changes of files that no checkpoint has yet. */
  readonly calls = new ToolCallAttribution();
  turnEnded: boolean;
  /** Whether messages waited when the attempt began. */
  waiting: boolean;
  readonly events: EventWriter;
  /** On the host, of this attempt alone. */
  readonly directory: string;
  #countedFrom = performance.now();
  /** What has to be given back at the end, whatever happens. */
  readonly #cleanUps: (() => Promise<void>)[] = [];
  readonly #sandboxes = new Set<Sandbox>();
  readonly #holds: (() => void)[] = [];
  readonly #making = new Set<Promise<Sandbox>>();
  readonly #closing = new AbortController();
  readonly #storage = new RetryPolicy(
    (problem) => this.warn('storage_unavailable', `${problem} What there is to keep waits, and is tried again.`),
    () => this.control.stopped !== undefined,
  );
  /** Attempts in a row, before this one, that came to nothing; none any more once this one has come to something. */
  losses: number;
  phases: Phase[];
  repositories: StoredRepository[];
  /** What people began so far. */
  turn: number;
  /** How often the agent was prompted so far, by people and by the platform. */
  round: number;
  #interruption: string;
  /** What the gateway leads to below `/mcp/`; a new array when that changes. */
  toolServers: readonly ToolServer[] = [];

  constructor(
    ctx: WorkerContext,
    run: ClaimedRun,
    control: RunControl,
    loaded: Loaded & { settings: WorkSettings; models: OrganizationModels },
  ) {
    this.ctx = ctx;
    this.run = run;
    this.control = control;
    this.session = loaded.session;
    this.personalSecrets = new PersonalSecretsGuard(loaded.session, loaded.checkpoints.length > 0);
    this.agent = loaded.agent;
    this.mode = modeNow(loaded.session, loaded.planApproved);
    this.models = loaded.models;
    this.checkpoints = loaded.checkpoints;
    this.settings = loaded.settings;
    this.turnEnded = loaded.turnEnded;
    this.waiting = loaded.waiting;
    this.losses = run.losses;
    this.phases = loaded.session.phases;
    this.repositories = loaded.session.repositories;
    this.turn = loaded.session.turn;
    this.round = loaded.session.round;
    this.#interruption = interruptionOf(loaded.lastStop, run.losses);
    control.onRegained = (blindMs) =>
      this.warn(
        'database_unavailable',
        `The worker could not reach the database for ${Math.round(blindMs / 1_000)} s. The session went on meanwhile.`,
      );
    this.directory = join(ctx.workDirectory, 'runs', `${run.id}.${run.fence}`);
    this.events = createEventWriter({
      append: async (events, more) => {
        await append(ctx, run, events, more);
        if ((more?.records ?? []).length > 0) this.losses = 0;
      },
      mask: (text) => this.secrets.mask.text(text),
      onFailure: (error) => control.loseLease(error instanceof Error ? error : new Error(messageOf(error))),
    });
  }

  static async open(worker: WorkerContext, run: ClaimedRun, control: RunControl): Promise<Attempt> {
    // An outage of the database is no reason to give up what a sandbox holds.
    const ctx = { ...worker, db: patientDatabase(worker.db, control.lost) };
    const [loaded, settings, models] = await Promise.all([
      loadRun(ctx, run),
      readWorkSettings(ctx, run),
      modelsOf(ctx, run.orgId),
    ]);
    const attempt = new Attempt(ctx, run, control, { ...loaded, settings, models });
    const unmaskLog = maskLog(ctx.log, () => attempt.secrets.mask);
    attempt.onClose(async () => unmaskLog());
    await mkdir(attempt.directory, { recursive: true, mode: 0o755 });
    attempt.#tellOfCut('');
    return attempt;
  }

  /** Aborted when the current turn has to end or the lease is lost. */
  get signal(): AbortSignal {
    return this.control.signal;
  }

  status(change: StatusChange): void {
    this.events.write({ kind: 'status', data: change }, change);
  }

  beginPhase(name: PhaseName): void {
    this.#phase(beginPhase(this.phases, name, this.ctx.clock.now()), name);
  }

  endPhase(name: PhaseName, end: PhaseEnd): void {
    this.#phase(endPhase(this.phases, name, this.secrets.masked(end), this.ctx.clock.now()), name);
  }

  #phase(phases: Phase[], name: PhaseName): void {
    this.phases = phases;
    const changed = phaseNamed(phases, name);
    if (changed === undefined) return;
    const { status, summary, evidence } = changed;
    this.events.write({ kind: 'phase', phase: name, data: { name, status, summary, evidence } }, { phases });
  }

  warn(code: string, message: string): void {
    this.events.write({ kind: 'warning', data: { code, message } });
  }

  /** Does something with the blob store, and again while that cannot be reached. */
  async withBlobs<T>(run: (blobs: WorkerContext['blobs']) => Promise<T>): Promise<T> {
    return this.#storage.with(() => run(this.ctx.blobs), this.control.lost);
  }

  /** What people asked for, in words that may be repeated. */
  get words(): Pick<SessionRow, 'id' | 'title' | 'prompt'> {
    const { id, title, prompt } = this.session;
    return this.secrets.masked({ id, title, prompt });
  }

  /**
   * Keeps bytes as an artifact; answers its id. `content` is masked already, and asked for again when the store could not
   * take it.
   */
  async keepArtifact(
    artifactName: string,
    content: () => Parameters<WorkerContext['blobs']['put']>[1],
    contentType = 'text/plain; charset=utf-8',
  ): Promise<string> {
    const blob = `artifacts/${this.run.orgId}/${this.run.id}/${randomUUID()}`;
    const { sizeBytes, sha256 } = await this.withBlobs((blobs) =>
      blobs.put(blob, content(), { signal: this.control.lost }),
    );
    await this.events.flush();
    const name = this.secrets.mask.text(artifactName);
    return recordArtifact(this.ctx, this.run, { name, contentType, sizeBytes, sha256, blob });
  }

  /** Seconds of work that are not on the session's account yet. */
  get seconds(): number {
    return (performance.now() - this.#countedFrom) / 1_000;
  }

  /** For a turn after the first of the attempt. */
  async refreshSettings(): Promise<void> {
    const before = this.settings.cut;
    this.settings = await readWorkSettings(this.ctx, this.run);
    this.#tellOfCut(before);
  }

  #tellOfCut(before: string): void {
    const { cut } = this.settings;
    if (cut !== '' && cut !== before) this.warn('sandbox_limits_cut', cut);
  }

  /** Takes the secrets of the session as they are now, for a turn that begins; `fresh`: it is yet to make its sandbox. */
  async refreshSecrets(fresh: boolean): Promise<void> {
    try {
      const { secrets, warnings } = await this.personalSecrets.secretsFor(this.ctx, this.run, fresh);
      this.secrets.use(secrets);
      for (const { code, message } of warnings) this.warn(code, message);
    } catch (error) {
      if (error instanceof AppError) throw new RunFailed('agent_error', error.message, { code: 'secrets_unusable' });
      throw error;
    }
  }

  /** Why what was begun before this attempt stopped, once: another agent of the attempt goes on after a loss. */
  takeInterruption(): string {
    const interruption = this.#interruption;
    this.#interruption = '';
    return interruption;
  }

  /** Goes on with what came while the last turn ended; `session` as it is now, when its budget may be another one. */
  goOn(session: SessionRow = this.session): void {
    this.session = session;
    this.turnEnded = true;
    this.waiting = true;
  }

  /** Goes on after a while in which there was nothing to do. */
  wake({ session, waiting }: Wanted): void {
    this.#countedFrom = performance.now();
    this.session = session;
    this.turnEnded = true;
    this.waiting = waiting;
  }

  /** Registers what {@link close} has to do. */
  onClose(cleanUp: () => Promise<void>): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Keeps a mirror or a layer on this host for as long as the attempt lasts. */
  hold(path: string): void {
    this.#holds.push(this.ctx.copies.hold(path));
  }

  /** Makes a sandbox of the attempt, which {@link close} removes, also while it is still in the making. */
  async createSandbox(options: SandboxOptions): Promise<Sandbox> {
    const given = [this.signal, this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const making = this.ctx.sandbox.create({ ...options, signal: AbortSignal.any(given) });
    this.#making.add(making);
    try {
      const sandbox = await making;
      this.#sandboxes.add(sandbox);
      return sandbox;
    } finally {
      this.#making.delete(making);
    }
  }

  /** Begins to remove a sandbox that is done with; nobody has to wait for it before {@link close}. */
  discard(sandbox: Sandbox): void {
    void sandbox.destroy().finally(() => this.#sandboxes.delete(sandbox));
  }

  /** Whether everything was given back, or begins to be. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Gives everything back; never rejects. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The attempt is over.'));
    await Promise.allSettled(this.#making);
    const cleanUps = [...this.#cleanUps.splice(0).reverse(), ...[...this.#sandboxes].map((one) => () => one.destroy())];
    for (const result of await Promise.allSettled(cleanUps.map((cleanUp) => cleanUp())))
      if (result.status === 'rejected')
        this.ctx.log.warn({ session: this.run.id, reason: messageOf(result.reason) }, 'a run was not cleaned up');
    for (const release of this.#holds.splice(0)) release();
    await rm(this.directory, { recursive: true, force: true }).catch((error: unknown) =>
      this.ctx.log.warn({ session: this.run.id, reason: messageOf(error) }, "a run's files stayed behind"),
    );
  }
}
