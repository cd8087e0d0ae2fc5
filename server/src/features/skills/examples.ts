import type { Examples } from '../../http/examples.ts';
import type { ResolveSkills } from './resolve-schemas.ts';
import type { CreateSkill, ImportSkill, PutSkillFile, UpdateSkill } from './schemas.ts';

const manual = [
  '---',
  'name: release-notes',
  'description: Writes the release notes from the merged changes.',
  '---',
  'Run `scripts/merged.sh`, then write one line for each change that a user notices.',
  '',
].join('\n');

/** Also valid bodies for the validation endpoint. */
export const createSkill: Examples<typeof CreateSkill> = {
  'A manual and a script': {
    files: [
      { path: 'SKILL.md', content: manual },
      { path: 'scripts/merged.sh', content: '#!/bin/sh\ngit log --merges --oneline "$1"..\n', executable: true },
    ],
  },
  'For one repository': {
    files: [{ path: 'SKILL.md', content: manual }],
    assignments: [{ scope: 'repository', repo: 'acme/shop' }],
  },
};

export const updateSkill: Examples<typeof UpdateSkill> = {
  'For all repositories of an owner': { assignments: [{ scope: 'repository', repo: 'acme/*' }] },
  'Disable a skill': { enabled: false },
};

export const putSkillFile: Examples<typeof PutSkillFile> = {
  'A text file': { content: manual },
};

export const importSkill: Examples<typeof ImportSkill> = {
  'A directory of a repository, at a tag': {
    url: 'https://git.example.com/acme/skills.git',
    ref: 'v1',
    path: 'release-notes',
  },
};

export const resolveSkillsForPrompt: Examples<typeof ResolveSkills> = {
  'For a session on one repository': {
    prompt: 'Write the release notes of 2.4.',
    repo: 'acme/shop',
    provider: 'github',
  },
};
