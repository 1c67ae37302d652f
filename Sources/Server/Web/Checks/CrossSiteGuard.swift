internal import Crypto
internal import HTTPTypes
internal import KeyturnBase
internal import Model

/// Makes sure that a form comes from a page of this server, shown in this browser, for this session and transaction.
///
/// Each form carries a MAC over the browser's mark, the session and the transaction. A page of another site cannot know
/// it, and none of the three can be exchanged.
struct CrossSiteGuard: Sendable {
    private let keys: [ServerSecrets.Key]

    init(_ secrets: ServerSecrets) {
        keys = secrets.keys(for: .crossSiteRequest)
    }

    /// The token for a form.
    func token(browser: String, session: SessionID?, transaction: String) -> String {
        Base64URL.encode(Self.mac(browser, session, transaction, keys[0]))
    }

    /// Whether `token` fits this browser, session and transaction, and the request comes from a page of this origin.
    func admits(_ token: String?, _ request: Request, browser: String?, session: SessionID?, transaction: String)
        -> Bool
    {
        if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" { return false }
        guard let token, let browser, let bytes = Base64URL.decode(token) else { return false }
        return keys.contains { ConstantTime.equal(Self.mac(browser, session, transaction, $0), bytes) }
    }

    private static func mac(
        _ browser: String, _ session: SessionID?, _ transaction: String, _ key: ServerSecrets.Key
    ) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key.key)
        for part in [browser, session?.rawValue ?? "", transaction] {
            let bytes = Array(part.utf8)
            hmac.update(data: Array("\(bytes.count):".utf8))
            hmac.update(data: bytes)
        }
        return Array(hmac.finalize())
    }
}
