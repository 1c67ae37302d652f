internal import KeyturnBase
internal import Model

/// Pushed authorization requests, and what answers requests once.
struct ValuePushedRequestStore: PushedRequestStore {
    let database: ValueDatabase

    func add(_ request: PushedRequest, max: Int?, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            if let max {
                let waiting = world.pushedRequests.values.count {
                    $0.clientID == request.clientID && $0.expiresAt > now
                }
                guard waiting < max else { return false }
            }
            guard world.pushedRequests[request.digest] == nil else { throw StoreError(.conflict) }
            world.pushedRequests[request.digest] = request
            return true
        }
    }

    func find(_ digest: SecretDigest) throws(StoreError) -> PushedRequest? {
        try database.read { $0.pushedRequests[digest] }
    }

    func isUnused(_ ticket: TransactionTicket, of clientID: String) throws(StoreError) -> Bool {
        try database.read { world in
            switch ticket {
            case .pushedRequest(let digest):
                return try world.pushedRequests[Self.digest(digest)]?.clientID == clientID
            case .requestObject(let jti, let expiresAt):
                return world.spent[ReplayMark(requestObject: jti, of: clientID, expiresAt: expiresAt).digest] == nil
            }
        }
    }

    func use(_ ticket: TransactionTicket, of clientID: String) throws(StoreError) -> Bool {
        try database.write { $0.use(ticket, of: clientID) }
    }

    fileprivate static func digest(_ text: String) throws(StoreError) -> SecretDigest {
        guard let bytes = Base64URL.decode(text) else { throw StoreError(.unavailable) }
        return SecretDigest(storedBytes: bytes)
    }
}

extension StoreWorld {
    /// - Returns: `false` if it was used before.
    mutating func use(_ ticket: TransactionTicket, of clientID: String) -> Bool {
        switch ticket {
        case .pushedRequest(let text):
            guard let digest = try? ValuePushedRequestStore.digest(text),
                pushedRequests[digest]?.clientID == clientID
            else { return false }
            pushedRequests[digest] = nil
            return true
        case .requestObject(let jti, let expiresAt):
            return spend(ReplayMark(requestObject: jti, of: clientID, expiresAt: expiresAt))
        }
    }
}
