import { defineFixture, madeIn } from '../../../test/support/fixture.ts';
import { recordViolations } from './violation-service.ts';

export const fixture = defineFixture({
  after: ['repositories', 'sessions'],
  async make({ api, orgId, org, key, values }) {
    const finding = {
      rule: 'max_changed_files',
      stage: 'push',
      action: 'blocked',
      message: 'Too many files.',
      used: 12,
      allowed: 10,
    } as const;
    const repository = { id: madeIn({ values }, 'repositories/{id}'), provider: 'local', repo: 'acme/stock' };
    const sessionId = madeIn({ values }, 'sessions/{id}');
    const [id = ''] = await recordViolations(api.ctx, orgId, [{ repository, sessionId, finding }]);
    await api.call('PUT', `${org}/guardrails/${repository.id}`, { key, body: { max_changed_files: 50 } });
    return { 'guardrails/{repoId}': repository.id, 'guardrails/violations/{id}': id };
  },
  bodies: { replaceGuardrails: {}, replaceDefaultGuardrails: {}, evaluateGuardrails: {} },
  changes: {
    replaceGuardrails: { max_changed_files: 7 },
    replaceDefaultGuardrails: { max_changed_files: 9 },
  },
  reads: ['evaluateGuardrails'],
});
