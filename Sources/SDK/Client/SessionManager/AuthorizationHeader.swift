public import KeyturnBase

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension URLRequest {
    /// Sets the `Authorization` header field from a manager's session, which is renewed first if it is time to
    /// (RFC 6750 §2.1); a proof beside it where the access token wants one (RFC 9449 §7.1).
    ///
    /// Without a session the request has no such field afterwards. Set URL and method before.
    ///
    /// - Throws: as ``SessionManager/refreshSessionIfNeeded()``, unless the access token has not run out yet: then
    ///   that is used.
    public mutating func setAuthorizationHTTPHeaderField(from manager: SessionManager) async throws(AuthError) {
        let target = URLText.withoutFragment(url?.absoluteString ?? "")
        let fields = try await manager.authorization(method: httpMethod ?? "GET", url: target)
        for name in ["Authorization", "DPoP"] { setValue(nil, forHTTPHeaderField: name) }
        for field in fields { setValue(field.value, forHTTPHeaderField: field.name) }
    }
}
