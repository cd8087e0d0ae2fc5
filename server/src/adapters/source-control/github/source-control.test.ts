import { expect } from 'vitest';
import { connectGithub } from '../../../../test/hosts/github/connected.ts';
import { describeSourceControl } from '../contract.ts';

describeSourceControl('GitHub', 'github', async () => {
  const connected = await connectGithub('api.github.com');
  return {
    ...connected,
    async close() {
      expect(connected.fake.problems).toEqual([]);
      await connected.close();
    },
  };
});
