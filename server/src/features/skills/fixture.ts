import { defineFixture } from '../../../test/support/fixture.ts';

const manual = '---\nname: stock\ndescription: Counts what is there.\n---\nCount.\n';

export const fixture = defineFixture({
  async make({ org, post }) {
    const skill = await post(`${org}/skills`, { files: [{ path: 'SKILL.md', content: manual }] });
    return { 'skills/{id}': String(skill['id']), 'skills/{id}/files/{path}': 'SKILL.md' };
  },
  bodies: {
    createSkill: { files: [{ path: 'SKILL.md', content: 'x' }] },
    validateSkill: { files: [{ path: 'SKILL.md', content: 'x' }] },
    importSkill: { url: 'http://127.0.0.1:9/none.git' },
    putSkillFile: { content: 'x' },
    resolveSkillsForPrompt: { prompt: 'stock' },
  },
  changes: {
    createSkill: { files: [{ path: 'SKILL.md', content: '---\nname: new\ndescription: x\n---\n' }] },
    updateSkill: { enabled: false },
  },
  reads: ['validateSkill', 'resolveSkillsForPrompt'],
});
