import type { Schemas } from '../../../lib/api.ts';
import type { Draft } from './draft.ts';
import { schemaIn } from './output.ts';
import { sessionSecretsOf, type OwnSecret } from './own-secrets.ts';
import { tagsOf } from '../list/bulk-result.ts';

/** Returns the request that creates the session; a draft never holds the secrets of it alone. */
export function requestOf(draft: Draft, ownSecrets: readonly OwnSecret[] = []): Schemas['CreateSessionRequest'] {
  const { prompt, mode, agentId, model, planFirst, verify, deliver, memory, title, files } = draft;
  const repositories = draft.repositories.filter(({ repo }) => repo !== '');
  const tags = tagsOf(draft.tags);
  const budget = budgetOf(draft);
  const schema = schemaIn(draft.outputSchema);
  return {
    prompt,
    mode,
    ...(repositories.length === 0
      ? {}
      : { repositories: repositories.map(({ repo, ref }) => ({ repo, ...(ref === '' ? {} : { ref }) })) }),
    ...(agentId === '' ? {} : { agent_id: agentId }),
    ...(model === '' ? {} : { model }),
    ...(planFirst && mode === 'build' ? { require_plan_approval: true } : {}),
    ...(verify.trim() === '' || mode !== 'build' ? {} : { verify_command: verify }),
    ...(deliver === '' || mode !== 'build' || repositories.length === 0 ? {} : { deliver }),
    ...(memory === '' ? {} : { memory_enabled: memory === 'on' }),
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(draft.notes === null ? {} : { knowledge_ids: draft.notes }),
    ...(draft.skills === null ? {} : { skill_ids: draft.skills }),
    ...(draft.servers === null ? {} : { mcp_server_ids: draft.servers }),
    ...(draft.secrets === null ? {} : { secret_ids: draft.secrets }),
    ...(files.length === 0 ? {} : { attachment_ids: files.map(({ id }) => id) }),
    ...(ownSecrets.length === 0 ? {} : { session_secrets: sessionSecretsOf(ownSecrets) }),
    ...(schema === undefined
      ? {}
      : { structured_output_schema: schema, ...(draft.outputRequired ? { structured_output_required: true } : {}) }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}

/** Returns the limits that were entered. */
export function budgetOf({ maxCost, maxTokens, maxMinutes, maxTurns }: Draft) {
  return {
    ...(maxCost === '' ? {} : { max_cost_usd: Number(maxCost) }),
    ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
    ...(maxMinutes === '' ? {} : { max_minutes: Number(maxMinutes) }),
    ...(maxTurns === '' ? {} : { max_turns: Number(maxTurns) }),
  };
}
