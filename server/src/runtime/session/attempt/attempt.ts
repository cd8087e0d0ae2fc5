import { mkdir } from 'node:fs/promises';
import { agentDriver } from '../../../adapters/agent/drivers.ts';
import type { AgentDriver, AgentMode } from '../../../adapters/agent/port.ts';
import { patientDatabase } from '../../../db/patient.ts';
import type { Wanted } from '../../../features/sessions/run/kept-service.ts';
import { append, loadRun, type ClaimedRun, type SessionRow } from '../../../features/sessions/run/run-service.ts';
import { modelsOf, type OrganizationModels } from '../../../features/models/service.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { maskLog } from '../../../lib/log.ts';
import type { WorkerContext } from '../../context.ts';
import { createEventWriter, type EventWriter } from '../log/event-writer.ts';
import { PersonalSecretsGuard } from '../secrets/personal-secrets.ts';
import { RunSecrets } from '../secrets/run-secrets.ts';
import { RunFailed, type RunControl } from './control.ts';
import { modeNow } from './decide.ts';
import { Progress } from './progress.ts';
import { Resources } from './resources.ts';
import { RunBlobs } from './run-blobs.ts';
import { readWorkSettings, type WorkSettings } from './work-settings.ts';

type Loaded = Awaited<ReturnType<typeof loadRun>> & { settings: WorkSettings; models: OrganizationModels };

/**
 * One attempt of one worker at a session. A step takes the parts that it needs, `Pick<Attempt, 'events' | 'control'>`; what
 * changes, changes by a method that says what happened.
 */
export class Attempt {
  readonly ctx: WorkerContext;
  readonly run: ClaimedRun;
  readonly control: RunControl;
  readonly agent: Loaded['agent'];
  /** What may be expected of its agent. */
  readonly driver: AgentDriver;
  /** What its agent may do; a decision that changes it is another attempt's. */
  readonly mode: AgentMode;
  /** As they were when the attempt began. */
  readonly models: OrganizationModels;
  /** The session's log. */
  readonly events: EventWriter;
  /** What must show nowhere, and the mask for it. */
  readonly secrets = new RunSecrets();
  /** Keeps its creator's own secrets and what others wrote apart. */
  readonly personalSecrets: PersonalSecretsGuard;
  readonly blobs: RunBlobs;
  readonly progress: Progress;
  readonly resources: Resources;
  #session: SessionRow;
  #settings: WorkSettings;

  constructor(ctx: WorkerContext, run: ClaimedRun, control: RunControl, loaded: Loaded) {
    this.ctx = ctx;
    this.run = run;
    this.control = control;
    this.#session = loaded.session;
    this.#settings = loaded.settings;
    this.agent = loaded.agent;
    this.driver = agentDriver(loaded.agent.runtime);
    this.mode = modeNow(loaded.session, loaded.planApproved);
    this.models = loaded.models;
    this.personalSecrets = new PersonalSecretsGuard(loaded.session, loaded.checkpoints.length > 0);
    this.resources = new Resources(ctx, run, control);
    this.events = createEventWriter({
      append: async (events, more) => {
        await append(ctx, run, events, more);
        if ((more?.records ?? []).length > 0) this.progress.workRecorded();
      },
      mask: (text) => this.secrets.mask.text(text),
      onFailure: (error) => control.loseLease(error instanceof Error ? error : new Error(messageOf(error))),
    });
    this.progress = new Progress(loaded, run, { clock: ctx.clock, events: this.events, secrets: this.secrets });
    this.blobs = new RunBlobs(this);
    control.onRegained = (blindMs) =>
      this.events.warn(
        'database_unavailable',
        `The worker could not reach the database for ${Math.round(blindMs / 1_000)} s. The session went on meanwhile.`,
      );
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
    const { resources, secrets } = attempt;
    const unmaskLog = maskLog(ctx.log, () => secrets.mask);
    resources.onClose(async () => unmaskLog());
    await mkdir(resources.directory, { recursive: true, mode: 0o755 });
    attempt.#warnOfCut('');
    return attempt;
  }

  /** As it was when the attempt, or the turn that woke it again, began. */
  get session(): Readonly<SessionRow> {
    return this.#session;
  }

  /** As they were when the turn began. */
  get settings(): WorkSettings {
    return this.#settings;
  }

  /** What people asked for, masked. */
  get request(): Pick<SessionRow, 'id' | 'title' | 'prompt'> {
    const { id, title, prompt } = this.#session;
    return this.secrets.masked({ id, title, prompt });
  }

  /** Takes note of the model that the session uses from now on, `<provider>/<name>`. */
  modelChosen(model: string): void {
    this.#session = { ...this.#session, model };
  }

  /** Reads the settings again, for a turn after the first of the attempt. */
  async refreshSettings(): Promise<void> {
    const before = this.#settings.cut;
    this.#settings = await readWorkSettings(this.ctx, this.run);
    this.#warnOfCut(before);
  }

  /** Takes the secrets of the session as they are now, for a turn that begins; `fresh`: it is yet to make its sandbox. */
  async refreshSecrets(fresh: boolean): Promise<void> {
    try {
      const { secrets, warnings } = await this.personalSecrets.secretsFor(this.ctx, this.run, fresh);
      this.secrets.use(secrets);
      for (const { code, message } of warnings) this.events.warn(code, message);
    } catch (error) {
      if (error instanceof AppError) throw new RunFailed('agent_error', error.message, { code: 'secrets_unusable' });
      throw error;
    }
  }

  /** Goes on with messages that came while the last turn ended; `session` as it is now, when its budget may be another one. */
  continueWithMessages(session: SessionRow | undefined): void {
    this.#session = session ?? this.#session;
    this.progress.continueWithMessages();
  }

  /** Goes on after a while in which there was nothing to do. */
  resume({ session, waiting }: Wanted): void {
    this.#session = session;
    this.progress.resume({ hasMessages: waiting });
  }

  #warnOfCut(before: string): void {
    const { cut } = this.#settings;
    if (cut !== '' && cut !== before) this.events.warn('sandbox_limits_cut', cut);
  }
}
