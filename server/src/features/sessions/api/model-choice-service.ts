import { agentDriver, type Runtime } from '../../../adapters/agent/drivers.ts';
import type { Actor, PrincipalKind } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError, type ErrorCode } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { modelId, resolveModel } from '../../../lib/models.ts';
import { roleOf } from '../../roles/service.ts';
import { isAmong, problemOfProvider, problemOfUse, type OrganizationModels } from '../../settings/models.ts';
import { readRootCreator } from '../store/session-store.ts';

type ChoiceContext = Pick<Context, 'db'>;
type NewContext = ChoiceContext & Pick<Context, 'config'>;

/** Who a session is started by. */
interface Creator {
  readonly type: PrincipalKind;
  readonly id: string;
}

/**
 * The model of a new session: the one it names, its agent's, or the default; `''`, and what only workers may know, are
 * left to them. Throws 400 `invalid_request` for a model whose provider is not configured, or that the organization does
 * not allow, 403 `forbidden` for one that it keeps for others.
 */
export async function chooseModel(
  ctx: NewContext,
  caller: Actor,
  models: OrganizationModels,
  asked: { model: string; agent: { name: string; model: string; runtime: Runtime } },
): Promise<string> {
  const { agent } = asked;
  const callsModels = agentDriver(agent.runtime).capabilities.models !== 'none';
  const wanted = asked.model || agent.model || (callsModels ? models.default : '');
  if (wanted === '') return '';
  const { ok } = resolveModel(models, wanted);
  const model = ok === undefined ? wanted : modelId(ok);
  const refused = (code: ErrorCode, problem: string, details?: Record<string, unknown>): AppError => {
    if (asked.model !== '') return fieldError('/model', `: ${problem}`, { code, ...(details && { details }) });
    const whose = agent.model === '' ? 'The default' : `The model of the agent ${agent.name}`;
    return new AppError(code, `${whose}: ${problem}`, details);
  };
  const unknown = asked.model === '' && agent.model === '' ? '' : problemOfProvider(ctx.config, models, wanted);
  if (unknown !== '') throw refused('invalid_request', unknown);
  const problem = problemOfUse(models, model);
  if (problem !== '') throw refused('invalid_request', `${problem}.`, { allowed: models.allowed.slice(0, 100) });
  const denial = await denialOf(ctx, caller.organization.id, models, model, caller.principal);
  if (denial !== '') throw refused('forbidden', denial);
  return model;
}

/** Why a session that this principal started may not use a model; `''` when it may. */
export async function refusalOf(
  ctx: ChoiceContext,
  orgId: string,
  models: OrganizationModels,
  model: string,
  creator: Creator,
): Promise<string> {
  const problem = problemOfUse(models, model);
  return problem === '' ? denialOf(ctx, orgId, models, model, creator) : `${problem}.`;
}

async function denialOf(
  ctx: ChoiceContext,
  orgId: string,
  models: OrganizationModels,
  model: string,
  creator: Creator,
): Promise<string> {
  // Without case, as some servers take names: what keeps people out is not to be got around by a capital.
  const listed = models.proOnly.map((pattern) => pattern.toLowerCase());
  if (!isAmong(models, listed, model.toLowerCase()) || !(await isRegular(ctx, orgId, creator))) return '';
  return `${model} requires the role pro, and this member has the role regular.`;
}

/** A person is, whose role is not `pro`; a session is what whoever started it is. Machines have no role. */
async function isRegular({ db }: ChoiceContext, orgId: string, creator: Creator): Promise<boolean> {
  const root = creator.type === 'session' ? await readRootCreator(db.kysely, orgId, creator.id) : creator;
  // Nobody knows any more who began it, so nobody can say that they may.
  if (root === undefined) return true;
  return root.type === 'user' && (await roleOf(db.kysely, orgId, root.id)) !== 'pro';
}
