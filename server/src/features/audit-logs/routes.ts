import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List } from '../../http/schema.ts';
import { AuditActions, AuditEntry, AuditExportQuery, AuditQuery, AuditVerification } from './schemas.ts';
import { exportAuditEntries, getAuditEntry, listAuditEntries } from './service.ts';
import { createVerifier } from './verify.ts';

export function auditLogRoutes(
  ctx: Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>,
  actions: () => readonly string[],
): Route[] {
  const verify = createVerifier(ctx);
  return [
    route({
      method: 'GET',
      path: '/audit-logs',
      id: 'listAuditEntries',
      summary: 'List audit log entries',
      description:
        'Every mutation writes one entry, in the same transaction; denied requests (401 with a known key, 403) are ' +
        'counted in one entry per key and minute, which grows until the minute is over. Newest first unless ' +
        '`order=asc`.',
      scope: 'org:read',
      query: AuditQuery,
      status: 200,
      answer: List(AuditEntry),
      handle: ({ caller, query }) => listAuditEntries(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/audit-logs/actions',
      id: 'listAuditActions',
      summary: 'List audit actions',
      description: 'All values for `action=`, including actions that have not occurred here.',
      scope: 'org:read',
      status: 200,
      answer: AuditActions,
      handle: () => ({ items: [...actions()], total: actions().length }),
    }),
    route({
      method: 'GET',
      path: '/audit-logs/export',
      id: 'exportAuditEntries',
      summary: 'Export the audit log',
      description:
        'Every linked entry, one per line, in the order of the chain. Each line is the same `AuditEntry` as in the list, in the canonical form of RFC 8785.',
      scope: 'org:read',
      query: AuditExportQuery,
      status: 200,
      answer: Type.String(),
      answerType: 'application/x-ndjson',
      item: AuditEntry,
      sends: ['content-disposition'],
      handle: async ({ caller, query, reply }) =>
        reply
          .type('application/x-ndjson; charset=utf-8')
          .header('content-disposition', 'attachment; filename="audit-log.ndjson"')
          .send(await exportAuditEntries(ctx, caller, query)),
    }),
    route({
      method: 'GET',
      path: '/audit-logs/verify',
      id: 'verifyAuditLog',
      summary: 'Verify the audit log',
      description:
        'Recomputes the chain and returns its first break. Reads the whole log, so it may take long; concurrent ' +
        'requests share the result. A broken chain returns 200 with `valid: false`.',
      scope: 'org:read',
      status: 200,
      answer: AuditVerification,
      handle: ({ caller }) => verify(caller.organization.id),
    }),
    route({
      method: 'GET',
      path: '/audit-logs/:id',
      id: 'getAuditEntry',
      summary: 'Get an audit log entry',
      description:
        '404 `audit_entry_not_found`. Entries cannot be changed or deleted; they are purged with the organization.',
      scope: 'org:read',
      params: { id: Id },
      status: 200,
      answer: AuditEntry,
      handle: ({ caller, params }) => getAuditEntry(ctx, caller, params.id),
    }),
  ];
}
