import { defineFixture, madeIn } from '../../../test/support/fixture.ts';
import { addSuggestion } from './public.ts';

export const fixture = defineFixture({
  after: ['sessions'],
  async make({ api, org, orgId, post, values }) {
    const note = await post(`${org}/knowledge/notes`, { name: 'Stock', trigger: 'x', body: 'x' });
    const sessionId = madeIn({ values }, 'sessions/{id}');
    const found = { sessionId, name: 'x', trigger: 'x', body: 'x', repo: 'acme/stock' };
    return {
      'knowledge/notes/{noteId}': String(note['note_id']),
      'knowledge/notes/{noteId}/versions/{revision}': '1',
      'knowledge/suggestions/{id}': (await addSuggestion(api.ctx, orgId, found)) ?? '',
    };
  },
  bodies: {
    createKnowledgeNote: { name: 'x', trigger: 'x', body: 'x' },
    searchKnowledgeForPrompt: { prompt: 'stock' },
    replaceKnowledgeNote: { name: 'x', trigger: 'x', body: 'x' },
  },
  queries: { searchKnowledge: () => '?q=stock' },
  reads: ['searchKnowledgeForPrompt'],
  changes: { updateKnowledgeNote: { name: 'Other' } },
});
