import { commandOfOthers, repositoryById } from '../../../features/repositories/service.ts';
import {
  gotOwnSecrets,
  secretsForSession,
  wouldGetOwnSecrets,
  type Ground,
  type SessionSecret,
} from '../../../features/secrets/public.ts';
import type { Run, SessionRow } from '../../../features/sessions/run/run-service.ts';
import { AppError } from '../../../lib/errors.ts';
import type { WorkerContext } from '../../context.ts';

type OwnContext = Pick<WorkerContext, 'db' | 'keyRing' | 'clock'>;

type Session = Pick<SessionRow, 'created_by_type' | 'created_by_id' | 'repositories'>;

/** Why a thing is left out, beginning with what it is. */
export function keptOutReason(what: string): string {
  return `${what} that another member wrote last, and the session holds secrets of its creator's own. An administrator lets it in by writing it again; a session without them, by \`secret_ids\`, gets it as it is.`;
}

/** As many names as a warning takes. */
const maxNamed = 10;

function named(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ');
}

/** Why secrets of everybody's are where checks run alone, by their names. */
function leftOut(keys: readonly string[]): string {
  return `Left out of the agent's sandbox: ${named(keys)}, which another member wrote last, and the session holds secrets of its creator's own. An administrator lets such a secret in by setting its value, and its kind, exposure and allowed_hosts, again; a session without secrets of its creator's own, by \`secret_ids\`, gets it as it is.`;
}

/** Why a session cannot go on with a command of a repository. */
export function commandConflict(command: string): string {
  return `The session works with secrets of its creator's own, and does not go on beside ${command}, which another member wrote last. Ask an administrator to write it again and resume the session, or start a new one.`;
}

/** What to tell of the secrets that a turn begins with. */
export interface SecretWarning {
  readonly code: 'own_secrets_left_out' | 'secret_left_out';
  readonly message: string;
}

/**
 * What other members wrote and that is in the agent's sandbox, or about to come: a secret of the session's creator's own and
 * a thing of theirs never meet in one session, whose work tree outlives its sandboxes. Who comes first keeps the other out.
 */
export class PersonalSecretsGuard {
  /** Whose the session is, `<type>:<id>`. */
  readonly owner: string;
  readonly #repositoryIds: readonly string[];
  /** Whether there is work of earlier sandboxes, in which anything may have run. */
  readonly #hasWork: boolean;
  readonly #strangers = new Set<string>();
  #holdsOwn = false;

  constructor({ created_by_type: type, created_by_id: id, repositories }: Session, hasWork: boolean) {
    this.#hasWork = hasWork;
    this.owner = `${type}:${id}`;
    this.#repositoryIds = repositories.map(({ repository_id }) => repository_id);
  }

  /** Notes a thing of somebody else's that is to come into the sandbox; false when it must not. */
  admit(thing: string): boolean {
    if (this.#holdsOwn) return false;
    this.#strangers.add(thing);
    return true;
  }

  /**
   * The secrets for a turn, and warnings where the creator's own are kept out, or those that somebody else wrote; `fresh`: its
   * sandbox is yet to be made. Throws 409 `conflict` where the session cannot go on as its repositories are.
   */
  async secretsFor(
    ctx: OwnContext,
    run: Run,
    fresh: boolean,
  ): Promise<{ secrets: SessionSecret[]; warnings: SecretWarning[] }> {
    if (fresh) await this.#clear(ctx, run);
    for (;;) {
      const ground = this.#ground;
      const secrets = await secretsForSession(ctx, run, ground);
      // Something of somebody else's may have come meanwhile.
      if (ground !== this.#ground) continue;
      this.#holdsOwn ||= secrets.some(({ scope }) => scope === 'user');
      const others = secrets.filter(({ isOfOthers }) => isOfOthers);
      for (const { key, sandboxes } of others) if (sandboxes !== 'checks') this.#strangers.add(`the secret ${key}`);
      if (ground === 'others')
        return { secrets, warnings: (await wouldGetOwnSecrets(ctx, run)) ? [this.#warning()] : [] };
      const own = new Set(secrets.flatMap(({ scope, key }) => (scope === 'user' ? [key] : [])));
      const left = others.filter(({ key, sandboxes }) => sandboxes === 'checks' && !own.has(key)).map(({ key }) => key);
      return { secrets, warnings: left.length === 0 ? [] : [{ code: 'secret_left_out', message: leftOut(left) }] };
    }
  }

  /** Who came first. */
  get #ground(): Ground {
    if (this.#strangers.size > 0) return 'others';
    return this.#holdsOwn ? 'own' : '';
  }

  async #clear(ctx: OwnContext, { id: sessionId, orgId }: Run): Promise<void> {
    this.#strangers.clear();
    this.#holdsOwn = await gotOwnSecrets(ctx, sessionId);
    if (this.#hasWork && !this.#holdsOwn) this.#strangers.add('what its earlier sandboxes left');
    for (const id of this.#repositoryIds) {
      const row = await repositoryById(ctx, orgId, id);
      const command = row === undefined ? '' : commandOfOthers(row, this.owner);
      if (command !== '' && !this.admit(command)) throw new AppError('conflict', commandConflict(command));
    }
  }

  #warning(): SecretWarning {
    const things = named([...this.#strangers]);
    const message = `Secrets of the session's creator's own stay out of it, where something is, or was, that another member wrote last: ${things}. A new session has them instead of that; a command of its repositories is there all the same, until an administrator writes it again.`;
    return { code: 'own_secrets_left_out', message };
  }
}
