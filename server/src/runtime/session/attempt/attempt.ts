import { mkdir } from 'node:fs/promises';
import { agentDriver } from '../../../adapters/agent/drivers.ts';
import type { AgentDriver, AgentMode } from '../../../adapters/agent/port.ts';
import { patientDatabase } from '../../../db/patient.ts';
import type { WokenSession } from '../../../features/sessions/run/warm-service.ts';
import { append, loadRun, type ClaimedRun, type SessionRow } from '../../../features/sessions/run/run-service.ts';
import { modelsOf, type OrganizationModels } from '../../../features/models/service.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { maskLog } from '../../../lib/log.ts';
import type { WorkerContext } from '../../context.ts';
import { createEventWriter, type EventWriter } from '../log/event-writer.ts';
import { PersonalSecretsGuard } from '../secrets/personal-secrets.ts';
import { RunSecrets } from '../secrets/run-secrets.ts';
import { RunFailed, type RunControl } from './control.ts';
import { currentMode } from './decide.ts';
import { Progress } from './progress.ts';
import { Resources } from './resources.ts';
import { RunBlobs } from './run-blobs.ts';
import { readWorkSettings, type WorkSettings } from './work-settings.ts';

type Loaded = Awaited<ReturnType<typeof loadRun>> & { settings: WorkSettings; models: OrganizationModels };

/**
 * One worker's attempt at a session. A step takes only the parts that it needs, `Pick<Attempt, 'events' | 'control'>`, and
 * changes state through a method named after the event.
 */
export class Attempt {
  readonly ctx: WorkerContext;
  readonly run: ClaimedRun;
  readonly control: RunControl;
  readonly agent: Loaded['agent'];
  /** The agent's driver, with its capabilities. */
  readonly driver: AgentDriver;
  /** The agent's permissions; fixed for the attempt: a decision on a plan leads to another attempt. */
  readonly mode: AgentMode;
  /** The organization's models when the attempt started. */
  readonly models: OrganizationModels;
  /** The session's log. */
  readonly events: EventWriter;
  /** Secret values, and the mask that removes them from everything that leaves the run. */
  readonly secrets = new RunSecrets();
  /** Keeps the creator's personal secrets away from what other members wrote. */
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
    this.mode = currentMode(loaded.session, loaded.planApproved);
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
        `The worker could not reach the database for ${Math.round(blindMs / 1_000)} s. The session continued meanwhile.`,
      );
  }

  static async open(worker: WorkerContext, run: ClaimedRun, control: RunControl): Promise<Attempt> {
    // Queries wait out an outage of the database, so that the sandbox and its work survive it.
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
    attempt.#warnOfReducedLimits('');
    return attempt;
  }

  /** The session's row as of the attempt's start, or of the newest message that resumed it. */
  get session(): Readonly<SessionRow> {
    return this.#session;
  }

  /** The settings as of the turn's start. */
  get settings(): WorkSettings {
    return this.#settings;
  }

  /** The session's title and prompt, masked. */
  get request(): Pick<SessionRow, 'id' | 'title' | 'prompt'> {
    const { id, title, prompt } = this.#session;
    return this.secrets.masked({ id, title, prompt });
  }

  /** Sets the model that the session uses from now on, `<provider>/<name>`. */
  modelChosen(model: string): void {
    this.#session = { ...this.#session, model };
  }

  /** Reads the settings again, before a later turn of the attempt. */
  async refreshSettings(): Promise<void> {
    const before = this.#settings.reducedLimits;
    this.#settings = await readWorkSettings(this.ctx, this.run);
    this.#warnOfReducedLimits(before);
  }

  /** Loads the session's current secrets before a turn; `fresh` if the turn has no sandbox yet. */
  async refreshSecrets(fresh: boolean): Promise<void> {
    try {
      const { secrets, warnings } = await this.personalSecrets.secretsFor(this.ctx, this.run, fresh);
      this.secrets.setSecrets(secrets);
      for (const { code, message } of warnings) this.events.warn(code, message);
    } catch (error) {
      if (error instanceof AppError) throw new RunFailed('agent_error', error.message, { code: 'secrets_unusable' });
      throw error;
    }
  }

  /** Continues with messages that arrived while the last turn ended; `session` is the current row, whose budget may differ. */
  continueWithMessages(session: SessionRow | undefined): void {
    this.#session = session ?? this.#session;
    this.progress.continueWithMessages();
  }

  /** Continues after a wait for work. */
  resume({ session, waiting }: WokenSession): void {
    this.#session = session;
    this.progress.resume({ hasMessages: waiting });
  }

  #warnOfReducedLimits(before: string): void {
    const { reducedLimits } = this.#settings;
    if (reducedLimits !== '' && reducedLimits !== before) this.events.warn('sandbox_limits_cut', reducedLimits);
  }
}
