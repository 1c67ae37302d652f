/// What `keyturn config example` prints.
enum StarterFile {
    /// A file to begin with: every part of the configuration once, each explained, harmless as it stands.
    static let text = """
        # Configuration of a Keyturn server. Every key is optional. "#key" is an example, "# Text" explains.
        # To check it:    keyturn config check --config keyturn.yaml
        # Single values can be overridden: project.access_token_seconds is KEYTURN_PROJECT_ACCESS_TOKEN_SECONDS.

        # The address by which clients know this server: https, without a final slash. "auto" is the address below.
        issuer: auto
        listen: 127.0.0.1:8080
        # A file, relative to the working directory; sqlite::memory: forgets everything at the end. Several servers can
        # share postgres://USER:PASSWORD@HOST:5432/NAME and the secrets below.
        database: sqlite:keyturn.db
        # Most connections to PostgreSQL; four for each processor, and 16 at most, when absent.
        #database_connections: 16
        # After SIGTERM, /readyz says 503 for so long before the server stops listening, so that a balancer looks
        # elsewhere first. 10 with PostgreSQL, otherwise 0, when absent.
        #drain_seconds: 10
        # They seal what the server hands out: the first seals, all open. Made beside the database when absent.
        # One is made with:  openssl rand -base64 32
        #secrets: [ "…" ]
        # Networks of your own proxies: their X-Forwarded-For counts.
        #trusted_proxies: [ 10.0.0.0/8, "fd00::/8" ]

        project:
          # What apps and tokens name this server by. Made at the first start and kept in the database when absent;
          # `keyturn config check` prints it.
          #id: P2ExampleProject00000000000000
          name: Acme
          # The first is what clients get that ask for none.
          signing_algorithms: [ES256, RS256]
          access_token_seconds: 600
          # Sessions end after 30 days without use, and after a year in any case.
          refresh_token_idle_seconds: 2592000
          refresh_token_absolute_seconds: 31536000
          # Where two clients use each refresh token of a session in turn, there is a copy: the user and the audit log are
          # told. With "end" the session ends as well.
          shadowed_sessions: tell
          # Who may open an account: open, domains (those of sign_up_domains, and of tenants), invited, or off; see
          # docs/sign-up.md. An operator, a directory and an import always can.
          sign_up: invited
          #sign_up_domains: [ acme.example ]
          # optional: a second factor that an account has is asked for. required: every user sets one up. Also at a role
          # or a tenant.
          second_factor: optional
          # Users without an account are removed so many days after their last session is over; see docs/anonymous.md.
          anonymous_users: { purge_after_days: 90 }
          password_policy: { min_length: 8, lowercase: false, uppercase: false, number: false, non_alphanumeric: false }
          # More for password_policy, for those who must: passwords that end after so many weeks, earlier ones that may
          # not come again, and a lock after wrong ones. A lock holds for unknown networks alone.
          # expiration_weeks: 26, reuse_amount: 5, lock_attempts: 10, lock_seconds: 900
          # Passwords that users may not choose: SHA-1 hashes ordered by hash (Have I Been Pwned), or text, one a line.
          # breached_passwords: /var/lib/keyturn/pwned-passwords-sha1-ordered-by-hash.txt
          # Where links in messages may lead, beside the pages of registered clients and of this server: hosts, ".host" for
          # all below, "scheme:" for apps. And where they lead when a request does not say; otherwise a page here.
          #approved_domains: [ app.example.com, .example.org, "com.example.app:" ]
          #link_redirect_url: https://app.example.com/signed-in
          # Users who lost their only passkey or authenticator app remove it themselves, with two other proofs and after a
          # delay of 1 to 720 hours in which they can cancel it; see docs/passkeys.md. Not with enabled: false.
          recovery: { enabled: true, delay_hours: 72 }
          # What access tokens can be asked for; any resource when absent. Never this server's own issuer.
          #resources: [ "https://api.example.com" ]
          # What can be asked for in detail (RFC 9396); see docs/requests.md.
          #authorization_details_types: [ payment_initiation ]
          # Whose tokens are exchanged for sessions, once each, when users come from another service.
          #session_migration: [ { issuer: "https://old.example.com/", audience: app, subject: email, jwks_uri: "https://old.example.com/keys" } ]

        # Rules of the methods' wire that apps of other vendors may need loosened; see docs/methods.md. All are off.
        #methods:
        #  old_sessions_change_sign_in: false
        #  password_beside_second_factor: false
        #  merge_into_existing: false
        #  same_network_counts: false
        #  unverified_contacts: false

        # Whose passkeys are kept here, beside those for this server's own pages. With keys, sites that keep their own users
        # register and sign in by them; see docs/passkeys.md.
        #passkeys:
        #  - rp_id: example.com
        #    rp_name: Acme
        #    origins: [ "https://www.example.com", "https://app.example.com" ]
        #    publishable_key: pubkey_…
        #    secret_key: secret_…
        #    # To change it without an outage, the old one and the new one: secret_keys: [ secret_…, secret_… ]
        #    # Other domains that may use them, and apps. Android's are in docs/passkeys.md.
        #    related_origins: [ "https://example.net" ]
        #    apple_apps: [ ABCDE12345.com.example.app ]
        #    user_verification: preferred
        #    resident_key: preferred
        #    # Who may vouch for authenticators: none, ask, or trusted, by roots in PEM or the FIDO Alliance's metadata.
        #    attestation: none
        #    attestation_roots: /etc/keyturn/authenticators.pem
        #    metadata: /var/lib/keyturn/blob.jwt
        #    metadata_roots: /etc/ssl/certs/GlobalSign_Root_CA_-_R3.pem

        delivery:
          # Keeps every message readable at /dev/outbox. For development only.
          outbox: false
          # Words of your own: default/code.en.txt, welcome/code.en.html and so on; see docs/delivery.md.
          # templates: /etc/keyturn/templates
          # The mail server that takes mails; tls is starttls, tls or none.
          #smtp: { host: mail.example.com, port: 587, from: "Acme <no-reply@example.com>", tls: starttls, username: "…", password: "…" }
          # Your own gateway for text messages and calls: each is posted to it as JSON, signed with the secret.
          #sms_webhook: { url: "https://gateway.example.com/messages", secret: "…" }
          #push_webhook: { url: "https://push.example.com/requests", secret: "…" }

        # What the pages look like; see docs/theme.md. Colours below WCAG's level AA are refused. Files beside this one:
        # logo: logo.svg, logo_dark: logo-dark.svg
        #theme: { colors: { light: { accent: "#7a1f5c" } }, corner: 6, font: serif, color_scheme: system }

        # Words of your own on pages and in messages, by language and key (`keyturn config texts` prints them), or the folder
        # of files such as de.json; see docs/languages.md.
        #texts: { en: { login.heading: "Welcome back" } }

        # Programs that get the audit log as it grows: JSON that is posted and signed, or syslog; see docs/audit.md.
        #audit:
        #  retention_days: 365
        #  streams:
        #    - { name: siem, webhook: "https://siem.example.com/keyturn", secret: "…", actions: [ "sign_in.*" ] }
        #    # Sign-outs and changed credentials as security event tokens (Shared Signals, CAEP).
        #    - { name: partner, receiver: "https://partner.example.com/events", audience: "https://partner.example.com" }
        #    - { name: logs, syslog: "tls://logs.example.com:6514", ca_file: /etc/keyturn/logs-ca.pem }

        # Sign-ins that differ from the built-in one; see docs/journeys.md. `keyturn journey draw payment` shows it.
        #journeys:
        #  - name: payment
        #    acr: urn:example:acr:payment
        #    steps:
        #      - { name: first, prove: {} }
        #      - { name: second, step_up: { methods: [totp, passkey], max_age: 300 } }
        #      - { name: end, done: true }

        # Unusual sign-ins; see docs/risk.md. Users get a message about a sign-in on a new device. With a database of
        # countries or cities (MaxMind DB format), also about one from a new country.
        # country_database: /var/lib/keyturn/countries.mmdb
        risk: { notify: true }

        # Where traces of requests go: a collector that takes OTLP over HTTP; see docs/metrics.md. Nothing is traced when
        # absent. sample_ratio is the share of the traces that begin here.
        #tracing: { endpoint: "https://collector.example.com:4318", sample_ratio: 0.1, headers: { api-key: "…" } }

        # Keeps signing keys in a PKCS #11 token, such as a hardware security module; see docs/signing-keys.md. Absent: they are
        # in the database, sealed with the secrets.
        # pkcs11: { module: /usr/lib/softhsm/libsofthsm2.so, token: keyturn, pin_file: /etc/keyturn/pin }

        clients:
          # An application on a device, or in a browser: no secret, because it could not keep one.
          - client_id: app
            client_name: Acme app
            application_type: native
            token_endpoint_auth_method: none
            redirect_uris: [ "com.example.app:/callback", "http://127.0.0.1/callback" ]
            grant_types: [authorization_code, refresh_token]
            response_types: [code]
            scope: openid profile email offline_access
            first_party: true

          # A web application with a server of its own. Its secret is made with:  openssl rand -base64 32
          #- client_id: web
          #  client_secret: "…"
          #  token_endpoint_auth_method: client_secret_basic
          #  redirect_uris: [ "https://www.example.com/callback" ]
          #  post_logout_redirect_uris: [ "https://www.example.com/" ]
          #  backchannel_logout_uri: https://www.example.com/logged-out
          #  backchannel_logout_private_address: true  # if that host is in a private network
          #  grant_types: [authorization_code, refresh_token, client_credentials]

          # An app that was built with Authgear's SDK; see docs/apps-of-authgear.md.
          #- client_id: harbour
          #  profile: authgear
          #  first_party: true
          #  token_endpoint_auth_method: none
          #  redirect_uris: [ "com.example.harbour://host/path" ]
          #  grant_types: [authorization_code, refresh_token]
          #  scope: openid offline_access https://authgear.com/scopes/full-access

          # A service that hands in signed assertions (RFC 7523), good for a minute; see docs/service-tokens.md.
          #- client_id: service
          #  client_secret: "…"
          #  jwks_uri: https://service.example.com/keys
          #  grant_types: ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
          #  assertion_seconds: 60

          # An API that asks whether tokens are still good.
          #- client_id: api
          #  client_secret: "…"
          #  grant_types: []
          #  resources: [ "https://api.example.com" ]

        # Clients that register themselves (RFC 7591); none can when absent. See docs/requests.md.
        #registration: { enabled: true, initial_access_token: "…", clients_max: 100 }

        # Data keys of devices that are unlocked with a PIN or a fingerprint; none when absent. See docs/key-service.md.
        #key_service: { enabled: true, realms: [ example ], unused_days: 730 }

        # Identity providers that users can sign in at; see docs/connections.md. keyturn config check prints what to enter
        # there. There are presets for the usual ones.
        #connections:
        #  - id: google
        #    preset: google
        #    client_id: "…"
        #    client_secret: "…"
        #  # An organisation's own provider: its users are led there by their address.
        #  - id: acme
        #    name: Acme
        #    tenant: acme
        #    issuer: https://login.acme.example
        #    client_id: keyturn
        #    client_secret: "…"
        #    domains: [ acme.example ]
        #    roles: { "acme-admins": admin }
        #  # A directory that passwords are checked at; see docs/ldap.md.
        #  - id: staff
        #    trust_email: true
        #    ldap:
        #      url: ldaps://ldap.acme.example
        #      bind_dn: cn=keyturn,dc=acme,dc=example
        #      bind_password: "…"
        #      base_dn: ou=people,dc=acme,dc=example

        # Created or updated at each start; a changed password holds a moment after it.
        #users:
        #  - login_ids: [ someone@example.com ]
        #    password: "…"
        #    email: someone@example.com
        #    email_verified: true
        #    name: Some One
        #    claims: { department: Engineering }
        #    console_role: owner   # may open the console at /admin: viewer, support, operator or owner
        """
}
