// A real OpenID provider (npm's oidc-provider, certified) for the tests: node provider.mjs CONFIG.
// CONFIG is JSON: {port, audience, keys: JWKS, accounts: FILE, accessSeconds}; ACCOUNTS has the claims of each account by
// its name, and is read anew for each token and each question about a person.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { default: Provider } = await import(createRequire(config.modules).resolve("oidc-provider"));
const accounts = () => JSON.parse(readFileSync(config.accounts, "utf8"));
const issuer = `http://127.0.0.1:${config.port}`;
const claimsOf = id => ({ sub: id, email: `${id}@example.org`, email_verified: true, ...accounts()[id] });

const provider = new Provider(issuer, {
  jwks: config.keys,
  clients: [
    {
      client_id: "gear-page",
      client_secret: "page secret",
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: ["http://127.0.0.1/sign-in/back"],
    },
    {
      client_id: "tool",
      token_endpoint_auth_method: "none",
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: ["http://127.0.0.1/callback"],
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
  scopes: ["openid", "email", "groups", "offline_access"],
  cookies: { keys: ["a key of the tests"] },
  features: {
    devInteractions: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      getResourceServerInfo: (_context, resource) => ({
        scope: "search",
        audience: config.audience,
        accessTokenTTL: config.accessSeconds,
        accessTokenFormat: resource.endsWith("opaque") ? "opaque" : "jwt",
      }),
    },
  },
  ttl: { AccessToken: config.accessSeconds, Session: 3600, Grant: 3600, IdToken: 3600, Interaction: 600, RefreshToken: 3600 },
  // Any account that the file has, whatever the password.
  findAccount: (_context, id) => (id in accounts() ? { accountId: id, claims: () => claimsOf(id) } : undefined),
  extraTokenClaims: (_context, token) => (token.accountId ? claimsOf(token.accountId) : undefined),
});
provider.listen(config.port, "127.0.0.1", () => process.stdout.write("ready\n"));
