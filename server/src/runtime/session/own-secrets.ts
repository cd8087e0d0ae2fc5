import { commandOfOthers, repositoryById } from '../../features/repositories/service.ts';
import { gotOwn, secretsForSession, wouldGetOwn, type SessionSecret } from '../../features/secrets/service.ts';
import type { Run, SessionRow } from '../../features/sessions/run-service.ts';
import { AppError } from '../../lib/errors.ts';
import type { WorkerContext } from '../context.ts';

type OwnContext = Pick<WorkerContext, 'db' | 'keyRing' | 'clock'>;

type Session = Pick<SessionRow, 'created_by_type' | 'created_by_id' | 'repositories'>;

/** Why a thing is left out, beginning with what it is. */
export function ofOthers(what: string): string {
  return `${what} that another member wrote last, and the session holds secrets of its creator's own. An administrator lets it in by writing it again; a session without them, by \`secret_ids\`, gets it as it is.`;
}

/** Why a session cannot go on with a command of a repository. */
export function besideOwn(command: string): string {
  return `The session works with secrets of its creator's own, and does not go on beside ${command}, which another member wrote last. Ask an administrator to write it again and resume the session, or start a new one.`;
}

/**
 * What other members wrote and that is in the agent's sandbox, or about to come: a secret of the session's creator's own and
 * a thing of theirs never meet in one session, whose work tree outlives its sandboxes. Who comes first keeps the other out.
 */
export class OwnGround {
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
  lets(thing: string): boolean {
    if (this.#holdsOwn) return false;
    this.#strangers.add(thing);
    return true;
  }

  /**
   * The secrets for a turn, and a warning where the creator's own are kept out; `fresh`: its sandbox is yet to be made.
   * Throws 409 `conflict` where the session cannot go on as its repositories are.
   */
  async secretsFor(ctx: OwnContext, run: Run, fresh: boolean): Promise<{ secrets: SessionSecret[]; warning: string }> {
    if (fresh) await this.#clear(ctx, run);
    for (;;) {
      const own = this.#strangers.size === 0;
      const secrets = await secretsForSession(ctx, run, { own });
      // Something of somebody else's may have come meanwhile.
      if (own && this.#strangers.size > 0) continue;
      this.#holdsOwn ||= secrets.some(({ rooms }) => rooms === 'agent');
      return { secrets, warning: own || !(await wouldGetOwn(ctx, run)) ? '' : this.#warning() };
    }
  }

  async #clear(ctx: OwnContext, { id: sessionId, orgId }: Run): Promise<void> {
    this.#strangers.clear();
    this.#holdsOwn = await gotOwn(ctx, sessionId);
    if (this.#hasWork && !this.#holdsOwn) this.#strangers.add('what its earlier sandboxes left');
    for (const id of this.#repositoryIds) {
      const row = await repositoryById(ctx, orgId, id);
      const command = row === undefined ? '' : commandOfOthers(row, this.owner);
      if (command !== '' && !this.lets(command)) throw new AppError('conflict', besideOwn(command));
    }
  }

  #warning(): string {
    const things = [...this.#strangers].join(', ');
    return `Secrets of the session's creator's own stay out of it, where something runs, or ran, that another member wrote last: ${things}. A new session has them, once an administrator answers for that by writing it again.`;
  }
}
