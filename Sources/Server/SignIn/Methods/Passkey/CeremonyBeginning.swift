internal import KeyturnBase
internal import Model

/// When a sign-in by a passkey began: what was signed before its user signed out everywhere opens nothing afterwards.
struct CeremonyBeginning: Hashable, Sendable {
    let time: UnixTime
    /// The ``User/epoch`` of the user whom the client named; `nil`: it named none, or there is no such user.
    let epoch: Int64?

    /// What stands for no epoch: no user has it.
    static let unnamed: Int64 = -1

    /// Whether the user's sessions have ended since. Of what happened in the same second, the epoch tells which was first;
    /// without one the sign-in counts as the later: a new passkey ends sessions too, and may be used at once.
    func isBeforeEnd(of user: User) -> Bool {
        guard epoch != user.epoch, let endedAt = user.endedAt else { return false }
        return epoch == nil ? time < endedAt : time <= endedAt
    }
}
