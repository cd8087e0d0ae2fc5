import type { Context } from '../../app/context.ts';
import { signInCookieName } from '../../http/cookie.ts';
import { escapeHtml, formScript, sendPage } from '../../http/page.ts';
import type { Route } from '../../http/route.ts';
import { offerOf, type InviteOffer } from './accept-service.ts';

/** The page behind an invitation's link. */
export function invitePageRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl'>): Route[] {
  return [
    (app) => {
      app.get<{ Params: { token: string } }>('/invites/:token', { schema: { hide: true } }, async (request, reply) => {
        const cookie = request.cookies[signInCookieName(ctx.baseUrl())];
        const offer = await offerOf(ctx, request.params.token, cookie);
        if (offer === undefined)
          return sendPage(reply, {
            status: 404,
            title: 'This invitation is no longer valid',
            body: '<p>It was used, was revoked or has expired. Ask for a new one.</p>',
          });
        return sendPage(reply, { title: `Join ${offer.organization}`, body: bodyOf(offer), script });
      });
    },
  ];
}

function bodyOf({ email, isSignedIn }: InviteOffer): string {
  const address = escapeHtml(email);
  return `<p class="soft">You are invited as <strong>${address}</strong>.</p>
<noscript><p>This page needs JavaScript.</p></noscript>
<form>
<input name="email" type="hidden" autocomplete="username" value="${address}">
${isSignedIn ? '<p>You are signed in, so one click is enough.</p>' : fields}
<p role="alert"></p>
<button>Join</button>
</form>
<section id="done" hidden><p>You are in.</p><a class="button" href="/sign-in">Continue</a></section>`;
}

const fields = `<p>Are you here already? <a id="first" href="/sign-in">Sign in first</a>; you come back to this invitation.</p>
<label>Your name <input name="name" autocomplete="name" required maxlength="200" autofocus></label>
<label>A password <input name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="1000" aria-describedby="rule"><small id="rule">At least 12 characters. A few words you remember are better than one with signs in it.</small></label>`;

const script = `${formScript}
const first = document.getElementById('first');
if (first) first.href += '?return_to=' + encodeURIComponent(location.pathname);
const form = document.querySelector('form');
if (form) onSubmit(form, async ({ email, ...given }) => {
  const answer = await send('/v3' + location.pathname + '/accept', given);
  if (answer.ok) {
    const { organization } = await answer.clone().json();
    if (given.password) await send('/v3/auth/sign-in', { email, password: given.password, organization: organization.id });
    form.hidden = true;
    document.getElementById('done').hidden = false;
    document.querySelector('#done a').focus();
  }
  return answer;
});
`;
