package import KeyturnBase
package import KeyturnWire
package import Model

/// What the sender of streams needs.
extension SignalStreams {
    /// Where tokens of a stream go.
    package struct Target: Sendable {
        package let address: String
        package let authorization: Secret?
        package let allowsPrivateAddress: Bool
    }

    /// A stream that is due; `nil`: none is.
    package func claim(until end: UnixTime) async throws(StoreError) -> SignalStreamClaim? {
        try await stores.signalStreams.claim(behind: try await queue.head(), until: end, at: ambient.now())
    }

    package func settle(
        _ claim: SignalStreamClaim, to number: Int64, isVerified: Bool, due: UnixTime, failures: Int64
    ) async throws(StoreError) -> Bool {
        try await stores.signalStreams.settle(
            claim, to: number, isVerified: isVerified, due: due, failures: failures)
    }

    package func page(of stream: SignalStream) async throws(StoreError) -> SignalQueue.Page {
        try await queue.page(of: stream)
    }

    package func token(_ entry: SignalQueue.Entry, of stream: SignalStream) throws(OAuthProblem) -> String {
        try queue.token(entry, of: stream, at: ambient.now())
    }

    /// `nil`: the receiver asked for no verification event.
    package func verificationToken(of stream: SignalStream) throws(OAuthProblem) -> String? {
        guard let verification = stream.verification else { return nil }
        return try queue.token(verification, of: stream, at: ambient.now())
    }

    /// `nil`: its client may have no streams any longer, or the secret that sealed the header is gone.
    package func target(of stream: SignalStream) -> Target? {
        guard let push = stream.push, let client = clients.client(stream.clientID), client.mayHaveSignalStreams else {
            return nil
        }
        var header: Secret?
        if let sealed = push.authorization {
            // Never without the header: the receiver refuses what it does not know.
            guard let opened = seal.open(sealed, context: Array(stream.id.utf8)) else { return nil }
            header = Secret(String(decoding: opened, as: UTF8.self))
        }
        return Target(
            address: push.address, authorization: header, allowsPrivateAddress: client.allowsPrivateLogoutAddress)
    }
}
