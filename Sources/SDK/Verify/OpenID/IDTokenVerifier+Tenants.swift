internal import KeyturnBase
internal import KeyturnJose

extension IDTokenVerifier {
    /// The issuers of one provider's tenants, of which all or some are taken.
    struct TenantRule: Sendable {
        let template: IssuerTemplate
        /// In lower case; `nil`: every tenant.
        let tenants: Set<String>?
        let keys: any SharedKeySource

        /// Step 2: `iss` is the template, filled with the token's own `tid`, and that tenant is taken.
        func check(_ claims: ClaimReader) throws(AuthError) {
            let issuer = try claims.text("iss")
            let tenant = try claims.text("tid")
            guard IssuerTemplate.isTenant(tenant) else {
                throw AuthError(.tokenMalformed, "the claim tid is no GUID")
            }
            guard issuer.utf8.elementsEqual(template.issuer(of: tenant).utf8) else {
                throw AuthError(.tokenMisdirected, "iss is not the issuer of the tenant in tid")
            }
            guard tenants?.contains(tenant.lowercased()) ?? true else {
                throw AuthError(.tokenMisdirected, "tid is not one of the tenants whose users may sign in")
            }
        }

        /// Whom a token names as its issuer, to choose a key by, and for nothing else; `nil` if it cannot be read.
        static func issuer(namedBy jws: UnverifiedJWS, limits: JSONValue.Limits) -> String? {
            (try? JSONValue(parsing: jws.unverifiedPayload, limits: limits))?["iss"]?.stringValue
        }
    }
}
