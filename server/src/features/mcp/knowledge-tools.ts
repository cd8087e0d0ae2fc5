import type { Context } from '../../app/context.ts';
import { repositoryValues } from '../../lib/filters.ts';
import { searchKnowledge } from '../knowledge/public.ts';
import { SearchKnowledgeInput, SearchKnowledgeOutput } from './schemas.ts';
import { tool, type Tool } from './tool.ts';

export function knowledgeTools(ctx: Pick<Context, 'db'>): Tool[] {
  return [
    tool({
      name: 'search_knowledge',
      title: 'Search knowledge',
      description:
        "Searches the organization's notes for agents: conventions, decisions and procedures. Best match first. Search before you work on a repository that you do not know.",
      scope: 'knowledge:read',
      effect: 'reads',
      input: SearchKnowledgeInput,
      output: SearchKnowledgeOutput,
      async run(caller, { query, repo, limit = 5 }) {
        const { items, total } = await searchKnowledge(ctx, caller, {
          query,
          limit,
          repositories: repo === undefined ? null : repositoryValues('repo', repo),
        });
        const notes = items.map(({ note, score, reason }) => ({
          note_id: note.note_id,
          name: note.name,
          trigger: note.trigger,
          body: note.body,
          scope: note.scope,
          repo_filter: note.repo_filter,
          score,
          reason,
          created_at: note.created_at.toISOString(),
          updated_at: note.updated_at.toISOString(),
        }));
        return { notes, total };
      },
      text: ({ notes, total }) =>
        total === 0
          ? 'No note matches.'
          : notes.map(({ name, trigger, body }) => `# ${name}\n\n(${trigger})\n\n${body}`).join('\n\n'),
    }),
  ];
}
