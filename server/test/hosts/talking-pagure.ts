import { createHmac } from 'node:crypto';
import { withUser, type GitUser } from '../support/git.ts';
import { startPagure } from '../support/pagure.ts';
import { pushFiles, type Files, type Kind, type TalkingHost } from './talking.ts';

const project = 'widgets';
const pathOf = (kind: Kind, number: number): string =>
  `${project}/${kind === 'issue' ? 'issue' : 'pull-request'}/${number}`;

interface Said {
  readonly text: string;
  /** The place in the diff; `''` for the whole. */
  readonly place: string;
}

/** A real Pagure, where people talk. */
export async function talkingPagure(user: GitUser, files: Files): Promise<TalkingHost> {
  const pagure = await startPagure();
  const { tokens, call, url } = pagure;
  await pagure.createProject(project, { create_readme: '' });
  await call(`${project}/git/modifyacls`, { user_type: 'user', name: 'grace', acl: 'commit' });
  const remote = withUser(`${url}/${project}.git`, 'bot', tokens.bot);
  await pushFiles(user, remote, { branch: 'main' }, files);
  const clone = await user.start({ ...files });
  const tip = async (branch: string) =>
    (await user.git(clone, 'ls-remote', remote, `refs/heads/${branch}`)).split('\t')[0] || undefined;

  /** Reads what people and the platform said, without what Pagure says itself. */
  async function said(kind: Kind, number: number): Promise<Said[]> {
    const { comments } = await call(pathOf(kind, number));
    return (Array.isArray(comments) ? comments : []).map(Object).flatMap((one): Said[] => {
      const { comment, notification, filename, commit, line } = one;
      const isOnLine = typeof filename === 'string' && filename !== '';
      const place = isOnLine ? `${String(commit)}:${String(line)}:${filename}` : '';
      return notification === true ? [] : [{ text: String(comment), place }];
    });
  }

  return {
    provider: 'pagure',
    url,
    token: tokens.bot,
    repo: `_/${project}`,
    async issue(author, title, text) {
      const { issue } = await call(`${project}/new_issue`, { title, issue_content: text }, tokens[author]);
      return Number(Object(issue).id);
    },
    async comment(kind, number, author, body) {
      await call(`${pathOf(kind, number)}/comment`, { comment: body }, tokens[author]);
    },
    texts: async (kind, number) => (await said(kind, number)).map(({ text }) => text),
    async propose(branch, changed) {
      await pushFiles(user, remote, { branch, from: 'main' }, changed);
      const content = { title: `About ${branch}`, initial_comment: 'By a person.' };
      const form = { ...content, branch_from: branch, branch_to: 'main' };
      return Number((await call(`${project}/pull-request/new`, form, tokens.grace))['id']);
    },
    delivery(kind, number, secret) {
      const topic = kind === 'issue' ? 'issue.comment.added' : 'pull-request.comment.added';
      const subject = kind === 'issue' ? { issue: { id: number } } : { pullrequest: { id: number } };
      const msg = { project_fullname: project, ...subject };
      const raw = JSON.stringify({ topic, msg, msg_id: crypto.randomUUID() });
      const signature = createHmac('sha256', secret).update(raw).digest('hex');
      const about = { 'x-pagure-topic': topic, 'x-pagure-project': project };
      return { headers: { ...about, 'x-pagure-signature-256': signature }, raw };
    },
    tip,
    async history(branch) {
      await user.git(clone, 'fetch', '-q', remote, branch);
      return (await user.git(clone, 'rev-list', 'FETCH_HEAD')).split('\n');
    },
    async status(sha, status, description) {
      const form = { username: 'test', status, comment: description, url: `${url}/${project}`, uid: 'test' };
      await call(`${project}/c/${sha}/flag`, form);
    },
    async commentOnLine(number, path, body) {
      const { branch_from: branch } = await call(pathOf('change_request', number));
      // As clients do that know commits, and no rows of a diff.
      const place = { commit: (await tip(String(branch))) ?? '', filename: path, row: '1' };
      await call(`${pathOf('change_request', number)}/comment`, { comment: body, ...place }, tokens.grace);
    },
    async threads(number) {
      const onLines = (await said('change_request', number)).filter(({ place }) => place !== '');
      return [...Map.groupBy(onLines, ({ place }) => place).values()].map((thread) => thread.map(({ text }) => text));
    },
    commitOn: (branch, changed) => pushFiles(user, remote, { branch, from: branch }, changed),
    async merge(number) {
      await call(`${pathOf('change_request', number)}/merge`, { wait: 'true' }, tokens.grace);
    },
    close: () => pagure.close(),
  };
}
