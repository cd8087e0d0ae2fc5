import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { evaluateGuardrails } from './evaluate-service.ts';
import * as examples from './examples.ts';
import {
  EffectiveGuardrails,
  EffectiveQuery,
  EvaluateGuardrails,
  GuardrailEvaluation,
  Guardrails,
  ReplaceGuardrails,
  Violation,
  ViolationQuery,
} from './schemas.ts';
import {
  deleteGuardrails,
  getDefaultGuardrails,
  getEffectiveGuardrails,
  getGuardrails,
  listGuardrails,
  replaceDefaultGuardrails,
  replaceGuardrails,
} from './service.ts';
import { acknowledgeViolation, getViolation, listViolations } from './violation-service.ts';

type GuardrailContext = Pick<Context, 'db' | 'clock'>;
const params = { repoId: Id };

export function guardrailRoutes(ctx: GuardrailContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/guardrails',
      id: 'listGuardrails',
      summary: 'List guardrails of repositories',
      description: 'Those for which something is set, newest repository first.',
      scope: 'guardrails:read',
      query: ListQuery({}),
      status: 200,
      answer: List(Guardrails),
      handle: ({ caller, query }) => listGuardrails(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/guardrails/default',
      id: 'getDefaultGuardrails',
      summary: 'Get the default guardrails',
      description: 'They hold for every repository that does not set a rule itself, and for sessions without one.',
      scope: 'guardrails:read',
      status: 200,
      answer: Guardrails,
      handle: ({ caller }) => getDefaultGuardrails(ctx, caller),
    }),
    route({
      method: 'PUT',
      path: '/guardrails/default',
      id: 'replaceDefaultGuardrails',
      summary: 'Replace the default guardrails',
      description: 'Omitted rules get their defaults. A running session has the rules from its next check on.',
      scope: 'guardrails:write',
      body: ReplaceGuardrails,
      examples: examples.replaceGuardrails,
      status: 200,
      answer: Guardrails,
      handle: ({ caller, body }) => replaceDefaultGuardrails(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/guardrails/effective',
      id: 'getEffectiveGuardrails',
      summary: 'Get the effective guardrails',
      description:
        'The rules for sessions on a repository, or for those without one, and where each is set. A session on ' +
        'several repositories has to follow the rules of each.',
      scope: 'guardrails:read',
      query: EffectiveQuery,
      status: 200,
      answer: EffectiveGuardrails,
      handle: ({ caller, query }) => getEffectiveGuardrails(ctx, caller, query.repo),
    }),
    route({
      method: 'POST',
      path: '/guardrails/evaluate',
      id: 'evaluateGuardrails',
      summary: 'Evaluate guardrails',
      description: 'A dry run: returns what would be blocked now, or warned about. Nothing is recorded.',
      scope: 'guardrails:write',
      body: EvaluateGuardrails,
      examples: examples.evaluateGuardrails,
      status: 200,
      answer: GuardrailEvaluation,
      handle: ({ caller, body }) => evaluateGuardrails(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/guardrails/:repoId',
      id: 'getGuardrails',
      summary: "Get a repository's guardrails",
      description: 'Rules that are not in `set_keys` are inherited from the default.',
      scope: 'guardrails:read',
      params,
      status: 200,
      answer: Guardrails,
      handle: (exchange) => getGuardrails(ctx, exchange.caller, exchange.params.repoId),
    }),
    route({
      method: 'PUT',
      path: '/guardrails/:repoId',
      id: 'replaceGuardrails',
      summary: "Replace a repository's guardrails",
      description:
        'It inherits omitted rules from the default. A running session has the rules from its next check on.',
      scope: 'guardrails:write',
      params,
      body: ReplaceGuardrails,
      examples: examples.replaceGuardrails,
      status: 200,
      answer: Guardrails,
      handle: ({ caller, body, ...exchange }) => replaceGuardrails(ctx, caller, exchange.params.repoId, body),
    }),
    route({
      method: 'DELETE',
      path: '/guardrails/:repoId',
      id: 'deleteGuardrails',
      summary: "Delete a repository's guardrails",
      description: 'It then inherits all rules. Harmless if nothing is set.',
      scope: 'guardrails:write',
      params,
      record: Guardrails,
      status: 204,
      answer: Type.Null(),
      handle: (exchange) => deleteGuardrails(ctx, exchange.caller, exchange.params.repoId),
    }),
  ];
}

export function violationRoutes(ctx: GuardrailContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/guardrails/violations',
      id: 'listViolations',
      summary: 'List violations of guardrails',
      description: 'Newest first.',
      scope: 'guardrails:read',
      query: ViolationQuery,
      status: 200,
      answer: List(Violation),
      handle: ({ caller, query }) => listViolations(ctx, caller, query),
    }),
    route({
      method: 'GET',
      path: '/guardrails/violations/:id',
      id: 'getViolation',
      summary: 'Get a violation',
      description: 'Its evidence has no secrets.',
      scope: 'guardrails:read',
      params: { id: Id },
      status: 200,
      answer: Violation,
      handle: (exchange) => getViolation(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'POST',
      path: '/guardrails/violations/:id/acknowledge',
      id: 'acknowledgeViolation',
      summary: 'Acknowledge a violation',
      description: 'Harmless for an acknowledged one: the first acknowledgement stays.',
      scope: 'guardrails:write',
      params: { id: Id },
      status: 200,
      answer: Violation,
      handle: (exchange) => acknowledgeViolation(ctx, exchange.caller, exchange.params.id),
    }),
  ];
}
