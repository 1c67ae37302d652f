internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model
internal import SignIn

/// Who calls the passkey service.
protocol RelyingPartyCaller: Sendable {
    /// What its developers are told about the way it calls.
    var warnings: [PasskeyServiceError] { get }
}

/// A page or an app of a relying party, named by its publishable key. If a browser sends the page's origin, it is one
/// of the party's.
struct RelyingPartyPage: RelyingPartyCaller {
    let party: RelyingParty
    let warnings: [PasskeyServiceError]
    /// Where it asks from.
    let address: NetworkAddress?

    fileprivate init(_ party: RelyingParty, origin: String?, _ address: NetworkAddress?) {
        self.party = party
        warnings = SiteWarnings.warnings(origin: origin)
        self.address = address
    }
}

/// A relying party's backend, named by its secret key.
struct RelyingPartyBackend: RelyingPartyCaller {
    let party: RelyingParty
    let warnings: [PasskeyServiceError]

    fileprivate init(_ party: RelyingParty, _ key: Secret) {
        self.party = party
        warnings = party.isOutdated(secretKey: key) ? [SiteWarnings.secretKeyOutdated] : []
    }
}

extension Demand {
    fileprivate static let publishableKey = Demand(
        .publishableKey, .error(401, PasskeyErrorCode.publishableKeyNotFound.rawValue),
        but: [
            .missing: .error(401, PasskeyErrorCode.invalidAuthorizationHeader.rawValue),
            .foreign: .error(403, PasskeyErrorCode.permissionViolation.rawValue),
        ])
    fileprivate static let secretKey = Demand(
        .secretKey, .error(401, PasskeyErrorCode.secretKeyNotFound.rawValue),
        but: [
            .missing: .error(401, PasskeyErrorCode.invalidAuthorizationHeader.rawValue),
            .foreign: .error(403, PasskeyErrorCode.permissionViolation.rawValue),
        ])
}

/// A publishable key is refused where a secret key is needed, and the other way round.
extension Checks {
    private var parties: RelyingParties { services.methods.passkeys.parties }

    var relyingPartyPage: Check<RelyingPartyPage> {
        Check(.publishableKey) { request, context in
            switch try key(request) {
            case .publishable(let key):
                guard let party = parties.party(publishableKey: key) else {
                    throw SiteRefusal(.publishableKeyNotFound, 401, "There is no such publishable key")
                }
                try requireOrigin(request, of: party)
                return RelyingPartyPage(
                    party, origin: request.headers[.origin], addresses.address(of: request, context))
            case .secret(let key):
                _ = try await party(secretKey: key, request, context)
                throw Self.wrongKey
            }
        }
    }

    var relyingPartyBackend: Check<RelyingPartyBackend> {
        Check(.secretKey) { request, context in
            switch try key(request) {
            case .publishable(let key):
                guard parties.party(publishableKey: key) != nil else {
                    throw SiteRefusal(.publishableKeyNotFound, 401, "There is no such publishable key")
                }
                throw Self.wrongKey
            case .secret(let key):
                return RelyingPartyBackend(try await party(secretKey: key, request, context), key)
            }
        }
    }

    private func party(
        secretKey key: Secret, _ request: Request, _ context: WebContext
    ) async throws -> RelyingParty {
        try await services.sitePasskeys.party(
            secretKey: key, among: parties, from: addresses.address(of: request, context))
    }

    private func key(_ request: Request) throws(SiteRefusal) -> PasskeyKey {
        guard let key = request.headers[.authorization].flatMap(PasskeyKey.init(header:)) else {
            throw SiteRefusal(
                .invalidAuthorizationHeader, 401,
                "Send Basic authentication: a publishable key as the user name, a secret key as the password")
        }
        return key
    }

    private static let wrongKey = SiteRefusal(.permissionViolation, 403, "This key may not make this call")

    /// Browsers send the page's origin: another site's page may not use the key. Apps send none.
    private func requireOrigin(_ request: Request, of party: RelyingParty) throws(SiteRefusal) {
        guard let origin = request.headers[.origin], !party.admits(origin: origin) else { return }
        throw SiteRefusal(.permissionViolation, 403, "The key is not for pages of this origin")
    }
}
