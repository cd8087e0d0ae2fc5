import { defineFeature } from '../define.ts';
import { archiveEnded, suspendIdle } from './dispatch/rest-service.ts';
import { watchCreators } from './dispatch/creator-service.ts';
import { noteChangeRequests } from './run/change-request-consumer.ts';
import { expireApprovals } from './run/approval-state-service.ts';
import { settleLostCalls, sumSpent } from './run/lost-call-service.ts';
import { reapStaleWorkers } from './run/worker-service.ts';
import { removeLostArtifacts } from './run/artifact-retention-service.ts';
import { removeOldCheckpoints } from './run/checkpoint-sweep-service.ts';
import { removeOldEvents } from './run/event-retention-service.ts';

const names = {
  errors: ['session', 'message', 'artifact', 'approval', 'checkpoint'],
  events: ['session.status_changed'],
  ids: ['ses', 'evt', 'msg', 'art', 'apr', 'chk', 'use'],
  audit: [
    'approval.approve',
    'approval.deny',
    'approval.expire',
    'session.archive',
    'session.cancel',
    'session.create',
    'session.delete',
    'session.interrupt',
    'session.message',
    'session.message_withdraw',
    'session.preview',
    'session.resume',
    'session.suspend',
    'session.terminal',
    'session.unarchive',
    'session.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    sessions: typeof names;
  }
}

export const sessions = defineFeature({
  ...names,
  tag: 'Sessions',
  description: 'Work of one agent on a task, from the prompt to the change request.',
  mount: 'organization',
  routes: async (ctx) => {
    const { sessionRoutes } = await import('./api/routes.ts');
    const { listRoutes } = await import('./api/list-routes.ts');
    const { messageRoutes } = await import('./api/message-routes.ts');
    const { approvalRoutes } = await import('./api/approval-routes.ts');
    const { eventRoutes } = await import('./api/event-routes.ts');
    const { actionRoutes } = await import('./api/action-routes.ts');
    const { resultRoutes } = await import('./api/result-routes.ts');
    const { historyRoutes } = await import('./api/history-routes.ts');
    const { liveRoutes } = await import('./live/routes.ts');
    return [
      ...listRoutes(ctx),
      ...sessionRoutes(ctx),
      ...messageRoutes(ctx),
      ...approvalRoutes(ctx),
      ...eventRoutes(ctx),
      ...actionRoutes(ctx),
      ...resultRoutes(ctx),
      ...historyRoutes(ctx),
      ...liveRoutes(ctx),
    ];
  },
  consumers: [noteChangeRequests, watchCreators],
  maintenance: [
    { name: 'settle-lost-calls', schedule: '*/5 * * * *', timeoutMs: 300_000, run: settleLostCalls },
    { name: 'sum-spent-days', schedule: '* * * * *', timeoutMs: 300_000, run: sumSpent },
    { name: 'suspend-idle-sessions', schedule: '* * * * *', timeoutMs: 300_000, run: suspendIdle },
    { name: 'archive-sessions', schedule: '*/5 * * * *', timeoutMs: 300_000, run: archiveEnded },
    { name: 'expire-approvals', schedule: '* * * * *', timeoutMs: 300_000, run: expireApprovals },
    { name: 'delete-silent-workers', schedule: '*/5 * * * *', timeoutMs: 300_000, run: reapStaleWorkers },
  ],
  retention: [
    { kind: 'events', schedule: '2 3 * * *', remove: removeOldEvents },
    { kind: 'artifact-blobs', schedule: '12 3 * * *', remove: removeLostArtifacts },
    { kind: 'checkpoint-blobs', schedule: '32 3 * * *', remove: removeOldCheckpoints },
  ],
});
