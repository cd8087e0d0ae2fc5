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
<section id="first" hidden>
<p class="soft">Nobody has a password yet. The administrator key was printed at the first start, and is in the file <code>admin-key</code> of the data directory.</p>
<form>
<label>Administrator key <input name="key" autocomplete="off" spellcheck="false" required maxlength="200"></label>
<label>New password <input name="new_password" type="password" autocomplete="new-password" required minlength="12" maxlength="1000" aria-describedby="rule"><small id="rule">12 characters or more.</small></label>
<p role="alert"></p>
<button>Set the password</button>
</form>
</section>
<section id="set" hidden>
<p>The password is set. From now on sign in as <strong id="email"></strong>.</p>
<a class="button" id="go" href="/console/">Open the console</a>
</section>
<section id="in" hidden>
<p>You are signed in. <a href="/console/">Open the console</a></p>
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
const [out, inside, first, done] = ['out', 'in', 'first', 'set'].map((id) => document.getElementById(id));
const wanted = new URL(new URLSearchParams(location.search).get('return_to') ?? '/console/', location.origin);
const next = wanted.origin === location.origin ? wanted : new URL('/console/', location.origin);
const sso = document.getElementById('sso');
if (sso) sso.href += '?return_to=' + encodeURIComponent(next.pathname + next.search + next.hash);
const show = async () => {
  const [answer, methods] = await Promise.all([fetch('/v3/organizations?first=200'), fetch('/v3/auth/methods')]);
  const isFirst = !answer.ok && methods.ok && (await methods.json()).first_run;
  out.hidden = answer.ok || isFirst;
  first.hidden = !isFirst;
  inside.hidden = !answer.ok;
  if (isFirst) document.querySelector('h1').textContent = 'Welcome to Guildhall';
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
onSubmit(first.querySelector('form'), async ({ key, new_password }) => {
  const answer = await send('/v3/auth/sign-in', { key: key.trim() });
  if (!answer.ok) return answer;
  const set = await send('/v3/self/password', { new_password }, 'PUT');
  if (set.ok) {
    document.getElementById('email').textContent = (await answer.json()).email;
    document.getElementById('go').href = next;
    first.hidden = true;
    done.hidden = false;
  }
  return set;
});
onSubmit(inside.querySelector('form'), async () => {
  const answer = await send('/v3/auth/sign-out', {});
  if (answer.ok) location.reload();
  return answer;
});
show();
`;
