internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension GrantID {
    /// Replaces the digest of a code in a grant without one: different for each grant, and no code has this digest.
    var unusedCodeDigest: Data { Data(bytes + [UInt8](repeating: 0, count: 32 - bytes.count)) }
}

/// The columns of a grant, in the order in which ``SQLRow/grant()`` reads them.
enum GrantColumns {
    static let list = """
        id, client_id, user_id, session_id, scope, resources, auth_time, amr, acr, nonce, claims, counter, created_at,
        idle_expires_at, absolute_expires_at, key, bearer, tenant, session_claims, supersedes, details,
        vouched_by
        """
    /// The number of columns.
    static let count = 22

    /// The columns of a grant, of a table with another name in the statement.
    static func list(of table: String) -> String {
        list.split { $0 == "," || $0 == "\n" }.map { "\(table).\($0.drop { $0 == " " })" }
            .filter { $0 != "\(table)." }.joined(separator: ", ")
    }

    /// The columns of a grant, whether the user has a factor for a repeated sign-in, and whether they have no account.
    /// For a statement that writes the table under its own name.
    static let withReauthentication = list + ", " + reauthentication + ", " + anonymity

    /// The condition that a grant `g` is alive.
    static func isLive(_ now: String) -> String {
        "g.redeemed_at IS NOT NULL AND g.ended_at IS NULL AND g.idle_expires_at > \(now) AND g.absolute_expires_at > \(now)"
    }

    /// Whether the user has a factor for a repeated sign-in.
    static let reauthentication = """
        (EXISTS (SELECT 1 FROM password p WHERE p.user_id = grant_.user_id)
            OR EXISTS (SELECT 1 FROM identifier i WHERE i.user_id = grant_.user_id AND i.verified = 1
                AND i.kind IN ('email', 'phone'))
            OR EXISTS (SELECT 1 FROM authenticator a WHERE a.user_id = grant_.user_id AND a.confirmed = 1)
            OR EXISTS (SELECT 1 FROM passkey k WHERE k.user_id = grant_.user_id AND k.active = 1))
        """

    /// Whether the user has no account.
    static let anonymity = """
        EXISTS (SELECT 1 FROM "user" u WHERE u.id = grant_.user_id AND u.anonymous_at IS NOT NULL)
        """

    /// The columns of a grant, and what decides whether a code or a refresh token is still good.
    static let withState =
        list
        + ", redeemed_at, rotated_at, rotations, late_retry_at, late_counter, late_repetitions, refresh_network, ended_at, end_reason, "
        + "refresh_client, shadow, shadowed_at, "
        + "code_expires_at, redirect_uri, code_challenge, code_key"
}

extension SQLRow {
    /// A grant from a row that begins with ``GrantColumns/list``, by position: finding twenty columns by name takes
    /// longer than reading them. A damaged row is an error, never a guess.
    func grant() throws -> Grant {
        guard let id = GrantID(bytes: Array(self[0] as Data)), let scope = Scope(self[4] as String) else {
            throw SQLProblem.damagedRow
        }
        return Grant(
            id: id, clientID: self[1], userID: UserID(rawValue: self[2]),
            sessionID: (self[3] as String?).map(SessionID.init(rawValue:)), scope: scope,
            resources: Self.words(self[5]),
            authentication: AuthenticationFacts(
                time: UnixTime(rawValue: self[6]), methods: Self.words(self[7]), contextClass: self[8],
                tenantID: self[21]),
            nonce: self[9], claimsRequest: self[10], authorizationDetails: try Self.details(self[20]),
            keyThumbprint: self[15], wantsBearer: self[16], tenantID: self[17],
            sessionClaims: try (self[18] as String?).map { SessionClaims(stored: try Self.members($0)) } ?? .none,
            supersedes: (self[19] as Data?).flatMap { GrantID(bytes: Array($0)) }, counter: self[11],
            createdAt: UnixTime(rawValue: self[12]), idleExpiresAt: UnixTime(rawValue: self[13]),
            absoluteExpiresAt: UnixTime(rawValue: self[14]))
    }

    /// A row with ``GrantColumns/withState`` of a code that was not redeemed.
    func code(_ digest: SecretDigest) throws -> FoundCode {
        FoundCode(
            grant: try grant(),
            conditions: CodeConditions(
                digest: digest, redirectURI: self["redirect_uri"], codeChallenge: self["code_challenge"],
                keyThumbprint: self["code_key"], expiresAt: time("code_expires_at")),
            redeemedAt: optionalTime("redeemed_at"), isEnded: optionalTime("ended_at") != nil)
    }

    /// A grant from a row that begins with ``GrantColumns/withReauthentication``.
    func grantWithReauthentication() throws -> Grant {
        var grant = try grant()
        grant.canReauthenticate = self[GrantColumns.count]
        grant.isAnonymous = self[GrantColumns.count + 1]
        return grant
    }

    private static func details(_ text: String?) throws -> AuthorizationDetails? {
        guard let text else { return nil }
        guard let details = AuthorizationDetails(parsing: text, bytesMax: Limits.detailsBytesMax * 2) else {
            throw SQLProblem.damagedRow
        }
        return details
    }

    private static func words(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: " ").map(String.init)
    }
}
