import { commandOfOthers, repositoryById } from '../../../features/repositories/service.ts';
import {
  gotOwnSecrets,
  secretsForSession,
  wouldGetOwnSecrets,
  type SecretOrigin,
  type SessionSecret,
} from '../../../features/secrets/public.ts';
import type { Run, SessionRow } from '../../../features/sessions/run/run-service.ts';
import { AppError } from '../../../lib/errors.ts';
import type { WorkerContext } from '../../context.ts';

type OwnContext = Pick<WorkerContext, 'db' | 'keyRing' | 'clock'>;

type Session = Pick<SessionRow, 'created_by_type' | 'created_by_id' | 'repositories'>;

/** Message about something left out of the session; `what` is the start of its sentence. */
export function leftOutReason(what: string): string {
  return `${what} that another member saved last, and the session has personal secrets of its creator. Ask an administrator to save it again, or create a session without personal secrets (\`secret_ids\`).`;
}

/** Number of names in a warning. */
const maxNamed = 10;

function listNames(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ');
}

/** Message about shared secrets that only the check sandboxes get. */
function leftOutSecrets(keys: readonly string[]): string {
  return `These secrets are left out of the agent's sandbox: ${listNames(keys)}. Another member saved them last, and the session has personal secrets of its creator. Ask an administrator to set their value, kind, exposure and allowed_hosts again, or create a session without personal secrets (\`secret_ids\`).`;
}

/** Message about a repository's command that stops a session with personal secrets. */
export function commandConflict(command: string): string {
  return `The session has personal secrets of its creator, so it cannot continue with ${command}, which another member saved last. Ask an administrator to save it again and resume the session, or create a new one.`;
}

/** Warning about the secrets of a turn. */
export interface SecretWarning {
  readonly code: 'own_secrets_left_out' | 'secret_left_out';
  readonly message: string;
}

/**
 * Keeps personal secrets of the session's creator apart from anything in the agent's sandbox that other members wrote, for
 * the whole session, because the work tree outlives its sandboxes. Whichever comes first keeps the other out.
 */
export class PersonalSecretsGuard {
  /** The session's creator, `<type>:<id>`. */
  readonly owner: string;
  readonly #repositoryIds: readonly string[];
  /** Work of earlier sandboxes exists, in which anything may have run. */
  readonly #hasWork: boolean;
  readonly #fromOthers = new Set<string>();
  #hasPersonal = false;

  constructor({ created_by_type: type, created_by_id: id, repositories }: Session, hasWork: boolean) {
    this.#hasWork = hasWork;
    this.owner = `${type}:${id}`;
    this.#repositoryIds = repositories.map(({ repository_id }) => repository_id);
  }

  /** Records that something of another member comes into the sandbox. Returns false if it must not. */
  admit(thing: string): boolean {
    if (this.#hasPersonal) return false;
    this.#fromOthers.add(thing);
    return true;
  }

  /**
   * Returns the secrets for a turn, with warnings about those left out; `fresh` if the turn has no sandbox yet. Throws 409
   * `conflict` if a repository's command prevents the session from continuing.
   */
  async secretsFor(
    ctx: OwnContext,
    run: Run,
    fresh: boolean,
  ): Promise<{ secrets: SessionSecret[]; warnings: SecretWarning[] }> {
    if (fresh) await this.#reset(ctx, run);
    for (;;) {
      const origin = this.#origin;
      const secrets = await secretsForSession(ctx, run, origin);
      // Something of another member may have been admitted during the query.
      if (origin !== this.#origin) continue;
      this.#hasPersonal ||= secrets.some(({ scope }) => scope === 'user');
      const others = secrets.filter(({ isOfOthers }) => isOfOthers);
      for (const { key, sandboxes } of others) if (sandboxes !== 'checks') this.#fromOthers.add(`the secret ${key}`);
      if (origin === 'others')
        return { secrets, warnings: (await wouldGetOwnSecrets(ctx, run)) ? [this.#warning()] : [] };
      const own = new Set(secrets.flatMap(({ scope, key }) => (scope === 'user' ? [key] : [])));
      const left = others.filter(({ key, sandboxes }) => sandboxes === 'checks' && !own.has(key)).map(({ key }) => key);
      return {
        secrets,
        warnings: left.length === 0 ? [] : [{ code: 'secret_left_out', message: leftOutSecrets(left) }],
      };
    }
  }

  /** Which of the two came first. */
  get #origin(): SecretOrigin {
    if (this.#fromOthers.size > 0) return 'others';
    return this.#hasPersonal ? 'own' : '';
  }

  async #reset(ctx: OwnContext, { id: sessionId, orgId }: Run): Promise<void> {
    this.#fromOthers.clear();
    this.#hasPersonal = await gotOwnSecrets(ctx, sessionId);
    if (this.#hasWork && !this.#hasPersonal) this.#fromOthers.add('work of earlier sandboxes');
    for (const id of this.#repositoryIds) {
      const row = await repositoryById(ctx, orgId, id);
      const command = row === undefined ? '' : commandOfOthers(row, this.owner);
      if (command !== '' && !this.admit(command)) throw new AppError('conflict', commandConflict(command));
    }
  }

  #warning(): SecretWarning {
    const things = listNames([...this.#fromOthers]);
    const message = `The creator's personal secrets are left out of this session, because its sandbox has, or had, things that another member saved last: ${things}. Create a new session to use the personal secrets instead. If a repository's command is among these things, ask an administrator to save it again first.`;
    return { code: 'own_secrets_left_out', message };
  }
}
