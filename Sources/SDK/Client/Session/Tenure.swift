/// One session's time in a keeper: what is known of it, and where it is kept.
///
/// When a vault is unlocked or locked another tenure begins. What the one before has under way, it finishes with what it
/// knows and where it is kept: an answer that comes after the lock goes into the vault, and nobody hears of it.
final class Tenure {
    var machine = SessionMachine()
    /// What the store showed last.
    var lastMark: ChangeMark?
    let store: any SessionStore
    /// The vault that keeps it; `nil`: none does.
    let opened: OpenedVault?

    init(store: any SessionStore, opened: OpenedVault? = nil) {
        self.store = store
        self.opened = opened
    }
}
