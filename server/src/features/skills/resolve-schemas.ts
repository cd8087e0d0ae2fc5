import { Type, type Static } from 'typebox';
import { Body, explain, Id, named, OneOf, Text } from '../../http/schema.ts';
import { providers } from '../../lib/providers.ts';
import { repoFilter, sources } from './schemas.ts';

export const ResolveQuery = Type.Object(
  { repo: Type.Optional(repoFilter), prompt: Type.Optional(Text(20_000)) },
  { additionalProperties: false },
);
export type ResolveQuery = Static<typeof ResolveQuery>;

export const ResolveSkills = Body({
  prompt: Text(100_000, { description: 'The prompt of the session.' }),
  repo: Type.Optional(repoFilter),
  provider: Type.Optional(OneOf(providers)),
});
export type ResolveSkills = Static<typeof ResolveSkills>;

const ResolvedSkill = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  source: OneOf(sources),
  revision: Type.Integer({ minimum: 0 }),
  digest: Type.String(),
  given: Type.Boolean({ description: 'True if a session would get it.' }),
  relevant: Type.Boolean({ description: 'True if the prompt matches it.' }),
  reason: Type.String({ description: 'The reason for the decision.' }),
});

export const SkillsForPrompt = named(
  'SkillsForPrompt',
  Type.Object({ items: Type.Array(ResolvedSkill), not_given: Type.Array(ResolvedSkill) }),
);
explain('ResolveSkillsForPromptRequest', {
  repo: 'The repository of the session, or up to 20 separated by commas; omit for none.',
  provider: 'The git host of a `repo` without a prefix; omit for any.',
});
explain('SkillsForPrompt', {
  items: 'The skills that the session would get, those that match the prompt first.',
  'items.source': 'As in `Skill`.',
  'not_given.source': 'As in `Skill`.',
  not_given: 'The other skills, each with the reason.',
});

export const SkillResolution = named('SkillResolution', Type.Object({ items: Type.Array(ResolvedSkill) }));
