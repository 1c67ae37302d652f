/// The route table, as it is meant to be: what each row demands, in order.
///
/// A row whose check was taken away, or is another one, is not found here. The management interface and the files of pages are
/// left out: every row of the one demands a management key, or an operator's token where ``operators`` says so, and none of
/// the other demands anything.
enum RouteList {
    static let text = """
        GET /.well-known/openid-configuration: open
        GET /.well-known/oauth-authorization-server: open
        GET /.well-known/oauth-protected-resource: open
        GET /oauth2/jwks: open
        GET /oauth2/authorize: open
        POST /oauth2/authorize: open
        GET /consent: transaction
        POST /consent: transaction, same-site form
        GET /continue: transaction
        POST /continue: transaction, same-site form
        GET /promotion: transaction
        POST /promotion: transaction, same-site form
        POST /oauth2/par: client
        POST /oauth2/token: named client
        POST /oauth2/introspect: confidential client
        POST /oauth2/revoke: named client
        GET /oauth2/userinfo: access token
        POST /oauth2/userinfo: access token
        POST /oauth2/device_authorization: client
        GET /device: open
        POST /device: same-site form
        GET /device/confirm: device, session
        POST /device/confirm: device, session, same-site form
        GET /device/done: open
        POST /oauth2/bc-authorize: client
        POST /v1/approvals: open
        POST /oauth2/challenge: open
        POST /oauth2/app_session_token: open
        POST /api/anonymous_user/signup: open
        POST /api/anonymous_user/promotion_code: open
        POST /oauth2/register: initial access token
        GET /oauth2/register: registration token
        PUT /oauth2/register: registration token
        DELETE /oauth2/register: registration token
        GET /oauth2/end_session: open
        POST /oauth2/end_session: open
        GET /logout: open
        POST /logout: logout, same-site form
        GET /saml/{name}/slo: open
        POST /saml/{name}/slo: open
        GET /login: transaction
        POST /login: transaction, same-site form
        GET /login/reset: transaction
        POST /login/reset: transaction, same-site form
        GET /signup: transaction
        POST /signup: transaction, same-site form
        GET /login/link-status: sign-in transaction
        GET /login/{name}: open
        GET /flow/cancelled: open
        GET /flow/end: transaction
        POST /flow/result: transaction, same-site form
        GET /flow/provider: transaction
        POST /flow/provider: transaction, same-site form
        GET /link: open
        POST /link: same-site form
        GET /login/passkey: transaction
        POST /login/passkey: transaction, session, same-site form
        GET /passkey: open
        GET /login/approval-status: sign-in transaction
        GET /recovery/cancel: open
        POST /recovery/cancel: same-site form
        GET /sign-in/dispute: open
        POST /sign-in/dispute: same-site form
        GET /login/code: sign-in transaction
        POST /login/code: sign-in transaction, same-site form
        GET /login/approval: sign-in transaction
        POST /login/approval: sign-in transaction, same-site form
        GET /login/step: sign-in transaction
        POST /login/step: sign-in transaction, same-site form
        GET /login/link: sign-in transaction
        POST /login/link: sign-in transaction, same-site form
        GET /login/methods: sign-in transaction
        POST /login/methods: sign-in transaction, same-site form
        GET /login/authenticator: sign-in transaction
        POST /login/authenticator: sign-in transaction, same-site form
        GET /login/recovery: sign-in transaction
        POST /login/recovery: sign-in transaction, same-site form
        GET /login/lost: sign-in transaction
        POST /login/lost: sign-in transaction, same-site form
        GET /login/lost/code: sign-in transaction
        POST /login/lost/code: sign-in transaction, same-site form
        GET /login/lost/waiting: sign-in transaction
        POST /login/lost/waiting: sign-in transaction, same-site form
        GET /login/lost/remove: sign-in transaction
        POST /login/lost/remove: sign-in transaction, same-site form
        GET /login/setup: sign-in transaction
        POST /login/setup: sign-in transaction, same-site form
        GET /login/password: sign-in transaction
        POST /login/password: sign-in transaction, same-site form
        GET /login/expired: sign-in transaction
        POST /login/expired: sign-in transaction, same-site form
        GET /settings: session
        GET /settings/profile: session
        POST /settings/profile: session, same-site form
        GET /settings/sessions: session
        POST /settings/sessions: session, same-site form
        GET /settings/approvals: session
        POST /settings/approvals: session, same-site form, recent sign-in
        GET /settings/password: session, recent sign-in
        POST /settings/password: session, same-site form, recent sign-in
        GET /settings/delete: session, recent sign-in
        POST /settings/delete: session, same-site form, recent sign-in
        GET /settings/identifiers: session
        POST /settings/identifiers: session, same-site form, recent sign-in
        GET /settings/identifiers/code: session, recent sign-in
        POST /settings/identifiers/code: session, same-site form, recent sign-in
        GET /settings/authenticators: session
        POST /settings/authenticators: session, same-site form, recent sign-in
        GET /settings/authenticators/add: session, recent sign-in
        POST /settings/authenticators/add: session, same-site form, recent sign-in
        GET /settings/passkeys: session
        POST /settings/passkeys: session, same-site form, recent sign-in
        GET /settings/passkeys/remove: session, recent sign-in
        POST /settings/passkeys/remove: session, same-site form, recent sign-in
        POST /v1/auth/refresh: project, refresh token
        POST /v1/auth/logout: project, refresh token
        POST /v1/auth/logoutall: project, refresh token
        GET /v1/auth/me: project, refresh token
        POST /v1/auth/me/tenants: project, refresh token
        GET /v1/auth/me/history: project, refresh token
        POST /v1/auth/tenant/select: project, refresh token
        POST /v1/auth/accesskey/exchange: project, access key
        POST /v1/auth/otp/signup/email: project
        POST /v1/auth/otp/signin/email: project
        POST /v1/auth/otp/signup-in/email: project
        POST /v1/auth/otp/verify/email: project
        POST /v1/auth/otp/signup/sms: project
        POST /v1/auth/otp/signin/sms: project
        POST /v1/auth/otp/signup-in/sms: project
        POST /v1/auth/otp/verify/sms: project
        POST /v1/auth/otp/signup/whatsapp: project
        POST /v1/auth/otp/signin/whatsapp: project
        POST /v1/auth/otp/signup-in/whatsapp: project
        POST /v1/auth/otp/verify/whatsapp: project
        POST /v1/auth/otp/signup/voice: project
        POST /v1/auth/otp/signin/voice: project
        POST /v1/auth/otp/signup-in/voice: project
        POST /v1/auth/otp/verify/voice: project
        POST /v1/auth/magiclink/signup/email: project
        POST /v1/auth/magiclink/signin/email: project
        POST /v1/auth/magiclink/signup-in/email: project
        POST /v1/auth/magiclink/signup/sms: project
        POST /v1/auth/magiclink/signin/sms: project
        POST /v1/auth/magiclink/signup-in/sms: project
        POST /v1/auth/magiclink/signup/whatsapp: project
        POST /v1/auth/magiclink/signin/whatsapp: project
        POST /v1/auth/magiclink/signup-in/whatsapp: project
        POST /v1/auth/magiclink/signup/voice: project
        POST /v1/auth/magiclink/signin/voice: project
        POST /v1/auth/magiclink/signup-in/voice: project
        POST /v1/auth/enchantedlink/signup/email: project
        POST /v1/auth/enchantedlink/signin/email: project
        POST /v1/auth/enchantedlink/signup-in/email: project
        POST /v1/auth/enchantedlink/signup/sms: project
        POST /v1/auth/enchantedlink/signin/sms: project
        POST /v1/auth/enchantedlink/signup-in/sms: project
        POST /v1/auth/otp/update/email: project, refresh token
        POST /v1/auth/otp/update/phone: project, refresh token
        POST /v1/auth/otp/update/phone/sms: project, refresh token
        POST /v1/auth/otp/update/phone/whatsapp: project, refresh token
        POST /v1/auth/otp/update/phone/voice: project, refresh token
        POST /v1/auth/magiclink/update/email: project, refresh token
        POST /v1/auth/magiclink/update/phone: project, refresh token
        POST /v1/auth/magiclink/update/phone/sms: project, refresh token
        POST /v1/auth/magiclink/update/phone/whatsapp: project, refresh token
        POST /v1/auth/magiclink/update/phone/voice: project, refresh token
        POST /v1/auth/enchantedlink/update/email: project, refresh token
        POST /v1/auth/enchantedlink/update/phone: project, refresh token
        POST /v1/auth/enchantedlink/update/phone/sms: project, refresh token
        POST /v1/auth/oauth/authorize: project
        POST /v1/auth/sso/authorize: project
        POST /v1/auth/saml/authorize: project
        POST /v1/auth/oauth/exchange: project
        POST /v1/auth/oauth/native/start: project
        POST /v1/auth/oauth/native/finish: project
        POST /v1/auth/sso/exchange: project
        POST /v1/auth/saml/exchange: project
        GET /federation: open
        GET /federation/{name}/start: transaction
        GET /federation/{name}/callback: open
        POST /federation/{name}/callback: open
        GET /settings/connections/{name}/callback: open
        POST /federation/{name}/logout: open
        GET /federation/{name}/try: open
        GET /federation/{name}/initiate: open
        POST /federation/{name}/initiate: open
        GET /saml/{name}/acs: open
        POST /saml/{name}/acs: open
        GET /saml/{name}/metadata: open
        GET /settings/connections: session
        POST /settings/connections: session, same-site form, recent sign-in
        POST /v1/auth/magiclink/verify: project
        POST /v1/auth/enchantedlink/verify: project
        POST /v1/auth/enchantedlink/pending-session: project
        POST /v1/auth/totp/signup: project
        POST /v1/auth/totp/update: project, refresh token
        POST /v1/auth/totp/verify: project
        POST /v1/auth/password/signup: project
        POST /v1/auth/password/signin: project
        POST /v1/auth/password/replace: project
        POST /v1/auth/password/reset: project
        POST /v1/auth/password/update: project, refresh token
        GET /v1/auth/password/policy: project
        POST /v1/auth/webauthn/signup/start: project
        POST /v1/auth/webauthn/signin/start: project
        POST /v1/auth/webauthn/signup-in/start: project
        POST /v1/auth/webauthn/update/start: project, refresh token
        POST /v1/auth/webauthn/signup/finish: project
        POST /v1/auth/webauthn/signin/finish: project
        POST /v1/auth/webauthn/update/finish: project
        GET /v2/keys/test: open
        POST /attestation/options: publishable key
        POST /registration/createOptions: publishable key
        POST /attestation/process: publishable key
        POST /registration/process: publishable key
        POST /assertion/options: publishable key
        POST /auth/createOptions: publishable key
        POST /assertion/process: publishable key
        POST /auth/process: publishable key
        POST /credential/create: secret key
        POST /registration/attach: secret key
        POST /auth/verify: secret key
        POST /credential/list: secret key
        POST /credential/update: secret key
        POST /credential/delete: secret key
        POST /credential/import: secret key
        GET /.well-known/apple-app-site-association: open
        GET /.well-known/assetlinks.json: open
        GET /.well-known/webauthn: open
        GET /js/v1/passkeys.mjs: open
        GET /js/v1/passkeys.js: open
        GET /js/v1/passkeys.d.mts: open
        GET /js/v1/passkeys.json: open
        GET /2.0/users/me: access token
        GET /2.0/users/{name}: access token
        POST /keyservice/v1/createkey: shown access token
        POST /keyservice/v1/key: open
        POST /keyservice/v1/changesecret: open
        POST /keyservice/v1/deletekey: open
        GET /keyservice/v1/keys: access token
        DELETE /keyservice/v1/keys/{name}: access token
        POST /auth/realms/{name}/keyservice/v1/createkey: shown access token
        POST /auth/realms/{name}/keyservice/v1/key: open
        POST /auth/realms/{name}/keyservice/v1/changesecret: open
        POST /auth/realms/{name}/keyservice/v1/deletekey: open
        GET /auth/realms/{name}/keyservice/v1/keys: access token
        DELETE /auth/realms/{name}/keyservice/v1/keys/{name}: access token
        GET /auth/realms/{name}/.well-known/openid-configuration: open
        GET /auth/realms/{name}/oauth2/authorize: open
        POST /auth/realms/{name}/oauth2/authorize: open
        POST /auth/realms/{name}/oauth2/token: named client
        GET /healthz: open
        GET /readyz: open
        GET /metrics: operator
        GET /: open
        GET /dev/time: this machine
        POST /dev/time: this machine
        POST /dev/time/form: this machine, same-site form
        GET /dev/theme: operator
        GET /dev/try: operator
        GET /dev/callback: operator
        GET /dev/outbox: operator
        GET /dev/outbox.json: operator
        """
    /// What each row of the management interface demands.
    static let management = "project, management key"
    /// The same where an operator's access token will do.
    static let managementOrOperator = "project, management key or operator"
}
