import { runningIn } from '../../../test/support/session-states.ts';
import { defineFixture, madeIn } from '../../../test/support/fixture.ts';
import { keepGenerated, recordProjections } from './public.ts';

const place = { repo: 'acme/stock', provider: 'local' } as const;

const ofPlace = '?repo=acme%2Fstock&provider=local';

export const fixture = defineFixture({
  after: ['sessions'],
  async make({ api, org, post, values }) {
    const note = await post(`${org}/memory/notes`, { ...place, content: 'x' });
    const memoryId = String(Object(note['item']).memory_id);
    const run = await runningIn(api, madeIn({ values }, 'sessions/{id}'));
    const file = { path: '~/note.md', sha256: '0'.repeat(64) };
    await recordProjections(api.ctx, run, [{ memory_id: memoryId, revision: 1, ...file }]);
    await keepGenerated(api.ctx, run, place, [{ agent: 'builtin', path: 'summary.md', content: () => 'x' }]);
    return { 'memory/notes/{memoryId}': memoryId };
  },
  bodies: { createMemoryNote: { ...place, content: 'x' } },
  changes: { createMemoryNote: { ...place, content: 'x' }, updateMemoryNote: { title: 'Other' } },
  queries: {
    deleteGeneratedMemory: () => ofPlace,
    listMemoryNotes: () => ofPlace,
    listGeneratedMemory: () => ofPlace,
    listMemoryProjections: (world) => `?session_id=${madeIn(world, 'sessions/{id}')}`,
  },
});
