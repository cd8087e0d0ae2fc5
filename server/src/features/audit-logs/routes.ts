import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List } from '../../http/schema.ts';
import { auditActions } from './actions.ts';
import { AuditActions, AuditEntry, AuditExportQuery, AuditQuery, AuditVerification } from './schemas.ts';
import { exportAuditEntries, getAuditEntry, listAuditEntries } from './service.ts';
import { createVerifier } from './verify.ts';

export function auditLogRoutes(ctx: Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>): Route[] {
  const verify = createVerifier(ctx);
  return [
    route({
      method: 'GET',
      path: '/audit-logs',
      id: 'listAuditEntries',
      summary: 'List who changed what, and what was refused',
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
      summary: 'The actions that entries name',
      scope: 'org:read',
      status: 200,
      answer: AuditActions,
      handle: () => ({ items: [...auditActions], total: auditActions.length }),
    }),
    route({
      method: 'GET',
      path: '/audit-logs/export',
      id: 'exportAuditEntries',
      summary: 'Everything that is linked, one entry a line',
      description: 'In the order of the chain, each line in the canonical form of RFC 8785.',
      scope: 'org:read',
      query: AuditExportQuery,
      status: 200,
      answer: Type.String(),
      answerType: 'application/x-ndjson',
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
      summary: 'Recompute the chain and name its first break',
      scope: 'org:read',
      status: 200,
      answer: AuditVerification,
      handle: ({ caller }) => verify(caller.organization.id),
    }),
    route({
      method: 'GET',
      path: '/audit-logs/:id',
      id: 'getAuditEntry',
      summary: 'Get an entry',
      scope: 'org:read',
      params: { id: Id },
      status: 200,
      answer: AuditEntry,
      handle: ({ caller, params }) => getAuditEntry(ctx, caller, params.id),
    }),
  ];
}
