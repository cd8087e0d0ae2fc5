import { defineFixture, madeIn } from '../../../test/support/fixture.ts';
import { newId } from '../../lib/ids.ts';
import { insertFinding } from './finding-store.ts';

export const fixture = defineFixture({
  after: ['sessions', 'repositories'],
  async make(world) {
    const { api, org, orgId, post, values } = world;
    const number = Number(madeIn(world, 'repositories/{id}/change-requests/{number}'));
    const review = await post(`${org}/reviews`, { repo: 'acme/stock', number });
    const id = String(review['id']);
    const finding = newId('fnd');
    const now = new Date();
    await api.ctx.db.transaction(async (trx) => {
      const row = await trx.selectFrom('reviews').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const { repository_id, change_request_id } = row;
      const place = { org_id: orgId, repository_id, change_request_id, number, first_review_id: id, review_id: id };
      await insertFinding(trx, {
        ...place,
        id: finding,
        severity: 'high',
        confidence: 1,
        category: 'x',
        title: 'x',
        body: '',
        suggestion: '',
        file: 'x.js',
        side: 'new',
        in_diff: false,
        evidence: '',
        fingerprint: 'x',
        anchor: '',
        created_at: now,
        updated_at: now,
      });
    });
    return {
      'reviews/{id}': id,
      'reviews/{id}/findings/{findingId}': finding,
      'reviews/policies/{repoId}': values['repositories/{id}'] ?? '',
    };
  },
  bodies: { createReview: { repo: 'acme/stock', number: 1 }, updateFinding: { status: 'dismissed' } },
  changes: { replaceReviewPolicy: { mode: 'once' }, updateFinding: { status: 'dismissed' } },
});
