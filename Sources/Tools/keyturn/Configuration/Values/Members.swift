internal import Authority
internal import Authority
internal import Delivery
internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model

/// Another issuer whose tokens are exchanged for sessions, each once.
struct MigrationConfiguration: Sendable {
    /// How the user of such a token is found here.
    enum Subject: String, CaseIterable, Sendable {
        case sub, email
    }

    var issuer: String
    var audience: String
    var subject: Subject
    /// One of the two is there.
    var keysURI: String?
    var keys: JSONWebKeySet?
}

/// How messages reach people.
struct DeliveryConfiguration: Sendable {
    /// Whether every message stays readable at `/dev/outbox`.
    var outbox = false
    /// The operator's own words; `nil`: the built-in ones.
    var templates: MessageTemplates?
    var smtp: SMTPConfiguration?
    var smsWebhook: WebhookConfiguration?
    /// Told of requests for a sign-in.
    var pushWebhook: WebhookConfiguration?
}

/// A mail server.
struct SMTPConfiguration: Sendable {
    /// How the connection is protected.
    enum Security: String, CaseIterable, Sendable {
        case none, starttls, tls
    }

    var host: String
    var port: Int
    /// `Name <address>`, or an address alone.
    var from: String
    var security: Security
    var username: String?
    var password: Secret?
    /// A PEM file of authorities to trust instead of the system's.
    var authoritiesFile: String?
}

/// The operator's own sender of text messages, or push service.
struct WebhookConfiguration: Sendable {
    var url: String
    /// Signs each request.
    var secret: Secret?
}

/// What becomes of the audit log.
struct AuditConfiguration: Sendable {
    var retentionDays = Limits.auditRetentionDays
    /// Programs that get it.
    var streams: [AuditStreamConfiguration] = []
}

/// A program that gets the audit log.
struct AuditStreamConfiguration: Sendable {
    enum Target: Sendable {
        case webhook(url: String, key: WebhookKey?)
        case syslog(SyslogTransport.Settings)
        case receiver(url: String, audience: String, authorization: Secret?)
    }

    var name: String
    /// Kinds of events, or their beginning before `*`; empty: every event.
    var actions: [String]
    var target: Target
}

/// A customer organisation.
struct TenantConfiguration: Hashable, Sendable {
    var id: String
    var name: String
    /// `nil`: as commands and programs have set it.
    var requiresSingleSignOn: Bool?
    /// Identifiers of users; `nil`: as commands and programs have set them.
    var singleSignOnExclusions: [String]?
    /// Whether members need a second factor; `nil`: as the project says.
    var secondFactor: SecondFactorPolicy?
}

/// A named set of permissions.
struct RoleConfiguration: Hashable, Sendable {
    var name: String
    var permissions: [String]
    /// Whether holders need a second factor; `nil`: as the project says.
    var secondFactor: SecondFactorPolicy?
}

/// A client, to be created or updated at start.
struct ClientConfiguration: Sendable {
    var clientID: String
    /// `nil` for public clients and those with keys.
    var clientSecret: Secret?
    /// As registered; where a member is absent, the standard's default holds, except ``authenticationMethod``.
    var metadata: ClientMetadata
    /// What the file says; otherwise `client_secret_basic` with a secret, and `none` without.
    var authenticationMethod: ClientAuthenticationMethod
    /// No consent page.
    var firstParty = false
    /// Audiences that its assertions may name, beside the issuer.
    var assertionAudiences: [String] = []
    /// Seconds for which an assertion that it hands in for a token may be good; `nil`: the server's default.
    var assertionSeconds: Int?
    /// Whom it may act for (`As-User`, subject selection).
    var mayImpersonate: [ImpersonationRule] = []
    var profile = ClientProfile.standard
    /// The strict rules for signed statements, outside FAPI too.
    var strictAssertions = false
    /// `backchannel_logout_uri` and `backchannel_client_notification_endpoint` may lie in a private network.
    var allowsPrivateLogoutAddress = false
    /// The audiences whose tokens this client, as a resource server, may introspect.
    var resources: [String] = []
}

/// A person or service user, to be created or updated at start.
struct UserConfiguration: Sendable {
    /// Membership of a tenant.
    struct Membership: Hashable, Sendable {
        var tenant: String
        var roles: [String]
    }

    /// `nil`: found by the first login ID, or chosen at creation.
    var sub: String?
    /// What they sign in with. Where the file has none: their email address, if it has that.
    var loginIDs: [String]
    var password: Secret?
    /// Claims by their OpenID Connect names, and the ones under the key `claims`; `address` is an object.
    var claims: [String: JSONValue]
    var tenants: [Membership]
    /// What the user may do in the console; `nil`: the file says nothing of it.
    var consoleRole: ConsoleRole?

    var email: String? { claims["email"]?.stringValue }
    var isEmailVerified: Bool { claims["email_verified"]?.boolValue ?? false }
    var phoneNumber: String? { claims["phone_number"]?.stringValue }
    var isPhoneNumberVerified: Bool { claims["phone_number_verified"]?.boolValue ?? false }
}
