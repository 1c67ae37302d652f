public import KeyturnBase
public import KeyturnWire

/// Reads what an issuer says about itself (OpenID Connect Discovery §4, RFC 8414 §3).
public struct Discovery: Sendable {
    /// Where the document lies, after the issuer (§4.1).
    static let wellKnown = "/.well-known/openid-configuration"
    private static let limits = JSONValue.Limits(
        bytesMax: VerifyLimits.responseBytes, membersMax: VerifyLimits.metadataElements)

    private let transport: any HTTPTransport

    /// - Parameter transport: Carries the requests.
    public init(transport: any HTTPTransport) {
        self.transport = transport
    }

    /// The metadata of `issuer`.
    ///
    /// The document must name the same issuer, character by character (§4.3): otherwise one server could speak for
    /// another. It is read member by member: an optional member of another type is absent, and so is an endpoint that
    /// is empty, or without the protection that the issuer has.
    ///
    /// - Parameters:
    ///   - issuer: Whose.
    ///   - isRealm: Whether `issuer` may also be the address of a realm (`…/auth/realms/NAME`) of a server that has one
    ///     issuer for all of them: the beginning of that address. The document's `issuer` is then what
    ///     tokens must name.
    ///   - timeoutSeconds: 1…600.
    /// - Throws: `transport.unavailable`; `protocol.violation` if there is no such document, or it names another
    ///   issuer; `configuration.invalid`, with the new address, if it has moved.
    public func metadata(
        of issuer: String, orItsRealm isRealm: Bool = false, timeoutSeconds: Int = VerifyLimits.requestSeconds
    ) async throws(AuthError) -> ServerMetadata {
        let metadata = try await metadata(at: Self.address(of: issuer), timeoutSeconds)
        guard metadata.issuer == issuer || isRealm && Self.isRealm(issuer, of: metadata.issuer) else {
            throw Self.otherIssuer(metadata.issuer, at: issuer)
        }
        return metadata
    }

    /// The metadata of a provider whose document lies elsewhere than below its issuer (Azure AD B2C), or is one for
    /// many tenants (Entra's `common` and `organizations`).
    ///
    /// - Parameters:
    ///   - issuer: Whose. Of many tenants: with anything in the place of the tenant.
    ///   - address: Where the document lies, as it is asked for; `nil`: below `issuer`.
    ///   - isOfTenants: Whether the document must name an ``IssuerTemplate`` that `issuer` fits, and not `issuer`.
    /// - Throws: as ``metadata(of:orItsRealm:timeoutSeconds:)``.
    package func metadata(
        of issuer: String, at address: String?, isOfTenants: Bool
    ) async throws(AuthError) -> ServerMetadata {
        let address = address ?? Self.address(of: issuer)
        let metadata = try await metadata(at: address, VerifyLimits.requestSeconds)
        let named = metadata.issuer
        guard isOfTenants else {
            guard named == issuer else { throw Self.otherIssuer(named, at: address) }
            return metadata
        }
        guard let template = IssuerTemplate(named) else {
            throw AuthError(
                .protocolViolation,
                "the metadata at \(Self.shown(address)) is not for many tenants: its issuer, \(Self.shown(named)), "
                    + "must have \(IssuerTemplate.placeholder) as one segment of its path and nothing else to fill "
                    + "in; if it is one provider's, use it without tenants")
        }
        guard template.fits(issuer) else { throw Self.otherIssuer(named, at: address) }
        return metadata
    }

    /// Where the standard has the document of an issuer (§4.1).
    private static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + wellKnown
    }

    private static func otherIssuer(_ named: String, at address: String) -> AuthError {
        let advice =
            IssuerTemplate(named) == nil
            ? "if that is the provider's own name, use it, character by character"
            : "it is a template for many tenants, so say whose users may sign in, and write the issuer as it is there"
        return AuthError(
            .protocolViolation,
            "the metadata at \(shown(address)) names another issuer, \(shown(named)): \(advice)")
    }

    private func metadata(at address: String, _ timeoutSeconds: Int) async throws(AuthError) -> ServerMetadata {
        let request = HTTPRequest(
            url: address, headers: [("Accept", "application/json")], timeoutSeconds: timeoutSeconds)
        return try Self.read(try await document(request))
    }

    private func document(_ request: HTTPRequest) async throws(AuthError) -> [UInt8] {
        do throws(AuthError) {
            return try await transport.document(request, kind: "metadata").body
        } catch {
            guard let status = error.server?.status, status == 404 || status == 410 else { throw error }
            throw AuthError(
                .protocolViolation,
                "there is no metadata at \(Self.shown(request.url)): check how the provider spells its issuer",
                server: error.server)
        }
    }

    /// Strictly: a decoder would accept an object that names two issuers.
    private static func read(_ document: [UInt8]) throws(AuthError) -> ServerMetadata {
        let json: JSONValue
        do throws(JSONProblem) {
            json = try JSONValue(parsing: document, limits: limits)
        } catch {
            throw AuthError(
                .protocolViolation, "the issuer's metadata is not JSON as it should be: \(error.rule.rawValue)",
                cause: error)
        }
        return try ServerMetadata(json)
    }

    /// Whether `address` is that of one realm of `issuer`, character by character.
    private static func isRealm(_ address: String, of issuer: String) -> Bool {
        let start = issuer + KeyServicePaths.realms
        let name = address.dropFirst(start.count)
        return address.hasPrefix(start) && !name.isEmpty && !name.contains("/")
    }

    /// An address as an error shows it: not too long, and with nothing hidden.
    private static func shown(_ address: String) -> String {
        VisibleText.shown(String(String.UnicodeScalarView(address.unicodeScalars.prefix(256))))
    }
}
