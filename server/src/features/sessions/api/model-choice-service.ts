import { agentDriver, type Runtime } from '../../../adapters/agent/drivers.ts';
import type { Actor, PrincipalKind } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError, type ErrorCode } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { modelId, resolveModel } from '../../../lib/models.ts';
import { roleOf } from '../../roles/service.ts';
import { isProOnly, problemOfProvider, problemOfUse, type OrganizationModels } from '../../settings/models.ts';
import { readRootCreator } from '../store/session-store.ts';

type ChoiceContext = Pick<Context, 'db'>;
type NewContext = ChoiceContext & Pick<Context, 'config'>;

/** The principal that starts a session. */
interface Creator {
  readonly type: PrincipalKind;
  readonly id: string;
}

/**
 * Returns the model of a new session: the requested one, its agent's, or the default; `''`, and models that only
 * workers know, are resolved later. Throws 400 `invalid_request` for a model that the organization does not allow or
 * whose provider is not configured, and 403 `forbidden` for one that requires another role.
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

/** Returns why a session of this principal may not use a model; `''` if it may. */
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
  if (!isProOnly(models)(model) || !(await isRegular(ctx, orgId, creator))) return '';
  return `${model} requires the role pro, and this member has the role regular.`;
}

/**
 * Returns true for a user without the role `pro`; a session counts as the principal that started its tree. Service
 * users and apps have no role.
 */
async function isRegular({ db }: ChoiceContext, orgId: string, creator: Creator): Promise<boolean> {
  const root = creator.type === 'session' ? await readRootCreator(db.kysely, orgId, creator.id) : creator;
  // The root's creator is unknown, so nobody can vouch for it.
  if (root === undefined) return true;
  return root.type === 'user' && (await roleOf(db.kysely, orgId, root.id)) !== 'pro';
}
