/** Generated from openapi.json by `npm run openapi`; do not edit. */
export interface paths {
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Newest first, each at its newest version, without deleted ones. Needs the scope `org:read`.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent
         * @description Only `name` is required. A session uses it if `agent_id` names it, or if the setting `sessions.default_agent` does. 422 for a model that the organization does not allow or whose provider is not configured, and for a `runtime_config` that does not fit the runtime. Needs the scope `org:write`.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/runtimes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agent runtimes
         * @description An agent of a runtime that cannot run here can be created, but its sessions are rejected. `problem` says what to do. Needs the scope `org:read`.
         */
        get: operations["listAgentRuntimes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description Returns its newest version; its blueprint has earlier ones. Needs the scope `org:read`.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         * @description Running sessions finish; new ones cannot use it. If settings name it as the default, `builtin` takes its place. 409 `conflict` for the agent `builtin`. Needs the scope `org:write`.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Update an agent
         * @description All fields are optional; send at least one. Creates a new version; running sessions keep theirs. Needs the scope `org:write`.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List apps
         * @description Newest first, without deleted ones. Needs the scope `org:read`.
         */
        get: operations["listApps"];
        put?: never;
        /**
         * Create an app
         * @description A program that calls the API with keys of its own. It needs a key first. Needs the scope `org:write`.
         */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an app
         * @description Revokes its keys at once, on every process, and deletes its own secrets. Sessions that it started continue. 404 `app_not_found` the second time. Needs the scope `org:write`.
         */
        delete: operations["deleteApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an app's keys
         * @description Newest first, including revoked ones; never the keys themselves. Needs the scope `org:read`.
         */
        get: operations["listAppKeys"];
        put?: never;
        /**
         * Create an app's key
         * @description A key cannot have scopes, a later end or other addresses than your own key (403 `forbidden`); what you omit is copied from it. 409 `conflict` beyond 500 active keys. The response shows the key only once; a repeated request with the same `Idempotency-Key` omits it. Needs the scope `org:write`.
         */
        post: operations["createAppKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_id}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an app's key
         * @description The key stops working at once, on every process, also for open streams. Unless `made=keep`, also revokes what the key created, recursively: keys, MCP tokens and pending invitations; not the calling key and what that created. 404 `key_not_found` the second time. Needs the scope `org:write`.
         */
        delete: operations["deleteAppKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/automations/runs/{run_id}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report an automation run's result
         * @description Takes the callback token of the attempt, or a key. `running` renews the lease; every other status ends the attempt. Only the newest fencing token and its attempt are accepted: 409 `stale_fencing_token` for an older one, `unknown_fencing_token` for one that was never issued. The same end again returns 200 with `duplicate: true`, another one 409 `run_terminal`. One exception: `succeeded` replaces `timed_out` if the attempt only missed its lease or timeout and no newer token was issued. Needs the scope `run`.
         */
        post: operations["reportAutomationRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browser/click": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Click an element
         * @description 422 if the page has no such element. Needs the scope `run`.
         */
        post: operations["clickInBrowser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browser/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the page's content
         * @description As text, as a person sees it, or as HTML; truncated to 1 MiB. 404 `browser_session_not_found` if the browser is closed or lost. Needs the scope `run`.
         */
        post: operations["readBrowserContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browser/navigate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Navigate to a URL
         * @description Only http and https; 422 for other schemes. Addresses that are not public are denied (403 `address_not_allowed`), also for redirects and for what a page loads, unless the operator allows them. Needs the scope `run`.
         */
        post: operations["navigateBrowser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browser/screenshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a screenshot
         * @description Becomes an artifact if the browser session names a session. 402 `budget_exceeded` if the organization's storage is full. Needs the scope `run`.
         */
        post: operations["takeBrowserScreenshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browser/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a browser session
         * @description It ends after half an hour, or after five minutes without use. 503 if no worker has Chromium. Needs the scope `run`.
         */
        post: operations["createBrowserSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browser/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a browser session
         * @description As of the last call; does not ask the browser. 404 `browser_session_not_found` if it is closed or lost. Needs the scope `run`.
         */
        get: operations["getBrowserSession"];
        put?: never;
        post?: never;
        /**
         * Close a browser session
         * @description Ends all its processes shortly after the response. Screenshots stored as artifacts stay. 404 the second time. Needs the scope `run`.
         */
        delete: operations["deleteBrowserSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browser/type": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Type into an element
         * @description 422 if the page has no such field. Needs the scope `run`.
         */
        post: operations["typeInBrowser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/mcp-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your MCP token
         * @description Shows if you have one and when it expires; at most one per organization. The token itself is not shown again. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        get: operations["getToolToken"];
        put?: never;
        /**
         * Create or replace your MCP token
         * @description Replaces your current token. It is valid only for the MCP server at `/mcp`, with the scopes and addresses of the calling key, and expires with it at the latest. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        post: operations["createToolToken"];
        /**
         * Revoke your MCP token
         * @description Takes effect at once, on every process. Harmless without one: `revoked` is false then. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        delete: operations["revokeToolToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/attachments/downloads/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an attachment by its signed URL
         * @description Served as an attachment, with its uploaded name. A URL works for ten minutes, any number of times; then 404 `attachment_not_found`. 403 `ip_not_allowed` if the organization restricts addresses. Needs no key.
         */
        get: operations["openDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/auth/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sign-in methods
         * @description The same for everyone. `sso` is empty if the operator has not configured an identity provider. Needs no key.
         */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with e-mail and password
         * @description Sets the sign-in cookie, which expires after 7 days without use and after 30 days at the latest. A wrong e-mail, password or organization all return `invalid_credentials`; after several failures, `retry-after` says when to try again. Needs no key.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the cookie's sign-in on every process, and deletes the cookie. Harmless without one. Needs no key.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/auth/sign-out-everywhere": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out of all devices
         * @description Takes effect at once, also for open streams. Keys keep working. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        post: operations["signOutEverywhere"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/auth/sso/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete single sign-on
         * @description The identity provider redirects here. Sets the sign-in cookie, like `POST /v3/auth/sign-in`, and redirects to the path given at the start. Needs no key.
         */
        get: operations["finishSso"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/auth/sso/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start single sign-on
         * @description Sets a cookie that is valid for this login and ten minutes, and redirects to the provider, which redirects to `/callback`. Open it in a browser. 404 `not_found` for a provider that is not configured. Needs no key.
         */
        get: operations["startSso"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/hooks/{hookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an automation by its webhook
         * @description Signed as by Standard Webhooks, with the secret that the automation showed once. `webhook-timestamp` may be five minutes off; another delivery with the same `webhook-id` starts nothing. Without a valid signature 401 `unauthorized`, or 429 `rate_limited` after many from one address. 202 with `accepted: false` for a payload that does not meet the conditions. Needs no key.
         */
        post: operations["receiveHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/invites/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description An existing account with this e-mail joins with its own password, or with its sign-in cookie (`invalid_credentials` for another user's). Any other name and password create a new account in this organization only; the response does not reveal if other accounts have the e-mail. A used, revoked or expired link returns `invite_not_found`; 409 `conflict` if a user with the e-mail became a member meanwhile. Needs no key.
         */
        post: operations["acceptInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your organizations
         * @description A user sees every organization they are a member of; any other key sees its own. Accepts any valid key.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description You become its administrator. It starts with an agent named `builtin` and the built-in git host. By default the slug is derived from the name; 409 `slug_taken`. 403 `forbidden` if only the operator creates organizations (`GUILDHALL_ORGANIZATIONS=operator`), and if you have created as many as the operator allows. The response shows a key of yours for it only once, with the scopes, end and addresses of the calling one. Needs the scope `org:write`. Users only: with a personal key, or signed in.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @description By its id or its slug, including slugs of the last 90 days. Needs the scope `org:read`.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete an organization
         * @description It can be restored for 30 days; then it is purged. Until then it serves only reads and `/restore`. 400 unless `confirm` is its slug, 409 `organization_busy` while sessions are running or waiting for a worker. Needs the scope `org:write`.
         */
        delete: operations["deleteOrganization"];
        options?: never;
        head?: never;
        /**
         * Update an organization
         * @description The old slug keeps resolving for 90 days. 409 `slug_taken` if another organization has the new one, or had it in the last 90 days. Needs the scope `org:write`.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List attachments
         * @description Newest first, of the whole organization, without their content. Needs the scope `attachments:read`.
         */
        get: operations["listAttachments"];
        put?: never;
        /**
         * Upload an attachment
         * @description Takes `multipart/form-data` with one field, `file`, of at most 100 MiB (413 `payload_too_large`). `content_type` is detected from the bytes, not taken from the request. Pass it to sessions in `attachment_ids`. 402 `budget_exceeded` if the organization's storage is full. Needs the scope `attachments:write`.
         */
        post: operations["createAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/attachments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an attachment
         * @description Returns its metadata; its content is at `/download`. Needs the scope `attachments:read`.
         */
        get: operations["getAttachment"];
        put?: never;
        post?: never;
        /**
         * Delete an attachment
         * @description Also deletes its content. Its URLs stop working, and messages can no longer name it. Existing sandboxes keep their copy; later ones do not get it. Needs the scope `attachments:write`.
         */
        delete: operations["deleteAttachment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/attachments/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a download URL
         * @description Returns 307 with the URL in `location`. The URL works without a key for ten minutes, for this attachment only: at the blob store if that signs URLs and the organization does not restrict addresses, else at this API. It is served as an attachment, with `nosniff`. Needs the scope `attachments:read`.
         */
        get: operations["downloadAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit log entries
         * @description Every mutation writes one entry, in the same transaction; denied requests (401 with a known key, 403) are counted in one entry per key and minute, which grows until the minute is over. Newest first unless `order=asc`. Needs the scope `org:read`.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/audit-logs/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit actions
         * @description All values for `action=`, including actions that have not occurred here. Needs the scope `org:read`.
         */
        get: operations["listAuditActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/audit-logs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description Every linked entry, one per line, in the order of the chain. Each line is the same `AuditEntry` as in the list, in the canonical form of RFC 8785. Needs the scope `org:read`.
         */
        get: operations["exportAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/audit-logs/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the audit log
         * @description Recomputes the chain and returns its first break. Reads the whole log, so it may take long; concurrent requests share the result. A broken chain returns 200 with `valid: false`. Needs the scope `org:read`.
         */
        get: operations["verifyAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/audit-logs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an audit log entry
         * @description 404 `audit_entry_not_found`. Entries cannot be changed or deleted; they are purged with the organization. Needs the scope `org:read`.
         */
        get: operations["getAuditEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List automations
         * @description Newest first. Filters combine with "and". Needs the scope `sessions:read`.
         */
        get: operations["listAutomations"];
        put?: never;
        /**
         * Create an automation
         * @description Any of its triggers starts a run. The payload of a trigger reaches the agent as marked data after the prompt, never as a part of it. With a webhook, the answer has its signing secret, once. 400 `invalid_schedule` for a time in the past, or a schedule that is invalid or too frequent. Needs the scope `run`.
         */
        post: operations["createAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/runs/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim a run for an external executor
         * @description Returns the oldest run that may start, of automations with the executor `external`; each run goes to one claimer. 204 if there is none within `wait_seconds`. Report to `callback_url` until the attempt ends; docs/external-executors.md has the rules. Needs the scope `run`.
         */
        post: operations["claimAutomationRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run of an automation
         * @description Its status, attempts and result. Needs the scope `sessions:read`.
         */
        get: operations["getAutomationRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/runs/{runId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run of an automation
         * @description Cancels its session too; an external executor learns it from the response to its next report. A second cancellation returns the run unchanged. 409 `invalid_transition` if the run ended otherwise. Needs the scope `run`.
         */
        post: operations["cancelAutomationRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/runs/{runId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a run of an automation
         * @description Starts its next attempt now, however many the automation allows. 409 `invalid_transition` unless the run failed, timed out, was canceled or waits for its next attempt. Needs the scope `run`.
         */
        post: operations["retryAutomationRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check triggers and a prompt template
         * @description Saves nothing. Returns the next five times, tells if a sample payload meets the conditions, and shows the prompt that it makes. 400 as when creating an automation. Needs the scope `run`.
         */
        post: operations["validateAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an automation
         * @description Its revision counts changes of its definition, not its runs. Needs the scope `sessions:read`.
         */
        get: operations["getAutomation"];
        put?: never;
        post?: never;
        /**
         * Delete an automation
         * @description Also deletes its runs. Sessions that it started continue. Needs the scope `run`.
         */
        delete: operations["deleteAutomation"];
        options?: never;
        head?: never;
        /**
         * Update an automation
         * @description Omitted fields stay unchanged, also within `action` and `retry`; `triggers` is replaced. A trigger that is sent with its `id` keeps it, and so a webhook its URL and secret. Only its creator can change the action of an automation that runs as its creator (403 `forbidden`). Runs that started are not changed. Needs the scope `run`.
         */
        patch: operations["updateAutomation"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/{id}/executor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receiver of an automation's external runs
         * @description Without its secret. One that was never set has the URL "". Needs the scope `sessions:read`.
         */
        get: operations["getExternalExecutor"];
        put?: never;
        /**
         * Set the receiver of an automation's external runs
         * @description Runs of the executor `external` are then sent to `url`, signed as in Standard Webhooks, with the body of a claim in `data`. A response other than 2xx fails the attempt. Each call issues a new secret. Needs the scope `run`.
         */
        post: operations["setExternalExecutor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an automation
         * @description No trigger starts it until it is resumed; times that pass are not made up for. Runs that started continue. 200 if it is paused already. Needs the scope `run`.
         */
        post: operations["pauseAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume an automation
         * @description Also after a pause by failures, which it forgets. 200 if it is not paused. Needs the scope `run`.
         */
        post: operations["resumeAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an automation's webhook
         * @description Returns the new `hook_secret`, once; the URL stays. Until the overlap ends, signatures with the old secret are valid, too. 409 `conflict` if the automation has no webhook. Needs the scope `run`.
         */
        post: operations["rotateAutomationSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an automation's runs
         * @description Newest first. Needs the scope `sessions:read`.
         */
        get: operations["listAutomationRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/automations/{id}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an automation now
         * @description Also if it is paused or disabled. Its conditions do not apply; its concurrency rule does, so that the run may be `skipped`. Needs the scope `run`.
         */
        post: operations["triggerAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/blueprints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List blueprints
         * @description One per agent, at its newest version. Needs the scope `org:read`.
         */
        get: operations["listBlueprints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/blueprints/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare blueprints
         * @description `to` names a blueprint, optionally with a version, or contains a manifest. The changes are like the operations of a JSON Patch; nothing is written. Needs the scope `org:read`.
         */
        post: operations["diffBlueprints"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/blueprints/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all blueprints
         * @description All on one page, each at its newest version. As YAML with `Accept: application/yaml`. Needs the scope `org:read`.
         */
        get: operations["exportBlueprints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/blueprints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a blueprint
         * @description Returns its newest version. As YAML with `Accept: application/yaml`. 404 `blueprint_not_found` if its agent was deleted. Needs the scope `org:read`.
         */
        get: operations["getBlueprint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/blueprints/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a blueprint
         * @description Newest first, one per version of the agent. Each includes what the organization gives all of its agents now. Needs the scope `org:read`.
         */
        get: operations["listBlueprintVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/change-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List change requests
         * @description Of all repositories, newest first. Waits at most 5 seconds for trial merges; `mergeable` of an item that takes longer is false until a later request. Needs the scope `repos:read`.
         */
        get: operations["listAllChangeRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List billing cycles
         * @description A cycle is a month in UTC. Newest first, from the current one. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["listBillingCycles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/cycles/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a billing cycle
         * @description CSV with a line for each day with use, or for each day and group. A text that a spreadsheet would run as a formula has an apostrophe (') in front. Needs the scope `analytics:read`.
         */
        get: operations["exportBillingCycle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the consumption by day
         * @description Of the whole organization, and of the groups that cost most. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getDailyConsumption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/daily/groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group's consumption by day
         * @description Calls of the sessions of users who were members at the time. Days are days in UTC; the quota of a group, at `/groups/{id}/usage`, has days in its time zone. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getGroupConsumption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/daily/service-users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a service user's consumption by day
         * @description Includes child sessions of the service user's sessions. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getServiceUserConsumption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/daily/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session's consumption by day
         * @description Also of a deleted session. Without its child sessions. Never behind. Needs the scope `analytics:read`.
         */
        get: operations["getSessionConsumption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/daily/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user's consumption by day
         * @description Includes child sessions of the user's sessions. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getUserConsumption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/consumption/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List current and former prices of models
         * @description The prices in the settings `models`, newest first, with the times at which they applied. A change of a price never changes the cost of earlier calls. Needs the scope `analytics:read`.
         */
        get: operations["listModelPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream an organization's events
         * @description Server-sent events: what happens in the organization from now on, as far as your scopes allow you to read it. Events of private notes and secrets go only to their owner. Each event has three lines and an empty one: `id:` is its `seq`, `event:` its `type`, `data:` the `OrganizationEvent` as JSON in one line. `session.activity_changed` tells what a session does, at most once a second; it has no `id:`, is not sent to webhooks, and is not kept. A comment, `: heartbeat`, is sent after 15 s of silence. Send the last `id` as `Last-Event-ID` to resume after a lost connection, as browsers do by themselves. Events are kept for a day. If yours are no longer kept, an event `reset` comes first: read again what you show. The stream ends when your permission changes; reconnect. Accepts any valid key.
         */
        get: operations["streamOrganizationEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/git-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List git connections
         * @description Newest first. There is one to the built-in git host from the start. Needs the scope `repos:read`.
         */
        get: operations["listGitConnections"];
        put?: never;
        /**
         * Create a git connection
         * @description Rejects every body: `local` with 409, because every organization has that connection from the start, and `github` and `gitlab` with 400. Import their repositories with `import_url` of `POST /repositories`. Needs the scope `repos:write`.
         */
        post: operations["createGitConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/git-connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a git connection
         * @description Without its credentials. Needs the scope `repos:read`.
         */
        get: operations["getGitConnection"];
        put?: never;
        post?: never;
        /**
         * Delete a git connection
         * @description 409 `connection_in_use` while repositories use it, unless `force=true`; 409 `conflict` for the built-in git host, which every organization keeps. Needs the scope `repos:write`.
         */
        delete: operations["deleteGitConnection"];
        options?: never;
        head?: never;
        /**
         * Update a git connection
         * @description Only `name` can be changed. Needs the scope `repos:write`.
         */
        patch: operations["updateGitConnection"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/git-connections/{id}/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a git connection's repositories
         * @description Newest first. The same as `GET /repositories`, for this connection only. Needs the scope `repos:read`.
         */
        get: operations["listGitConnectionRepositories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/git-connections/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a git connection
         * @description For the built-in git host, checks that its directory is writable. If it works, `last_verified_at` is now; otherwise the request fails. Needs the scope `repos:write`.
         */
        post: operations["verifyGitConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups
         * @description Newest first, with their limits; their use is at `/usage`. Needs the scope `org:read`.
         */
        get: operations["listGroups"];
        put?: never;
        /**
         * Create a group
         * @description Names are unique, case-insensitively (409 `conflict`). Omitted limits are unlimited. Needs the scope `org:write`.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group
         * @description Returns its limits; its use is at `/usage`, and its members are at `/members`. Needs the scope `org:read`.
         */
        get: operations["getGroup"];
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description Also deletes its usage records. Its members stay in the organization. Running sessions continue, and sessions that wait for the group stop waiting. Needs the scope `org:write`.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        /**
         * Update a group
         * @description Omitted fields stay unchanged, also within the limits; null removes a limit. Sessions that wait for the group are checked again. Needs the scope `org:write`.
         */
        patch: operations["updateGroup"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/groups/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a group's members
         * @description Newest first, in the format of `GET /members`. Needs the scope `org:read`.
         */
        get: operations["listGroupMembers"];
        /**
         * Replace a group's members
         * @description Removes all other members; `[]` empties the group. 404 `user_not_found`, without any change, if a user is not a member of the organization. Sessions that wait for the group are checked again. The `ETag` is the group's: read the group before its members, and send it as `If-Match`. Needs the scope `org:write`.
         */
        put: operations["replaceGroupMembers"];
        /**
         * Add members to a group
         * @description Existing members stay. 404 `user_not_found` if a user is not a member of the organization. Needs the scope `org:write`.
         */
        post: operations["addGroupMembers"];
        /**
         * Remove members from a group
         * @description The body lists them; users outside of the group are ignored. Sessions that wait for the group are checked again. Needs the scope `org:write`.
         */
        delete: operations["removeGroupMembers"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/groups/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group's usage of one day
         * @description A day starts at midnight in the group's time zone; a day without use returns zeros. Needs the scope `org:read`.
         */
        get: operations["getGroupUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List guardrails of repositories
         * @description Those for which something is set, newest repository first. Needs the scope `guardrails:read`.
         */
        get: operations["listGuardrails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the default guardrails
         * @description They hold for every repository that does not set a rule itself, and for sessions without one. Needs the scope `guardrails:read`.
         */
        get: operations["getDefaultGuardrails"];
        /**
         * Replace the default guardrails
         * @description Omitted rules get their defaults. A running session has the rules from its next check on. Needs the scope `guardrails:write`.
         */
        put: operations["replaceDefaultGuardrails"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails/effective": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the effective guardrails
         * @description The rules for sessions on a repository, or for those without one, and where each is set. A session on several repositories has to follow the rules of each. Needs the scope `guardrails:read`.
         */
        get: operations["getEffectiveGuardrails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate guardrails
         * @description A dry run: returns what would be blocked now, or warned about. Nothing is recorded. Needs the scope `guardrails:write`.
         */
        post: operations["evaluateGuardrails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails/violations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List violations of guardrails
         * @description Newest first. Needs the scope `guardrails:read`.
         */
        get: operations["listViolations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails/violations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a violation
         * @description Its evidence has no secrets. Needs the scope `guardrails:read`.
         */
        get: operations["getViolation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails/violations/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge a violation
         * @description Harmless for an acknowledged one: the first acknowledgement stays. Needs the scope `guardrails:write`.
         */
        post: operations["acknowledgeViolation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/guardrails/{repoId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a repository's guardrails
         * @description Rules that are not in `set_keys` are inherited from the default. Needs the scope `guardrails:read`.
         */
        get: operations["getGuardrails"];
        /**
         * Replace a repository's guardrails
         * @description It inherits omitted rules from the default. A running session has the rules from its next check on. Needs the scope `guardrails:write`.
         */
        put: operations["replaceGuardrails"];
        post?: never;
        /**
         * Delete a repository's guardrails
         * @description It then inherits all rules. Harmless if nothing is set. Needs the scope `guardrails:write`.
         */
        delete: operations["deleteGuardrails"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/ip-access-list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the IP access list
         * @description In the order of the last replacement; entries added later come last. Needs the scope `org:read`.
         */
        get: operations["getIpAccessList"];
        /**
         * Replace the IP access list
         * @description While the list is enabled, keys of the organization are denied with 403 `ip_not_allowed` from any other address. Existing entries keep their ids. Rejects two entries with the same canonical form, and a list that would lock out your own address (409 `would_lock_out`) unless `force` is true. Needs the scope `org:write`.
         */
        put: operations["replaceIpAccessList"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/ip-access-list/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check an address against the IP access list
         * @description Read-only. 400 for an invalid address; while the list is disabled every address is allowed. Needs the scope `org:read`.
         */
        get: operations["checkIpAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/ip-access-list/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an IP access list entry
         * @description Adds it at the end of the list. 409 `conflict` if the list already has that range in any form, or has 200 entries. Needs the scope `org:write`.
         */
        post: operations["addIpAccessEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/ip-access-list/entries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an IP access list entry
         * @description 409 `would_lock_out` if that would lock out your own address. Needs the scope `org:write`.
         */
        delete: operations["removeIpAccessEntry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export knowledge notes
         * @description Returns a zip of Markdown files with the notes that you can see and that match the filters. Each file has the note's fields as front matter in YAML, followed by the body; an import restores the same notes. Needs the scope `knowledge:read`.
         */
        get: operations["exportKnowledge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import knowledge notes
         * @description Takes `multipart/form-data` with fields `file`, each a Markdown file or a zip of them: at most 32 MiB, 10,000 files, and 64 MiB unpacked. A file has front matter in YAML with `name` and `trigger`, and optionally `scope`, `repo_filter`, `enabled` and `note_id`. It updates the note with that id, or else with that name and scope, or creates one. Invalid files are reported and do not affect the others. Needs the scope `memory:write`.
         */
        post: operations["importKnowledge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List knowledge notes
         * @description Newest first. Only their owner sees notes of the scope `user`. Needs the scope `knowledge:read`.
         */
        get: operations["listKnowledgeNotes"];
        put?: never;
        /**
         * Create a knowledge note
         * @description Sessions that start from now on get it if it matches their prompt and repositories. Needs the scope `memory:write`.
         */
        post: operations["createKnowledgeNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a knowledge note
         * @description Returns its newest revision. 404 also for another user's note of the scope `user`. Needs the scope `knowledge:read`.
         */
        get: operations["getKnowledgeNote"];
        /**
         * Replace a knowledge note
         * @description Creates the next revision; omitted fields get their defaults. A change without effect creates none. Needs the scope `memory:write`.
         */
        put: operations["replaceKnowledgeNote"];
        post?: never;
        /**
         * Delete a knowledge note
         * @description Deletes all its revisions too. Sessions that already got it keep its content. Needs the scope `memory:write`.
         */
        delete: operations["deleteKnowledgeNote"];
        options?: never;
        head?: never;
        /**
         * Update a knowledge note
         * @description Creates the next revision; omitted fields stay unchanged. A change without effect creates none. Needs the scope `memory:write`.
         */
        patch: operations["updateKnowledgeNote"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/notes/{noteId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a knowledge note's revisions
         * @description Newest first, with full content. Only their owner sees revisions from when the note had the scope `user`. Needs the scope `knowledge:read`.
         */
        get: operations["listKnowledgeNoteVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/notes/{noteId}/versions/{revision}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a knowledge note's revision
         * @description Creates a new revision with the name, trigger, body, scope and repositories of the given one; no revision is lost. 404 `knowledge_note_not_found` if the revision does not exist. Needs the scope `memory:write`.
         */
        post: operations["restoreKnowledgeNoteVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search knowledge notes by prompt
         * @description Returns the notes that a session with this prompt would be given: best first, at most the setting `knowledge.max_notes_per_session`. With `repo`, for a session on that repository, or on several separated by commas; without it, for any repository. Needs the scope `knowledge:read`.
         */
        get: operations["searchKnowledge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List knowledge suggestions
         * @description Newest first. The setting `knowledge.auto_suggest` turns suggestions off. Needs the scope `knowledge:read`.
         */
        get: operations["listKnowledgeSuggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/suggestions/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a knowledge suggestion
         * @description Creates a note and returns it. Fields in the body replace the suggested ones; without a scope the note applies to the session's repository. 409 `conflict` if the suggestion was already accepted or dismissed. Needs the scope `memory:write`.
         */
        post: operations["acceptKnowledgeSuggestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/knowledge/suggestions/{id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss a knowledge suggestion
         * @description An equal one is not suggested again. 409 `conflict` if it was already accepted or dismissed. Needs the scope `memory:write`.
         */
        post: operations["dismissKnowledgeSuggestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List MCP servers
         * @description Newest first. Secrets are listed by name only. Needs the scope `plugins:read`.
         */
        get: operations["listMcpServers"];
        put?: never;
        /**
         * Create an MCP server
         * @description Set `url`, or a `command` that runs inside sandboxes. Reference a credential in `env` or `headers` as `${NAME}` and set its value separately; literal credentials are rejected. Needs the scope `plugins:write`.
         */
        post: operations["createMcpServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/mcp-servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an MCP server
         * @description Includes the repositories it applies to; secrets are listed by name only. `/tools` has its tools. Needs the scope `plugins:read`.
         */
        get: operations["getMcpServer"];
        put?: never;
        post?: never;
        /**
         * Delete an MCP server
         * @description Deletes its secrets too. Permanent; sessions can no longer request it. Needs the scope `plugins:write`.
         */
        delete: operations["deleteMcpServer"];
        options?: never;
        head?: never;
        /**
         * Update an MCP server
         * @description Replaces `args`, `env`, `headers` and `repos` entirely. Sessions get the change with their next fresh sandbox. After a change of `url`, `command`, `args` or `env`, secrets must be set again: a value goes only where it was set for. An administrator who sends the current values again becomes their author, so that the server can run beside other members' own secrets. Needs the scope `plugins:write`.
         */
        patch: operations["updateMcpServer"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/mcp-servers/{id}/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set an MCP server's secret
         * @description Sets the value of `${NAME}` in `env` and `headers`; it is write-only and can be replaced. It is bound to the server's current `url`, or `command` with `args` and `env`. 409 `conflict` for the 51st. Needs the scope `plugins:write`.
         */
        put: operations["setMcpServerSecret"];
        post?: never;
        /**
         * Delete an MCP server's secret
         * @description References to `${NAME}` then have no value. 404 `secret_not_found` if the secret does not exist. Needs the scope `plugins:write`.
         */
        delete: operations["deleteMcpServerSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/mcp-servers/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test an MCP server
         * @description A worker connects to it for at most 15 s: to a URL through the gateway, to a command in a separate sandbox. A failure also returns 200: `problem` gives the reason. Needs the scope `plugins:write`.
         */
        post: operations["testMcpServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/mcp-servers/{id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an MCP server's tools
         * @description Asks the server for its current tools. 403 `address_not_allowed` if the operator does not allow its address, 502 `upstream_error` if the connection fails. Needs the scope `plugins:read`.
         */
        get: operations["listMcpServerTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Newest first. Service users and apps are not members. Needs the scope `org:read`.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/members/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description Newest first, including accepted, revoked and expired ones; never their links. Needs the scope `org:read`.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Create invitations
         * @description Each address has its own result. The invitation is sent by mail; without a mail server, pass on `accept_url`. A link works for seven days, or until your own key expires if that is sooner. 403 `forbidden` for a permission with scopes that your own key lacks. Needs the scope `org:write`.
         */
        post: operations["createInvites"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/members/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an invitation
         * @description Its link stops working at once. 409 `already_revoked` the second time, and `conflict` for an accepted one: remove the member instead. Needs the scope `org:write`.
         */
        delete: operations["revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/members/invites/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend an invitation
         * @description Sends a new link, which works for seven days; the previous one stops working. 409 `conflict` for an accepted or revoked invitation, and 403 `forbidden` for a permission with scopes that your own key lacks. Needs the scope `org:write`.
         */
        post: operations["resendInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a member
         * @description 404 `user_not_found` for anyone who is not a member, even if the user exists. Needs the scope `org:read`.
         */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Revokes their keys and MCP token of the organization at once; their sign-ins no longer give access to it, and their own secrets and notes are deleted. Sessions that they started continue. 409 `last_admin`: the last administrator cannot be removed. Needs the scope `org:write`.
         */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /**
         * Update a member's permission
         * @description Takes effect with their next request. 409 `last_admin`: the last administrator cannot be demoted. 403 `forbidden` for a permission with scopes that your own key lacks. Needs the scope `org:write`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/memory/generated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List generated memory
         * @description Read-only: agents generate it, and it is collected after each run. Writing anything but its deletion returns 403 `memory_read_only`. Needs the scope `knowledge:read`.
         */
        get: operations["listGeneratedMemory"];
        put?: never;
        post?: never;
        /**
         * Delete generated memory
         * @description Permanent; harmless if there is none. Earlier sessions keep their files, and later ones collect new memory. Needs the scope `memory:write`.
         */
        delete: operations["deleteGeneratedMemory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/memory/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List memory notes
         * @description Newest first. `materialized_revision` is the newest revision that sessions of the repository were given. Needs the scope `knowledge:read`.
         */
        get: operations["listMemoryNotes"];
        put?: never;
        /**
         * Create a memory note
         * @description Sessions get it when they start in a fresh workspace with memory enabled, never during a run. 400 `content_required`, `content_too_large`, `title_too_long`. Needs the scope `memory:write`.
         */
        post: operations["createMemoryNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/memory/notes/{memoryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a memory note
         * @description Returns its newest revision. `materialized_revision` is the newest one that sessions were given. Needs the scope `knowledge:read`.
         */
        get: operations["getMemoryNote"];
        put?: never;
        post?: never;
        /**
         * Delete a memory note
         * @description Sessions that start later are told about the deletion. Needs the scope `memory:write`.
         */
        delete: operations["deleteMemoryNote"];
        options?: never;
        head?: never;
        /**
         * Update a memory note
         * @description A change of title or content creates a new revision; older ones are kept. Needs the scope `memory:write`.
         */
        patch: operations["updateMemoryNote"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/memory/projections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List memory projections
         * @description Lists the note revisions in each file of a session, all on one page; empty if memory was disabled. 404 `session_not_found`. Needs the scope `knowledge:read`.
         */
        get: operations["listMemoryProjections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/metrics/active-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the number of active users
         * @description A user who is active on several days of an interval counts once. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getActiveUserMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/metrics/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics of automations
         * @description Of their runs, and of the sessions that they created; their cost is at `/consumption/daily?group_by=automation`. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getAutomationMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/metrics/change-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics of change requests
         * @description Of those that sessions opened; each event counts on the day on which it happened. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getChangeRequestMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/metrics/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics of reviews
         * @description Of sessions that review a change request. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getReviewMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/metrics/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics of sessions
         * @description Each event counts on the day on which it happened. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getSessionMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/metrics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics of sessions, change requests and usage
         * @description The three together. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getSummaryMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/metrics/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics of usage
         * @description Tokens, cost and time in sandboxes. Days are days in UTC. Up to two minutes behind. Needs the scope `analytics:read`.
         */
        get: operations["getUsageMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models
         * @description The models of the configured providers that are known here, at most 500, without asking the providers. Sessions accept other models of these providers, too, if they are allowed. Needs the scope `run`.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List repositories
         * @description Newest first. Repositories of other git hosts appear only after their import. Needs the scope `repos:read`.
         */
        get: operations["listRepositories"];
        put?: never;
        /**
         * Create a repository
         * @description Creates it on the built-in git host, or connects one. `import_url` (http, https) is cloned before the response; nothing is created if that fails. 402 `budget_exceeded` if the organization's storage is full. Needs the scope `repos:write`.
         */
        post: operations["createRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a repository
         * @description Includes its `clone_url`, and how sessions set it up and check it. Needs the scope `repos:read`.
         */
        get: operations["getRepository"];
        put?: never;
        post?: never;
        /**
         * Delete a repository
         * @description It disappears at once for the API, for git and for sessions, with its change requests, secrets and MCP servers, and its name is free. It can be restored for 30 days; then it is purged. 409 `repository_in_use` while a change request is open or a session works or waits there, unless `force=true`. Needs the scope `repos:write`.
         */
        delete: operations["deleteRepository"];
        options?: never;
        head?: never;
        /**
         * Update a repository
         * @description Omitted parts of `environment` stay unchanged. Sessions provisioned from now on use it. 400 for a branch that does not exist; an empty repository accepts any. Needs the scope `repos:write`.
         */
        patch: operations["updateRepository"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/change-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a repository's change requests
         * @description Newest first, opened by sessions or by users. Needs the scope `repos:read`.
         */
        get: operations["listChangeRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a change request
         * @description Includes the evidence of the session that opened it, and if it can be merged now. The changes are at `/diff`. Needs the scope `repos:read`.
         */
        get: operations["getChangeRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a change request
         * @description Its branch stays. The session that opened it gets an event. 409 `change_request_closed` if it is merged or closed. Needs the scope `repos:write`.
         */
        post: operations["closeChangeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a change request's comments
         * @description Newest first: comments on lines and on the whole, including resolved ones; a reply names the comment it replies to. Needs the scope `repos:read`.
         */
        get: operations["listChangeRequestComments"];
        put?: never;
        /**
         * Create a change request comment
         * @description With `file` and `line`, comments on a line, which need not be part of the change; without them, on the whole. Merged and closed change requests accept comments too. Sessions are not notified. Needs the scope `repos:write`.
         */
        post: operations["commentOnChangeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}/comments/{commentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a change request comment
         * @description Anyone who may write to the repository can resolve it; only its author, or `org:write`, can change `body`. Needs the scope `repos:write`.
         */
        patch: operations["updateChangeRequestComment"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a change request's diff
         * @description From the merge base to the newest commit of its branch; for a merged or closed one, as of that time. Needs the scope `repos:read`.
         */
        get: operations["getChangeRequestDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge a change request
         * @description Merges it into its base branch at once, as a merge commit or as one squashed commit; drafts too. Its branch stays, and the session that opened it gets an event. 409 `merge_conflict`, or `change_request_closed` if it is not open; nothing changes then. Needs the scope `repos:write`.
         */
        post: operations["mergeChangeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/repositories/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a deleted repository
         * @description Restores it with its commits, change requests, comments, secrets and MCP servers. 404 `repository_not_found` if it was deleted more than 30 days ago; 409 `repository_exists` while another repository has its name (delete that one first), and 409 `conflict` if it is not deleted. Needs the scope `repos:write`.
         */
        post: operations["restoreRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a deleted organization
         * @description Undoes a deletion of the last 30 days; no data is lost until then. 409 `conflict` for an organization that is not deleted. Needs the scope `org:write`.
         */
        post: operations["restoreOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List role assignments
         * @description Every member has one, newest first: `regular`, with `updated_at` null, if none was set. Needs the scope `org:read`.
         */
        get: operations["listRoleAssignments"];
        /**
         * Assign a role
         * @description Name the member by either `user_id` or `email`. Idempotent. Needs the scope `org:write`.
         */
        put: operations["setRoleAssignment"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/roles/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a member's role
         * @description `regular`, with `updated_at` null, if none was set. 404 `user_not_found` for anyone who is not a member. Needs the scope `org:read`.
         */
        get: operations["getRoleAssignment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List secrets
         * @description Without their values. Only their owner sees secrets of the scope `user`. Needs the scope `secrets:read`.
         */
        get: operations["listSecrets"];
        put?: never;
        /**
         * Create a secret
         * @description The value is write-only. Of secrets with the same key, a session gets its creator's first, then its repository's, then the organization's. A secret of the organization or a repository that another member wrote last does not enter an agent's sandbox together with secrets of the session's creator. 409 `secret_exists` if the key is taken in the same scope, `conflict` if there are 100 already; 400 for a key that the sandbox reserves. Needs the scope `secrets:write`.
         */
        post: operations["createSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/secrets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a secret
         * @description Without its value. Needs the scope `secrets:read`.
         */
        get: operations["getSecret"];
        /**
         * Set a secret's value
         * @description Creates the next version, even for an unchanged value; sessions get it when their next turn starts. The caller becomes the author of the value, as members with their own secrets see it. Needs the scope `secrets:write`.
         */
        put: operations["setSecretValue"];
        post?: never;
        /**
         * Delete a secret
         * @description Existing sandboxes keep it until they end. Needs the scope `secrets:write`.
         */
        delete: operations["deleteSecret"];
        options?: never;
        head?: never;
        /**
         * Update a secret's settings
         * @description Omitted fields stay unchanged. Key, scope and value cannot be changed here. 400 if the value does not fit the new settings, such as one with several lines for `broker`. An administrator who sends `kind`, `exposure` and, if there are any, `allowed_hosts` becomes their author, even if they are unchanged. Needs the scope `secrets:write`.
         */
        patch: operations["updateSecret"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/secrets/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a secret's uses
         * @description The sessions that got it, newest first. A session that got several versions lists each. Needs the scope `secrets:read`.
         */
        get: operations["listSecretUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/service-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List service users
         * @description Newest first, including disabled ones. Needs the scope `org:read`.
         */
        get: operations["listServiceUsers"];
        put?: never;
        /**
         * Create a service user
         * @description A program that calls the API with keys of its own. It needs a key first. Needs the scope `org:write`.
         */
        post: operations["createServiceUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/service-users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a service user
         * @description Also returns a disabled one. Its keys are at `/keys`. Needs the scope `org:read`.
         */
        get: operations["getServiceUser"];
        put?: never;
        post?: never;
        /**
         * Delete a service user
         * @description Disables it permanently: it stays readable, with `disabled_at`. Revokes its keys at once, on every process, and deletes its own secrets. Idempotent. Needs the scope `org:write`.
         */
        delete: operations["deleteServiceUser"];
        options?: never;
        head?: never;
        /**
         * Update a service user
         * @description Omitted fields stay unchanged. Its keys are not affected. Needs the scope `org:write`.
         */
        patch: operations["updateServiceUser"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/service-users/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a service user's keys
         * @description Newest first, including revoked ones; never the keys themselves. Needs the scope `org:read`.
         */
        get: operations["listServiceUserKeys"];
        put?: never;
        /**
         * Create a service user's key
         * @description A key cannot have scopes, a later end or other addresses than your own key (403 `forbidden`); what you omit is copied from it. 409 `conflict` for a disabled service user, and beyond 500 active keys. The response shows the key only once; a repeated request with the same `Idempotency-Key` omits it. Needs the scope `org:write`.
         */
        post: operations["createServiceUserKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/service-users/{id}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a service user's key
         * @description Takes effect at once, on every process, also for open streams. Unless `made=keep`, also revokes what the key created, recursively: keys, MCP tokens and pending invitations; not the calling key and what that created. 409 `already_revoked` the second time. Needs the scope `org:write`.
         */
        delete: operations["revokeServiceUserKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/service-users/{id}/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a service user's key
         * @description The new key has the name, scopes, end and addresses of the old one, which works for `overlap_seconds` more. 409 `already_revoked`, or `conflict` for an expired key and for a disabled service user; 403 `forbidden` if it has scopes, a later end or other addresses than yours. The response shows the key only once; a repeated request with the same `Idempotency-Key` omits it. Needs the scope `org:write`.
         */
        post: operations["rotateServiceUserKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Newest first, unless `sort` says otherwise. Archived sessions are listed only with `archived`. A filter takes one value, or several separated by commas; filters combine with "and". 400 for an unknown status, detail, attention, verification or origin. Needs the scope `sessions:read`.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Create a session
         * @description Returns as soon as the session is `queued`. A worker starts it, and `/events/stream` shows its progress. Only `prompt` is required. 400 `tag_not_allowed` if the run tag policy refuses a tag, 404 if the repository or agent does not exist in this organization, 402 `budget_exceeded` if a group of the user has reached its daily limit, 403 `forbidden` for a model that the caller may not use. The worker checks the ref: if it does not exist, the session ends `failed` with `clone_failed`. Needs the scope `run`.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change several sessions
         * @description Does the same with up to 200 sessions, like the operation on one: each has its own result, its own audit entry and its own event, and one that is refused does not stop the others. 400 `invalid_request` for `tags` with another action than `tag`, or none with it. Needs the scope `run`.
         */
        post: operations["changeSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count sessions
         * @description Counts the sessions that match the filters of the list, by how they stand; each is in one of the counts besides `unread`. A count is exact up to 10,000; above that it is an estimate, and never smaller. Needs the scope `sessions:read`.
         */
        get: operations["countSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session queue
         * @description Counts the organization's waiting sessions. Workers and slots are those of the whole installation. Needs the scope `sessions:read`.
         */
        get: operations["getSessionQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session
         * @description Returns its current state. `/events` has its history, and `/events/stream` what happens next. Needs the scope `sessions:read`.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Delete a session
         * @description Permanently deletes its messages, events, checkpoints and artifacts. Pushed branches and change requests stay. 409 `session_active` while it runs or waits, unless `force=true`. Needs the scope `run`.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /**
         * Update a session
         * @description Omitted fields keep their values; `tags`, `metadata` and `budget` are replaced as a whole. A new budget applies at once, also to a running session. A session suspended as `budget_reached` continues with `/resume`. 400 `tag_not_allowed` if the run tag policy refuses a tag. Needs the scope `run`.
         */
        patch: operations["updateSession"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's approvals
         * @description Newest first, including decided ones; `state` is `pending` for an open one. Needs the scope `sessions:read`.
         */
        get: operations["listSessionApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/approvals/{approvalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide an approval
         * @description If approved, the session carries out the plan, or `edited_plan` instead. If denied with a note, it plans again. If denied without one, or not decided in time, it waits for a message. A message sent while the approval is pending denies the plan and steers the next one. A decision is final: 409 `already_decided`. Needs the scope `run`.
         */
        post: operations["decideSessionApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a session
         * @description Hides it from lists by default. Nothing is deleted, and a message unarchives it. 409 `invalid_transition` unless it is completed, failed or canceled. Needs the scope `run`.
         */
        post: operations["archiveSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's artifacts
         * @description Newest first, without their content. If the log has only part of a command's output, an artifact has all of it. Needs the scope `sessions:read`.
         */
        get: operations["listSessionArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/artifacts/{artifactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an artifact
         * @description Returns its bytes as an attachment, with the artifact's media type. 404 `artifact_not_found`. Needs the scope `sessions:read`.
         */
        get: operations["getSessionArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a session
         * @description Ends it at once and permanently; it cannot be resumed. Pushed branches stay. Repeating it answers 200; a completed or failed session is 409 `invalid_transition`. Needs the scope `run`.
         */
        post: operations["cancelSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/change-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's change requests
         * @description Newest first: those that it opened, and those opened for its branch. Needs the scope `sessions:read`.
         */
        get: operations["listSessionChangeRequests"];
        put?: never;
        /**
         * Open a change request
         * @description For a branch that was pushed without one, for example with `deliver: branch` or after a failed check. If one is open for the branch, it is updated. 409 `session_active` while the session is queued or runs, because it opens its own; 409 `conflict` if it pushed no branch to the repository. Needs the scope `run`.
         */
        post: operations["openSessionChangeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's children
         * @description Newest first, including archived ones. Lists direct children only. Needs the scope `sessions:read`.
         */
        get: operations["listSessionChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session's context
         * @description What the session was given, each with its reason: knowledge, memory, skills, MCP servers, the browser, secrets by name, and the settings that apply. Empty until its first turn starts. Needs the scope `sessions:read`.
         */
        get: operations["getSessionContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session's diff
         * @description Compares its newest checkpoint with its base commits; empty before the first checkpoint. With several repositories, each path starts with the directory of its repository. Secrets are masked. Needs the scope `sessions:read`.
         */
        get: operations["getSessionDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's events
         * @description Oldest first. Send `after_seq` to get only newer events, `before_seq` to page backwards, or both for a part of the log; a page that can no longer change, because it is before a `before_seq` that exists, may be cached (`cache-control: private, immutable`). `total` counts the events that match. With `search` it counts what the request found, and a search that takes longer than a second stops: `scan.complete` is then false, and `end_cursor` goes on from there, also from an empty page. Begins with the first event that is kept (settings `retention`); 410 `stream_expired` if the events at its position are no longer kept, with the first one that is as `details.first_seq`. `/events/stream` sends the same events and stays open for new ones. Needs the scope `sessions:read`.
         */
        get: operations["listSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream a session's events
         * @description Server-sent events. The first is the current status, without an `id:` line; its `seq` is the number of the last event. Every event after `Last-Event-ID`, or `after_seq`, or from the first that is kept follows, then new ones as they happen. Each event has three lines and an empty one: `id:` is its `seq`, `event:` its `kind`, `data:` the `SessionEvent` as JSON in one line. A comment, `: heartbeat`, is sent after 15 s of silence. Send the last `id` as `Last-Event-ID` to resume after a lost connection, as browsers do by themselves. 410 `stream_expired` if events after it are no longer kept (settings `retention`): start again without it. The stream ends when the session is canceled or deleted. Needs the scope `sessions:read`.
         */
        get: operations["streamSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Interrupt a session
         * @description Ends the current turn; the session then waits for a message. A worker usually does this within a second; the response waits up to 2 s for it. If the session is still `running` then, a `status` event follows. A waiting session answers 200; any other state is 409 `invalid_transition`. Needs the scope `run`.
         */
        post: operations["interruptSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's messages
         * @description Oldest first: the prompt and the messages of users; `state` shows whether the session received one. Messages of the agent are in `/events`, as events of the kind `message`. Needs the scope `sessions:read`.
         */
        get: operations["listSessionMessages"];
        put?: never;
        /**
         * Send a message to a session
         * @description Works in every state: a running session receives it according to `delivery`, a waiting or ended one starts a new turn with it, and a suspended one resumes. It denies a plan that waits for approval. 409 `session_terminal` if the session was canceled or failed before its first checkpoint, 402 `budget_exceeded` if the limit that suspended the session was not raised or a group has reached its daily limit, 403 `forbidden` if the session uses personal secrets of its creator and another user sends the message. Needs the scope `run`.
         */
        post: operations["sendSessionMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw a message
         * @description Only while its `state` is `queued`; otherwise, and for a message about a decision on a plan, 409 `invalid_transition`. It stays in the list as `withdrawn`. Needs the scope `run`.
         */
        delete: operations["withdrawSessionMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/patch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session's patch
         * @description The changes as text for `git apply`, including binary files; several repositories follow one another. 503 `capacity_unavailable` while too many patches are being created. Needs the scope `sessions:read`.
         */
        get: operations["getSessionPatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mark a session as read
         * @description Records how far you have read its log, for you alone. A session that you have marked is `unread` again when it stops after that event. The mark never goes back, so a second window that is behind changes nothing. Needs the scope `sessions:read`. Users only: with a personal key, or signed in.
         */
        put: operations["markSessionRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a session
         * @description Queues it without a new message. A queued or running session answers 200. 409 `invalid_transition` if it waits or was canceled, 409 `session_terminal` if it failed before its first checkpoint, 402 `budget_exceeded` if the limit that it reached was not raised or a group has reached its daily limit. Needs the scope `run`.
         */
        post: operations["resumeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a session
         * @description Saves a checkpoint and frees its sandbox. A worker usually does this within a second; the response waits up to 2 s for it. If the session is still `running` then, a `status` event follows. A message or `/resume` continues it. Only a running or waiting session can be suspended; otherwise 409 `invalid_transition`. Needs the scope `run`.
         */
        post: operations["suspendSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unarchive a session
         * @description Its status does not change. A session that is not archived answers 200 too. Needs the scope `run`.
         */
        post: operations["unarchiveSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/sessions/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session's usage
         * @description Covers all turns, in total and by model. The usage of its child sessions is not included. Needs the scope `sessions:read`.
         */
        get: operations["getSessionUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List settings
         * @description Includes unchanged ones, in a fixed order. Each has its full effective value, including defaults. Needs the scope `org:read`.
         */
        get: operations["listSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/settings/{namespace}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a namespace's settings
         * @description The full effective value, including defaults. 400 `unknown_namespace`. Needs the scope `org:read`.
         */
        get: operations["getSettings"];
        /**
         * Replace a namespace's settings
         * @description Omitted keys get their defaults. 400 `unknown_namespace` for an unknown namespace. 400 `invalid_request`, which names the place, for an invalid value, for one above the limits of the operator, and for one that names an agent, secret or provider that does not exist. A session keeps the settings from the start of its turn. Needs the scope `org:write`.
         */
        put: operations["replaceSettings"];
        post?: never;
        /**
         * Reset a namespace's settings
         * @description Harmless for a namespace with defaults. Sessions keep the settings from the start of their turn. 400 `unknown_namespace`. Needs the scope `org:write`.
         */
        delete: operations["resetSettings"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/settings/{namespace}/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a namespace's JSON Schema
         * @description The same for every organization, with defaults, limits (including those of the operator) and descriptions. 400 `unknown_namespace`. Needs the scope `org:read`.
         */
        get: operations["getSettingsSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List skills
         * @description With `repo`, lists the skills that apply to the repository, and those stored in a repository of the built-in git host, at `.agents/skills/*\/SKILL.md` or `.claude/skills/*\/SKILL.md` of its default branch. The latter have the `source` `repository` and can be changed only by commits (409 `conflict` here). Needs the scope `plugins:read`.
         */
        get: operations["listSkills"];
        put?: never;
        /**
         * Create a skill
         * @description A skill is a directory with a SKILL.md in the open format (https://agentskills.io/specification). It can have at most 100 files of 256 KiB each and 1 MiB in total, no paths outside the directory and no links. Send the files as JSON, or a zip archive as `application/zip` or in the form field `file`; a single top-level directory in the archive is stripped. SKILL.md gives its name and description; 409 `conflict` if the name is taken. Needs the scope `plugins:write`.
         */
        post: operations["createSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/skills/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a skill from git
         * @description Stores the origin in `metadata.import`. Importing from the same `url` and `path` again creates a new revision of the skill. Needs the scope `plugins:write`.
         */
        post: operations["importSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/skills/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Resolve a session's skills
         * @description Returns the skills that a session would get first, those that match the prompt before the others; then the remaining ones, each with the reason why it is not given. Needs the scope `plugins:read`.
         */
        get: operations["resolveSkills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/skills/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate a skill
         * @description A skill is a directory with a SKILL.md in the open format (https://agentskills.io/specification). It can have at most 100 files of 256 KiB each and 1 MiB in total, no paths outside the directory and no links. Send the files as JSON, or a zip archive as `application/zip` or in the form field `file`; a single top-level directory in the archive is stripped. Problems are returned in the response, not as an error. Needs the scope `plugins:write`.
         */
        post: operations["validateSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/skills/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a skill
         * @description Returns its newest revision with the list of its files; `/files/{path}` has the content of a file. A repository's own skill is returned as of its default branch. Needs the scope `plugins:read`.
         */
        get: operations["getSkill"];
        put?: never;
        post?: never;
        /**
         * Delete a skill
         * @description Sessions that already use it keep it for 30 days. Needs the scope `plugins:write`.
         */
        delete: operations["deleteSkill"];
        options?: never;
        head?: never;
        /**
         * Update a skill
         * @description Files or an archive replace all files of the skill in a new revision; sessions that started with an earlier revision keep it. Without them only the settings change. A skill is a directory with a SKILL.md in the open format (https://agentskills.io/specification). It can have at most 100 files of 256 KiB each and 1 MiB in total, no paths outside the directory and no links. Send the files as JSON, or a zip archive as `application/zip` or in the form field `file`; a single top-level directory in the archive is stripped. Needs the scope `plugins:write`.
         */
        patch: operations["updateSkill"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/skills/{id}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a skill's file
         * @description The path may contain unescaped `/`. 404 `not_found` if the skill has no such file. Needs the scope `plugins:read`.
         */
        get: operations["getSkillFile"];
        /**
         * Create or replace a skill's file
         * @description Creates a new revision, unless the file already has this content. Needs the scope `plugins:write`.
         */
        put: operations["putSkillFile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/skills/{id}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a skill's revisions
         * @description Newest first, with the file list of each. A repository's own skill has no revisions: use its commits. Needs the scope `plugins:read`.
         */
        get: operations["listSkillRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get storage usage
         * @description In bytes. At `max_bytes`, uploads, pushes, imports, new repositories and new sessions fail with 402 `budget_exceeded`. Deleting sessions or attachments frees storage at once, deleting a repository after 30 days. Needs the scope `org:read`.
         */
        get: operations["getStorage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Newest first. The secrets are not shown. Needs the scope `org:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Events from now on are sent as POST requests, signed by the Standard Webhooks specification, at least once and in order for each resource. The body is `{type, timestamp, data{organization_id, seq, resource, actor, summary}}`. It gets only events that your scopes allow you to read, and none of private notes and secrets. A response other than 2xx is repeated, with growing delays of up to 24 hours; after 5 days without a success the webhook is disabled. An organization can have at most 20 (409 `conflict`). Needs the scope `org:write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Its requests are at `/deliveries`. Needs the scope `org:read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Also deletes its deliveries. Needs the scope `org:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Omitted fields stay unchanged. `enabled: false` ends its pending deliveries as failed. `enabled: true` also enables a webhook that the platform disabled. A change of `url` or `events` limits it to events that your scopes allow you to read. A new `url` gets what is pending at once, but if your scopes are fewer than those of who chose the old one, it ends as failed. Needs the scope `org:write`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v3/organizations/{orgId}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * @description Newest first. Ended ones are kept for 7 days, and at most the newest 10,000. Needs the scope `org:read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver a delivery
         * @description Sends it again, with the same `webhook-id` and body, without waiting for other deliveries of its resource. A pending one is attempted at once, unless an earlier one of its resource is pending. 409 `conflict` if the webhook is disabled. Needs the scope `org:write`.
         */
        post: operations["redeliverWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a webhook's secret
         * @description Returns the new secret, once. Until the overlap ends, each request has a signature of both secrets. Needs the scope `org:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/organizations/{orgId}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description Sends an event `webhook.test` at once, also if the webhook is disabled, and returns the delivery: whether the receiver accepted it, and its response. It is not repeated. Needs the scope `org:write`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current principal
         * @description Works with any scopes, so you can test a key with it. With a cookie, `key` is the sign-in: an id without displayable characters. Accepts any valid key.
         */
        get: operations["getSelf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/self/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your keys
         * @description Newest first, including revoked ones; never the keys themselves, nor your MCP token. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        get: operations["listPersonalKeys"];
        put?: never;
        /**
         * Create a key
         * @description A key cannot have scopes, a later end or other addresses than your own key (403 `forbidden`); what you omit is copied from it. Your permission in the organization also limits it, now and later. 409 `conflict` beyond 500 active keys of yours there. The response shows the key only once; a repeated request with the same `Idempotency-Key` omits it. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        post: operations["createPersonalKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/self/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description Takes effect at once, on every process, also for open streams; the calling key can revoke itself. Any key of yours can do this, because a revocation grants nothing. Unless `made=keep`, also revokes what the key created, recursively: keys, MCP tokens and pending invitations; not the calling key and what that created, and keys of service users and apps and invitations only where you have `org:write`. 409 `already_revoked` the second time. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        delete: operations["revokePersonalKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/self/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key
         * @description The new key has the name, scopes, end and addresses of the old one, which works for `overlap_seconds` more. 409 `already_revoked`, or `conflict` for an expired key and if both would exceed 500; 403 `forbidden` if it has scopes, a later end or other addresses than yours. The response shows the key only once; a repeated request with the same `Idempotency-Key` omits it. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        post: operations["rotatePersonalKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/self/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set your password
         * @description Ends all your sign-ins; a caller with a cookie gets a new one. `current_password` is required if you have a password. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/self/preferences/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one of your preferences
         * @description Yours in the current organization. Nobody else can read it. Accepts any valid key. Users only: with a personal key, or signed in.
         */
        get: operations["getPreference"];
        /**
         * Set one of your preferences
         * @description Replaces the whole value. `notifications` decides which messages you get about sessions that you started: several within 30 seconds come as one, and at most one every 5 minutes. Mail goes only to a verified address. You can have at most 50 (409 `conflict`). Accepts any valid key. Users only: with a personal key, or signed in.
         */
        put: operations["replacePreference"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptInviteRequest: {
            /** @description Required for a new user; omit it for an existing account, which keeps its name. */
            name?: string;
            /** @description For a new user: the password to sign in with, at least 12 characters, not a common one. For an existing account: its password. If omitted, the browser's sign-in identifies you. */
            password?: string;
        };
        AcceptKnowledgeSuggestionRequest: {
            /** @description The note's name; default the suggested one. */
            name?: string;
            /** @description When the note is useful; default the suggested text. Not blank. */
            trigger?: string;
            /** @description Markdown, at most 100 KiB in UTF-8; default the suggested text. Not blank. */
            body?: string;
            /**
             * @description The sessions that get it; default the suggested ones. `user`: the caller's own sessions.
             * @enum {string}
             */
            scope?: "organization" | "repository" | "user";
            /** @description Like that of a note; default the suggested one. */
            repo_filter?: string;
        };
        AcceptedInvite: {
            /** @description The user. */
            user_id: string;
            /** @description An e-mail address; case-insensitive. */
            email: string;
            /** @description The organization that you joined. */
            organization: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description Replaces the id in paths; lower-case letters, digits and hyphens. */
                slug: string;
                /** @description A name for readers. */
                name: string;
            };
        };
        ActiveUserInterval: {
            /** @description The first day of the interval. */
            start: string;
            /** @description Number of users who created a session, wrote to one or decided an approval. */
            active_users: number;
        };
        ActiveUserMetrics: {
            /** @description The first day of the first interval. */
            from: string;
            /** @description The last day of the last interval. */
            to: string;
            /**
             * @description The length of the intervals.
             * @enum {string}
             */
            interval: "day" | "week" | "month";
            /** @description The intervals in order; those without anything are zeros. */
            items: components["schemas"]["ActiveUserInterval"][];
        };
        AddGroupMembersRequest: {
            /** @description Ids of users, at most 1,000. */
            user_ids: string[];
        };
        AddIpAccessEntryRequest: {
            /** @description An address or a CIDR range, IPv4 or IPv6. */
            cidr: string;
            /**
             * @description A name for people; "" when not set.
             * @default
             */
            note?: string;
        };
        Agent: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /** @description Added to the agent's instructions. */
            system_prompt: string;
            /** @description "" is the organization's default. */
            model: string;
            /** @description The maximum number of tokens of one response; null for the model's own limit. */
            max_tokens: number | null;
            /** @description 0 to 2; null is the model's own default. */
            temperature: number | null;
            /**
             * @description `builtin` is the agent that comes with Guildhall; `script` runs the steps of its `runtime_config`; `acp` runs another program that speaks the Agent Client Protocol.
             * @enum {string}
             */
            runtime: "builtin" | "script" | "acp";
            /** @description What the runtime needs, replaced whole. `script`: `{steps: [{run, allow_failure?}], summary, check?}`. `acp`: `{preset, command?, args?}`. `builtin`: nothing, `{}`. */
            runtime_config: {
                [key: string]: unknown;
            };
            /** @description Revision number, from 1. */
            version: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        AgentList: {
            /** @description The items of this page. */
            items: components["schemas"]["Agent"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        AgentRuntime: {
            /** @description `builtin`, `script`, or the preset of `acp`. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /**
             * @description The `runtime` of its agents.
             * @enum {string}
             */
            runtime: "builtin" | "script" | "acp";
            /** @description True if it is installed, so that sessions can start. */
            installed: boolean;
            /** @description Its version; "" if it is not installed. */
            version: string;
            /** @description Why its sessions cannot start; "" if they can. */
            problem: string;
        };
        AgentRuntimeList: {
            /** @description All runtimes. */
            items: components["schemas"]["AgentRuntime"][];
        };
        App: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        AppKey: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description The capabilities of a key. */
            scopes: string[];
            /** @description The beginning of the key. */
            prefix: string;
            /** @description The key's last four characters. */
            last4: string;
            /** @description CIDR ranges from which the key may be used; empty for everywhere. */
            ip_ranges: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while it is valid.
             */
            revoked_at: string | null;
            /** @description The key that created it, and whose revocation revokes it; "" for a sign-in or the operator. */
            created_by_key: string;
            /** @description The application. */
            app_id: string;
        };
        AppKeyList: {
            /** @description The items of this page. */
            items: components["schemas"]["AppKey"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        AppList: {
            /** @description The items of this page. */
            items: components["schemas"]["App"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Approval: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /**
             * @description What needs approval: a plan, or a tool call.
             * @enum {string}
             */
            kind: "plan" | "tool";
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description `expired` counts as a denial: nobody decided in time.
             * @enum {string}
             */
            state: "pending" | "approved" | "denied" | "expired";
            /** @description What needs approval. */
            request: {
                /** @description With `kind` `tool`: the tool to call; else "". */
                tool: string;
                /** @description With `kind` `tool`: its input. */
                input: {
                    [key: string]: unknown;
                };
                /** @description With `kind` `plan`: the plan, as Markdown; else "". */
                plan: string;
            };
            /** @description The plan approved instead; "" if it was not edited. */
            edited_plan: string;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            requested_at: string;
            /**
             * Format: date-time
             * @description Denied if nobody decides until then.
             */
            expires_at: string;
            /** @description null while it is pending, and if it expired. */
            decided_by: components["schemas"]["Principal"] | null;
            /**
             * Format: date-time
             * @description null while it is pending.
             */
            decided_at: string | null;
            /** @description The decision's note, or why no decision is needed anymore. */
            note: string;
        };
        ApprovalEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description An approval was requested or decided. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "approval";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The approval's id; `/approvals` has the full record. */
                approval_id: string;
                /**
                 * @description What needs approval: a plan, or a tool call.
                 * @enum {string}
                 */
                kind: "plan" | "tool";
                /**
                 * @description `pending` needs a decision; `expired` counts as a denial: nobody decided in time.
                 * @enum {string}
                 */
                state: "pending" | "approved" | "denied" | "expired";
                /** @description The request or the note of the decision; long texts are truncated. */
                summary: string;
            };
        };
        ApprovalList: {
            /** @description The items of this page. */
            items: components["schemas"]["Approval"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Artifact: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description Media type. */
            content_type: string;
            /** @description Size in bytes. */
            size_bytes: number;
            /** @description SHA-256 of the bytes, in hexadecimal. */
            sha256: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        ArtifactEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A file was stored; `/artifacts` has it. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "artifact";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The artifact. */
                artifact_id: string;
                /** @description The file name. */
                name: string;
                /** @description Media type. */
                content_type: string;
                /** @description Size in bytes. */
                size_bytes: number;
            };
        };
        ArtifactList: {
            /** @description The items of this page. */
            items: components["schemas"]["Artifact"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Attachment: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description Media type, detected from the content. */
            content_type: string;
            /** @description Size in bytes. */
            size_bytes: number;
            /** @description 64 hexadecimal digits. */
            sha256: string;
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        AttachmentList: {
            /** @description The items of this page. */
            items: components["schemas"]["Attachment"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        AuditActions: {
            /** @description The actions, in alphabetical order. */
            items: string[];
            /** @description The total number. */
            total: number;
        };
        AuditEntry: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Position in the chain, from 1; 0 until the entry is linked, within a second. */
            seq: number;
            /** @description The action: one of `/audit-logs/actions`. */
            action: string;
            /** @description The actor. */
            actor: {
                /**
                 * @description A user, a service user, an app, a session, or the platform itself (`system`).
                 * @enum {string}
                 */
                type: "user" | "service_user" | "app" | "session" | "system";
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description The e-mail address or name at that time. */
                display: string;
            };
            /** @description The affected resource. */
            resource: {
                /** @description Type of the resource. */
                type: string;
                /** @description Its id, or its name if it has no id: `local:acme/web`. */
                id: string;
            };
            /**
             * @description `success`: it was done. `denied`: it was rejected. `error`: the server failed.
             * @enum {string}
             */
            outcome: "success" | "denied" | "error";
            /** @description IP address of the request; "" for an action of the platform itself. */
            ip: string;
            /** @description User agent of the client; "" for none. */
            user_agent: string;
            /** @description Identifies the request in the server's log; also the header `x-request-id`. */
            request_id: string;
            /** @description The changes by field, with secrets masked; the fields depend on `action`. For denied requests `{count, codes, request, last_at}`: their number, that of each error code, the operation, and the time of the last one. */
            changes: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Hash of the previous link; "" for the first one and until the entry is linked. */
            prev_hash: string;
            /** @description SHA-256, in hexadecimal, of this entry without `hash` in the canonical form of RFC 8785; "" until it is linked. */
            hash: string;
        };
        AuditEntryList: {
            /** @description The items of this page. */
            items: components["schemas"]["AuditEntry"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        AuditVerification: {
            /** @description True if the whole chain is intact. */
            valid: boolean;
            /** @description Number of recomputed links. */
            checked: number;
            /** @description Number of entries that are not linked yet. */
            pending: number;
            /** @description The first break; null if there is none. */
            first_break: {
                /** @description 0 for an entry without a link. */
                seq: number;
                /** @description The entry; "" if only its number is known. */
                id: string;
                /**
                 * @description `hash_mismatch`: the entry was changed after it was linked. `prev_hash_mismatch`: links were exchanged. `entry_missing`, `link_missing`: one was deleted. `entry_not_linked`: an entry lost its link. `head_mismatch`: the end of the chain was deleted.
                 * @enum {string}
                 */
                reason: "hash_mismatch" | "prev_hash_mismatch" | "entry_missing" | "link_missing" | "entry_not_linked" | "head_mismatch";
            } | null;
        };
        Automation: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description False if no trigger starts it. */
            enabled: boolean;
            /** @description Any of them starts a run; at most 10, of which one is a webhook. */
            triggers: {
                /** @description Identifies the trigger. */
                id: string;
                /**
                 * @description `schedule` and `once` start at times, `webhook` by a signed request to its URL, `push` and `change_request` by events of repositories.
                 * @enum {string}
                 */
                type: "schedule" | "once" | "webhook" | "change_request" | "issue" | "push";
                /** @description Of a schedule, else absent: minute, hour, day of the month, month, day of the week. A time that a change of the clock skips comes right after the change; one that it repeats comes once, unless the expression means every hour. */
                cron: string;
                /** @description IANA name, by default `UTC`; "" unless the type is `schedule`. */
                timezone: string;
                /**
                 * Format: date-time
                 * @description The time of `once`, else absent or null.
                 */
                at: string | null;
                /** @description Of a webhook: where to POST. */
                url: string;
                /** @description The payload must meet all of them; by default none. */
                conditions: {
                    /** @description A JSON pointer into the payload; "" is all of it. */
                    path: string;
                    /**
                     * @description `matches` compares with a pattern, in which `*` is any text.
                     * @enum {string}
                     */
                    operator: "equals" | "not_equals" | "matches" | "not_matches" | "contains" | "not_contains" | "greater_than" | "less_than" | "exists" | "absent";
                    /** @description What to compare with; null for `exists` and `absent`. */
                    value: string | number | boolean | null;
                }[];
            }[];
            /** @description What a run does. */
            action: {
                /** @description The task. `{{payload}}` and `{{payload.name}}` refer to the payload, which follows as marked data; `{{automation.name}}`, `{{trigger.type}}` and `{{trigger.scheduled_at}}` are replaced. */
                prompt_template: string;
                /** @description The repositories of its sessions, at most 10. */
                repositories: {
                    /**
                     * @description By default "": the one repository of that name.
                     * @enum {string}
                     */
                    provider: "" | "github" | "gitlab" | "local";
                    /** @description `owner/name`, as the git host writes it. */
                    repo: string;
                    /** @description "" is the default branch. */
                    ref: string;
                }[];
                /** @description "" is the default agent. */
                agent_id: string;
                /** @description Tags of its sessions. */
                tags: string[];
                /** @description The budget of each session; omitted limits are those of any session. */
                budget: {
                    /** @description A limit in US dollars, checked before each model call like the other limits. Reaching it suspends the session. */
                    max_cost_usd?: number;
                    /** @description The maximum number of tokens of one response; null for the model's own limit. */
                    max_tokens?: number;
                    /** @description Minutes of work in the sandbox. */
                    max_minutes?: number;
                    /** @description Number of turns, including the first. */
                    max_turns?: number;
                };
                /** @description A JSON Schema of the value that the agent submits; {} for none. */
                structured_output_schema: {
                    [key: string]: unknown;
                };
                /**
                 * @description "" is as the settings `source_control` say.
                 * @enum {string}
                 */
                deliver: "" | "change_request" | "draft" | "branch" | "none";
            };
            /**
             * @description `platform` starts a session for each run; `external` hands runs to programs that claim them.
             * @enum {string}
             */
            executor: "platform" | "external";
            /**
             * @description `creator`: its sessions act for its creator, with their own secrets and limits. `organization`: they act for nobody in particular.
             * @enum {string}
             */
            run_as: "organization" | "creator";
            /**
             * @description A run comes due while another has not ended: `skip` drops it, `queue` lets it wait, `replace` cancels the others, `parallel` starts it.
             * @enum {string}
             */
            concurrency: "skip" | "queue" | "replace" | "parallel";
            /**
             * @description Times passed while no scheduler ran: `skip` drops them, `run_once` makes one run for all, `catch_up` makes one for each, at most the latest 1,440.
             * @enum {string}
             */
            missed_runs: "skip" | "run_once" | "catch_up";
            /** @description Attempts of a run that fails or times out; by default one. */
            retry: {
                /** @description Including the first one. */
                max_attempts: number;
                /** @description The delay before the second attempt; it doubles with each one, up to a day. */
                backoff_seconds: number;
            };
            /** @description An attempt is ended after this long, counted from the start of its work. */
            timeout_minutes: number;
            /** @description It is paused after this many failures in a row; 0: never. */
            pause_after_failures: number;
            /**
             * @description `degraded`: its latest run failed. `paused`: by a person, or after failures.
             * @enum {string}
             */
            status: "active" | "paused" | "degraded";
            /** @description Runs that failed since the last success. */
            consecutive_failures: number;
            /**
             * Format: date-time
             * @description When its latest run was created.
             */
            last_run_at: string | null;
            /**
             * Format: date-time
             * @description The next time of its schedules.
             */
            next_run_at: string | null;
            /** @description The secret of its webhook (Standard Webhooks), only in the answer to the request that created the trigger, or rotated the secret; then "". */
            hook_secret: string;
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /** @description Counts changes of the definition. */
            revision: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        AutomationFigures: {
            /** @description Number of runs that succeeded, when they ended. */
            runs_succeeded: number;
            /** @description Number of runs that failed after their last attempt. */
            runs_failed: number;
            /** @description Number of runs that took too long. */
            runs_timed_out: number;
            /** @description Number of canceled runs. */
            runs_canceled: number;
            /** @description Number of runs that did not start. */
            runs_skipped: number;
            /** @description Share of `runs_succeeded` among those that succeeded, failed or timed out; null without any. */
            run_success_rate: number | null;
            /** @description The time from the start of a run that succeeded to its end. */
            run_duration: components["schemas"]["MeasuredTimes"];
            /** @description Number of sessions that automations created, with their child sessions. */
            sessions: number;
            /** @description Number of those that completed for the first time. */
            completed: number;
            /** @description Number of those that failed for the first time. */
            failed: number;
            /** @description Number of those that were canceled. */
            canceled: number;
            /** @description `completed` / (`completed` + `failed`); null if both are 0. */
            success_rate: number | null;
            /** @description The time from the creation of a session to its start. */
            queue_wait: components["schemas"]["MeasuredTimes"];
            /** @description Number of change requests that they opened. */
            change_requests_opened: number;
            /** @description Number of those that were merged. */
            change_requests_merged: number;
            /** @description Share of merged ones among those that were merged or closed; null without any. */
            merge_rate: number | null;
        };
        AutomationInterval: {
            /** @description The first day of the interval. */
            start: string;
            /** @description Number of runs that succeeded, when they ended. */
            runs_succeeded: number;
            /** @description Number of runs that failed after their last attempt. */
            runs_failed: number;
            /** @description Number of runs that took too long. */
            runs_timed_out: number;
            /** @description Number of canceled runs. */
            runs_canceled: number;
            /** @description Number of runs that did not start. */
            runs_skipped: number;
            /** @description Share of `runs_succeeded` among those that succeeded, failed or timed out; null without any. */
            run_success_rate: number | null;
            /** @description The time from the start of a run that succeeded to its end. */
            run_duration: components["schemas"]["MeasuredTimes"];
            /** @description Number of sessions that automations created, with their child sessions. */
            sessions: number;
            /** @description Number of those that completed for the first time. */
            completed: number;
            /** @description Number of those that failed for the first time. */
            failed: number;
            /** @description Number of those that were canceled. */
            canceled: number;
            /** @description `completed` / (`completed` + `failed`); null if both are 0. */
            success_rate: number | null;
            /** @description The time from the creation of a session to its start. */
            queue_wait: components["schemas"]["MeasuredTimes"];
            /** @description Number of change requests that they opened. */
            change_requests_opened: number;
            /** @description Number of those that were merged. */
            change_requests_merged: number;
            /** @description Share of merged ones among those that were merged or closed; null without any. */
            merge_rate: number | null;
        };
        AutomationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Automation"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        AutomationMetrics: {
            /** @description The first day of the first interval. */
            from: string;
            /** @description The last day of the last interval. */
            to: string;
            /**
             * @description The length of the intervals.
             * @enum {string}
             */
            interval: "day" | "week" | "month";
            /** @description The same for all intervals together. */
            totals: components["schemas"]["AutomationFigures"];
            /** @description The intervals in order; those without anything are zeros. */
            items: components["schemas"]["AutomationInterval"][];
        };
        AutomationRun: {
            /** @description The run: `run_…`. */
            id: string;
            /** @description The automation. */
            automation_id: string;
            /**
             * @description `scheduled` is a follow-up that waits for its time, `pending` waits to start, `retrying` for its next attempt. `succeeded`, `failed`, `timed_out` and `canceled` are ends, and so is `skipped`: it never started.
             * @enum {string}
             */
            status: "pending" | "running" | "retrying" | "succeeded" | "failed" | "timed_out" | "canceled" | "skipped" | "scheduled";
            /** @description The number of the attempt, from 1. */
            attempt_no: number;
            /** @description The newest fencing token, which each start increases; 0 before the first. */
            fencing_token: number;
            /** @description What started it: `schedule`, `once`, `webhook`, `push`, `change_request`, `followup` (scheduled by a session), or `manual`. */
            trigger: string;
            /** @description The session of the newest attempt; null without one. */
            session_id: string | null;
            /**
             * Format: date-time
             * @description The time of the schedule or follow-up that it is for; null for other triggers.
             */
            scheduled_at: string | null;
            /**
             * Format: date-time
             * @description Time of the start of its first attempt; null before.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description Time of its end; null before.
             */
            ended_at: string | null;
            /**
             * Format: date-time
             * @description Time of the next attempt; null unless it is `retrying`.
             */
            next_attempt_at: string | null;
            /** @description The result, as its executor reported it. */
            summary: string;
            /** @description The kind of the last failure, for programs; "" without one. */
            error_class: string;
            /** @description The last failure in words; "" without one. */
            error_message: string;
            /** @description Milliseconds that the last attempt took; null before its end. */
            latency_ms: number | null;
            /** @description Why it was skipped; "" if it was not. */
            skip_reason: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        AutomationRunList: {
            /** @description The items of this page. */
            items: components["schemas"]["AutomationRun"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        AutomationRunReport: {
            /** @description The run. */
            run_id: string;
            /**
             * @description The status of the run after the report.
             * @enum {string}
             */
            status: "pending" | "running" | "retrying" | "succeeded" | "failed" | "timed_out" | "canceled" | "skipped" | "scheduled";
            /** @description The number of the attempt that was reported. */
            attempt_no: number;
            /** @description True: the report holds. One that does not gets 409. */
            accepted: boolean;
            /** @description True if the same end was reported before. */
            duplicate: boolean;
            /**
             * Format: date-time
             * @description Time of the next attempt; null unless the run is `retrying`.
             */
            next_attempt_at: string | null;
        };
        AutomationValidation: {
            /** @description In the order of the request. */
            triggers: {
                /**
                 * @description The type of the trigger.
                 * @enum {string}
                 */
                type: "schedule" | "once" | "webhook" | "change_request" | "issue" | "push";
                /** @description The next five times. */
                next_times: string[];
                /** @description True if the sample would start a run; null without a sample. */
                matches: boolean | null;
            }[];
            /** @description The next five times of all triggers together. */
            next_times: string[];
            /** @description True if the sample would start a run; null without a sample. */
            matches: boolean | null;
            /** @description The prompt of the sample; "" without a template. */
            prompt: string;
        };
        BillingCycle: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The first day in UTC: the first of a month. */
            start: string;
            /** @description The last day in UTC. */
            end: string;
            /**
             * @description `open` until the last day is over.
             * @enum {string}
             */
            state: "open" | "closed";
            /** @description Number of model calls. */
            calls: number;
            /** @description Tokens of requests, with those from and to a cache. */
            input_tokens: number;
            /** @description Tokens of responses. */
            output_tokens: number;
            /** @description Input tokens that were read from a cache. */
            cached_input_tokens: number;
            /** @description Input tokens that were written to a cache. */
            cache_write_tokens: number;
            /** @description Sum of the costs of the calls, each by the price at its time. */
            cost_usd: number;
            /** @description Minutes that sandboxes ran; counted when a turn ends. */
            sandbox_minutes: number;
        };
        BillingCycleList: {
            /** @description The items of this page. */
            items: components["schemas"]["BillingCycle"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Blueprint: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The agent. */
            agent_id: string;
            /** @description A name for readers. */
            name: string;
            /** @description Version of the agent. */
            version: number;
            /** @description Digest of the manifest as compact JSON: `sha256:` and 64 hexadecimal characters. */
            digest: string;
            /** @description The manifest, with its keys in a fixed order. Every credential is replaced by `{"$secret": "NAME"}`. Every version includes what the organization gives all of its agents now: the enabled `mcp_servers`, `skills` and `knowledge`, and `sandbox`. If there are more than 1,000 notes, the newest are combined in one entry, `{digest, omitted}`. */
            manifest: {
                /** @description `<provider>/<model>`. */
                model: string | {
                    /** @description The secret that takes the place of a credential. */
                    $secret?: string;
                };
                /** @description Added to the agent's instructions. */
                system_prompt: string | {
                    /** @description The secret that takes the place of a credential. */
                    $secret?: string;
                };
                /** @description The maximum number of tokens of one response; null for the model's own limit. */
                max_tokens: number | null;
                /** @description 0 to 2; null is the model's own default. */
                temperature: number | null;
                /** @description The tools of its runtime. */
                tools: {
                    /** @description The runtime's configuration; `{}` for none. */
                    config: unknown;
                    /** @description The name of the tool, or of the runtime. */
                    name: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                }[];
                /** @description The enabled MCP servers. */
                mcp_servers: {
                    /** @description The sessions that get it. */
                    access: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description Arguments of the command. */
                    args?: (string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    })[];
                    /** @description The program, for a server in the sandbox. */
                    command?: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description A description for people; "" when not set. */
                    description: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description Variables of the command. */
                    env?: {
                        [key: string]: string | {
                            /** @description The secret that takes the place of a credential. */
                            $secret?: string;
                        };
                    };
                    /** @description Headers of every request to the URL. */
                    headers?: {
                        [key: string]: string | {
                            /** @description The secret that takes the place of a credential. */
                            $secret?: string;
                        };
                    };
                    /** @description A name for readers. */
                    name: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description The repositories that it applies to, as `provider:owner/name`. */
                    repos: (string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    })[];
                    /** @description Its tools are named `<slug>__<tool>`. */
                    slug: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description The URL, for a remote server. */
                    url?: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                }[];
                /** @description The enabled skills. */
                skills: {
                    /** @description SHA-256 of the content, in hexadecimal. */
                    digest: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                    id: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description A name for readers. */
                    name: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description Revision number, from 1; send it as `If-Match` to change exactly this revision. */
                    revision: number;
                }[];
                /** @description The enabled knowledge notes. */
                knowledge: {
                    /** @description In the last entry: the digest of those notes. */
                    digest?: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description A name for readers. */
                    name?: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description The knowledge note. */
                    note_id?: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description In the last entry: how many more notes there are. */
                    omitted?: number;
                    /** @description Revision number, from 1; send it as `If-Match` to change exactly this revision. */
                    revision?: number;
                }[];
                /** @description The settings `sandbox`. */
                sandbox: {
                    /** @description Host names; `*.example.com` matches its subdomains. */
                    allowed_hosts: (string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    })[];
                    /** @description Processors. */
                    cpu: number;
                    /** @description Disk, in MiB. */
                    disk_mb: number;
                    /** @description Memory, in MiB. */
                    memory_mb: number;
                    /** @description The network that a sandbox reaches: `none`, `allowlist` or `open`. */
                    network: string | {
                        /** @description The secret that takes the place of a credential. */
                        $secret?: string;
                    };
                    /** @description Processes and threads. */
                    pids: number;
                };
            };
            /** @description The credentials that were replaced in the manifest. */
            redactions: {
                /** @description A JSON pointer. */
                path: string;
                /** @description The name in the placeholder, `{"$secret": "NAME"}`. */
                name: string;
            }[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        BlueprintDiff: {
            /** @description True if nothing differs. */
            identical: boolean;
            /** @description Digest of the manifest that `from` names. */
            from_digest: string;
            /** @description Digest of the manifest that `to` names or contains. */
            to_digest: string;
            /** @description The changes from the first to the second, in the order of their keys. */
            changes: {
                /**
                 * @description The change at `path`.
                 * @enum {string}
                 */
                op: "add" | "remove" | "replace";
                /** @description A JSON pointer into the manifest. */
                path: string;
                /** @description The value in the first; null for none. */
                from: unknown;
                /** @description The value in the second; null for none. */
                value: unknown;
            }[];
        };
        BlueprintExport: {
            /** @description One per agent, at its newest version. */
            items: components["schemas"]["Blueprint"][];
            /** @description The total number. */
            total: number;
        };
        BlueprintList: {
            /** @description The items of this page. */
            items: components["schemas"]["Blueprint"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        BranchPushedEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A branch was pushed. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "branch_pushed";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /**
                 * @description The git host: `local` is the built-in one.
                 * @enum {string}
                 */
                provider: "github" | "gitlab" | "local";
                /** @description `owner/name`, as the git host writes it. */
                repo: string;
                /** @description The branch, without `refs/heads/`. */
                branch: string;
                /** @description A commit id. */
                commit: string;
            };
        };
        BrowserContent: {
            /** @description The id of a browser session, `brs_…`. */
            sessionId: string;
            /** @description URL of the page; `about:blank` before the first navigation. */
            url: string;
            /** @description Title of the page; "" before the first one. */
            title: string;
            /** @description Content of the page, at most 1 MiB. */
            content: string;
        };
        BrowserNavigation: {
            /** @description The id of a browser session, `brs_…`. */
            sessionId: string;
            /** @description URL of the page; `about:blank` before the first navigation. */
            url: string;
            /** @description Title of the page; "" before the first one. */
            title: string;
            /** @description HTTP status of the page. */
            status: number;
        };
        BrowserPage: {
            /** @description The id of a browser session, `brs_…`. */
            sessionId: string;
            /** @description URL of the page; `about:blank` before the first navigation. */
            url: string;
            /** @description Title of the page; "" before the first one. */
            title: string;
        };
        BrowserScreenshot: {
            /** @description The id of a browser session, `brs_…`. */
            sessionId: string;
            /** @description URL of the page; `about:blank` before the first navigation. */
            url: string;
            /** @description Title of the page; "" before the first one. */
            title: string;
            /** @description Media type. */
            content_type: string;
            /** @description The image, in base64. */
            data: string;
        };
        BrowserSession: {
            /** @description The id of a browser session, `brs_…`. */
            sessionId: string;
            /** @description URL of the page; `about:blank` before the first navigation. */
            url: string;
            /** @description Title of the page; "" before the first one. */
            title: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it is closed at the latest; earlier if it is not used.
             */
            expires_at: string;
        };
        BudgetEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A limit was reached, so the session is suspended. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "budget";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The limit: a key of the session's `budget`, `group_` and the group's daily limit, `organization_day_usd`, `organization_cycle_usd`, or `repository_day_usd` (its guardrail). */
                limit: string;
                /** @description The use, in the limit's unit. */
                used: number;
                /** @description The limit's value. */
                allowed: number;
                /** @description The group whose limit it is; absent for other limits. */
                group_id?: string;
            };
        };
        ChangePasswordRequest: {
            /** @description The current password; omit if you have none yet. */
            current_password?: string;
            /** @description 12 to 1,000 characters of any kind; common passwords are rejected. */
            new_password: string;
        };
        ChangeRequest: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Its repository. */
            repository_id: string;
            /**
             * @description The git host: `local` is the built-in one.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /** @description Its repository as `owner/name`. */
            repo: string;
            /** @description Number in the repository. */
            number: number;
            /** @description A title for readers. */
            title: string;
            /** @description Markdown. */
            body: string;
            /**
             * @description `open` until it is `merged` or `closed`; both are final.
             * @enum {string}
             */
            state: "open" | "merged" | "closed";
            /** @description True if it is a draft. */
            draft: boolean;
            /** @description The branch with the change. */
            head_ref: string;
            /** @description The newest commit, or the one at which it was merged or closed. */
            head_sha: string;
            /** @description The branch to merge into. */
            base_ref: string;
            /** @description The merge base of head and base branch. */
            base_sha: string;
            /** @description Who opened it. */
            author: components["schemas"]["Principal"];
            /** @description The session that opened it; "" for none. */
            session_id: string;
            /** @description The commands and files that support its session's result. */
            evidence: components["schemas"]["Evidence"][];
            /** @description Lines added. */
            additions: number;
            /** @description Lines deleted. */
            deletions: number;
            /** @description Number of changed files. */
            changed_files: number;
            /** @description True if it is open and merges without conflicts. */
            mergeable: boolean;
            /** @description Absolute address. */
            url: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was merged; null if it was not.
             */
            merged_at: string | null;
        };
        ChangeRequestComment: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Markdown. */
            body: string;
            /** @description The commented file; "" for the whole change request. */
            file: string;
            /** @description The same as `file`. */
            path: string;
            /**
             * @description The version of the file that `line` counts in: before or after the change.
             * @enum {string}
             */
            side: "old" | "new";
            /** @description The commented line; null for none. */
            line: number | null;
            /** @description The first line of a comment on several; `line` is the last. */
            start_line: number | null;
            /** @description The comment it replies to; "" for a new thread. */
            in_reply_to: string;
            /** @description True if it is resolved. */
            resolved: boolean;
            /** @description The author. */
            author: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        ChangeRequestCommentList: {
            /** @description The items of this page. */
            items: components["schemas"]["ChangeRequestComment"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        ChangeRequestEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A change request was opened, updated, merged or closed. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "change_request";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /**
                 * @description The git host: `local` is the built-in one.
                 * @enum {string}
                 */
                provider: "github" | "gitlab" | "local";
                /** @description `owner/name`, as the git host writes it. */
                repo: string;
                /** @description Number in the repository. */
                number: number;
                /** @description Absolute address. */
                url: string;
                /**
                 * @description Its current state.
                 * @enum {string}
                 */
                state: "open" | "merged" | "closed";
                /** @description True if it is a draft. */
                draft: boolean;
            };
        };
        ChangeRequestFigures: {
            /** @description Number of change requests that sessions opened. */
            opened: number;
            /** @description Number of merged ones. */
            merged: number;
            /** @description Number of those closed without a merge. */
            closed: number;
            /** @description `merged` / (`merged` + `closed`); null if both are 0. */
            merge_rate: number | null;
            /** @description The time from the creation of a session to its change request. */
            time_to_change_request: components["schemas"]["MeasuredTimes"];
            /** @description The time from the opening to the merge. */
            time_to_merge: components["schemas"]["MeasuredTimes"];
            /** @description Number of merged or closed ones to whose branch someone pushed after the last push of the session. */
            edited_after_delivery: number;
            /** @description `edited_after_delivery` / (`merged` + `closed`); null if both are 0. */
            edited_after_delivery_rate: number | null;
            /** @description The cost of all sessions in this time, also of those without a change request. */
            cost_usd: number;
            /** @description `cost_usd` / `merged`; null without any. */
            cost_per_merged_usd: number | null;
        };
        ChangeRequestInterval: {
            /** @description The first day of the interval. */
            start: string;
            /** @description Number of change requests that sessions opened. */
            opened: number;
            /** @description Number of merged ones. */
            merged: number;
            /** @description Number of those closed without a merge. */
            closed: number;
            /** @description `merged` / (`merged` + `closed`); null if both are 0. */
            merge_rate: number | null;
            /** @description The time from the creation of a session to its change request. */
            time_to_change_request: components["schemas"]["MeasuredTimes"];
            /** @description The time from the opening to the merge. */
            time_to_merge: components["schemas"]["MeasuredTimes"];
            /** @description Number of merged or closed ones to whose branch someone pushed after the last push of the session. */
            edited_after_delivery: number;
            /** @description `edited_after_delivery` / (`merged` + `closed`); null if both are 0. */
            edited_after_delivery_rate: number | null;
            /** @description The cost of all sessions in this time, also of those without a change request. */
            cost_usd: number;
            /** @description `cost_usd` / `merged`; null without any. */
            cost_per_merged_usd: number | null;
        };
        ChangeRequestList: {
            /** @description The items of this page. */
            items: components["schemas"]["ChangeRequest"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        ChangeRequestMetrics: {
            /** @description The first day of the first interval. */
            from: string;
            /** @description The last day of the last interval. */
            to: string;
            /**
             * @description The length of the intervals.
             * @enum {string}
             */
            interval: "day" | "week" | "month";
            /** @description The same for all intervals together. */
            totals: components["schemas"]["ChangeRequestFigures"];
            /** @description The intervals in order; those without anything are zeros. */
            items: components["schemas"]["ChangeRequestInterval"][];
        };
        ChangeRequestSummary: {
            /** @description Number of change requests that sessions opened. */
            opened: number;
            /** @description Number of merged ones. */
            merged: number;
            /** @description Number of those closed without a merge. */
            closed: number;
            /** @description `merged` / (`merged` + `closed`); null if both are 0. */
            merge_rate: number | null;
            /** @description The time from the creation of a session to its change request. */
            time_to_change_request: components["schemas"]["MeasuredTimes"];
            /** @description The time from the opening to the merge. */
            time_to_merge: components["schemas"]["MeasuredTimes"];
            /** @description Number of merged or closed ones to whose branch someone pushed after the last push of the session. */
            edited_after_delivery: number;
            /** @description `edited_after_delivery` / (`merged` + `closed`); null if both are 0. */
            edited_after_delivery_rate: number | null;
            /** @description The cost of all sessions in this time, also of those without a change request. */
            cost_usd: number;
            /** @description `cost_usd` / `merged`; null without any. */
            cost_per_merged_usd: number | null;
        };
        ChangeSessionsRequest: {
            /** @description The sessions, up to 200. */
            ids: string[];
            /**
             * @description What to do with each: `archive`, `unarchive`, `cancel`, or `tag`, which adds `tags` to its own.
             * @enum {string}
             */
            action: "archive" | "unarchive" | "cancel" | "tag";
            /** @description Required with the action `tag`, and refused with any other; none by default. */
            tags?: string[];
        };
        ChangedPassword: {
            /**
             * Format: date-time
             * @description When it was changed: now.
             */
            changed_at: string;
        };
        CheckpointEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The work so far was stored: the session can resume from here on another machine. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "checkpoint";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description A commit id. */
                commit: string;
            };
        };
        ChildEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The session started a child session, which has its own log. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "child";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The child session. */
                session_id: string;
                /**
                 * @description Its state at that time.
                 * @enum {string}
                 */
                status: "queued" | "provisioning" | "running" | "waiting" | "suspended" | "completed" | "failed" | "canceled";
            };
        };
        ClaimAutomationRunRequest: {
            /**
             * @description Only runs of these automations; empty for any.
             * @default []
             */
            automation_ids?: string[];
            /**
             * @description Waits up to this long for a run.
             * @default 0
             */
            wait_seconds?: number;
        };
        ClaimedRun: {
            /** @description The run, which now belongs to the claimer. */
            run: {
                /** @description The run: `run_…`. */
                id: string;
                /** @description The automation. */
                automation_id: string;
                /**
                 * @description `scheduled` is a follow-up that waits for its time, `pending` waits to start, `retrying` for its next attempt. `succeeded`, `failed`, `timed_out` and `canceled` are ends, and so is `skipped`: it never started.
                 * @enum {string}
                 */
                status: "pending" | "running" | "retrying" | "succeeded" | "failed" | "timed_out" | "canceled" | "skipped" | "scheduled";
                /** @description The number of the attempt, from 1. */
                attempt_no: number;
                /** @description The newest fencing token, which each start increases; 0 before the first. */
                fencing_token: number;
                /** @description What started it: `schedule`, `once`, `webhook`, `push`, `change_request`, `followup` (scheduled by a session), or `manual`. */
                trigger: string;
                /** @description The session of the newest attempt; null without one. */
                session_id: string | null;
                /**
                 * Format: date-time
                 * @description The time of the schedule or follow-up that it is for; null for other triggers.
                 */
                scheduled_at: string | null;
                /**
                 * Format: date-time
                 * @description Time of the start of its first attempt; null before.
                 */
                started_at: string | null;
                /**
                 * Format: date-time
                 * @description Time of its end; null before.
                 */
                ended_at: string | null;
                /**
                 * Format: date-time
                 * @description Time of the next attempt; null unless it is `retrying`.
                 */
                next_attempt_at: string | null;
                /** @description The result, as its executor reported it. */
                summary: string;
                /** @description The kind of the last failure, for programs; "" without one. */
                error_class: string;
                /** @description The last failure in words; "" without one. */
                error_message: string;
                /** @description Milliseconds that the last attempt took; null before its end. */
                latency_ms: number | null;
                /** @description Why it was skipped; "" if it was not. */
                skip_reason: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /** @description The task. */
                prompt: string;
                /**
                 * Format: date-time
                 * @description Report before this time, or the attempt ends as `timed_out`. Each heartbeat renews the lease.
                 */
                lease_expires_at: string;
                /** @description Send reports here. */
                callback_url: string;
                /** @description The bearer token for reports of this attempt; shown only here. */
                callback_token: string;
            };
        };
        ClickInBrowserRequest: {
            /** @description The browser session: `brs_…`. */
            sessionId: string;
            /** @description A CSS selector; its first visible match is used. */
            selector: string;
        };
        CommandEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A command started, or ended. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "command";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The id of the command; its output has the same. */
                command_id: string;
                /** @description The tool call that caused it; "" for none. */
                call_id: string;
                /** @description The shell command, with secrets masked. */
                command: string;
                /**
                 * @description The phase; "" outside of phases.
                 * @enum {string}
                 */
                phase: "reproduce" | "implement" | "verify" | "deliver" | "";
                /** @description Exit code of the command; null while it runs. 128 + signal when it was killed, 124 after a timeout. */
                exit_code: number | null;
                /** @description Milliseconds. */
                duration_ms: number | null;
                /** @description When it ends: the artifact with the full output; null if the log has all of it. */
                artifact_id: string | null;
            };
        };
        CommentOnChangeRequestRequest: {
            /** @description Markdown, at most 65,536 characters. */
            body: string;
            /** @description The commented file, relative to the repository's root; omit for the whole change request. */
            file?: string;
            /** @description The same as `file`; omit one of them. */
            path?: string;
            /**
             * @description The version of the file that `line` counts in.
             * @default new
             * @enum {string}
             */
            side?: "old" | "new";
            /** @description The commented line of `file`; omit for the whole file. */
            line?: number;
            /** @description The first line of a comment on several; at most `line`, which is the last. Omit for a comment on one. */
            start_line?: number;
            /** @description The comment of the same change request that it replies to; omit for one that begins a thread. */
            in_reply_to?: string;
        };
        Consumption: {
            /** @description The first day. */
            from: string;
            /** @description The last day. */
            to: string;
            /** @description The sum of the days. */
            totals: components["schemas"]["Use"];
            /** @description Every day of the range; days without use are zeros. */
            days: components["schemas"]["UseDay"][];
        };
        ConsumptionGroup: {
            /** @description Id of the user, service user or automation; the model; the tag; or the repository, as `provider:owner/name`. */
            id: string;
            /** @description Name of the user, service user or automation, "" for one that is gone; otherwise the id. */
            name: string;
            /** @description The sum of the days. */
            totals: components["schemas"]["Use"];
            /** @description Every day of the range; days without use are zeros. */
            days: components["schemas"]["UseDay"][];
        };
        ConsumptionRest: {
            /** @description The sum of the days. */
            totals: components["schemas"]["Use"];
            /** @description Every day of the range; days without use are zeros. */
            days: components["schemas"]["UseDay"][];
        };
        CreateAgentRequest: {
            /** @description A name for readers. */
            name: string;
            /**
             * @description A description for readers; at most 2,000 characters.
             * @default
             */
            description?: string;
            /**
             * @description Added to the agent's instructions; at most 100,000 characters.
             * @default
             */
            system_prompt?: string;
            /**
             * @description `<provider>/<model>`, one that the organization allows; "" is the organization's default.
             * @default
             */
            model?: string;
            /** @description Maximum number of tokens of one response; default the model's own limit. null is rejected. */
            max_tokens?: number;
            /** @description 0 to 2; default the model's own. null is rejected. */
            temperature?: number;
            /**
             * @description `builtin` is the agent that comes with Guildhall; `script` runs the steps of its `runtime_config`; `acp` runs another program that speaks the Agent Client Protocol.
             * @default builtin
             * @enum {string}
             */
            runtime?: "builtin" | "script" | "acp";
            /**
             * @description What the runtime needs, replaced whole. `script`: `{steps: [{run, allow_failure?}], summary, check?}`. `acp`: `{preset, command?, args?}`. `builtin`: nothing, `{}`.
             * @default {}
             */
            runtime_config?: {
                [key: string]: unknown;
            };
        };
        CreateAppKeyRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description The key's scopes: at least one, and none that the calling key lacks. */
            scopes: ("run" | "plugins:read" | "plugins:write" | "secrets:read" | "secrets:write" | "sessions:read" | "knowledge:read" | "memory:write" | "repos:read" | "repos:write" | "reviews:read" | "reviews:write" | "analytics:read" | "org:read" | "org:write" | "attachments:read" | "attachments:write" | "guardrails:read" | "guardrails:write")[];
            /**
             * Format: date-time
             * @description When it expires, in the future. By default it expires with the calling key, if that expires.
             */
            expires_at?: string;
            /** @description CIDR ranges that the key works from; by default, or with `[]`, those of the calling key. */
            ip_ranges?: string[];
        };
        CreateAppRequest: {
            /** @description A name for readers. */
            name: string;
            /**
             * @description A description for people; "" when not set.
             * @default
             */
            description?: string;
        };
        CreateAutomationRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description Any of them starts a run; at most 10, of which one is a webhook. */
            triggers: {
                /** @description Of a trigger of this automation, to keep it; omit it for a new one. */
                id?: string;
                /**
                 * @description `schedule` and `once` start at times, `webhook` by a signed request to its URL, `push` and `change_request` by events of repositories. `issue` is refused: no provider has issues yet.
                 * @enum {string}
                 */
                type: "schedule" | "once" | "webhook" | "change_request" | "issue" | "push";
                /** @description Of a schedule, else absent: minute, hour, day of the month, month, day of the week. A time that a change of the clock skips comes right after the change; one that it repeats comes once, unless the expression means every hour. */
                cron?: string;
                /** @description IANA name, by default `UTC`; "" unless the type is `schedule`. */
                timezone?: string;
                /**
                 * Format: date-time
                 * @description The time of `once`, else absent or null.
                 */
                at?: string | null;
                /** @description Ignored, and may be omitted; accepted so that a read can be sent back. */
                url?: string;
                /**
                 * @description The payload must meet all of them; by default none.
                 * @default []
                 */
                conditions?: {
                    /** @description A JSON pointer into the payload; "" is all of it. */
                    path: string;
                    /**
                     * @description `matches` compares with a pattern, in which `*` is any text.
                     * @enum {string}
                     */
                    operator: "equals" | "not_equals" | "matches" | "not_matches" | "contains" | "not_contains" | "greater_than" | "less_than" | "exists" | "absent";
                    /** @description What to compare with; null for `exists` and `absent`. */
                    value?: string | number | boolean | null;
                }[];
            }[];
            /** @description What a run does. */
            action: {
                /** @description The task. `{{payload}}` and `{{payload.name}}` refer to the payload, which follows as marked data; `{{automation.name}}`, `{{trigger.type}}` and `{{trigger.scheduled_at}}` are replaced. */
                prompt_template: string;
                /**
                 * @description The repositories of its sessions, at most 10.
                 * @default []
                 */
                repositories?: {
                    /**
                     * @description By default "": the one repository of that name.
                     * @enum {string}
                     */
                    provider?: "" | "github" | "gitlab" | "local";
                    /** @description `owner/name`, as the git host writes it. */
                    repo: string;
                    /** @description "" is the default branch. */
                    ref?: string;
                }[];
                /**
                 * @description "" is the default agent.
                 * @default
                 */
                agent_id?: string;
                /**
                 * @description Tags of its sessions.
                 * @default []
                 */
                tags?: string[];
                /**
                 * @description The budget of each session; omitted limits are those of any session.
                 * @default {}
                 */
                budget?: {
                    /** @description A limit in US dollars, checked before each model call like the other limits. Reaching it suspends the session. */
                    max_cost_usd?: number;
                    /** @description The maximum number of tokens of one response; null for the model's own limit. */
                    max_tokens?: number;
                    /** @description Minutes of work in the sandbox. */
                    max_minutes?: number;
                    /** @description Number of turns, including the first. */
                    max_turns?: number;
                };
                /**
                 * @description A JSON Schema of the value that the agent submits; {} for none.
                 * @default {}
                 */
                structured_output_schema?: {
                    [key: string]: unknown;
                };
                /**
                 * @description "" is as the settings `source_control` say.
                 * @default
                 * @enum {string}
                 */
                deliver?: "" | "change_request" | "draft" | "branch" | "none";
            };
            /**
             * @description False if no trigger starts it.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description `platform` starts a session for each run; `external` hands runs to programs that claim them.
             * @default platform
             * @enum {string}
             */
            executor?: "platform" | "external";
            /**
             * @description `creator`: its sessions act for its creator, with their own secrets and limits. `organization`: they act for nobody in particular.
             * @default creator
             * @enum {string}
             */
            run_as?: "organization" | "creator";
            /**
             * @description A run comes due while another has not ended: `skip` drops it, `queue` lets it wait, `replace` cancels the others, `parallel` starts it.
             * @default skip
             * @enum {string}
             */
            concurrency?: "skip" | "queue" | "replace" | "parallel";
            /**
             * @description Times passed while no scheduler ran: `skip` drops them, `run_once` makes one run for all, `catch_up` makes one for each, at most the latest 1,440.
             * @default run_once
             * @enum {string}
             */
            missed_runs?: "skip" | "run_once" | "catch_up";
            /** @description Attempts of a run that fails or times out; by default one. */
            retry?: {
                /**
                 * @description Including the first one.
                 * @default 1
                 */
                max_attempts?: number;
                /**
                 * @description The delay before the second attempt; it doubles with each one, up to a day.
                 * @default 60
                 */
                backoff_seconds?: number;
            };
            /**
             * @description An attempt is ended after this long, counted from the start of its work.
             * @default 120
             */
            timeout_minutes?: number;
            /** @description It is paused after this many failures in a row; 0: never; null, the default: as the settings `automations` say, also after they change. */
            pause_after_failures?: number | null;
        };
        CreateBrowserSessionRequest: {
            /** @description A session that stores the screenshots as artifacts; default none. */
            session_id?: string;
        };
        CreateGitConnectionRequest: {
            /**
             * @description This version cannot connect to other git hosts: every organization has its one `local` connection from the start (409), and `github` and `gitlab` are rejected (400).
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /**
             * @description The authorization; omit it, because this version cannot create connections.
             * @enum {string}
             */
            kind?: "token" | "app" | "directory";
            /** @description The host; omit it, because this version cannot create connections. */
            host?: string;
            /** @description For people; no connection can be made in this version. */
            name?: string;
            /** @description The credential; omit it, because this version cannot create connections. */
            token?: string;
        };
        CreateGroupRequest: {
            /** @description A name for readers. */
            name: string;
            /**
             * @description A description for people; "" when not set.
             * @default
             */
            description?: string;
            /** @description Limits for the sessions of all members together; omitted ones are unlimited in a new group, and unchanged in an existing one. */
            limits?: {
                /** @description Limits per day; null is unlimited. */
                per_day?: {
                    /**
                     * @description Cost in US dollars, by the applicable prices.
                     * @default null
                     */
                    cost_usd?: number | null;
                    /**
                     * @description Tokens read and written.
                     * @default null
                     */
                    tokens?: number | null;
                    /**
                     * @description Sessions begun.
                     * @default null
                     */
                    sessions?: number | null;
                    /**
                     * @description Minutes of sandbox time.
                     * @default null
                     */
                    sandbox_minutes?: number | null;
                };
                /**
                 * @description An IANA time zone; the day starts at its midnight.
                 * @default UTC
                 */
                timezone?: string;
                /**
                 * @description `block`: a new session is rejected with 402 `budget_exceeded`. `queue`: it waits, with `status_detail: group_limit`.
                 * @default block
                 * @enum {string}
                 */
                on_exceed?: "block" | "queue";
            };
        };
        CreateInvitesRequest: {
            /** @description 1 to 100 addresses. */
            emails: string[];
            /**
             * @description The permission: `admin` may do everything, `viewer` only reads, `member` is in between.
             * @default member
             * @enum {string}
             */
            permission?: "admin" | "member" | "viewer";
        };
        CreateKnowledgeNoteRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description When the note is useful. Not blank. */
            trigger: string;
            /** @description Markdown, at most 100 KiB in UTF-8. Not blank. */
            body: string;
            /**
             * @description `organization`: for every session. `repository`: for sessions on a repository. `user`: for the caller's own sessions.
             * @default organization
             * @enum {string}
             */
            scope?: "organization" | "repository" | "user";
            /**
             * @description "" for every repository; else globs separated by commas: `owner/name`, `owner/*`, optionally with the prefix `github:`, `gitlab:` or `local:`.
             * @default
             */
            repo_filter?: string;
            /**
             * @description True if sessions get it.
             * @default true
             */
            enabled?: boolean;
        };
        CreateMcpServerRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description Its tools are named `<slug>__<tool>`. Derived from the name by default. */
            slug?: string;
            /**
             * @description An emoji, or the URL of an image; "" for none.
             * @default
             */
            icon?: string;
            /**
             * @description A description for people; "" when not set.
             * @default
             */
            description?: string;
            /** @description http or https, for streamable HTTP or SSE, without credentials. Exactly one of url and command. */
            url?: string;
            /** @description A program that speaks MCP over stdio; it runs only inside a session's sandbox. Exactly one of url and command. */
            command?: string;
            /**
             * @description Arguments of the command, at most 100.
             * @default []
             */
            args?: string[];
            /**
             * @description Variables of a command. A value can contain `${NAME}`, a placeholder for a secret.
             * @default {}
             */
            env?: {
                [key: string]: string;
            };
            /**
             * @description Headers of every request to a URL. A value can contain `${NAME}`, a placeholder for a secret.
             * @default {}
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description `organization`: every session gets it. `repositories`: sessions on one of `repos`. `on_request`: sessions that name it in `mcp_server_ids`.
             * @default organization
             * @enum {string}
             */
            access?: "organization" | "repositories" | "on_request";
            /**
             * @description The repositories that it applies to with the access `repositories`.
             * @default []
             */
            repos?: string[];
            /**
             * @description True if sessions get it.
             * @default true
             */
            enabled?: boolean;
        };
        CreateMemoryNoteRequest: {
            /** @description `owner/name`, compared case-insensitively; only GitLab allows slashes in the owner. */
            repo: string;
            /**
             * @description `local` is the built-in git host.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /**
             * @description Trimmed to at most 160 characters. "Memory note" by default, and if blank.
             * @default Memory note
             */
            title?: string;
            /** @description Trimmed; then neither empty nor longer than 245,760 bytes in UTF-8. */
            content: string;
        };
        CreateOrganizationRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description Usable in place of the id in paths; derived from the name by default. 3 to 40 characters of a-z, 0-9 and -. */
            slug?: string;
        };
        CreatePersonalKeyRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description The key's scopes: at least one, and none that the calling key lacks. */
            scopes: ("run" | "plugins:read" | "plugins:write" | "secrets:read" | "secrets:write" | "sessions:read" | "knowledge:read" | "memory:write" | "repos:read" | "repos:write" | "reviews:read" | "reviews:write" | "analytics:read" | "org:read" | "org:write" | "attachments:read" | "attachments:write" | "guardrails:read" | "guardrails:write")[];
            /**
             * Format: date-time
             * @description When it expires, in the future. By default it expires with the calling key, if that expires.
             */
            expires_at?: string;
            /** @description CIDR ranges that the key works from; by default, or with `[]`, those of the calling key. */
            ip_ranges?: string[];
            /** @description Another organization that you are a member of, by id or slug; default the current one. */
            organization_id?: string;
        };
        CreateRepositoryRequest: {
            /**
             * @description `local`, the built-in git host. Others are rejected with 400 unless a connection to them exists.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /** @description `owner/name`, without `.git` at its end. */
            repo: string;
            /** @description The branch that sessions start from; default `main`, or the default branch of the imported repository. */
            default_branch?: string;
            /** @description A git repository to copy, by http or https; by default the new one is empty. */
            import_url?: string;
            /** @description How sessions on it are set up and checked; each part may be omitted. */
            environment?: {
                /**
                 * @description The shell command that installs dependencies. Runs once for each set of lockfiles in the default branch's history, and anew for any other commit.
                 * @default
                 */
                setup_command?: string;
                /**
                 * @description The shell command that checks a task: exit code 0 means done. "" when not set.
                 * @default
                 */
                verify_command?: string;
                /**
                 * @description The sandbox image, if the driver supports images; "" when not set.
                 * @default
                 */
                image?: string;
            };
        };
        CreateSecretRequest: {
            /** @description Name of the environment variable; only a label for a git credential. */
            key: string;
            /** @description At most 16 KiB in UTF-8. Write-only. */
            value: string;
            /**
             * @description `env`: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: `user:password`, or a token alone, for git over HTTPS at `allowed_hosts`.
             * @default env
             * @enum {string}
             */
            kind?: "env" | "file" | "git_credential";
            /**
             * @description The sessions that get it: all of the `organization`, those on the `repository`, or the `user`'s own. A user's own secret enters only the agent's sandbox, and never together with a secret of any scope that another member wrote last.
             * @default organization
             * @enum {string}
             */
            scope?: "organization" | "repository" | "user";
            /** @description `owner/name`, with the prefix `github:`, `gitlab:` or `local:` if several git hosts have it; required for the scope `repository`, omit it for others. */
            repo?: string;
            /**
             * @description A name for people; "" when not set.
             * @default
             */
            note?: string;
            /**
             * @description `sandbox`: the value enters the sandbox. `broker`: it stays outside, and the gateway adds it as a header to requests to `allowed_hosts`: as `Authorization: Bearer <value>`, or as the header in a value of the form `name: content`.
             * @default sandbox
             * @enum {string}
             */
            exposure?: "sandbox" | "broker";
            /**
             * @description Host names; `*.example.com` matches its subdomains.
             * @default []
             */
            allowed_hosts?: string[];
        };
        CreateServiceUserKeyRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description The key's scopes: at least one, and none that the calling key lacks. */
            scopes: ("run" | "plugins:read" | "plugins:write" | "secrets:read" | "secrets:write" | "sessions:read" | "knowledge:read" | "memory:write" | "repos:read" | "repos:write" | "reviews:read" | "reviews:write" | "analytics:read" | "org:read" | "org:write" | "attachments:read" | "attachments:write" | "guardrails:read" | "guardrails:write")[];
            /**
             * Format: date-time
             * @description When it expires, in the future. By default it expires with the calling key, if that expires.
             */
            expires_at?: string;
            /** @description CIDR ranges that the key works from; by default, or with `[]`, those of the calling key. */
            ip_ranges?: string[];
        };
        CreateServiceUserRequest: {
            /** @description A name for readers. */
            name: string;
            /**
             * @description A description for people; "" when not set.
             * @default
             */
            description?: string;
        };
        CreateSessionRequest: {
            /** @description The task. */
            prompt: string;
            /**
             * @description The repositories to work on, up to 10. `[]`, or none, is an empty workspace, from which nothing is delivered. `provider` may be omitted if only one has a repository of that name; `ref` defaults to the default branch.
             * @default []
             */
            repositories?: {
                /**
                 * @description The git host; may be omitted where only one has a repository of that name.
                 * @enum {string}
                 */
                provider?: "github" | "gitlab" | "local";
                /** @description `owner/name`, as the git host writes it. */
                repo: string;
                /** @description A branch, tag or commit to start from; defaults to the default branch. */
                ref?: string;
                /** @description Omit it: refused with 400 in this version. Give its branch as `ref`. */
                change_request?: number;
            }[];
            /** @description The agent; default the organization's. */
            agent_id?: string;
            /** @description `<provider>/<model>`; a name alone refers to the first provider. "" is the model of the agent, or else the default. */
            model?: string;
            /**
             * @description `build` changes the code, `plan` ends with a plan, `ask` answers a question; the latter two have no tools that change anything.
             * @default build
             * @enum {string}
             */
            mode?: "build" | "plan" | "ask";
            /**
             * @description The session first plans, without any tool that changes something, and waits until its plan is approved (`/approvals`); then it carries it out, in the mode `plan` too. Of an agent of the runtime `script` the steps are the plan. Later turns need no approval. 400 in the mode `ask`.
             * @default false
             */
            require_plan_approval?: boolean;
            /** @description Decides whether the task is done: exit code 0. By default it is the check that the agent declares, then that of the repository, then one that is detected. */
            verify_command?: string;
            /**
             * @description `change_request` by default, or `draft` if the organization says so; always `none` without a repository.
             * @enum {string}
             */
            deliver?: "change_request" | "draft" | "branch" | "none";
            /** @description Up to 50, as the run tag policy allows; default the policy's. */
            tags?: string[];
            /**
             * @description Up to 20 keys of yours, returned unchanged.
             * @default {}
             */
            metadata?: {
                [key: string]: string | number | boolean | null;
            };
            /**
             * @description Knowledge notes. null: those that match the task; `[]`: none.
             * @default null
             */
            knowledge_ids?: string[] | null;
            /**
             * @description Secrets. null: all that apply; `[]`: none. Your own never share a sandbox with content that another member wrote last, including secrets of the organization and of repositories: 400 if a named secret cannot be given.
             * @default null
             */
            secret_ids?: string[] | null;
            /**
             * @description Skills. null: all that apply; `[]`: none.
             * @default null
             */
            skill_ids?: string[] | null;
            /**
             * @description MCP servers. null: all that apply; `[]`: none.
             * @default null
             */
            mcp_server_ids?: string[] | null;
            /**
             * @description Secrets for this session only; their values are never shown.
             * @default []
             */
            session_secrets?: {
                /** @description Name of the environment variable; only a label for a git credential. */
                key: string;
                /** @description At most 16 KiB in UTF-8. Write-only. */
                value: string;
                /**
                 * @description `env`: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: `user:password`, or a token alone, for git over HTTPS at `allowed_hosts`.
                 * @default env
                 * @enum {string}
                 */
                kind?: "env" | "file" | "git_credential";
                /**
                 * @description `sandbox`: the value enters the sandbox. `broker`: it stays outside, and the gateway adds it as a header to requests to `allowed_hosts`: as `Authorization: Bearer <value>`, or as the header in a value of the form `name: content`.
                 * @default sandbox
                 * @enum {string}
                 */
                exposure?: "sandbox" | "broker";
                /**
                 * @description Host names; `*.example.com` matches its subdomains.
                 * @default []
                 */
                allowed_hosts?: string[];
            }[];
            /**
             * @description Attachments to place beside the repositories.
             * @default []
             */
            attachment_ids?: string[];
            /** @description A JSON Schema (draft 2020-12, as in OpenAPI 3.1; at most 64 KiB and 64 levels; only local references). The agent submits a value that fits it, of at most 256 KiB: the built-in agent with its tool `submit_output`, a script by writing JSON to the file that `GUILDHALL_OUTPUT` names. The value becomes `structured_output`. Omit for none. */
            structured_output_schema?: {
                [key: string]: unknown;
            };
            /**
             * @description True if the session fails (`agent_error`) without such a value: with the error code `structured_output_missing` if the agent submitted none, or `structured_output_invalid` if none was valid. Its branch is pushed, but no change request is opened. An agent that takes messages is told what is wrong, at most twice. With false, an invalid value is a `warning`.
             * @default false
             */
            structured_output_required?: boolean;
            /** @description Its limits. An omitted limit is unlimited; the organization's limits apply as well. */
            budget?: {
                /** @description A limit in US dollars, checked before each model call like the other limits. Reaching it suspends the session. */
                max_cost_usd?: number;
                /** @description Tokens read and written, over all turns. */
                max_tokens?: number;
                /** @description Minutes of work in the sandbox. */
                max_minutes?: number;
                /** @description Number of turns, including the first. */
                max_turns?: number;
            };
            /** @description True to give it the memory of its repositories; default the organization's setting. */
            memory_enabled?: boolean;
            /** @description Default: the first line of the prompt. */
            title?: string;
        };
        CreateSkillRequest: {
            /** @description All files, including SKILL.md. */
            files: {
                /** @description At most 255 characters; segments are separated by `/`. */
                path: string;
                /** @description At most 256 KiB. */
                content: string;
                /**
                 * @description Encoding of `content`.
                 * @default utf8
                 * @enum {string}
                 */
                encoding?: "utf8" | "base64";
                /**
                 * @description True if the file is executable.
                 * @default false
                 */
                executable?: boolean;
            }[];
            /**
             * @description True if sessions get it.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description The sessions that get it; `[]` is the whole organization.
             * @default []
             */
            assignments?: {
                /**
                 * @description `organization`: every session. `repository`: those on the repositories that `repo` names.
                 * @enum {string}
                 */
                scope: "organization" | "repository";
                /** @description `owner/name` or `owner/*`, optionally with the prefix `github:`, `gitlab:` or `local:`; required for the scope `repository`, omit it for others. */
                repo?: string;
            }[];
        };
        CreateToolTokenRequest: {
            /**
             * @description Days until it expires, at most 30; it expires with the calling key if that is sooner.
             * @default 30
             */
            expires_in_days?: number;
        };
        CreateWebhookRequest: {
            /** @description Where requests are sent: http or https, without credentials. Redirects are not followed. */
            url: string;
            /**
             * @description For readers.
             * @default
             */
            name?: string;
            /**
             * @description Types of events, such as `session.created`, or `session.*` for all of a resource; `[]` is all.
             * @default []
             */
            events?: string[];
            /**
             * @description False: nothing is sent.
             * @default true
             */
            enabled?: boolean;
        };
        CreatedOrganization: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Usable in place of the id in paths; can be changed. */
            slug: string;
            /** @description A name for readers. */
            name: string;
            /**
             * @description `suspended` by the operator: it only serves its identity, and its sessions wait. `deleting`: it only serves reads, and can be restored for 30 days.
             * @enum {string}
             */
            state: "active" | "suspended" | "deleting";
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The key itself. It is shown only once. */
            key: string;
        };
        DailyConsumption: {
            /** @description The first day. */
            from: string;
            /** @description The last day. */
            to: string;
            /**
             * @description What the groups are; "" without groups.
             * @enum {string}
             */
            group_by: "" | "user" | "service_user" | "repo" | "model" | "automation" | "tag";
            /** @description The sum of the days. */
            totals: components["schemas"]["Use"];
            /** @description Every day of the range; days without use are zeros. */
            days: components["schemas"]["UseDay"][];
            /** @description The groups that cost most in the range, the most expensive first. */
            groups: components["schemas"]["ConsumptionGroup"][];
            /** @description Number of groups with any use in the range. */
            groups_total: number;
            /** @description All other groups together. What belongs to no group is not among them, such as calls of sessions without a repository. A session with two tags counts in both. */
            rest: components["schemas"]["ConsumptionRest"];
        };
        DecideSessionApprovalRequest: {
            /**
             * @description Final: a second decision is 409 `already_decided`.
             * @enum {string}
             */
            decision: "approve" | "deny";
            /** @description For the agent; default none. With a denial, tells it what to plan instead; after a denial without one the session waits for a message. */
            note?: string;
            /** @description The plan to carry out instead; only with `approve`. By default the plan as it stands. */
            edited_plan?: string;
        };
        Diff: {
            /** @description Start of the diff; "" for none. */
            base_commit: string;
            /** @description End of the diff; "" for none. */
            head_commit: string;
            /** @description Lines added. */
            additions: number;
            /** @description Lines deleted. */
            deletions: number;
            /** @description The changed files. */
            files: {
                /** @description The file's path, before its deletion if it was deleted. */
                path: string;
                /** @description Its path before a rename; "" otherwise. */
                old_path: string;
                /**
                 * @description The kind of change.
                 * @enum {string}
                 */
                status: "added" | "modified" | "deleted" | "renamed";
                /** @description True for a binary file, which has no `patch` and no line counts. */
                binary: boolean;
                /** @description Lines added. */
                additions: number;
                /** @description Lines deleted. */
                deletions: number;
                /** @description The change as a unified diff; "" for a binary file, and if it is too large. */
                patch: string;
            }[];
        };
        DiffBlueprintsRequest: {
            /** @description The first blueprint. */
            from: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description Version of the agent; default the newest. */
                version?: number;
            };
            /** @description The second: another blueprint, another version, or a manifest. */
            to: {
                /** @description The second blueprint. Exactly one of `id` and `manifest`. */
                id?: string;
                /** @description Version of the agent; default the newest. */
                version?: number;
                /** @description A manifest of your own, such as one from a file. Exactly one of `id` and `manifest`. */
                manifest?: {
                    [key: string]: unknown;
                };
            };
        };
        EffectiveGuardrails: {
            /** @description The repository; "" for the default of the organization. */
            repository_id: string;
            /** @description `owner/name`; "" for the default of the organization. */
            repo: string;
            /** @description Sessions that may be created per day (UTC); 0 for no limit. */
            max_sessions_per_day: number;
            /** @description Sessions that may be queued or run at once; 0 for no limit. */
            max_concurrent_sessions: number;
            /** @description Open change requests of sessions; 0 for no limit. */
            max_open_change_requests: number;
            /** @description The highest budget of a session, and the budget of one without any; 0 for no limit. */
            max_cost_per_session_usd: number;
            /** @description The cost of all sessions per day (UTC); 0 for no limit. A new session also needs room beside the rest of the budgets of those that are queued or run. A session is suspended before a model call that does not fit. */
            max_cost_per_day_usd: number;
            /** @description Files that a session may change; 0 for no limit. */
            max_changed_files: number;
            /** @description Lines that a session may add and delete together; 0 for no limit. */
            max_changed_lines: number;
            /** @description Files that a session may not change, as globs: `*` matches any characters, including slashes. A pattern without a slash matches a name in any directory; one of a directory also matches everything in it. */
            protected_paths: string[];
            /** @description Branches that a session may not push to, as globs. */
            protected_branches: string[];
            /** @description The origins of sessions; empty for any. */
            allowed_origins: ("api" | "console" | "cli" | "mcp" | "automation" | "review" | "session")[];
            /** @description A session in mode "build" waits for the approval of its plan. */
            require_plan_approval: boolean;
            /**
             * @description What happens if a change to push contains what looks like a secret.
             * @enum {string}
             */
            secret_scan: "block" | "warn" | "off";
            /** @description Commands that an agent may not run: a program, and the first arguments or options, such as `git push` or `rm -rf`; `*` matches any characters of a word. Compared with the parsed command, inside of pipes, substitutions, `sh -c`, `xargs` and the like. A command that cannot be parsed is denied too. Programs and scripts that a command starts are not inspected. */
            commands_denied: string[];
            /** @description Where each rule is set. */
            sources: {
                /**
                 * @description Where `max_sessions_per_day` is set.
                 * @enum {string}
                 */
                max_sessions_per_day: "repository" | "organization" | "platform";
                /**
                 * @description Where `max_concurrent_sessions` is set.
                 * @enum {string}
                 */
                max_concurrent_sessions: "repository" | "organization" | "platform";
                /**
                 * @description Where `max_open_change_requests` is set.
                 * @enum {string}
                 */
                max_open_change_requests: "repository" | "organization" | "platform";
                /**
                 * @description Where `max_cost_per_session_usd` is set.
                 * @enum {string}
                 */
                max_cost_per_session_usd: "repository" | "organization" | "platform";
                /**
                 * @description Where `max_cost_per_day_usd` is set.
                 * @enum {string}
                 */
                max_cost_per_day_usd: "repository" | "organization" | "platform";
                /**
                 * @description Where `max_changed_files` is set.
                 * @enum {string}
                 */
                max_changed_files: "repository" | "organization" | "platform";
                /**
                 * @description Where `max_changed_lines` is set.
                 * @enum {string}
                 */
                max_changed_lines: "repository" | "organization" | "platform";
                /**
                 * @description Where `protected_paths` is set.
                 * @enum {string}
                 */
                protected_paths: "repository" | "organization" | "platform";
                /**
                 * @description Where `protected_branches` is set.
                 * @enum {string}
                 */
                protected_branches: "repository" | "organization" | "platform";
                /**
                 * @description Where `allowed_origins` is set.
                 * @enum {string}
                 */
                allowed_origins: "repository" | "organization" | "platform";
                /**
                 * @description Where `require_plan_approval` is set.
                 * @enum {string}
                 */
                require_plan_approval: "repository" | "organization" | "platform";
                /**
                 * @description Where `secret_scan` is set.
                 * @enum {string}
                 */
                secret_scan: "repository" | "organization" | "platform";
                /**
                 * @description Where `commands_denied` is set.
                 * @enum {string}
                 */
                commands_denied: "repository" | "organization" | "platform";
            };
        };
        EmptyRequest: Record<string, never>;
        Error: {
            /** @description Machine-readable code: invalid_request, invalid_json, invalid_cursor, prompt_required, content_required, content_too_large, title_too_long, unknown_namespace, invalid_schedule, tag_not_allowed, unauthorized, key_expired, key_revoked, invalid_credentials, budget_exceeded, forbidden, ip_not_allowed, guardrail_blocked, memory_read_only, address_not_allowed, not_found, conflict, already_decided, already_revoked, branch_conflict, change_request_closed, connection_in_use, idempotency_conflict, idempotency_in_progress, invalid_transition, last_admin, merge_conflict, organization_busy, organization_deleting, repository_exists, repository_in_use, run_terminal, secret_exists, session_active, session_terminal, slug_taken, stale_fencing_token, unknown_fencing_token, would_lock_out, stream_expired, revision_conflict, payload_too_large, unsupported_media_type, rate_limited, internal_error, navigation_failed, upstream_error, capacity_unavailable, navigation_timeout, organization_not_found, user_not_found, invite_not_found, service_user_not_found, key_not_found, blueprint_not_found, group_not_found, ip_entry_not_found, audit_entry_not_found, webhook_not_found, delivery_not_found, secret_not_found, mcp_server_not_found, memory_note_not_found, knowledge_note_not_found, suggestion_not_found, git_connection_not_found, repository_not_found, change_request_not_found, comment_not_found, violation_not_found, session_not_found, message_not_found, artifact_not_found, approval_not_found, automation_not_found, run_not_found, skill_not_found, attachment_not_found, agent_not_found, app_not_found, billing_cycle_not_found, browser_session_not_found. */
            error: string;
            /** @description An explanation for people: what is wrong and what to do. */
            message: string;
            /** @description More about it, for programs, such as a limit. Not every error has any. */
            details?: {
                /** @description What is wrong with the request, field by field; at most 50. */
                issues?: components["schemas"]["Issue"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Identifies the request in the server's log; also the header `x-request-id`. */
            request_id?: string;
        };
        ErrorEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The session failed; its status follows. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "error";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The code, for programs. */
                code: string;
                /** @description An explanation for people: what is wrong and what to do. */
                message: string;
            };
        };
        EvaluateGuardrailsRequest: {
            /**
             * @description The repository; without it, the default of the organization is evaluated.
             * @default
             */
            repo?: string;
            /**
             * @description The origin of the session.
             * @default api
             * @enum {string}
             */
            origin?: "api" | "console" | "cli" | "mcp" | "automation" | "review" | "session";
            /**
             * @description The session's budget; by default that of any session.
             * @default {}
             */
            budget?: {
                /** @description The highest cost of the session in US dollars; by default that of any session. */
                max_cost_usd?: number;
            };
            /**
             * @description Commands of the agent.
             * @default []
             */
            commands?: string[];
            /**
             * @description The branch to push to.
             * @default
             */
            branch?: string;
            /**
             * @description The changed files.
             * @default []
             */
            files?: {
                /** @description The path in the repository. */
                path: string;
                /**
                 * @description Number of added lines.
                 * @default 0
                 */
                additions?: number;
                /**
                 * @description Number of deleted lines.
                 * @default 0
                 */
                deletions?: number;
                /**
                 * @description The new content, to scan it for secrets.
                 * @default
                 */
                content?: string;
            }[];
            /**
             * @description True if a change request would be opened.
             * @default false
             */
            opens_change_request?: boolean;
        };
        Evidence: {
            /**
             * @description A `command` that ran, a `file` that the check used, or a `note`.
             * @enum {string}
             */
            kind: "command" | "file" | "note";
            /** @description The shell command; for a file its path. */
            command: string;
            /** @description Exit code of the command; null while it runs. 128 + signal when it was killed, 124 after a timeout. */
            exit_code: number | null;
            /** @description Milliseconds. */
            duration_ms: number;
            /** @description The end of its output, stdout and stderr together, with secrets masked. */
            output_tail: string;
            /** @description The artifact with its full output; null for none. */
            artifact_id: string | null;
            /** @description Why the command could not run, so that it proves nothing; absent if it ran. */
            problem?: string;
        };
        ExternalExecutor: {
            /** @description The automation. */
            automation_id: string;
            /** @description The address that runs are sent to; "" if executors claim them. */
            url: string;
            /** @description The secret of the signatures (`whsec_…`); shown only when it is issued, else "". */
            secret: string;
            /**
             * Format: date-time
             * @description Time of the last change; null if it was never set.
             */
            updated_at: string | null;
        };
        FileChangeEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A file changed since the previous checkpoint; sent with the checkpoint. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "file_change";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description Relative to the workspace. */
                path: string;
                /**
                 * @description Since the previous checkpoint.
                 * @enum {string}
                 */
                change: "added" | "modified" | "deleted";
                /** @description Lines; 0 for a binary file. */
                additions: number;
                /** @description Lines deleted. */
                deletions: number;
                /** @description The tool call that caused it; "" for none. */
                call_id: string;
            };
        };
        GeneratedMemory: {
            /** @description `owner/name`, as the git host writes it. */
            repo: string;
            /**
             * @description The git host: `local` is the built-in one.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /** @description All of the files. */
            items: {
                /** @description The author: `builtin`, or the preset of another agent. */
                agent: string;
                /** @description Path of the file in the agent's own memory. */
                path: string;
                /** @description The content, as the agent wrote it. */
                content: string;
                /**
                 * Format: date-time
                 * @description Time of the last change.
                 */
                updated_at: string;
            }[];
            /** @description The total number. */
            total: number;
        };
        GitConnection: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /**
             * @description The git host: `local` is the built-in one.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /**
             * @description The authorization: by a `token`, as an `app`, or none, for a `directory` of this server.
             * @enum {string}
             */
            kind: "token" | "app" | "directory";
            /** @description Its host; "" for the built-in git host. */
            host: string;
            /** @description A name for readers. */
            name: string;
            /**
             * @description True if it works.
             * @enum {string}
             */
            state: "connected" | "degraded" | "revoked" | "error";
            /**
             * Format: date-time
             * @description When it last worked; null before.
             */
            last_verified_at: string | null;
            /** @description Permissions that its credential lacks; `[]` for none. */
            missing_permissions: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        GitConnectionList: {
            /** @description The items of this page. */
            items: components["schemas"]["GitConnection"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Group: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /** @description Number of members. */
            member_count: number;
            /** @description Identifies the set of members: it changes when one joins or leaves. */
            members_digest: string;
            /** @description Limits for the sessions of all members together. */
            limits: {
                /** @description Limits for the sessions of all members together, per day; null is unlimited. */
                per_day: {
                    /** @description Cost in US dollars, by the applicable prices. */
                    cost_usd: number | null;
                    /** @description Tokens read and written. */
                    tokens: number | null;
                    /** @description Sessions begun. */
                    sessions: number | null;
                    /** @description Minutes of sandbox time. */
                    sandbox_minutes: number | null;
                };
                /** @description An IANA time zone; the day starts at its midnight. */
                timezone: string;
                /**
                 * @description `block`: a new session is rejected with 402 `budget_exceeded`. `queue`: it waits, with `status_detail: group_limit`.
                 * @enum {string}
                 */
                on_exceed: "block" | "queue";
            };
        };
        GroupList: {
            /** @description The items of this page. */
            items: components["schemas"]["Group"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        GroupUsage: {
            /** @description YYYY-MM-DD */
            date: string;
            /** @description IANA time zone, such as `Europe/Berlin`. */
            timezone: string;
            /** @description The current limits. */
            limits: {
                /** @description Limits for the sessions of all members together, per day; null is unlimited. */
                per_day: {
                    /** @description Cost in US dollars, by the applicable prices. */
                    cost_usd: number | null;
                    /** @description Tokens read and written. */
                    tokens: number | null;
                    /** @description Sessions begun. */
                    sessions: number | null;
                    /** @description Minutes of sandbox time. */
                    sandbox_minutes: number | null;
                };
                /** @description An IANA time zone; the day starts at its midnight. */
                timezone: string;
                /**
                 * @description `block`: a new session is rejected with 402 `budget_exceeded`. `queue`: it waits, with `status_detail: group_limit`.
                 * @enum {string}
                 */
                on_exceed: "block" | "queue";
            };
            /** @description The use so far. */
            used: {
                /** @description Cost in US dollars, by the applicable prices. */
                cost_usd: number;
                /** @description Tokens read and written. */
                tokens: number;
                /** @description Sessions begun. */
                sessions: number;
                /** @description Minutes of sandbox time. */
                sandbox_minutes: number;
            };
            /** @description Reserved for dispatched sessions and running model calls; it counts against the limits. */
            reserved: {
                /** @description Cost in US dollars, by the applicable prices. */
                cost_usd: number;
                /** @description Tokens read and written. */
                tokens: number;
                /** @description Sessions begun. */
                sessions: number;
                /** @description Minutes of sandbox time. */
                sandbox_minutes: number;
            };
        };
        GuardrailEvaluation: {
            /** @description True if nothing would be blocked. */
            allowed: boolean;
            /** @description True if a session would wait for the approval of its plan. */
            require_plan_approval: boolean;
            /** @description Everything that would be blocked or warned about. */
            findings: {
                /**
                 * @description The rule.
                 * @enum {string}
                 */
                rule: "max_sessions_per_day" | "max_concurrent_sessions" | "max_open_change_requests" | "max_cost_per_session_usd" | "max_cost_per_day_usd" | "max_changed_files" | "max_changed_lines" | "protected_paths" | "protected_branches" | "allowed_origins" | "require_plan_approval" | "secret_scan" | "commands_denied";
                /**
                 * @description `blocked` or `warned`.
                 * @enum {string}
                 */
                action: "warned" | "blocked";
                /**
                 * @description The point at which the rule was checked.
                 * @enum {string}
                 */
                stage: "create" | "dispatch" | "model_call" | "tool_call" | "push" | "change_request";
                /** @description What is wrong, and what to do. */
                message: string;
                /** @description The value at that time; null for a rule without a limit. */
                used: number | null;
                /** @description The limit; null for a rule without one. */
                allowed: number | null;
                /** @description Paths, lines or commands, at most 20, with secrets masked. */
                items: string[];
            }[];
        };
        Guardrails: {
            /** @description The repository; "" for the default of the organization. */
            repository_id: string;
            /** @description `owner/name`; "" for the default of the organization. */
            repo: string;
            /** @description Sessions that may be created per day (UTC); 0 for no limit. */
            max_sessions_per_day: number;
            /** @description Sessions that may be queued or run at once; 0 for no limit. */
            max_concurrent_sessions: number;
            /** @description Open change requests of sessions; 0 for no limit. */
            max_open_change_requests: number;
            /** @description The highest budget of a session, and the budget of one without any; 0 for no limit. */
            max_cost_per_session_usd: number;
            /** @description The cost of all sessions per day (UTC); 0 for no limit. A new session also needs room beside the rest of the budgets of those that are queued or run. A session is suspended before a model call that does not fit. */
            max_cost_per_day_usd: number;
            /** @description Files that a session may change; 0 for no limit. */
            max_changed_files: number;
            /** @description Lines that a session may add and delete together; 0 for no limit. */
            max_changed_lines: number;
            /** @description Files that a session may not change, as globs: `*` matches any characters, including slashes. A pattern without a slash matches a name in any directory; one of a directory also matches everything in it. */
            protected_paths: string[];
            /** @description Branches that a session may not push to, as globs. */
            protected_branches: string[];
            /** @description The origins of sessions; empty for any. */
            allowed_origins: ("api" | "console" | "cli" | "mcp" | "automation" | "review" | "session")[];
            /** @description A session in mode "build" waits for the approval of its plan. */
            require_plan_approval: boolean;
            /**
             * @description What happens if a change to push contains what looks like a secret.
             * @enum {string}
             */
            secret_scan: "block" | "warn" | "off";
            /** @description Commands that an agent may not run: a program, and the first arguments or options, such as `git push` or `rm -rf`; `*` matches any characters of a word. Compared with the parsed command, inside of pipes, substitutions, `sh -c`, `xargs` and the like. A command that cannot be parsed is denied too. Programs and scripts that a command starts are not inspected. */
            commands_denied: string[];
            /** @description The rules that are set here; all others are inherited. */
            set_keys: ("max_sessions_per_day" | "max_concurrent_sessions" | "max_open_change_requests" | "max_cost_per_session_usd" | "max_cost_per_day_usd" | "max_changed_files" | "max_changed_lines" | "protected_paths" | "protected_branches" | "allowed_origins" | "require_plan_approval" | "secret_scan" | "commands_denied")[];
            /**
             * Format: date-time
             * @description The time of the last change; null if nothing is set here.
             */
            updated_at: string | null;
        };
        GuardrailsList: {
            /** @description The items of this page. */
            items: components["schemas"]["Guardrails"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        HookAnswer: {
            /** @description True if the delivery has a run. */
            accepted: boolean;
            /** @description True if a delivery with this id came before. */
            duplicate: boolean;
            /** @description The run; "" for none. */
            run_id: string;
            /** @description Why it has none; "" if it has one. */
            reason: string;
        };
        ImportSkillRequest: {
            /** @description URL of the git repository; http or https. A `clone_url` of this installation is read with your own permission, so it needs no credentials (scope `repos:read`). */
            url: string;
            /**
             * @description A branch, a tag or a commit; "" is the default branch.
             * @default
             */
            ref?: string;
            /**
             * @description The skill's directory in the repository; "" is its root.
             * @default
             */
            path?: string;
            /**
             * @description True if sessions get it.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description The sessions that get it; `[]` is the whole organization.
             * @default []
             */
            assignments?: {
                /**
                 * @description `organization`: every session. `repository`: those on the repositories that `repo` names.
                 * @enum {string}
                 */
                scope: "organization" | "repository";
                /** @description `owner/name` or `owner/*`, optionally with the prefix `github:`, `gitlab:` or `local:`; required for the scope `repository`, omit it for others. */
                repo?: string;
            }[];
        };
        Invite: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description An e-mail address; case-insensitive. */
            email: string;
            /**
             * @description The permission: `admin` may do everything, `viewer` only reads, `member` is in between.
             * @enum {string}
             */
            permission: "admin" | "member" | "viewer";
            /**
             * @description `pending` until it is accepted or revoked, or seven days have passed.
             * @enum {string}
             */
            state: "pending" | "accepted" | "expired" | "revoked";
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string;
        };
        InviteList: {
            /** @description The items of this page. */
            items: components["schemas"]["Invite"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        InviteResult: {
            /** @description "" if no invitation was created. */
            id: string;
            /** @description An e-mail address; case-insensitive. */
            email: string;
            /**
             * @description The permission: `admin` may do everything, `viewer` only reads, `member` is in between.
             * @enum {string}
             */
            permission: "admin" | "member" | "viewer";
            /**
             * @description The invitation's state; "" if none was created.
             * @enum {string}
             */
            state: "pending" | "accepted" | "expired" | "revoked" | "";
            /** @description date-time; "" if no invitation was created. */
            expires_at: string;
            /**
             * @description `invalid`: not an e-mail address, or one with non-ASCII characters, which are not supported.
             * @enum {string}
             */
            result: "created" | "already_member" | "already_invited" | "invalid";
            /** @description URL to accept the invitation, shown only once; "" if it was sent by mail. */
            accept_url: string;
        };
        InviteResults: {
            /** @description One result per address, in the order of the request. */
            items: components["schemas"]["InviteResult"][];
            /** @description Number of addresses. */
            total: number;
        };
        IpAccessCheck: {
            /** @description In canonical form: an IPv4-mapped IPv6 address becomes the IPv4 one. */
            ip: string;
            /** @description True for every address while the list is disabled. */
            allowed: boolean;
            /** @description The narrowest range that contains the address; "" for none. */
            matched: string;
        };
        IpAccessEntry: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description In canonical form: `10.1.2.3/8` becomes `10.0.0.0/8`. */
            cidr: string;
            /** @description A name for people; "" when not set. */
            note: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        IpAccessList: {
            /** @description True if all other addresses are denied. */
            enabled: boolean;
            /** @description The allowed ranges, in the order they were set. */
            entries: components["schemas"]["IpAccessEntry"][];
        };
        Issue: {
            /**
             * @description The part of the request.
             * @enum {string}
             */
            in: "body" | "query" | "path" | "header";
            /** @description A JSON pointer into that part, such as `/budget/max_turns`; "" for all of it. */
            path: string;
            /** @description What is wrong, without the name of the field: `must be a URL`. */
            message: string;
            /** @description Of a field that holds files: the file; "" for all of them. */
            file?: string;
            /** @description The line in that file, counted from 1; 0 if the issue has no line. */
            line?: number;
        };
        IssuedAppKey: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description The capabilities of a key. */
            scopes: string[];
            /** @description The beginning of the key. */
            prefix: string;
            /** @description The key's last four characters. */
            last4: string;
            /** @description CIDR ranges from which the key may be used; empty for everywhere. */
            ip_ranges: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while it is valid.
             */
            revoked_at: string | null;
            /** @description The key that created it, and whose revocation revokes it; "" for a sign-in or the operator. */
            created_by_key: string;
            /** @description The application. */
            app_id: string;
            /** @description The key itself. It is shown only once. */
            key: string;
        };
        IssuedPersonalKey: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description The capabilities of a key. */
            scopes: string[];
            /** @description The beginning of the key. */
            prefix: string;
            /** @description The key's last four characters. */
            last4: string;
            /** @description CIDR ranges from which the key may be used; empty for everywhere. */
            ip_ranges: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while it is valid.
             */
            revoked_at: string | null;
            /** @description The key that created it, and whose revocation revokes it; "" for a sign-in or the operator. */
            created_by_key: string;
            /** @description The key itself. It is shown only once. */
            key: string;
        };
        IssuedServiceUserKey: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description The capabilities of a key. */
            scopes: string[];
            /** @description The beginning of the key. */
            prefix: string;
            /** @description The key's last four characters. */
            last4: string;
            /** @description CIDR ranges from which the key may be used; empty for everywhere. */
            ip_ranges: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while it is valid.
             */
            revoked_at: string | null;
            /** @description The key that created it, and whose revocation revokes it; "" for a sign-in or the operator. */
            created_by_key: string;
            /** @description The key's owner. */
            service_user_id: string;
            /** @description The key itself. It is shown only once. */
            key: string;
        };
        IssuedToolToken: {
            /** @description The token itself. It is shown only once. */
            token: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
        };
        KnowledgeImport: {
            /** @description Number of new notes. */
            created: number;
            /** @description Number of notes with a new revision. */
            updated: number;
            /** @description Number of notes without changes. */
            unchanged: number;
            /** @description Number of files that are not valid notes. */
            failed: number;
            /** @description One for each file. */
            items: {
                /** @description The file's name, or its path in the archive. */
                file: string;
                /**
                 * @description The result.
                 * @enum {string}
                 */
                result: "created" | "updated" | "unchanged" | "failed";
                /** @description The created, updated or unchanged note; "" for a file that failed. */
                note_id: string;
                /** @description Why it failed; "" otherwise. */
                reason: string;
            }[];
        };
        KnowledgeNote: {
            /** @description The knowledge note. */
            note_id: string;
            /** @description A name for readers. */
            name: string;
            /** @description When the note is useful. */
            trigger: string;
            /** @description Markdown. */
            body: string;
            /**
             * @description `user`: only its owner sees it, and only the owner's sessions get it.
             * @enum {string}
             */
            scope: "organization" | "repository" | "user";
            /** @description "" for every repository. */
            repo_filter: string;
            /** @description Sessions get a disabled note only if they name it. */
            enabled: boolean;
            /** @description Revision number, from 1; send it as `If-Match` to change exactly this revision. */
            revision: number;
            /**
             * @description Origin: written by a `user`, a `suggestion` of a session, or an `import`.
             * @enum {string}
             */
            source: "user" | "suggestion" | "import";
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /** @description Number of sessions that were given it. */
            use_count: number;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        KnowledgeNoteList: {
            /** @description The items of this page. */
            items: components["schemas"]["KnowledgeNote"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        KnowledgeNoteVersion: {
            /** @description The knowledge note. */
            note_id: string;
            /** @description A name for readers. */
            name: string;
            /** @description When the note is useful. */
            trigger: string;
            /** @description Markdown. */
            body: string;
            /**
             * @description `user`: only its owner sees it, and only the owner's sessions get it.
             * @enum {string}
             */
            scope: "organization" | "repository" | "user";
            /** @description "" for every repository. */
            repo_filter: string;
            /** @description Sessions get a disabled note only if they name it. */
            enabled: boolean;
            /** @description Revision number, from 1; send it as `If-Match` to change exactly this revision. */
            revision: number;
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        KnowledgeNoteVersionList: {
            /** @description The items of this page. */
            items: components["schemas"]["KnowledgeNoteVersion"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        KnowledgeSearch: {
            /** @description The notes, best first. */
            items: {
                /** @description The full note. */
                note: components["schemas"]["KnowledgeNote"];
                /** @description Relevance, 0 to 1. */
                score: number;
                /** @description Why it matches. */
                reason: string;
            }[];
            /** @description The total number. */
            total: number;
        };
        KnowledgeSuggestion: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session that suggested it; "" if that was deleted. */
            session_id: string;
            /** @description A name for readers. */
            name: string;
            /** @description When the note would be useful. */
            trigger: string;
            /** @description Markdown. */
            body: string;
            /** @description The session's repository; "" for none. */
            repo: string;
            /**
             * @description `pending` until someone accepts or dismisses it.
             * @enum {string}
             */
            status: "pending" | "accepted" | "dismissed";
            /** @description The note created from it; "" if none exists. */
            note_id: string;
            /** @description Who accepted or dismissed it; `{}` while it is pending. */
            decided_by: {
                /** @description A user, a service user, an app, a session, or the platform itself (`system`). */
                type?: string;
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id?: string;
                /** @description A name for readers. */
                name?: string;
            };
            /**
             * Format: date-time
             * @description When it was decided; null while it is pending.
             */
            decided_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        KnowledgeSuggestionList: {
            /** @description The items of this page. */
            items: components["schemas"]["KnowledgeSuggestion"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        MarkSessionReadRequest: {
            /** @description The last event that you have read. A number beyond the last event counts as the last one. */
            seq: number;
        };
        McpServer: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Its tools are named `<slug>__<tool>`. */
            slug: string;
            /** @description A name for readers. */
            name: string;
            /** @description An emoji, or the URL of an image; "" for none. */
            icon: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /**
             * @description Origin: `custom` was created here.
             * @enum {string}
             */
            source: "custom" | "catalog" | "blueprint";
            /** @description "" for a server with a command. */
            url: string;
            /** @description "" for a server with a URL. */
            command: string;
            /** @description Arguments of the command. */
            args: string[];
            /** @description Variables of the command. `${NAME}` is a placeholder for a secret. */
            env: {
                [key: string]: string;
            };
            /** @description Headers of every request to the URL. `${NAME}` is a placeholder for a secret. */
            headers: {
                [key: string]: string;
            };
            /** @description Names of the secrets that have a value; values are never returned. */
            secret_names: string[];
            /**
             * @description `organization`: every session gets it. `repositories`: sessions on one of `repos`. `on_request`: sessions that name it in `mcp_server_ids`.
             * @enum {string}
             */
            access: "organization" | "repositories" | "on_request";
            /** @description True if it is in effect. */
            enabled: boolean;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        McpServerDetail: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Its tools are named `<slug>__<tool>`. */
            slug: string;
            /** @description A name for readers. */
            name: string;
            /** @description An emoji, or the URL of an image; "" for none. */
            icon: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /**
             * @description Origin: `custom` was created here.
             * @enum {string}
             */
            source: "custom" | "catalog" | "blueprint";
            /** @description "" for a server with a command. */
            url: string;
            /** @description "" for a server with a URL. */
            command: string;
            /** @description Arguments of the command. */
            args: string[];
            /** @description Variables of the command. `${NAME}` is a placeholder for a secret. */
            env: {
                [key: string]: string;
            };
            /** @description Headers of every request to the URL. `${NAME}` is a placeholder for a secret. */
            headers: {
                [key: string]: string;
            };
            /** @description Names of the secrets that have a value; values are never returned. */
            secret_names: string[];
            /**
             * @description `organization`: every session gets it. `repositories`: sessions on one of `repos`. `on_request`: sessions that name it in `mcp_server_ids`.
             * @enum {string}
             */
            access: "organization" | "repositories" | "on_request";
            /** @description True if it is in effect. */
            enabled: boolean;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description The repositories that it applies to with the access `repositories`, each as `provider:owner/name`. */
            repos: string[];
        };
        McpServerList: {
            /** @description The items of this page. */
            items: components["schemas"]["McpServer"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        McpServerTest: {
            /** @description True if it is usable. */
            ok: boolean;
            /** @description Time until it introduced itself, or until the test gave up. */
            latency_ms: number;
            /** @description What it declares about itself; "" for nothing. */
            server: {
                /** @description The server's name. */
                name: string;
                /** @description The server's version. */
                version: string;
                /** @description The MCP version that it speaks, a date. */
                protocol_version: string;
            };
            /** @description Number of its tools. */
            tools_count: number;
            /** @description Its tools. */
            tools: {
                /** @description The tool's name on the server. */
                name: string;
                /** @description The server's description of the tool. */
                description: string;
            }[];
            /** @description Why it is unusable; "" if it is usable. */
            problem: string;
        };
        McpServerTools: {
            /** @description All of its tools. */
            items: {
                /** @description The tool's name on the server. */
                name: string;
                /** @description The server's description of the tool. */
                description: string;
                /** @description The JSON Schema of its input, from the server. */
                input_schema: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The total number. */
            total: number;
        };
        MeasuredTimes: {
            /** @description Number of measured times. */
            count: number;
            /** @description The median, within 19 %; null without any. */
            p50_seconds: number | null;
            /** @description The 95th percentile, within 19 %; null without any. */
            p95_seconds: number | null;
        };
        Member: {
            /** @description The user. */
            user_id: string;
            /** @description An e-mail address; case-insensitive. */
            email: string;
            /** @description A name for readers. */
            name: string;
            /**
             * @description The permission: `admin` may do everything, `viewer` only reads, `member` is in between.
             * @enum {string}
             */
            permission: "admin" | "member" | "viewer";
            /**
             * @description `pro` or `regular`: determines the available models and limits.
             * @enum {string}
             */
            role: "pro" | "regular";
            /**
             * @description How they joined: `invite`, `direct` by creating the organization or through the operator, or `sso` by the groups of an identity provider.
             * @enum {string}
             */
            source: "invite" | "direct" | "sso";
            /**
             * Format: date-time
             * @description When they joined.
             */
            joined_at: string;
            /**
             * Format: date-time
             * @description When they last sent a request; null before the first one.
             */
            last_active_at: string | null;
        };
        MemberList: {
            /** @description The items of this page. */
            items: components["schemas"]["Member"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        MemoryItem: {
            /** @description The memory note. */
            memory_id: string;
            /** @description Title for readers; "Memory note" by default. */
            title: string;
            /** @description Markdown, or any text. */
            content: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description Revision number, from 1; send it as `If-Match` to change exactly this revision. */
            revision: number;
            /** @description The newest revision that a session was given. */
            materialized_revision: number | null;
            /**
             * Format: date-time
             * @description When the session got it; null before the first.
             */
            materialized_at: string | null;
        };
        MemoryNote: {
            /** @description `owner/name`, as the git host writes it. */
            repo: string;
            /**
             * @description The git host: `local` is the built-in one.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /** @description The note itself. */
            item: components["schemas"]["MemoryItem"];
        };
        MemoryNoteList: {
            /** @description `owner/name`, as the git host writes it. */
            repo: string;
            /**
             * @description The git host: `local` is the built-in one.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /** @description The items of this page. */
            items: components["schemas"]["MemoryItem"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate of at least that number. */
            total: number;
        };
        MemoryProjections: {
            /** @description All of them. */
            items: {
                /** @description The session it belongs to. */
                session_id: string;
                /** @description The memory note. */
                memory_id: string;
                /** @description The revision in the file. */
                revision: number;
                /** @description Path of the file in the sandbox, starting with `~/`. */
                path: string;
                /** @description SHA-256 of the bytes, in hexadecimal. */
                sha256: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
            }[];
            /** @description The total number. */
            total: number;
        };
        MergeChangeRequestRequest: {
            /**
             * @description `merge` creates a merge commit; `squash` one commit of all changes.
             * @default merge
             * @enum {string}
             */
            method?: "merge" | "squash";
        };
        MessageEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A message: a piece of its text, or a change of its state. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "message";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description Pieces with the same id form one text. */
                message_id: string;
                /**
                 * @description The sender; `platform` is Guildhall itself, such as when the work failed its check.
                 * @enum {string}
                 */
                role: "user" | "agent" | "platform";
                /** @description The text is all deltas in order. */
                delta: string;
                /** @description True for the last piece. */
                done: boolean;
                /**
                 * @description The first event of a user message is `queued`; a second one, without text, is `delivered` or `withdrawn`.
                 * @enum {string}
                 */
                state: "queued" | "delivered" | "withdrawn";
                /** @description The sender of a user message, with the name of that time; only in the `queued` event, and absent in logs of earlier versions. */
                created_by?: {
                    /**
                     * @description A user, a service user, an app, a session, or the platform itself (`system`).
                     * @enum {string}
                     */
                    type: "user" | "service_user" | "app" | "session" | "system";
                    /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                    id: string;
                    /** @description The name for readers, at that time. */
                    name: string;
                };
                /** @description The attachments of a user message; where `created_by` is. */
                attachment_ids?: string[];
            };
        };
        Model: {
            /** @description `<provider>/<name>`, which `model` of a session or an agent accepts. */
            id: string;
            /** @description The provider's name. */
            provider: string;
            /** @description The model's name at the provider. */
            name: string;
            /** @description True if the settings `models` allow it. */
            allowed: boolean;
            /** @description True if you can start a session with it: it is allowed, and your role suffices. */
            allowed_for_caller: boolean;
            /** @description True if it requires the role `pro`. */
            pro_only: boolean;
            /** @description True for the model of a session if neither the session nor its agent names one. */
            is_default: boolean;
            /** @description In US dollars per million tokens; null if it is unknown, and its calls count as free. */
            price: {
                /** @description Price of input, for a short prompt where the price depends on the length. */
                input_per_mtok: number;
                /** @description Price of output. */
                output_per_mtok: number;
                /** @description Price of input that the provider reads from its cache. */
                cached_input_per_mtok: number;
                /**
                 * @description The organization's settings, the operator's configuration, or the vendor's published prices.
                 * @enum {string}
                 */
                source: "organization" | "operator" | "published";
            } | null;
            /** @description Size of its context window in tokens; null if it is unknown. */
            context_tokens: number | null;
        };
        ModelPrice: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The model, as the settings name it. */
            model: string;
            /** @description US dollars per million input tokens. */
            input_per_mtok: number;
            /** @description US dollars per million output tokens. */
            output_per_mtok: number;
            /** @description US dollars per million input tokens that are read from a cache. */
            cached_input_per_mtok: number;
            /**
             * Format: date-time
             * @description Calls since then cost this.
             */
            effective_from: string;
            /**
             * Format: date-time
             * @description Calls from then on do not; null for a current price.
             */
            effective_until: string | null;
        };
        ModelPriceList: {
            /** @description The items of this page. */
            items: components["schemas"]["ModelPrice"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Models: {
            /** @description The default first, then the models that the settings name, then published ones. */
            items: components["schemas"]["Model"][];
        };
        NavigateBrowserRequest: {
            /** @description The browser session: `brs_…`. */
            sessionId: string;
            /** @description http or https. */
            url: string;
        };
        OpenSessionChangeRequestRequest: {
            /** @description One of the session's repositories: `owner/name`. Default the first. */
            repo?: string;
            /** @description Default the session's title. */
            title?: string;
            /**
             * @description Markdown.
             * @default
             */
            body?: string;
            /** @description True for a draft; by default the setting `source_control.draft_by_default`. */
            draft?: boolean;
        };
        Organization: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Usable in place of the id in paths; can be changed. */
            slug: string;
            /** @description A name for readers. */
            name: string;
            /**
             * @description `suspended` by the operator: it only serves its identity, and its sessions wait. `deleting`: it only serves reads, and can be restored for 30 days.
             * @enum {string}
             */
            state: "active" | "suspended" | "deleting";
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        OrganizationEvent: {
            /** @description The event's number in the organization. Hidden events leave gaps. Of `session.activity_changed`: the number of the last event before it. */
            seq: number;
            /** @description `<resource>.<past participle>`: `session.created`, `session.status_changed`, `change_request.merged`. */
            type: string;
            /** @description The resource that it happened to. Read it for its current state. */
            resource: {
                /** @description The kind of resource, such as `session`. */
                type: string;
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
            };
            /** @description The principal that caused it; `system` is the platform itself. */
            actor: {
                /**
                 * @description The kind of principal.
                 * @enum {string}
                 */
                type: "user" | "service_user" | "app" | "session" | "system";
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description The name of a user, a service user or an app; "" for others. */
                name: string;
            };
            /**
             * Format: date-time
             * @description The time of the event.
             */
            at: string;
            /** @description Ids and statuses, by type. It never has a secret or text that users wrote. Only `session.activity_changed` has a text, in `activity`, like the session. */
            summary: {
                [key: string]: unknown;
            };
        };
        OrganizationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Organization"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        OutputEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description Output of a command. The log holds a limited amount; the artifact in its last event has all of it. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "output";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The id of the command; its output has the same. */
                command_id: string;
                /** @description The tool call that caused it; "" for none. */
                call_id: string;
                /**
                 * @description The output stream.
                 * @enum {string}
                 */
                stream: "stdout" | "stderr";
                /** @description The output, with secrets masked; continues the previous event without a break. */
                text: string;
            };
        };
        PersonalKey: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description The capabilities of a key. */
            scopes: string[];
            /** @description The beginning of the key. */
            prefix: string;
            /** @description The key's last four characters. */
            last4: string;
            /** @description CIDR ranges from which the key may be used; empty for everywhere. */
            ip_ranges: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while it is valid.
             */
            revoked_at: string | null;
            /** @description The key that created it, and whose revocation revokes it; "" for a sign-in or the operator. */
            created_by_key: string;
        };
        PersonalKeyList: {
            /** @description The items of this page. */
            items: components["schemas"]["PersonalKey"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        PhaseEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A phase started, or ended. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "phase";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /**
                 * @description The phase.
                 * @enum {string}
                 */
                name: "reproduce" | "implement" | "verify" | "deliver";
                /**
                 * @description `running` when it begins. `could_not_run`: the check did not run, so it says nothing. `not_reproduced`: it passes on the base commit. `stopped`: a user or a budget ended the turn.
                 * @enum {string}
                 */
                status: "running" | "passed" | "failed" | "skipped" | "could_not_run" | "not_reproduced" | "stopped";
                /** @description The result, in a sentence; "" while it runs. */
                summary: string;
                /** @description The commands and files that support the result. */
                evidence: components["schemas"]["Evidence"][];
            };
        };
        PlanEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The agent's full plan, after each change. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "plan";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The steps, in order. */
                entries: {
                    /** @description The step. */
                    content: string;
                    /**
                     * @description The state of the step.
                     * @enum {string}
                     */
                    status: "pending" | "in_progress" | "completed";
                }[];
            };
        };
        Preference: {
            /** @description The name in the path. */
            name: string;
            /** @description Your own JSON object; `{}` if you never set it. Of `notifications`, the whole value in effect. */
            value: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When you set it; null if you never did.
             */
            updated_at: string | null;
        };
        Principal: {
            /**
             * @description A user, a service user, an app, a session, or the platform itself (`system`).
             * @enum {string}
             */
            type: "user" | "service_user" | "app" | "session" | "system";
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Its current name; for a session its title. "" for the platform itself, and for one that is gone. */
            name: string;
        };
        ProvisioningEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A step of provisioning a sandbox started or ended. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "provisioning";
            /** @description A step before the agent starts: one event when it begins, one when it ends. */
            data: {
                /**
                 * @description `registries`: finds the package registries of the machine; `mirror`: updates its copy of a repository; `setup`: runs the setup command; `checkpoint`: restores earlier work of the session; `sandbox`: starts its sandbox; `checkout`: checks out the files.
                 * @enum {string}
                 */
                step: "registries" | "mirror" | "setup" | "checkpoint" | "sandbox" | "checkout";
                /** @description Which of several it is about, such as a repository; '' otherwise. */
                subject: string;
                /**
                 * @description The state of the step.
                 * @enum {string}
                 */
                status: "running" | "passed" | "failed";
                /** @description The activity, or the problem. */
                summary: string;
                /** @description Milliseconds. */
                duration_ms: number | null;
            };
        };
        PutSkillFileRequest: {
            /** @description At most 256 KiB. */
            content: string;
            /**
             * @description Encoding of `content`.
             * @default utf8
             * @enum {string}
             */
            encoding?: "utf8" | "base64";
            /** @description True if the file is executable. By default the current value, or false for a new file. */
            executable?: boolean;
        };
        ReadBrowserContentRequest: {
            /** @description The browser session: `brs_…`. */
            sessionId: string;
            /**
             * @description `text` is the text as a person sees it; `html` is the current document.
             * @default text
             * @enum {string}
             */
            format?: "text" | "html";
        };
        ReceiveHookRequest: {
            [key: string]: unknown;
        };
        RemoveGroupMembersRequest: {
            /** @description Ids of users, at most 1,000. */
            user_ids: string[];
        };
        ReplaceDefaultGuardrailsRequest: {
            /**
             * @description Sessions that may be created per day (UTC); 0 for no limit.
             * @default 0
             */
            max_sessions_per_day?: number;
            /**
             * @description Sessions that may be queued or run at once; 0 for no limit.
             * @default 0
             */
            max_concurrent_sessions?: number;
            /**
             * @description Open change requests of sessions; 0 for no limit.
             * @default 0
             */
            max_open_change_requests?: number;
            /**
             * @description The highest budget of a session, and the budget of one without any; 0 for no limit.
             * @default 0
             */
            max_cost_per_session_usd?: number;
            /**
             * @description The cost of all sessions per day (UTC); 0 for no limit. A new session also needs room beside the rest of the budgets of those that are queued or run. A session is suspended before a model call that does not fit.
             * @default 0
             */
            max_cost_per_day_usd?: number;
            /**
             * @description Files that a session may change; 0 for no limit.
             * @default 0
             */
            max_changed_files?: number;
            /**
             * @description Lines that a session may add and delete together; 0 for no limit.
             * @default 0
             */
            max_changed_lines?: number;
            /**
             * @description Files that a session may not change, as globs: `*` matches any characters, including slashes. A pattern without a slash matches a name in any directory; one of a directory also matches everything in it.
             * @default []
             */
            protected_paths?: string[];
            /**
             * @description Branches that a session may not push to, as globs.
             * @default []
             */
            protected_branches?: string[];
            /**
             * @description The origins of sessions; empty for any.
             * @default []
             */
            allowed_origins?: ("api" | "console" | "cli" | "mcp" | "automation" | "review" | "session")[];
            /**
             * @description A session in mode "build" waits for the approval of its plan.
             * @default false
             */
            require_plan_approval?: boolean;
            /**
             * @description What happens if a change to push contains what looks like a secret.
             * @default block
             * @enum {string}
             */
            secret_scan?: "block" | "warn" | "off";
            /**
             * @description Commands that an agent may not run: a program, and the first arguments or options, such as `git push` or `rm -rf`; `*` matches any characters of a word. Compared with the parsed command, inside of pipes, substitutions, `sh -c`, `xargs` and the like. A command that cannot be parsed is denied too. Programs and scripts that a command starts are not inspected.
             * @default []
             */
            commands_denied?: string[];
        };
        ReplaceGroupMembersRequest: {
            /** @description Ids of users, at most 1,000. */
            user_ids: string[];
        };
        ReplaceGuardrailsRequest: {
            /** @description Sessions that may be created per day (UTC); 0 for no limit. Inherited if omitted. */
            max_sessions_per_day?: number;
            /** @description Sessions that may be queued or run at once; 0 for no limit. Inherited if omitted. */
            max_concurrent_sessions?: number;
            /** @description Open change requests of sessions; 0 for no limit. Inherited if omitted. */
            max_open_change_requests?: number;
            /** @description The highest budget of a session, and the budget of one without any; 0 for no limit. Inherited if omitted. */
            max_cost_per_session_usd?: number;
            /** @description The cost of all sessions per day (UTC); 0 for no limit. A new session also needs room beside the rest of the budgets of those that are queued or run. A session is suspended before a model call that does not fit. Inherited if omitted. */
            max_cost_per_day_usd?: number;
            /** @description Files that a session may change; 0 for no limit. Inherited if omitted. */
            max_changed_files?: number;
            /** @description Lines that a session may add and delete together; 0 for no limit. Inherited if omitted. */
            max_changed_lines?: number;
            /** @description Files that a session may not change, as globs: `*` matches any characters, including slashes. A pattern without a slash matches a name in any directory; one of a directory also matches everything in it. Inherited if omitted. */
            protected_paths?: string[];
            /** @description Branches that a session may not push to, as globs. Inherited if omitted. */
            protected_branches?: string[];
            /** @description The origins of sessions; empty for any. Inherited if omitted. */
            allowed_origins?: ("api" | "console" | "cli" | "mcp" | "automation" | "review" | "session")[];
            /** @description A session in mode "build" waits for the approval of its plan. Inherited if omitted. */
            require_plan_approval?: boolean;
            /**
             * @description What happens if a change to push contains what looks like a secret. Inherited if omitted.
             * @enum {string}
             */
            secret_scan?: "block" | "warn" | "off";
            /** @description Commands that an agent may not run: a program, and the first arguments or options, such as `git push` or `rm -rf`; `*` matches any characters of a word. Compared with the parsed command, inside of pipes, substitutions, `sh -c`, `xargs` and the like. A command that cannot be parsed is denied too. Programs and scripts that a command starts are not inspected. Inherited if omitted. */
            commands_denied?: string[];
        };
        ReplaceIpAccessListRequest: {
            /** @description True to deny all other addresses. */
            enabled: boolean;
            /** @description All allowed ranges, at most 200. */
            entries: {
                /** @description An address or a CIDR range, IPv4 or IPv6. */
                cidr: string;
                /**
                 * @description A name for people; "" when not set.
                 * @default
                 */
                note?: string;
            }[];
            /**
             * @description Apply the list even if it locks out your own address.
             * @default false
             */
            force?: boolean;
        };
        ReplaceKnowledgeNoteRequest: {
            /** @description A name for readers. */
            name: string;
            /** @description When the note is useful. Not blank. */
            trigger: string;
            /** @description Markdown, at most 100 KiB in UTF-8. Not blank. */
            body: string;
            /**
             * @description `organization`: for every session. `repository`: for sessions on a repository. `user`: for the caller's own sessions.
             * @default organization
             * @enum {string}
             */
            scope?: "organization" | "repository" | "user";
            /**
             * @description "" for every repository; else globs separated by commas: `owner/name`, `owner/*`, optionally with the prefix `github:`, `gitlab:` or `local:`.
             * @default
             */
            repo_filter?: string;
            /**
             * @description True if sessions get it.
             * @default true
             */
            enabled?: boolean;
        };
        ReplacePreferenceRequest: {
            /** @description Any JSON object, at most 64 KiB. For `notifications`: `email` and `slack`, each a list of `session.needs_you`, `session.finished` and `session.failed`, and `slack_secret`, the key of your own secret (scope `user`) with the address of a Slack-compatible webhook. */
            value: {
                [key: string]: unknown;
            };
        };
        /** @description The namespace's value; its schema is at `…/schema`. Omitted keys get their defaults. */
        ReplaceSettingsRequest: {
            [key: string]: unknown;
        };
        ReportAutomationRunRequest: {
            /** @description The fencing token of the attempt, from its claim. */
            fencing_token: number;
            /** @description The number of the attempt, from its claim. */
            attempt_no: number;
            /**
             * @description `running` is a heartbeat that renews the lease; all others end the attempt.
             * @enum {string}
             */
            status: "running" | "succeeded" | "failed" | "timed_out" | "canceled";
            /**
             * @description The result, or the progress, in words.
             * @default
             */
            summary?: string;
            /**
             * @description The kind of failure, for programs.
             * @default
             */
            error_class?: string;
            /**
             * @description The failure in words.
             * @default
             */
            error_message?: string;
            /** @description Milliseconds that the attempt took; by default since its start. */
            latency_ms?: number;
        };
        Repository: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /**
             * @description The git host: `local` is the built-in one.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /** @description owner/name */
            repo: string;
            /** @description The branch that sessions start from by default. */
            default_branch: string;
            /** @description Its git connection. */
            connection_id: string;
            /** @description Index of its default branch. */
            index: {
                /**
                 * @description `none` while there is no index.
                 * @enum {string}
                 */
                state: "none" | "queued" | "indexing" | "ready" | "stale" | "failed";
                /** @description The indexed commit; "" before the first. */
                commit: string;
                /**
                 * Format: date-time
                 * @description When it was indexed; null before the first time.
                 */
                indexed_at: string | null;
                /** @description Why it failed; "" otherwise. */
                error: string;
            };
            /** @description The wiki generated from it. */
            wiki: {
                /**
                 * @description `none` while there is no wiki.
                 * @enum {string}
                 */
                state: "none" | "queued" | "generating" | "ready" | "failed";
                /**
                 * Format: date-time
                 * @description When it was generated; null before the first time.
                 */
                generated_at: string | null;
            };
            /** @description How sessions set it up and check it; an unset part is "". */
            environment: {
                /** @description The shell command that installs dependencies. Runs once for each set of lockfiles in the default branch's history, and anew for any other commit. */
                setup_command: string;
                /** @description The shell command that checks a task: exit code 0 means done. "" when not set. */
                verify_command: string;
                /** @description The sandbox image, if the driver supports images; "" when not set. */
                image: string;
            };
            /** @description URL to clone from and push to, with an API key as the password and any user name: `repos:read` to fetch, `repos:write` to push. "" while it is deleted. */
            clone_url: string;
            /**
             * Format: date-time
             * @description When a session on it last started; null before the first.
             */
            last_session_at: string | null;
            /**
             * Format: date-time
             * @description When it was deleted; only `GET /repositories?deleted=true` lists such repositories. Purged 30 days later.
             */
            deleted_at: string | null;
        };
        RepositoryList: {
            /** @description The items of this page. */
            items: components["schemas"]["Repository"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        ResentInvite: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description An e-mail address; case-insensitive. */
            email: string;
            /**
             * @description The permission: `admin` may do everything, `viewer` only reads, `member` is in between.
             * @enum {string}
             */
            permission: "admin" | "member" | "viewer";
            /**
             * @description `pending` again.
             * @enum {string}
             */
            state: "pending" | "accepted" | "expired" | "revoked";
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string;
            /** @description URL to accept the invitation, shown only once; "" if it was sent by mail. */
            accept_url: string;
        };
        ReviewFigures: {
            /** @description Number of created sessions that review a change request. */
            requested: number;
            /** @description Number of sessions that completed for the first time. */
            completed: number;
            /** @description Number of sessions that failed for the first time. */
            failed: number;
            /** @description Number of canceled sessions. */
            canceled: number;
            /** @description `completed` / (`completed` + `failed`); null if both are 0. */
            success_rate: number | null;
            /** @description The time from the creation of a session to its start. */
            queue_wait: components["schemas"]["MeasuredTimes"];
        };
        ReviewInterval: {
            /** @description The first day of the interval. */
            start: string;
            /** @description Number of created sessions that review a change request. */
            requested: number;
            /** @description Number of sessions that completed for the first time. */
            completed: number;
            /** @description Number of sessions that failed for the first time. */
            failed: number;
            /** @description Number of canceled sessions. */
            canceled: number;
            /** @description `completed` / (`completed` + `failed`); null if both are 0. */
            success_rate: number | null;
            /** @description The time from the creation of a session to its start. */
            queue_wait: components["schemas"]["MeasuredTimes"];
        };
        ReviewMetrics: {
            /** @description The first day of the first interval. */
            from: string;
            /** @description The last day of the last interval. */
            to: string;
            /**
             * @description The length of the intervals.
             * @enum {string}
             */
            interval: "day" | "week" | "month";
            /** @description The same for all intervals together. */
            totals: components["schemas"]["ReviewFigures"];
            /** @description The intervals in order; those without anything are zeros. */
            items: components["schemas"]["ReviewInterval"][];
        };
        RevokedAppKey: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The application. */
            app_id: string;
            /**
             * Format: date-time
             * @description When it was revoked: now.
             */
            revoked_at: string;
        };
        RevokedToolToken: {
            /** @description False if you had none. */
            revoked: boolean;
        };
        RoleAssignment: {
            /** @description The user. */
            user_id: string;
            /**
             * @description `pro` or `regular`: determines the available models and limits.
             * @enum {string}
             */
            role: "pro" | "regular";
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string | null;
        };
        RoleAssignmentList: {
            /** @description The items of this page. */
            items: components["schemas"]["RoleAssignment"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        RotateAutomationSecretRequest: {
            /**
             * @description Seconds for which the old secret is valid, too, at most a week.
             * @default 86400
             */
            overlap_seconds?: number;
        };
        RotatePersonalKeyRequest: {
            /**
             * @description Seconds for which the old key still works, at most a week.
             * @default 0
             */
            overlap_seconds?: number;
        };
        RotateServiceUserKeyRequest: {
            /**
             * @description Seconds for which the old key still works, at most a week.
             * @default 0
             */
            overlap_seconds?: number;
        };
        RotateWebhookSecretRequest: {
            /**
             * @description Seconds for which requests have a signature of the old secret too, at most a week.
             * @default 86400
             */
            overlap_seconds?: number;
        };
        Secret: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description Name of the environment variable; only a label for a git credential. */
            key: string;
            /**
             * @description `env`: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: for git over HTTPS at `allowed_hosts`.
             * @enum {string}
             */
            kind: "env" | "file" | "git_credential";
            /**
             * @description The sessions that get it: all of the `organization`, those on the `repository`, or the `user`'s own.
             * @enum {string}
             */
            scope: "organization" | "repository" | "user";
            /** @description `owner/name` for the scope `repository`, else "". */
            repo: string;
            /** @description A name for people; "" when not set. */
            note: string;
            /**
             * @description `sandbox`: the value enters the sandbox. `broker`: only the gateway has it, and adds it to requests to `allowed_hosts`.
             * @enum {string}
             */
            exposure: "sandbox" | "broker";
            /** @description Host names; `*.example.com` matches its subdomains. */
            allowed_hosts: string[];
            /** @description Number of the value, from 1. */
            version: number;
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
        };
        SecretList: {
            /** @description The items of this page. */
            items: components["schemas"]["Secret"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        SecretUse: {
            /** @description The session it belongs to. */
            session_id: string;
            /** @description The version that the session got. */
            version: number;
            /**
             * Format: date-time
             * @description When the session got it.
             */
            used_at: string;
        };
        SecretUseList: {
            /** @description The items of this page. */
            items: components["schemas"]["SecretUse"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Self: {
            /**
             * @description The key's owner: a user, a service user, an app, or a session.
             * @enum {string}
             */
            principal_type: "user" | "service_user" | "app" | "session";
            /** @description The owner's id. */
            principal_id: string;
            /** @description Name of the user, service user or app; for a session its title. */
            name: string;
            /** @description The user's e-mail; "" for other principals. */
            email: string;
            /** @description The key's organization. */
            organization: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description Replaces the id in paths; lower-case letters, digits and hyphens. */
                slug: string;
                /** @description A name for readers. */
                name: string;
            };
            /** @description The key's scopes; for a user's key limited by their permission. */
            scopes: string[];
            /**
             * @description `pro` or `regular`; "" for other principals than users.
             * @enum {string}
             */
            role: "pro" | "regular" | "";
            /**
             * @description The user's permission; "" for other principals.
             * @enum {string}
             */
            permission: "admin" | "member" | "viewer" | "";
            /** @description The calling key. */
            key: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description The beginning of the key. */
                prefix: string;
                /** @description The key's last four characters. */
                last4: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description Expiry time; null for none.
                 */
                expires_at: string | null;
                /**
                 * Format: date-time
                 * @description Time of the last use, to the minute; null before the first use.
                 */
                last_used_at: string | null;
            };
            /** @description The API version: `info.version` of the document. */
            api_version: string;
        };
        SendSessionMessageRequest: {
            /** @description The message; not blank. */
            content: string;
            /**
             * @description Attachments that are placed next to the repositories.
             * @default []
             */
            attachment_ids?: string[];
            /**
             * @description `steer`: before the next model call of the current turn. `queue`: after the current turn. `interrupt`: ends the current turn, and the next one begins with the message.
             * @default steer
             * @enum {string}
             */
            delivery?: "steer" | "queue" | "interrupt";
        };
        ServiceUser: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /**
             * Format: date-time
             * @description When it was disabled; null if it is active.
             */
            disabled_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        ServiceUserKey: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description The capabilities of a key. */
            scopes: string[];
            /** @description The beginning of the key. */
            prefix: string;
            /** @description The key's last four characters. */
            last4: string;
            /** @description CIDR ranges from which the key may be used; empty for everywhere. */
            ip_ranges: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time of revocation; null while it is valid.
             */
            revoked_at: string | null;
            /** @description The key that created it, and whose revocation revokes it; "" for a sign-in or the operator. */
            created_by_key: string;
            /** @description The key's owner. */
            service_user_id: string;
        };
        ServiceUserKeyList: {
            /** @description The items of this page. */
            items: components["schemas"]["ServiceUserKey"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        ServiceUserList: {
            /** @description The items of this page. */
            items: components["schemas"]["ServiceUser"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        Session: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description URL of this record. */
            url: string;
            /** @description By default the first line of the prompt. */
            title: string;
            /** @description The first prompt. */
            prompt: string;
            /**
             * @description `queued`, `provisioning`, `running` and `waiting` sessions continue by themselves or with a message; `suspended` ones with a message or `/resume`; `completed` and `failed` ones with a message if they have a checkpoint; `canceled` is final.
             * @enum {string}
             */
            status: "queued" | "provisioning" | "running" | "waiting" | "suspended" | "completed" | "failed" | "canceled";
            /**
             * @description What it is doing, what it waits for, or why it ended.
             * @enum {string}
             */
            status_detail: "working" | "planning" | "awaiting_user" | "awaiting_approval" | "verifying" | "delivering" | "finished" | "inactivity" | "user_request" | "budget_reached" | "group_limit" | "capacity" | "clone_failed" | "sandbox_lost" | "model_error" | "agent_error" | "verify_failed" | "guardrail" | "timeout" | "";
            /**
             * @description State of the agent's sandbox. While the session waits, or after it completed, `ready` means that a message continues in the same sandbox.
             * @enum {string}
             */
            sandbox_state: "none" | "starting" | "ready" | "paused" | "missing" | "error";
            /**
             * @description What it needs from someone: `approval`, `answer` to its question or as its next message, `budget` to continue, or a look at why it `failed`. "" for nothing, and while it is archived.
             * @enum {string}
             */
            attention: "" | "approval" | "answer" | "budget" | "failed";
            /** @description The last thing that it did. */
            activity: {
                /** @description One line: the title of a tool call, a command or a step; "" before the first. */
                text: string;
                /**
                 * Format: date-time
                 * @description When it began.
                 */
                at: string;
            };
            /** @description True if it stopped after the last event that you have read, and you started it or have marked it as read before. Always false for other principals than users. */
            unread: boolean;
            /** @description The phases of the current or last turn, in order. */
            phases: components["schemas"]["SessionPhase"][];
            /** @description The agent. */
            agent_id: string;
            /** @description `<provider>/<model>`; "" before the session starts if none was chosen. */
            model: string;
            /**
             * @description `build` changes the code, `plan` makes a plan, `ask` answers a question.
             * @enum {string}
             */
            mode: "build" | "plan" | "ask";
            /** @description Its repositories: where it started from, and its branch. */
            repositories: components["schemas"]["SessionRepository"][];
            /** @description The change requests it opened. */
            change_requests: {
                /**
                 * @description The git host: `local` is the built-in one.
                 * @enum {string}
                 */
                provider: "github" | "gitlab" | "local";
                /** @description `owner/name`, as the git host writes it. */
                repo: string;
                /** @description Number in the repository. */
                number: number;
                /** @description Absolute address. */
                url: string;
                /**
                 * @description The last known state: `open`, `merged` or `closed`.
                 * @enum {string}
                 */
                state: "open" | "merged" | "closed";
                /** @description True if it is a draft. */
                draft: boolean;
            }[];
            /** @description Labels for filters. */
            tags: string[];
            /** @description Your own keys and values; returned unchanged. */
            metadata: {
                [key: string]: string | number | boolean | null;
            };
            /**
             * @description How it was created.
             * @enum {string}
             */
            origin: "api" | "console" | "cli" | "mcp" | "automation" | "review" | "session";
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /** @description The automation that started it; "" for none. */
            automation_id: string;
            /** @description The session that started it; "" for none. */
            parent_session_id: string;
            /** @description The session it was forked from; "" for none. */
            forked_from: string;
            /** @description The value that the agent submitted for `structured_output_schema`; null before. A later turn can replace it. */
            structured_output: unknown;
            /** @description Its limits; a missing limit is unlimited. */
            budget: {
                /** @description A limit in US dollars, checked before each model call like the other limits. Reaching it suspends the session. */
                max_cost_usd?: number;
                /** @description The maximum number of tokens of one response; null for the model's own limit. */
                max_tokens?: number;
                /** @description Minutes of work in the sandbox. */
                max_minutes?: number;
                /** @description Number of turns, including the first. */
                max_turns?: number;
            };
            /** @description Use so far, over all turns. */
            usage: {
                /** @description Tokens that models read, including cached ones. */
                input_tokens: number;
                /** @description Tokens that models wrote. */
                output_tokens: number;
                /** @description The part of `input_tokens` that came from a cache. */
                cached_input_tokens: number;
                /** @description Cost in US dollars, by the applicable prices. */
                cost_usd: number;
                /** @description Seconds that its sandboxes ran. */
                sandbox_seconds: number;
            };
            /** @description Number of attempts so far: one for each worker that claimed it. */
            attempt_no: number;
            /** @description Why it failed; null otherwise. */
            error: {
                /** @description The code, for programs. */
                code?: string;
                /** @description An explanation for people: what is wrong and what to do. */
                message?: string;
            } | null;
            /** @description Its check command; "" if another one is used or detected. */
            verify_command: string;
            /**
             * @description How the work was checked, "" until it was: `fixed` (the check failed on the base commit and passes now), `not_reproduced` (it passes, and did not fail before), `no_check`, `could_not_run`, `failed`. Only `fixed` proves anything; after `failed` no change request is opened.
             * @enum {string}
             */
            verification: "" | "fixed" | "not_reproduced" | "no_check" | "could_not_run" | "failed";
            /**
             * @description The result to deliver: a change request, a draft of one, a pushed branch, or nothing.
             * @enum {string}
             */
            deliver: "change_request" | "draft" | "branch" | "none";
            /** @description True if it gets the memory of its repositories, and adds to it. */
            memory_enabled: boolean;
            /** @description The sandbox it had last; `{}` before the first. */
            sandbox: {
                /** @description The driver that made it. */
                driver?: string;
                /** @description Its isolation on that machine. */
                isolation?: {
                    /**
                     * @description `namespaces`: own users, processes, network and files.
                     * @enum {string}
                     */
                    kind: "namespaces" | "none";
                    /** @description True if each sandbox runs as a host user of its own. */
                    own_user: boolean;
                    /**
                     * @description What enforces the limits of memory, processes and CPU.
                     * @enum {string}
                     */
                    limits: "cgroup2" | "cgroup1" | "rlimit" | "none";
                    /**
                     * @description What enforces the limit of disk: a file system of that size, or a poll that stops the sandbox.
                     * @enum {string}
                     */
                    disk: "image" | "poll";
                    /** @description The limits that code in it could get around; the kernel holds the others. */
                    advisory: ("cpu" | "memory_mb" | "disk_mb" | "pids")[];
                };
                /** @description Its limits. */
                limits?: {
                    /** @description Processors. */
                    cpu: number;
                    /** @description Memory, in MiB. */
                    memory_mb: number;
                    /** @description Disk, in MiB. */
                    disk_mb: number;
                    /** @description Processes and threads. */
                    pids: number;
                };
            };
            /** @description Number of the newest event in its log. */
            last_seq: number;
            /** @description True if lists omit it by default. */
            archived: boolean;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When a worker first started it.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended; null while it may continue by itself.
             */
            ended_at: string | null;
        };
        SessionChanges: {
            /** @description A result for each session, in the order of the request. */
            items: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description True if the session is as requested now, also if it was before. */
                ok: boolean;
                /** @description Why it could not be changed: the error of the operation on one session. null if it was. */
                error: {
                    /** @description The error code. */
                    code: string;
                    /** @description What is wrong, and what to do. */
                    message: string;
                } | null;
            }[];
        };
        SessionContext: {
            /** @description The session it belongs to. */
            session_id: string;
            /** @description The turn that it was assembled for: the last one that began in a fresh sandbox; 0 before the first. Later turns in the same sandbox keep it. */
            turn: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string | null;
            /** @description A user's own notes are listed only for that user. */
            knowledge: {
                /** @description The knowledge note. */
                note_id: string;
                /** @description The note's name. */
                name: string;
                /** @description The revision that the session got. */
                revision: number;
                /**
                 * @description Whose note it is.
                 * @enum {string}
                 */
                scope: "organization" | "repository" | "user";
                /** @description Relevance to the prompt, 0 to 1. */
                score: number;
                /** @description Why the session was given it. */
                reason: string;
            }[];
            /** @description Memory files, each with one revision of a note. */
            memory: {
                /** @description The memory note. */
                memory_id: string;
                /** @description The git host: `local` is the built-in one. */
                provider: string;
                /** @description `owner/name`, as the git host writes it. */
                repo: string;
                /** @description A title for readers. */
                title: string;
                /** @description The revision in the file. */
                revision: number;
                /** @description Path of its file in the sandbox, starting with `~/`. */
                path: string;
                /** @description SHA-256 of the bytes, in hexadecimal. */
                sha256: string;
                /** @description Why the session was given it. */
                reason: string;
            }[];
            /** @description Skills in its sandbox. */
            skills: {
                /** @description "" for a skill stored in the repository. */
                id: string;
                /** @description A name for readers. */
                name: string;
                /** @description A description for people; "" when not set. */
                description: string;
                /**
                 * @description `managed` in the organization, `imported` there, or of the `repository` itself.
                 * @enum {string}
                 */
                source: "managed" | "repository" | "imported";
                /** @description The revision that the session got; 0 for a repository's own skill. */
                revision: number;
                /** @description Digest of the directory, like the skill's. */
                digest: string;
                /** @description Path of its directory in the sandbox. */
                path: string;
                /** @description Why the session was given it. */
                reason: string;
                /** @description Why the prompt seems to ask for it; absent if it does not. */
                match?: string;
            }[];
            /** @description MCP servers, including unreachable ones. */
            mcp_servers: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description Its tools are named `<slug>__<tool>`. */
                slug: string;
                /** @description A name for readers. */
                name: string;
                /**
                 * @description How it is connected: over `http` or `sse`, or as a command in the sandbox (`stdio`).
                 * @enum {string}
                 */
                transport: "http" | "sse" | "stdio";
                /** @description Its tools; `[]` if it is unavailable. */
                tools: {
                    /** @description The tool's name on the server. */
                    name: string;
                    /** @description The server's description of the tool. */
                    description: string;
                }[];
                /** @description Why it is unavailable; "" if it is available. */
                problem: string;
                /** @description Why the session was given it. */
                reason: string;
            }[];
            /** @description The browser for viewing pages. */
            browser: {
                /** @description True if the session has a browser. */
                available: boolean;
                /** @description Why there is none; "" if there is one. */
                problem: string;
            };
            /** @description The newest version of each that the session got so far; kind and exposure are "" if it was deleted. A user's own secrets are listed only for that user. */
            secrets: {
                /** @description Its key. */
                name: string;
                /** @description 0 for a session secret. */
                version: number;
                /**
                 * @description What it is in the sandbox; "" when it was deleted.
                 * @enum {string}
                 */
                kind: "env" | "file" | "git_credential" | "";
                /**
                 * @description `broker`: only the gateway has the value. "" when it was deleted.
                 * @enum {string}
                 */
                exposure: "sandbox" | "broker" | "";
                /**
                 * @description Whose secret it is; `session`: it came with the session.
                 * @enum {string}
                 */
                scope: "organization" | "repository" | "user" | "session";
                /** @description Why the session was given it. */
                reason: string;
            }[];
            /** @description The settings that affect it, as of its start. */
            settings: {
                /** @description The namespace. */
                namespace: string;
                /** @description The full value in effect. */
                value: {
                    [key: string]: unknown;
                };
                /** @description Why the session was given it. */
                reason: string;
            }[];
            /** @description The agent, at the version that it runs with. */
            agent: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description A name for readers. */
                name: string;
                /** @description The version that it runs with. */
                version: number;
                /**
                 * @description What runs the agent.
                 * @enum {string}
                 */
                runtime: "builtin" | "script" | "acp";
                /** @description "" until it is decided. */
                model: string;
                /**
                 * @description `build` changes the code, `plan` makes a plan, `ask` answers a question.
                 * @enum {string}
                 */
                mode: "build" | "plan" | "ask";
            };
        };
        SessionCounts: {
            /** @description Sessions that wait for an approval, an answer or a larger budget. */
            needs_you: number;
            /** @description Sessions that a worker prepares or runs. */
            working: number;
            /** @description Sessions that wait for a worker. */
            queued: number;
            /** @description Sessions that were suspended by a user or for lack of capacity. */
            suspended: number;
            /** @description Completed and canceled sessions. */
            done: number;
            /** @description Failed sessions. */
            failed: number;
            /** @description Sessions of any of these kinds that are unread. */
            unread: number;
        };
        SessionEvent: components["schemas"]["StatusEvent"] | components["schemas"]["ProvisioningEvent"] | components["schemas"]["MessageEvent"] | components["schemas"]["ThoughtEvent"] | components["schemas"]["ToolCallEvent"] | components["schemas"]["ToolResultEvent"] | components["schemas"]["PlanEvent"] | components["schemas"]["ApprovalEvent"] | components["schemas"]["CommandEvent"] | components["schemas"]["OutputEvent"] | components["schemas"]["FileChangeEvent"] | components["schemas"]["PhaseEvent"] | components["schemas"]["UsageEvent"] | components["schemas"]["BudgetEvent"] | components["schemas"]["WarningEvent"] | components["schemas"]["CheckpointEvent"] | components["schemas"]["BranchPushedEvent"] | components["schemas"]["ChangeRequestEvent"] | components["schemas"]["ArtifactEvent"] | components["schemas"]["ChildEvent"] | components["schemas"]["StructuredOutputEvent"] | components["schemas"]["ErrorEvent"];
        SessionEventList: {
            /** @description The items of this page. */
            items: components["schemas"]["SessionEvent"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
            /** @description Only with `search`: how far it came. */
            scan?: {
                /** @description False if the search took too long and stopped; there may be more after `end_cursor`. */
                complete: boolean;
                /** @description The last event that was searched. */
                seq: number;
            };
        };
        SessionFigures: {
            /** @description Number of created sessions. */
            created: number;
            /** @description Number of sessions that completed for the first time. */
            completed: number;
            /** @description Number of sessions that failed for the first time. */
            failed: number;
            /** @description Number of canceled sessions. */
            canceled: number;
            /** @description `completed` / (`completed` + `failed`); null if both are 0. */
            success_rate: number | null;
            /** @description The time from the creation of a session to its start. */
            queue_wait: components["schemas"]["MeasuredTimes"];
            /** @description Number of sessions whose work was checked for the first time, when that turn ended. */
            checked: number;
            /** @description Number of those whose first check passed. */
            verified_first_time: number;
            /** @description `verified_first_time` / `checked`; null without any. */
            verified_first_time_rate: number | null;
            /** @description The times for which sessions waited for an answer or an approval, when they ended. */
            waiting_for_people: components["schemas"]["MeasuredTimes"];
            /** @description The sum of these times. */
            waiting_for_people_seconds: number;
        };
        SessionInterval: {
            /** @description The first day of the interval. */
            start: string;
            /** @description Number of created sessions. */
            created: number;
            /** @description Number of sessions that completed for the first time. */
            completed: number;
            /** @description Number of sessions that failed for the first time. */
            failed: number;
            /** @description Number of canceled sessions. */
            canceled: number;
            /** @description `completed` / (`completed` + `failed`); null if both are 0. */
            success_rate: number | null;
            /** @description The time from the creation of a session to its start. */
            queue_wait: components["schemas"]["MeasuredTimes"];
            /** @description Number of sessions whose work was checked for the first time, when that turn ended. */
            checked: number;
            /** @description Number of those whose first check passed. */
            verified_first_time: number;
            /** @description `verified_first_time` / `checked`; null without any. */
            verified_first_time_rate: number | null;
            /** @description The times for which sessions waited for an answer or an approval, when they ended. */
            waiting_for_people: components["schemas"]["MeasuredTimes"];
            /** @description The sum of these times. */
            waiting_for_people_seconds: number;
        };
        SessionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Session"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        SessionMessage: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The sender: `user` is a person or a program.
             * @enum {string}
             */
            role: "user" | "agent";
            /** @description The text. */
            content: string;
            /** @description Attachments that are placed next to the repositories. */
            attachment_ids: string[];
            /**
             * @description When a running session gets it: see the request.
             * @enum {string}
             */
            delivery: "steer" | "queue" | "interrupt";
            /**
             * @description `queued` until a turn takes it, then `delivered`; or `withdrawn` before that.
             * @enum {string}
             */
            state: "queued" | "delivered" | "withdrawn";
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a turn took it; null before.
             */
            delivered_at: string | null;
        };
        SessionMessageList: {
            /** @description The items of this page. */
            items: components["schemas"]["SessionMessage"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        SessionMetrics: {
            /** @description The first day of the first interval. */
            from: string;
            /** @description The last day of the last interval. */
            to: string;
            /**
             * @description The length of the intervals.
             * @enum {string}
             */
            interval: "day" | "week" | "month";
            /** @description The same for all intervals together. */
            totals: components["schemas"]["SessionFigures"];
            /** @description The intervals in order; those without anything are zeros. */
            items: components["schemas"]["SessionInterval"][];
        };
        SessionPhase: {
            /**
             * @description The phase.
             * @enum {string}
             */
            name: "reproduce" | "implement" | "verify" | "deliver";
            /**
             * @description `passed`, `failed` and `skipped` mean what they say. `could_not_run`: the check did not run, so it says nothing. `not_reproduced`: it passes on the base commit. `stopped`: a user or a budget ended the turn.
             * @enum {string}
             */
            status: "running" | "passed" | "failed" | "skipped" | "could_not_run" | "not_reproduced" | "stopped";
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended; null while it runs.
             */
            ended_at: string | null;
            /** @description The result, in a sentence. */
            summary: string;
            /** @description The commands and files that support the result. */
            evidence: components["schemas"]["Evidence"][];
        };
        SessionQueue: {
            /** @description Number of sessions waiting for a worker. */
            size: number;
            /** @description How long the oldest of them has waited; null for none. */
            oldest_age_seconds: number | null;
            /** @description Workers that are alive. */
            workers: number;
            /** @description Number of sessions that the workers could start now. */
            free_slots: number;
        };
        SessionRead: {
            /** @description The last event that you have read; it never goes back. */
            seq: number;
            /** @description True if the session stopped after that event. */
            unread: boolean;
        };
        SessionRepository: {
            /**
             * @description The git host: `local` is the built-in one.
             * @enum {string}
             */
            provider: "github" | "gitlab" | "local";
            /** @description `owner/name`, as the git host writes it. */
            repo: string;
            /** @description The branch, tag or commit it started from. */
            base_ref: string;
            /** @description The commit of `base_ref`; "" until it was fetched. */
            base_commit: string;
            /** @description The branch its work is pushed to; "" until it has one. */
            branch: string;
        };
        SessionSummary: {
            /** @description Number of created sessions. */
            created: number;
            /** @description Number of sessions that completed for the first time. */
            completed: number;
            /** @description Number of sessions that failed for the first time. */
            failed: number;
            /** @description Number of canceled sessions. */
            canceled: number;
            /** @description `completed` / (`completed` + `failed`); null if both are 0. */
            success_rate: number | null;
            /** @description The time from the creation of a session to its start. */
            queue_wait: components["schemas"]["MeasuredTimes"];
            /** @description Number of sessions whose work was checked for the first time, when that turn ended. */
            checked: number;
            /** @description Number of those whose first check passed. */
            verified_first_time: number;
            /** @description `verified_first_time` / `checked`; null without any. */
            verified_first_time_rate: number | null;
            /** @description The times for which sessions waited for an answer or an approval, when they ended. */
            waiting_for_people: components["schemas"]["MeasuredTimes"];
            /** @description The sum of these times. */
            waiting_for_people_seconds: number;
        };
        SessionUsage: {
            /** @description Tokens that models read, including cached ones. */
            input_tokens: number;
            /** @description Tokens that models wrote. */
            output_tokens: number;
            /** @description The part of `input_tokens` that came from a cache. */
            cached_input_tokens: number;
            /** @description Cost in US dollars, by the applicable prices. */
            cost_usd: number;
            /** @description Seconds that its sandboxes ran. */
            sandbox_seconds: number;
            /** @description The same for each model. */
            by_model: {
                /** @description `<provider>/<model>`. */
                model: string;
                /** @description Tokens that models read, including cached ones. */
                input_tokens: number;
                /** @description Tokens that models wrote. */
                output_tokens: number;
                /** @description The part of `input_tokens` that came from a cache. */
                cached_input_tokens: number;
                /** @description Cost in US dollars, by the applicable prices. */
                cost_usd: number;
            }[];
        };
        SetExternalExecutorRequest: {
            /** @description An https address, or an http address that is not public; "" removes it. */
            url: string;
        };
        SetMcpServerSecretRequest: {
            /** @description At most 16 KiB in UTF-8. Write-only. */
            value: string;
        };
        SetRoleAssignmentRequest: {
            /** @description Exactly one of `user_id` and `email`. */
            user_id?: string;
            /** @description Exactly one of `user_id` and `email`. Compared case-insensitively. */
            email?: string;
            /**
             * @description `pro` or `regular`: determines the available models and limits.
             * @enum {string}
             */
            role: "pro" | "regular";
        };
        SetSecretValueRequest: {
            /** @description At most 16 KiB in UTF-8. Write-only. */
            value: string;
        };
        SettingsNamespace: {
            /** @description One of run_tags, models, sessions, source_control, reviews, automations, memory, knowledge, sandbox, notifications, retention, budgets. */
            namespace: string;
            /** @description The full effective value; its schema is at `…/schema`. */
            value: {
                [key: string]: unknown;
            };
            /** @description True if the platform acts on the value; false if it is validated and stored, but has no effect yet. */
            enforced: boolean;
        };
        SettingsNamespaceList: {
            /** @description The items of this page. */
            items: components["schemas"]["SettingsNamespace"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        /** @description JSON Schema (2020-12) of the value; its keyword `enforced` says if the platform acts on it. */
        SettingsSchema: {
            [key: string]: unknown;
        };
        SignInMethods: {
            /** @description True if you can sign in with e-mail and password. */
            password: boolean;
            /** @description The identity providers; `[]` for none. */
            sso: {
                /** @description Its name in paths. */
                provider: string;
                /** @description A display name from the operator, for a button. */
                name: string;
                /** @description The URL to open in the browser. */
                start_url: string;
            }[];
        };
        SignInRequest: {
            /** @description An e-mail address; case-insensitive. */
            email: string;
            /** @description Yours. */
            password: string;
            /** @description An organization you are a member of, by id or slug, in case several users have joined with this e-mail; "" or omitted searches all. */
            organization?: string;
        };
        SignedIn: {
            /** @description The user. */
            user_id: string;
            /** @description An e-mail address; case-insensitive. */
            email: string;
            /** @description A name for readers. */
            name: string;
            /** @description Your organizations, with your permission in each. */
            organizations: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description Replaces the id in paths; lower-case letters, digits and hyphens. */
                slug: string;
                /** @description A name for readers. */
                name: string;
                /**
                 * @description The permission: `admin` may do everything, `viewer` only reads, `member` is in between.
                 * @enum {string}
                 */
                permission: "admin" | "member" | "viewer";
            }[];
            /**
             * Format: date-time
             * @description When the sign-in expires at the latest.
             */
            expires_at: string;
        };
        SignedOutEverywhere: {
            /** @description Number of sign-ins that ended. */
            ended: number;
        };
        Skill: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /**
             * @description `managed` here, `imported` from a git repository, or stored in a `repository` and read-only here.
             * @enum {string}
             */
            source: "managed" | "repository" | "imported";
            /** @description 0 for a repository's own skill, which has commits instead. */
            revision: number;
            /** @description `sha256:` and the SHA-256 of the output of `find * -type f | LC_ALL=C sort | xargs sha256sum` in the skill's directory: for each file a line with its SHA-256, two spaces and its path. */
            digest: string;
            /** @description True if it is in effect. */
            enabled: boolean;
            /** @description The sessions that get it; [] is the whole organization. */
            assignments: {
                /**
                 * @description `organization`, or the `repository` that `repo` names.
                 * @enum {string}
                 */
                scope: "organization" | "repository";
                /** @description "" for the scope `organization`. */
                repo: string;
            }[];
            /** @description As declared in the bundle. */
            license: string;
            /** @description The `metadata` of SKILL.md, and the origin of a skill that was not written here. */
            metadata: {
                /** @description The origin of an imported skill. */
                import?: {
                    /** @description The git repository. */
                    url: string;
                    /** @description The branch, tag or commit that was asked for; "" for the default branch. */
                    ref: string;
                    /** @description The directory in the repository; "" for its root. */
                    path: string;
                    /** @description A commit id. */
                    commit: string;
                } | string;
                /** @description The origin of a repository's own skill. */
                repository?: {
                    /** @description The git host: `local` is the built-in one. */
                    provider: string;
                    /** @description `owner/name`, as the git host writes it. */
                    repo: string;
                    /** @description The branch that was read. */
                    ref: string;
                    /** @description The directory in the repository. */
                    path: string;
                    /** @description A commit id. */
                    commit: string;
                } | string;
            } & {
                [key: string]: string;
            };
            /** @description Number of files. */
            file_count: number;
            /** @description Size in bytes. */
            size_bytes: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        SkillDetail: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /**
             * @description `managed` here, `imported` from a git repository, or stored in a `repository` and read-only here.
             * @enum {string}
             */
            source: "managed" | "repository" | "imported";
            /** @description 0 for a repository's own skill, which has commits instead. */
            revision: number;
            /** @description `sha256:` and the SHA-256 of the output of `find * -type f | LC_ALL=C sort | xargs sha256sum` in the skill's directory: for each file a line with its SHA-256, two spaces and its path. */
            digest: string;
            /** @description True if it is in effect. */
            enabled: boolean;
            /** @description The sessions that get it; [] is the whole organization. */
            assignments: {
                /**
                 * @description `organization`, or the `repository` that `repo` names.
                 * @enum {string}
                 */
                scope: "organization" | "repository";
                /** @description "" for the scope `organization`. */
                repo: string;
            }[];
            /** @description As declared in the bundle. */
            license: string;
            /** @description The `metadata` of SKILL.md, and the origin of a skill that was not written here. */
            metadata: {
                /** @description The origin of an imported skill. */
                import?: {
                    /** @description The git repository. */
                    url: string;
                    /** @description The branch, tag or commit that was asked for; "" for the default branch. */
                    ref: string;
                    /** @description The directory in the repository; "" for its root. */
                    path: string;
                    /** @description A commit id. */
                    commit: string;
                } | string;
                /** @description The origin of a repository's own skill. */
                repository?: {
                    /** @description The git host: `local` is the built-in one. */
                    provider: string;
                    /** @description `owner/name`, as the git host writes it. */
                    repo: string;
                    /** @description The branch that was read. */
                    ref: string;
                    /** @description The directory in the repository. */
                    path: string;
                    /** @description A commit id. */
                    commit: string;
                } | string;
            } & {
                [key: string]: string;
            };
            /** @description Number of files. */
            file_count: number;
            /** @description Size in bytes. */
            size_bytes: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description Files without their content. */
            files: {
                /** @description Relative to the skill's directory. */
                path: string;
                /** @description Size in bytes. */
                size_bytes: number;
                /** @description 64 hexadecimal digits. */
                sha256: string;
                /** @description True if the file is executable. */
                executable: boolean;
            }[];
        };
        SkillFile: {
            /** @description Relative to the skill's directory. */
            path: string;
            /** @description The content, in `encoding`. */
            content: string;
            /**
             * @description `utf8` if the content is text in UTF-8, else `base64`.
             * @enum {string}
             */
            encoding: "utf8" | "base64";
            /** @description Size in bytes. */
            size_bytes: number;
            /** @description SHA-256 of the bytes, in hexadecimal. */
            sha256: string;
            /** @description True if the file is executable. */
            executable: boolean;
            /** @description The skill's revision. */
            revision: number;
        };
        SkillList: {
            /** @description The items of this page. */
            items: components["schemas"]["Skill"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        SkillResolution: {
            /** @description All skills. */
            items: {
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
                /** @description A name for readers. */
                name: string;
                /** @description A description for people; "" when not set. */
                description: string;
                /**
                 * @description `managed` here, `imported` from a git repository, or stored in a `repository`.
                 * @enum {string}
                 */
                source: "managed" | "repository" | "imported";
                /** @description The revision that the session would get; 0 for a repository's own skill. */
                revision: number;
                /** @description Digest of the directory, like the skill's. */
                digest: string;
                /** @description True if a session would get it. */
                given: boolean;
                /** @description True if the prompt matches it. */
                relevant: boolean;
                /** @description The reason for the decision. */
                reason: string;
            }[];
        };
        SkillRevision: {
            /** @description Number of the revision, from 1. */
            revision: number;
            /** @description Digest of the directory, like the skill's. */
            digest: string;
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /** @description As declared in the bundle. */
            license: string;
            /** @description The `metadata` of SKILL.md, and the origin of a skill that was not written here. */
            metadata: {
                /** @description The origin of an imported skill. */
                import?: {
                    /** @description The git repository. */
                    url: string;
                    /** @description The branch, tag or commit that was asked for; "" for the default branch. */
                    ref: string;
                    /** @description The directory in the repository; "" for its root. */
                    path: string;
                    /** @description A commit id. */
                    commit: string;
                } | string;
                /** @description The origin of a repository's own skill. */
                repository?: {
                    /** @description The git host: `local` is the built-in one. */
                    provider: string;
                    /** @description `owner/name`, as the git host writes it. */
                    repo: string;
                    /** @description The branch that was read. */
                    ref: string;
                    /** @description The directory in the repository. */
                    path: string;
                    /** @description A commit id. */
                    commit: string;
                } | string;
            } & {
                [key: string]: string;
            };
            /** @description Number of files. */
            file_count: number;
            /** @description Size in bytes. */
            size_bytes: number;
            /** @description Files without their content. */
            files: {
                /** @description Relative to the skill's directory. */
                path: string;
                /** @description Size in bytes. */
                size_bytes: number;
                /** @description 64 hexadecimal digits. */
                sha256: string;
                /** @description True if the file is executable. */
                executable: boolean;
            }[];
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        SkillRevisionList: {
            /** @description The items of this page. */
            items: components["schemas"]["SkillRevision"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        SkillValidation: {
            /** @description True if it could be created. */
            valid: boolean;
            /** @description What prevents its creation. */
            issues: {
                /** @description Path of the file; "" for the skill as a whole. */
                file: string;
                /** @description Counted from 1; 0 if the issue has no line. */
                line: number;
                /** @description What is wrong and how to fix it. */
                message: string;
            }[];
            /** @description Allowed, but unusual. */
            warnings: {
                /** @description Path of the file; "" for the skill as a whole. */
                file: string;
                /** @description Counted from 1; 0 if the issue has no line. */
                line: number;
                /** @description What is unusual. */
                message: string;
            }[];
            /** @description A name for readers. */
            name: string;
            /** @description A description for people; "" when not set. */
            description: string;
            /** @description As declared in the bundle. */
            license: string;
            /** @description The requirements that SKILL.md declares; "" for none. */
            compatibility: string;
            /** @description The tools that SKILL.md allows; `[]` if it declares none. */
            allowed_tools: string[];
            /** @description The `metadata` of SKILL.md. */
            metadata: {
                [key: string]: string;
            };
            /** @description Digest of the directory, like the skill's. */
            digest: string;
            /** @description Number of files. */
            file_count: number;
            /** @description Size in bytes. */
            size_bytes: number;
        };
        StartedAutomationRun: {
            /** @description The run, which has not started yet. */
            run: components["schemas"]["AutomationRun"];
        };
        StatusEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The state changed, or what the session is doing. A stream begins with one that is not in the log. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "status";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /**
                 * @description The session's state, as in its record.
                 * @enum {string}
                 */
                status: "queued" | "provisioning" | "running" | "waiting" | "suspended" | "completed" | "failed" | "canceled";
                /**
                 * @description What it is doing, what it waits for, or why it ended; "" for nothing.
                 * @enum {string}
                 */
                status_detail: "working" | "planning" | "awaiting_user" | "awaiting_approval" | "verifying" | "delivering" | "finished" | "inactivity" | "user_request" | "budget_reached" | "group_limit" | "capacity" | "clone_failed" | "sandbox_lost" | "model_error" | "agent_error" | "verify_failed" | "guardrail" | "timeout" | "";
                /**
                 * @description State of the agent's sandbox.
                 * @enum {string}
                 */
                sandbox_state: "none" | "starting" | "ready" | "paused" | "missing" | "error";
            };
        };
        StorageUse: {
            /** @description The total. Running work may exceed `max_bytes` by a tenth. */
            used_bytes: number;
            /** @description The limit set by the operator; 0 is unlimited. */
            max_bytes: number;
            /** @description The parts of `used_bytes`. */
            by_kind: {
                /** @description Repositories on the built-in git host, as stored on its disk; a deleted one counts until it is purged. */
                repositories: number;
                /** @description Checkpoints and agent state of sessions; deleted with the session. */
                checkpoints: number;
                /** @description Outputs and evidence of sessions; deleted with the session. */
                artifacts: number;
                /** @description Uploaded attachments. */
                attachments: number;
            };
        };
        StructuredOutputEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The agent submitted its output, which replaces an earlier one. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "structured_output";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The value, valid for `structured_output_schema`. */
                value: unknown;
            };
        };
        SummaryFigures: {
            /** @description As at `/metrics/sessions`. */
            sessions: components["schemas"]["SessionSummary"];
            /** @description As at `/metrics/change-requests`. */
            change_requests: components["schemas"]["ChangeRequestSummary"];
            /** @description As at `/metrics/usage`. */
            usage: components["schemas"]["UseSummary"];
        };
        SummaryInterval: {
            /** @description The first day of the interval. */
            start: string;
            /** @description As at `/metrics/sessions`. */
            sessions: components["schemas"]["SessionSummary"];
            /** @description As at `/metrics/change-requests`. */
            change_requests: components["schemas"]["ChangeRequestSummary"];
            /** @description As at `/metrics/usage`. */
            usage: components["schemas"]["UseSummary"];
        };
        SummaryMetrics: {
            /** @description The first day of the first interval. */
            from: string;
            /** @description The last day of the last interval. */
            to: string;
            /**
             * @description The length of the intervals.
             * @enum {string}
             */
            interval: "day" | "week" | "month";
            /** @description The same for all intervals together. */
            totals: components["schemas"]["SummaryFigures"];
            /** @description The intervals in order; those without anything are zeros. */
            items: components["schemas"]["SummaryInterval"][];
        };
        TakeBrowserScreenshotRequest: {
            /** @description The browser session: `brs_…`. */
            sessionId: string;
            /**
             * @description True for the whole page instead of the visible part.
             * @default false
             */
            full_page?: boolean;
        };
        ThoughtEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A piece of the agent's reasoning. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "thought";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description Pieces with the same id form one text. */
                message_id: string;
                /**
                 * @description The sender; `platform` is Guildhall itself, such as when the work failed its check.
                 * @enum {string}
                 */
                role: "user" | "agent" | "platform";
                /** @description The text is all deltas in order. */
                delta: string;
                /** @description True for the last piece. */
                done: boolean;
            };
        };
        ToolCallEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The agent calls a tool. The result follows as `tool_result` with the same `call_id`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "tool_call";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The tool call that caused it; "" for none. */
                call_id: string;
                /** @description The tool. */
                name: string;
                /** @description A readable summary of the call. */
                title: string;
                /** @description The tool's input; long texts are truncated, and secrets masked. */
                input: {
                    [key: string]: unknown;
                };
            };
        };
        ToolResultEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A tool returned or failed. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "tool_result";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The tool call that caused it; "" for none. */
                call_id: string;
                /** @description True if the tool succeeded. */
                ok: boolean;
                /** @description The tool's output; a long one is truncated. */
                output: string;
                /** @description The artifact with the complete content; null or "" for none. */
                artifact_id: string | null;
            };
        };
        ToolToken: {
            /** @description True if you have an active one; otherwise all other fields are null. */
            active: boolean;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string | null;
            /**
             * Format: date-time
             * @description Expiry time; null for none.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null before the first use.
             */
            last_used_at: string | null;
        };
        TriggerAutomationRequest: {
            /** @description The payload of the run; by default {}. */
            payload?: {
                [key: string]: unknown;
            };
        };
        TypeInBrowserRequest: {
            /** @description The browser session: `brs_…`. */
            sessionId: string;
            /** @description A CSS selector; its first visible match is used. */
            selector: string;
            /** @description Replaces the value of the field. */
            text: string;
            /**
             * @description True to press Enter afterwards.
             * @default false
             */
            submit?: boolean;
        };
        UpdateAgentRequest: {
            /** @description A name for readers. */
            name?: string;
            /** @description A description for readers; at most 2,000 characters. */
            description?: string;
            /** @description Added to the agent's instructions; at most 100,000 characters. */
            system_prompt?: string;
            /** @description `<provider>/<model>`, one that the organization allows; "" is the organization's default. */
            model?: string;
            /** @description Maximum number of tokens of one response; default the model's own limit. null is rejected. */
            max_tokens?: number;
            /** @description 0 to 2; default the model's own. null is rejected. */
            temperature?: number;
            /**
             * @description `builtin` is the agent that comes with Guildhall; `script` runs the steps of its `runtime_config`; `acp` runs another program that speaks the Agent Client Protocol.
             * @enum {string}
             */
            runtime?: "builtin" | "script" | "acp";
            /** @description What the runtime needs, replaced whole. `script`: `{steps: [{run, allow_failure?}], summary, check?}`. `acp`: `{preset, command?, args?}`. `builtin`: nothing, `{}`. */
            runtime_config?: {
                [key: string]: unknown;
            };
        };
        UpdateAutomationRequest: {
            /** @description A name for readers. */
            name?: string;
            /** @description Any of them starts a run; at most 10, of which one is a webhook. */
            triggers?: {
                /** @description Of a trigger of this automation, to keep it; omit it for a new one. */
                id?: string;
                /**
                 * @description `schedule` and `once` start at times, `webhook` by a signed request to its URL, `push` and `change_request` by events of repositories. `issue` is refused: no provider has issues yet.
                 * @enum {string}
                 */
                type: "schedule" | "once" | "webhook" | "change_request" | "issue" | "push";
                /** @description Of a schedule, else absent: minute, hour, day of the month, month, day of the week. A time that a change of the clock skips comes right after the change; one that it repeats comes once, unless the expression means every hour. */
                cron?: string;
                /** @description IANA name, by default `UTC`; "" unless the type is `schedule`. */
                timezone?: string;
                /**
                 * Format: date-time
                 * @description The time of `once`, else absent or null.
                 */
                at?: string | null;
                /** @description Ignored, and may be omitted; accepted so that a read can be sent back. */
                url?: string;
                /** @description The payload must meet all of them; by default none. */
                conditions?: {
                    /** @description A JSON pointer into the payload; "" is all of it. */
                    path: string;
                    /**
                     * @description `matches` compares with a pattern, in which `*` is any text.
                     * @enum {string}
                     */
                    operator: "equals" | "not_equals" | "matches" | "not_matches" | "contains" | "not_contains" | "greater_than" | "less_than" | "exists" | "absent";
                    /** @description What to compare with; null for `exists` and `absent`. */
                    value?: string | number | boolean | null;
                }[];
            }[];
            /** @description What a run does. */
            action?: {
                /** @description The task. `{{payload}}` and `{{payload.name}}` refer to the payload, which follows as marked data; `{{automation.name}}`, `{{trigger.type}}` and `{{trigger.scheduled_at}}` are replaced. */
                prompt_template?: string;
                /** @description The repositories of its sessions, at most 10. */
                repositories?: {
                    /**
                     * @description By default "": the one repository of that name.
                     * @enum {string}
                     */
                    provider?: "" | "github" | "gitlab" | "local";
                    /** @description `owner/name`, as the git host writes it. */
                    repo: string;
                    /** @description "" is the default branch. */
                    ref?: string;
                }[];
                /** @description "" is the default agent. */
                agent_id?: string;
                /** @description Tags of its sessions. */
                tags?: string[];
                /** @description The budget of each session; omitted limits are those of any session. */
                budget?: {
                    /** @description A limit in US dollars, checked before each model call like the other limits. Reaching it suspends the session. */
                    max_cost_usd?: number;
                    /** @description The maximum number of tokens of one response; null for the model's own limit. */
                    max_tokens?: number;
                    /** @description Minutes of work in the sandbox. */
                    max_minutes?: number;
                    /** @description Number of turns, including the first. */
                    max_turns?: number;
                };
                /** @description A JSON Schema of the value that the agent submits; {} for none. */
                structured_output_schema?: {
                    [key: string]: unknown;
                };
                /**
                 * @description "" is as the settings `source_control` say.
                 * @enum {string}
                 */
                deliver?: "" | "change_request" | "draft" | "branch" | "none";
            };
            /** @description False if no trigger starts it. */
            enabled?: boolean;
            /**
             * @description `platform` starts a session for each run; `external` hands runs to programs that claim them.
             * @enum {string}
             */
            executor?: "platform" | "external";
            /**
             * @description `creator`: its sessions act for its creator, with their own secrets and limits. `organization`: they act for nobody in particular.
             * @enum {string}
             */
            run_as?: "organization" | "creator";
            /**
             * @description A run comes due while another has not ended: `skip` drops it, `queue` lets it wait, `replace` cancels the others, `parallel` starts it.
             * @enum {string}
             */
            concurrency?: "skip" | "queue" | "replace" | "parallel";
            /**
             * @description Times passed while no scheduler ran: `skip` drops them, `run_once` makes one run for all, `catch_up` makes one for each, at most the latest 1,440.
             * @enum {string}
             */
            missed_runs?: "skip" | "run_once" | "catch_up";
            /** @description Attempts of a run that fails or times out; by default one. */
            retry?: {
                /** @description Including the first one. */
                max_attempts?: number;
                /** @description The delay before the second attempt; it doubles with each one, up to a day. */
                backoff_seconds?: number;
            };
            /** @description An attempt is ended after this long, counted from the start of its work. */
            timeout_minutes?: number;
            /** @description It is paused after this many failures in a row; 0: never; null, the default: as the settings `automations` say, also after they change. */
            pause_after_failures?: number | null;
        };
        UpdateChangeRequestCommentRequest: {
            /** @description Markdown, at most 65,536 characters; default unchanged. */
            body?: string;
            /** @description True to resolve it; default unchanged. */
            resolved?: boolean;
        };
        UpdateGitConnectionRequest: {
            /** @description A name for readers. */
            name?: string;
        };
        UpdateGroupRequest: {
            /** @description A name for readers. */
            name?: string;
            /** @description A description for people; "" when not set. */
            description?: string;
            /** @description Limits for the sessions of all members together; omitted ones are unlimited in a new group, and unchanged in an existing one. */
            limits?: {
                /** @description Limits per day; null is unlimited. */
                per_day?: {
                    /** @description Cost in US dollars, by the applicable prices. */
                    cost_usd?: number | null;
                    /** @description Tokens read and written. */
                    tokens?: number | null;
                    /** @description Sessions begun. */
                    sessions?: number | null;
                    /** @description Minutes of sandbox time. */
                    sandbox_minutes?: number | null;
                };
                /** @description An IANA time zone; the day starts at its midnight. */
                timezone?: string;
                /**
                 * @description `block`: a new session is rejected with 402 `budget_exceeded`. `queue`: it waits, with `status_detail: group_limit`.
                 * @enum {string}
                 */
                on_exceed?: "block" | "queue";
            };
        };
        UpdateKnowledgeNoteRequest: {
            /** @description A name for readers. */
            name?: string;
            /** @description When the note is useful. Not blank. */
            trigger?: string;
            /** @description Markdown, at most 100 KiB in UTF-8. Not blank. */
            body?: string;
            /**
             * @description `organization`: for every session. `repository`: for sessions on a repository. `user`: for the caller's own sessions.
             * @enum {string}
             */
            scope?: "organization" | "repository" | "user";
            /** @description "" for every repository; else globs separated by commas: `owner/name`, `owner/*`, optionally with the prefix `github:`, `gitlab:` or `local:`. */
            repo_filter?: string;
            /** @description True if it is in effect. */
            enabled?: boolean;
        };
        UpdateMcpServerRequest: {
            /** @description A name for readers. */
            name?: string;
            /** @description Its tools are named `<slug>__<tool>`. Derived from the name by default. */
            slug?: string;
            /** @description An emoji, or the URL of an image; "" for none. */
            icon?: string;
            /** @description A description for people; "" when not set. */
            description?: string;
            /** @description http or https, for streamable HTTP or SSE, without credentials. Exactly one of url and command. */
            url?: string;
            /** @description A program that speaks MCP over stdio; it runs only inside a session's sandbox. Exactly one of url and command. */
            command?: string;
            /** @description Arguments of the command, at most 100. */
            args?: string[];
            /** @description Variables of a command. A value can contain `${NAME}`, a placeholder for a secret. */
            env?: {
                [key: string]: string;
            };
            /** @description Headers of every request to a URL. A value can contain `${NAME}`, a placeholder for a secret. */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description `organization`: every session gets it. `repositories`: sessions on one of `repos`. `on_request`: sessions that name it in `mcp_server_ids`.
             * @enum {string}
             */
            access?: "organization" | "repositories" | "on_request";
            /** @description The repositories that it applies to with the access `repositories`. */
            repos?: string[];
            /** @description True if it is in effect. */
            enabled?: boolean;
        };
        UpdateMemberRequest: {
            /**
             * @description The permission: `admin` may do everything, `viewer` only reads, `member` is in between.
             * @enum {string}
             */
            permission: "admin" | "member" | "viewer";
        };
        UpdateMemoryNoteRequest: {
            /** @description Trimmed to at most 160 characters. "Memory note" by default, and if blank. */
            title?: string;
            /** @description Trimmed; then neither empty nor longer than 245,760 bytes in UTF-8. */
            content?: string;
        };
        UpdateOrganizationRequest: {
            /** @description A name for readers. */
            name?: string;
            /** @description Unique; 3 to 40 characters of a-z, 0-9 and -. */
            slug?: string;
        };
        UpdateRepositoryRequest: {
            /** @description The branch that sessions start from by default. */
            default_branch?: string;
            /** @description How sessions set it up and check it; omitted parts stay unchanged. If a member wrote a command last, other members' own secrets do not enter sessions on the repository until an administrator sends the commands again. */
            environment?: {
                /** @description The shell command that installs dependencies. Runs once for each set of lockfiles in the default branch's history, and anew for any other commit. */
                setup_command?: string;
                /** @description The shell command that checks a task: exit code 0 means done. "" when not set. */
                verify_command?: string;
                /** @description The sandbox image, if the driver supports images; "" when not set. */
                image?: string;
            };
        };
        UpdateSecretRequest: {
            /**
             * @description `env`: the variable holds the value. `file`: it holds the path of a file with the value. `git_credential`: `user:password`, or a token alone, for git over HTTPS at `allowed_hosts`.
             * @enum {string}
             */
            kind?: "env" | "file" | "git_credential";
            /** @description A name for people; "" when not set. */
            note?: string;
            /**
             * @description `sandbox`: the value enters the sandbox. `broker`: it stays outside, and the gateway adds it as a header to requests to `allowed_hosts`: as `Authorization: Bearer <value>`, or as the header in a value of the form `name: content`.
             * @enum {string}
             */
            exposure?: "sandbox" | "broker";
            /** @description Host names; `*.example.com` matches its subdomains. */
            allowed_hosts?: string[];
        };
        UpdateServiceUserRequest: {
            /** @description A name for readers. */
            name?: string;
            /** @description A description for people; "" when not set. */
            description?: string;
        };
        UpdateSessionRequest: {
            /** @description Title for readers. */
            title?: string;
            /** @description Replaces all tags; `[]` removes them. */
            tags?: string[];
            /** @description Replaces all metadata, up to 20 keys; `{}` removes it. */
            metadata?: {
                [key: string]: string | number | boolean | null;
            };
            /** @description Replaces all limits: an omitted limit is unlimited, but the organization's limit of minutes applies. */
            budget?: {
                /** @description A limit in US dollars, checked before each model call like the other limits. Reaching it suspends the session. */
                max_cost_usd?: number;
                /** @description Tokens read and written, over all turns. */
                max_tokens?: number;
                /** @description Minutes of work in the sandbox. */
                max_minutes?: number;
                /** @description Number of turns, including the first. */
                max_turns?: number;
            };
        };
        UpdateSkillRequest: {
            /** @description All files, including SKILL.md; they replace the current ones. Omit to keep those. */
            files?: {
                /** @description At most 255 characters; segments are separated by `/`. */
                path: string;
                /** @description At most 256 KiB. */
                content: string;
                /**
                 * @description Encoding of `content`.
                 * @default utf8
                 * @enum {string}
                 */
                encoding?: "utf8" | "base64";
                /**
                 * @description True if the file is executable.
                 * @default false
                 */
                executable?: boolean;
            }[];
            /** @description True if it is in effect. */
            enabled?: boolean;
            /** @description The sessions that get it; `[]` is the whole organization. */
            assignments?: {
                /**
                 * @description `organization`: every session. `repository`: those on the repositories that `repo` names.
                 * @enum {string}
                 */
                scope: "organization" | "repository";
                /** @description `owner/name` or `owner/*`, optionally with the prefix `github:`, `gitlab:` or `local:`; required for the scope `repository`, omit it for others. */
                repo?: string;
            }[];
        };
        UpdateWebhookRequest: {
            /** @description Where requests are sent: http or https, without credentials. Redirects are not followed. */
            url?: string;
            /** @description For readers. */
            name?: string;
            /** @description Types of events, such as `session.created`, or `session.*` for all of a resource; `[]` is all. */
            events?: string[];
            /** @description False: nothing is sent. */
            enabled?: boolean;
        };
        UsageEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description The usage of one model call. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "usage";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description `<provider>/<model>`. */
                model: string;
                /** @description Tokens that models read, including cached ones. */
                input_tokens: number;
                /** @description Tokens that models wrote. */
                output_tokens: number;
                /** @description The part of `input_tokens` that came from a cache. */
                cached_input_tokens: number;
                /** @description Cost in US dollars, by the applicable prices. */
                cost_usd: number;
            };
        };
        UsageFigures: {
            /** @description Number of model calls. */
            calls: number;
            /** @description Tokens of requests, with those from and to a cache. */
            input_tokens: number;
            /** @description Tokens of responses. */
            output_tokens: number;
            /** @description Input tokens that were read from a cache. */
            cached_input_tokens: number;
            /** @description Input tokens that were written to a cache. */
            cache_write_tokens: number;
            /** @description Sum of the costs of the calls, each by the price at its time. */
            cost_usd: number;
            /** @description Minutes that sandboxes ran; counted when a turn ends. */
            sandbox_minutes: number;
        };
        UsageInterval: {
            /** @description The first day of the interval. */
            start: string;
            /** @description Number of model calls. */
            calls: number;
            /** @description Tokens of requests, with those from and to a cache. */
            input_tokens: number;
            /** @description Tokens of responses. */
            output_tokens: number;
            /** @description Input tokens that were read from a cache. */
            cached_input_tokens: number;
            /** @description Input tokens that were written to a cache. */
            cache_write_tokens: number;
            /** @description Sum of the costs of the calls, each by the price at its time. */
            cost_usd: number;
            /** @description Minutes that sandboxes ran; counted when a turn ends. */
            sandbox_minutes: number;
        };
        UsageMetrics: {
            /** @description The first day of the first interval. */
            from: string;
            /** @description The last day of the last interval. */
            to: string;
            /**
             * @description The length of the intervals.
             * @enum {string}
             */
            interval: "day" | "week" | "month";
            /** @description The same for all intervals together. */
            totals: components["schemas"]["UsageFigures"];
            /** @description The intervals in order; those without anything are zeros. */
            items: components["schemas"]["UsageInterval"][];
        };
        Use: {
            /** @description Number of model calls. */
            calls: number;
            /** @description Tokens of requests, with those from and to a cache. */
            input_tokens: number;
            /** @description Tokens of responses. */
            output_tokens: number;
            /** @description Input tokens that were read from a cache. */
            cached_input_tokens: number;
            /** @description Input tokens that were written to a cache. */
            cache_write_tokens: number;
            /** @description Sum of the costs of the calls, each by the price at its time. */
            cost_usd: number;
            /** @description Minutes that sandboxes ran; counted when a turn ends. */
            sandbox_minutes: number;
        };
        UseDay: {
            /** @description A day in UTC: YYYY-MM-DD. */
            date: string;
            /** @description Number of model calls. */
            calls: number;
            /** @description Tokens of requests, with those from and to a cache. */
            input_tokens: number;
            /** @description Tokens of responses. */
            output_tokens: number;
            /** @description Input tokens that were read from a cache. */
            cached_input_tokens: number;
            /** @description Input tokens that were written to a cache. */
            cache_write_tokens: number;
            /** @description Sum of the costs of the calls, each by the price at its time. */
            cost_usd: number;
            /** @description Minutes that sandboxes ran; counted when a turn ends. */
            sandbox_minutes: number;
        };
        UseSummary: {
            /** @description Number of model calls. */
            calls: number;
            /** @description Tokens of requests, with those from and to a cache. */
            input_tokens: number;
            /** @description Tokens of responses. */
            output_tokens: number;
            /** @description Input tokens that were read from a cache. */
            cached_input_tokens: number;
            /** @description Input tokens that were written to a cache. */
            cache_write_tokens: number;
            /** @description Sum of the costs of the calls, each by the price at its time. */
            cost_usd: number;
            /** @description Minutes that sandboxes ran; counted when a turn ends. */
            sandbox_minutes: number;
        };
        ValidateAutomationRequest: {
            /** @description Any of them starts a run; at most 10, of which one is a webhook. */
            triggers: {
                /** @description Ignored, and may be omitted. */
                id?: string;
                /**
                 * @description `schedule` and `once` start at times, `webhook` by a signed request to its URL, `push` and `change_request` by events of repositories. `issue` is refused: no provider has issues yet.
                 * @enum {string}
                 */
                type: "schedule" | "once" | "webhook" | "change_request" | "issue" | "push";
                /** @description Of a schedule, else absent: minute, hour, day of the month, month, day of the week. A time that a change of the clock skips comes right after the change; one that it repeats comes once, unless the expression means every hour. */
                cron?: string;
                /** @description IANA name, by default `UTC`; "" unless the type is `schedule`. */
                timezone?: string;
                /**
                 * Format: date-time
                 * @description The time of `once`, else absent or null.
                 */
                at?: string | null;
                /** @description Ignored, and may be omitted. */
                url?: string;
                /** @description The payload must meet all of them; by default none. */
                conditions?: {
                    /** @description A JSON pointer into the payload; "" is all of it. */
                    path: string;
                    /**
                     * @description `matches` compares with a pattern, in which `*` is any text.
                     * @enum {string}
                     */
                    operator: "equals" | "not_equals" | "matches" | "not_matches" | "contains" | "not_contains" | "greater_than" | "less_than" | "exists" | "absent";
                    /** @description What to compare with; null for `exists` and `absent`. */
                    value?: string | number | boolean | null;
                }[];
            }[];
            /** @description A template to check; may be omitted. */
            prompt_template?: string;
            /** @description A payload to try; may be omitted. */
            sample?: {
                /**
                 * @description The type of trigger that it comes from.
                 * @enum {string}
                 */
                type: "schedule" | "once" | "webhook" | "change_request" | "issue" | "push";
                /** @description The payload; {} by default. */
                payload?: {
                    [key: string]: unknown;
                };
            };
        };
        ValidateSkillRequest: {
            /** @description All files, including SKILL.md. */
            files: {
                /** @description At most 255 characters; segments are separated by `/`. */
                path: string;
                /** @description At most 256 KiB. */
                content: string;
                /**
                 * @description Encoding of `content`.
                 * @default utf8
                 * @enum {string}
                 */
                encoding?: "utf8" | "base64";
                /**
                 * @description True if the file is executable.
                 * @default false
                 */
                executable?: boolean;
            }[];
            /** @description Ignored here, so omit it at will; accepted so that the same body can be sent. */
            enabled?: boolean;
            /** @description Ignored here, so omit it at will; accepted so that the same body can be sent. */
            assignments?: {
                /**
                 * @description `organization`: every session. `repository`: those on the repositories that `repo` names.
                 * @enum {string}
                 */
                scope: "organization" | "repository";
                /** @description `owner/name` or `owner/*`, optionally with the prefix `github:`, `gitlab:` or `local:`; required for the scope `repository`, omit it for others. */
                repo?: string;
            }[];
        };
        ValidationError: {
            /** @description What is wrong, one by one. */
            detail: {
                /** @description Where: `body`, `query`, `path` or `header`, and the keys and indices from there. */
                loc: string[];
                /** @description What is wrong, in words. */
                msg: string;
                /** @description What is wrong, for programs. */
                type: string;
                /** @description What was sent there. */
                input: unknown;
                /** @description What is expected, such as a limit; `{}` for nothing. */
                ctx: {
                    [key: string]: unknown;
                };
            }[];
        };
        Violation: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The repository; "" for a session without one. */
            repository_id: string;
            /** @description The repository at that time, as `owner/name`; "" for none. */
            repo: string;
            /**
             * @description The rule that was violated.
             * @enum {string}
             */
            rule: "max_sessions_per_day" | "max_concurrent_sessions" | "max_open_change_requests" | "max_cost_per_session_usd" | "max_cost_per_day_usd" | "max_changed_files" | "max_changed_lines" | "protected_paths" | "protected_branches" | "allowed_origins" | "require_plan_approval" | "secret_scan" | "commands_denied";
            /**
             * @description `warned`: it was allowed. `blocked`: it was prevented, and nothing else. `killed`: the session ended because of it.
             * @enum {string}
             */
            action: "warned" | "blocked" | "killed";
            /** @description The session; "" if it was not created. */
            session_id: string;
            /** @description What happened, without secrets. */
            evidence: {
                /**
                 * @description The point at which the rule was checked.
                 * @enum {string}
                 */
                stage: "create" | "dispatch" | "model_call" | "tool_call" | "push" | "change_request";
                /** @description What is wrong, and what to do. */
                message: string;
                /** @description The value at that time; null for a rule without a limit. */
                used: number | null;
                /** @description The limit; null for a rule without one. */
                allowed: number | null;
                /** @description Paths, lines or commands, at most 20, with secrets masked. */
                items: string[];
            };
            /** @description How often it happened within a minute. */
            count: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Who acknowledged it; null while nobody did. */
            acknowledged_by: components["schemas"]["Principal"] | null;
            /**
             * Format: date-time
             * @description When it was acknowledged; null while it was not.
             */
            acknowledged_at: string | null;
        };
        ViolationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Violation"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        WarningEvent: {
            /** @description Number of the event in the log of the session, from 1 without gaps. */
            seq: number;
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description The session it belongs to. */
            session_id: string;
            /**
             * @description The phase; "" outside of phases.
             * @enum {string}
             */
            phase: "reproduce" | "implement" | "verify" | "deliver" | "";
            /** @description The turn it belongs to, from 1. */
            turn: number;
            /** @description Counts the workers that claimed the session, from 1; 0 before the first. */
            attempt_no: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Only with `compact=true`: the number of the first of the events that it was merged from. */
            seq_from?: number;
            /**
             * Format: date-time
             * @description Only with `compact=true`: the time of the first of the events that it was merged from.
             */
            started_at?: string;
            /**
             * @description A problem that does not stop the session. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "warning";
            /** @description What happened; its fields depend on `kind`. */
            data: {
                /** @description The code, for programs. */
                code: string;
                /** @description An explanation for people: what is wrong and what to do. */
                message: string;
            };
        };
        Webhook: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description For readers. */
            name: string;
            /** @description Where requests are sent: http or https, without credentials. Redirects are not followed. */
            url: string;
            /** @description Types of events, such as `session.created`, or `session.*` for all of a resource; `[]` is all. */
            events: string[];
            /** @description False: nothing is sent. */
            enabled: boolean;
            /**
             * @description Why the platform disabled it: no success in 5 days (`failures`), a response 410 (`gone`), or too many pending deliveries (`backlog`); else "".
             * @enum {string}
             */
            disabled_reason: "" | "failures" | "gone" | "backlog";
            /**
             * Format: date-time
             * @description The first failed attempt since the last success.
             */
            failing_since: string | null;
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        WebhookDelivery: {
            /** @description Also the `webhook-id` of its requests: the same for every attempt. */
            id: string;
            /** @description The webhook that it belongs to. */
            webhook_id: string;
            /** @description The event's number in the organization; 0 for a test. */
            event_seq: number;
            /** @description The type of the event. */
            type: string;
            /** @description The resource that the event is about. */
            resource: {
                /** @description The kind of resource, such as `session`. */
                type: string;
                /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
                id: string;
            };
            /**
             * @description `pending`: another attempt follows. `failed`: none does.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed";
            /** @description Number of requests so far. */
            attempts: number;
            /**
             * Format: date-time
             * @description null while an earlier delivery for the same resource is pending, and after the end.
             */
            next_attempt_at: string | null;
            /** @description The last response; null if none came. */
            status_code: number | null;
            /** @description Why the last attempt failed; "" if it did not. */
            problem: string;
            /** @description The JSON that is sent. */
            request_body: string;
            /** @description The start of the last response, at most 4 KiB. */
            response_body: string;
            /** @description Duration of the last attempt. */
            duration_ms: number | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was delivered or failed permanently; null while it is pending.
             */
            ended_at: string | null;
        };
        WebhookDeliveryList: {
            /** @description The items of this page. */
            items: components["schemas"]["WebhookDelivery"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        WebhookList: {
            /** @description The items of this page. */
            items: components["schemas"]["Webhook"][];
            /** @description Send it as `after` for the next page; "" on an empty page. */
            end_cursor: string;
            /** @description True if there are more items after `end_cursor`. */
            has_next_page: boolean;
            /** @description Exact up to 10,000; above that an estimate, never smaller. */
            total: number;
        };
        WebhookWithSecret: {
            /** @description Opaque id; its prefix names the kind. Ids sort by creation time. */
            id: string;
            /** @description For readers. */
            name: string;
            /** @description Where requests are sent: http or https, without credentials. Redirects are not followed. */
            url: string;
            /** @description Types of events, such as `session.created`, or `session.*` for all of a resource; `[]` is all. */
            events: string[];
            /** @description False: nothing is sent. */
            enabled: boolean;
            /**
             * @description Why the platform disabled it: no success in 5 days (`failures`), a response 410 (`gone`), or too many pending deliveries (`backlog`); else "".
             * @enum {string}
             */
            disabled_reason: "" | "failures" | "gone" | "backlog";
            /**
             * Format: date-time
             * @description The first failed attempt since the last success.
             */
            failing_since: string | null;
            /** @description The creator. */
            created_by: components["schemas"]["Principal"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /** @description Signs requests by the Standard Webhooks specification: `whsec_…`. It is shown only once. */
            secret: string;
        };
    };
    responses: {
        /** @description A budget is exhausted. */
        BudgetExceeded: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No capacity; `retry-after` says when to retry. */
        CapacityUnavailable: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request conflicts with the current state. */
        Conflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key lacks the scope, or may not be used from this address. */
        Forbidden: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The resource no longer exists. */
        Gone: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal error. */
        InternalFailure: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid. */
        InvalidRequest: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The resource does not exist. */
        NotFound: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large. */
        PayloadTooLarge: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests; `retry-after` says when to retry. */
        RateLimited: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The object was changed in the meantime. */
        RevisionConflict: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Timed out. */
        TookTooLong: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key or sign-in is missing or invalid. */
        Unauthorized: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "www-authenticate": components["headers"]["www-authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation does not accept the media type of the body. */
        UnsupportedMediaType: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An external service failed. */
        UpstreamFailure: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid. */
        ValidationFailed: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Names the file: `attachment; filename="…"`. */
        "content-disposition": string;
        /** @description Identifies this state of the record: send it as `If-Match` to change that state only. */
        etag: string;
        /** @description `true` when this is the stored response to an earlier request with the same `Idempotency-Key`. */
        "idempotent-replayed": "true";
        /** @description The URL of the redirect. */
        location: string;
        /** @description The maximum burst of requests: of the key, or of all keys and sign-ins of its owner, whichever limit is nearer. */
        "ratelimit-limit": number;
        /** @description The requests left now. */
        "ratelimit-remaining": number;
        /** @description Seconds until the full burst is available again. */
        "ratelimit-reset": number;
        /** @description Seconds to wait before a retry. */
        "retry-after": number;
        /** @description Sets or deletes the cookie of the sign-in; hidden from scripts. */
        "set-cookie": string;
        /** @description The way to authenticate: `Bearer`. */
        "www-authenticate": string;
        /** @description Identifies the request in the server's log. */
        "x-request-id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAgents: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAgentRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAgentRuntimes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRuntimeList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAgentRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listApps: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAppRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["App"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the app. */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAppKeys: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description Id of the app. */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppKeyList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createAppKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the app. */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAppKeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedAppKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteAppKey: {
        parameters: {
            query?: {
                /** @description Also revoke what the key created; default `revoke`. */
                made?: "revoke" | "keep";
            };
            header?: never;
            path: {
                /** @description Id of the app. */
                app_id: string;
                /** @description Id of the key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedAppKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    reportAutomationRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportAutomationRunRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRunReport"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    clickInBrowser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClickInBrowserRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    readBrowserContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadBrowserContentRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserContent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    navigateBrowser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NavigateBrowserRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserNavigation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    takeBrowserScreenshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TakeBrowserScreenshotRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserScreenshot"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    createBrowserSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateBrowserSessionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getBrowserSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteBrowserSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    typeInBrowser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TypeInBrowserRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
            504: components["responses"]["TookTooLong"];
        };
    };
    getToolToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createToolToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateToolTokenRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToolToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    revokeToolToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedToolToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    openDownload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token of the link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "content-disposition": components["headers"]["content-disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "set-cookie": components["headers"]["set-cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "set-cookie": components["headers"]["set-cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    signOutEverywhere: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    "set-cookie": components["headers"]["set-cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOutEverywhere"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    finishSso: {
        parameters: {
            query?: {
                /** @description The provider's authorization code; it is exchanged for the identity. */
                code?: string;
                /** @description Identifies the login that `/start` began. */
                state?: string;
                /** @description The issuer: identifies the provider (RFC 9207). */
                iss?: string;
                /** @description The provider's error code, if it rejected the login. */
                error?: string;
                /** @description The provider's error message. */
                error_description?: string;
            };
            header?: never;
            path: {
                /** @description Name of the sign-in provider: `oidc`. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page that the person comes back to, for a browser: it follows the redirect. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirects to the URL in `location`. */
            302: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    location: components["headers"]["location"];
                    "set-cookie": components["headers"]["set-cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    startSso: {
        parameters: {
            query?: {
                /** @description A path on this site to open after signing in. */
                return_to?: string;
            };
            header?: never;
            path: {
                /** @description Name of the sign-in provider: `oidc`. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider's page, for a browser: it follows the redirect. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirects to the URL in `location`. */
            302: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    location: components["headers"]["location"];
                    "set-cookie": components["headers"]["set-cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    receiveHook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Unique per delivery. */
                "webhook-id"?: string;
                /** @description Seconds since 1970. */
                "webhook-timestamp"?: string;
                /** @description `v1,<Base64>` of the HMAC-SHA256 of `<id>.<timestamp>.<body>`; several separated by spaces. */
                "webhook-signature"?: string;
            };
            path: {
                /** @description Id of the hook. */
                hookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReceiveHookRequest"];
            };
        };
        responses: {
            /** @description Accepted; processed later. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token of the link. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AcceptInviteRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedInvite"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOrganizationRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedOrganization"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteOrganization: {
        parameters: {
            query: {
                /** @description The organization's slug, to confirm which one is deleted. */
                confirm: string;
            };
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted; processed later. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateOrganizationRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAttachments: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createAttachment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file.
                     */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the attachment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the attachment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    downloadAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the attachment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, for a client that follows the redirect. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Redirects to the URL in `location`. */
            307: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    location: components["headers"]["location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description One or several, separated by commas. */
                action?: string;
                /** @description One or several, separated by commas. */
                actor_id?: string;
                /** @description One or several, separated by commas. */
                resource_type?: string;
                /** @description One or several, separated by commas. */
                resource_id?: string;
                /** @description success, denied, error, or several separated by commas. */
                outcome?: string;
                /** @description Only items created after this time, ISO 8601 with time zone. */
                created_after?: string;
                /** @description Only items created before this time, ISO 8601 with time zone. */
                created_before?: string;
                /** @description Newest first (`desc`) by default. */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAuditActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditActions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    exportAuditEntries: {
        parameters: {
            query?: {
                /** @description One or several, separated by commas. */
                action?: string;
                /** @description One or several, separated by commas. */
                actor_id?: string;
                /** @description One or several, separated by commas. */
                resource_type?: string;
                /** @description One or several, separated by commas. */
                resource_id?: string;
                /** @description success, denied, error, or several separated by commas. */
                outcome?: string;
                /** @description Only items created after this time, ISO 8601 with time zone. */
                created_after?: string;
                /** @description Only items created before this time, ISO 8601 with time zone. */
                created_before?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "content-disposition": components["headers"]["content-disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    verifyAuditLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerification"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getAuditEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the audit log. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAutomations: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description A part of the name or title, case-insensitive. */
                search?: string;
                /** @description One or several statuses, separated by commas. */
                status?: string;
                /** @description `true` or `false`. */
                enabled?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAutomationRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    claimAutomationRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ClaimAutomationRunRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedRun"];
                };
            };
            /** @description No run was available in time. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getAutomationRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRun"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    cancelAutomationRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRun"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    retryAutomationRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRun"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    validateAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateAutomationRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationValidation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAutomationRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getExternalExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExternalExecutor"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    setExternalExecutor: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetExternalExecutorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExternalExecutor"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    pauseAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    resumeAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    rotateAutomationSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateAutomationSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Automation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAutomationRuns: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description One or several statuses, separated by commas. */
                status?: string;
                /** @description One or several kinds of triggers, separated by commas. */
                trigger?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationRunList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    triggerAutomation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the automation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TriggerAutomationRequest"];
            };
        };
        responses: {
            /** @description Accepted; processed later. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedAutomationRun"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listBlueprints: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlueprintList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    diffBlueprints: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiffBlueprintsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlueprintDiff"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    exportBlueprints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlueprintExport"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getBlueprint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the blueprint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Blueprint"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listBlueprintVersions: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the blueprint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlueprintList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listAllChangeRequests: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description Repositories as `owner/name`, also with the provider: `local:owner/name`. */
                repo?: string;
                /** @description open, merged, closed */
                state?: string;
                /** @description The sessions that opened them. */
                session_id?: string;
                /** @description Authors' ids; `me` is yours. */
                author?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listBillingCycles: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingCycleList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    exportBillingCycle: {
        parameters: {
            query?: {
                /** @description What the groups are; none by default. */
                group_by?: "user" | "service_user" | "repo" | "model" | "automation" | "tag";
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the cycle. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "content-disposition": components["headers"]["content-disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getDailyConsumption: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description What the groups are; none by default. */
                group_by?: "user" | "service_user" | "repo" | "model" | "automation" | "tag";
                /** @description The number of groups; times the number of days, at most 12,000. */
                top?: number;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyConsumption"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getGroupConsumption: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumption"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getServiceUserConsumption: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumption"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionConsumption: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumption"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getUserConsumption: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consumption"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listModelPrices: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description The prices of this model, as the settings name it. */
                model?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelPriceList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    streamOrganizationEvents: {
        parameters: {
            query?: {
                /** @description Types of events, separated by commas: `session.created`, or `session.*` for all of a resource. All by default. */
                types?: string;
            };
            header?: {
                /** @description The last event that you have: sends only newer ones. */
                "last-event-id"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listGitConnections: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitConnectionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createGitConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateGitConnectionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitConnection"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getGitConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the git connection. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitConnection"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteGitConnection: {
        parameters: {
            query?: {
                /** @description Forces the operation although dependents exist. */
                force?: boolean;
            };
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the git connection. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateGitConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the git connection. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateGitConnectionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitConnection"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listGitConnectionRepositories: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the git connection. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    verifyGitConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the git connection. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitConnection"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateGroupRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateGroup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateGroupRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listGroupMembers: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    replaceGroupMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceGroupMembersRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    addGroupMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddGroupMembersRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    removeGroupMembers: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoveGroupMembersRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getGroupUsage: {
        parameters: {
            query?: {
                /** @description YYYY-MM-DD; default today in the group's time zone. */
                date?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupUsage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listGuardrails: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuardrailsList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getDefaultGuardrails: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Guardrails"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    replaceDefaultGuardrails: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceDefaultGuardrailsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Guardrails"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getEffectiveGuardrails: {
        parameters: {
            query?: {
                /** @description `owner/name`, optionally with the prefix `github:`, `gitlab:` or `local:`. */
                repo?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectiveGuardrails"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    evaluateGuardrails: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EvaluateGuardrailsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuardrailEvaluation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listViolations: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description `owner/name`, optionally with the prefix `github:`, `gitlab:` or `local:`. */
                repo?: string;
                /** @description One rule, or several separated by commas. */
                rule?: string;
                /** @description One session, or several separated by commas. */
                session_id?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViolationList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getViolation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the violation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Violation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    acknowledgeViolation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the violation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Violation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getGuardrails: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the guardrail. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Guardrails"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    replaceGuardrails: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the guardrail. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceGuardrailsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Guardrails"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteGuardrails: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the guardrail. */
                repoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getIpAccessList: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpAccessList"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    replaceIpAccessList: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceIpAccessListRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpAccessList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    checkIpAccess: {
        parameters: {
            query: {
                /** @description IPv4 or IPv6. */
                ip: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpAccessCheck"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    addIpAccessEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddIpAccessEntryRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpAccessEntry"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    removeIpAccessEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the entry. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    exportKnowledge: {
        parameters: {
            query?: {
                /** @description A part of the name or trigger, or words of the body. */
                search?: string;
                /** @description organization, repository, user, or several separated by commas. */
                scope?: string;
                /** @description Only notes that apply to this repository, or to one of several separated by commas: `owner/name`. */
                repo?: string;
                /** @description true, false, or both separated by a comma. */
                enabled?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "content-disposition": components["headers"]["content-disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    importKnowledge: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The files. */
                    file: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeImport"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listKnowledgeNotes: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description A part of the name or trigger, or words of the body. */
                search?: string;
                /** @description organization, repository, user, or several separated by commas. */
                scope?: string;
                /** @description Only notes that apply to this repository, or to one of several separated by commas: `owner/name`. */
                repo?: string;
                /** @description true, false, or both separated by a comma. */
                enabled?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNoteList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createKnowledgeNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKnowledgeNoteRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getKnowledgeNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    replaceKnowledgeNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceKnowledgeNoteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteKnowledgeNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateKnowledgeNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateKnowledgeNoteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listKnowledgeNoteVersions: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNoteVersionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    restoreKnowledgeNoteVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                noteId: string;
                /** @description The revision. */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    searchKnowledge: {
        parameters: {
            query: {
                /** @description A prompt, or a question. */
                q: string;
                /** @description `owner/name`, optionally with the prefix `github:`, `gitlab:` or `local:`; several separated by commas. */
                repo?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeSearch"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listKnowledgeSuggestions: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description pending, accepted, dismissed, or several separated by commas. */
                status?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeSuggestionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    acceptKnowledgeSuggestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the suggestion. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AcceptKnowledgeSuggestionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    dismissKnowledgeSuggestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the suggestion. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeSuggestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listMcpServers: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description true, false */
                enabled?: string;
                /** @description Part of the name, the slug or the description. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createMcpServer: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMcpServerRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getMcpServer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the mcp server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerDetail"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteMcpServer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the mcp server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateMcpServer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the mcp server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMcpServerRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    setMcpServerSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the mcp server. */
                id: string;
                /** @description The secret: its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetMcpServerSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteMcpServerSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the mcp server. */
                id: string;
                /** @description The secret: its name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    testMcpServer: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the mcp server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerTest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listMcpServerTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the mcp server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServerTools"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description A part of the name or the e-mail, case-insensitive. */
                search?: string;
                /** @description admin, member, viewer */
                permission?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listInvites: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createInvites: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInvitesRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteResults"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    revokeInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the invite. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    resendInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the invite. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResentInvite"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the member. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the member. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the member. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMemberRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listGeneratedMemory: {
        parameters: {
            query: {
                /** @description `owner/name`, compared case-insensitively; only GitLab allows slashes in the owner. */
                repo: string;
                /** @description `local` is the built-in git host. */
                provider: "github" | "gitlab" | "local";
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeneratedMemory"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteGeneratedMemory: {
        parameters: {
            query: {
                /** @description `owner/name`, compared case-insensitively; only GitLab allows slashes in the owner. */
                repo: string;
                /** @description `local` is the built-in git host. */
                provider: "github" | "gitlab" | "local";
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listMemoryNotes: {
        parameters: {
            query: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description `owner/name`, compared case-insensitively; only GitLab allows slashes in the owner. */
                repo: string;
                /** @description `local` is the built-in git host. */
                provider: "github" | "gitlab" | "local";
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryNoteList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createMemoryNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMemoryNoteRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getMemoryNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                memoryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteMemoryNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                memoryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateMemoryNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the note. */
                memoryId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMemoryNoteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listMemoryProjections: {
        parameters: {
            query: {
                /** @description The session. */
                session_id: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryProjections"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getActiveUserMetrics: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description `day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says. */
                interval?: "day" | "week" | "month";
                /** @description Of sessions on this repository: `owner/name`, or `provider:owner/name`. */
                repo?: string;
                /** @description Of sessions with this tag. */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActiveUserMetrics"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getAutomationMetrics: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description `day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says. */
                interval?: "day" | "week" | "month";
                /** @description Of sessions on this repository: `owner/name`, or `provider:owner/name`. */
                repo?: string;
                /** @description Of sessions with this tag. */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationMetrics"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getChangeRequestMetrics: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description `day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says. */
                interval?: "day" | "week" | "month";
                /** @description Of sessions on this repository: `owner/name`, or `provider:owner/name`. */
                repo?: string;
                /** @description Of sessions with this tag. */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestMetrics"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getReviewMetrics: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description `day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says. */
                interval?: "day" | "week" | "month";
                /** @description Of sessions on this repository: `owner/name`, or `provider:owner/name`. */
                repo?: string;
                /** @description Of sessions with this tag. */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewMetrics"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionMetrics: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description `day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says. */
                interval?: "day" | "week" | "month";
                /** @description Of sessions on this repository: `owner/name`, or `provider:owner/name`. */
                repo?: string;
                /** @description Of sessions with this tag. */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMetrics"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSummaryMetrics: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description `day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says. */
                interval?: "day" | "week" | "month";
                /** @description Of sessions on this repository: `owner/name`, or `provider:owner/name`. */
                repo?: string;
                /** @description Of sessions with this tag. */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummaryMetrics"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getUsageMetrics: {
        parameters: {
            query?: {
                /** @description The first day in UTC, YYYY-MM-DD; by default 29 days before `to`. */
                from?: string;
                /** @description The last day in UTC, YYYY-MM-DD, at most 399 days after `from`; by default today. */
                to?: string;
                /** @description `day` by default; a week begins on Monday. The range is extended to whole intervals, as the response says. */
                interval?: "day" | "week" | "month";
                /** @description Of sessions on this repository: `owner/name`, or `provider:owner/name`. */
                repo?: string;
                /** @description Of sessions with this tag. */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageMetrics"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listRepositories: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description A part of the name or title, case-insensitive. */
                search?: string;
                /** @description List repositories deleted in the last 30 days instead, which can be restored. */
                deleted?: boolean;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRepositoryRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteRepository: {
        parameters: {
            query?: {
                /** @description Delete it even if it is in use. */
                force?: boolean;
            };
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateRepositoryRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listChangeRequests: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description open, merged, closed */
                state?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
                /** @description Number of the change request in the repository. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    closeChangeRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
                /** @description Number of the change request in the repository. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listChangeRequestComments: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
                /** @description Number of the change request in the repository. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestCommentList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    commentOnChangeRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
                /** @description Number of the change request in the repository. */
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentOnChangeRequestRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestComment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateChangeRequestComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
                /** @description Number of the change request in the repository. */
                number: number;
                /** @description Id of the comment. */
                commentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateChangeRequestCommentRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestComment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getChangeRequestDiff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
                /** @description Number of the change request in the repository. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diff"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    mergeChangeRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
                /** @description Number of the change request in the repository. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MergeChangeRequestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    restoreRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    restoreOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listRoleAssignments: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAssignmentList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    setRoleAssignment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetRoleAssignmentRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAssignment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getRoleAssignment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the role. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAssignment"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSecrets: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description organization, repository, user */
                scope?: string;
                /** @description `owner/name`, optionally with the prefix `github:`, `gitlab:` or `local:`. */
                repo?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSecretRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the secret. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    setSecretValue: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the secret. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetSecretValueRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the secret. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the secret. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSecretUsage: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the secret. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretUseList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listServiceUsers: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceUserList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createServiceUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateServiceUserRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceUser"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getServiceUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceUser"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteServiceUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateServiceUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateServiceUserRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceUser"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listServiceUserKeys: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description active, revoked, expired */
                status?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceUserKeyList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createServiceUserKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateServiceUserKeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedServiceUserKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    revokeServiceUserKey: {
        parameters: {
            query?: {
                /** @description Also revoke what the key created; default `revoke`. */
                made?: "revoke" | "keep";
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
                /** @description Id of the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    rotateServiceUserKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the service user. */
                id: string;
                /** @description Id of the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateServiceUserKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedServiceUserKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description One or several statuses, separated by commas. */
                status?: string;
                /** @description One or several details, separated by commas. */
                status_detail?: string;
                /** @description What it needs: one or several, separated by commas. */
                attention?: string;
                /** @description How its work was checked: one or several, separated by commas. */
                verification?: string;
                /** @description The origin: one or several, separated by commas. */
                origin?: string;
                /** @description One or several tags, separated by commas. */
                tag?: string;
                /** @description `owner/name`, or `provider:owner/name`; one or several, separated by commas. */
                repo?: string;
                /** @description Id of a user, service user, app or session, or `me`; one or several, separated by commas. */
                created_by?: string;
                /** @description The automation that started it. */
                automation_id?: string;
                /** @description The session that started it. */
                parent_session_id?: string;
                /** @description Only items created after this time, ISO 8601 with time zone. */
                created_after?: string;
                /** @description Only items created before this time, ISO 8601 with time zone. */
                created_before?: string;
                /** @description Only sessions changed after this time, ISO 8601 with time zone. */
                updated_after?: string;
                /** @description `false` (default) excludes archived ones, `true` returns only them, `any` returns both. */
                archived?: "true" | "false" | "any";
                /** @description A part of the name or title, case-insensitive. */
                search?: string;
                /** @description `created_at` (default): the newest first. `updated_at`: the last changed first. */
                sort?: "created_at" | "updated_at";
                /** @description With `summary`, `prompt`, `metadata`, `structured_output` and the `evidence` of phases are empty, which makes a list much smaller. */
                view?: "full" | "summary";
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSessionRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    changeSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSessionsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionChanges"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    countSessions: {
        parameters: {
            query?: {
                /** @description One or several statuses, separated by commas. */
                status?: string;
                /** @description One or several details, separated by commas. */
                status_detail?: string;
                /** @description What it needs: one or several, separated by commas. */
                attention?: string;
                /** @description How its work was checked: one or several, separated by commas. */
                verification?: string;
                /** @description The origin: one or several, separated by commas. */
                origin?: string;
                /** @description One or several tags, separated by commas. */
                tag?: string;
                /** @description `owner/name`, or `provider:owner/name`; one or several, separated by commas. */
                repo?: string;
                /** @description Id of a user, service user, app or session, or `me`; one or several, separated by commas. */
                created_by?: string;
                /** @description The automation that started it. */
                automation_id?: string;
                /** @description The session that started it. */
                parent_session_id?: string;
                /** @description Only items created after this time, ISO 8601 with time zone. */
                created_after?: string;
                /** @description Only items created before this time, ISO 8601 with time zone. */
                created_before?: string;
                /** @description Only sessions changed after this time, ISO 8601 with time zone. */
                updated_after?: string;
                /** @description `false` (default) excludes archived ones, `true` returns only them, `any` returns both. */
                archived?: "true" | "false" | "any";
                /** @description A part of the name or title, case-insensitive. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionCounts"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionQueue"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteSession: {
        parameters: {
            query?: {
                /** @description Forces the operation although dependents exist. */
                force?: boolean;
            };
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSessionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSessionApprovals: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    decideSessionApproval: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
                /** @description Id of the approval. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecideSessionApprovalRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    archiveSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSessionArtifacts: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
                /** @description Id of the artifact. */
                artifactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "content-disposition": components["headers"]["content-disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    cancelSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSessionChangeRequests: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    openSessionChangeRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OpenSessionChangeRequestRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSessionChildren: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionContext"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionDiff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diff"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSessionEvents: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description Only events after this number. */
                after_seq?: number;
                /** @description Only events before this number: the first page has the last of them, the next page those before. */
                before_seq?: number;
                /** @description One or several kinds, separated by commas. */
                kind?: string;
                /** @description A text, case-insensitive: in messages, output, tool calls, commands, paths and the like. One that is spread over pieces of a message or an output is found in the piece in which it ends. */
                search?: string;
                /** @description Merges pieces that follow each other on the page: the deltas of a message or a thought, and the output of a command to one stream. `first` counts events before they are merged. */
                compact?: boolean;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionEventList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    streamSessionEvents: {
        parameters: {
            query?: {
                /** @description Only events after this number. */
                after_seq?: number;
            };
            header?: {
                /** @description The last event that you have: sends only newer ones. Stronger than `after_seq`. */
                "last-event-id"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    interruptSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSessionMessages: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMessageList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    sendSessionMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendSessionMessageRequest"];
            };
        };
        responses: {
            /** @description Accepted; processed later. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMessage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    withdrawSessionMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
                /** @description Id of the message. */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionPatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/x-diff": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    markSessionRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkSessionReadRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRead"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    resumeSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["BudgetExceeded"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    suspendSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    unarchiveSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSessionUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionUsage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSettings: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsNamespaceList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description One of run_tags, models, sessions, source_control, reviews, automations, memory, knowledge, sandbox, notifications, retention, budgets. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsNamespace"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    replaceSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description One of run_tags, models, sessions, source_control, reviews, automations, memory, knowledge, sandbox, notifications, retention, budgets. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceSettingsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsNamespace"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    resetSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description One of run_tags, models, sessions, source_control, reviews, automations, memory, knowledge, sandbox, notifications, retention, budgets. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSettingsSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description One of run_tags, models, sessions, source_control, reviews, automations, memory, knowledge, sandbox, notifications, retention, budgets. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description JSON Schema (2020-12) of the value; its keyword `enforced` says if the platform acts on it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsSchema"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSkills: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description Text to find in name and description. */
                search?: string;
                /** @description managed, repository, imported */
                source?: string;
                /** @description true, false, or both separated by a comma. */
                enabled?: string;
                /** @description `owner/name`, optionally with the prefix `github:`, `gitlab:` or `local:`; up to 20, separated by commas. */
                repo?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createSkill: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSkillRequest"];
                "application/zip": string;
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file.
                     */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    importSkill: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportSkillRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            502: components["responses"]["UpstreamFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    resolveSkills: {
        parameters: {
            query?: {
                /** @description `owner/name`, optionally with the prefix `github:`, `gitlab:` or `local:`; up to 20, separated by commas. */
                repo?: string;
                /** @description The prompt of a session. */
                prompt?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillResolution"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    validateSkill: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateSkillRequest"];
                "application/zip": string;
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file.
                     */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillValidation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSkill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the skill. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteSkill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the skill. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateSkill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the skill. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSkillRequest"];
                "application/zip": string;
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file.
                     */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSkillFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the skill. */
                id: string;
                /** @description At most 255 characters; segments are separated by `/`. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillFile"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    putSkillFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the skill. */
                id: string;
                /** @description At most 255 characters; segments are separated by `/`. */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutSkillFileRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listSkillRevisions: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the skill. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillRevisionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getStorage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description pending, delivered, failed */
                state?: string;
            };
            header?: never;
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    redeliverWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the webhook. */
                id: string;
                /** @description Id of the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Accepted; processed later. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The organization: its id, or its slug. */
                orgId: string;
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getSelf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Self"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    listPersonalKeys: {
        parameters: {
            query?: {
                /** @description Number of items on a page. */
                first?: number;
                /** @description The `end_cursor` of the previous page. */
                after?: string;
                /** @description active, revoked, expired */
                status?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalKeyList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    createPersonalKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePersonalKeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedPersonalKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    revokePersonalKey: {
        parameters: {
            query?: {
                /** @description Also revoke what the key created; default `revoke`. */
                made?: "revoke" | "keep";
            };
            header?: never;
            path: {
                /** @description Id of the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    rotatePersonalKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repetition with the same key within 24 hours returns the first response again. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotatePersonalKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedPersonalKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "set-cookie": components["headers"]["set-cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPassword"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    getPreference: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of a state that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Name of the preference; `notifications` is read by the platform, all others only by clients. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preference"];
                };
            };
            /** @description Not modified: `If-None-Match` names the current state. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
    replacePreference: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the state to change; 412 `revision_conflict` if it is no longer the current one. */
                "if-match"?: string;
            };
            path: {
                /** @description Name of the preference; `notifications` is read by the platform, all others only by clients. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplacePreferenceRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preference"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["RevisionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalFailure"];
            503: components["responses"]["CapacityUnavailable"];
        };
    };
}
