import { commandOfOthers, repositoryById } from '../../features/repositories/service.ts';
import { secretsForSession, wouldGetOwn, type SessionSecret } from '../../features/secrets/service.ts';
import type { Run, SessionRow } from '../../features/sessions/run-service.ts';
import type { WorkerContext } from '../context.ts';

type OwnContext = Pick<WorkerContext, 'db' | 'keyRing' | 'clock'>;

type Session = Pick<SessionRow, 'created_by_type' | 'created_by_id' | 'repositories'>;

/** Why a thing is left out, beginning with what it is. */
export function ofOthers(what: string): string {
  return `${what} that another member wrote last, and the session holds secrets of its creator's own. An administrator lets it in by writing it again; a session without them, by \`secret_ids\`, gets it as it is.`;
}

/**
 * What other members wrote and that is in the agent's sandbox, or about to come: a secret of the session's creator's own and
 * a thing of theirs are never in one sandbox. Who comes first keeps the other out, for as long as the sandbox lasts.
 */
export class OwnGround {
  /** Whose the session is, `<type>:<id>`. */
  readonly owner: string;
  readonly #repositoryIds: readonly string[];
  readonly #strangers = new Set<string>();
  #holdsOwn = false;

  constructor({ created_by_type: type, created_by_id: id, repositories }: Session) {
    this.owner = `${type}:${id}`;
    this.#repositoryIds = repositories.map(({ repository_id }) => repository_id);
  }

  /** Notes a thing of somebody else's that is to come into the sandbox; false when it must not. */
  lets(thing: string): boolean {
    if (this.#holdsOwn) return false;
    this.#strangers.add(thing);
    return true;
  }

  /** The secrets for a turn, and a warning where the creator's own are kept out; `fresh`: its sandbox is yet to be made. */
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

  /** Nothing of anybody's is in it yet, and what the commands of its repositories make will be. */
  async #clear(ctx: OwnContext, { orgId }: Run): Promise<void> {
    this.#strangers.clear();
    this.#holdsOwn = false;
    for (const id of this.#repositoryIds) {
      const row = await repositoryById(ctx, orgId, id);
      const command = row === undefined ? '' : commandOfOthers(row, this.owner);
      if (command !== '') this.#strangers.add(command);
    }
  }

  #warning(): string {
    const things = [...this.#strangers].join(', ');
    return `Secrets of the session's creator's own stay out of its sandbox, where something runs that another member wrote last: ${things}. An administrator answers for it by writing it again; the next fresh sandbox has them then.`;
  }
}
