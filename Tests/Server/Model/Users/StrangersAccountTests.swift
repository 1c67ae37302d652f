import KeyturnBase
import Model
import Testing

@Suite("Whether a stranger may have made an account")
struct StrangersAccountTests {
    private func account(_ names: [String: Account.IdentifierState], status: User.Status = .active) throws -> Account {
        let time = UnixTime(rawValue: 0)
        let user = User(id: UserID(rawValue: "u"), status: status, createdAt: time, updatedAt: time)
        let identifiers = try names.map { (try #require(Identifier(loginID: $0.key)), $0.value) }
        return Account(
            user: user, identifiers: Dictionary(uniqueKeysWithValues: identifiers), passwordHash: "$hash")
    }

    /// Marks a contact and a new login ID as proved, each on its own.
    private func proofs(of account: Account) throws -> [Account] {
        var (contact, loginID) = (account, account)
        contact.set(.phone, "+15551234567", isVerified: true)
        loginID.identifiers[try #require(Identifier(loginID: "new@example.com"))] = .verified
        return [contact, loginID]
    }

    @Test func `any proof counts, once an address was claimed and none proved`() throws {
        let claimed = try account(["ann@example.com": .unverified, "ann": .verified])
        for changed in try proofs(of: claimed) { #expect(claimed.isStrangers(onceItBecomes: changed)) }
        var contact = try account(["ann": .verified])
        contact.set(.email, "ann@example.com", isVerified: false)
        for changed in try proofs(of: contact) { #expect(contact.isStrangers(onceItBecomes: changed)) }
        var moved = claimed
        moved.set(.email, "other@example.com", isVerified: false)
        #expect(!claimed.isStrangers(onceItBecomes: moved), "nothing is proved")
    }

    @Test func `not with a proved address, a user name alone, or an invitation`() throws {
        let others = [
            try account(["ann@example.com": .unverified, "ann@work.example": .verified]),
            try account(["ann": .verified]), try account(["ann@example.com": .unverified], status: .invited),
        ]
        for other in others {
            for changed in try proofs(of: other) { #expect(!other.isStrangers(onceItBecomes: changed)) }
        }
    }

    @Test func `whoever is invited shares the account with no stranger`() throws {
        for names in [["ann": .verified], ["ann@example.com": .unverified]] as [[String: Account.IdentifierState]] {
            let present = try account(names)
            var invited = present
            invited.user.status = .invited
            #expect(present.isStrangers(onceItBecomes: invited))
        }
    }
}
