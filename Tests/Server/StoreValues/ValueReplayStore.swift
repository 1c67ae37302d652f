internal import KeyturnBase
internal import Model

/// Values that were used and are not accepted again.
struct ValueReplayStore: ReplayStore {
    let database: ValueDatabase

    func spend(_ mark: ReplayMark) throws(StoreError) -> Bool {
        try database.write { $0.spend(mark) }
    }

    func spend(_ mark: ReplayMark, attempt: [UInt8]) throws(StoreError) -> Bool {
        try database.write { world in
            if let row = world.spent[mark.digest] { return row.attempt == attempt }
            world.spent[mark.digest] = SpentRow(expiresAt: mark.expiresAt, attempt: attempt)
            return true
        }
    }
}

extension StoreWorld {
    /// - Returns: `false` if it was used before.
    mutating func spend(_ mark: ReplayMark) -> Bool {
        guard spent[mark.digest] == nil else { return false }
        spent[mark.digest] = SpentRow(expiresAt: mark.expiresAt, attempt: nil)
        return true
    }
}
