import { cutTo, oneLine } from '../log/short-text.ts';

/** Message of a session's commits. */
export function commitMessage(session: { id: string; title: string; prompt: string }): string {
  return `${titleOf(session)}\n\nGuildhall-Session: ${session.id}\n`;
}

/** One-line title of the session's work. */
export function titleOf(session: { title: string; prompt: string }): string {
  const text = session.title.trim() || (session.prompt.trim().split('\n', 1)[0] ?? '');
  return cutTo(oneLine(text), 200) || 'Changes of a Guildhall session';
}
