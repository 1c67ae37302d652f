import Foundation
import KeyturnBase

@testable import keyturn

/// Reads configurations the short way.
enum Sample {
    /// Parses what must be accepted.
    static func accepted(_ text: String, environment: [String: String] = [:]) throws -> ServerConfiguration {
        try ServerConfiguration.parse(text: text, environment: environment, file: "keyturn.yaml")
    }

    /// Everything that is wrong with a text; its warnings, if it is accepted.
    static func problems(_ text: String, environment: [String: String] = [:]) -> [ConfigurationProblem] {
        do throws(ConfigurationProblems) {
            return try ServerConfiguration.parse(text: text, environment: environment, file: "keyturn.yaml").warnings
        } catch {
            return error.all
        }
    }

    /// The mistakes, as `LINE PATH`; those of the environment as `VARIABLE PATH`.
    static func mistakes(_ text: String, environment: [String: String] = [:]) -> [String] {
        problems(text, environment: environment).filter { $0.severity == .mistake }.map(place)
    }

    /// The warnings, in the same form.
    static func warnings(_ text: String, environment: [String: String] = [:]) -> [String] {
        problems(text, environment: environment).filter { $0.severity == .warning }.map(place)
    }

    /// A client `app` with further lines, the first of which is line 3 of the file.
    static func client(_ lines: String...) -> String {
        client(lines)
    }

    static func client(_ lines: [String]) -> String {
        "clients:\n  - client_id: app\n" + lines.map { "    " + $0 }.joined(separator: "\n")
    }

    /// Runs `body` with the path of a file that holds `contents`, in a folder of its own.
    static func withFile(_ name: String, contents: [UInt8], _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-\(ProcessInfo.processInfo.processIdentifier)-\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("keyturn.yaml")
        try Data(contents).write(to: file)
        try body(file.path)
    }

    private static func place(_ problem: ConfigurationProblem) -> String {
        switch problem.origin {
        case .file(let line, _): "\(line) \(problem.path)"
        case .environment(let name): "\(name) \(problem.path)"
        case .whole: "- \(problem.path)"
        }
    }

    /// Every key that there is, with values that are right.
    static let everything = """
        texts: { en: { login.heading: Hello } }
        issuer: http://127.0.0.1:8080
        listen: 127.0.0.1:8080
        database: "sqlite:data/keyturn.db"
        drain_seconds: 5
        dev: false
        secrets: [ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" ]
        trusted_proxies: [ 10.0.0.0/8, "fd00::/8", 192.0.2.7 ]
        project:
          id: P2Example
          name: Example
          management_keys: [ "K2-one-one-one-one-one-one-one-one", "K2-two-two-two-two-two-two-two-two" ]
          signing_algorithms: [ES256, RS256]
          access_token_seconds: 300
          refresh_token_idle_seconds: 86400
          refresh_token_absolute_seconds: 604800
          shadowed_sessions: end
          password_policy: { min_length: 10, lowercase: true, uppercase: false, number: true, non_alphanumeric: false, expiration_weeks: 26, reuse_amount: 5, lock_attempts: 10, lock_seconds: 600 }
          approved_domains: [ app.example.com, .example.org, localhost, "com.example.app:" ]
          link_redirect_url: "https://www.example.com/in?from=mail"
          recovery: { enabled: true, delay_hours: 24 }
          resources: [ "https://api.example.com", "urn:example:files" ]
          authorization_details_types: [ payment_initiation, account_information ]
          sign_up: domains
          sign_up_domains: [ example.com, xn--bcher-kva.example ]
          second_factor: optional
        methods:
          old_sessions_change_sign_in: false
          password_beside_second_factor: false
          merge_into_existing: false
          same_network_counts: false
          unverified_contacts: false
        passkeys:
          - rp_id: localhost
            rp_name: Example
            origins: [ "http://localhost:8080", "https://app.localhost" ]
            publishable_key: pubkey_example
            secret_key: secret_00112233445566778899aabbccddeeff
            related_origins: [ "https://example.net" ]
            top_origins: [ "https://portal.example.net" ]
            signature_counter: report
            apple_apps: [ ABCDE12345.com.example.app ]
            android_apps: [ { package_name: com.example.app, sha256_cert_fingerprints: [ "0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F:0F" ] } ]
            user_verification: required
            resident_key: required
            attestation: trusted
            attestation_roots: /etc/keyturn/roots.pem
            metadata: /var/lib/keyturn/blob.jwt
            metadata_roots: /etc/ssl/certs/GlobalSign_Root_CA_-_R3.pem
        delivery:
          outbox: true
          smtp: { host: 127.0.0.1, port: 1025, from: "Example <no-reply@example.com>", tls: none }
          sms_webhook: { url: "https://sms.example.com/send", secret: hush }
        tenants:
          - { id: "ent-1", name: "Example Enterprise", second_factor: required }
        roles:
          - { name: admin, permissions: [users.read, users.write], second_factor: required }
        clients:
          - client_id: web
            client_name: Example web app
            client_secret: web-secret-web-secret-web-secret-web
            token_endpoint_auth_method: client_secret_basic
            redirect_uris: [ "http://127.0.0.1:9000/callback", "https://www.example.com/callback?tenant=1" ]
            post_logout_redirect_uris: [ "http://127.0.0.1:9000/" ]
            backchannel_logout_uri: http://127.0.0.1:9001/backchannel
            backchannel_logout_session_required: true
            backchannel_logout_private_address: true
            grant_types:
              - authorization_code
              - refresh_token
              - client_credentials
              - "urn:ietf:params:oauth:grant-type:device_code"
              - "urn:ietf:params:oauth:grant-type:token-exchange"
            response_types: [code]
            scope: "openid profile email phone address offline_access"
            id_token_signed_response_alg: RS256
            default_max_age: 3600
            require_auth_time: true
            dpop_bound_access_tokens: false
            require_pushed_authorization_requests: false
            require_signed_request_object: false
            profile: default
            strict_assertions: true
            first_party: true
            assertion_audiences: [ "https://auth.example.com/token" ]
            may_impersonate: [ "tenant:ent-1", "user:0001" ]
            resources: [ "https://api.example.com" ]
          - client_id: robot
            token_endpoint_auth_method: private_key_jwt
            token_endpoint_auth_signing_alg: ES256
            profile: fapi2
            grant_types: [ client_credentials, "urn:ietf:params:oauth:grant-type:jwt-bearer" ]
            jwks: { keys: [ { kty: EC, crv: P-256, kid: one, x: AAAA, y: AAAA } ] }
          - client_id: phone
            redirect_uris: [ "com.example.app:/callback", "myapp://callback" ]
        users:
          - sub: "11111111-1111-4111-8111-111111111111"
            login_ids: [someone@example.com, someone]
            password: correct-horse-battery-1
            email: someone@example.com
            email_verified: true
            phone_number: +15550100
            name: Some One
            updated_at: 1700000000
            address: { street_address: 1 Main Street, locality: Anytown, country: US }
            claims: { department: Engineering, level: 3, flags: { beta: true } }
            tenants: [ { id: ent-1, roles: [admin] } ]
        key_service: { enabled: true, realms: [ bank, "Bank.2" ], unused_days: 400 }
        registration: { enabled: true, initial_access_token: initial-token-initial-token-initial, scope: "openid profile", clients_max: 50, strict_assertions: true }
        """
}
