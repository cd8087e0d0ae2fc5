import { isBranchName } from '../../git/names.ts';
import type { SchemaProblem } from '../../lib/schema-problems.ts';
import type { Namespace, Setting } from './namespaces.ts';
import { problemOfUrl } from '../../lib/model-endpoints.ts';
import { tagProblem } from './tag-policy.ts';

type Checks = { [N in Namespace]?: (value: Setting<N>) => SchemaProblem[] };

/** What a namespace's schema cannot say of its value. */
const checks: Checks = {
  run_tags: (policy) => {
    const problem = policy.default.length === 0 ? undefined : tagProblem(policy, policy.default);
    return problem === undefined ? [] : [{ path: '/default', message: `breaks its own policy: ${problem}` }];
  },
  models: ({ providers }) => [
    ...repeated(providers.map(({ name }) => name)).map((at) => ({
      path: `/providers/${at}/name`,
      message: 'is the name of another provider',
    })),
    ...providers.flatMap(({ kind, base_url: url }, at) => {
      const path = `/providers/${at}/base_url`;
      if (url === '')
        return kind === 'openai_compatible' ? [{ path, message: 'is required with the kind openai_compatible' }] : [];
      const problem = problemOfUrl(url);
      return problem === '' ? [] : [{ path, message: problem }];
    }),
  ],
  source_control: ({ branch_prefix: prefix, commit_author: author }) => [
    ...(isBranchPrefix(prefix)
      ? []
      : [{ path: '/branch_prefix', message: 'must begin a branch name that git takes, e.g. "guildhall/"' }]),
    ...(['name', 'email'] as const).flatMap((key) =>
      isIdent(author[key])
        ? []
        : [{ path: `/commit_author/${key}`, message: 'must be valid in a git commit: no <, > or line break' }],
    ),
  ],
  sandbox: ({ allowed_hosts: hosts }) =>
    hosts.flatMap((host, at) =>
      isHostPattern(host)
        ? []
        : [{ path: `/allowed_hosts/${at}`, message: 'must be a host or *.suffix, with or without :port' }],
    ),
  notifications: ({ webhooks, email }) => [
    ...webhooks.flatMap(({ url }, at) => webAddress(`/webhooks/${at}/url`, url)),
    ...email.recipients.flatMap((recipient, at) =>
      /^[^\s@]+@[^\s@]+$/.test(recipient)
        ? []
        : [{ path: `/email/recipients/${at}`, message: 'must be an e-mail address' }],
    ),
  ],
};

/** What is wrong with a value of the right shape. */
export function problemsBeyondShape<N extends Namespace>(namespace: N, value: Setting<N>): SchemaProblem[] {
  const all: { [K in Namespace]?: (value: Setting<K>) => SchemaProblem[] } = checks;
  return all[namespace]?.(value) ?? [];
}

/** The places of what stood before already. */
function repeated(texts: readonly string[]): number[] {
  return texts.flatMap((text, at) => (texts.indexOf(text) < at ? [at] : []));
}

function webAddress(path: string, text: string): SchemaProblem[] {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return [{ path, message: 'must be an http or https address' }];
  if (url.username === '' && url.password === '') return [];
  return [{ path, message: 'must not carry credentials' }];
}

/** Whether git takes every branch that begins so, and takes it for a branch. */
function isBranchPrefix(prefix: string): boolean {
  return prefix === '' || (isBranchName(`${prefix}x`) && !/^(refs|heads|remotes|tags)\//.test(prefix));
}

/** Git drops these characters from a name or an address and refuses what is left empty. */
function isIdent(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- a commit's header is made of lines
  return !/[<>\u0000-\u001f\u007f]/.test(text) && /[^\s.,:;"'\\]/.test(text);
}

function isHostPattern(pattern: string): boolean {
  const [, name = '', port] = /^(?:\*\.)?(.*?)(?::(\d{1,5}))?$/.exec(pattern) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return name.length <= 253 && /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(name);
}
