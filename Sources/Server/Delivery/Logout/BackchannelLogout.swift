internal import KeyturnBase
internal import KeyturnWire
public import OAuth

/// Hands logout notices to relying parties.
public protocol LogoutTransport: Sendable {
    /// Tries once, within the lease of a claim. Never throws: whatever happens is an outcome.
    ///
    /// - Parameter attempt: from 1.
    func send(_ post: LogoutNotices.Post, attempt: Int64) async -> LogoutOutcome
}

/// Posts logout tokens to relying parties (OpenID Connect Back-Channel Logout §2.5).
///
/// Redirects are not followed. Every address of the host must be a public one, unless the server itself is on a loopback
/// address or the operator allows the client a private address; the request goes to one of the addresses that were checked.
public struct BackchannelLogout: LogoutTransport {
    private let allowsPrivateAddresses: Bool

    /// - Parameter issuer: a server on a loopback address may notify relying parties in its own network.
    public init(issuer: String) {
        allowsPrivateAddresses = PrivateNetworks.containHost(of: issuer)
    }

    public func send(_ post: LogoutNotices.Post, attempt: Int64) async -> LogoutOutcome {
        let form = FormParameters(["logout_token": post.logoutToken.exposed()])
        return await ClientPost(
            uri: post.uri, contentType: "application/x-www-form-urlencoded", body: Array(form.encoded.utf8),
            allowsPrivateAddress: allowsPrivateAddresses || post.allowsPrivateAddress
        ).send(attempt: attempt, judge: Self.outcome)
    }

    /// 400 says that the relying party could not read the token or end the session (§2.8); 404, 405, 410 and 422 do not
    /// become better by themselves either. Everything else can: a server that restarts, a proxy in front of it.
    static func outcome(_ status: Int) -> DeliveryOutcome {
        switch status {
        case 200...299: .sent
        case 400, 404, 405, 410, 422: .permanent(reason: "status \(status)")
        default: .temporary(reason: "status \(status)")
        }
    }
}
