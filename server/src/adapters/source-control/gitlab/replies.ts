import { ProviderError } from '../../../lib/errors.ts';
import type { Collaboration } from '../collaboration.ts';
import type { RepositoryRef } from '../port.ts';
import { parsed, requireDone, type GitlabClient } from './client.ts';
import { pathOf } from './described.ts';
import type { GitlabAnswer, GitlabRequest } from './exchange.ts';
import { messageIn } from './problems.ts';
import { withoutQuickActions } from './quick-actions.ts';
import { Note } from './shapes.ts';

type Replies = Required<Pick<Collaboration, 'reply' | 'resolveThread' | 'updateComment' | 'acknowledge'>>;

/** The reaction that acknowledges a comment. */
const reaction = 'eyes';

export function replyFunctions(client: GitlabClient): Replies {
  async function send(repository: RepositoryRef, number: number, request: GitlabRequest): Promise<GitlabAnswer> {
    return client.inProject(repository, { ...request, path: `${pathOf(number)}/${request.path}` });
  }

  return {
    async reply(repository, number, threadId, body) {
      const path = `discussions/${nameOf(threadId)}/notes`;
      const answer = await send(repository, number, {
        method: 'POST',
        path,
        body: { body: withoutQuickActions(body) },
      });
      const { id } = parsed(Note, answer);
      return { url: noteUrl(answer, repository, `merge_requests/${number}`, id) };
    },
    async resolveThread(repository, number, threadId) {
      const path = `discussions/${nameOf(threadId)}`;
      requireDone(await send(repository, number, { method: 'PUT', path, body: { resolved: true } }));
    },
    async updateComment(repository, number, id, body) {
      const path = `notes/${nameOf(id)}`;
      requireDone(await send(repository, number, { method: 'PUT', path, body: { body: withoutQuickActions(body) } }));
    },
    async acknowledge(repository, number, commentId) {
      const path = `notes/${nameOf(commentId)}/award_emoji`;
      const answer = await send(repository, number, { method: 'POST', path, body: { name: reaction } });
      // GitLab answers so if the account has reacted already.
      if (answer.status === 404 && /already been taken/i.test(messageIn(answer.body))) return;
      requireDone(answer);
    },
  };
}

export function noteUrl({ connection }: GitlabAnswer, { repo }: RepositoryRef, page: string, noteId: number): string {
  return `${connection.url}/${repo}/-/${page}#note_${noteId}`;
}

/** Returns the name of a thread or comment as a part of a path. */
function nameOf(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  throw new ProviderError('GitLab has no comment or thread of this name.', { retryable: false });
}
