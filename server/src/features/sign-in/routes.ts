import type { Context } from '../../app/context.ts';
import { escapeHtml, formScript, sendPage } from '../../http/page.ts';
import type { Route } from '../../http/route.ts';

/** The sign-in page; self-contained, for browsers without any session. */
export function signInPageRoutes(ctx: Pick<Context, 'config'>): Route[] {
  const { oidc } = ctx.config;
  const sso =
    oidc === undefined
      ? ''
      : `<a class="button quiet" id="sso" href="/v3/auth/sso/oidc/start">Sign in with ${escapeHtml(oidc.name)}</a>`;
  const body = `
<noscript><p>This page needs JavaScript.</p></noscript>
<section id="out">
<form>
<label>E-mail <input name="email" type="email" autocomplete="username" required maxlength="254" autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="1000"></label>
<details><summary>Is your account not found?</summary>
<label>Organization <input name="organization" autocomplete="off" maxlength="64" aria-describedby="which"><small id="which">Its short name, where several people have joined with your e-mail.</small></label></details>
<p role="alert"></p>
<button>Sign in</button>
</form>
${sso}
</section>
<section id="in" hidden>
<p>You are signed in.</p>
<ul id="organizations"></ul>
<form><p role="alert"></p><button class="quiet">Sign out</button></form>
</section>`;
  return [
    (app) => {
      app.get('/sign-in', { schema: { hide: true } }, (_request, reply) =>
        sendPage(reply, { title: 'Sign in', body, script }),
      );
    },
  ];
}

const script = `${formScript}
const [out, inside] = [document.getElementById('out'), document.getElementById('in')];
const wanted = new URL(new URLSearchParams(location.search).get('return_to') ?? location.pathname, location.origin);
const next = wanted.origin === location.origin ? wanted : new URL(location.pathname, location.origin);
const sso = document.getElementById('sso');
if (sso) sso.href += '?return_to=' + encodeURIComponent(next.pathname + next.search + next.hash);
const show = async () => {
  const answer = await fetch('/v3/organizations?first=200');
  out.hidden = answer.ok;
  inside.hidden = !answer.ok;
  if (!answer.ok) return;
  document.querySelector('h1').textContent = 'Guildhall';
  const { items } = await answer.json();
  document.getElementById('organizations').replaceChildren(...items.map(({ name }) => Object.assign(document.createElement('li'), { textContent: name })));
};
onSubmit(out.querySelector('form'), async (given) => {
  const answer = await send('/v3/auth/sign-in', given);
  if (answer.ok) {
    if (next.pathname === location.pathname) await show();
    else location.assign(next);
  }
  return answer;
});
onSubmit(inside.querySelector('form'), async () => {
  const answer = await send('/v3/auth/sign-out', {});
  if (answer.ok) location.reload();
  return answer;
});
show();
`;
